/* SPDX-License-Identifier: MIT
   The test of Mann and Whitney. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/distributions.h"
#include "stats/ranks.h"

/* Twice a rank is a whole number; their sum is at most n (n + 1). */
enum { SUMS = KL_MANN_WHITNEY_EXACT * (KL_MANN_WHITNEY_EXACT + 1) + 1 };

/* The share of all choices of na of the ranks whose sum is as large: in how many ways k of those looked
   at so far have a sum is counted for all k and sums (Streitberg & Roehmel 1986). At most C(36, 18), so
   that doubles count exactly. */
static int exact_log10_p(double *log10_p, const double *ranks, size_t na, size_t n, double sum,
                         struct kl_error *err)
{
    const size_t least = (size_t)llround(2 * sum);
    double *ways = calloc((na + 1) * SUMS, sizeof *ways), all = 0, as_large = 0;
    if (!ways) return kl_fail_memory(err, (na + 1) * SUMS * sizeof *ways);
    ways[0] = 1;
    for (size_t i = 0; i < n; i++) {
        const size_t rank = (size_t)llround(2 * ranks[i]);
        for (size_t k = na; k > 0; k--)
            for (size_t s = SUMS; s-- > rank;) ways[k * SUMS + s] += ways[(k - 1) * SUMS + s - rank];
    }
    for (size_t s = 0; s < SUMS; s++) {
        all += ways[na * SUMS + s];
        if (s >= least) as_large += ways[na * SUMS + s];
    }
    free(ways);
    *log10_p = log10(as_large / all);
    return KL_OK;
}

int kl_stats_mann_whitney(struct kl_mann_whitney *m, const double *a, size_t na, const double *b,
                          size_t nb, struct kl_error *err)
{
    const size_t n = na + nb;
    const double x = (double)na, y = (double)nb;
    double *values = malloc(2 * n * sizeof *values), ties, sum = 0;
    if (!values) return kl_fail_memory(err, 2 * n * sizeof *values);
    double *const ranks = values + n;
    memcpy(values, a, na * sizeof *a);
    memcpy(values + na, b, nb * sizeof *b);
    int code = kl_stats_ranks(ranks, &ties, values, n, err);
    for (size_t i = 0; i < na && !code; i++) sum += ranks[i];
    m->u = sum - x * (x + 1) / 2;
    if (!code && n <= KL_MANN_WHITNEY_EXACT) code = exact_log10_p(&m->log10_p, ranks, na, n, sum, err);
    free(values);
    if (code || n <= KL_MANN_WHITNEY_EXACT) return code;
    const double total = x + y, variance = x * y / 12 * (total + 1 - ties / (total * (total - 1)));
    m->log10_p =
        variance > 0 ? kl_stats_normal_log10_upper((m->u - x * y / 2 - 0.5) / sqrt(variance)) : 0;
    return KL_OK;
}
