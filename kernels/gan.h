/* SPDX-License-Identifier: MIT
   gan: what adversarial training over a table of cells spends its time on. First layers whose input is a
   single sample: the gradient of their weights is an outer product, which is never stored: it is made in
   the registers while Adam goes over weights and moments, and whatever else needs the weights takes them
   on the same way. Sizes of rows are multiples of KL_GAN_COLUMNS; moments are kept as struct
   kl_bare_adam says. A GPU trains whole pairs, a block each
   (kernels/cuda/gan.cu). */
#ifndef KL_KERNELS_GAN_H
#define KL_KERNELS_GAN_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/isa.h"
#include "kernels/optim.h"

enum { KL_GAN_COLUMNS = 16, KL_GAN_INPUTS = 16 };

/* One step of Adam over rows of weights w [out, in] with moments m and v, whose gradient is d (rows)
   times x (columns). back (columns), unless NULL, becomes the sum over the rows of d times the weights
   before the step; next_out (rows), unless next is NULL, the weights behind it times next (columns). */
#define KL_GAN_ROWS(real)         \
    {                             \
        real *w, *m, *v;          \
        const real *d, *x, *next; \
        real *back, *next_out;    \
        size_t rows, columns;     \
    }
struct kl_gan_step_rows_f32 KL_GAN_ROWS(float);
struct kl_gan_step_rows_f64 KL_GAN_ROWS(double);

/* The weights of one input of a layer in its n outputs: a row of w [in, out]. The steps of Adam that it
   is behind are taken together: in the first the gradient is x times d (n), in the others it is 0, since
   an input that is 0 has none. Then out (n), unless y is 0, is added y times the weights. n: a multiple
   of 8 KL_GAN_COLUMNS. ahead: values from this row to the next input's; 0: there is none. */
#define KL_GAN_INPUT(real)                \
    {                                     \
        real *w, *m, *v;                  \
        const real *d;                    \
        real *out;                        \
        real x, y;                        \
        size_t n, n_steps;                \
        ptrdiff_t ahead;                  \
        const struct kl_bare_adam *steps; \
    }
struct kl_gan_input_f32 KL_GAN_INPUT(float);
struct kl_gan_input_f64 KL_GAN_INPUT(double);

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

/* The discriminator's answers on them, n a multiple of KL_GAN_COLUMNS, epsilon > 0: the logits d (n)
   become D; other = 1 - D; dp = -ln(D + epsilon); unseen = -ln(other + epsilon). */
#define KL_GAN_SEEN(real)              \
    {                                  \
        real *d, *other, *dp, *unseen; \
        real epsilon;                  \
        size_t n;                      \
    }
struct kl_gan_seen_f32 KL_GAN_SEEN(float);
struct kl_gan_seen_f64 KL_GAN_SEEN(double);

/* The generator's law from its logits, n a multiple of KL_GAN_COLUMNS. Of x (n): e = e^(x - m), m the
   largest of x; u = e (dp - level). out = w (n) times x, and times y, n a multiple of 4 KL_GAN_COLUMNS.
   law (n) becomes scale times law, d (n) that times (dp - level - mean). */
#define KL_GAN_WEIGHED(real) \
    {                        \
        const real *x, *dp;  \
        real *e, *u;         \
        real level;          \
        size_t n;            \
    }
struct kl_gan_weighed_f32 KL_GAN_WEIGHED(float);
struct kl_gan_weighed_f64 KL_GAN_WEIGHED(double);

