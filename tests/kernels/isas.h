/* SPDX-License-Identifier: MIT
   A test of kernels, once with every instruction set that this processor has. */
#ifndef KL_TESTS_ISAS_H
#define KL_TESTS_ISAS_H

#include <string.h>

#include "kernels/isa.h"

/* main's status; with --bench it measures instead. */
static inline int with_each_isa(int argc, char **argv, int (*check)(enum kl_isa k),
                                void (*bench)(enum kl_isa k))
{
    int failures = 0;
    for (int isa = 0; kl_isa_is_here(isa); isa++) {
        if (bench && argc > 1 && strcmp(argv[1], "--bench") == 0) bench(isa);
        else failures += check(isa);
    }
    return failures != 0;
}

#endif
