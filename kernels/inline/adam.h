/* SPDX-License-Identifier: MIT
   Adam's update of one vector of parameters (formula: kernels/optim.h), for the optimiser and for
   kernels that make the gradient on the way. */
#ifndef KL_INLINE_ADAM_H
#define KL_INLINE_ADAM_H

#include <math.h>

#include "kernels/inline/real.h"
#include "kernels/optim.h"

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
#endif

/* The factors in the precision of the lanes. */
struct kl_adam_lanes {
    kl_real grad_scale, decay, shrink, b1, c1, b2, c2, rate, root, epsilon;
};

static inline struct kl_adam_lanes kl_adam_lanes(const struct kl_adam_factors *f)
{
    return (struct kl_adam_lanes){
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
}

/* Adam whose gradient is neither clipped nor the parameter shrunk, on moments that are kept divided by 1
   - beta: m = beta1 m + g, v = beta2 v + g^2, p -= m / (root sqrt(v) + epsilon). Root and epsilon take
   in all other factors, which leaves two thirds of the instructions. */
struct kl_bare_adam_lanes {
    kl_real decay, b1, b2, root, epsilon;
};

static inline struct kl_bare_adam_lanes kl_bare_adam_lanes(const struct kl_bare_adam *f)
{
    return (struct kl_bare_adam_lanes){ (kl_real)f->decay, (kl_real)f->beta1, (kl_real)f->beta2,
                                        (kl_real)f->root, (kl_real)f->epsilon };
}

enum { KL_BARE_ADAM_MOST = 8 };
/* n <= KL_BARE_ADAM_MOST vectors at once, operation by operation: one step is a chain so long that a
   processor, which looks about a hundred operations ahead, would wait for it. g: the gradients, then
   anything. */
static inline __attribute__((always_inline)) void kl_bare_adam(kl_lane *p, kl_lane *m, kl_lane *v,
                                                               kl_lane *g, const int n,
                                                               const struct kl_bare_adam_lanes *f)
{
    const kl_real least = (kl_real)0x1p-110; /* whose square root epsilon hides; 0 has no estimate */
    for (int l = 0; l < n; l++) g[l] = f->decay * p[l] + g[l];
    for (int l = 0; l < n; l++) m[l] = f->b1 * m[l] + g[l];
    for (int l = 0; l < n; l++) v[l] = f->b2 * v[l] + (g[l] * g[l] + least);
#if !KL_F64 && defined(__AVX__)
    /* As below: estimates, and a step of Newton each. */
    const kl_real half = 0.5f * f->root;
    kl_lane r[KL_BARE_ADAM_MOST], d[KL_BARE_ADAM_MOST];
    for (int l = 0; l < n; l++) r[l] = RSQRT(v[l]);
    for (int l = 0; l < n; l++) d[l] = v[l] * r[l];
    for (int l = 0; l < n; l++) d[l] = (half * d[l]) * (3 - d[l] * r[l]) + f->epsilon;
    for (int l = 0; l < n; l++) r[l] = RECIPROCAL(d[l]);
    for (int l = 0; l < n; l++) p[l] -= (m[l] * r[l]) * (2 - d[l] * r[l]);
#else
    for (int l = 0; l < n; l++) {
        kl_lane root;
        for (int i = 0; i < KL_LANES; i++) root[i] = (kl_real)sqrt(v[l][i]);
        p[l] -= m[l] / (f->root * root + f->epsilon);
    }
#endif
}

#if !KL_F64 && defined(__AVX__)
/* Root and quotient by the hardware's estimates with a step of Newton each, to a few units in the last
   place: exact ones would take longer than all else in a training step but the products. */
static inline void kl_adam_lane(kl_lane *p, kl_lane *m, kl_lane *v, kl_lane grad,
                                const struct kl_adam_lanes *f)
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
#else
static inline void kl_adam_lane(kl_lane *p, kl_lane *m, kl_lane *v, kl_lane grad,
                                const struct kl_adam_lanes *f)
{
    const kl_lane g = f->grad_scale * grad + f->decay * *p;
    const kl_lane mi = f->b1 * *m + f->c1 * g, vi = f->b2 * *v + f->c2 * g * g;
    kl_lane root;
    for (int l = 0; l < KL_LANES; l++) root[l] = (kl_real)sqrt(vi[l]);
    *m = mi, *v = vi;
    *p = f->shrink * *p - f->rate * (mi / (f->root * root + f->epsilon));
}
#endif

#endif
