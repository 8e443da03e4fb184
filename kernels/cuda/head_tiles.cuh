/* SPDX-License-Identifier: MIT
   A head's first layer, nearly all of its parameters, where a block has many rows of it. Its outputs and
   its gradients are two products of matrices, made tile by tile through the block's memory, as
   convs_own.cuh makes a convolution. A tile is 64 x 128 of the product; a thread holds 8 x 4 sums.
   The threads work on DEEP links of the sums' chains in one half of the memory while the next links are
   on their way to the other half, so that nobody waits for the GPU's memory at each link. Each sum is
   the same chain as in head_linear.cuh and head_update.cuh, so that it changes no bit which is used. */
#ifndef KL_CUDA_HEAD_TILES_CUH
#define KL_CUDA_HEAD_TILES_CUH

#include "kernels/cuda/head_linear.cuh"
#include "kernels/cuda/head_update.cuh"

enum {
    KL_TILE_ROWS = 64,
    KL_TILE_COLUMNS = 128,
    KL_TILE_DEEP = 16,
    KL_TILE_STEP = KL_TILE_ROWS + 4, /* floats from one link's rows to the next one's */
    KL_TILE_HALF = KL_TILE_DEEP * (KL_TILE_STEP + KL_TILE_COLUMNS),
    KL_TILE_MEMORY = 2 * KL_TILE_HALF
};
static_assert(KL_TILE_ROWS * KL_TILE_DEEP == 4 * KL_HEAD_THREADS, "a thread brings four values of rows");
static_assert(KL_TILE_ROWS * KL_TILE_COLUMNS == KL_HEAD_INPUTS * 4 * KL_HEAD_THREADS,
              "and has 8 x 4 sums");

/* Tiles of the first layer's gradients; 0: it is none that is made so. */
static inline __host__ __device__ int kl_tiles(const kl_cuda_layer &l)
{
    if (l.kind != KL_CUDA_LINEAR || l.d_in % KL_TILE_ROWS || l.d_out % KL_HEAD_STRIP) return 0;
    return l.d_in / KL_TILE_ROWS * ((l.d_out + KL_TILE_COLUMNS - 1) / KL_TILE_COLUMNS);
}

/* The eight rows and four columns of a thread's sums begin there. */
KL_GPU int kl_tile_row(void)
{
    return ((int)threadIdx.x / 128 * 4 + (int)threadIdx.x % 32 / 8) * KL_HEAD_INPUTS;
}
KL_GPU int kl_tile_column(void)
{
    return ((int)threadIdx.x / 32 % 4 * 8 + (int)threadIdx.x % 8) * 4;
}

struct kl_tile_brought {
    float4 rows, columns[2];
};
/* Links from k on: rows(k, i) are four values of link k from row i on; where TURNED, of row i from link
   k on. columns(k, i) likewise, in rows. */
template <bool TURNED, class A, class B>
KL_GPU void kl_tile_bring(kl_tile_brought &brought, int k, const A &rows, const B &columns)
{
    const int t = (int)threadIdx.x;
    if (TURNED) brought.rows = rows(k + t % 4 * 4, t / 4);
    else brought.rows = rows(k + t / 16, t % 16 * 4);
#pragma unroll
    for (int i = 0; i < 2; i++)
        brought.columns[i] = columns(k + t / 32 + i * KL_TILE_DEEP / 2, t % 32 * 4);
}
template <bool TURNED> KL_GPU void kl_tile_keep(float *half, const kl_tile_brought &brought)
{
    const int t = (int)threadIdx.x;
    float *columns = half + KL_TILE_DEEP * KL_TILE_STEP;
    if (TURNED) {
        float *to = half + t % 4 * 4 * KL_TILE_STEP + t / 4;
        to[0] = brought.rows.x, to[KL_TILE_STEP] = brought.rows.y;
        to[2 * KL_TILE_STEP] = brought.rows.z, to[3 * KL_TILE_STEP] = brought.rows.w;
    } else *(float4 *)(half + t / 16 * KL_TILE_STEP + t % 16 * 4) = brought.rows;
#pragma unroll
    for (int i = 0; i < 2; i++)
        *(float4 *)(columns + (t / 32 + i * KL_TILE_DEEP / 2) * KL_TILE_COLUMNS + t % 32 * 4) =
            brought.columns[i];
}

KL_GPU void kl_tile_link(float (&sum)[KL_HEAD_INPUTS][4], const float *half, int k)
{
    const float4 *at = (const float4 *)(half + k * KL_TILE_STEP + kl_tile_row()), low = at[0],
                 high = at[1];
    const float rows[KL_HEAD_INPUTS] = { low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w };
    float columns[4];
    kl_load(columns, half + KL_TILE_DEEP * KL_TILE_STEP + k * KL_TILE_COLUMNS + kl_tile_column());
    kl_outer(sum, rows, columns);
}
/* The chains of n links go on, in rising order. By the block together, which may use its memory. */
template <bool TURNED, class A, class B>
KL_GPU void kl_tile_chains(float (&sum)[KL_HEAD_INPUTS][4], int n, const A &rows, const B &columns)
{
    float *half = kl_shared, *other = kl_shared + KL_TILE_HALF;
    kl_tile_brought brought;
    kl_tile_bring<TURNED>(brought, 0, rows, columns);
    kl_tile_keep<TURNED>(half, brought);
    __syncthreads();
    for (int k = 0; k < n; k += KL_TILE_DEEP) {
        const bool more = k + KL_TILE_DEEP < n;
        if (more) kl_tile_bring<TURNED>(brought, k + KL_TILE_DEEP, rows, columns);
        if (n - k >= KL_TILE_DEEP) {
#pragma unroll
            for (int i = 0; i < KL_TILE_DEEP; i++) kl_tile_link(sum, half, i);
        } else {
#pragma unroll 1
            for (int i = 0; i < n - k; i++) kl_tile_link(sum, half, i);
        }
        if (more) kl_tile_keep<TURNED>(other, brought);
        __syncthreads();
        float *const next = half;
        half = other, other = next;
    }
}

