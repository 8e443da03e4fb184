/* SPDX-License-Identifier: MIT
   Gradients of a head's parameters, summed over the batch, and their update. An item is what one thread
   takes: of a linear layer the weights of KL_HEAD_INPUTS inputs and kl_outputs_together outputs, then
   each bias; of the circuit each weight. Items of layer l begin at item_at[l]; each leaves the sum of
   its gradients' squares. A batch may come in slices of rows: then each sum goes on where the slice
   before left it, so that slices change no bit. */
#ifndef KL_CUDA_HEAD_UPDATE_CUH
#define KL_CUDA_HEAD_UPDATE_CUH

#include "kernels/cuda/head.cuh"

KL_GPU float kl_circuit_put(const kl_mover &to, int64_t i, float g, float squares)
{
    if (to.absent && to.absent[i]) g = 0;
    if (to.grad) to.grad[i] = g;
    else kl_move(to, i, g);
    return fmaf(g, g, squares);
}

/* The gradient g of parameter i: for the next slice, or for the step. The sum of squares with its own.
 */
KL_GPU float kl_leave(const kl_mover &to, const kl_head_slice &own, int64_t i, float g, float squares)
{
    if (own.last) return kl_circuit_put(to, i, g, squares);
    own.partial[i] = g;
    return squares;
}

/* Adam on weights i + q * step + c, N inputs of C outputs, all of which are read before the first is
   written: a step would else wait for the second-level cache weight by weight. Sum of the gradients'
   squares. */
template <int N, int C>
KL_GPU float kl_adam_all(const kl_mover &to, int64_t i, int step, const float (*g)[C])
{
    float p[N][C], m[N][C], v[N][C], squares = 0;
#pragma unroll
    for (int q = 0; q < N; q++) {
        kl_load(p[q], to.params + i + q * step);
        kl_load(m[q], to.m + i + q * step);
        kl_load(v[q], to.v + i + q * step);
    }
#pragma unroll
    for (int q = 0; q < N; q++)
#pragma unroll
        for (int c = 0; c < C; c++) {
            kl_adam(&p[q][c], &m[q][c], &v[q][c], g[q][c], to.f);
            squares = fmaf(g[q][c], g[q][c], squares);
        }
#pragma unroll
    for (int q = 0; q < N; q++) {
        kl_store(to.params + i + q * step, p[q]);
        kl_store(to.m + i + q * step, m[q]);
        kl_store(to.v + i + q * step, v[q]);
    }
    return squares;
}

/* sum[q][c] goes on by the chain over rows of x[q] d[c]; which: places of the rows of x, or NULL; swap
   1: each row's second four values stand before its first. Steps in bytes, one multiply-add a row:
   addresses would else be three instructions of four. */
template <int C>
KL_GPU void kl_weight_chains(float (&sum)[KL_HEAD_INPUTS][C], const float *x, int swap, int step,
                             const int32_t *which, const float *d, int d_step, int rows)
{
    const int bytes = step * (int)sizeof *x;
#pragma unroll C == 1 ? 8 : 4
    for (int r = 0; r < rows; r++) {
        const float4 *at = (const float4 *)((const char *)x + (int64_t)(which ? which[r] : r) * bytes),
                     a = at[swap], b = at[1 - swap];
        const float inputs[KL_HEAD_INPUTS] = { a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w };
        float dy[C];
        kl_load(dy, d);
        d += d_step;
        kl_outer(sum, inputs, dy);
    }
}

/* The gradients of n inputs' weights and C outputs, from weight `at` on, move them, or are left: for the
   next slice, or for the step. Sum of their squares. */
template <int C>
KL_GPU float kl_weight_done(const kl_mover &to, const kl_head_slice &own, int64_t at, int width, int n,
                            const float (&sum)[KL_HEAD_INPUTS][C])
{
    float squares = 0;
    if (n == KL_HEAD_INPUTS && own.last && !to.absent && !to.grad && to.rule == KL_CUDA_ADAM) {
        constexpr int part = C == 1 ? KL_HEAD_INPUTS : KL_HEAD_INPUTS / 2; /* for want of registers */
#pragma unroll
        for (int q = 0; q < KL_HEAD_INPUTS; q += part)
            squares += kl_adam_all<part, C>(to, at + q * width, width, sum + q);
        return squares;
    }
    float g[KL_HEAD_INPUTS][C]; /* in memory if C is large, or the code would be */
#pragma unroll
    for (int q = 0; q < KL_HEAD_INPUTS; q++)
#pragma unroll
        for (int c = 0; c < C; c++) g[q][c] = sum[q][c];
#pragma unroll C == 1 ? KL_HEAD_INPUTS : 1
    for (int q = 0; q < n; q++)
#pragma unroll
        for (int c = 0; c < C; c++) squares = kl_leave(to, own, at + q * width + c, g[q][c], squares);
    return squares;
}

