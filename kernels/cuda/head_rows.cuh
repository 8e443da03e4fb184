/* SPDX-License-Identifier: MIT
   How a block takes rows through a head's layers and back. Every sum is one chain of fused multiply-adds
   in rising order, as on the CPU, so that neither the threads nor the blocks of a head change a bit. */
#ifndef KL_CUDA_HEAD_ROWS_CUH
#define KL_CUDA_HEAD_ROWS_CUH

#include "kernels/cuda/head.cuh"
#include "kernels/cuda/sweep.cuh"

KL_GPU float kl_activate(float z, const kl_head_job &job, const kl_own &own, const kl_cuda_layer &l,
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

/* What a gradient at a layer's output y becomes before its dropout and activation. */
KL_GPU float kl_activate_back(float dy, float y, const kl_head_job &job, const kl_cuda_layer &l)
{
    if (l.act == KL_CUDA_TANH) return dy * (1 - y * y);
    return l.act == KL_CUDA_RELU ? (y > 0 ? dy * job.shape.keep_scale : 0) : dy;
}

/* sum[q] = the chain over k of x[q][k] w[k * step]. Few rows leave room for many loads at once: what a
   step of one head waits for is the way of its weights from the second-level cache. */
template <int N>
KL_GPU void kl_chains(float (&sum)[N], const float *const (&x)[N], const float *w, int step, int n)
{
    int k = 0;
#pragma unroll
    for (int q = 0; q < N; q++) sum[q] = 0;
    if (n % 4 == 0)
#pragma unroll N <= 2 ? 8 : 2
        for (; k < n; k += 4) {
            const float w0 = w[k * step], w1 = w[(k + 1) * step], w2 = w[(k + 2) * step],
                        w3 = w[(k + 3) * step];
#pragma unroll
            for (int q = 0; q < N; q++) {
                const float4 four = *(const float4 *)(x[q] + k);
                sum[q] = fmaf(four.x, w0, sum[q]);
                sum[q] = fmaf(four.y, w1, sum[q]);
                sum[q] = fmaf(four.z, w2, sum[q]);
                sum[q] = fmaf(four.w, w3, sum[q]);
            }
        }
    for (; k < n; k++)
#pragma unroll
        for (int q = 0; q < N; q++) sum[q] = fmaf(x[q][k], w[k * step], sum[q]);
}

template <int N>
KL_GPU void kl_forward_rows(const kl_head_job &job, const kl_own &own, int number, int from, int to)
{
    const kl_cuda_layer &l = job.shape.layers[number];
    float *y = own.y + job.y_at[number];
    const int groups = (to - from + N - 1) / N, items = groups * l.d_out;
    const bool strips = l.d_out % KL_HEAD_STRIP == 0;
    for (int item = (int)threadIdx.x; item < items; item += (int)blockDim.x) {
        /* Of whole strips, warps beside each other take the same weights, for other rows. */
        const int warp = item / KL_HEAD_STRIP,
                  col = strips ? warp / groups * KL_HEAD_STRIP + item % KL_HEAD_STRIP : item % l.d_out,
                  row = from + (strips ? warp % groups : item / l.d_out) * N;
        const float *x[N], bias = own.params[l.bias + col];
        float sum[N];
#pragma unroll
        for (int q = 0; q < N; q++)
            x[q] = kl_input_row(job, own, number, row + q < to ? row + q : to - 1);
        kl_chains(sum, x, own.params + kl_weight_at(l, col), kl_width(l.d_out, col), l.d_in);
#pragma unroll
        for (int q = 0; q < N; q++)
            if (row + q < to)
                y[(int64_t)(row + q) * l.d_out + col] =
                    kl_activate(sum[q] + bias, job, own, l, row + q, col);
    }
}

/* As many rows a thread as leave work for all. */
KL_GPU void kl_forward_linear(const kl_head_job &job, const kl_own &own, int number, int from, int to)
{
    const int work = (to - from) * job.shape.layers[number].d_out / (int)blockDim.x;
    if (work >= KL_HEAD_ROWS) kl_forward_rows<KL_HEAD_ROWS>(job, own, number, from, to);
    else if (work >= 2) kl_forward_rows<2>(job, own, number, from, to);
    else kl_forward_rows<1>(job, own, number, from, to);
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
KL_GPU void kl_back_rows(const kl_head_job &job, const kl_own &own, int number, int from, int to)
{
    const kl_cuda_layer &l = job.shape.layers[number], &below = job.shape.layers[number - 1];
    const float *dy = own.dy + job.y_at[number], *y = own.y + job.y_at[number - 1];
    float *dx = own.dy + job.y_at[number - 1];
    const int items = (to - from + N - 1) / N * l.d_in;
    for (int item = (int)threadIdx.x; item < items; item += (int)blockDim.x) {
        const int row = from + item / l.d_in * N, i = item % l.d_in;
        const float *d[N];
        float sum[N];
#pragma unroll
        for (int q = 0; q < N; q++) sum[q] = 0;
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
            if (row + q < to) dx[at] = kl_activate_back(sum[q], y[at], job, below);
        }
    }
}

KL_GPU void kl_linear_back(const kl_head_job &job, const kl_own &own, int number, int from, int to)
{
    const int work = (to - from) * job.shape.layers[number].d_in / (int)blockDim.x;
    if (work >= KL_HEAD_ROWS) kl_back_rows<KL_HEAD_ROWS>(job, own, number, from, to);
    else if (work >= 2) kl_back_rows<2>(job, own, number, from, to);
    else kl_back_rows<1>(job, own, number, from, to);
}

/* The circuit of rows [from, to): a state in 2^(n_qubits - L) threads. back: and back again, from dy of
   this layer to dy of the one before. */
template <int L, bool REAL>
KL_GPU void kl_quantum(const kl_head_job &job, const kl_own &own, int number, int from, int to,
                       bool back)
{
    const kl_cuda_circuit *c = &job.shape.circuit;
    const int bits = c->n_qubits - L, step = (int)blockDim.x >> bits;
    const kl_place at = { threadIdx.x & ((1u << bits) - 1), bits };
    for (int row = from + ((int)threadIdx.x >> bits);; row += step) {
        const int first = row - (int)((threadIdx.x & 31) >> bits); /* of the warp: it goes on together */
        if (first >= to) break;
        const bool writes = row < to;
        const int64_t r = writes ? row : to - 1;
        const kl_angles angles = { c, own.trig, own.trig + c->n_slots,
                                   kl_input_row(job, own, number, (int)r),
                                   own.params + job.shape.layers[number].weight };
        kl_state<L, REAL> state;
        kl_sweep(state, angles, at);
        if (!back) kl_outputs(own.y + job.y_at[number] + r * c->n_outputs, state, c, writes, at);
        else
            kl_sweep_back(own.dangle + r, (size_t)job.slice,
                          own.dy + job.y_at[number - 1] + r * c->n_inputs, state, angles,
                          own.dy + job.y_at[number] + r * c->n_outputs, writes, at);
    }
}

template <int L, bool REAL>
KL_GPU void kl_quantum_back(const kl_head_job &job, const kl_own &own, int number, int from, int to)
{
    const kl_cuda_layer &below = job.shape.layers[number - 1];
    kl_quantum<L, REAL>(job, own, number, from, to, true);
    __syncthreads();
    for (int i = from * below.d_out + (int)threadIdx.x; i < to * below.d_out; i += (int)blockDim.x) {
        float *d = own.dy + job.y_at[number - 1] + i;
        *d = kl_activate_back(*d, own.y[job.y_at[number - 1] + i], job, below);
    }
}

/* Cosines and sines that the rows share, then all layers. Ends with the block together. */
template <int L, bool REAL>
KL_GPU void kl_head_forward(const kl_head_job &job, const kl_own &own, int from, int to)
{
    const kl_cuda_circuit *c = &job.shape.circuit;
    for (int number = 0; number < job.shape.n_layers; number++) {
        const kl_cuda_layer &l = job.shape.layers[number];
        if (l.kind == KL_CUDA_LINEAR) {
            kl_forward_linear(job, own, number, from, to);
        } else {
            for (int slot = (int)threadIdx.x; slot < c->n_slots; slot += (int)blockDim.x)
                kl_shared_angle(own.trig, own.trig + c->n_slots, c, slot, own.params + l.weight);
            __syncthreads();
            kl_quantum<L, REAL>(job, own, number, from, to, false);
        }
        __syncthreads();
    }
}

/* From dy of the last layer to dy of the first. Ends with the block together. */
template <int L, bool REAL>
KL_GPU void kl_head_back(const kl_head_job &job, const kl_own &own, int from, int to)
{
    for (int number = job.shape.n_layers - 1; number > 0; number--) {
        if (job.shape.layers[number].kind == KL_CUDA_LINEAR) kl_linear_back(job, own, number, from, to);
        else kl_quantum_back<L, REAL>(job, own, number, from, to);
        __syncthreads();
    }
}

/* One row's cross-entropy in nats, and whether its largest logit is the right one; d (classes) unless
   NULL becomes scale times the gradient. */
KL_GPU double kl_row_loss(float *d, bool *right, const float *logits, int label, int classes,
                          float scale)
{
    int best = 0;
    float sum = 0;
    for (int j = 1; j < classes; j++)
        if (logits[j] > logits[best]) best = j;
    for (int j = 0; j < classes; j++) {
        const float e = expf(logits[j] - logits[best]);
        sum += e;
        if (d) d[j] = e;
    }
    for (int j = 0; d && j < classes; j++) d[j] = d[j] * (scale / sum) - (j == label ? scale : 0);
    *right = best == label;
    return log((double)sum) - (double)(logits[label] - logits[best]);
}

#endif
