/* SPDX-License-Identifier: MIT
   Incomplete beta function: Lentz's continued fraction (DLMF 8.17.22), on the side where it converges.
 */
#include <float.h>
#include <math.h>

#include "stats/distributions.h"

enum { STEPS = 10000000 };

/* ln(x^a y^b / B(a, b)). lgamma's large parts are taken out (Loader 2000). */
static double log_factor(double a, double b, double x, double y)
{
    const double n = a + b, off = b * x - a * y; /* of n x from a, and of b from n y */
    return a * kl_stats_log_ratio_less(x * n / a, off / a) +
           b * kl_stats_log_ratio_less(y * n / b, -off / b) + 0.5 * log(a * b / (2 * M_PI * n)) +
           kl_stats_stirling_error(n) - kl_stats_stirling_error(a) - kl_stats_stirling_error(b);
}

static double log_fraction(double a, double b, double x, double y)
{
    double c = 1, d = (1 - b + (a + b) * y) / (a + 1), h; /* 1 - (a + b) x / (a + 1) */
    d = 1 / (d == 0 ? DBL_MIN : d);
    h = d;
    for (int m = 1; m < STEPS; m++) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                     odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / (1 + even * d);
        c = 1 + even / c;
        h *= d * c;
        d = 1 / (1 + odd * d);
        c = 1 + odd / c;
        h *= d * c;
        if (fabs(d * c - 1) < DBL_EPSILON) break;
    }
    return log_factor(a, b, x, y) - log(a) + log(h);
}

double kl_stats_log_beta_lower(double a, double b, double x, double y)
{
    if (isnan(x) || isnan(y)) return NAN;
    if (!(x > 0)) return -INFINITY;
    if (!(y > 0)) return 0;
    if (x <= (a + 1) / (a + b + 2)) return log_fraction(a, b, x, y);
    return log1p(-exp(log_fraction(b, a, y, x)));
}
