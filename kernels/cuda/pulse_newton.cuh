/* SPDX-License-Identifier: MIT
   Searches by Newton's method, a block a start: its first warp does what lib/control/pulse/newton.c does
   to a lane. In a launch's round a block either tries a point or takes one step of its conjugate
   gradients; one evaluation serves both. */
#ifndef KL_CUDA_PULSE_NEWTON_CUH
#define KL_CUDA_PULSE_NEWTON_CUH

#include "kernels/cuda/pulse_search.cuh"

/* The step as it is becomes the next trial. */
KL_GPU void kl_pulse_try_step(const kl_pulse_job &job, struct kl_trust *t)
{
    const double *x = kl_pulse_vector(job, KL_PULSE_X), *g = kl_pulse_vector(job, KL_PULSE_G),
                 *p = kl_pulse_vector(job, KL_PULSE_P), *hp = kl_pulse_vector(job, KL_PULSE_HP);
    double *at = kl_pulse_vector(job, KL_PULSE_NEXT_X), *d = kl_pulse_vector(job, KL_PULSE_D), along = 0,
           curved = 0;
    KL_PULSE_EACH(i)
    {
        along = fma(g[i], p[i], along), curved = fma(p[i], hp[i], curved);
        at[i] = fmin(fmax(x[i] + p[i], job.problem.low[i]), job.problem.high[i]);
        d[i] = 0;
    }
    t->gain = kl_warp_sum(along) + kl_warp_sum(curved) / 2, t->inner = 0;
}

/* At a new point, or with a smaller radius: conjugate gradients begin. */
KL_GPU void kl_pulse_begin_inner(const kl_pulse_job &job, struct kl_trust *t)
{
    const double *x = kl_pulse_vector(job, KL_PULSE_X), *free = kl_pulse_vector(job, KL_PULSE_FREE),
                 *g = kl_pulse_vector(job, KL_PULSE_G);
    double *p = kl_pulse_vector(job, KL_PULSE_P), *hp = kl_pulse_vector(job, KL_PULSE_HP),
           *r = kl_pulse_vector(job, KL_PULSE_R), *d = kl_pulse_vector(job, KL_PULSE_D),
           *at = kl_pulse_vector(job, KL_PULSE_NEXT_X), rr = 0;
    KL_PULSE_EACH(i)
    {
        r[i] = free[i] * g[i], p[i] = hp[i] = 0, d[i] = -r[i], at[i] = x[i];
        rr = fma(r[i], r[i], rr);
    }
    t->rr = t->rr_begin = kl_warp_sum(rr), t->pp = 0, t->steps = 0, t->inner = 1;
}

KL_GPU void kl_pulse_inner_step(const kl_pulse_job &job, struct kl_trust *t)
{
    const double *free = kl_pulse_vector(job, KL_PULSE_FREE);
    double *p = kl_pulse_vector(job, KL_PULSE_P), *hp = kl_pulse_vector(job, KL_PULSE_HP),
           *r = kl_pulse_vector(job, KL_PULSE_R), *d = kl_pulse_vector(job, KL_PULSE_D),
           *hd = kl_pulse_vector(job, KL_PULSE_HD), dhd = 0, pd = 0, dd = 0, pp = 0, rr = 0;
    int leaves;
    KL_PULSE_EACH(i)
    {
        hd[i] *= free[i];
        dhd = fma(d[i], hd[i], dhd), pd = fma(p[i], d[i], pd), dd = fma(d[i], d[i], dd);
    }
    dhd = kl_warp_sum(dhd), pd = kl_warp_sum(pd), dd = kl_warp_sum(dd);
    const double alpha = kl_trust_along(t, &leaves, dhd, pd, dd);
    KL_PULSE_EACH(i)
    {
        p[i] = fma(alpha, d[i], p[i]), hp[i] = fma(alpha, hd[i], hp[i]), r[i] = fma(alpha, hd[i], r[i]);
        pp = fma(p[i], p[i], pp), rr = fma(r[i], r[i], rr);
    }
    t->evaluations++, t->pp = kl_warp_sum(pp), rr = kl_warp_sum(rr);
    if (leaves || kl_trust_enough(t, rr)) {
        kl_pulse_try_step(job, t);
        return;
    }
    const double beta = rr / t->rr;
    KL_PULSE_EACH(i) d[i] = fma(beta, d[i], -r[i]);
    t->rr = rr;
}

/* The trial has the loss f; how the start goes on. */
KL_GPU int kl_pulse_take_trial(const kl_pulse_job &job, struct kl_trust *t, double f)
{
    double *x = kl_pulse_vector(job, KL_PULSE_X), *g = kl_pulse_vector(job, KL_PULSE_G);
    const double *at = kl_pulse_vector(job, KL_PULSE_NEXT_X),
                 *next_g = kl_pulse_vector(job, KL_PULSE_NEXT_G);
    if (!kl_trust_take(t, f, job.n))
        return kl_trust_gives_up(t) ? KL_DESCENT_NO_DESCENT : KL_DESCENT_RUNS;
    KL_PULSE_EACH(i) x[i] = at[i], g[i] = next_g[i];
    return kl_trust_judge(t, &job.problem.rules, kl_pulse_free(job));
}

/* The first warp, after an evaluation. */
KL_GPU void kl_pulse_newton(const kl_pulse_job &job)
{
    kl_pulse_place *place = &job.place[blockIdx.x];
    struct kl_trust t = place->t;
    if (t.inner) kl_pulse_inner_step(job, &t);
    else {
        const int stop = kl_pulse_take_trial(job, &t, place->f);
        if (stop != KL_DESCENT_RUNS) kl_pulse_finish(job, place, t.f, t.iterations, t.evaluations, stop);
        else kl_pulse_begin_inner(job, &t);
    }
    __syncwarp();
    if (kl_lane_number() == 0) place->t = t;
}

/* If the block has no start, its first warp takes the next. */
KL_GPU void kl_pulse_refill(const kl_pulse_job &job)
{
    kl_pulse_place *place = &job.place[blockIdx.x];
    double *d = kl_pulse_vector(job, KL_PULSE_D);
    if (place->held) return;
    kl_pulse_next(job, place);
    KL_PULSE_EACH(i) d[i] = 0;
    if (kl_lane_number() == 0) {
        place->t = {};
        place->t.fresh = 1;
    }
}

static __global__ void __launch_bounds__(KL_PULSE_WARPS *KL_WARP, KL_PULSE_BLOCKS_OF_SEARCH)
    kl_pulse_newton_trials(const __grid_constant__ struct kl_pulse_job job)
{
    for (int t = 0; t < job.trials; t++) {
        if (kl_warp() == 0) kl_pulse_refill(job);
        __syncthreads();
        if (!job.place[blockIdx.x].held) return;
        kl_pulse_evaluate<kl_pulse_dual<double>>(job);
        if (kl_warp() == 0) kl_pulse_newton(job);
    }
}

#endif