#define KL_GAN_FUNCTIONS(real, p)                                                                      \
    /* out (rows) = w (rows, columns) x (columns) */                                                   \
    typedef void kl_gan_forward_##p##_fn(real *restrict out, const real *restrict w,                   \
                                         const real *restrict x, size_t rows, size_t columns);         \
    typedef void kl_gan_step_##p##_fn(const struct kl_gan_step_rows_##p *,                             \
                                      const struct kl_bare_adam *);                                    \
    typedef void kl_gan_input_##p##_fn(const struct kl_gan_input_##p *);                               \
    /* logit (n) of the cells; grad (as params) = the gradient of sum(d * logit), d (n). */            \
    typedef void kl_gan_logits_##p##_fn(real *logit, const struct kl_gan_cells_##p *);                 \
    typedef void kl_gan_logits_back_##p##_fn(real *grad, const real *d,                                \
                                             const struct kl_gan_cells_##p *);                         \
    typedef void kl_gan_look_##p##_fn(const struct kl_gan_seen_##p *);                                 \
    /* sums: - sum p ln(D + epsilon), - sum r ln(D + epsilon), - sum p ln(1 - D + epsilon); slope (n): \
       the gradient of half of the last two by the logits. */                                          \
    typedef void kl_gan_judge_##p##_fn(double sums[3], real *slope, const real *law,                   \
                                       const real *target, const struct kl_gan_seen_##p *);            \
    /* Returns m; sums: of e and of u. */                                                              \
    typedef real kl_gan_weigh_##p##_fn(double sums[2], const struct kl_gan_weighed_##p *);             \
    typedef void kl_gan_products_##p##_fn(real out[2], const real *w, const real *x, const real *y,    \
                                          size_t n);                                                   \
    typedef void kl_gan_law_##p##_fn(real *restrict law, real *restrict d, const real *restrict dp,    \
                                     real scale, real level, real mean, size_t n);                     \
    KL_KERNEL(kl_gan_forward_##p##_fn, gan_forward_##p)                                                \
    KL_KERNEL(kl_gan_step_##p##_fn, gan_step_##p)                                                      \
    KL_KERNEL(kl_gan_input_##p##_fn, gan_input_##p)                                                    \
    KL_KERNEL(kl_gan_logits_##p##_fn, gan_logits_##p)                                                  \
    KL_KERNEL(kl_gan_logits_back_##p##_fn, gan_logits_back_##p)                                        \
    KL_KERNEL(kl_gan_look_##p##_fn, gan_look_##p)                                                      \
    KL_KERNEL(kl_gan_judge_##p##_fn, gan_judge_##p)                                                    \
    KL_KERNEL(kl_gan_weigh_##p##_fn, gan_weigh_##p)                                                    \
    KL_KERNEL(kl_gan_products_##p##_fn, gan_products_##p)                                              \
    KL_KERNEL(kl_gan_law_##p##_fn, gan_law_##p)
KL_GAN_FUNCTIONS(float, f32)
KL_GAN_FUNCTIONS(double, f64)

/* Of target r and law p (n), n as above, both clipped to [1e-10, 1]: sum r, sum p, sum r ln(r / p). */
typedef void kl_gan_divergence_fn(double sums[3], const double *target, const double *law, size_t n);
KL_KERNEL(kl_gan_divergence_fn, gan_divergence_f64)

/* Random numbers, in float: value i from word i % 4 of Philox's block (i / 4, purpose, step, replica).
   Uniform in (-bound, bound); or normal(0, 1), two by Box and Muller from two words. */
struct kl_gan_stream {
    uint64_t seed;
    uint32_t purpose, step, replica;
};
typedef void kl_gan_uniforms_fn(float *x, size_t n, double bound, const struct kl_gan_stream *s);
typedef void kl_gan_normals_fn(float *x, size_t n, const struct kl_gan_stream *s);
KL_KERNEL(kl_gan_uniforms_fn, gan_uniforms_f32)
KL_KERNEL(kl_gan_normals_fn, gan_normals_f32)

/* In files that are compiled in both precisions (kernels/inline/real.h). */
#define kl_gan_step_rows KL_NAME(kl_gan_step_rows)
#define kl_gan_input KL_NAME(kl_gan_input)
#define kl_gan_cells KL_NAME(kl_gan_cells)
#define kl_gan_seen KL_NAME(kl_gan_seen)
#define kl_gan_weighed KL_NAME(kl_gan_weighed)
#define kl_kernel_gan_forward KL_NAME(kl_kernel_gan_forward)()
#define kl_kernel_gan_step KL_NAME(kl_kernel_gan_step)()
#define kl_kernel_gan_input KL_NAME(kl_kernel_gan_input)()
#define kl_kernel_gan_logits KL_NAME(kl_kernel_gan_logits)()
#define kl_kernel_gan_logits_back KL_NAME(kl_kernel_gan_logits_back)()
#define kl_kernel_gan_look KL_NAME(kl_kernel_gan_look)()
#define kl_kernel_gan_judge KL_NAME(kl_kernel_gan_judge)()
#define kl_kernel_gan_weigh KL_NAME(kl_kernel_gan_weigh)()
#define kl_kernel_gan_products KL_NAME(kl_kernel_gan_products)()
#define kl_kernel_gan_law KL_NAME(kl_kernel_gan_law)()

#endif