/* KL_HEAD_INPUTS inputs from `input` on, C outputs from `col` on, over rows in rising order. */
template <int C>
KL_GPU float kl_weight_item(const kl_mover &to, const kl_head_job &job, const kl_head_slice &own,
                            int number, int input, int col, int rows)
{
    const kl_cuda_layer &l = job.shape.layers[number];
    const float *d = own.dy + job.y_at[number] + col;
    const int n = l.d_in - input < KL_HEAD_INPUTS ? l.d_in - input : KL_HEAD_INPUTS;
    const int width = kl_width(l.d_out, col);
    const int64_t at = kl_weight_at(l, col) + (int64_t)input * width;
    float sum[KL_HEAD_INPUTS][C];
#pragma unroll
    for (int q = 0; q < KL_HEAD_INPUTS; q++)
#pragma unroll
        for (int c = 0; c < C; c++) sum[q][c] = own.first && q < n ? own.partial[at + q * width + c] : 0;
    if (n == KL_HEAD_INPUTS && l.d_in % 4 == 0 && number)
        kl_weight_chains(sum, kl_input_row(job, own, number, 0) + input, 0, l.d_in, NULL, d, l.d_out,
                         rows);
    else if (n == KL_HEAD_INPUTS && l.d_in % 4 == 0)
        kl_weight_chains(sum, job.x + input, 0, l.d_in, own.rows, d, l.d_out, rows);
    else
        for (int r = 0; r < rows; r++) {
            const float *x = kl_input_row(job, own, number, r) + input;
            float inputs[KL_HEAD_INPUTS], dy[C];
            kl_load(dy, d + (int64_t)r * l.d_out);
#pragma unroll
            for (int q = 0; q < KL_HEAD_INPUTS; q++) inputs[q] = q < n ? x[q] : 0;
            kl_outer(sum, inputs, dy);
        }
    return kl_weight_done(to, own, at, width, n, sum);
}

/* The bias of output col, whose gradients of the rows are d, `step` apart. */
KL_GPU float kl_bias_item(const kl_mover &to, const kl_head_slice &own, const kl_cuda_layer &l, int col,
                          const float *d, int step, int rows)
{
    float sum = own.first ? own.partial[l.bias + col] : 0;
#pragma unroll 8
    for (int r = 0; r < rows; r++) sum += d[(int64_t)r * step];
    return kl_leave(to, own, l.bias + col, sum, 0);
}

KL_GPU float kl_quantum_item(const kl_mover &to, const kl_head_job &job, const kl_head_slice &own,
                             int number, int weight, int rows)
{
    const kl_cuda_circuit &c = job.shape.circuit;
    const int64_t at = job.shape.layers[number].weight + weight;
    const int from = weight ? c.use_end[weight - 1] : 0;
    const float *dangle = job.dangle + own.place * c.n_slots * job.slice;
    float sum = own.first ? own.partial[at] : 0;
    if (c.use_end[weight] - from == 1) { /* nearly always: then rows do not wait for each other */
        const int slot = c.use[from];
        const kl_cuda_angle angle = c.angles[slot];
#pragma unroll 16
        for (int r = 0; r < rows; r++)
            sum += kl_weight_part(angle, kl_input_row(job, own, number, r),
                                  dangle[(int64_t)slot * job.slice + r]);
        return kl_leave(to, own, at, sum, 0);
    }
    for (int r = 0; r < rows; r++)
        for (int u = from; u < c.use_end[weight]; u++)
            sum += kl_weight_part(c.angles[c.use[u]], kl_input_row(job, own, number, r),
                                  dangle[(int64_t)c.use[u] * job.slice + r]);
    return kl_leave(to, own, at, sum, 0);
}

/* The items from slot `begin` on that are warp `worker`'s of `workers`. Those of a layer's weights, of
   its biases and of the circuit begin with a warp each: of several kinds in one, each would wait for all
   others. */
