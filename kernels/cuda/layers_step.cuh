/* SPDX-License-Identifier: MIT
   Steps of chains whose weights lie in the GPU's memory, all chains in each launch: a thread has four
   weights, those whose normals one block of Philox makes; a block 1024, whose sums it leaves. */
#ifndef KL_CUDA_LAYERS_STEP_CUH
#define KL_CUDA_LAYERS_STEP_CUH

#include "kernels/cuda/layers.cuh"

enum { KL_LAYERS_WEIGHTS = 4 * KL_LAYERS_THREADS };

/* Of a chain's launch. */
struct kl_layers_step {
    const kl_layers_job &job;
    const kl_layers_now &now;
    const kl_cuda_chain &chain;
    const kl_cuda_chain_span &span;
    size_t first; /* of the chain's weights */
};
KL_GPU kl_layers_step kl_layers_of(const kl_layers_call &call)
{
    const kl_layers_job &job = call.job;
    const kl_layers_now &now = call.now[blockIdx.y];
    return { job, now, job.chains[blockIdx.y], job.spans[now.span],
             (size_t)blockIdx.y * (size_t)job.size };
}

/* Which tensor has weight e: layer by layer weights and biases. */
KL_GPU int kl_layers_tensor(const kl_layers_job &job, int e)
{
    int tensor = 0;
    for (int l = 0; l < job.n_layers; l++)
        tensor += (l > 0 && e >= job.weights[l]) + (e >= job.biases[l]);
    return tensor;
}

/* use(weight, its place in the arrays of all chains, tensor, normal) of the thread's four. */
template <class F>
KL_GPU void kl_layers_weights_of(const kl_layers_step &s, bool noisy, uint32_t purpose, uint64_t number,
                                 F use)
{
    const int block = (int)(blockIdx.x * KL_LAYERS_THREADS + threadIdx.x),
              first = block / 8 * 32 + block % 8 * 2;
    float normal[2][2] = {};
    if (noisy) {
        uint32_t words[4];
        kl_philox(words, s.chain.key, (uint32_t)block, purpose, (uint32_t)number,
                  (uint32_t)(number >> 32));
        for (int pair = 0; pair < 2; pair++)
            kl_box_muller(&normal[0][pair], &normal[1][pair], words[2 * pair], words[2 * pair + 1]);
    }
#pragma unroll
    for (int half = 0; half < 2; half++)
#pragma unroll
        for (int pair = 0; pair < 2; pair++) {
            const int e = first + 16 * half + pair;
            if (e < s.job.size)
                use(e, s.first + (size_t)e, kl_layers_tensor(s.job, e), normal[half][pair]);
        }
}

/* The block's part of a sum. */
KL_GPU void kl_layers_part(const kl_layers_step &s, int which, double value)
{
    const double sum = kl_layers_sum(value);
    const size_t at = (size_t)blockIdx.y * (size_t)s.job.blocks + blockIdx.x;
    if (threadIdx.x == 0) s.job.partial[at * KL_LAYERS_PARTS + (size_t)which] = sum;
}
/* All parts' sum; by the block of a chain. */
KL_GPU double kl_layers_total(const kl_layers_job &job, int chain, int which)
{
    double sum = 0;
    for (int i = (int)threadIdx.x; i < job.blocks; i += KL_LAYERS_THREADS)
        sum += job.partial[((size_t)chain * (size_t)job.blocks + (size_t)i) * KL_LAYERS_PARTS +
                           (size_t)which];
    return kl_layers_sum(sum);
}

/* ---- sgld, psgld ---- */

static __global__ void __launch_bounds__(KL_LAYERS_THREADS)
    kl_layers_euler(const __grid_constant__ kl_layers_call call)
{
    const kl_layers_step s = kl_layers_of(call);
    const bool rms = s.job.shape.sampler == KL_CUDA_PSGLD;
    double prior = 0, along = 0;
    if (!s.now.count) return;
    kl_layers_weights_of(
        s, s.span.factors[0].spread != 0, KL_RANDOM_LANGEVIN, s.now.number,
        [&](int, size_t at, int tensor, float normal) {
            float &w = s.job.w[at];
            const float g = s.job.gradient[at];
            const double precision = s.chain.precision[tensor];
            prior += precision * (double)w * (double)w, along += (double)w * (double)g;
            if (rms)
                kl_scaled(&w, &s.job.v[at], g,
                          kl_scaled_factors(s.job.shape, s.span, precision, s.now.number), normal);
            else w = kl_moved(w, g, s.span.factors[tensor], normal);
        });
    kl_layers_part(s, KL_LAYERS_PRIOR, prior), kl_layers_part(s, KL_LAYERS_ALONG, along);
}

/* ---- sghmc, sgnht ---- */

