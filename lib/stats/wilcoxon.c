/* SPDX-License-Identifier: MIT
   Wilcoxon's signed ranks. */
#include <math.h>
#include <stdlib.h>

#include "stats/distributions.h"
#include "stats/ranks.h"
#include "stats/tests.h"

/* Sizes in rising order that are the same but for rounding become the same. */
static void join(double *size, const double *d, size_t n, double within)
{
    double *const sorted = size + n;
    for (size_t i = 0; i < n; i++) sorted[i] = fabs(d[i]);
    kl_stats_sort(sorted, n);
    for (size_t i = 0; i < n; i++) {
        const double mine = fabs(d[i]);
        size_t k = 0;
        while (sorted[k] < mine) k++;
        while (k > 0 && sorted[k] - sorted[k - 1] <= within) k--;
        size[i] = sorted[k];
    }
}

/* What is not 0, ranked: ranks [m], signed by their differences. */
static int signed_ranks(double *ranks, size_t *m, double *ties, double *above, const double *d, size_t n,
                        double rounding, struct kl_error *err)
{
    double *const kept = malloc((3 * n + 1) * sizeof *kept), most = 0;
    if (!kept) return kl_fail_memory(err, (3 * n + 1) * sizeof *kept);
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(d[i]));
    *m = 0, *above = 0;
    for (size_t i = 0; i < n; i++)
        if (fabs(d[i]) > rounding * most) kept[(*m)++] = d[i];
    join(kept + *m, kept, *m, rounding * most);
    const int code = kl_stats_ranks(ranks, ties, kept + *m, *m, err);
    for (size_t i = 0; i < *m && !code; i++)
        if (kept[i] > 0) *above += ranks[i];
    free(kept);
    return code;
}

static void normal(struct kl_tested *t, double ties)
{
    const double m = (double)t->n, mean = m * (m + 1) / 4,
                 variance = (m * (m + 1) * (2 * m + 1) - ties / 2) / 24,
                 z = (t->statistic - mean) / sqrt(variance);
    t->greater = pow(10, kl_stats_normal_log10_upper(z));
    t->less = pow(10, kl_stats_normal_log10_upper(-z));
    t->both = pow(10, kl_stats_normal_log10_p(z));
}

/* Twice a rank is a whole number: how the sum of those with a sign above 0 is distributed (Streitberg &
   Roehmel 1986). */
static int exact(struct kl_tested *t, const double *ranks, struct kl_error *err)
{
    const size_t most = t->n * (t->n + 1), at = (size_t)llround(2 * t->statistic);
    double *const share = calloc(most + 1, sizeof *share);
    size_t reached = 0;
    if (!share) return kl_fail_memory(err, (most + 1) * sizeof *share);
    share[0] = 1;
    for (size_t i = 0; i < t->n; i++) {
        const size_t rank = (size_t)llround(2 * ranks[i]);
        reached += rank;
        for (size_t s = reached + 1; s-- > 0;)
            share[s] = (share[s] + (s >= rank ? share[s - rank] : 0)) / 2;
    }
    t->greater = t->less = 0;
    for (size_t s = 0; s <= most; s++) {
        if (s >= at) t->greater += share[s];
        if (s <= at) t->less += share[s];
    }
    t->greater = fmin(1, t->greater), t->less = fmin(1, t->less);
    t->both = fmin(1, 2 * fmin(t->greater, t->less));
    t->exact = true;
    free(share);
    return KL_OK;
}

static int test(struct kl_tested *t, const double *d, size_t n, double rounding, size_t most,
                struct kl_error *err)
{
    double ties = 0, *const ranks = malloc((n + 1) * sizeof *ranks);
    *t = (struct kl_tested){ .both = NAN, .greater = NAN, .less = NAN };
    if (!ranks) return kl_fail_memory(err, (n + 1) * sizeof *ranks);
    int code = signed_ranks(ranks, &t->n, &ties, &t->statistic, d, n, rounding, err);
    if (!code && t->n && t->n <= most) code = exact(t, ranks, err);
    else if (!code && t->n) normal(t, ties);
    free(ranks);
    return code;
}

int kl_stats_wilcoxon(struct kl_tested *t, const double *d, size_t n, double rounding,
                      struct kl_error *err)
{
    return test(t, d, n, rounding, KL_WILCOXON_EXACT, err);
}

int kl_stats_wilcoxon_normal(struct kl_tested *t, const double *d, size_t n, double rounding,
                             struct kl_error *err)
{
    return test(t, d, n, rounding, 0, err);
}
