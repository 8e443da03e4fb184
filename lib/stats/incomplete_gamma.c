/* SPDX-License-Identifier: MIT
   Incomplete gamma functions: the series below the middle, Lentz's continued fraction above
   (DLMF 8.11.4, 8.9.2), each with a common factor that is computed without cancellation. */
#include <float.h>
#include <math.h>

#include "stats/distributions.h"

enum { STEPS = 10000000 };

double kl_stats_stirling_error(double n)
{
    if (n < 16) return kl_stats_log_factorial(n) - (n + 0.5) * log(n) + n - 0.5 * log(2 * M_PI);
    const double s = 1 / (n * n); /* DLMF 5.11.1 */
    return (1.0 / 12 - s * (1.0 / 360 - s * (1.0 / 1260 - s * (1.0 / 1680 - s / 1188)))) / n;
}

double kl_stats_log_ratio_less(double ratio, double off)
{
    if (fabs(off) > 0.1) return log(ratio) - off;
    double power = off, sum = 0;
    for (int k = 2; k < 40; k++) sum += (power *= -off) / k;
    return sum;
}

/* ln(x^a e^-x / Gamma(a + 1)) */
static double log_factor(double a, double x)
{
    return a * kl_stats_log_ratio_less(x / a, (x - a) / a) - 0.5 * log(2 * M_PI * a) -
           kl_stats_stirling_error(a);
}

static double log_series(double a, double x)
{
    double term = 1, sum = 1;
    for (int k = 1; k < STEPS && term > sum * DBL_EPSILON / 4; k++) sum += term *= x / (a + k);
    return log_factor(a, x) + log(sum);
}

static double log_fraction(double a, double x)
{
    double b = x + 1 - a, c = 1 / DBL_MIN, d = 1 / b, h = d;
    for (int i = 1; i < STEPS; i++) {
        const double an = -i * (i - a);
        b += 2;
        d = 1 / (an * d + b);
        c = b + an / c;
        h *= d * c;
        if (fabs(d * c - 1) < DBL_EPSILON) break;
    }
    return log_factor(a, x) + log(a) + log(h);
}

double kl_stats_log_gamma_upper(double a, double x)
{
    if (isnan(x)) return NAN;
    if (!(x > 0)) return 0;
    if (isinf(x)) return -INFINITY;
    return x < a + 1 ? log1p(-exp(log_series(a, x))) : log_fraction(a, x);
}

double kl_stats_log_gamma_lower(double a, double x)
{
    if (isnan(x)) return NAN;
    if (!(x > 0)) return -INFINITY;
    if (isinf(x)) return 0;
    return x < a + 1 ? log_series(a, x) : log1p(-exp(log_fraction(a, x)));
}
