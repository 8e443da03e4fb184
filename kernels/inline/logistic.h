/* SPDX-License-Identifier: MIT
   2^x, the logistic function and softplus of a vector of lanes, to a few units in the last place. Every
   multiply-add is written as one, so the bits are the same on all sets that have it. */
#ifndef KL_INLINE_LOGISTIC_H
#define KL_INLINE_LOGISTIC_H

#include "kernels/inline/fused.h"

#if KL_F64
enum { KL_EXP2_SHIFT = 52, KL_EXP2_TERMS = 14, KL_LOG1P_TERMS = 16 };
#define KL_EXP2_MOST 1000.0
#define KL_EXP2_ROUNDER 0x1.8p52
/* ln(2)^k / k!, from 13 down: for |x| <= 1/2 what is left out is below 5e-18. */
static const kl_real kl_exp2_terms[] = { 1.3691488853904129e-12, 2.5678435993488206e-11,
                                         4.4455382718708116e-10, 7.0549116208011234e-9,
                                         1.0178086009239699e-7,  1.3215486790144310e-6,
                                         1.5252733804059840e-5,  1.5403530393381610e-4,
                                         1.3333558146428443e-3,  9.6181291076284772e-3,
                                         5.5504108664821580e-2,  2.4022650695910072e-1,
                                         6.9314718055994531e-1,  1.0 };
#else
enum { KL_EXP2_SHIFT = 23, KL_EXP2_TERMS = 6, KL_LOG1P_TERMS = 7 };
#define KL_EXP2_MOST 100.0f
#define KL_EXP2_ROUNDER 0x1.8p23f
/* The polynomial of degree 5 that is 1 at 0 with the least relative error for |x| <= 1/2: 9.1e-8, three
   quarters of the last digit. */
static const kl_real kl_exp2_terms[] = { 0.001326472721f, 0.009671512813f, 0.05550733745f,
                                         0.2402224208f,   0.6931469776f,   1.0f };
#endif
#define KL_LOG2_E ((kl_real)1.4426950408889634)
#define KL_LN2 ((kl_real)0.6931471805599453)

/* Of |x| <= 126 (1022 in double). */
static inline __attribute__((always_inline)) kl_lane kl_exp2_within(kl_lane x)
{
    const kl_lane rounder = kl_all(KL_EXP2_ROUNDER), shifted = x + rounder, r = x - (shifted - rounder);
    return (kl_lane)((kl_lane_bits)kl_horner(r, kl_exp2_terms, KL_EXP2_TERMS) +
                     ((kl_lane_bits)shifted << KL_EXP2_SHIFT));
}
/* Limits that let NaN pass; a value in all lanes, from memory in one operation. */
static inline __attribute__((always_inline)) kl_lane kl_not_above(kl_lane x, kl_real most)
{
    return kl_lower(kl_all(most), x);
}
static inline __attribute__((always_inline)) kl_lane kl_not_below(kl_lane x, kl_real least)
{
    return kl_higher(kl_all(least), x);
}
static inline __attribute__((always_inline)) kl_lane kl_spread(kl_real x)
{
#ifdef __x86_64__
    return (kl_lane)KL_OWN(set1)(x);
#else
    kl_lane v;
    for (int l = 0; l < KL_LANES; l++) v[l] = x;
    return v;
#endif
}
/* 1 / (1 + e^-x), precise also where it is small; next to 0 and 1 beyond what 2^x can hold. */
static inline __attribute__((always_inline)) kl_lane kl_logistic_lane(kl_lane x)
{
    const kl_lane y = kl_not_above(kl_not_below(x * -KL_LOG2_E, -KL_EXP2_MOST), KL_EXP2_MOST);
    return kl_all(1) / (kl_all(1) + kl_exp2_within(y));
}
/* ln(1 + e^x) = max(x, 0) + ln(1 + e^-|x|), ln(1 + e) = 2 atanh(e / (2 + e)). */
static inline __attribute__((always_inline)) kl_lane kl_softplus_lane(kl_lane x)
{
    const kl_lane size = kl_choose(x < 0, -x, x),
                  e = kl_exp2_within(kl_not_below(size * -KL_LOG2_E, -KL_EXP2_MOST)),
                  s = e / (kl_all(2) + e), z = s * s;
    kl_lane sum = kl_all((kl_real)1 / (2 * KL_LOG1P_TERMS + 1));
    for (int k = KL_LOG1P_TERMS - 1; k >= 0; k--)
        sum = kl_fma(sum, z, kl_all((kl_real)1 / (kl_real)(2 * k + 1)));
    return kl_fma(s + s, sum, kl_choose(x > 0, x, kl_all(0)));
}
/* 1 - e^-x of x >= 0, precise next to 0: the derivative of softplus, whose value is x. With 2^n times
   the polynomial, less its 1: (1 - 2^n) - 2^n (p - 1). */
static inline __attribute__((always_inline)) kl_lane kl_rise_lane(kl_lane x)
{
    const kl_lane y = kl_not_below(x * -KL_LOG2_E, -KL_EXP2_MOST), rounder = kl_all(KL_EXP2_ROUNDER),
                  shifted = y + rounder, r = y - (shifted - rounder), one = kl_all(1);
    const kl_lane power = (kl_lane)((kl_lane_bits)one + ((kl_lane_bits)shifted << KL_EXP2_SHIFT));
    return kl_fma(power * -r, kl_horner(r, kl_exp2_terms, KL_EXP2_TERMS - 1), one - power);
}

#endif
