/* SPDX-License-Identifier: MIT
   Linear layers of a head: rows through one and back. Every sum is one chain of fused multiply-adds in
   rising order, as on the CPU, so that neither the threads nor the blocks of a head change a bit. */
#ifndef KL_CUDA_HEAD_LINEAR_CUH
#define KL_CUDA_HEAD_LINEAR_CUH

#include "kernels/cuda/head.cuh"

KL_GPU float kl_activate(float z, const kl_head_job &job, const kl_head_slice &own, const kl_cuda_layer &l,
                         int r, int col)
{
    if (l.act == KL_CUDA_TANH) return tanhf(z);
    if (l.act != KL_CUDA_RELU) return z;
    z = z > 0 ? z : 0;
    if (!own.trains || !l.dropout || !job.shape.threshold) return z;
    const uint32_t number = kl_dropout_number(
        job.shape.seed, KL_RANDOM_DROPOUT + 256u * (uint32_t)(l.dropout - 1),
        (uint32_t)(own.first + r) * (uint32_t)l.d_out + (uint32_t)col, own.number, own.replica);
    return number >= job.shape.threshold ? z * job.shape.keep_scale : 0;
}

/* Take a gradient at a layer's output y back through its dropout and activation. */
KL_GPU float kl_activate_back(float dy, float y, const kl_head_job &job, const kl_cuda_layer &l)
{
    if (l.act == KL_CUDA_TANH) return dy * (1 - y * y);
    return l.act == KL_CUDA_RELU ? (y > 0 ? dy * job.shape.keep_scale : 0) : dy;
}

/* sum[q][c] = the chain over k of x[q][k] w[k * step + c]. Few sums leave room for many loads at once:
   what a step of one head waits for is the way of its weights from the second-level cache. */
template <int R, int C>
KL_GPU void kl_chains(float (&sum)[R][C], const float *const (&x)[R], const float *w, int step, int n)
{
    [[maybe_unused]] constexpr int deep = R * C <= 2 ? 8 : R * C <= 8 ? 2 : 1;
    float one[R], weights[C];
    int k = 0;
#pragma unroll
    for (int q = 0; q < R; q++)
#pragma unroll
        for (int c = 0; c < C; c++) sum[q][c] = 0;
    if (n % 4 == 0)
#pragma unroll deep
        for (; k < n; k += 4) {
            float four[R][4];
#pragma unroll
            for (int q = 0; q < R; q++) kl_load(four[q], x[q] + k);
#pragma unroll
            for (int j = 0; j < 4; j++) {
                kl_load(weights, w + (k + j) * step);
#pragma unroll
                for (int q = 0; q < R; q++) one[q] = four[q][j];
                kl_outer(sum, one, weights);
            }
        }
    for (; k < n; k++) {
        kl_load(weights, w + k * step);
#pragma unroll
        for (int q = 0; q < R; q++) one[q] = x[q][k];
        kl_outer(sum, one, weights);
    }
}

/* R rows of C outputs beside each other a thread. */
template <int R, int C>
KL_GPU void kl_forward_rows(const kl_head_job &job, const kl_head_slice &own, int number, int from, int to)
{
    const kl_cuda_layer &l = job.shape.layers[number];
    float *y = own.y + job.y_at[number];
    const int groups = (to - from + R - 1) / R, across = l.d_out / C, items = groups * across;
    const int strip = KL_HEAD_STRIP / C;
    const bool strips = l.d_out % KL_HEAD_STRIP == 0;
    for (int item = (int)threadIdx.x; item < items; item += KL_HEAD_THREADS) {
        /* Of whole strips, threads behind each other take the same weights, for other rows. */
        const int unit = item / strip,
                  col = (strips ? unit / groups * strip + item % strip : item % across) * C,
                  row = from + (strips ? unit % groups : item / across) * R;
        const float *x[R];
        float sum[R][C], bias[C], z[R][C]; /* z: in memory if R is large, or the code would be */
        kl_load(bias, own.params + l.bias + col);
#pragma unroll
        for (int q = 0; q < R; q++)
            x[q] = kl_input_row(job, own, number, row + q < to ? row + q : to - 1);
        kl_chains(sum, x, own.params + kl_weight_at(l, col), kl_width(l.d_out, col), l.d_in);
#pragma unroll
        for (int q = 0; q < R; q++)
#pragma unroll
            for (int c = 0; c < C; c++) z[q][c] = sum[q][c] + bias[c];
#pragma unroll R <= 2 ? R : 1
        for (int q = 0; q < R; q++)
#pragma unroll
            for (int c = 0; c < C && row + q < to; c++)
                y[(int64_t)(row + q) * l.d_out + col + c] =
                    kl_activate(z[q][c], job, own, l, row + q, col + c);
    }
}

