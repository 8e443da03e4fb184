/* SPDX-License-Identifier: MIT
   State-space nets of windows: what stands around the scans. All matrices have a row a step, those of a
   pair (a window of a copy) one behind the other. A sum is one chain in an order of the shape's alone:
   of a window within a thread, a warp or a tile; over windows by parts of the step, in double. So
   neither the copies beside one nor how many windows go through at once change a bit. */
#ifndef KL_CUDA_SCAN_CUH
#define KL_CUDA_SCAN_CUH

#include "kernels/cuda/parts.cuh"
#include "kernels/cuda/product.cuh"
#include "kernels/cuda/train.cuh"
#include "kernels/scan.h"

enum {
    KL_SCAN_THREADS = 256, /* of rows: a warp each; of sums */
    KL_SCAN_STATES = 8,    /* of a channel, a thread */
    KL_SCAN_CHANNELS = 64, /* of a block, a thread each */
    KL_SCAN_PAIR = 2 * KL_SCAN_STATES
};

/* Arrays are of all pairs; n columns: (pairs, steps, n). A part of the scan: a direction, eight states.
 */
struct kl_scan_pass {
    struct kl_cuda_scans_shape shape;
    struct kl_cuda_scans_places at;
    int32_t channels, steps, stride, inner, projected, mixed;
    int32_t directions, groups, chunks, warps; /* groups: of states; warps: of channels */
    int32_t x, z, ld_bc, rank, b,
        c; /* columns of x and z in `projected`; of the rest in `bc`, its row */
    /* A copy's windows [first, first + per) of count go through now. */
    int32_t first, per, count;
    int32_t number;       /* of the first of count in the step */
    const float *windows; /* (n_windows, channels, stride) */
    const int32_t *rows;  /* (copies, count) */
    const uint32_t *replica;
    const float *given; /* (copies, at.end) */
    float *sum;         /* (copies, count, width), and by these */
    const float *by_sum;
    /* What a window adds to derivatives, (pairs, part_size): of Hydra's second direction the rates'
       stand behind the others. */
    float *part;
    size_t part_size;
    /* Of the block at hand, whose parameters begin there: what goes in and out (u, next) and what comes
       of out_proj (out), of width columns; of in_proj (in), projected; of x_proj (mix), mixed; behind
       the convolution, dt, behind the scan (y), inner. inv, inner_inv: one column, 1 / rms of its own
       norm and of y's (Hydra's: of out and of y). kept: states, (pairs, directions, chunks, states,
       inner). */
    size_t block;
    float *u, *next, *inv, *in, *conv, *mix, *dt, *y, *inner_inv, *out, *kept;
    const float *bc; /* where dt's, B and C stand: in, or mix */
    /* Of any block, one after the other. 1 / rms of the last norm; y times silu(z); gradients: behind
       the block, within it (width columns), and by the arrays above of these names. */
    float *last_inv, *gated, *by_out, *by_more, *by_gated, *by_y, *by_in, *by_mix, *by_dt, *by_conv;
    float *by_bc;
    /* Of parts of the scan: y, then by dt; by conv, (pairs, parts, steps, inner); by B and C, of a
       warp's channels: (pairs, parts, warps, steps, 16). */
    float *parts, *more_parts, *bc_parts;
    uint64_t seed;
    uint32_t step, threshold, purpose;
    float keep_scale;
};

KL_GPU size_t kl_scan_copy(const kl_scan_pass &p, size_t pair)
{
    return pair / (size_t)p.per;
}
KL_GPU size_t kl_scan_window(const kl_scan_pass &p, size_t pair)
{
    return (size_t)p.first + pair % (size_t)p.per;
}
/* Of the pair among all windows of all copies. */
KL_GPU size_t kl_scan_place(const kl_scan_pass &p, size_t pair)
{
    return kl_scan_copy(p, pair) * (size_t)p.count + kl_scan_window(p, pair);
}
KL_GPU const float *kl_scan_given(const kl_scan_pass &p, size_t pair)
{
    return p.given + kl_scan_copy(p, pair) * p.at.end;
}
KL_GPU float kl_scan_sigmoid(float x)
{
    return 1 / (1 + expf(-x));
}
/* The derivative of x sigma, sigma being that of x. */
KL_GPU float kl_scan_bend(float x, float sigma)
{
    return fmaf(x * sigma, 1 - sigma, sigma);
}

