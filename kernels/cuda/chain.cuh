/* SPDX-License-Identifier: MIT
   A chain in a block: a thread holds one hidden unit's weights in registers, W1's column, b1, w2, and,
   as all others do, b2. A pass takes records 32 at a time: each thread makes its unit's share of all
   logits, then each thread of a warp the loss of one record, then each its unit's gradient over all of
   them. Every warp has a copy of the records, so warps meet for the sums of logits alone. */
#ifndef KL_CUDA_CHAIN_CUH
#define KL_CUDA_CHAIN_CUH

#include "kernels/cuda/langevin.cuh"

enum { KL_CHAIN_CHUNK = 32, KL_CHAIN_ROW = 33 };

/* Places in shared memory, in floats; the first are doubles, one a warp. */
struct kl_chain_job {
    struct kl_cuda_chains_shape shape;
    const float *x[2];    /* (n_sets, n, D), zeros behind the inputs */
    const float *sign[2]; /* (n_sets, n), 1 of label 1, -1 of label 0 */
    struct kl_cuda_chain *chains;
    const struct kl_cuda_chain_span *spans;
    struct kl_cuda_chain_outcome *outcomes;
    struct kl_cuda_chain_judged *judged;
    float *w, *v, *scale; /* (chains, size) */
    int32_t *order;       /* (chains, n[0]); NULL: in shared memory */
    int32_t scaled;       /* scale is looked at */
    int32_t size, steps;  /* parameters; steps of an epoch */
    int32_t groups, last; /* of 32 normals; the element that moves b2 */
    int32_t sums_at, normals_at, order_at, warps_at, per_warp;
};

/* Numbers of a thread: W1's column of its unit, b1, w2, and b2, which all threads have. */
template <int D> struct kl_chain_numbers {
    float at[D + 3];
};

template <int D> struct kl_chain_thread {
    const kl_chain_job &job;
    const kl_cuda_chain &chain;
    int unit, warp, lane;
    bool live;                        /* there is such a unit */
    float *x, *slope, *part, *logits; /* of the warp; logits: of each warp its share */
    int32_t *order;
};

/* use(place, tensor) of a thread's parameters; once: b2 by the block's first thread alone. */
template <int D, class F> KL_GPU void kl_chain_each(const kl_chain_thread<D> &t, bool once, F use)
{
#pragma unroll
    for (int k = 0; k < D + 2; k++)
        if (t.live && (k >= D || k < (int)t.job.shape.net.inputs)) use(k, k < D ? 0 : k - D + 1);
    if (!once || threadIdx.x == 0) use(D + 2, 3);
}

/* The number of a parameter, and of its normal where steps are fused. */
template <int D> KL_GPU int kl_chain_flat(const kl_chain_thread<D> &t, int place)
{
    const int units = (int)t.job.shape.net.units, d = (int)t.job.shape.net.inputs;
    return place == D + 2 ? t.job.size - 1
           : place < D    ? t.unit * d + place
                          : units * (d + place - D) + t.unit;
}
template <int D> KL_GPU int kl_chain_element(const kl_chain_thread<D> &t, int place)
{
    if (!t.job.shape.fused) return kl_chain_flat(t, place);
    const int d = (int)t.job.shape.net.inputs, groups = (d + 3) / 2,
              row = place < D ? place : d + place - D;
    if (place == D + 2) return t.job.last;
    return (t.unit / 16 * groups + row / 2) * 32 + row % 2 * 16 + t.unit % 16;
}

/* Sum over the block, the same in every thread. */
template <int D> KL_GPU double kl_chain_sum(const kl_chain_thread<D> &t, double value)
{
    return kl_block_sum((double *)(void *)(kl_shared + t.job.sums_at), value);
}

/* ---- one pass over records ---- */

