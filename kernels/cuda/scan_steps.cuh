/* SPDX-License-Identifier: MIT
   The selective scan itself (kernels/scan.h), forward and back. A thread has eight states of a channel
   of a pair, in one direction, in registers, and goes through time; more states and the other direction
   are parts of their own, which others add. Forward keeps the states at every eighth step; back takes
   the eight steps between again. */
#ifndef KL_CUDA_SCAN_STEPS_CUH
#define KL_CUDA_SCAN_STEPS_CUH

#include "kernels/cuda/scan.cuh"

/* A block: channels of a part of a pair. */
struct kl_scan_part {
    size_t pair;
    int channel, way, first, n, number; /* states [first, first + n) */
    float rate[KL_SCAN_STATES];
    bool there; /* the channel is */
};
KL_GPU kl_scan_part kl_scan_part_of(const kl_scan_pass &p)
{
    kl_scan_part k;
    k.pair = blockIdx.x, k.number = (int)blockIdx.z;
    k.channel = (int)(blockIdx.y * KL_SCAN_CHANNELS + threadIdx.x);
    k.way = k.number / p.groups, k.first = k.number % p.groups * KL_SCAN_STATES;
    k.n = p.shape.states - k.first < KL_SCAN_STATES ? p.shape.states - k.first : KL_SCAN_STATES;
    k.there = k.channel < p.inner;
    const float *rates = kl_scan_given(p, k.pair) + p.block + p.at.rates;
#pragma unroll
    for (int i = 0; i < KL_SCAN_STATES; i++)
        k.rate[i] =
            k.there && i < k.n ? rates[(size_t)(k.first + i) * (size_t)p.inner + (size_t)k.channel] : 0;
    return k;
}
/* Step i in the part's order: a row of the pair. */
KL_GPU size_t kl_scan_row(const kl_scan_pass &p, const kl_scan_part &k, int i)
{
    return k.pair * (size_t)p.steps + (size_t)(k.way ? p.steps - 1 - i : i);
}
/* The same in (pairs, parts, steps, inner). */
KL_GPU size_t kl_scan_part_place(const kl_scan_pass &p, const kl_scan_part &k, int i)
{
    const size_t parts = (size_t)(p.directions * p.groups), t = (size_t)(k.way ? p.steps - 1 - i : i);
    return ((k.pair * parts + (size_t)k.number) * (size_t)p.steps + t) * (size_t)p.inner +
           (size_t)k.channel;
}
/* State i of the channel before chunk c. */
KL_GPU float *kl_scan_kept(const kl_scan_pass &p, const kl_scan_part &k, int c, int i)
{
    const size_t chunk = (k.pair * (size_t)p.directions + (size_t)k.way) * (size_t)p.chunks + (size_t)c;
    return p.kept + (chunk * (size_t)p.shape.states + (size_t)(k.first + i)) * (size_t)p.inner +
           (size_t)k.channel;
}

/* B and C of a chunk's steps into the block's memory: (8, 2, 8), 0 where there are none. */
KL_GPU void kl_scan_stage(const kl_scan_pass &p, const kl_scan_part &k, int c)
{
    __syncthreads();
    for (int e = (int)threadIdx.x; e < KL_SCAN_CHUNK * KL_SCAN_PAIR; e += KL_SCAN_CHANNELS) {
        const int step = c * KL_SCAN_CHUNK + e / KL_SCAN_PAIR, s = e % KL_SCAN_STATES,
                  column = (e % KL_SCAN_PAIR < KL_SCAN_STATES ? p.b : p.c) + k.first + s;
        kl_shared[e] = step < p.steps && s < k.n
                           ? p.bc[kl_scan_row(p, k, step) * (size_t)p.ld_bc + (size_t)column]
                           : 0;
    }
    __syncthreads();
}
/* Eight numbers at once. */
KL_GPU void kl_scan_eight(float (&to)[KL_SCAN_STATES], const float *from)
{
    const float4 a = *(const float4 *)(const void *)from, b = *(const float4 *)(const void *)(from + 4);
    to[0] = a.x, to[1] = a.y, to[2] = a.z, to[3] = a.w;
    to[4] = b.x, to[5] = b.y, to[6] = b.z, to[7] = b.w;
}

