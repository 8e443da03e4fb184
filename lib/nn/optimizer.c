/* SPDX-License-Identifier: MIT
   A step of SGD, Adam or AdamW over one block of parameters, after clipping by the gradient's norm. */
#include <math.h>

#include "kernels/optim.h"
#include "kernels/inline/real.h"
#include "nn/nn.h"

/* min(1, clip / (norm + epsilon)). The sum of squares is kept in sixteen chains in double: its order is
   fixed and vectors fit. */
static double clip_scale(const kl_real *grad, size_t n, double clip, double epsilon)
{
    enum { CHAINS = 16 };
    double sums[CHAINS] = { 0 }, sum = 0;
    size_t i = 0;
    for (; i + CHAINS <= n; i += CHAINS)
        for (int c = 0; c < CHAINS; c++) sums[c] += (double)grad[i + c] * grad[i + c];
    for (; i < n; i++) sums[0] += (double)grad[i] * grad[i];
    for (int c = 0; c < CHAINS; c++) sum += sums[c];
    double norm = sqrt(sum);
    return norm + epsilon > clip ? clip / (norm + epsilon) : 1;
}

void kl_nn_update_clip(struct kl_update *u, const struct kl_optimizer *o, const kl_real *grad, size_t n)
{
    u->adam.grad_scale = u->sgd.grad_scale =
        o->clip > 0 ? clip_scale(grad, n, o->clip, o->clip_epsilon) : 1;
}

double kl_nn_update_apply(kl_real *params, kl_real *m, kl_real *v, const kl_real *grad, size_t n,
                          const struct kl_update *u)
{
    return u->kind == KL_SGD ? kl_kernel_sgd(params, m, grad, n, &u->sgd)
                             : kl_kernel_adam(params, m, v, grad, n, &u->adam);
}
