/* SPDX-License-Identifier: MIT
   Definition of the family; see kernels/optim.h. */
#include "kernels/optim.h"

#include <math.h>
#include <string.h>

#include "kernels/inline/real.h"

#if KL_F64
#define SQRT sqrt
#else
#define SQRT sqrtf
#endif

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

#if !KL_F64 && defined(__AVX__)
#include <immintrin.h>
#if defined(__AVX512F__)
#define RSQRT(x) ((kl_lane)_mm512_rsqrt14_ps((__m512)(x)))
#define RECIPROCAL(x) ((kl_lane)_mm512_rcp14_ps((__m512)(x)))
#define MAX(x, y) ((kl_lane)_mm512_max_ps((__m512)(x), (__m512)(y)))
#else
#define RSQRT(x) ((kl_lane)_mm256_rsqrt_ps((__m256)(x)))
#define RECIPROCAL(x) ((kl_lane)_mm256_rcp_ps((__m256)(x)))
#define MAX(x, y) ((kl_lane)_mm256_max_ps((__m256)(x), (__m256)(y)))
#endif

struct factors {
    kl_real grad_scale, decay, shrink, b1, c1, b2, c2, rate, root, epsilon;
};

/* Root and quotient by the hardware's estimates with a step of Newton each, to a few units in the last
   place: exact ones would take longer than all else in a training step but the products. */
static inline void adam_vector(kl_lane *p, kl_lane *m, kl_lane *v, kl_lane grad, const struct factors *f)
{
    const kl_lane least = (kl_lane){ 0 } + 0x1p-120f; /* the estimate for 0 is infinite */
    const kl_lane g = f->grad_scale * grad + f->decay * *p;
    const kl_lane mi = f->b1 * *m + f->c1 * g, vi = f->b2 * *v + f->c2 * g * g, w = MAX(vi, least);
    kl_lane r = RSQRT(w);
    r = r * (1.5f - 0.5f * w * r * r);
    const kl_lane d = f->root * (vi * r) + f->epsilon;
    kl_lane q = RECIPROCAL(d);
    q = q * (2 - d * q);
    *m = mi, *v = vi;
    *p = f->shrink * *p - f->rate * (mi * q);
}

double KL_ISA_NAME(kl_adam) KL_ADAM_ARGS(kl_real)
{
    const struct factors own = {
        .grad_scale = (kl_real)f->grad_scale,
        .decay = (kl_real)f->decay,
        .shrink = (kl_real)f->shrink,
        .b1 = (kl_real)f->beta1,
        .c1 = (kl_real)(1 - f->beta1),
        .b2 = (kl_real)f->beta2,
        .c2 = (kl_real)(1 - f->beta2),
        .rate = (kl_real)f->rate,
        .root = (kl_real)f->root,
        .epsilon = (kl_real)f->epsilon,
    };
    kl_lane squares = { 0 };
    size_t i = 0;
    for (; i + KL_LANES <= n; i += KL_LANES) {
        const kl_lane g = *(const kl_lane *)(grad + i);
        squares += g * g;
        adam_vector((kl_lane *)(p + i), (kl_lane *)(m + i), (kl_lane *)(v + i), g, &own);
    }
    if (i == n) return sum_lanes(squares);
    kl_lane rest[4] = { 0 };
    const size_t bytes = (n - i) * sizeof *p;
    memcpy(&rest[0], p + i, bytes), memcpy(&rest[1], m + i, bytes), memcpy(&rest[2], v + i, bytes);
    memcpy(&rest[3], grad + i, bytes);
    adam_vector(&rest[0], &rest[1], &rest[2], rest[3], &own);
    memcpy(p + i, &rest[0], bytes), memcpy(m + i, &rest[1], bytes), memcpy(v + i, &rest[2], bytes);
    return sum_lanes(squares + rest[3] * rest[3]);
}

#else
double KL_ISA_NAME(kl_adam) KL_ADAM_ARGS(kl_real)
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
    return sum_squares(grad, n);
}
#endif

double KL_ISA_NAME(kl_sgd) KL_SGD_ARGS(kl_real)
{
    const kl_real grad_scale = (kl_real)f->grad_scale, decay = (kl_real)f->decay;
    const kl_real momentum = (kl_real)f->momentum, rate = (kl_real)f->rate;
    for (size_t i = 0; i < n; i++) {
        m[i] = momentum * m[i] + (grad_scale * grad[i] + decay * p[i]);
        p[i] -= rate * m[i];
    }
    return sum_squares(grad, n);
}
