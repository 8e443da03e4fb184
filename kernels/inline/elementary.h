/* SPDX-License-Identifier: MIT
   Logarithm and exponential of a vector of lanes, to a few units in the last place, from their series:
   ln m = 2 atanh((m - 1) / (m + 1)) for m in [sqrt(1/2), sqrt(2)), e^r for r in [- ln 2 / 2, ln 2 / 2].
   e^x - 1 and tanh, near 0 as precise as elsewhere. */
#ifndef KL_INLINE_ELEMENTARY_H
#define KL_INLINE_ELEMENTARY_H

#include "kernels/inline/lanes.h"

#if KL_F64
enum { KL_MANTISSA = 52, KL_LOG_TERMS = 10, KL_EXP_TERMS = 13 };
#define KL_ROOT_HALF 0x3fe6a09e667f3bcdll
#define KL_LN2_HIGH 0x1.62e42fefp-1 /* few enough digits for exact products */
#define KL_LN2_LOW 0x1.473de6af278edp-34
#define KL_LEAST_EXPONENT -708.0
#define KL_ROUNDER 0x1.8p52
#else
enum { KL_MANTISSA = 23, KL_LOG_TERMS = 5, KL_EXP_TERMS = 7 };
#define KL_ROOT_HALF 0x3f3504f3
#define KL_LN2_HIGH 0x1.62e4p-1f
#define KL_LN2_LOW 0x1.7f7d1cf79abcap-20f
#define KL_LEAST_EXPONENT -87.0f
#define KL_ROUNDER 0x1.8p23f
#endif

/* Of positive numbers that are neither denormal nor infinite. */
static inline kl_lane kl_log_lane(kl_lane x)
{
    const kl_lane_bits bits = (kl_lane_bits)x, exponent = (bits - KL_ROOT_HALF) >> KL_MANTISSA;
    const kl_lane m = (kl_lane)(bits - (exponent << KL_MANTISSA)), s = (m - 1) / (m + 1), z = s * s,
                  n = __builtin_convertvector(exponent, kl_lane);
    kl_lane sum = { 0 };
    for (int k = KL_LOG_TERMS; k > 0; k--) sum = (sum + (kl_real)1 / (kl_real)(2 * k + 1)) * z;
    return n * KL_LN2_HIGH + (n * KL_LN2_LOW + (2 * s + 2 * s * sum));
}

/* Of numbers <= 0; below the least, that of the least, which is next to 0. */
static inline kl_lane kl_exp_lane(kl_lane x)
{
    const kl_lane least = (kl_lane){ 0 } + (kl_real)KL_LEAST_EXPONENT,
                  rounder = (kl_lane){ 0 } + (kl_real)KL_ROUNDER;
    const kl_lane_bits below = x < least;
    x = (kl_lane)(((kl_lane_bits)least & below) | ((kl_lane_bits)x & ~below));
    const kl_lane shifted = x * (kl_real)1.4426950408889634 + rounder, n = shifted - rounder,
                  r = (x - n * KL_LN2_HIGH) - n * KL_LN2_LOW;
    kl_lane sum = (kl_lane){ 0 } + 1;
    for (int k = KL_EXP_TERMS; k > 0; k--) sum = 1 + sum * r * ((kl_real)1 / (kl_real)k);
    return (kl_lane)((kl_lane_bits)sum +
                     (((kl_lane_bits)shifted - (kl_lane_bits)rounder) << KL_MANTISSA));
}

/* e^x - 1 of numbers <= 0, to a few units in the last place also next to 0. */
static inline kl_lane kl_expm1_lane(kl_lane x)
{
    const kl_lane least = (kl_lane){ 0 } + (kl_real)KL_LEAST_EXPONENT,
                  rounder = (kl_lane){ 0 } + (kl_real)KL_ROUNDER;
    x = kl_choose(x < least, least, x);
    const kl_lane shifted = x * (kl_real)1.4426950408889634 + rounder, n = shifted - rounder,
                  r = (x - n * KL_LN2_HIGH) - n * KL_LN2_LOW;
    kl_lane sum = (kl_lane){ 0 } + (kl_real)1 / (kl_real)KL_EXP_TERMS;
    for (int k = KL_EXP_TERMS - 1; k > 0; k--) sum = (1 + sum * r) * ((kl_real)1 / (kl_real)k);
    const kl_lane scale = (kl_lane)((kl_lane_bits)((kl_lane){ 0 } + 1) +
                                    (((kl_lane_bits)shifted - (kl_lane_bits)rounder) << KL_MANTISSA));
    return scale * (r * sum) + (scale - 1);
}

/* tanh |x| = - s / (2 + s), s = e^(-2 |x|) - 1; a number that is none stays none. */
static inline kl_lane kl_tanh_lane(kl_lane x)
{
    const kl_lane_bits negative = x < 0;
    const kl_lane s = kl_expm1_lane(kl_choose(negative, 2 * x, -2 * x)), t = s / (2 + s);
    return kl_choose(negative, t, -t);
}

#endif