template <int RULE> KL_GPU float kl_scan_decay(float dt, float rate)
{
    return RULE == KL_SCAN_EULER ? fmaf(dt, rate, 1) : exp2f(dt * rate);
}
template <int RULE> KL_GPU float kl_scan_entering(float dt, float u)
{
    return RULE == KL_SCAN_MAMBA ? dt * u : u;
}

/* Blocks of (pairs, channels, parts). */
template <int RULE>
static __global__ void __launch_bounds__(KL_SCAN_CHANNELS)
    kl_scan_steps(const __grid_constant__ kl_scan_pass p)
{
    const kl_scan_part k = kl_scan_part_of(p);
    float h[KL_SCAN_STATES] = {};
    for (int c = 0; c < p.chunks; c++) {
        const int left = p.steps - c * KL_SCAN_CHUNK, n = left < KL_SCAN_CHUNK ? left : KL_SCAN_CHUNK;
        kl_scan_stage(p, k, c);
        if (!k.there) continue;
#pragma unroll
        for (int i = 0; i < KL_SCAN_STATES; i++)
            if (i < k.n) *kl_scan_kept(p, k, c, i) = h[i];
        for (int t = 0; t < n; t++) {
            const size_t at =
                kl_scan_row(p, k, c * KL_SCAN_CHUNK + t) * (size_t)p.inner + (size_t)k.channel;
            const float dt = p.dt[at], w = kl_scan_entering<RULE>(dt, p.conv[at]);
            float of_b[KL_SCAN_STATES], of_c[KL_SCAN_STATES], y = 0;
            kl_scan_eight(of_b, kl_shared + t * KL_SCAN_PAIR);
            kl_scan_eight(of_c, kl_shared + t * KL_SCAN_PAIR + KL_SCAN_STATES);
#pragma unroll
            for (int i = 0; i < KL_SCAN_STATES; i++) {
                h[i] = fmaf(kl_scan_decay<RULE>(dt, k.rate[i]), h[i], w * of_b[i]);
                y = fmaf(h[i], of_c[i], y);
            }
            p.parts[kl_scan_part_place(p, k, c * KL_SCAN_CHUNK + t)] = y;
        }
    }
}

/* v[i] of all lanes of a warp are added; lane 4 i has the sum. */
KL_GPU float kl_scan_sum_eight(float (&v)[KL_SCAN_STATES])
{
    const int lane = kl_lane_number();
#pragma unroll
    for (int half = KL_SCAN_STATES / 2, bit = KL_WARP / 2; half > 0; half /= 2, bit /= 2)
#pragma unroll
        for (int i = 0; i < half; i++) {
            const bool upper = lane & bit;
            const float sent = upper ? v[i] : v[i + half], own = upper ? v[i + half] : v[i];
            v[i] = own + kl_from(sent, (uint32_t)bit);
        }
    float sum = v[0];
    sum += kl_from(sum, 2);
    return sum + kl_from(sum, 1);
}

/* What a chunk's steps have of a channel, 0 behind the last. */
struct kl_scan_chunk {
    float dt[KL_SCAN_CHUNK], u[KL_SCAN_CHUNK], by_y[KL_SCAN_CHUNK];
};
KL_GPU void kl_scan_load(kl_scan_chunk &k, const kl_scan_pass &p, const kl_scan_part &part, int c)
{
#pragma unroll
    for (int t = 0; t < KL_SCAN_CHUNK; t++) {
        const int step = c * KL_SCAN_CHUNK + t;
        const bool there = part.there && step < p.steps;
        const size_t at =
            there ? kl_scan_row(p, part, step) * (size_t)p.inner + (size_t)part.channel : 0;
        k.dt[t] = there ? p.dt[at] : 0, k.u[t] = there ? p.conv[at] : 0;
        k.by_y[t] = there ? p.by_y[at] : 0;
    }
}

/* Blocks of (pairs, channels, parts), from the last step to the first: by dt to `parts`, by u to
   `more_parts`, by B and C to a warp's place, by the rates to the part. bra: the gradient by the states
   behind the step at hand. */
