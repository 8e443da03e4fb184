/* SPDX-License-Identifier: MIT
   A test of kernels, once with every instruction set that this processor has. */
#ifndef KL_TESTS_ISAS_H
#define KL_TESTS_ISAS_H

#include <string.h>

#include "kernels/select.h"

/* main's status; with --bench it measures instead. */
static inline int with_each_isa(int argc, char **argv, int (*check)(const struct kl_kernels *k),
                                void (*bench)(const struct kl_kernels *k))
{
    int failures = 0;
    for (int isa = 0; isa < 3; isa++) {
        const struct kl_kernels *k = kl_kernels_of(isa);
        if (!k) continue;
        if (bench && argc > 1 && strcmp(argv[1], "--bench") == 0) bench(k);
        else failures += check(k);
    }
    return failures != 0;
}

#endif