/* ---- linear layers ---- */

enum kl_scan_then { KL_SCAN_AS_IT_IS, KL_SCAN_BIAS_DROP, KL_SCAN_BIAS_SOFTPLUS, KL_SCAN_ADD };
/* y = W x of all rows: x is (pairs, steps, ld_x), times inv of its row and a gain unless inv is NULL; or
   NULL: the windows. y is (pairs, steps, ld_y). On the way back y has the gradient, from which go that
   by x to by_x, rows of ld_x, and that by W and bias to the part. Places begin at `block`. */
struct kl_scan_linear {
    struct kl_scan_pass p;
    const float *x, *inv;
    float *y, *by_x;
    size_t weight, bias, gain; /* bias: at.end: none */
    int32_t ld_x, ld_y, in, out;
    int32_t then, add;   /* add: by_x += */
    const float *beside; /* KL_SCAN_ADD: (pairs, steps, out) */
};

KL_GPU const float *kl_scan_row_of(const float *x, const kl_scan_pass &p, size_t pair, int t, int ld)
{
    return x + (pair * (size_t)p.steps + (size_t)t) * (size_t)ld;
}
KL_GPU float kl_scan_x(const kl_scan_linear &l, size_t pair, int t, int i)
{
    const kl_scan_pass &p = l.p;
    if (!l.x)
        return p.windows[((size_t)p.rows[kl_scan_place(p, pair)] * (size_t)p.channels + (size_t)i) *
                             (size_t)p.stride +
                         (size_t)t];
    const float x = kl_scan_row_of(l.x, p, pair, t, l.ld_x)[i];
    if (!l.inv) return x;
    return x * l.inv[pair * (size_t)p.steps + (size_t)t] *
           kl_scan_given(p, pair)[p.block + l.gain + (size_t)i];
}
/* The weight from input i to output o in its strip. */
KL_GPU size_t kl_scan_weight(const kl_scan_linear &l, int i, int o)
{
    const int strip = o / KL_CUDA_SCANS_STRIP * KL_CUDA_SCANS_STRIP,
              left = l.out - strip < KL_CUDA_SCANS_STRIP ? l.out - strip : KL_CUDA_SCANS_STRIP;
    return l.weight + (size_t)strip * (size_t)l.in + (size_t)i * (size_t)left + (size_t)(o - strip);
}

/* What dropout leaves of value j of a row of the embedding: numbers as on the CPU, whose rows are
   multiples of 16. */
KL_GPU float kl_scan_drop(const kl_scan_pass &p, size_t pair, int t, int j, float x)
{
    if (!p.threshold) return x;
    const size_t ld = ((size_t)p.shape.width + KL_SCAN_SIDE - 1) / KL_SCAN_SIDE * KL_SCAN_SIDE,
                 window = (size_t)p.number + kl_scan_window(p, pair),
                 e = (window * (size_t)p.steps + (size_t)t) * ld + (size_t)j;
    const uint32_t number =
        kl_dropout_number(p.seed, p.purpose, (uint32_t)e, p.step, p.replica[kl_scan_copy(p, pair)]);
    return number >= p.threshold ? x * p.keep_scale : 0;
}
KL_GPU float kl_scan_after(const kl_scan_linear &l, size_t pair, int t, int j, float y)
{
    const float *bias = kl_scan_given(l.p, pair) + l.p.block + l.bias + j;
    if (l.then == KL_SCAN_ADD) return y + kl_scan_row_of(l.beside, l.p, pair, t, l.out)[j];
    if (l.then == KL_SCAN_BIAS_DROP) return kl_scan_drop(l.p, pair, t, j, y + *bias);
    if (l.then != KL_SCAN_BIAS_SOFTPLUS) return y;
    y += *bias;
    return y > 20 ? y : log1pf(expf(y)); /* which are the same number there */
}

