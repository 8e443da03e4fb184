/* SPDX-License-Identifier: MIT
   Ranks, ties at their mean. */
#include "stats/ranks.h"

#include <stdlib.h>

struct ranked {
    double value;
    size_t i;
};

static int by_value(const void *a, const void *b)
{
    const double x = ((const struct ranked *)a)->value, y = ((const struct ranked *)b)->value;
    return (x > y) - (x < y);
}

int kl_stats_ranks(double *ranks, double *ties, const double *values, size_t n, struct kl_error *err)
{
    struct ranked *sorted = malloc((n + 1) * sizeof *sorted);
    if (!sorted) return kl_fail_memory(err, n * sizeof *sorted);
    for (size_t i = 0; i < n; i++) sorted[i] = (struct ranked){ values[i], i };
    qsort(sorted, n, sizeof *sorted, by_value);
    if (ties) *ties = 0;
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && sorted[end].value == sorted[i].value;) end++;
        const double t = (double)(end - i);
        for (size_t k = i; k < end; k++) ranks[sorted[k].i] = 0.5 * (double)(i + 1 + end);
        if (ties) *ties += t * t * t - t;
    }
    free(sorted);
    return KL_OK;
}
