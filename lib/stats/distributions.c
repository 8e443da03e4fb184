/* SPDX-License-Identifier: MIT
   Distributions: log factorial, quantiles of the normal law, incomplete beta and gamma functions, tails
   of the chi-squared, Student's and the normal distribution. */
#include "stats/stats.h"

#include <float.h>
#include <math.h>

static double stirling_error(double n);

double kl_stats_log_factorial(double n)
{
    int sign; /* of Gamma, which lgamma would write to a variable that all threads share */
    return lgamma_r(n + 1, &sign);
}

/* ---- Quantiles of the normal law ---- */

/* Newton's method on ln P(Z >= z), which is concave, so it converges from anywhere. */
double kl_stats_normal_quantile(double p)
{
    if (p > 0.5) return -kl_stats_normal_quantile(1 - p);
    double z = p < 0.1 ? sqrt(-2 * log(p)) : 0;
    for (int i = 0; i < 60; i++) {
        const double log_tail = kl_stats_normal_log10_upper(z) * M_LN10;
        const double slope = -exp(-z * z / 2 - 0.5 * log(2 * M_PI) - log_tail);
        const double step = (log_tail - log(p)) / slope;
        z -= step;
        if (fabs(step) <= 1e-15 * (1 + fabs(z))) break;
    }
    return -z;
}

/* ---- incomplete beta ----
   Incomplete beta function: Lentz's continued fraction (DLMF 8.17.22), on the side where it converges.
 */

enum { STEPS = 10000000 };

/* ln(x^a y^b / B(a, b)). lgamma's large parts are taken out (Loader 2000). */
static double log_factor(double a, double b, double x, double y)
{
    const double n = a + b, off = b * x - a * y; /* of n x from a, and of b from n y */
    return a * kl_stats_log_ratio_less(x * n / a, off / a) +
           b * kl_stats_log_ratio_less(y * n / b, -off / b) + 0.5 * log(a * b / (2 * M_PI * n)) +
           stirling_error(n) - stirling_error(a) - stirling_error(b);
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

/* ---- incomplete gamma ----
   Incomplete gamma functions: the series below the middle, Lentz's continued fraction above
   (DLMF 8.11.4, 8.9.2), each with a common factor that is computed without cancellation. */

enum { GAMMA_STEPS = 10000000 };

/* ln(n!) - ln(sqrt(2 pi n) (n/e)^n), n > 0 (Loader 2000, "Fast and accurate computation of binomial
   probabilities"): what is small in ln n!. */
static double stirling_error(double n)
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
static double gamma_log_factor(double a, double x)
{
    return a * kl_stats_log_ratio_less(x / a, (x - a) / a) - 0.5 * log(2 * M_PI * a) - stirling_error(a);
}

static double log_series(double a, double x)
{
    double term = 1, sum = 1;
    for (int k = 1; k < GAMMA_STEPS && term > sum * DBL_EPSILON / 4; k++) sum += term *= x / (a + k);
    return gamma_log_factor(a, x) + log(sum);
}

static double gamma_log_fraction(double a, double x)
{
    double b = x + 1 - a, c = 1 / DBL_MIN, d = 1 / b, h = d;
    for (int i = 1; i < GAMMA_STEPS; i++) {
        const double an = -i * (i - a);
        b += 2;
        d = 1 / (an * d + b);
        c = b + an / c;
        h *= d * c;
        if (fabs(d * c - 1) < DBL_EPSILON) break;
    }
    return gamma_log_factor(a, x) + log(a) + log(h);
}

double kl_stats_log_gamma_upper(double a, double x)
{
    if (isnan(x)) return NAN;
    if (!(x > 0)) return 0;
    if (isinf(x)) return -INFINITY;
    return x < a + 1 ? log1p(-exp(log_series(a, x))) : gamma_log_fraction(a, x);
}

/* ---- Tails of the chi-squared, Student's and the normal distribution ---- */

double kl_stats_chi_square_log10_p(double x, double df)
{
    return kl_stats_log_gamma_upper(df / 2, x / 2) / M_LN10;
}

double kl_stats_student_log10_p(double t, double df)
{
    const double sum = df + t * t;
    return kl_stats_log_beta_lower(df / 2, 0.5, df / sum, t * t / sum) / M_LN10;
}

double kl_stats_normal_log10_p(double z)
{
    return kl_stats_chi_square_log10_p(z * z, 1);
}

double kl_stats_normal_log10_upper(double z)
{
    if (z < 0) return log1p(-0.5 * erfc(-z / M_SQRT2)) / M_LN10;
    return kl_stats_normal_log10_p(z) - log10(2);
}