/* Tiles of (pairs, steps, outputs). WINDOWS: x is NULL. */
template <bool WINDOWS>
static __global__ void __launch_bounds__(KL_PRODUCT_THREADS)
    kl_scan_linear_forward(const __grid_constant__ kl_scan_linear l)
{
    const size_t pair = blockIdx.x;
    const int t = (int)blockIdx.y * KL_PRODUCT_TILE, o = (int)blockIdx.z * KL_PRODUCT_TILE;
    const float *w = kl_scan_given(l.p, pair) + l.p.block;
    float sum[4][4] = {};
    kl_product<!WINDOWS, false>(
        sum, l.in, [&](int i, int k) { return t + i < l.p.steps ? kl_scan_x(l, pair, t + i, k) : 0; },
        [&](int j, int k) { return o + j < l.out ? w[kl_scan_weight(l, k, o + j)] : 0; });
    kl_product_each(sum, l.p.steps - t, l.out - o, [&](int i, int j, float y) {
        float *to = l.y + (pair * (size_t)l.p.steps + (size_t)(t + i)) * (size_t)l.ld_y + o + j;
        *to = kl_scan_after(l, pair, t + i, o + j, y);
    });
}

/* Tiles of (pairs, steps, inputs). */
static __global__ void __launch_bounds__(KL_PRODUCT_THREADS)
    kl_scan_linear_inputs(const __grid_constant__ kl_scan_linear l)
{
    const size_t pair = blockIdx.x;
    const int t = (int)blockIdx.y * KL_PRODUCT_TILE, in = (int)blockIdx.z * KL_PRODUCT_TILE;
    const float *w = kl_scan_given(l.p, pair) + l.p.block;
    float sum[4][4] = {};
    kl_product<true, true>(
        sum, l.out,
        [&](int i, int k) {
            return t + i < l.p.steps ? kl_scan_row_of(l.y, l.p, pair, t + i, l.ld_y)[k] : 0;
        },
        [&](int j, int k) { return in + j < l.in ? w[kl_scan_weight(l, in + j, k)] : 0; });
    kl_product_each(sum, l.p.steps - t, l.in - in, [&](int i, int j, float d) {
        float *to = l.by_x + (pair * (size_t)l.p.steps + (size_t)(t + i)) * (size_t)l.ld_x + in + j;
        *to = l.add ? *to + d : d;
    });
}

/* Tiles of (pairs, inputs and, if there is one, the bias behind them, outputs). */
template <bool WINDOWS>
static __global__ void __launch_bounds__(KL_PRODUCT_THREADS)
    kl_scan_linear_weights(const __grid_constant__ kl_scan_linear l)
{
    const size_t pair = blockIdx.x;
    const int in = (int)blockIdx.y * KL_PRODUCT_TILE, o = (int)blockIdx.z * KL_PRODUCT_TILE,
              rows = l.in + (l.bias < l.p.at.end ? 1 : 0) - in;
    float sum[4][4] = {}, *part = l.p.part + pair * l.p.part_size;
    kl_product<WINDOWS, false>(
        sum, l.p.steps,
        [&](int i, int k) {
            return in + i < l.in ? kl_scan_x(l, pair, k, in + i) : in + i == l.in ? 1.0f : 0;
        },
        [&](int j, int k) {
            return o + j < l.out ? kl_scan_row_of(l.y, l.p, pair, k, l.ld_y)[o + j] : 0;
        });
    kl_product_each(sum, rows, l.out - o, [&](int i, int j, float d) {
        part[in + i < l.in ? kl_scan_weight(l, in + i, o + j) : l.bias + (size_t)(o + j)] = d;
    });
}

/* ---- RMS norms ---- */

/* Of x, (pairs, steps, n). dy: the gradient behind it, or NULL: that by the window's mean. next: what
   is beside it is added to its output and goes there, or NULL: 1 / rms alone is asked for. */
