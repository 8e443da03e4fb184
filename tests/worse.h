/* SPDX-License-Identifier: MIT
   The largest of many differences. fmax and `if (off > worst)` would pass over a NaN. */
#ifndef KL_TESTS_WORSE_H
#define KL_TESTS_WORSE_H

#include <math.h>

/* The larger of worst and |off|; NaN, which no bound admits, once one of them is. */
static inline double worse(double worst, double off)
{
    return fabs(off) <= worst || isnan(worst) ? worst : fabs(off);
}

#endif
