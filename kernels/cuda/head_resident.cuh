/* SPDX-License-Identifier: MIT
   A head whose first layer, nearly all of its parameters, stays in the memory of the blocks that share
   its steps. Each block holds the weights and moments of some of the layer's outputs, and the features
   of the whole batch; it computes these outputs for all rows, and updates their weights. Blocks exchange
   that layer's outputs and the gradients at them; the other layers are shared out by rows and items, as
   in head_kernels.cuh. Each sum is the same chain as there, so that it changes no bit which is used. */
#ifndef KL_CUDA_HEAD_RESIDENT_CUH
#define KL_CUDA_HEAD_RESIDENT_CUH

#include "kernels/cuda/head_rows.cuh"

/* A block's memory behind the circuit's: features (rows, kl_resident_row), weights and moments of
   `columns` outputs (inputs, columns) from output `first` on, gradients there (rows, columns), and a
   copy of the other layers' parameters, `behind` of them, which stand from `from` on in the head's. Of
   every second four groups of 8 features the second half comes first, and four floats stay free behind
   each 8 inputs' weights, so that threads that read what is 8 inputs apart meet in no bank. */
struct kl_resident {
    float *x, *w, *m, *v, *d, *params;
    int columns, first, groups /* of KL_HEAD_INPUTS inputs */, from, behind;
};

/* The half of group g's features that comes first. */
static inline __host__ __device__ int kl_resident_swap(int g)
{
    return g / 4 % 2;
}
/* The first place of the weights of group g. */
static inline __host__ __device__ int kl_resident_w(int g, int columns)
{
    return g * (KL_HEAD_INPUTS * columns + 4);
}
/* From one row of features to the next: four more than a multiple of 32. */
static inline __host__ __device__ int kl_resident_row(int groups)
{
    return (groups * KL_HEAD_INPUTS + 27) / 32 * 32 + 4;
}
/* The first place of the parameters of the layers behind the first, by fours. */
static inline __host__ __device__ int kl_resident_from(const kl_cuda_head &s)
{
    int from = (int)s.block;
    for (int l = 1; l < s.n_layers; l++) {
        if (s.layers[l].weight < from) from = s.layers[l].weight;
        if (s.layers[l].kind == KL_CUDA_LINEAR && s.layers[l].bias < from) from = s.layers[l].bias;
    }
    return from / 4 * 4;
}
/* How many there are: whole fours, which the block of parameters has. */
static inline __host__ __device__ int kl_resident_behind(const kl_cuda_head &s)
{
    return ((int)s.block - kl_resident_from(s)) / 4 * 4;
}
/* Values of a block's memory. */
static inline __host__ __device__ size_t kl_resident_memory(const kl_cuda_head &s, int columns)
{
    const int groups = s.layers[0].d_in / KL_HEAD_INPUTS;
    return (size_t)s.batch * (size_t)(kl_resident_row(groups) + columns) +
           (size_t)3 * (size_t)kl_resident_w(groups, columns) + (size_t)kl_resident_behind(s);
}

KL_GPU kl_resident kl_resident_of(const kl_head_job &job, int block)
{
    const kl_cuda_layer &l = job.shape.layers[0];
    const int groups = l.d_in / KL_HEAD_INPUTS, columns = l.d_out / job.blocks,
              size = kl_resident_w(groups, columns);
    kl_resident a;
    a.columns = columns, a.first = block * columns, a.groups = groups;
    a.w = kl_shared + job.resident_at, a.m = a.w + size, a.v = a.m + size;
    a.x = a.v + size, a.d = a.x + job.shape.batch * kl_resident_row(groups);
    a.params = a.d + job.shape.batch * columns;
    a.from = kl_resident_from(job.shape), a.behind = kl_resident_behind(job.shape);
    return a;
}