template <int RULE>
static __global__ void __launch_bounds__(KL_SCAN_CHANNELS)
    kl_scan_steps_back(const __grid_constant__ kl_scan_pass p)
{
    const kl_scan_part k = kl_scan_part_of(p);
    const size_t warp = (size_t)k.channel / KL_WARP,
                 own =
                     ((k.pair * (size_t)(p.directions * p.groups) + (size_t)k.number) * (size_t)p.warps +
                      warp) *
                     (size_t)p.steps;
    const float unit = RULE == KL_SCAN_EULER ? 1 : 0.693147182f;
    float bra[KL_SCAN_STATES] = {}, by_rate[KL_SCAN_STATES] = {};
    for (int c = p.chunks - 1; c >= 0; c--) {
        float before[KL_SCAN_CHUNK + 1][KL_SCAN_STATES];
        kl_scan_chunk of;
        kl_scan_stage(p, k, c);
        kl_scan_load(of, p, k, c);
#pragma unroll
        for (int i = 0; i < KL_SCAN_STATES; i++)
            before[0][i] = k.there && i < k.n ? *kl_scan_kept(p, k, c, i) : 0;
#pragma unroll
        for (int t = 0; t < KL_SCAN_CHUNK; t++) {
            float of_b[KL_SCAN_STATES];
            kl_scan_eight(of_b, kl_shared + t * KL_SCAN_PAIR);
#pragma unroll
            for (int i = 0; i < KL_SCAN_STATES; i++)
                before[t + 1][i] = fmaf(kl_scan_decay<RULE>(of.dt[t], k.rate[i]), before[t][i],
                                        kl_scan_entering<RULE>(of.dt[t], of.u[t]) * of_b[i]);
        }
#pragma unroll
        for (int t = KL_SCAN_CHUNK - 1; t >= 0; t--) {
            const int step = c * KL_SCAN_CHUNK + t;
            const float dt = of.dt[t], u = of.u[t], g = of.by_y[t], w = kl_scan_entering<RULE>(dt, u);
            float of_b[KL_SCAN_STATES], of_c[KL_SCAN_STATES], by_b[KL_SCAN_STATES], by_c[KL_SCAN_STATES],
                by_dt = 0, by_w = 0;
            kl_scan_eight(of_b, kl_shared + t * KL_SCAN_PAIR);
            kl_scan_eight(of_c, kl_shared + t * KL_SCAN_PAIR + KL_SCAN_STATES);
#pragma unroll
            for (int i = 0; i < KL_SCAN_STATES; i++) {
                by_c[i] = g * before[t + 1][i];
                const float b = fmaf(g, of_c[i], bra[i]), left = b * kl_scan_decay<RULE>(dt, k.rate[i]),
                            q = (RULE == KL_SCAN_EULER ? b : left) * before[t][i];
                by_b[i] = b * w, by_w = fmaf(b, of_b[i], by_w);
                by_dt = fmaf(q, k.rate[i], by_dt), by_rate[i] = fmaf(q, dt, by_rate[i]);
                bra[i] = left;
            }
            by_dt *= unit;
            if (RULE == KL_SCAN_MAMBA) by_dt = fmaf(by_w, u, by_dt), by_w *= dt;
            const float b = kl_scan_sum_eight(by_b), of = kl_scan_sum_eight(by_c);
            if (step >= p.steps) continue;
            if (k.there) {
                const size_t at = kl_scan_part_place(p, k, step);
                p.parts[at] = by_dt, p.more_parts[at] = by_w;
            }
            if (kl_lane_number() % 4 || warp >= (size_t)p.warps) continue;
            const size_t t_own = (size_t)(k.way ? p.steps - 1 - step : step);
            float *to = p.bc_parts + (own + t_own) * KL_SCAN_PAIR + kl_lane_number() / 4;
            to[0] = b, to[KL_SCAN_STATES] = of;
        }
    }
    float *to = p.part + k.pair * p.part_size + (k.way ? p.at.block : p.at.rates);
    for (int i = 0; i < k.n && k.there; i++)
        to[(size_t)(k.first + i) * (size_t)p.inner + (size_t)k.channel] = by_rate[i];
}

#endif