struct kl_scan_norm {
    struct kl_scan_pass p;
    size_t pairs, gain, part; /* where the gain stands in given and in the part */
    int32_t n, add;           /* add: dx += */
    const float *x, *beside, *dy;
    float *inv, *next, *dx;
};
KL_GPU float kl_scan_behind(const kl_scan_norm &k, size_t row, int j)
{
    if (k.dy) return k.dy[row * (size_t)k.n + (size_t)j];
    const size_t pair = row / (size_t)k.p.steps;
    return k.p.by_sum[kl_scan_place(k.p, pair) * (size_t)k.n + (size_t)j] / (float)k.p.steps;
}
/* The row of pairs * steps that the warp has; blocks of KL_SCAN_THREADS. */
KL_GPU size_t kl_scan_warp_row(void)
{
    return (size_t)blockIdx.x * (KL_SCAN_THREADS / KL_WARP) + (size_t)kl_warp();
}
KL_GPU float kl_scan_inverse(float squares, int n)
{
    return 1 / sqrtf(squares / (float)n + 1e-5f);
}

static __global__ void __launch_bounds__(KL_SCAN_THREADS)
    kl_scan_norm_forward(const __grid_constant__ kl_scan_norm k)
{
    const size_t row = kl_scan_warp_row(), n = (size_t)k.n;
    if (row >= k.pairs * (size_t)k.p.steps) return;
    const float *x = k.x + row * n, *gain = kl_scan_given(k.p, row / (size_t)k.p.steps) + k.gain;
    float sum = 0;
    for (int j = kl_lane_number(); j < k.n; j += KL_WARP) sum = fmaf(x[j], x[j], sum);
    const float inv = kl_scan_inverse(kl_warp_sum(sum), k.n);
    if (kl_lane_number() == 0) k.inv[row] = inv;
    for (int j = kl_lane_number(); j < k.n && k.next; j += KL_WARP)
        k.next[row * n + (size_t)j] = fmaf(x[j] * inv, gain[j], k.beside[row * n + (size_t)j]);
}

static __global__ void __launch_bounds__(KL_SCAN_THREADS)
    kl_scan_norm_back(const __grid_constant__ kl_scan_norm k)
{
    const size_t row = kl_scan_warp_row(), n = (size_t)k.n;
    if (row >= k.pairs * (size_t)k.p.steps) return;
    const float *x = k.x + row * n, *gain = kl_scan_given(k.p, row / (size_t)k.p.steps) + k.gain;
    float *dx = k.dx + row * n, dot = 0;
    for (int j = kl_lane_number(); j < k.n; j += KL_WARP)
        dot = fmaf(gain[j] * kl_scan_behind(k, row, j), x[j], dot);
    const float inv = k.inv[row], c = -kl_warp_sum(dot) * inv * inv * inv / (float)k.n;
    for (int j = kl_lane_number(); j < k.n; j += KL_WARP) {
        const float d = fmaf(kl_scan_behind(k, row, j) * inv, gain[j], c * x[j]);
        dx[j] = k.add ? dx[j] + d : d;
    }
}

/* Threads of (pairs, n): the gain's gradients. */
static __global__ void __launch_bounds__(KL_SCAN_THREADS)
    kl_scan_norm_gains(const __grid_constant__ kl_scan_norm k)
{
    const size_t pair = blockIdx.x, first = pair * (size_t)k.p.steps;
    const int j = (int)(blockIdx.y * KL_SCAN_THREADS + threadIdx.x);
    float sum = 0;
    if (j >= k.n) return;
    for (size_t row = first; row < first + (size_t)k.p.steps; row++)
        sum = fmaf(kl_scan_behind(k, row, j) * k.inv[row], k.x[row * (size_t)k.n + (size_t)j], sum);
    k.p.part[pair * k.p.part_size + k.part + (size_t)j] = sum;
}

/* Threads of (pairs, n): the mean over time of the last norm. */
static __global__ void __launch_bounds__(KL_SCAN_THREADS)
    kl_scan_pool(const __grid_constant__ kl_scan_norm k)
{
    const size_t pair = blockIdx.x, first = pair * (size_t)k.p.steps;
    const int j = (int)(blockIdx.y * KL_SCAN_THREADS + threadIdx.x);
    float sum = 0;
    if (j >= k.n) return;
    const float gain = kl_scan_given(k.p, pair)[k.gain + (size_t)j];
    for (size_t row = first; row < first + (size_t)k.p.steps; row++)
        sum = fmaf(k.x[row * (size_t)k.n + (size_t)j] * k.inv[row], gain, sum);
    k.p.sum[kl_scan_place(k.p, pair) * (size_t)k.n + (size_t)j] = sum / (float)k.p.steps;
}

