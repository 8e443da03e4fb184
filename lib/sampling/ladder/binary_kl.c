/* SPDX-License-Identifier: MIT
   The relative entropy of two coins, its inverses to the last digits, and the constant xi(n) of the
   inequality that they serve. */
#include <math.h>

#include "sampling/ladder/ladder.h"
#include "stats/distributions.h"

/* w (u - ln(1 + u)), u = off / w > -1, rest = w + off: all of it positive, so that sums of it lose no
 * digits. */
static double excess(double w, double off, double rest)
{
    const double u = off / w;
    if (w == 0) return off; /* only where off >= 0: w ln(1 + off/w) vanishes */
    if (fabs(u) < 0.5) return -w * kl_stats_log_ratio_less(1 + u, u);
    return off - w * (isfinite(rest / w) ? log(rest / w) : log(rest) - log(w));
}

double kl_sampling_kl(double p, double q)
{
    const double x = q - p;
    if (!(p >= 0 && p <= 1 && q >= 0 && q <= 1)) return NAN;
    if (x == 0) return 0;
    if ((q == 0 && p > 0) || (q == 1 && p < 1)) return INFINITY;
    if (p == 0) return -log1p(-q);
    if (p == 1) return -log(q);
    return excess(p, x, q) + excess(1 - p, -x, 1 - q);
}

/* kl(p||q) where q = p + w (1 - exp(-t)), w = 1 - p: what is left of w is w exp(-t), so that no digit of
   1 - q is lost. The kl grows and is convex in t, with the slope x / (p + x). */
static double kl_at(double *x, double p, double w, double t)
{
    const double shrunk = t < 0.5 ? -kl_stats_log_ratio_less(exp(-t), expm1(-t)) : t + expm1(-t);
    *x = -w * expm1(-t);
    return excess(p, *x, p + *x) + w * shrunk;
}

/* x = |q - p| where a share w of the other side is used up; p + w = 1. Newton's method from above, where
   a convex function's steps never pass the root. */
static double solve(double p, double w, double c)
{
    double x = fmin(sqrt(2 * p * c) + 2 * c, sqrt(c / 2)); /* kl >= x^2 / (2 (p + x)), 2 x^2 */
    double t = (c - (p > 0 ? p * log(p) : 0)) / w;
    if (x < w) t = fmin(t, -log1p(-x / w));
    for (int i = 0; i < 200; i++) {
        const double over = kl_at(&x, p, w, t) - c, step = over * (p + x) / x;
        if (!(step > 0)) break;
        t -= step;
        if (step <= 4e-16 * t) break;
    }
    return t;
}

double kl_sampling_kl_upper(double p, double c)
{
    if (!(c >= 0) || !(p >= 0 && p <= 1)) return NAN;
    if (c == 0 || p == 1) return p;
    if (p == 0) return -expm1(-c);
    const double w = 1 - p;
    return fmin(1, p - w * expm1(-solve(p, w, c)));
}

double kl_sampling_kl_lower(double p, double c)
{
    if (!(c >= 0) || !(p >= 0 && p <= 1)) return NAN;
    if (c == 0 || p == 0) return p;
    if (p == 1) return exp(-c);
    return p * exp(-solve(1 - p, p, c));
}

double kl_sampling_kl_upper_coarse(double p, double c)
{
    double low = p, high = 1 - 1e-12, middle = (low + high) / 2;
    while (high - low > 1e-5) {
        if (kl_sampling_kl(p, middle) < c) low = middle;
        else high = middle;
        middle = (low + high) / 2;
    }
    return middle;
}

/* The sum equals sum_j n! / ((n-j)! n^j) = 1 + Ramanujan's Q(n) (Flajolet et al. 1995,
   doi:10.1016/0377-0427(93)E0258-N); of its terms, the products of 1 - i/n, those beyond 9 sqrt(n) are
   below 1e-17. Horner's scheme from the last one. */
double kl_sampling_log_xi(int64_t n)
{
    if (n < 1) return NAN;
    const double size = (double)n;
    int64_t last = (int64_t)(9 * sqrt(size)) + 9;
    double sum = 1;
    if (last > n) last = n;
    for (int64_t i = last - 1; i >= 0; i--) sum = 1 + (size - (double)i) / size * sum;
    return log(sum);
}
