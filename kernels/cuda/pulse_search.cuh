/* SPDX-License-Identifier: MIT
   Searches by projected L-BFGS, a block a start: its first warp does what kernels/cpu/lbfgs.c does to a
   lane, number for number but for the order of sums. A block whose start has stopped takes the next. */
#ifndef KL_CUDA_PULSE_SEARCH_CUH
#define KL_CUDA_PULSE_SEARCH_CUH

#include "kernels/cuda/pulse.cuh"

/* Elements of a vector that a lane of the first warp has: no other touches them, but for the trial's
   point and gradient. */
#define KL_PULSE_EACH(i) for (int i = kl_lane_number(); i < job.n; i += KL_WARP)

/* Over what is free. */
KL_GPU double kl_pulse_product(const kl_pulse_job &job, int u, int v)
{
    const double *free = kl_pulse_vector(job, KL_PULSE_FREE), *a = kl_pulse_vector(job, u),
                 *b = kl_pulse_vector(job, v);
    double sum = 0;
    KL_PULSE_EACH(i) sum = fma(free[i] * a[i], b[i], sum);
    return kl_warp_sum(sum);
}
/* d -= factor v */
KL_GPU void kl_pulse_subtract(const kl_pulse_job &job, int v, double factor)
{
    const double *from = kl_pulse_vector(job, v);
    double *d = kl_pulse_vector(job, KL_PULSE_D);
    KL_PULSE_EACH(i) d[i] = fma(-factor, from[i], d[i]);
}

/* d becomes H d, of the pairs that have curvature where it is free. */
KL_GPU void kl_pulse_recursion(const kl_pulse_job &job, const kl_pulse_place *place)
{
    double alpha[KL_LBFGS_PAIRS], rho[KL_LBFGS_PAIRS],
        *d = kl_pulse_vector(job, KL_PULSE_D),
        scale = 1 / (sqrt(kl_pulse_product(job, KL_PULSE_D, KL_PULSE_D)) + 1e-300);
    bool open = true;
    for (int k = 0; k < KL_LBFGS_PAIRS; k++) {
        const int p = (place->newest - k + KL_LBFGS_PAIRS) % KL_LBFGS_PAIRS;
        rho[k] = 0;
        if (!(place->rho[p] > 0)) continue;
        const double sy = kl_pulse_product(job, KL_PULSE_S + p, KL_PULSE_Y + p),
                     yy = kl_pulse_product(job, KL_PULSE_Y + p, KL_PULSE_Y + p);
        if (!(sy > fmax(1e-14 * yy, 1e-280))) continue;
        rho[k] = 1 / sy;
        alpha[k] = rho[k] * kl_pulse_product(job, KL_PULSE_S + p, KL_PULSE_D);
        kl_pulse_subtract(job, KL_PULSE_Y + p, alpha[k]);
        if (open) scale = 1 / (rho[k] * yy + 1e-300);
        open = false;
    }
    KL_PULSE_EACH(i) d[i] *= scale;
    for (int k = KL_LBFGS_PAIRS - 1; k >= 0; k--) {
        const int p = (place->newest - k + KL_LBFGS_PAIRS) % KL_LBFGS_PAIRS;
        if (!(rho[k] > 0)) continue;
        const double beta = rho[k] * kl_pulse_product(job, KL_PULSE_Y + p, KL_PULSE_D);
        kl_pulse_subtract(job, KL_PULSE_S + p, beta - alpha[k]);
    }
}

/* What is not held at a bound at the start's point; the size of the gradient there. */
KL_GPU double kl_pulse_free(const kl_pulse_job &job)
{
    const double *x = kl_pulse_vector(job, KL_PULSE_X), *g = kl_pulse_vector(job, KL_PULSE_G),
                 *low = job.problem.low, *high = job.problem.high;
    double *free = kl_pulse_vector(job, KL_PULSE_FREE), most = 0;
    KL_PULSE_EACH(i)
    {
        const bool held = (x[i] <= low[i] && g[i] > 0) || (x[i] >= high[i] && g[i] < 0);
        free[i] = held ? 0 : 1;
        most = fmax(most, fabs(free[i] * g[i]));
    }
    return kl_warp_most(most);
}

/* The direction there. */
KL_GPU void kl_pulse_direction(const kl_pulse_job &job, const kl_pulse_place *place)
{
    const double *g = kl_pulse_vector(job, KL_PULSE_G), *free = kl_pulse_vector(job, KL_PULSE_FREE);
    double *d = kl_pulse_vector(job, KL_PULSE_D), along = 0;
    KL_PULSE_EACH(i) d[i] = free[i] * g[i];
    kl_pulse_recursion(job, place);
    KL_PULSE_EACH(i)
    {
        d[i] = -free[i] * d[i];
        along = fma(g[i], d[i], along);
    }
    if (!(kl_warp_sum(along) < 0)) KL_PULSE_EACH(i) d[i] = -free[i] * g[i];
}

/* The trial, within the bounds; what the gradient says that it brings. */
KL_GPU double kl_pulse_trial(const kl_pulse_job &job, double step)
{
    const double *x = kl_pulse_vector(job, KL_PULSE_X), *g = kl_pulse_vector(job, KL_PULSE_G),
                 *d = kl_pulse_vector(job, KL_PULSE_D);
    double *next = kl_pulse_vector(job, KL_PULSE_NEXT_X), gain = 0;
    KL_PULSE_EACH(i)
    {
        next[i] = fmin(fmax(fma(step, d[i], x[i]), job.problem.low[i]), job.problem.high[i]);
        gain = fma(g[i], next[i] - x[i], gain);
    }
    return kl_warp_sum(gain);
}

