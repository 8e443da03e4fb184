/* SPDX-License-Identifier: MIT
   Over the lanes of a vector: choices, sums and largest values. */
#ifndef KL_INLINE_LANES_H
#define KL_INLINE_LANES_H

#include "kernels/inline/real.h"

/* The result of a comparison of two vectors: integers as wide as their lanes. */
typedef __typeof__((kl_lane){ 0 } > (kl_lane){ 0 }) kl_lane_bits;

#define kl_lane_at(v, i) (v)[i]
static inline kl_lane kl_choose(kl_lane_bits where, kl_lane a, kl_lane b)
{
    return (kl_lane)(((kl_lane_bits)a & where) | ((kl_lane_bits)b & ~where));
}

/* By halves: one order, whatever the compiler, and in the registers. */
static inline kl_real kl_sum_lanes(kl_lane v)
{
    typedef kl_real quarter __attribute__((vector_size(16)));
#if KL_VECTOR_BYTES == 16
    const quarter q = (quarter)v;
#else
    typedef kl_real half __attribute__((vector_size(32)));
#if KL_VECTOR_BYTES == 64
    const union {
        kl_lane v;
        half h[2];
    } whole = { v };
    const half h = whole.h[0] + whole.h[1];
#else
    const half h = (half)v;
#endif
    const union {
        half h;
        quarter q[2];
    } both = { h };
    const quarter q = both.q[0] + both.q[1];
#endif
#if KL_F64
    return q[0] + q[1];
#else
    return (q[0] + q[2]) + (q[1] + q[3]);
#endif
}

static inline kl_real kl_most_of_lanes(kl_lane v)
{
    for (int l = 1; l < KL_LANES; l++) v[0] = v[l] > v[0] ? v[l] : v[0];
    return v[0];
}

#endif