/* Four weights at a time, from or to the GPU's memory. */
template <class F> KL_GPU void kl_resident_each(const kl_resident &a, const kl_cuda_layer &l, F move)
{
    const int fours = a.columns / 4, n = a.groups * KL_HEAD_INPUTS * fours;
    for (int i = (int)threadIdx.x; i < n; i += KL_HEAD_THREADS) {
        const int input = i / fours, c = i % fours * 4;
        move(kl_resident_w(input / KL_HEAD_INPUTS, a.columns) + input % KL_HEAD_INPUTS * a.columns + c,
             kl_weight_at(l, a.first + c) + (int64_t)input * kl_width(l.d_out, a.first));
    }
}
KL_GPU void kl_resident_load(const kl_resident &a, const kl_cuda_layer &l, const kl_mover &from)
{
    kl_resident_each(a, l, [&](int at, int64_t there) {
        *(float4 *)(a.w + at) = *(const float4 *)(from.params + there);
        *(float4 *)(a.m + at) = *(const float4 *)(from.m + there);
        *(float4 *)(a.v + at) = *(const float4 *)(from.v + there);
    });
}
KL_GPU void kl_resident_store(const kl_mover &to, const kl_cuda_layer &l, const kl_resident &a)
{
    kl_resident_each(a, l, [&](int at, int64_t there) {
        *(float4 *)(to.params + there) = *(const float4 *)(a.w + at);
        *(float4 *)(to.m + there) = *(const float4 *)(a.m + at);
        *(float4 *)(to.v + there) = *(const float4 *)(a.v + at);
    });
}

/* The features of the batch's rows. As in kl_resident_params, all that a thread reads at a time is read
   before the first of it is written: one after the other, each would be waited for. */
KL_GPU void kl_resident_rows(const kl_resident &a, const kl_head_job &job, const kl_head_slice &own, int rows)
{
    enum { AT_ONCE = 8 };
    const int fours = a.groups * (KL_HEAD_INPUTS / 4), step = kl_resident_row(a.groups);
    int r = (int)threadIdx.x / fours, four = (int)threadIdx.x % fours;
    while (r < rows) {
        float4 value[AT_ONCE];
        int to[AT_ONCE];
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++) {
            to[i] = r < rows ? r * step + (four ^ kl_resident_swap(four / 2)) * 4 : -1;
            value[i] = kl_four(kl_input_row(job, own, 0, r < rows ? r : 0) + four * 4, r < rows);
            for (four += KL_HEAD_THREADS; four >= fours; four -= fours) r++;
        }
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++)
            if (to[i] >= 0) *(float4 *)(a.x + to[i]) = value[i];
    }
}

/* The other layers' parameters as the blocks have left them. */
KL_GPU void kl_resident_params(const kl_resident &a, const kl_mover &from)
{
    enum { AT_ONCE = 8 };
    for (int first = (int)threadIdx.x * 4; first < a.behind; first += AT_ONCE * KL_HEAD_THREADS * 4) {
        float4 value[AT_ONCE];
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++) {
            const int at = first + i * KL_HEAD_THREADS * 4;
            value[i] = kl_four(from.params + a.from + at, at < a.behind);
        }
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++) {
            const int at = first + i * KL_HEAD_THREADS * 4;
            if (at < a.behind) *(float4 *)(a.params + at) = value[i];
        }
    }
}