/* accept: as kl_lbfgs_update_fn has it. */
KL_GPU void kl_pulse_update(const kl_pulse_job &job, kl_pulse_place *place, double accept)
{
    const int p = (place->newest + 1) % KL_LBFGS_PAIRS;
    double *x = kl_pulse_vector(job, KL_PULSE_X), *g = kl_pulse_vector(job, KL_PULSE_G),
           *s = kl_pulse_vector(job, KL_PULSE_S + p), *y = kl_pulse_vector(job, KL_PULSE_Y + p), sy = 0,
           yy = 0;
    const double *next = kl_pulse_vector(job, KL_PULSE_NEXT_X),
                 *next_g = kl_pulse_vector(job, KL_PULSE_NEXT_G);
    if (accept > 0) KL_PULSE_EACH(i)
        {
            s[i] = next[i] - x[i], y[i] = next_g[i] - g[i];
            x[i] = next[i], g[i] = next_g[i];
            sy = fma(s[i], y[i], sy), yy = fma(y[i], y[i], yy);
        }
    sy = kl_warp_sum(sy), yy = kl_warp_sum(yy);
    const bool curved = accept == KL_LBFGS_ACCEPT && sy > fmax(1e-14 * yy, 1e-280),
               kept = accept == KL_LBFGS_ACCEPT || accept == KL_LBFGS_STAY;
    __syncwarp();
    if (kl_lane_number() == 0) {
        for (int k = 0; k < KL_LBFGS_PAIRS && !kept; k++) place->rho[k] = 0;
        place->rho[p] = curved ? 1 / (sy + 1e-300) : 0;
        place->newest = p;
    }
}

/* ---- starts ---- */
/* Of the block's start, which stops: its result. */
KL_GPU void kl_pulse_finish(const kl_pulse_job &job, kl_pulse_place *place, double loss, int iterations,
                            int evaluations, int stop)
{
    const int start = place->held - 1;
    const double *x = kl_pulse_vector(job, KL_PULSE_X), *g = kl_pulse_vector(job, KL_PULSE_G);
    KL_PULSE_EACH(i)
    {
        job.points[(size_t)start * (size_t)job.n + (size_t)i] = x[i];
        job.gradients[(size_t)start * (size_t)job.n + (size_t)i] = g[i];
    }
    __syncwarp();
    if (kl_lane_number() == 0) {
        const struct kl_cuda_pulse_result result = { loss, iterations, evaluations, stop };
        job.results[start] = result;
        place->held = 0;
        atomicAdd(job.done, 1u);
    }
    __syncwarp();
}

/* The next start, if there is one: its first point is the trial. */
KL_GPU void kl_pulse_next(const kl_pulse_job &job, kl_pulse_place *place)
{
    __syncwarp();
    if (kl_lane_number() == 0) {
        const uint32_t next = atomicAdd(job.next, 1u);
        place->held = next < (uint32_t)job.n_starts ? (int32_t)next + 1 : 0;
    }
    __syncwarp();
    if (!place->held) return;
    const double *from = job.points + (size_t)(place->held - 1) * (size_t)job.n;
    double *to = kl_pulse_vector(job, KL_PULSE_NEXT_X);
    KL_PULSE_EACH(i) to[i] = from[i];
}

/* The first warp finds the point that the block tries, of its start or the next one. */
KL_GPU void kl_pulse_propose(const kl_pulse_job &job)
{
    kl_pulse_place *place = &job.place[blockIdx.x];
    struct kl_descent d = place->d;
    double gain = 0;
    if (place->held) {
        const int stop = kl_descent_judge(&d, &job.problem.rules, kl_pulse_free(job));
        if (stop != KL_DESCENT_RUNS) kl_pulse_finish(job, place, d.f, d.iterations, d.evaluations, stop);
    }
    if (place->held) {
        kl_pulse_direction(job, place);
        gain = kl_pulse_trial(job, d.step);
    } else {
        kl_pulse_next(job, place);
        d = {};
        d.fresh = d.without_pairs = 1;
    }
    __syncwarp();
    if (kl_lane_number() == 0) place->d = d, place->gain = gain;
}

/* The first warp takes the trial, or not. */
KL_GPU void kl_pulse_decide(const kl_pulse_job &job)
{
    kl_pulse_place *place = &job.place[blockIdx.x];
    struct kl_descent d = place->d;
    double accept;
    const int stop = kl_descent_take(&d, &accept, place->f, place->gain);
    if (stop != KL_DESCENT_RUNS) kl_pulse_finish(job, place, d.f, d.iterations, d.evaluations, stop);
    kl_pulse_update(job, place, accept);
    if (kl_lane_number() == 0) place->d = d;
    __syncwarp();
}

static __global__ void __launch_bounds__(KL_PULSE_WARPS *KL_WARP, KL_PULSE_BLOCKS_OF_SEARCH)
    kl_pulse_trials(const __grid_constant__ struct kl_pulse_job job)
{
    for (int t = 0; t < job.trials; t++) {
        if (kl_warp() == 0) kl_pulse_propose(job);
        __syncthreads();
        if (!job.place[blockIdx.x].held) return;
        kl_pulse_evaluate<double>(job);
        if (kl_warp() == 0) kl_pulse_decide(job);
    }
}

#endif
