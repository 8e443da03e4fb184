/* SPDX-License-Identifier: MIT
   Timing on a GPU, which has its full clock only when it has been at work for a while. */
#ifndef KL_BENCH_WARM_H
#define KL_BENCH_WARM_H

#include <stdlib.h>

#define WARM_SECONDS 0.3 /* of work before what is timed, at least */

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts them. */
static double median(double *values, size_t n)
{
    qsort(values, n, sizeof *values, ascending);
    return values[n / 2];
}

#endif