/* Rows [row, row + 64) of outputs [col, col + 128), before activation. */
KL_GPU void kl_tile_forward(const kl_head_job &job, const kl_head_slice &own, int row, int to, int col)
{
    const kl_cuda_layer &l = job.shape.layers[0];
    const int brings = row + (int)threadIdx.x / 4, c = col + kl_tile_column();
    const float *x = kl_input_row(job, own, 0, brings < to ? brings : to - 1);
    float sum[KL_HEAD_INPUTS][4] = {}, bias[4] = {};
    kl_tile_chains<true>(
        sum, l.d_in, [&](int k, int) { return *(const float4 *)(x + k); },
        [&](int k, int i) {
            return kl_four(own.params + kl_weight_at(l, col + i) + k * KL_HEAD_STRIP, col + i < l.d_out);
        });
    if (c >= l.d_out) return;
    kl_load(bias, own.params + l.bias + c);
#pragma unroll
    for (int q = 0; q < KL_HEAD_INPUTS; q++) {
        const int r = row + kl_tile_row() + q;
#pragma unroll
        for (int i = 0; i < 4; i++) sum[q][i] += bias[i];
        if (r < to) kl_store(own.y + job.y_at[0] + (int64_t)r * l.d_out + c, sum[q]);
    }
}

/* The first layer of rows [from, to). */
KL_GPU void kl_tiles_forward(const kl_head_job &job, const kl_head_slice &own, int from, int to)
{
    const kl_cuda_layer &l = job.shape.layers[0];
    const int across = l.d_out / 4;
    for (int row = from; row < to; row += KL_TILE_ROWS)
        for (int col = 0; col < l.d_out; col += KL_TILE_COLUMNS) kl_tile_forward(job, own, row, to, col);
    __syncthreads();
#pragma unroll 1 /* for the size of the code */
    for (int i = (int)threadIdx.x; i < (to - from) * across; i += KL_HEAD_THREADS) {
        const int r = from + i / across, col = i % across * 4;
        float *y = own.y + job.y_at[0] + (int64_t)r * l.d_out + col, z[4];
        kl_load(z, y);
#pragma unroll
        for (int q = 0; q < 4; q++) z[q] = kl_activate(z[q], job, own, l, r, col + q);
        kl_store(y, z);
    }
}

/* Asked for early, into the second-level cache: parameters and moments of inputs [input, input + 64),
   outputs [col, col + 128). */
KL_GPU void kl_tile_fetch(const kl_mover &to, const kl_cuda_layer &l, int input, int col)
{
    enum { STRIPS = KL_TILE_COLUMNS / KL_HEAD_STRIP };
    const int i = input + (int)threadIdx.x / STRIPS, c = col + (int)threadIdx.x % STRIPS * KL_HEAD_STRIP;
    if (c >= l.d_out) return;
    const int64_t at = kl_weight_at(l, c) + (int64_t)i * KL_HEAD_STRIP;
    KL_PREFETCH(L2, to.params + at);
    KL_PREFETCH(L2, to.m + at);
    KL_PREFETCH(L2, to.v + at);
}

/* The items of the first layer's weights that are this block's. */
KL_GPU void kl_tiles_items(float *squares, const kl_mover &to, const kl_head_job &job, const kl_head_slice &own,
                           int block, int rows)
{
    const kl_cuda_layer &l = job.shape.layers[0];
    const int down = l.d_in / KL_TILE_ROWS, tiles = kl_tiles(l);
    for (int tile = block; tile < tiles; tile += job.blocks) {
        const int input = tile % down * KL_TILE_ROWS, col = tile / down * KL_TILE_COLUMNS,
                  i = input + kl_tile_row(), c = col + kl_tile_column();
        const int64_t at = kl_weight_at(l, c) + (int64_t)i * KL_HEAD_STRIP;
        const float *dy = own.dy + job.y_at[0] + col;
        float sum[KL_HEAD_INPUTS][4];
        kl_tile_fetch(to, l, input, col);
#pragma unroll
        for (int q = 0; q < KL_HEAD_INPUTS; q++)
#pragma unroll
            for (int e = 0; e < 4; e++)
                sum[q][e] = own.first && c < l.d_out ? own.partial[at + q * KL_HEAD_STRIP + e] : 0;
        kl_tile_chains<false>(
            sum, rows,
            [&](int k, int e) {
                return kl_four(kl_input_row(job, own, 0, k < rows ? k : 0) + input + e, k < rows);
            },
            [&](int k, int e) {
                return kl_four(dy + (int64_t)k * l.d_out + e, k < rows && col + e < l.d_out);
            });
        if (c < l.d_out)
            squares[i / KL_HEAD_INPUTS * (l.d_out / 4) + c / 4] =
                kl_weight_done(to, own, at, KL_HEAD_STRIP, KL_HEAD_INPUTS, sum);
    }
}

#endif
