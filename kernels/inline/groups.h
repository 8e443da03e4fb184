/* SPDX-License-Identifier: MIT
   Groups of 64 bytes of values: the lanes of sums that have one structure on every instruction set. */
#ifndef KL_INLINE_GROUPS_H
#define KL_INLINE_GROUPS_H

#include "kernels/inline/elementary.h"

/* KL_GROUP values, in KL_GROUP_VECTORS vectors. */
enum { KL_GROUP = 64 / (int)sizeof(kl_real), KL_GROUP_VECTORS = 64 / KL_VECTOR_BYTES };

/* Halves are added to halves. */
static inline kl_real kl_sum_group(const kl_lane *v)
{
#if KL_VECTOR_BYTES == 64
    return kl_sum_lanes(v[0]);
#elif KL_VECTOR_BYTES == 32
    return kl_sum_lanes(v[0] + v[1]);
#else
    return kl_sum_lanes((v[0] + v[2]) + (v[1] + v[3]));
#endif
}

/* sigma(z) = 1 / (1 + e^-z). */
static inline kl_lane kl_sigmoid_lane(kl_lane z)
{
    const kl_lane one = (kl_lane){ 0 } + 1, e = kl_exp_lane(kl_choose(z < 0, z, -z));
    return kl_choose(z < 0, e, one) / (1 + e);
}

/* z sigma(z), and its derivative sigma + z sigma (1 - sigma). */
static inline __attribute__((always_inline)) kl_lane kl_silu_lane(kl_lane z, kl_lane *slope)
{
    const kl_lane s = kl_sigmoid_lane(z), y = z * s;
    *slope = s + y * (1 - s);
    return y;
}

#endif
