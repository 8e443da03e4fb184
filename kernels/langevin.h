/* SPDX-License-Identifier: MIT
   langevin: normal deviates and the updates that use them, noise made in registers. Philox4x32-10 with
   key = a chain's own and counter (block, purpose, step, replica); normals by Box and Muller (1958), two
   of words 0 and 1 of a block, two of words 2 and 3, cosine then sine. Elements come in groups of 32, of
   blocks 8 q .. 8 q + 7: element 2 j + p of group q has the cosine of pair p of its block j, element 16
   + 2 j + p the sine. So which word makes the normal of an element is fixed by the element alone, in
   float as in double: ranges, threads and instruction sets (AVX2, AVX-512) change no bit. Elements below
   2^34. No cuda/ twin yet. */
#ifndef KL_LANGEVIN_H
#define KL_LANGEVIN_H

#include <stddef.h>
#include <stdint.h>

struct kl_langevin_stream {
    uint64_t key;
    uint32_t purpose, step, replica;
};
/* out (n) = normals of elements first .. first + n - 1 of the stream. */
#define KL_LANGEVIN_NORMALS_ARGS(real) \
    (real * out, size_t first, size_t n, const struct kl_langevin_stream *stream)

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
#define KL_LANGEVIN_STEP_ARGS(real)                                                           \
    (real * w, const real *grad, size_t first, size_t n, const struct kl_langevin_factors *f, \
     const struct kl_langevin_stream *stream, struct kl_langevin_sums *sums)

/* With momentum: v = keep v - rate grad - decay w + spread N; then w = w + move v. *vv: plus the sum of
   v^2 after; may be NULL. */
struct kl_langevin_momentum {
    double keep, rate, decay, spread, move;
};
#define KL_LANGEVIN_MOMENTUM_ARGS(real)                            \
    (real * w, real * v, const real *grad, size_t first, size_t n, \
     const struct kl_langevin_momentum *f, const struct kl_langevin_stream *stream, double *vv)

/* Preconditioned by a running square (Li, Chen, Carlson, Carin 2016, arXiv:1512.07666, without its
   curvature term): V = keep V + (1 - keep) grad^2, G = 1 / (eps + sqrt V), w = w - rate G (grad + decay
   w) + spread sqrt(G) N. A step of size h at inverse temperature beta: rate = h / 2, spread = sqrt(h /
   beta), decay = 1 / (sigma^2 beta). */
struct kl_langevin_rms {
    double keep, eps, rate, decay, spread;
};
#define KL_LANGEVIN_RMS_ARGS(real)                                             \
    (real * w, real * square, const real *grad, size_t first, size_t n,        \
     const struct kl_langevin_rms *f, const struct kl_langevin_stream *stream, \
     struct kl_langevin_sums *sums)

#define KL_LANGEVIN_TYPES(real, p)                                                \
    typedef void(*kl_langevin_normals_##p##_fn) KL_LANGEVIN_NORMALS_ARGS(real);   \
    typedef void(*kl_langevin_step_##p##_fn) KL_LANGEVIN_STEP_ARGS(real);         \
    typedef void(*kl_langevin_momentum_##p##_fn) KL_LANGEVIN_MOMENTUM_ARGS(real); \
    typedef void(*kl_langevin_rms_##p##_fn) KL_LANGEVIN_RMS_ARGS(real);
KL_LANGEVIN_TYPES(float, f32)
KL_LANGEVIN_TYPES(double, f64)

/* The versions, lowest first; select.c chooses. */
#define KL_LANGEVIN_DECLARE(real, p)                               \
    void kl_langevin_normals_##p KL_LANGEVIN_NORMALS_ARGS(real);   \
    void kl_langevin_step_##p KL_LANGEVIN_STEP_ARGS(real);         \
    void kl_langevin_momentum_##p KL_LANGEVIN_MOMENTUM_ARGS(real); \
    void kl_langevin_rms_##p KL_LANGEVIN_RMS_ARGS(real);
#define KL_LANGEVIN_BOTH(isa) \
    KL_LANGEVIN_DECLARE(float, f32_##isa) KL_LANGEVIN_DECLARE(double, f64_##isa)
KL_LANGEVIN_BOTH(base)
KL_LANGEVIN_BOTH(avx2)
KL_LANGEVIN_BOTH(avx512)

#endif
