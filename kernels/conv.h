/* SPDX-License-Identifier: MIT
   conv: what convolutions need around matrix products, over maps that keep their images innermost: a
   channel's map is [h][w][n] with n images side by side, so that nothing below shuffles lanes.
   3x3 convolutions of stride 1 and padding 1 become products at P points, chosen by the size of the map:
     KL_CONV_1   1x1 map: the centre tap alone, 1 product
     KL_CONV_2   2x2 map: each dimension is a 2x2 Toeplitz matrix times a vector, 3 products for 4: 9 for
   16 KL_CONV_4   else Winograd's F(4x4,3x3) (Lavin & Gray 2015, arXiv:1509.09308), 36 products for 144
   On a GPU: cuda/convs_own.cuh, in FP32, and cuDNN. Float only: double is for formulas, and its
   reference is the plain sum in the tests. */
#ifndef KL_KERNELS_CONV_H
#define KL_KERNELS_CONV_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/isa.h"

enum kl_conv_kind { KL_CONV_1, KL_CONV_2, KL_CONV_4 };
enum {
    KL_CONV_IMAGES = 64, /* most images side by side; a multiple of 16 */
    KL_CONV_PANEL = 12,  /* rows of weights that lie together */
};

struct kl_conv_map {
    size_t h, w, n;
};

/* points(kind) = 1, 9, 36; tile(kind) = 1, 2, 4 outputs in each dimension */
size_t kl_conv_points(enum kl_conv_kind kind);
size_t kl_conv_tile(enum kl_conv_kind kind);

/* Weights (m,k) lie in panels [m / 12][k][12], the last one filled up with zeros: values of a matrix,
   and where (row, p) is. */
static inline size_t kl_conv_panels_size(size_t m, size_t k)
{
    return (m + KL_CONV_PANEL - 1) / KL_CONV_PANEL * KL_CONV_PANEL * k;
}
static inline size_t kl_conv_panels_at(size_t row, size_t p, size_t k)
{
    return (row / KL_CONV_PANEL * k + p) * KL_CONV_PANEL + row % KL_CONV_PANEL;
}

/* in: v[p * stride + i], i < n: the P points of the tile whose first output is (y, x), from a channel's
   map. out: the tile's outputs from m (likewise), plus bias, plus residual (a map, or NULL), through
   ReLU if relu; outside the map nothing is written. product: C (m,n) = or += W (m,k) B (k,n), each
   element one chain over k as in kernels/gemm.h; W in panels, m a multiple of 4, n of 16. pool: 3x3
   maxima of stride 2, padding 1, of three rows (each [w][n]; NULL: outside) of a map that is not
   negative. */
typedef void (*kl_conv_in_fn)(float *v, size_t stride, const float *map, struct kl_conv_map size,
                              size_t y, size_t x, enum kl_conv_kind kind);
typedef void (*kl_conv_out_fn)(float *map, const float *m, size_t stride, float bias,
                               const float *residual, struct kl_conv_map size, size_t y, size_t x,
                               enum kl_conv_kind kind, bool relu);
typedef void (*kl_conv_product_fn)(float *c, size_t ldc, const float *weights, const float *b,
                                   size_t ldb, size_t m, size_t n, size_t k, bool accumulate);
typedef void (*kl_conv_pool_fn)(float *out, const float *const rows[3], size_t w, size_t n);
/* values = max(values + residual, 0); residual may be NULL */
typedef void (*kl_conv_relu_fn)(float *values, const float *residual, size_t n);

struct kl_conv {
    kl_conv_in_fn in;
    kl_conv_out_fn out;
    kl_conv_product_fn product;
    kl_conv_pool_fn pool;
    kl_conv_relu_fn relu;
};
KL_KERNEL(const struct kl_conv, conv_f32)

#endif
