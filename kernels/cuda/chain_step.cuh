/* SPDX-License-Identifier: MIT
   Steps of a chain in a block, as lib/sampling/chain/walker.c takes them, and the launch that goes
   through a chain's spans. */
#ifndef KL_CUDA_CHAIN_STEP_CUH
#define KL_CUDA_CHAIN_STEP_CUH

#include "kernels/cuda/chain.cuh"

/* What a chain is between two steps; known: the gradient of w, and its sums. */
template <int D> struct kl_chain_state {
    kl_chain_numbers<D> w, v, gradient;
    kl_chain_sums sums;
    double thermostat;
    bool known;
};

/* Sum of precision w^2. */
template <int D> KL_GPU double kl_chain_prior(const kl_chain_thread<D> &t, const kl_chain_numbers<D> &w)
{
    double sum = 0;
    kl_chain_each(t, true, [&](int k, int tensor) {
        sum += t.chain.precision[tensor] * (double)w.at[k] * (double)w.at[k];
    });
    return kl_chain_sum(t, sum);
}

/* Normals of step `number` into shared memory, when all threads have read those before. */
template <int D>
KL_GPU const float *kl_chain_noise(const kl_chain_thread<D> &t, uint32_t purpose, uint64_t number)
{
    float *normals = kl_shared + t.job.normals_at;
    __syncthreads();
    kl_normals(normals, t.job.groups,
               { t.chain.key, purpose, (uint32_t)number, (uint32_t)(number >> 32) });
    __syncthreads();
    return normals;
}

template <int D>
KL_GPU void kl_chain_euler(kl_chain_numbers<D> &to, const kl_chain_thread<D> &t,
                           const kl_chain_numbers<D> &from, const kl_chain_numbers<D> &gradient,
                           const kl_cuda_chain_span &span, uint64_t number)
{
    const bool noisy = span.factors[0].spread != 0;
    const float *normals = noisy ? kl_chain_noise(t, KL_RANDOM_LANGEVIN, number) : NULL;
    to = from;
    kl_chain_each(t, false, [&](int k, int tensor) {
        to.at[k] = kl_moved(from.at[k], gradient.at[k], span.factors[tensor],
                            noisy ? normals[kl_chain_element(t, k)] : 0);
    });
}

template <int D>
KL_GPU void kl_chain_psgld(const kl_chain_thread<D> &t, kl_chain_state<D> &s,
                           const kl_cuda_chain_span &span, uint64_t number)
{
    const float *normals = kl_chain_noise(t, KL_RANDOM_LANGEVIN, number);
    kl_chain_each(t, false, [&](int k, int tensor) {
        const double precision = t.chain.precision[tensor];
        kl_scaled(&s.w.at[k], &s.v.at[k], s.gradient.at[k],
                  kl_scaled_factors(t.job.shape, span, precision, number),
                  normals[kl_chain_element(t, k)]);
    });
}

/* How far the momenta's mean square is from 1. */
template <int D> KL_GPU double kl_chain_heat(const kl_chain_thread<D> &t, const kl_chain_state<D> &s)
{
    double sum = 0;
    kl_chain_each(t, true, [&](int k, int) { sum += (double)s.v.at[k] * (double)s.v.at[k]; });
    return kl_chain_sum(t, sum) / t.job.size - 1;
}

template <int D>
KL_GPU void kl_chain_momenta(const kl_chain_thread<D> &t, kl_chain_state<D> &s,
                             const kl_cuda_chain_span &span, uint64_t number)
{
    const bool sgnht = t.job.shape.sampler == KL_CUDA_SGNHT;
    kl_chain_each(t, false, [&](int k, int tensor) {
        kl_push(&s.w.at[k], &s.v.at[k], s.gradient.at[k],
                kl_kick_factors(span, t.chain.precision[tensor]), 0);
    });
    if (sgnht) s.thermostat += span.eta / 2 * kl_chain_heat(t, s);
    const kl_langevin_momentum rest = kl_rest_factors(t.job.shape, span, s.thermostat);
    const float *normals = kl_chain_noise(t, KL_RANDOM_LANGEVIN, number);
    kl_chain_each(t, false, [&](int k, int) {
        kl_push(&s.w.at[k], &s.v.at[k], s.gradient.at[k], rest, normals[kl_chain_element(t, k)]);
    });
    if (sgnht) s.thermostat += span.eta / 2 * kl_chain_heat(t, s);
}

