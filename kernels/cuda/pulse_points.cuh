/* SPDX-License-Identifier: MIT
   Points that are given, a block each: loss and gradient. */
#ifndef KL_CUDA_PULSE_POINTS_CUH
#define KL_CUDA_PULSE_POINTS_CUH

#include "kernels/cuda/pulse_search.cuh"

/* The first warp rounds what is given of its point: kl_pulse_find_given. */
KL_GPU void kl_pulse_round(const kl_pulse_job &job)
{
    const int members = job.problem.members, params = members * job.problem.g.params,
              first = kl_pulse_first_member(job);
    const double *x = kl_pulse_vector(job, KL_PULSE_NEXT_X), *amplitude = job.problem.amplitude + first,
                 *param = job.problem.params + (size_t)first * (size_t)job.problem.g.params;
    float *to = kl_pulse_rounded(job), *to_amplitude = to + job.n;
    KL_PULSE_EACH(i) to[i] = (float)x[i];
    for (int i = kl_lane_number(); i < members; i += KL_WARP) to_amplitude[i] = (float)amplitude[i];
    for (int i = kl_lane_number(); i < params; i += KL_WARP) to_amplitude[members + i] = (float)param[i];
}

/* The first warp takes the next point, if there is one. */
template <class T> KL_GPU void kl_pulse_take_point(const kl_pulse_job &job)
{
    kl_pulse_next(job, &job.place[blockIdx.x]);
    if (job.place[blockIdx.x].held && kl_pulse_kind<T>::SINGLE) kl_pulse_round(job);
}

/* The first warp, after an evaluation. */
KL_GPU void kl_pulse_tell_point(const kl_pulse_job &job)
{
    const kl_pulse_place *place = &job.place[blockIdx.x];
    const double *g = kl_pulse_vector(job, KL_PULSE_NEXT_G);
    const size_t at = (size_t)(place->held - 1) * (size_t)job.n;
    KL_PULSE_EACH(i) job.gradients[at + (size_t)i] = g[i];
    if (kl_lane_number() == 0) job.results[place->held - 1].loss = place->f;
}

template <class T>
static __global__ void __launch_bounds__(KL_PULSE_WARPS *KL_WARP, KL_PULSE_BLOCKS)
    kl_pulse_points(const __grid_constant__ struct kl_pulse_job job)
{
    for (;;) {
        if (kl_warp() == 0) kl_pulse_take_point<T>(job);
        __syncthreads();
        if (!job.place[blockIdx.x].held) return;
        kl_pulse_evaluate<T>(job);
        if (kl_warp() == 0) kl_pulse_tell_point(job);
    }
}

#endif
