/* SPDX-License-Identifier: MIT
   depthwise: convolutions over time of which every signal has its own filter, and what stands between
   them: means and variances, ELU with pools. Sixteen signals lie side by side, [t][16], so a tap is an
   offset, sums over time need no sum of lanes, and every sum has one order on all instruction sets. No
   cuda/ twin: cuDNN does this on a GPU. */
#ifndef KL_DEPTHWISE_H
#define KL_DEPTHWISE_H

#include <stddef.h>

#include "kernels/isa.h"

enum { KL_DEPTHWISE_SIDE = 16 };

/* y (n, 16): y[t] = sum over j < k, rising, of w[j] x[t + j]; x (n + k - 1, 16), w (k, 16). */
#define KL_DEPTHWISE_FILTER_ARGS(real) (real * y, const real *x, const real *w, size_t n, size_t k)
/* g (k, 16): g[j] = sum over t < n, rising, of d[t] x[t + j]: gradient of the filter, and the lag
   products of a signal with itself; added to what g holds if accumulate. */
#define KL_DEPTHWISE_LAGS_ARGS(real) \
    (real * g, const real *d, const real *x, size_t n, size_t k, int accumulate)
/* mean (16) of x (n, 16) over time, squares (16): sum of (x - mean)^2. Sums of every fourth step, then
   (0 + 1) + (2 + 3). */
#define KL_DEPTHWISE_MOMENTS_ARGS(real) (real * mean, real * squares, const real *x, size_t n)
/* out (n, 16): mean over `pool` steps, in rising order, of elu(v scale + shift); v (n pool, 16). elu(x)
   = x, below 0 e^x - 1. */
#define KL_DEPTHWISE_POOL_ARGS(real) \
    (real * out, const real *v, const real *scale, const real *shift, size_t n, size_t pool)
/* Back: dv (n pool, 16) = gradient by v scale + shift, from d (n, 16) by out; sums (2, 16): over time,
   of dv, and of dv (v - centre). */
#define KL_DEPTHWISE_POOL_BACK_ARGS(real)                                                        \
    (real * dv, real * sums, const real *d, const real *v, const real *scale, const real *shift, \
     const real *centre, size_t n, size_t pool)
/* y (n, 16) = d f[0] + v f[1] + f[2], f (3, 16); d is 0 from step `some` on. */
#define KL_DEPTHWISE_BLEND_ARGS(real) \
    (real * y, const real *d, const real *v, const real *f, size_t some, size_t n)

#define KL_DEPTHWISE_TABLE(p, real)                         \
    struct kl_depthwise_##p {                               \
        void(*filter) KL_DEPTHWISE_FILTER_ARGS(real);       \
        void(*lags) KL_DEPTHWISE_LAGS_ARGS(real);           \
        void(*moments) KL_DEPTHWISE_MOMENTS_ARGS(real);     \
        void(*pool) KL_DEPTHWISE_POOL_ARGS(real);           \
        void(*pool_back) KL_DEPTHWISE_POOL_BACK_ARGS(real); \
        void(*blend) KL_DEPTHWISE_BLEND_ARGS(real);         \
    };                                                      \
    KL_KERNEL(const struct kl_depthwise_##p, depthwise_##p)
KL_DEPTHWISE_TABLE(f32, float)
KL_DEPTHWISE_TABLE(f64, double)

/* In files that are compiled in both precisions (kernels/inline/real.h). */
#define kl_kernel_depthwise KL_NAME(kl_kernel_depthwise)()

#endif