/* Outputs of the first layer, this block's of all rows: a thread two of a row. */
KL_GPU void kl_resident_forward(const kl_resident &a, const kl_head_job &job, const kl_head_slice &own,
                                int rows)
{
    const kl_cuda_layer &l = job.shape.layers[0];
    const int across = a.columns / 2, step = kl_resident_row(a.groups);
    float *y = own.y + job.y_at[0];
    for (int item = (int)threadIdx.x; item < rows * across; item += KL_HEAD_THREADS) {
        const int r = item / across, c = item % across * 2, col = a.first + c;
        float sum[1][2] = {}, bias[2];
        kl_load(bias, own.params + l.bias + col);
#pragma unroll 2
        for (int g = 0; g < a.groups; g++) {
            const float4 *x = (const float4 *)(a.x + r * step + g * KL_HEAD_INPUTS);
            const float *w = a.w + kl_resident_w(g, a.columns) + c;
            const float4 low = x[kl_resident_swap(g)], high = x[1 - kl_resident_swap(g)];
            const float inputs[KL_HEAD_INPUTS] = { low.x,  low.y,  low.z,  low.w,
                                                   high.x, high.y, high.z, high.w };
#pragma unroll
            for (int q = 0; q < KL_HEAD_INPUTS; q++) {
                const float one[1] = { inputs[q] };
                float weights[2];
                kl_load(weights, w + q * a.columns);
                kl_outer(sum, one, weights);
            }
        }
#pragma unroll
        for (int q = 0; q < 2; q++)
            sum[0][q] = kl_activate(sum[0][q] + bias[q], job, own, l, r, col + q);
        kl_store(y + (int64_t)r * l.d_out + col, sum[0]);
    }
}

/* Gradients of this block's outputs, which others have left in the GPU's memory. */
KL_GPU void kl_resident_gather(const kl_resident &a, const kl_head_job &job, const kl_head_slice &own, int rows)
{
    const int across = a.columns / 4, d_out = job.shape.layers[0].d_out;
    const float *dy = own.dy + job.y_at[0] + a.first;
    for (int i = (int)threadIdx.x; i < rows * across; i += KL_HEAD_THREADS)
        *(float4 *)(a.d + i * 4) =
            *(const float4 *)(dy + (int64_t)(i / across) * d_out + i % across * 4);
}

/* The item of 8 inputs and 4 outputs whose group of inputs is g, and first output c of the block's. */
KL_GPU float kl_resident_item(const kl_resident &a, const kl_mover &to, int g, int c, int rows)
{
    enum { PART = KL_HEAD_INPUTS / 2 }; /* for want of registers */
    const kl_mover here = { a.w, a.m, a.v, NULL, NULL, to.f, to.rule };
    const int step = kl_resident_row(a.groups), at = kl_resident_w(g, a.columns) + c;
    float sum[KL_HEAD_INPUTS][4] = {}, squares = 0;
    kl_weight_chains(sum, a.x + g * KL_HEAD_INPUTS, kl_resident_swap(g), step, NULL, a.d + c, a.columns,
                     rows);
#pragma unroll
    for (int q = 0; q < KL_HEAD_INPUTS; q += PART)
        squares += kl_adam_all<PART, 4>(here, at + q * a.columns, a.columns, sum + q);
    return squares;
}

/* The first layer's update by the first half of the block, the biases' and the other layers' items by
   the second. */
KL_GPU void kl_resident_update(float *squares, const kl_resident &a, const kl_mover &to,
                               const kl_head_job &job, const kl_head_slice &own, int block, int rows)
{
    enum { HALF = KL_HEAD_THREADS / 2, WARPS = HALF / KL_WARP };
    const kl_cuda_layer &l = job.shape.layers[0];
    const int t = (int)threadIdx.x, across = a.columns / 4;
    if (t < HALF) {
        for (int i = t; i < a.groups * across; i += HALF) {
            const int g = i % a.groups, c = i / a.groups * 4;
            squares[g * (l.d_out / 4) + (a.first + c) / 4] = kl_resident_item(a, to, g, c, rows);
        }
        return;
    }
    const int weights = kl_weight_items(l), warp = (t - HALF) / KL_WARP;
    if (warp == WARPS - 1 && t % KL_WARP < a.columns)
        squares[weights + a.first + t % KL_WARP] =
            kl_bias_item(to, own, l, a.first + t % KL_WARP, a.d + t % KL_WARP, a.columns, rows);
    kl_items(squares, to, job, own, job.slot_at[1], rows, warp * job.blocks + block, WARPS * job.blocks);
}

#endif
