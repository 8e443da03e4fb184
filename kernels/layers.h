/* SPDX-License-Identifier: MIT
   layers: what training a network needs around kl_gemm. Dense layers: biases, transposes that pass where
   a ReLU passes. Convolutions: maps keep KL_LAYERS_IMAGES images innermost, [channel][y][x][16], so that
   a tap of a filter is an offset into the maps and no matrix of patches is made; products add over taps
   in rising order, as kl_gemm does. Every sum has one order on all instruction sets. No cuda/ twin:
   cuDNN does this on a GPU. */
#ifndef KL_LAYERS_H
#define KL_LAYERS_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/isa.h"

enum { KL_LAYERS_IMAGES = 16 };

/* Rows of a product, from a table of where row p of B begins: c (m, n) = bias (m; NULL: 0) + a (m, k) b
   (k, n), through ReLU if relu; a[i * am + p], b[offset[p] + j], n a multiple of 16. */
#define KL_LAYERS_TAPS_ARGS(real)                                                                    \
    (real * c, size_t ldc, const real *a, size_t am, const real *b, const int32_t *offset, size_t m, \
     size_t n, size_t k, const real *bias, int relu)

/* Positions over which the gradient of a filter is a sum: blocks of 16 images, rows, columns; steps
   between them in the gradient's maps (d) and in the inputs' (b). A column is a step of 16. */
struct kl_layers_field {
    size_t blocks, rows, columns, d_block, d_row, b_block, b_row;
};
/* g (m, n) += sum over the field of d[i * dm + .] b[offset[j] + .]: sixteen sums, one an image of the
   block, then halves are added to halves. */
#define KL_LAYERS_DOTS_ARGS(real)                                                                    \
    (real * g, size_t ldg, const real *d, size_t dm, const real *b, const int32_t *offset, size_t m, \
     size_t n, const struct kl_layers_field *field)
/* sum (m) += the same with 1 for b: gradients of biases. */
#define KL_LAYERS_TOTALS_ARGS(real) \
    (real * sum, const real *d, size_t dm, size_t m, const struct kl_layers_field *field)

/* y (m, n) = mask > 0 ? y : 0 (mask may be y itself: ReLU; NULL: y stays), then to (n, m) = its
   transpose (NULL: none). ld: between rows. */
#define KL_LAYERS_TURN_ARGS(real) \
    (real * to, size_t ld_to, real * y, size_t ld, const real *mask, size_t ld_mask, size_t m, size_t n)
/* y (m, n) = b (m) in each row. */
#define KL_LAYERS_FILL_ARGS(real) (real * y, size_t ld, const real *b, size_t m, size_t n)
/* sum (n) += rows of y (m, n), in rising order. */
#define KL_LAYERS_ADD_ARGS(real) (real * sum, const real *y, size_t ld, size_t m, size_t n)

/* 2x2 pools of stride 2 of two rows of a map, `columns` results: means, or the largest. Back: d0, d1 =
   what dout gives to each of the four, and nothing where the row itself (r0, r1; outputs of ReLU) is 0.
   The largest: the first of equal ones, by rows. */
#define KL_LAYERS_POOL_ARGS(real) \
    (real * out, const real *r0, const real *r1, size_t columns, int largest)
#define KL_LAYERS_POOL_BACK_ARGS(real) \
    (real * d0, real * d1, const real *dout, const real *r0, const real *r1, size_t columns, int largest)

#define KL_LAYERS_TABLE(p, real)                         \
    struct kl_layers_##p {                               \
        void(*taps) KL_LAYERS_TAPS_ARGS(real);           \
        void(*dots) KL_LAYERS_DOTS_ARGS(real);           \
        void(*totals) KL_LAYERS_TOTALS_ARGS(real);       \
        void(*turn) KL_LAYERS_TURN_ARGS(real);           \
        void(*fill) KL_LAYERS_FILL_ARGS(real);           \
        void(*add) KL_LAYERS_ADD_ARGS(real);             \
        void(*pool) KL_LAYERS_POOL_ARGS(real);           \
        void(*pool_back) KL_LAYERS_POOL_BACK_ARGS(real); \
    };                                                   \
    KL_KERNEL(const struct kl_layers_##p, layers_##p)
KL_LAYERS_TABLE(f32, float)
KL_LAYERS_TABLE(f64, double)

/* In files that are compiled in both precisions (kernels/inline/real.h). */
#define kl_kernel_layers KL_NAME(kl_kernel_layers)()

#endif
