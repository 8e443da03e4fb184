/* SPDX-License-Identifier: MIT
   A tile of a product of matrices, made through the block's memory: 64 x 64 sums, 4 x 4 a thread, each
   one chain of multiply-adds in rising order, whatever the tiles beside it. */
#ifndef KL_CUDA_PRODUCT_CUH
#define KL_CUDA_PRODUCT_CUH

#include "kernels/cuda/gpu.cuh"

enum {
    KL_PRODUCT_TILE = 64,
    KL_PRODUCT_DEEP = 16,
    KL_PRODUCT_STEP = KL_PRODUCT_TILE + 4,
    KL_PRODUCT_THREADS = 256,
    KL_PRODUCT_SHARED = 2 * KL_PRODUCT_DEEP * KL_PRODUCT_STEP * (int)sizeof(float)
};

/* sum[i][j] of rows row + 4 y + i and columns column + 4 x + j of a product of n links goes on: a(row,
   link), b(column, link), 0 outside. ROWS, COLUMNS: their numbers lie side by side by link. */
template <bool ROWS, bool COLUMNS, class A, class B>
KL_GPU void kl_product(float (&sum)[4][4], int n, A a, B b)
{
    float *rows = kl_shared, *columns = kl_shared + KL_PRODUCT_DEEP * KL_PRODUCT_STEP;
    const int t = (int)threadIdx.x, x = t % 16 * 4, y = t / 16 * 4;
    for (int first = 0; first < n; first += KL_PRODUCT_DEEP) {
        for (int e = t; e < KL_PRODUCT_TILE * KL_PRODUCT_DEEP; e += KL_PRODUCT_THREADS) {
            const int link = ROWS ? e % KL_PRODUCT_DEEP : e / KL_PRODUCT_TILE,
                      i = ROWS ? e / KL_PRODUCT_DEEP : e % KL_PRODUCT_TILE;
            rows[link * KL_PRODUCT_STEP + i] = first + link < n ? a(i, first + link) : 0;
        }
        for (int e = t; e < KL_PRODUCT_TILE * KL_PRODUCT_DEEP; e += KL_PRODUCT_THREADS) {
            const int link = COLUMNS ? e % KL_PRODUCT_DEEP : e / KL_PRODUCT_TILE,
                      i = COLUMNS ? e / KL_PRODUCT_DEEP : e % KL_PRODUCT_TILE;
            columns[link * KL_PRODUCT_STEP + i] = first + link < n ? b(i, first + link) : 0;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < KL_PRODUCT_DEEP; k++) {
            const float4 p = *(const float4 *)(rows + k * KL_PRODUCT_STEP + y),
                         q = *(const float4 *)(columns + k * KL_PRODUCT_STEP + x);
            const float of_row[4] = { p.x, p.y, p.z, p.w }, of_column[4] = { q.x, q.y, q.z, q.w };
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) sum[i][j] = fmaf(of_row[i], of_column[j], sum[i][j]);
        }
        __syncthreads();
    }
}
/* use(row, column, sum) of a thread's sums within rows and columns. */
template <class F> KL_GPU void kl_product_each(float (&sum)[4][4], int rows, int columns, F use)
{
    const int x = (int)threadIdx.x % 16 * 4, y = (int)threadIdx.x / 16 * 4;
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
            if (y + i < rows && x + j < columns) use(y + i, x + j, sum[i][j]);
}

#endif
