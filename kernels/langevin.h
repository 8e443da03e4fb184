/* SPDX-License-Identifier: MIT
   langevin: normal deviates and the updates that use them, noise made in registers. Philox4x32-10 with
   key = a chain's own and counter (block, purpose, step, replica); normals by Box and Muller (1958), two
   of words 0 and 1 of a block, two of words 2 and 3, cosine then sine. Elements come in groups of 32, of
   blocks 8 q .. 8 q + 7: element 2 j + p of group q has the cosine of pair p of its block j, element 16
   + 2 j + p the sine. So which word makes the normal of an element is fixed by the element alone, in
   float as in double: ranges, threads and instruction sets (AVX2, AVX-512) change no bit. Elements below
   2^34. On a GPU: kernels/cuda/normal.cuh, chain_step.cuh. */
#ifndef KL_LANGEVIN_H
#define KL_LANGEVIN_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/isa.h"

struct kl_langevin_stream {
    uint64_t key;
    uint32_t purpose, step, replica;
};
/* out (n) = normals of elements first .. first + n - 1 of the stream. */
#define KL_LANGEVIN_NORMALS(real, p)                                                    \
    typedef void kl_langevin_normals_##p##_fn(real *out, size_t first, size_t n,        \
                                              const struct kl_langevin_stream *stream); \
    KL_KERNEL(kl_langevin_normals_##p##_fn, langevin_normals_##p)
KL_LANGEVIN_NORMALS(float, f32)
KL_LANGEVIN_NORMALS(double, f64)

/* All below: the elements from `first` on, of which w, grad, ... point to the first; grad NULL: zeros.
   Where spread is 0 no noise is drawn (stream may be NULL). sums (NULL: not asked for) are added to; of
   elements before the update. They go to double at every element that is a multiple of
   KL_LANGEVIN_BLOCK: ranges that meet there, one after another into the same sums, give the bits of the
   whole; within, 16 partial sums. */
enum { KL_LANGEVIN_BLOCK = 1024 };
struct kl_langevin_sums {
    double ww, wg, gg; /* of w^2, w grad, grad^2 */
};

/* w = shrink w - rate grad + spread N. */
struct kl_langevin_factors {
    double shrink, rate, spread;
};
#define KL_LANGEVIN_STEP(real, p)                                                               \
    typedef void kl_langevin_step_##p##_fn(                                                     \
        real *w, const real *grad, size_t first, size_t n, const struct kl_langevin_factors *f, \
        const struct kl_langevin_stream *stream, struct kl_langevin_sums *sums);                \
    KL_KERNEL(kl_langevin_step_##p##_fn, langevin_step_##p)
KL_LANGEVIN_STEP(float, f32)
KL_LANGEVIN_STEP(double, f64)

/* With momentum: v = keep v - rate grad - decay w + spread N; then w = w + move v. *vv: plus the sum of
   v^2 after; may be NULL. */
struct kl_langevin_momentum {
    double keep, rate, decay, spread, move;
};
#define KL_LANGEVIN_MOMENTUM(real, p)                                                                \
    typedef void kl_langevin_momentum_##p##_fn(real *w, real *v, const real *grad, size_t first,     \
                                               size_t n, const struct kl_langevin_momentum *f,       \
                                               const struct kl_langevin_stream *stream, double *vv); \
    KL_KERNEL(kl_langevin_momentum_##p##_fn, langevin_momentum_##p)
KL_LANGEVIN_MOMENTUM(float, f32)
KL_LANGEVIN_MOMENTUM(double, f64)

/* Preconditioned by a running square (Li, Chen, Carlson, Carin 2016, arXiv:1512.07666, without its
   curvature term): V = keep V + (1 - keep) grad^2, G = 1 / (eps + sqrt V), w = w - rate G (grad + decay
   w) + spread sqrt(G) N. A step of size h at inverse temperature beta: rate = h / 2, spread = sqrt(h /
   beta), decay = 1 / (sigma^2 beta). */
struct kl_langevin_rms {
    double keep, eps, rate, decay, spread;
};
#define KL_LANGEVIN_RMS(real, p)                                                                 \
    typedef void kl_langevin_rms_##p##_fn(real *w, real *square, const real *grad, size_t first, \
                                          size_t n, const struct kl_langevin_rms *f,             \
                                          const struct kl_langevin_stream *stream,               \
                                          struct kl_langevin_sums *sums);                        \
    KL_KERNEL(kl_langevin_rms_##p##_fn, langevin_rms_##p)
KL_LANGEVIN_RMS(float, f32)
KL_LANGEVIN_RMS(double, f64)

/* In files that are compiled in both precisions (kernels/inline/real.h). */
#define kl_kernel_langevin_normals KL_NAME(kl_kernel_langevin_normals)()
#define kl_kernel_langevin_step KL_NAME(kl_kernel_langevin_step)()
#define kl_kernel_langevin_momentum KL_NAME(kl_kernel_langevin_momentum)()
#define kl_kernel_langevin_rms KL_NAME(kl_kernel_langevin_rms)()

#endif
