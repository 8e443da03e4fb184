/* SPDX-License-Identifier: MIT
   The normal of one element of a stream, word for word as kernels/langevin.h says it. */
#ifndef KL_TESTS_PLAIN_NORMAL_H
#define KL_TESTS_PLAIN_NORMAL_H

#include <math.h>

#include "kernels/inline/philox.h"
#include "kernels/langevin.h"

/* radius: of its pair. */
static inline long double plain_normal(long double *radius, const struct kl_langevin_stream *s,
                                       size_t element)
{
    const size_t within = element % 32, block = element / 32 * 8 + within % 16 / 2, pair = within % 2;
    uint32_t words[4];
    kl_philox(words, s->key, (uint32_t)block, s->purpose, s->step, s->replica);
    const long double u = ((long double)words[2 * pair] + 0.5L) * 0x1p-32L,
                      angle = 2 * 3.14159265358979323846264338327950288L *
                              ((long double)words[2 * pair + 1] + 0.5L) * 0x1p-32L;
    *radius = sqrtl(-2 * logl(u));
    return *radius * (within < 16 ? cosl(angle) : sinl(angle));
}

#endif