/* Records of one set, in an order or as they stand (NULL), and where a record's numbers lie. */
struct kl_chain_records {
    const float *x, *sign;
    const int32_t *order;
    int n;
};
template <int D> KL_GPU kl_chain_records kl_chain_set(const kl_chain_thread<D> &t, int which)
{
    const size_t first = (size_t)t.chain.set * t.job.shape.n[which];
    return { t.job.x[which] + first * D, t.job.sign[which] + first, NULL, (int)t.job.shape.n[which] };
}

/* along: w . gradient, of the sum of losses. Of such a network it is the sum of slope (2 z - b2): each
   layer's own weights times their gradient give z, less b2 but for the last bias. */
struct kl_chain_sums {
    double loss, wrong, along;
};

/* e^x, x <= 0; below the least, that of the least. As in kernels/cpu/shallow.c. */
KL_GPU float kl_chain_exponential(float x)
{
    const float series[] = { 1 / 5040.0f, 1 / 720.0f, 1 / 120.0f, 1 / 24.0f, 1 / 6.0f, 1 / 2.0f, 1, 1 };
    x = x < -87.0f ? -87.0f : x;
    const float shifted = fmaf(x, 1.44269504f, 0x1.8p23f), n = shifted - 0x1.8p23f,
                r = fmaf(n, -0x1.7f7d1cp-20f, fmaf(n, -0x1.62e4p-1f, x));
    const uint32_t power = (__float_as_uint(shifted) - __float_as_uint(0x1.8p23f)) << 23;
    return __uint_as_float(__float_as_uint(kl_horner(r, series)) + power);
}

/* A record's loss, and its slope by the logit, as there. */
KL_GPU float kl_chain_loss(float *slope, const kl_cuda_chains_shape &shape, float logit, float sign)
{
    const float v = logit * sign, t = kl_chain_exponential(v < 0 ? v : -v), big = 1 / (1 + t),
                small = t * big, e = (float)shape.net.floor, c = (float)(1 - 2 * shape.net.floor);
    if (shape.net.loss == KL_SHALLOW_BCE) {
        *slope = -sign * (v < 0 ? big : small);
        return fmaf(kl_minus_two_log1p(-small, 0), 0.5f, v < 0 ? -v : 0);
    }
    const float psi = v < 0 ? fmaf(small, c, e) : fmaf(small, -c, (float)(1 - shape.net.floor));
    const uint32_t bits = __float_as_uint(psi);
    const float f = v < 0 ? __uint_as_float((bits & 0x7fffff) | 0x3f000000) - 1 : fmaf(small, -c, -e),
                n = v < 0 ? (float)((int32_t)(bits >> 23) - 126) : 0;
    *slope = -sign * (c * big * small / psi);
    return fmaf(kl_minus_two_log1p(f, n * -1.38629436f), 0.5f, 0);
}

/* A record's numbers, four at a time. */
template <int D> KL_GPU void kl_chain_row(float (&x)[D], const float *from)
{
#pragma unroll
    for (int k = 0; k < D; k += 4) {
        const float4 four = *(const float4 *)(from + k);
        x[k] = four.x, x[k + 1] = four.y, x[k + 2] = four.z, x[k + 3] = four.w;
    }
}

/* The thread's unit over n records: its shares of their logits; the bits of those where it is active. */
template <int D>
KL_GPU uint32_t kl_chain_forward(const kl_chain_thread<D> &t, const kl_chain_numbers<D> &w, int n)
{
    uint32_t active = 0;
    for (int r = 0; r < n; r++) {
        float h = w.at[D], x[D];
        kl_chain_row(x, t.x + r * D);
#pragma unroll
        for (int k = 0; k < D; k++) h = fmaf(w.at[k], x[k], h);
        active |= (uint32_t)(h > 0) << r;
        t.part[r * KL_CHAIN_ROW + t.lane] = w.at[D + 1] * (h < 0 ? 0 : h); /* NaN stays NaN */
    }
    return active;
}