/* As many sums a thread as leave work for all. */
KL_GPU void kl_forward_linear(const kl_head_job &job, const kl_head_slice &own, int number, int from, int to)
{
    const int work = (to - from) * job.shape.layers[number].d_out / KL_HEAD_THREADS;
    const bool fours = kl_outputs_together(job.shape.layers[number].d_out) == 4;
    if (fours && work >= 4 * KL_HEAD_ROWS) kl_forward_rows<KL_HEAD_ROWS, 4>(job, own, number, from, to);
    else if (fours && work >= 8) kl_forward_rows<2, 4>(job, own, number, from, to);
    else if (work >= 2) kl_forward_rows<2, 1>(job, own, number, from, to);
    else kl_forward_rows<1, 1>(job, own, number, from, to);
}

/* sum[q] goes on by d[q][j] w[j]. */
template <int N>
KL_GPU void kl_chains_on(float (&sum)[N], const float *const (&d)[N], const float *w, int n)
{
    int j = 0;
    if (n % 4 == 0)
#pragma unroll N <= 2 ? 8 : 1
        for (; j < n; j += 4) {
            const float4 four = *(const float4 *)(w + j);
#pragma unroll
            for (int q = 0; q < N; q++) {
                const float4 by = *(const float4 *)(d[q] + j);
                sum[q] = fmaf(by.x, four.x, sum[q]);
                sum[q] = fmaf(by.y, four.y, sum[q]);
                sum[q] = fmaf(by.z, four.z, sum[q]);
                sum[q] = fmaf(by.w, four.w, sum[q]);
            }
        }
    for (; j < n; j++)
#pragma unroll
        for (int q = 0; q < N; q++) sum[q] = fmaf(d[q][j], w[j], sum[q]);
}

/* dy of the layer before from dy of this one: chains over the outputs in rising order. Threads beside
   each other read weights that are far apart, hence by fours, and for N rows at once. */
template <int N>
KL_GPU void kl_back_rows(const kl_head_job &job, const kl_head_slice &own, int number, int from, int to)
{
    const kl_cuda_layer &l = job.shape.layers[number], &below = job.shape.layers[number - 1];
    const float *dy = own.dy + job.y_at[number], *y = own.y + job.y_at[number - 1];
    float *dx = own.dy + job.y_at[number - 1];
    const int items = (to - from + N - 1) / N * l.d_in;
    for (int item = (int)threadIdx.x; item < items; item += KL_HEAD_THREADS) {
        const int row = from + item / l.d_in * N, i = item % l.d_in;
        const float *d[N];
        float sum[N], was[N]; /* was: read before anything is written, or each would be waited for */
#pragma unroll
        for (int q = 0; q < N; q++)
            sum[q] = 0, was[q] = y[(int64_t)(row + q < to ? row + q : to - 1) * l.d_in + i];
        for (int col = 0; col < l.d_out;) {
            const int width = kl_width(l.d_out, col);
#pragma unroll
            for (int q = 0; q < N; q++)
                d[q] = dy + (int64_t)(row + q < to ? row + q : to - 1) * l.d_out + col;
            /* Rows of fours begin at fours when all of them do. */
            const float *w = own.params + kl_weight_at(l, col) + (int64_t)i * width;
            if (l.d_out % 4 == 0) kl_chains_on(sum, d, w, width);
            else
                for (int j = 0; j < width; j++)
#pragma unroll
                    for (int q = 0; q < N; q++) sum[q] = fmaf(d[q][j], w[j], sum[q]);
            col += width;
        }
#pragma unroll
        for (int q = 0; q < N; q++) {
            const int64_t at = (int64_t)(row + q) * l.d_in + i;
            if (row + q < to) dx[at] = kl_activate_back(sum[q], was[q], job, below);
        }
    }
}

KL_GPU void kl_linear_back(const kl_head_job &job, const kl_head_slice &own, int number, int from, int to)
{
    const int work = (to - from) * job.shape.layers[number].d_in / KL_HEAD_THREADS;
    if (work >= KL_HEAD_ROWS) kl_back_rows<KL_HEAD_ROWS>(job, own, number, from, to);
    else if (work >= 2) kl_back_rows<2>(job, own, number, from, to);
    else kl_back_rows<1>(job, own, number, from, to);
}

#endif
