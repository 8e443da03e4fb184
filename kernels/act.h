/* SPDX-License-Identifier: MIT
   act: what stands between the products of a network: bias, ReLU, dropout, and their way back.
   No cuda/ twin: on a GPU these are fused into the head's own kernel. */
#ifndef KL_ACT_H
#define KL_ACT_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/isa.h"

/* y (m, n) += b (n) on every row; relu: then max(0, .). */
#define KL_BIAS(real, p)                                                                 \
    typedef void kl_bias_##p##_fn(real *y, const real *b, size_t m, size_t n, int relu); \
    KL_KERNEL(kl_bias_##p##_fn, bias_##p)
KL_BIAS(float, f32)
KL_BIAS(double, f64)

/* y (count) = y * scale where a 16-bit random number is >= threshold, else 0. Element e uses half h
   of word w of Philox block 16 * (e / 128) + e % 16 where 2 w + h = e / 16 % 8 (h 0: the low half):
   sixteen blocks side by side fill vectors of neighbouring elements whatever the instruction set.
   y begins at element `first` of the whole, first + count <= 2^35. */
struct kl_dropout_draw {
    uint64_t seed;
    uint32_t purpose, step, replica, threshold;
    double scale;
};
#define KL_DROPOUT(real, p)                                               \
    typedef void kl_dropout_##p##_fn(real *y, size_t first, size_t count, \
                                     const struct kl_dropout_draw *draw); \
    KL_KERNEL(kl_dropout_##p##_fn, dropout_##p)
KL_DROPOUT(float, f32)
KL_DROPOUT(double, f64)

/* dy (count) = y > 0 ? dy * scale : 0, y being the output of ReLU and dropout. */
#define KL_RELU_BACK(real, p)                                                                \
    typedef void kl_relu_back_##p##_fn(real *dy, const real *y, size_t count, double scale); \
    KL_KERNEL(kl_relu_back_##p##_fn, relu_back_##p)
KL_RELU_BACK(float, f32)
KL_RELU_BACK(double, f64)
/* sum (n) = over the rows of y (m, n), in rising order. */
#define KL_SUM_ROWS(real, p)                                                         \
    typedef void kl_sum_rows_##p##_fn(real *sum, const real *y, size_t m, size_t n); \
    KL_KERNEL(kl_sum_rows_##p##_fn, sum_rows_##p)
KL_SUM_ROWS(float, f32)
KL_SUM_ROWS(double, f64)

/* In files that are compiled in both precisions (kernels/inline/real.h). */
#define kl_kernel_bias KL_NAME(kl_kernel_bias)()
#define kl_kernel_dropout KL_NAME(kl_kernel_dropout)()
#define kl_kernel_relu_back KL_NAME(kl_kernel_relu_back)()
#define kl_kernel_sum_rows KL_NAME(kl_kernel_sum_rows)()

#endif