/* ---- convolution ---- */

/* v of channel e at step t, from four rows of x that end there: 0 before the first. */
KL_GPU float kl_scan_filter(const float (&x)[KL_SCAN_TAPS], const float *taps, float bias)
{
    float v = bias;
#pragma unroll
    for (int k = 0; k < KL_SCAN_TAPS; k++) v = fmaf(taps[k], x[k], v);
    return v;
}
/* Threads of (pairs, channels), through time. */
static __global__ void __launch_bounds__(KL_SCAN_CHANNELS)
    kl_scan_conv(const __grid_constant__ kl_scan_pass p)
{
    const size_t pair = blockIdx.x, first = pair * (size_t)p.steps, inner = (size_t)p.inner;
    const int e = (int)(blockIdx.y * KL_SCAN_CHANNELS + threadIdx.x);
    if (e >= p.inner) return;
    const float *own = kl_scan_given(p, pair) + p.block,
                *taps = own + p.at.conv + (size_t)e * KL_SCAN_TAPS,
                bias = own[p.at.conv_bias + (size_t)e];
    float x[KL_SCAN_TAPS] = {};
    for (size_t row = first; row < first + (size_t)p.steps; row++) {
        x[0] = x[1], x[1] = x[2], x[2] = x[3];
        x[3] = p.in[row * (size_t)p.projected + (size_t)(p.x + e)];
        const float v = kl_scan_filter(x, taps, bias);
        p.conv[row * inner + (size_t)e] = v * kl_scan_sigmoid(v);
    }
}

/* The gradient by what a channel's convolution gave: by the scan's parts, by D, and by x_proj. */
KL_GPU float kl_scan_by_conv(const kl_scan_pass &p, size_t pair, int t, int e, float skip)
{
    const int parts = p.directions * p.groups;
    const size_t steps = (size_t)p.steps, inner = (size_t)p.inner,
                 row = (pair * steps + (size_t)t) * inner + (size_t)e;
    float d = (float)p.directions * skip * p.by_y[row];
    for (int i = 0; i < parts; i++)
        d += p.more_parts[((pair * (size_t)parts + (size_t)i) * steps + (size_t)t) * inner + (size_t)e];
    return p.shape.hydra ? d : d + p.by_conv[row];
}
/* From the last step to the first: to x, taps, bias, D. */
static __global__ void __launch_bounds__(KL_SCAN_CHANNELS)
    kl_scan_conv_back(const __grid_constant__ kl_scan_pass p)
{
    const size_t pair = blockIdx.x, first = pair * (size_t)p.steps, inner = (size_t)p.inner;
    const int e = (int)(blockIdx.y * KL_SCAN_CHANNELS + threadIdx.x);
    if (e >= p.inner) return;
    const float *own = kl_scan_given(p, pair) + p.block,
                *taps = own + p.at.conv + (size_t)e * KL_SCAN_TAPS,
                bias = own[p.at.conv_bias + (size_t)e], skip = own[p.at.d + (size_t)e];
    const auto input = [&](int t) {
        return t < 0 ? 0.0f : p.in[(first + (size_t)t) * (size_t)p.projected + (size_t)(p.x + e)];
    };
    float x[KL_SCAN_TAPS] = { input(p.steps - 3), input(p.steps - 2), input(p.steps - 1) };
    float by[KL_SCAN_TAPS] = {}, d[KL_SCAN_TAPS] = {}, by_bias = 0, by_skip = 0;
    for (int t = p.steps - 1; t >= 0; t--) {
        x[3] = x[2], x[2] = x[1], x[1] = x[0], x[0] = input(t - 3);
        const float v = kl_scan_filter(x, taps, bias);
        d[3] = d[2], d[2] = d[1], d[1] = d[0];
        d[0] = kl_scan_by_conv(p, pair, t, e, skip) * kl_scan_bend(v, kl_scan_sigmoid(v));
        float to = 0;
#pragma unroll
        for (int k = 0; k < KL_SCAN_TAPS; k++) {
            to = fmaf(taps[k], d[KL_SCAN_TAPS - 1 - k], to);
            by[k] = fmaf(d[0], x[k], by[k]);
        }
        by_bias += d[0];
        const size_t row = (first + (size_t)t) * inner + (size_t)e;
        by_skip = fmaf(p.by_y[row], p.conv[row], by_skip);
        p.by_in[(first + (size_t)t) * (size_t)p.projected + (size_t)(p.x + e)] = to;
    }
    float *part = p.part + pair * p.part_size;
    for (int k = 0; k < KL_SCAN_TAPS; k++)
        part[p.at.conv + (size_t)e * KL_SCAN_TAPS + (size_t)k] = by[k];
    part[p.at.conv_bias + (size_t)e] = by_bias;
    part[p.at.d + (size_t)e] = (float)p.directions * by_skip;
}

