/* SPDX-License-Identifier: MIT
   Pearson's chi-squared and the likelihood ratio (G) of two devices' symbol counts. */
#include <math.h>

#include "stats/distributions.h"
#include "qrng/bits/symbols.h"

double kl_symbol_chi_square(const int64_t *a, const int64_t *b, size_t n)
{
    double na = 0, nb = 0, sum = 0;
    for (size_t s = 0; s < n; s++) na += (double)a[s], nb += (double)b[s];
    for (size_t s = 0; s < n; s++) {
        const double column = (double)(a[s] + b[s]);
        if (column <= 0) continue;
        const double ea = na * column / (na + nb), eb = nb * column / (na + nb), off = (double)a[s] - ea;
        sum += off * off * (1 / ea + 1 / eb);
    }
    return sum;
}

struct kl_symbol_test kl_symbol_test(const int64_t *a, const int64_t *b, size_t n)
{
    struct kl_symbol_test t = { .df = -1, .least = INFINITY };
    double na = 0, nb = 0;
    for (size_t s = 0; s < n; s++) {
        na += (double)a[s], nb += (double)b[s];
        t.df += a[s] + b[s] > 0;
    }
    if (t.df < 1) return (struct kl_symbol_test){ .least = INFINITY };
    for (size_t s = 0; s < n; s++) {
        const double each = (double)(a[s] + b[s]) / (na + nb);
        if (each > 0) t.least = fmin(t.least, fmin(na, nb) * each);
        if (a[s]) t.g += 2 * (double)a[s] * log((double)a[s] / (na * each));
        if (b[s]) t.g += 2 * (double)b[s] * log((double)b[s] / (nb * each));
    }
    t.g = fmax(t.g, 0);
    t.chi_square = kl_symbol_chi_square(a, b, n);
    t.log10_p = kl_stats_chi_square_log10_p(t.chi_square, t.df);
    t.log10_p_g = kl_stats_chi_square_log10_p(t.g, t.df);
    return t;
}