/* The proposal, taken or not; returns the probability that it is. */
template <int D>
KL_GPU double kl_chain_mala(const kl_chain_thread<D> &t, kl_chain_state<D> &s,
                            const kl_cuda_chain_span &span, uint64_t number,
                            const kl_chain_records &records)
{
    kl_chain_numbers<D> fresh, gradient;
    kl_chain_euler(fresh, t, s.w, s.gradient, span, number);
    const kl_chain_sums sums = kl_chain_pass(&gradient, t, fresh, records, 0, records.n);
    double log_alpha = 0, accept;
    kl_chain_each(t, true, [&](int k, int tensor) {
        log_alpha += kl_log_alpha(s.w.at[k], s.gradient.at[k], fresh.at[k], gradient.at[k],
                                  span.factors[tensor], t.chain.precision[tensor]);
    });
    log_alpha = kl_chain_sum(t, log_alpha) + span.beta * (s.sums.loss - sums.loss) / records.n;
    if (kl_accepts(&accept, log_alpha, t.chain.key, number))
        s.w = fresh, s.gradient = gradient, s.sums = sums;
    return accept;
}

template <int D>
KL_GPU double kl_chain_hmc(const kl_chain_thread<D> &t, kl_chain_state<D> &s,
                           const kl_cuda_chain_span &span, uint64_t number,
                           const kl_chain_records &records)
{
    const float *scale = t.job.scaled ? t.job.scale + (size_t)blockIdx.x * (size_t)t.job.size : NULL;
    const int leapfrogs = kl_leapfrogs(t.job.shape, t.chain.key, number);
    const double h = sqrt(span.eta), prior = kl_chain_prior(t, s.w);
    kl_chain_numbers<D> fresh = s.w, gradient = s.gradient;
    kl_chain_sums sums = s.sums;
    const float *normals = kl_chain_noise(t, KL_RANDOM_LANGEVIN, number);
    kl_chain_each(t, false, [&](int k, int) { s.v.at[k] = normals[kl_chain_element(t, k)]; });
    const double before = kl_chain_heat(t, s);
    for (int i = 0; i <= leapfrogs; i++) {
        const double rate = i == 0 || i == leapfrogs ? h / 2 : h, move = i == leapfrogs ? 0 : h;
        kl_chain_each(t, false, [&](int k, int tensor) {
            kl_leap(&fresh.at[k], &s.v.at[k], gradient.at[k], scale ? scale + kl_chain_flat(t, k) : NULL,
                    rate, move, span.beta, t.chain.precision[tensor]);
        });
        if (i < leapfrogs) sums = kl_chain_pass(&gradient, t, fresh, records, 0, records.n);
    }
    const double heat = (before - kl_chain_heat(t, s)) * t.job.size,
                 log_alpha = span.beta * (s.sums.loss - sums.loss) / records.n +
                             (prior - kl_chain_prior(t, fresh) + heat) / 2;
    double accept;
    if (kl_accepts(&accept, log_alpha, t.chain.key, number))
        s.w = fresh, s.gradient = gradient, s.sums = sums;
    return accept;
}

/* Step `number` of the chain, `step` of its epoch. */
template <int D>
KL_GPU kl_cuda_chain_outcome kl_chain_step(const kl_chain_thread<D> &t, kl_chain_state<D> &s,
                                           const kl_cuda_chain_span &span, uint64_t number, int step)
{
    const kl_cuda_chains_shape &shape = t.job.shape;
    const int first = step * (int)shape.batch, left = (int)shape.n[0] - first,
              count = left < (int)shape.batch ? left : (int)shape.batch;
    const bool mala = shape.sampler == KL_CUDA_MALA, accepts = mala || shape.sampler == KL_CUDA_HMC;
    kl_chain_records records = kl_chain_set(t, 0);
    kl_cuda_chain_outcome out = { 0, 0, 0, 0, 1 };
    if (t.job.steps > 1) records.order = t.order;
    if (!accepts || !s.known) s.sums = kl_chain_pass(&s.gradient, t, s.w, records, first, count);
    s.known = true;
    if (accepts)
        out.accept = mala ? kl_chain_mala(t, s, span, number, records)
                          : kl_chain_hmc(t, s, span, number, records);
    out.loss = s.sums.loss, out.wrong = s.sums.wrong;
    if (!shape.fused) {
        out.radius = kl_chain_prior(t, s.w) / t.job.size;
        out.virial = span.beta * s.sums.along / count / t.job.size + out.radius;
    }
    if (shape.sampler == KL_CUDA_SGLD) kl_chain_euler(s.w, t, s.w, s.gradient, span, number);
    else if (shape.sampler == KL_CUDA_PSGLD) kl_chain_psgld(t, s, span, number);
    else if (!accepts) kl_chain_momenta(t, s, span, number);
    return out;
}

/* ---- a chain's way ---- */

/* w = sigma N. */
template <int D>
KL_GPU void kl_chain_draw_prior(const kl_chain_thread<D> &t, kl_chain_numbers<D> &w, uint64_t epoch)
{
    const float *normals = kl_chain_noise(t, KL_RANDOM_PRIOR_DRAWS, epoch);
    kl_chain_each(t, false, [&](int k, int tensor) {
        w.at[k] = normals[kl_chain_flat(t, k)] * (float)t.chain.sigma[tensor];
    });
}

