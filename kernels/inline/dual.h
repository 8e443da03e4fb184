/* SPDX-License-Identifier: MIT
   Numbers of a lane that carry their derivative along one direction (forward mode). A pass that is
   written over `number` with these functions is compiled twice: plainly, and with KL_DUAL 1 for its
   tangent. */
#include "kernels/inline/real.h"

#undef KL_N
#undef number
#if KL_DUAL
#define KL_N(name) name##_dual
#define number number_dual
typedef struct {
    kl_lane v, d;
} number_dual;
#else
#define KL_N(name) name##_plain
#define number number_plain
typedef kl_lane number_plain;
#endif

#ifndef KL_NUMBER_INLINE /* the GPU's files have their own */
#define KL_NUMBER_INLINE static inline __attribute__((always_inline, unused))
#endif

KL_NUMBER_INLINE number KL_N(number_of)(kl_lane v)
{
#if KL_DUAL
    return (number){ v, v - v };
#else
    return v;
#endif
}
KL_NUMBER_INLINE number KL_N(add)(number a, number b)
{
#if KL_DUAL
    return (number){ a.v + b.v, a.d + b.d };
#else
    return a + b;
#endif
}
KL_NUMBER_INLINE number KL_N(mul)(number a, number b)
{
#if KL_DUAL
    return (number){ a.v * b.v, a.v * b.d + a.d * b.v };
#else
    return a * b;
#endif
}
/* c + a b, c - a b, s a */
KL_NUMBER_INLINE number KL_N(mac)(number c, number a, number b)
{
#if KL_DUAL
    return (number){ c.v + a.v * b.v, c.d + a.v * b.d + a.d * b.v };
#else
    return c + a * b;
#endif
}
KL_NUMBER_INLINE number KL_N(msc)(number c, number a, number b)
{
#if KL_DUAL
    return (number){ c.v - a.v * b.v, c.d - a.v * b.d - a.d * b.v };
#else
    return c - a * b;
#endif
}
KL_NUMBER_INLINE number KL_N(scale)(kl_real s, number a)
{
#if KL_DUAL
    return (number){ s * a.v, s * a.d };
#else
    return s * a;
#endif
}
