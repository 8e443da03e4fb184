/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "metrics/distributions.h"
#include "metrics/metrics.h"
#include "metrics/ranks.h"

/* Exactly; about a rounded mean equal values would scatter. */
static bool all_equal(const double *x, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (x[i] != x[0]) return false;
    return true;
}

struct kl_correlation kl_pearson(const double *x, const double *y, size_t n)
{
    const double mx = kl_mean(x, n), my = kl_mean(y, n);
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
    return (struct kl_correlation){ r, kl_student_log10_p(t, df) };
}

int kl_spearman(struct kl_correlation *c, const double *x, const double *y, size_t n,
                struct kl_error *err)
{
    double *ranks = malloc(2 * n * sizeof *ranks);
    if (!ranks) return kl_fail_memory(err, 2 * n * sizeof *ranks);
    int code = kl_ranks(ranks, NULL, x, n, err);
    if (!code) code = kl_ranks(ranks + n, NULL, y, n, err);
    if (!code) *c = kl_pearson(ranks, ranks + n, n);
    free(ranks);
    return code;
}
