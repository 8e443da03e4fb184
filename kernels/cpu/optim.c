/* SPDX-License-Identifier: MIT
   Definition of the family; see kernels/optim.h. */
#include "kernels/optim.h"

#include <math.h>

#include "kernels/inline/real.h"

#if KL_F64
#define SQRT sqrt
#else
#define SQRT sqrtf
#endif

void KL_ISA_NAME(kl_adam) KL_ADAM_ARGS(kl_real)
{
    const kl_real grad_scale = (kl_real)f->grad_scale, decay = (kl_real)f->decay,
                  shrink = (kl_real)f->shrink;
    const kl_real b1 = (kl_real)f->beta1, c1 = (kl_real)(1 - f->beta1);
    const kl_real b2 = (kl_real)f->beta2, c2 = (kl_real)(1 - f->beta2);
    const kl_real rate = (kl_real)f->rate, root = (kl_real)f->root, epsilon = (kl_real)f->epsilon;
    for (size_t i = 0; i < n; i++) {
        kl_real g = grad_scale * grad[i] + decay * p[i];
        kl_real mi = b1 * m[i] + c1 * g;
        kl_real vi = b2 * v[i] + c2 * g * g;
        m[i] = mi;
        v[i] = vi;
        p[i] = shrink * p[i] - rate * (mi / (root * SQRT(vi) + epsilon));
    }
}

void KL_ISA_NAME(kl_sgd) KL_SGD_ARGS(kl_real)
{
    const kl_real grad_scale = (kl_real)f->grad_scale, decay = (kl_real)f->decay;
    const kl_real momentum = (kl_real)f->momentum, rate = (kl_real)f->rate;
    for (size_t i = 0; i < n; i++) {
        m[i] = momentum * m[i] + (grad_scale * grad[i] + decay * p[i]);
        p[i] -= rate * m[i];
    }
}
