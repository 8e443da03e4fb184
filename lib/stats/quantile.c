/* SPDX-License-Identifier: MIT
   Sorted values and their quantiles. */
#include <stdlib.h>

#include "stats/ranks.h"

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void kl_stats_sort(double *values, size_t n)
{
    qsort(values, n, sizeof *values, by_value);
}

double kl_stats_sorted_quantile(const double *sorted, size_t n, double share)
{
    const double at = share * (double)(n - 1);
    const size_t below = (size_t)at, above = below + 1 < n ? below + 1 : below;
    return sorted[below] + (at - (double)below) * (sorted[above] - sorted[below]);
}
