/* SPDX-License-Identifier: MIT
   optim: one step of an optimiser over a block of parameters. Formulas as torch.optim's.
   No cuda/ twin: on a GPU these are fused into the head's own kernel. */
#ifndef KL_OPTIM_H
#define KL_OPTIM_H

#include <stddef.h>

#include "kernels/isa.h"

/* Each returns the sum of grad^2, before any clipping, which costs nothing beside the update: to the
   precision of `real` sums of n terms in a few chains. */

/* The factors common to all n values of a step. */
struct kl_adam_factors {
    double grad_scale; /* clipping: the gradient is multiplied by this first */
    double decay;      /* added to it: decay * p (Adam's L2) */
    double shrink;     /* p is multiplied by this (AdamW: 1 - lr * weight_decay) */
    double beta1, beta2;
    double rate; /* lr / (1 - beta1^t) */
    double root; /* 1 / sqrt(1 - beta2^t) */
    double epsilon;
};
/* g = grad_scale grad + decay p; m = beta1 m + (1 - beta1) g; v = beta2 v + (1 - beta2) g^2;
   p = shrink p - rate m / (root sqrt(v) + epsilon). */
#define KL_ADAM(real, p)                                                                  \
    typedef double kl_adam_##p##_fn(real *restrict p, real *restrict m, real *restrict v, \
                                    const real *restrict grad, size_t n,                  \
                                    const struct kl_adam_factors *f);                     \
    KL_KERNEL(kl_adam_##p##_fn, adam_##p)
KL_ADAM(float, f32)
KL_ADAM(double, f64)

/* The same with grad_scale and shrink 1, on moments divided by 1 - beta (kernels/inline/adam.h): root
   and epsilon are those above by (1 - beta1) rate, root also times sqrt(1 - beta2). */
struct kl_bare_adam {
    double decay, beta1, beta2, root, epsilon;
};

struct kl_sgd_factors {
    double grad_scale, decay, momentum, rate;
};
/* g = grad_scale grad + decay p; m = momentum m + g; p -= rate m. */
#define KL_SGD(real, p)                                                                           \
    typedef double kl_sgd_##p##_fn(real *restrict p, real *restrict m, const real *restrict grad, \
                                   size_t n, const struct kl_sgd_factors *f);                     \
    KL_KERNEL(kl_sgd_##p##_fn, sgd_##p)
KL_SGD(float, f32)
KL_SGD(double, f64)

/* In files that are compiled in both precisions (kernels/inline/real.h). */
#define kl_kernel_adam KL_NAME(kl_kernel_adam)()
#define kl_kernel_sgd KL_NAME(kl_kernel_sgd)()

#endif
