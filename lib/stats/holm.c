/* SPDX-License-Identifier: MIT
   p-values after the procedure of Holm. */
#include <math.h>
#include <stdlib.h>

#include "stats/distributions.h"

struct ranked {
    double log10_p;
    size_t i;
};

static int by_p(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->log10_p != y->log10_p) return x->log10_p < y->log10_p ? -1 : 1;
    return x->i < y->i ? -1 : x->i > y->i;
}

int kl_stats_holm(double *adjusted, const double *log10_p, size_t n, struct kl_error *err)
{
    double largest = -INFINITY;
    struct ranked *sorted = malloc((n + 1) * sizeof *sorted);
    if (!sorted) return kl_fail_memory(err, n * sizeof *sorted);
    for (size_t i = 0; i < n; i++) sorted[i] = (struct ranked){ log10_p[i], i };
    qsort(sorted, n, sizeof *sorted, by_p);
    for (size_t k = 0; k < n; k++) {
        largest = fmax(largest, sorted[k].log10_p + log10((double)(n - k)));
        adjusted[sorted[k].i] = fmin(0, largest);
    }
    free(sorted);
    return KL_OK;
}
