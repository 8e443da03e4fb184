/* SPDX-License-Identifier: MIT
   gan: what adversarial training over a table of cells spends its time on. First a layer whose input is
   a single sample: the gradient of its weights is an outer product, which is never stored: it is made in
   the registers while Adam goes over weights and moments, and whatever else needs the weights takes them
   on the same way. Weights are [out, in], row-major, in a multiple of KL_GAN_COLUMNS. The time is that
   of the memory: 24 bytes a weight in float, and 4 more where the next forward is not taken along. No
   cuda/ twin yet: one block a pair of devices is the form that it would have. */
#ifndef KL_KERNELS_GAN_H
#define KL_KERNELS_GAN_H

#include <stddef.h>

#include "kernels/optim.h"

enum { KL_GAN_COLUMNS = 16, KL_GAN_INPUTS = 16 };

/* out (rows) = w (rows, columns) x (columns) */
#define KL_GAN_FORWARD_ARGS(real) \
    (real *restrict out, const real *restrict w, const real *restrict x, size_t rows, size_t columns)

/* One step of Adam over rows of weights w with moments m and v, whose gradient is d (rows) times x
   (columns). back (columns), unless NULL, becomes the sum over the rows of d times the weights before
   the step; next_out (rows), unless next is NULL, the weights behind it times next (columns). */
#define KL_GAN_ROWS(real)         \
    {                             \
        real *w, *m, *v;          \
        const real *d, *x, *next; \
        real *back, *next_out;    \
        size_t rows, columns;     \
    }
struct kl_gan_rows_f32 KL_GAN_ROWS(float);
struct kl_gan_rows_f64 KL_GAN_ROWS(double);

/* Then the discriminator, a network n_inputs - n_hidden - 1 with leaky ReLU, n_inputs <= KL_GAN_INPUTS,
   on n cells, a multiple of KL_GAN_COLUMNS. x: input i of cell k at x[i * stride + k]; params: weights
   (n_hidden, n_inputs), biases (n_hidden), weights (n_hidden), bias. */
#define KL_GAN_CELLS(real)                    \
    {                                         \
        const real *x, *params;               \
        real slope;                           \
        size_t n, stride, n_inputs, n_hidden; \
    }
struct kl_gan_cells_f32 KL_GAN_CELLS(float);
struct kl_gan_cells_f64 KL_GAN_CELLS(double);
typedef void(*kl_gan_forward_f32_fn) KL_GAN_FORWARD_ARGS(float);
typedef void(*kl_gan_forward_f64_fn) KL_GAN_FORWARD_ARGS(double);
typedef void (*kl_gan_step_f32_fn)(const struct kl_gan_rows_f32 *rows, const struct kl_adam_factors *f);
typedef void (*kl_gan_step_f64_fn)(const struct kl_gan_rows_f64 *rows, const struct kl_adam_factors *f);
/* logit (n) of the cells; grad (as params) = the gradient of sum(d * logit), d (n). */
typedef void (*kl_gan_logits_f32_fn)(float *logit, const struct kl_gan_cells_f32 *cells);
typedef void (*kl_gan_logits_f64_fn)(double *logit, const struct kl_gan_cells_f64 *cells);
typedef void (*kl_gan_logits_back_f32_fn)(float *grad, const float *d,
                                          const struct kl_gan_cells_f32 *cells);
typedef void (*kl_gan_logits_back_f64_fn)(double *grad, const double *d,
                                          const struct kl_gan_cells_f64 *cells);

#define KL_GAN_DECLARE(isa)                                                                          \
    void kl_gan_forward_f32_##isa KL_GAN_FORWARD_ARGS(float);                                        \
    void kl_gan_step_f32_##isa(const struct kl_gan_rows_f32 *rows, const struct kl_adam_factors *f); \
    void kl_gan_logits_f32_##isa(float *logit, const struct kl_gan_cells_f32 *cells);                \
    void kl_gan_logits_back_f32_##isa(float *grad, const float *d,                                   \
                                      const struct kl_gan_cells_f32 *cells);                         \
    void kl_gan_forward_f64_##isa KL_GAN_FORWARD_ARGS(double);                                       \
    void kl_gan_step_f64_##isa(const struct kl_gan_rows_f64 *rows, const struct kl_adam_factors *f); \
    void kl_gan_logits_f64_##isa(double *logit, const struct kl_gan_cells_f64 *cells);               \
    void kl_gan_logits_back_f64_##isa(double *grad, const double *d,                                 \
                                      const struct kl_gan_cells_f64 *cells);
KL_GAN_DECLARE(base)
KL_GAN_DECLARE(avx2)
KL_GAN_DECLARE(avx512)

#endif