KL_GPU void kl_items(float *squares, const kl_mover &to, const kl_head_job &job,
                     const kl_head_slice &own, int begin, int rows, int worker, int workers)
{
    const int end = job.slot_at[job.shape.n_layers];
    int number = 0;
    for (int slot = begin + worker * KL_WARP + kl_lane_number(); slot < end; slot += workers * KL_WARP) {
        while (slot >= job.slot_at[number + 1]) number++;
        const kl_cuda_layer &l = job.shape.layers[number];
        const int own_slot = slot - job.slot_at[number],
                  all = job.item_at[number + 1] - job.item_at[number];
        float *square = squares + job.item_at[number];
        if (l.kind == KL_CUDA_QUANTUM) {
            if (own_slot < all) square[own_slot] = kl_quantum_item(to, job, own, number, own_slot, rows);
            continue;
        }
        const int weights = kl_weight_items(l), bias = own_slot - kl_whole_warps(weights);
        if (bias >= l.d_out || (bias < 0 && own_slot >= weights)) continue;
        if (bias >= 0)
            square[weights + bias] =
                kl_bias_item(to, own, l, bias, own.dy + job.y_at[number] + bias, l.d_out, rows);
        else if (kl_outputs_together(l.d_out) == 4)
            square[own_slot] =
                kl_weight_item<4>(to, job, own, number, own_slot / (l.d_out / 4) * KL_HEAD_INPUTS,
                                  own_slot % (l.d_out / 4) * 4, rows);
        else
            square[own_slot] = kl_weight_item<1>(
                to, job, own, number, own_slot / l.d_out * KL_HEAD_INPUTS, own_slot % l.d_out, rows);
    }
}

/* The norm of every group's gradient, added to norms: a warp a layer, of `warps` this one. */
KL_GPU void kl_norms(double *norms, const float *squares, const kl_head_job &job, int warp, int warps)
{
    const int lane = kl_lane_number();
    for (int number = warp; number < job.shape.n_layers; number += warps) {
        const kl_cuda_layer &l = job.shape.layers[number];
        const int from = job.item_at[number], n = job.item_at[number + 1] - from;
        const bool quantum = l.kind == KL_CUDA_QUANTUM;
        const int groups = !quantum ? 1 : n ? job.shape.circuit_groups : 0;
        for (int g = 0; g < groups; g++) {
            double sum = 0;
            if (quantum) {
                for (int i = lane; i < n; i += KL_WARP)
                    if (job.shape.weight_group[i] == g) sum += (double)squares[from + i];
            } else {
#pragma unroll 32 /* the first layer's are many, and the other blocks wait */
                for (int i = lane; i < n; i += KL_WARP) sum += (double)squares[from + i];
            }
            sum = kl_warp_sum(sum);
            if (lane == 0) norms[l.group + g] += sqrt(sum);
        }
    }
}

/* Loss and right answers of the step, added to sums: by a warp. */
KL_GPU void kl_losses(double *sums, const double *loss, const int32_t *right, int rows)
{
    const int lane = kl_lane_number();
    double total = 0, count = 0;
    for (int r = lane; r < rows; r += KL_WARP) total += loss[r], count += right[r];
    total = kl_warp_sum(total), count = kl_warp_sum(count);
    if (lane == 0) sums[0] += total, sums[1] += count;
}

/* min(1, clip / norm), the same in every thread. scratch: a value a warp, of this block. */
KL_GPU float kl_clip_scale(double *scratch, const float *squares, const kl_head_job &job)
{
    double sum = 0;
    for (int i = (int)threadIdx.x; i < job.item_at[job.shape.n_layers]; i += KL_HEAD_THREADS)
        sum += (double)squares[i];
    const double norm = sqrt(kl_block_sum(scratch, sum));
    return norm > (double)job.shape.clip ? (float)((double)job.shape.clip / norm) : 1;
}

/* The kept gradients, times scale, move the parameters. */
KL_GPU void kl_move_clipped(kl_mover to, const kl_head_job &job, float scale, int block)
{
    const float *grad = to.grad;
    int64_t still = -1, n_still = 0; /* the circuit's weights, if it is frozen */
    to.grad = NULL;
    for (int l = 0; job.shape.frozen && l < job.shape.n_layers; l++)
        if (job.shape.layers[l].kind == KL_CUDA_QUANTUM)
            still = job.shape.layers[l].weight, n_still = job.shape.circuit.n_weights;
    for (int64_t i = block * (int64_t)KL_HEAD_THREADS + threadIdx.x; i < (int64_t)job.shape.block;
         i += (int64_t)job.blocks * KL_HEAD_THREADS)
        if (i < still || i >= still + n_still) kl_move(to, i, scale * grad[i]);
}

#endif
