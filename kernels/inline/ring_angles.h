/* SPDX-License-Identifier: MIT
   The logistic function, cosine and sine of lanes, for the angles of kernels/ring.h: to 2 units in the
   last place for arguments up to some thousands. Coefficients: Cephes (Moshier 1989) in float, Taylor's
   series on [-pi/4, pi/4] in double. */
#ifndef KL_INLINE_RING_ANGLES_H
#define KL_INLINE_RING_ANGLES_H

#include "kernels/inline/elementary.h"
#include "kernels/inline/fused.h"

static inline __attribute__((always_inline)) kl_lane ring_within(kl_lane x, kl_real most)
{
    return kl_higher(kl_lower(x, kl_all(most)), kl_all(-most));
}

/* e^x where |x| is no more than 708 (float: 87). */
static inline __attribute__((always_inline)) kl_lane ring_exp(kl_lane x)
{
#if KL_F64
    return kl_exp_lane(x);
#else
    static const float c[] = { 1.9875691500e-4f, 1.3981999507e-3f, 8.3334519073e-3f,
                               4.1665795894e-2f, 1.6666665459e-1f, 5.0000001201e-1f };
    const kl_lane shifted = kl_fma(x, kl_all(1.44269504f), kl_all(0x1.8p23f)), n = shifted - 0x1.8p23f,
                  r = kl_fma(n, kl_all(2.12194440e-4f), kl_fma(n, kl_all(-0.693359375f), x));
    const kl_lane p = kl_fma(kl_horner(r, c, 6), r * r, r) + 1;
    return (kl_lane)((kl_lane_bits)p + ((kl_lane_bits)shifted << 23));
#endif
}

/* s = 1 / (1 + e^-x), slope = s (1 - s); of a number that is none, none. */
static inline __attribute__((always_inline)) void ring_logistic(kl_lane *s, kl_lane *slope, kl_lane x)
{
    const kl_lane e = ring_exp(ring_within(-x, KL_F64 ? 700 : 86)), one = 1 / (1 + e);
    *s = one, *slope = e * one * one;
}

static inline __attribute__((always_inline)) void ring_turn(kl_lane *cosine, kl_lane *sine, kl_lane x)
{
#if KL_F64
    static const double
        s[] = { 1 / 355687428096000.0, -1 / 1307674368000.0, 1 / 6227020800.0, -1 / 39916800.0,
                1 / 362880.0,          -1 / 5040.0,          1 / 120.0,        -1 / 6.0 },
        c[] = { -1 / 6402373705728000.0, 1 / 20922789888000.0, -1 / 87178291200.0, 1 / 479001600.0,
                -1 / 3628800.0,          1 / 40320.0,          -1 / 720.0,         1 / 24.0 };
    enum { TERMS = 8, SHIFT = 62 };
    const kl_lane shifted = kl_fma(x, kl_all(0.63661977236758134308), kl_all(0x1.8p52)),
                  q = shifted - 0x1.8p52,
                  r = kl_fma(q, kl_all(-0x1.1a62633145c07p-54),
                             kl_fma(q, kl_all(-0x1.921fb54442d18p0), x));
#else
    static const float s[] = { -1.9515295891e-4f, 8.3321608736e-3f, -1.6666654611e-1f },
                       c[] = { 2.443315711809948e-5f, -1.388731625493765e-3f, 4.166664568298827e-2f };
    enum { TERMS = 3, SHIFT = 30 };
    const kl_lane shifted = kl_fma(x, kl_all(0.636619772f), kl_all(0x1.8p23f)), q = shifted - 0x1.8p23f,
                  r = kl_fma(
                      q, kl_all(-7.549789948768648e-8f),
                      kl_fma(q, kl_all(-4.837512969970703e-4f), kl_fma(q, kl_all(-1.5703125f), x)));
#endif
    const kl_lane z = r * r, sn = kl_fma(r * z, kl_horner(z, s, TERMS), r),
                  cs =
                      kl_fma(z * z, kl_horner(z, c, TERMS), kl_fma(z, kl_all((kl_real)-0.5), kl_all(1)));
    const kl_lane_bits quadrant = (kl_lane_bits)shifted, swap = -(quadrant & 1);
    const kl_lane a = kl_choose(swap, cs, sn), b = kl_choose(swap, sn, cs);
    *sine = (kl_lane)((kl_lane_bits)a ^ (quadrant & 2) << SHIFT);
    *cosine = (kl_lane)((kl_lane_bits)b ^ ((quadrant + 1) & 2) << SHIFT);
}

#endif