template <int D>
KL_GPU kl_cuda_chain_judged kl_chain_judge(const kl_chain_thread<D> &t, const kl_chain_numbers<D> &w,
                                           int judge)
{
    kl_cuda_chain_judged to = { { 0, 0 }, { 0, 0 }, 0, kl_chain_prior(t, w) / t.job.size, { 0, 0 } };
    for (int which = 0; which < 2; which++) {
        kl_chain_records records = kl_chain_set(t, which);
        int count = records.n;
        if (!(judge & (which ? KL_CUDA_JUDGE_TEST : KL_CUDA_JUDGE_TRAIN))) continue;
        if (judge & KL_CUDA_JUDGE_FIRST) {
            const int some = (which + 1) * (int)t.job.shape.batch;
            if (!which) records.order = t.order;
            count = some < count ? some : count;
        }
        const kl_chain_sums sums = kl_chain_pass<D>(NULL, t, w, records, 0, count);
        to.loss[which] = sums.loss, to.wrong[which] = sums.wrong, to.count[which] = count;
        if (!which) to.virial = t.chain.beta * sums.along / count / t.job.size + to.radius;
    }
    return to;
}

template <int D>
KL_GPU void kl_chain_move(const kl_chain_thread<D> &t, kl_chain_numbers<D> &numbers, float *memory,
                          bool out)
{
    float *from = memory + (size_t)blockIdx.x * (size_t)t.job.size;
    kl_chain_each(t, out, [&](int k, int) {
        float *at = from + kl_chain_flat(t, k);
        if (out) *at = numbers.at[k];
        else numbers.at[k] = *at;
    });
}

/* The records' order is that of an epoch. */
template <int D>
KL_GPU void kl_chain_order(const kl_chain_thread<D> &t, int64_t *ordered, uint64_t epoch)
{
    if (t.job.steps == 1 || *ordered == (int64_t)epoch) return;
    kl_shuffle(t.order, (int32_t *)(void *)t.part, (int)t.job.shape.n[0], t.chain.key, epoch);
    *ordered = (int64_t)epoch;
}

template <int D>
KL_GPU void kl_chain_span(const kl_chain_thread<D> &t, kl_chain_state<D> &s, size_t number,
                          size_t *first_step, int64_t *ordered)
{
    const kl_cuda_chain_span &span = t.job.spans[number];
    const uint64_t steps = (uint64_t)t.job.steps;
    uint64_t epoch = span.first / steps;
    int step = (int)(span.first % steps);
    for (int i = 0; i < span.count; i++) {
        kl_chain_order(t, ordered, epoch);
        const kl_cuda_chain_outcome out = kl_chain_step(t, s, span, span.first + (uint64_t)i, step);
        if (threadIdx.x == 0) t.job.outcomes[*first_step + (size_t)i] = out;
        if (++step == t.job.steps) step = 0, epoch++;
    }
    *first_step += (size_t)span.count;
    if (!span.judge) return;
    if (span.judge & KL_CUDA_JUDGE_FIRST) kl_chain_order(t, ordered, epoch);
    if (span.judge & KL_CUDA_PRIOR) kl_chain_draw_prior(t, s.w, epoch);
    const kl_cuda_chain_judged judged = kl_chain_judge(t, s.w, span.judge);
    if (threadIdx.x == 0) t.job.judged[number] = judged;
}

/* A block a chain. */
template <int D>
static __global__ void __launch_bounds__(KL_CUDA_CHAIN_UNITS)
    kl_chains_go(const __grid_constant__ kl_chain_job job)
{
    kl_cuda_chain &chain = job.chains[blockIdx.x];
    const int warp = kl_warp(), lane = kl_lane_number();
    float *own = kl_shared + job.warps_at + warp * job.per_warp;
    const kl_chain_thread<D> t = { job,
                                   chain,
                                   (int)threadIdx.x,
                                   warp,
                                   lane,
                                   threadIdx.x < job.shape.net.units,
                                   own,
                                   own + KL_CHAIN_CHUNK * D,
                                   own + KL_CHAIN_CHUNK * (D + 1),
                                   kl_shared + job.sums_at + 2 * KL_CUDA_CHAIN_UNITS / 32,
                                   job.order ? job.order + (size_t)blockIdx.x * job.shape.n[0]
                                             : (int32_t *)(void *)(kl_shared + job.order_at) };
    kl_chain_state<D> s = {};
    size_t step = chain.first_step;
    int64_t ordered = -1;
    s.thermostat = chain.thermostat;
    kl_chain_move(t, s.w, job.w, false);
    if (job.v) kl_chain_move(t, s.v, job.v, false);
    for (int i = 0; i < chain.n_spans; i++)
        kl_chain_span(t, s, chain.first_span + (size_t)i, &step, &ordered);
    kl_chain_move(t, s.w, job.w, true);
    if (job.v) kl_chain_move(t, s.v, job.v, true);
    if (threadIdx.x == 0) chain.thermostat = s.thermostat;
}

#endif
