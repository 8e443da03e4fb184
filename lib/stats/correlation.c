/* SPDX-License-Identifier: MIT
   Correlations of Pearson and Spearman. */
#include <math.h>
#include <stdlib.h>

#include "stats/distributions.h"
#include "stats/stats.h"
#include "stats/ranks.h"

/* Exactly; about a rounded mean equal values would scatter. */
static bool all_equal(const double *x, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (x[i] != x[0]) return false;
    return true;
}

struct kl_correlation kl_stats_pearson(const double *x, const double *y, size_t n)
{
    const double mx = kl_stats_mean(x, n), my = kl_stats_mean(y, n);
    double xx = 0, yy = 0, xy = 0;
    for (size_t i = 0; i < n; i++) {
        xx += (x[i] - mx) * (x[i] - mx);
        yy += (y[i] - my) * (y[i] - my);
        xy += (x[i] - mx) * (y[i] - my);
    }
    if (!(xx > 0 && yy > 0) || all_equal(x, n) || all_equal(y, n))
        return (struct kl_correlation){ NAN, 0 };
    const double r = fmax(-1, fmin(1, xy / sqrt(xx * yy))), df = (double)n - 2;
    const double t = r * sqrt(df / ((1 - r) * (1 + r)));
    return (struct kl_correlation){ r, df > 0 ? kl_stats_student_log10_p(t, df) : NAN };
}

/* For ranks in n! orders, which are tried one after another (Heap 1963, doi:10.1093/comjnl/6.3.293);
   twice a rank is a whole number, so that what is equally far from none counts as such. */
static double exact_log10_p(const double *x, const double *y, size_t n)
{
    int64_t a[KL_SPEARMAN_EXACT], b[KL_SPEARMAN_EXACT], sums[2] = { 0 }, products = 0;
    size_t turn[KL_SPEARMAN_EXACT] = { 0 }, orders = 1, as_far = 1;
    for (size_t i = 0; i < n; i++) {
        a[i] = llround(2 * x[i]), b[i] = llround(2 * y[i]);
        sums[0] += a[i], sums[1] += b[i], products += a[i] * b[i];
    }
    const int64_t count = (int64_t)n, middle = sums[0] * sums[1], far = llabs(count * products - middle);
    for (size_t i = 1; i < n;) {
        if (turn[i] == i) {
            turn[i++] = 0;
            continue;
        }
        const size_t k = i % 2 ? turn[i] : 0;
        const int64_t moved = b[i];
        products += (a[k] - a[i]) * (b[i] - b[k]);
        b[i] = b[k], b[k] = moved;
        orders++, as_far += llabs(count * products - middle) >= far;
        turn[i]++;
        i = 1;
    }
    return log10((double)as_far / (double)orders);
}

int kl_stats_spearman(struct kl_correlation *c, const double *x, const double *y, size_t n,
                      struct kl_error *err)
{
    double *ranks = malloc(2 * n * sizeof *ranks);
    if (!ranks) return kl_fail_memory(err, 2 * n * sizeof *ranks);
    int code = kl_stats_ranks(ranks, NULL, x, n, err);
    if (!code) code = kl_stats_ranks(ranks + n, NULL, y, n, err);
    if (!code) *c = kl_stats_pearson(ranks, ranks + n, n);
    if (!code && !isnan(c->r) && n <= KL_SPEARMAN_EXACT) c->log10_p = exact_log10_p(ranks, ranks + n, n);
    free(ranks);
    return code;
}