/* The logit of this thread's record, from all units' shares. */
template <int D> KL_GPU float kl_chain_logit(const kl_chain_thread<D> &t, int n)
{
    const int warps = (int)blockDim.x / 32;
    float part[4] = { 0, 0, 0, 0 }, sum;
    __syncwarp();
    for (int l = 0; t.lane < n && l < 32; l += 4)
#pragma unroll
        for (int k = 0; k < 4; k++) part[k] += t.part[t.lane * KL_CHAIN_ROW + l + k];
    sum = (part[0] + part[2]) + (part[1] + part[3]);
    if (warps == 1) return sum;
    t.logits[t.warp * 32 + t.lane] = sum;
    __syncthreads();
    sum = 0;
    for (int i = 0; i < warps; i++) sum += t.logits[i * 32 + t.lane];
    __syncthreads();
    return sum;
}

/* The thread's sums over active records: of slope x, and of slope. all: of slope, of all records. */
template <int D>
KL_GPU void kl_chain_back(float (&sum)[D + 1], float *all, const kl_chain_thread<D> &t, uint32_t active,
                          int n)
{
    for (int r = 0; r < n; r++) {
        const float slope = t.slope[r], own = active >> r & 1 ? slope : 0;
        float x[D];
        kl_chain_row(x, t.x + r * D);
#pragma unroll
        for (int k = 0; k < D; k++) sum[k] = fmaf(own, x[k], sum[k]);
        sum[D] += own, *all += slope;
    }
}

/* The warp's copy of n records from `first` on; returns the sign of this thread's. */
template <int D>
KL_GPU float kl_chain_take(const kl_chain_thread<D> &t, const kl_chain_records &from, int first, int n)
{
    if (t.lane >= n) return 0;
    const int i = from.order ? from.order[first + t.lane] : first + t.lane;
#pragma unroll
    for (int k = 0; k < D; k += 4)
        *(float4 *)(t.x + t.lane * D + k) = *(const float4 *)(from.x + (size_t)i * D + k);
    return from.sign[i];
}

/* Sums over records first .. first + count - 1, the same in every thread; gradient (NULL: not asked for)
   of their mean loss. */
template <int D>
KL_GPU kl_chain_sums kl_chain_pass(kl_chain_numbers<D> *gradient, const kl_chain_thread<D> &t,
                                   const kl_chain_numbers<D> &w, const kl_chain_records &from, int first,
                                   int count)
{
    const float share = 1 / (float)count;
    kl_chain_sums sums = { 0, 0, 0 };
    float sum[D + 1] = { 0 }, all = 0;
    for (int done = 0; done < count; done += KL_CHAIN_CHUNK) {
        const int n = count - done < KL_CHAIN_CHUNK ? count - done : KL_CHAIN_CHUNK;
        const float sign = kl_chain_take(t, from, first + done, n);
        __syncwarp();
        const uint32_t active = kl_chain_forward(t, w, n);
        const float z = kl_chain_logit(t, n) + w.at[D + 2];
        if (t.lane < n) {
            float slope;
            sums.loss += (double)kl_chain_loss(&slope, t.job.shape, z, sign);
            sums.wrong += (z > 0) != (sign > 0);
            sums.along += (double)slope * (2 * (double)z - (double)w.at[D + 2]);
            t.slope[t.lane] = slope * share;
        }
        __syncwarp();
        if (gradient) kl_chain_back(sum, &all, t, active, n);
        __syncwarp(); /* the records are done with */
    }
    if (gradient) {
        float *g = gradient->at, out = w.at[D] * sum[D];
#pragma unroll
        for (int k = 0; k < D; k++) out = fmaf(w.at[k], sum[k], out), g[k] = sum[k] * w.at[D + 1];
        g[D] = sum[D] * w.at[D + 1], g[D + 1] = out, g[D + 2] = all;
    }
    return { kl_warp_sum(sums.loss), kl_warp_sum(sums.wrong), kl_warp_sum(sums.along) };
}

#endif