static __global__ void __launch_bounds__(KL_LAYERS_THREADS)
    kl_layers_kick(const __grid_constant__ kl_layers_call call)
{
    const kl_layers_step s = kl_layers_of(call);
    double prior = 0, along = 0, heat = 0;
    if (!s.now.count) return;
    kl_layers_weights_of(s, false, 0, 0, [&](int, size_t at, int tensor, float) {
        float &w = s.job.w[at], &v = s.job.v[at];
        const float g = s.job.gradient[at];
        const double precision = s.chain.precision[tensor];
        prior += precision * (double)w * (double)w, along += (double)w * (double)g;
        kl_push(&w, &v, g, kl_kick_factors(s.span, precision), 0);
        heat += (double)v * (double)v;
    });
    kl_layers_part(s, KL_LAYERS_PRIOR, prior), kl_layers_part(s, KL_LAYERS_ALONG, along);
    kl_layers_part(s, KL_LAYERS_OTHER, heat);
}
static __global__ void __launch_bounds__(KL_LAYERS_THREADS)
    kl_layers_rest(const __grid_constant__ kl_layers_call call)
{
    const kl_layers_step s = kl_layers_of(call);
    double heat = 0;
    if (!s.now.count) return;
    const kl_langevin_momentum f = kl_rest_factors(s.job.shape, s.span, s.chain.thermostat);
    kl_layers_weights_of(s, true, KL_RANDOM_LANGEVIN, s.now.number,
                         [&](int, size_t at, int, float normal) {
                             float &v = s.job.v[at];
                             kl_push(&s.job.w[at], &v, s.job.gradient[at], f, normal);
                             heat += (double)v * (double)v;
                         });
    kl_layers_part(s, KL_LAYERS_OTHER, heat);
}
/* A block a chain: how far the momenta's mean square is from 1 moves the thermostat. */
static __global__ void __launch_bounds__(KL_LAYERS_THREADS)
    kl_layers_heat(const __grid_constant__ kl_layers_call call)
{
    const kl_layers_job &job = call.job;
    const kl_layers_now &now = call.now[blockIdx.x];
    if (!now.count) return;
    const double heat = kl_layers_total(job, (int)blockIdx.x, KL_LAYERS_OTHER) / job.size - 1;
    if (threadIdx.x == 0) job.chains[blockIdx.x].thermostat += job.spans[now.span].eta / 2 * heat;
}

/* ---- mala, hmc ---- */

static __global__ void __launch_bounds__(KL_LAYERS_THREADS)
    kl_layers_propose(const __grid_constant__ kl_layers_call call)
{
    const kl_layers_step s = kl_layers_of(call);
    if (!s.now.count) return;
    kl_layers_weights_of(
        s, true, KL_RANDOM_LANGEVIN, s.now.number, [&](int, size_t at, int tensor, float normal) {
            s.job.fresh[at] = kl_moved(s.job.w[at], s.job.gradient[at], s.span.factors[tensor], normal);
        });
}
/* New momenta, and the proposal where its way begins. */
static __global__ void __launch_bounds__(KL_LAYERS_THREADS)
    kl_layers_throw(const __grid_constant__ kl_layers_call call)
{
    const kl_layers_step s = kl_layers_of(call);
    double heat = 0;
    if (!s.now.count) return;
    kl_layers_weights_of(s, true, KL_RANDOM_LANGEVIN, s.now.number,
                         [&](int, size_t at, int, float normal) {
                             s.job.v[at] = normal, s.job.fresh[at] = s.job.w[at];
                             s.job.fresh_gradient[at] = s.job.gradient[at];
                             heat += (double)normal * (double)normal;
                         });
    kl_layers_part(s, KL_LAYERS_BEFORE, heat);
}
/* Kick and drift of leapfrog `layer`, by the gradient there; the last one is half a kick. Chains whose
   way is shorter stand still: their gradient stays the same. */
