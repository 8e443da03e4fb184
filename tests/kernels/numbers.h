/* SPDX-License-Identifier: MIT
   What the tests of kernels share: numbers to compute with, and how far a result may be from them. */
#ifndef KL_TESTS_NUMBERS_H
#define KL_TESTS_NUMBERS_H

#include <math.h>
#include <stdio.h>

static unsigned long long random_state = 88172645463325252ull;

/* In [-1/2, 1/2), the same in every run (xorshift64: Marsaglia 2003, doi:10.18637/jss.v008.i14). */
static inline double uniform(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (double)(random_state >> 11) / 9007199254740992.0 - 0.5;
}

/* Says so and returns 1 if found is further from want than `roundings` times eps of scale, the size of
   the terms that were added: cancellation is no error. */
static inline int far(const char *isa, const char *what, size_t i, long double found, long double want,
                      long double scale, int roundings, double eps)
{
    if (fabsl(found - want) <= roundings * (long double)eps * scale) return 0;
    printf("%s %s [%zu]: found %.17Lg, expected %.17Lg\n", isa, what, i, found, want);
    return 1;
}

#endif
