/* SPDX-License-Identifier: MIT
   Searches by Adam, a block a start: its first warp does what lib/control/pulse/adam.c does to a lane.
 */
#ifndef KL_CUDA_PULSE_ADAM_CUH
#define KL_CUDA_PULSE_ADAM_CUH

#include "kernels/cuda/pulse_search.cuh"

/* If the block has no start, its first warp takes the next. */
KL_GPU void kl_pulse_adam_refill(const kl_pulse_job &job)
{
    kl_pulse_place *place = &job.place[blockIdx.x];
    double *m = kl_pulse_vector(job, KL_PULSE_M), *v = kl_pulse_vector(job, KL_PULSE_V),
           *best = kl_pulse_vector(job, KL_PULSE_X), *g = kl_pulse_vector(job, KL_PULSE_G);
    const double *x = kl_pulse_vector(job, KL_PULSE_NEXT_X);
    if (place->held) return;
    kl_pulse_next(job, place);
    KL_PULSE_EACH(i) m[i] = v[i] = g[i] = 0, best[i] = x[i];
    if (kl_lane_number() == 0) {
        place->a = {};
        place->a.best = INFINITY;
    }
}

/* The first warp, after an evaluation. */
KL_GPU void kl_pulse_adam(const kl_pulse_job &job)
{
    kl_pulse_place *place = &job.place[blockIdx.x];
    struct kl_adam_start a = place->a;
    double *x = kl_pulse_vector(job, KL_PULSE_NEXT_X), *best = kl_pulse_vector(job, KL_PULSE_X),
           *at_best = kl_pulse_vector(job, KL_PULSE_G), *m = kl_pulse_vector(job, KL_PULSE_M),
           *v = kl_pulse_vector(job, KL_PULSE_V);
    const double *g = kl_pulse_vector(job, KL_PULSE_NEXT_G), *low = job.problem.low,
                 *high = job.problem.high;
    if (kl_adam_start_better(&a, &job.problem.rules, place->f))
        KL_PULSE_EACH(i) best[i] = x[i], at_best[i] = g[i];
    const int stop = kl_adam_start_judge(&a, &job.problem.rules, place->f);
    if (stop != KL_DESCENT_RUNS)
        kl_pulse_finish(job, place, a.best, a.iterations, a.iterations + 1, stop);
    else {
        const struct kl_adam_start_step step = kl_adam_start_step(&a, job.problem.lr);
        KL_PULSE_EACH(i)
        x[i] = fmin(fmax(kl_adam_start_move(&m[i], &v[i], x[i], g[i], step), low[i]), high[i]);
    }
    __syncwarp();
    if (kl_lane_number() == 0) place->a = a;
}

static __global__ void __launch_bounds__(KL_PULSE_WARPS *KL_WARP, KL_PULSE_BLOCKS)
    kl_pulse_adam_trials(const __grid_constant__ struct kl_pulse_job job)
{
    for (int t = 0; t < job.trials; t++) {
        if (kl_warp() == 0) kl_pulse_adam_refill(job);
        __syncthreads();
        if (!job.place[blockIdx.x].held) return;
        kl_pulse_evaluate<double>(job);
        if (kl_warp() == 0) kl_pulse_adam(job);
    }
}

#endif
