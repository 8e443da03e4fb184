/* SPDX-License-Identifier: MIT
   What C's vectors lack: a multiply-add that is one operation because it is written as one (a compiler
   that contracts a * b + c may choose otherwise for another width, and then bits differ), square roots,
   picks by a sign bit. `base` of x86 has no such multiply-add: there it is two operations. */
#ifndef KL_INLINE_FUSED_H
#define KL_INLINE_FUSED_H

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#include "kernels/inline/lanes.h"

enum { KL_SIGN_SHIFT = KL_F64 ? 63 : 31 };
/* The sign bits of x. */
static inline kl_lane_bits kl_sign_of(kl_lane_bits x)
{
    return x & (kl_lane_bits)(-(kl_lane){ 0 });
}

static inline kl_lane kl_all(kl_real x)
{
    return (kl_lane){ 0 } + x;
}

/* KL_OWN(sqrt)(KL_RAW(x)): the processor's own operation, and the vector as it takes it. */
#if KL_F64
#define KL_WIDE(name) name##_pd
#define KL_WIDE_CAST(type, v) ((type##d)(v))
#else
#define KL_WIDE(name) name##_ps
#define KL_WIDE_CAST(type, v) ((type)(v))
#endif
#if KL_VECTOR_BYTES == 64
#define KL_RAW(v) KL_WIDE_CAST(__m512, v)
#define KL_OWN(name) KL_WIDE(_mm512_##name)
#elif KL_VECTOR_BYTES == 32
#define KL_RAW(v) KL_WIDE_CAST(__m256, v)
#define KL_OWN(name) KL_WIDE(_mm256_##name)
#elif defined(__x86_64__)
#define KL_RAW(v) KL_WIDE_CAST(__m128, v)
#define KL_OWN(name) KL_WIDE(_mm_##name)
#elif defined(__aarch64__) && KL_F64
#define KL_RAW(v) ((float64x2_t)(v))
#define KL_OWN(name) v##name##q_f64
#elif defined(__aarch64__)
#define KL_RAW(v) ((float32x4_t)(v))
#define KL_OWN(name) v##name##q_f32
#endif

/* a b + c */
static inline kl_lane kl_fma(kl_lane a, kl_lane b, kl_lane c)
{
#if KL_VECTOR_BYTES > 16
    return (kl_lane)KL_OWN(fmadd)(KL_RAW(a), KL_RAW(b), KL_RAW(c));
#elif defined(__aarch64__)
    return (kl_lane)KL_OWN(fma)(KL_RAW(c), KL_RAW(a), KL_RAW(b));
#else
    return a * b + c;
#endif
}

static inline kl_lane kl_root(kl_lane x)
{
#ifdef KL_OWN
    return (kl_lane)KL_OWN(sqrt)(KL_RAW(x));
#else
    for (int l = 0; l < KL_LANES; l++) x[l] = KL_F64 ? (kl_real)sqrt(x[l]) : (kl_real)sqrtf((float)x[l]);
    return x;
#endif
}

/* a < b ? a : b, and a > b ? a : b: b where one of them is no number. */
static inline __attribute__((always_inline)) kl_lane kl_lower(kl_lane a, kl_lane b)
{
#ifdef __x86_64__
    return (kl_lane)KL_OWN(min)(KL_RAW(a), KL_RAW(b));
#else
    return kl_choose(a < b, a, b);
#endif
}
static inline __attribute__((always_inline)) kl_lane kl_higher(kl_lane a, kl_lane b)
{
#ifdef __x86_64__
    return (kl_lane)KL_OWN(max)(KL_RAW(a), KL_RAW(b));
#else
    return kl_choose(a > b, a, b);
#endif
}

/* a where the sign bit of `by` is set, b elsewhere. */
static inline kl_lane kl_by_sign(kl_lane_bits by, kl_lane a, kl_lane b)
{
#if KL_VECTOR_BYTES == 64 && KL_F64
    return (kl_lane)_mm512_mask_blend_pd(_mm512_movepi64_mask((__m512i)by), (__m512d)b, (__m512d)a);
#elif KL_VECTOR_BYTES == 64
    return (kl_lane)_mm512_mask_blend_ps(_mm512_movepi32_mask((__m512i)by), (__m512)b, (__m512)a);
#elif KL_VECTOR_BYTES == 32
    return (kl_lane)KL_OWN(blendv)(KL_RAW(b), KL_RAW(a), KL_RAW(by));
#else
    return kl_choose(by >> KL_SIGN_SHIFT, a, b);
#endif
}

/* c + x (c' + x (c'' + ...)), the coefficients from the highest down. */
static inline __attribute__((always_inline)) kl_lane kl_horner(kl_lane x, const kl_real *c, int n)
{
    kl_lane p = kl_all(c[0]);
#pragma GCC unroll 16
    for (int i = 1; i < n; i++) p = kl_fma(p, x, kl_all(c[i]));
    return p;
}

#endif
