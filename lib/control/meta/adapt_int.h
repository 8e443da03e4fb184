/* SPDX-License-Identifier: MIT
   Between the files of the adaptation: layer norms, whose vectors each task has of its own. Of networks
   without norms all these do nothing. */
#ifndef KL_CONTROL_ADAPT_INT_H
#define KL_CONTROL_ADAPT_INT_H

#include "control/meta/meta.h"

enum { KL_CONTROL_MAX_STEPS = 1000 };

#define KL_CONTROL_NORM_DECLARE(real, p)                                                               \
    /* Values of a->norm. */                                                                           \
    size_t kl_control_norm_size_##p(const struct kl_control_adapt_##p *a);                             \
    /* The vectors of all tasks are those of params. */                                                \
    void kl_control_norm_begin_##p(struct kl_control_adapt_##p *a, const real *params);                \
    /* z [units][n] of layer l becomes weight * (z - mean) / deviation + bias. */                      \
    void kl_control_norm_forward_##p(struct kl_control_adapt_##p *a, int l, real *z);                  \
    /* d, the gradient behind the norm of layer l, becomes that before it; the vectors' is kept. */    \
    void kl_control_norm_back_##p(struct kl_control_adapt_##p *a, int l, real *d);                     \
    /* squares [n] += those of the gradient by layer l's vectors. */                                   \
    void kl_control_norm_squares_##p(const struct kl_control_adapt_##p *a, int l, real *squares);      \
    /* The vectors move along their gradients, each task by its rate. */                               \
    void kl_control_norm_step_##p(struct kl_control_adapt_##p *a, const real *rate);                   \
    /* Their part of the meta-gradient: that of the last way back. Reptile's: what they have moved. */ \
    void kl_control_norm_gradient_##p(real *grad, const struct kl_control_adapt_##p *a,                \
                                      const real *params, const real *weight);
KL_CONTROL_NORM_DECLARE(float, f32)
KL_CONTROL_NORM_DECLARE(double, f64)

#define kl_control_norm_size KL_NAME(kl_control_norm_size)
#define kl_control_norm_begin KL_NAME(kl_control_norm_begin)
#define kl_control_norm_forward KL_NAME(kl_control_norm_forward)
#define kl_control_norm_back KL_NAME(kl_control_norm_back)
#define kl_control_norm_squares KL_NAME(kl_control_norm_squares)
#define kl_control_norm_step KL_NAME(kl_control_norm_step)
#define kl_control_norm_gradient KL_NAME(kl_control_norm_gradient)

#endif
