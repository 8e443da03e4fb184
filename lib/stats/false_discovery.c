/* SPDX-License-Identifier: MIT
   p-values after the procedure of Benjamini and Hochberg. */
#include <math.h>
#include <stdlib.h>

#include "stats/distributions.h"

struct ranked {
    double log10_p;
    size_t at;
};

static int compare(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return (x->log10_p > y->log10_p) - (x->log10_p < y->log10_p);
}

int kl_stats_false_discovery(double *adjusted, const double *log10_p, size_t n, struct kl_error *err)
{
    struct ranked *order = malloc(n * sizeof *order);
    if (!order) return kl_fail_memory(err, n * sizeof *order);
    for (size_t i = 0; i < n; i++) order[i] = (struct ranked){ log10_p[i], i };
    qsort(order, n, sizeof *order, compare);
    double least = 0;
    for (size_t i = n; i-- > 0;) {
        least = fmin(least, order[i].log10_p + log10((double)n / (double)(i + 1)));
        adjusted[order[i].at] = least;
    }
    free(order);
    return KL_OK;
}
