/* SPDX-License-Identifier: MIT
   Points that are given, a block each: loss and gradient; of duals the Hessian's product, too. */
#ifndef KL_CUDA_PULSE_POINTS_CUH
#define KL_CUDA_PULSE_POINTS_CUH

#include "kernels/cuda/pulse_search.cuh"

/* The first warp takes the next point and its direction, if there is one. */
template <class T> KL_GPU void kl_pulse_take_point(const kl_pulse_job &job)
{
    const kl_pulse_place *place = &job.place[blockIdx.x];
    double *d = kl_pulse_vector(job, KL_PULSE_D);
    kl_pulse_next(job, &job.place[blockIdx.x]);
    if (!place->held || sizeof(T) == sizeof(double)) return;
    KL_PULSE_EACH(i) d[i] = job.along[(size_t)(place->held - 1) * (size_t)job.n + (size_t)i];
}

/* The first warp, after an evaluation. */
template <class T> KL_GPU void kl_pulse_tell_point(const kl_pulse_job &job)
{
    const kl_pulse_place *place = &job.place[blockIdx.x];
    const double *g = kl_pulse_vector(job, KL_PULSE_NEXT_G), *hd = kl_pulse_vector(job, KL_PULSE_HD);
    const size_t at = (size_t)(place->held - 1) * (size_t)job.n;
    KL_PULSE_EACH(i)
    {
        job.gradients[at + (size_t)i] = g[i];
        if (sizeof(T) > sizeof(double)) job.products[at + (size_t)i] = hd[i];
    }
    if (kl_lane_number() == 0) job.results[place->held - 1].loss = place->f;
}

template <class T>
static __global__ void __launch_bounds__(KL_PULSE_WARPS *KL_WARP)
    kl_pulse_points(const __grid_constant__ struct kl_pulse_job job)
{
    for (;;) {
        if (kl_warp() == 0) kl_pulse_take_point<T>(job);
        __syncthreads();
        if (!job.place[blockIdx.x].held) return;
        kl_pulse_evaluate<T>(job);
        if (kl_warp() == 0) kl_pulse_tell_point<T>(job);
    }
}

#endif