/* ---- behind the scan ---- */

struct kl_scan_rows {
    struct kl_scan_pass p;
    size_t pairs;
};
/* y from the scan's parts and D; Hydra's norm of it; times silu of z. */
static __global__ void __launch_bounds__(KL_SCAN_THREADS)
    kl_scan_gate(const __grid_constant__ kl_scan_rows k)
{
    const kl_scan_pass &p = k.p;
    const size_t row = kl_scan_warp_row(), steps = (size_t)p.steps, inner = (size_t)p.inner,
                 pair = row / steps, t = row % steps, parts = (size_t)(p.directions * p.groups);
    if (row >= k.pairs * steps) return;
    const float *own = kl_scan_given(p, pair) + p.block,
                *z = p.in + row * (size_t)p.projected + (size_t)p.z;
    float *y = p.y + row * inner, sum = 0, inv = 1;
    for (int e = kl_lane_number(); e < p.inner; e += KL_WARP) {
        float v = (float)p.directions * own[p.at.d + (size_t)e] * p.conv[row * inner + (size_t)e];
        for (size_t i = 0; i < parts; i++)
            v += p.parts[((pair * parts + i) * steps + t) * inner + (size_t)e];
        y[e] = v, sum = fmaf(v, v, sum);
    }
    if (p.shape.hydra) {
        inv = kl_scan_inverse(kl_warp_sum(sum), p.inner);
        if (kl_lane_number() == 0) p.inner_inv[row] = inv;
    }
    for (int e = kl_lane_number(); e < p.inner; e += KL_WARP) {
        const float v = p.shape.hydra ? y[e] * inv * own[p.at.norm + (size_t)e] : y[e];
        p.gated[row * inner + (size_t)e] = v * (z[e] * kl_scan_sigmoid(z[e]));
    }
}
/* by_gated becomes the gradient at what is gated, z's goes to its columns; gated is there again. */
static __global__ void __launch_bounds__(KL_SCAN_THREADS)
    kl_scan_gate_back(const __grid_constant__ kl_scan_rows k)
{
    const kl_scan_pass &p = k.p;
    const size_t row = kl_scan_warp_row(), inner = (size_t)p.inner, pair = row / (size_t)p.steps;
    if (row >= k.pairs * (size_t)p.steps) return;
    const float *own = kl_scan_given(p, pair) + p.block, *y = p.y + row * inner,
                *z = p.in + row * (size_t)p.projected + (size_t)p.z;
    float *by_z = p.by_in + row * (size_t)p.projected + (size_t)p.z;
    const float inv = p.shape.hydra ? p.inner_inv[row] : 1;
    for (int e = kl_lane_number(); e < p.inner; e += KL_WARP) {
        const float v = p.shape.hydra ? y[e] * inv * own[p.at.norm + (size_t)e] : y[e],
                    sigma = kl_scan_sigmoid(z[e]), silu = z[e] * sigma,
                    d = p.by_gated[row * inner + (size_t)e];
        p.gated[row * inner + (size_t)e] = v * silu;
        by_z[e] = d * v * kl_scan_bend(z[e], sigma);
        p.by_gated[row * inner + (size_t)e] = d * silu;
    }
}

