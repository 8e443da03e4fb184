/* SPDX-License-Identifier: MIT
   Definition of the family; see kernels/optim.h. */
#include "kernels/optim.h"

#include <string.h>

#include "kernels/inline/adam.h"

static inline double sum_lanes(kl_lane v)
{
    double sum = 0;
    for (int i = 0; i < KL_LANES; i++) sum += (double)v[i];
    return sum;
}

static double sum_squares(const kl_real *grad, size_t n)
{
    kl_lane squares = { 0 }, rest = { 0 };
    size_t i = 0;
    for (; i + KL_LANES <= n; i += KL_LANES) {
        const kl_lane g = *(const kl_lane *)(grad + i);
        squares += g * g;
    }
    memcpy(&rest, grad + i, (n - i) * sizeof *grad);
    return sum_lanes(squares + rest * rest);
}

double KL_ISA_NAME(kl_adam)(kl_real *restrict p, kl_real *restrict m, kl_real *restrict v,
                            const kl_real *restrict grad, size_t n, const struct kl_adam_factors *f)
{
    const struct kl_adam_lanes own = kl_adam_lanes(f);
    kl_lane squares = { 0 };
    size_t i = 0;
    for (; i + KL_LANES <= n; i += KL_LANES) {
        const kl_lane g = *(const kl_lane *)(grad + i);
        squares += g * g;
        kl_adam_lane((kl_lane *)(p + i), (kl_lane *)(m + i), (kl_lane *)(v + i), g, &own);
    }
    if (i == n) return sum_lanes(squares);
    kl_lane rest[4] = { 0 };
    const size_t bytes = (n - i) * sizeof *p;
    memcpy(&rest[0], p + i, bytes), memcpy(&rest[1], m + i, bytes), memcpy(&rest[2], v + i, bytes);
    memcpy(&rest[3], grad + i, bytes);
    kl_adam_lane(&rest[0], &rest[1], &rest[2], rest[3], &own);
    memcpy(p + i, &rest[0], bytes), memcpy(m + i, &rest[1], bytes), memcpy(v + i, &rest[2], bytes);
    return sum_lanes(squares + rest[3] * rest[3]);
}

double KL_ISA_NAME(kl_sgd)(kl_real *restrict p, kl_real *restrict m, const kl_real *restrict grad,
                           size_t n, const struct kl_sgd_factors *f)
{
    const kl_real grad_scale = (kl_real)f->grad_scale, decay = (kl_real)f->decay;
    const kl_real momentum = (kl_real)f->momentum, rate = (kl_real)f->rate;
    for (size_t i = 0; i < n; i++) {
        m[i] = momentum * m[i] + (grad_scale * grad[i] + decay * p[i]);
        p[i] -= rate * m[i];
    }
    return sum_squares(grad, n);
}
