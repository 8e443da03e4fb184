/* SPDX-License-Identifier: MIT
   A step of SGD, Adam or AdamW over one block of parameters, after clipping by the gradient's norm. */
#include <math.h>

#include "kernels/inline/real.h"
#include "kernels/select.h"
#include "nn/nn.h"

/* min(1, clip / norm). The sum of squares is kept in sixteen chains in double: its order is fixed
   and vectors fit. */
static double clip_scale(const kl_real *grad, size_t n, double clip)
{
    enum { CHAINS = 16 };
    double sums[CHAINS] = { 0 }, sum = 0;
    size_t i = 0;
    for (; i + CHAINS <= n; i += CHAINS)
        for (int c = 0; c < CHAINS; c++) sums[c] += (double)grad[i + c] * grad[i + c];
    for (; i < n; i++) sums[0] += (double)grad[i] * grad[i];
    for (int c = 0; c < CHAINS; c++) sum += sums[c];
    double norm = sqrt(sum);
    return norm > clip ? clip / norm : 1;
}

void KL_NAME(kl_optimizer_step)(kl_real *params, kl_real *m, kl_real *v, kl_real *grad, size_t n,
                                const struct kl_optimizer *o, double lr, uint64_t step)
{
    const struct kl_kernels *kernels = kl_kernels();
    double grad_scale = o->clip > 0 ? clip_scale(grad, n, o->clip) : 1;
    if (o->kind == KL_SGD) {
        /* torch's first velocity is the gradient itself, which momentum * 0 + g gives too */
        struct kl_sgd_factors f = { grad_scale, o->weight_decay, o->momentum, lr };
        kernels->KL_NAME(sgd)(params, m, grad, n, &f);
        return;
    }
    struct kl_adam_factors f = {
        .grad_scale = grad_scale,
        .decay = o->kind == KL_ADAM ? o->weight_decay : 0,
        .shrink = o->kind == KL_ADAMW ? 1 - lr * o->weight_decay : 1,
        .beta1 = o->beta1,
        .beta2 = o->beta2,
        .rate = lr / (1 - pow(o->beta1, (double)step)),
        .root = 1 / sqrt(1 - pow(o->beta2, (double)step)),
        .epsilon = o->epsilon,
    };
    kernels->KL_NAME(adam)(params, m, v, grad, n, &f);
}