/* A warp a row: gradients before softplus, and by B and C, from the scan's parts. */
static __global__ void __launch_bounds__(KL_SCAN_THREADS)
    kl_scan_collect(const __grid_constant__ kl_scan_rows k)
{
    const kl_scan_pass &p = k.p;
    const size_t row = kl_scan_warp_row(), steps = (size_t)p.steps, inner = (size_t)p.inner,
                 pair = row / steps, t = row % steps, warps = (size_t)p.warps,
                 parts = (size_t)(p.directions * p.groups);
    if (row >= k.pairs * steps) return;
    for (int e = kl_lane_number(); e < p.inner; e += KL_WARP) {
        float d = 0;
        for (size_t i = 0; i < parts; i++)
            d += p.parts[((pair * parts + i) * steps + t) * inner + (size_t)e];
        p.by_dt[row * inner + (size_t)e] = d * -expm1f(-p.dt[row * inner + (size_t)e]);
    }
    for (int i = kl_lane_number(); i < 2 * p.shape.states; i += KL_WARP) {
        const int s = i % p.shape.states, of_c = i / p.shape.states, group = s / KL_SCAN_STATES;
        float d = 0;
        for (int way = 0; way < p.directions; way++)
            for (size_t w = 0; w < warps; w++)
                d +=
                    p.bc_parts[(((pair * parts + (size_t)(way * p.groups + group)) * warps + w) * steps +
                                t) *
                                   KL_SCAN_PAIR +
                               (size_t)(of_c * KL_SCAN_STATES + s % KL_SCAN_STATES)];
        p.by_bc[row * (size_t)p.ld_bc + (size_t)((of_c ? p.c : p.b) + s)] = d;
    }
}

/* The gradient behind the embedding's dropout becomes that before it. */
static __global__ void __launch_bounds__(KL_SCAN_THREADS)
    kl_scan_drop_back(const __grid_constant__ kl_scan_rows k)
{
    const size_t row = kl_scan_warp_row(), width = (size_t)k.p.shape.width,
                 pair = row / (size_t)k.p.steps;
    if (row >= k.pairs * (size_t)k.p.steps) return;
    for (int j = kl_lane_number(); j < k.p.shape.width; j += KL_WARP) {
        float *d = k.p.by_out + row * width + (size_t)j;
        *d = kl_scan_drop(k.p, pair, (int)(row % (size_t)k.p.steps), j, *d);
    }
}

/* ---- sums over windows ---- */

struct kl_scan_sums {
    struct kl_scan_pass p;
    size_t values, to, second, n_second, second_to; /* [to, to + n) of by_given, and what is added */
    struct kl_cuda_windows_parts parts;
    double *total; /* (slots, copies, at.end) */
    size_t copies;
    float *by_given;
};
static inline __host__ __device__ size_t kl_scan_sum_blocks(size_t values)
{
    return (values + KL_SCAN_THREADS - 1) / KL_SCAN_THREADS;
}
/* A thread a value, whole blocks a copy: its windows' parts, onto those before. */
static __global__ void __launch_bounds__(KL_SCAN_THREADS)
    kl_scan_sum(const __grid_constant__ kl_scan_sums k)
{
    const size_t each = kl_scan_sum_blocks(k.values), copy = blockIdx.x / each,
                 e = blockIdx.x % each * KL_SCAN_THREADS + threadIdx.x, per = (size_t)k.p.per,
                 to = copy * k.p.at.end + k.to + e;
    if (e >= k.values) return;
    const bool twice = e - k.second_to < k.n_second;
    const float *parts = k.p.part + copy * per * k.p.part_size;
    auto add = [&](double sum, int window) {
        const float *part = parts + (size_t)(window - k.p.first) * k.p.part_size;
        sum += part[e];
        return twice ? sum + part[k.second + e - k.second_to] : sum;
    };
    kl_sum_parts(k.total + to, k.copies * k.p.at.end, k.parts, k.p.first, k.p.first + k.p.per, add);
    k.by_given[to] = (float)k.total[to];
}

#endif
