/* SPDX-License-Identifier: MIT
   act: what stands between the products of a network: bias, ReLU, dropout, and their way back.
   No cuda/ twin: on a GPU these are fused into the head's own kernel. */
#ifndef KL_ACT_H
#define KL_ACT_H

#include <stddef.h>
#include <stdint.h>

/* y (m, n) += b (n) on every row; relu: then max(0, .). */
#define KL_BIAS_ARGS(real) (real * y, const real *b, size_t m, size_t n, int relu)

/* y (count) = y * scale where a 16-bit random number is >= threshold, else 0. Element e uses half h
   of word w of Philox block 16 * (e / 128) + e % 16 where 2 w + h = e / 16 % 8 (h 0: the low half):
   sixteen blocks side by side fill vectors of neighbouring elements whatever the instruction set.
   y begins at element `first` of the whole, first + count <= 2^35. */
struct kl_dropout_draw {
    uint64_t seed;
    uint32_t purpose, step, replica, threshold;
    double scale;
};
#define KL_DROPOUT_ARGS(real) (real * y, size_t first, size_t count, const struct kl_dropout_draw *draw)

/* dy (count) = y > 0 ? dy * scale : 0, y being the output of ReLU and dropout. */
#define KL_RELU_BACK_ARGS(real) (real * dy, const real *y, size_t count, double scale)
/* sum (n) = over the rows of y (m, n), in rising order. */
#define KL_SUM_ROWS_ARGS(real) (real * sum, const real *y, size_t m, size_t n)

typedef void(*kl_bias_f32_fn) KL_BIAS_ARGS(float);
typedef void(*kl_bias_f64_fn) KL_BIAS_ARGS(double);
typedef void(*kl_dropout_f32_fn) KL_DROPOUT_ARGS(float);
typedef void(*kl_dropout_f64_fn) KL_DROPOUT_ARGS(double);
typedef void(*kl_relu_back_f32_fn) KL_RELU_BACK_ARGS(float);
typedef void(*kl_relu_back_f64_fn) KL_RELU_BACK_ARGS(double);
typedef void(*kl_sum_rows_f32_fn) KL_SUM_ROWS_ARGS(float);
typedef void(*kl_sum_rows_f64_fn) KL_SUM_ROWS_ARGS(double);

/* The versions, lowest first; select.c chooses. */
#define KL_ACT_DECLARE(isa)                                \
    void kl_bias_f32_##isa KL_BIAS_ARGS(float);            \
    void kl_bias_f64_##isa KL_BIAS_ARGS(double);           \
    void kl_dropout_f32_##isa KL_DROPOUT_ARGS(float);      \
    void kl_dropout_f64_##isa KL_DROPOUT_ARGS(double);     \
    void kl_relu_back_f32_##isa KL_RELU_BACK_ARGS(float);  \
    void kl_relu_back_f64_##isa KL_RELU_BACK_ARGS(double); \
    void kl_sum_rows_f32_##isa KL_SUM_ROWS_ARGS(float);    \
    void kl_sum_rows_f64_##isa KL_SUM_ROWS_ARGS(double);
KL_ACT_DECLARE(base)
KL_ACT_DECLARE(avx2)
KL_ACT_DECLARE(avx512)

#endif