static __global__ void __launch_bounds__(KL_LAYERS_THREADS)
    kl_layers_leap(const __grid_constant__ kl_layers_call call)
{
    const kl_layers_step s = kl_layers_of(call);
    if (!s.now.count) return;
    const int i = call.layer, last = kl_leapfrogs(s.job.shape, s.chain.key, s.now.number);
    if (i > last) return;
    const double h = sqrt(s.span.eta), rate = i == 0 || i == last ? h / 2 : h, move = i == last ? 0 : h;
    kl_layers_weights_of(s, false, 0, 0, [&](int, size_t at, int tensor, float) {
        kl_leap(&s.job.fresh[at], &s.job.v[at], s.job.fresh_gradient[at],
                s.job.scaled ? &s.job.scale[at] : NULL, rate, move, s.span.beta,
                s.chain.precision[tensor]);
    });
}
static __global__ void __launch_bounds__(KL_LAYERS_THREADS)
    kl_layers_weigh(const __grid_constant__ kl_layers_call call)
{
    const kl_layers_step s = kl_layers_of(call);
    const bool hmc = s.job.shape.sampler == KL_CUDA_HMC;
    double sum[KL_LAYERS_BEFORE] = {};
    if (!s.now.count) return;
    kl_layers_weights_of(s, false, 0, 0, [&](int, size_t at, int tensor, float) {
        const float w = s.job.w[at], g = s.job.gradient[at], to = s.job.fresh[at],
                    g_to = s.job.fresh_gradient[at];
        const double precision = s.chain.precision[tensor];
        sum[KL_LAYERS_PRIOR] += precision * (double)w * (double)w;
        sum[KL_LAYERS_ALONG] += (double)w * (double)g;
        sum[KL_LAYERS_FRESH_PRIOR] += precision * (double)to * (double)to;
        sum[KL_LAYERS_FRESH_ALONG] += (double)to * (double)g_to;
        sum[KL_LAYERS_OTHER] += hmc ? (precision * ((double)w * (double)w - (double)to * (double)to) -
                                       (double)s.job.v[at] * (double)s.job.v[at]) /
                                          2
                                    : kl_log_alpha(w, g, to, g_to, s.span.factors[tensor], precision);
    });
    for (int which = 0; which < KL_LAYERS_BEFORE; which++) kl_layers_part(s, which, sum[which]);
}
static __global__ void __launch_bounds__(KL_LAYERS_THREADS)
    kl_layers_take(const __grid_constant__ kl_layers_call call)
{
    const kl_layers_step s = kl_layers_of(call);
    if (!s.now.count || !s.job.accepted[blockIdx.y]) return;
    kl_layers_weights_of(s, false, 0, 0, [&](int, size_t at, int, float) {
        s.job.w[at] = s.job.fresh[at], s.job.gradient[at] = s.job.fresh_gradient[at];
    });
}

/* ---- what is told ---- */

/* A block a chain: a step's outcome, and whether a proposal is taken. */
static __global__ void __launch_bounds__(KL_LAYERS_THREADS)
    kl_layers_tell(const __grid_constant__ kl_layers_call call)
{
    const kl_layers_job &job = call.job;
    const int chain = (int)blockIdx.x;
    const kl_layers_now &now = call.now[chain];
    if (!now.count) return;
    const bool hmc = job.shape.sampler == KL_CUDA_HMC, takes = hmc || job.shape.sampler == KL_CUDA_MALA;
    const double beta = job.spans[now.span].beta;
    bool taken = false;
    kl_cuda_chain_outcome out = { 0, 0, 0, 0, 1 };
    if (takes) {
        const double apart = job.sums[chain].loss - job.fresh_sums[chain].loss,
                     before = hmc ? kl_layers_total(job, chain, KL_LAYERS_BEFORE) / 2 : 0,
                     log_alpha = kl_layers_total(job, chain, KL_LAYERS_OTHER) + before +
                                 beta * apart / now.count;
        taken = kl_accepts(&out.accept, log_alpha, job.chains[chain].key, now.number);
    }
    const double prior = kl_layers_total(job, chain, taken ? KL_LAYERS_FRESH_PRIOR : KL_LAYERS_PRIOR),
                 along = kl_layers_total(job, chain, taken ? KL_LAYERS_FRESH_ALONG : KL_LAYERS_ALONG);
    if (threadIdx.x > 0) return;
    if (taken) job.sums[chain] = job.fresh_sums[chain];
    if (takes) job.accepted[chain] = taken;
    out.loss = job.sums[chain].loss, out.wrong = job.sums[chain].wrong;
    out.radius = prior / job.size, out.virial = (beta * along + prior) / job.size;
    job.outcomes[now.outcome] = out;
}

/* w = sigma N, and its norm. */
static __global__ void __launch_bounds__(KL_LAYERS_THREADS)
    kl_layers_draw(const __grid_constant__ kl_layers_call call)
{
    const kl_layers_step s = kl_layers_of(call);
    double prior = 0;
    if (!s.now.count) return;
    kl_layers_weights_of(s, true, KL_RANDOM_PRIOR_DRAWS, s.now.number,
                         [&](int, size_t at, int tensor, float normal) {
                             const float w = normal * (float)s.chain.sigma[tensor];
                             s.job.w[at] = w;
                             prior += s.chain.precision[tensor] * (double)w * (double)w;
                         });
    kl_layers_part(s, KL_LAYERS_PRIOR, prior);
}

/* A block a chain: sums over the records of a state, and the radius of one that was drawn. */
static __global__ void __launch_bounds__(KL_LAYERS_THREADS)
    kl_layers_tell_state(const __grid_constant__ kl_layers_call call)
{
    const kl_layers_job &job = call.job;
    const int chain = (int)blockIdx.x;
    const kl_layers_now &now = call.now[chain];
    if (!now.count) return;
    const bool drawn = job.spans[now.span].judge & KL_CUDA_PRIOR;
    const double prior = drawn ? kl_layers_total(job, chain, KL_LAYERS_PRIOR) : 0;
    if (threadIdx.x > 0) return;
    kl_cuda_chain_judged *to = &job.judged[now.span];
    to->loss[now.test] = job.fresh_sums[chain].loss, to->wrong[now.test] = job.fresh_sums[chain].wrong;
    to->count[now.test] = now.count;
    if (drawn) to->virial = to->radius = prior / job.size;
}

#endif
