/* SPDX-License-Identifier: MIT
   Bounds on the true loss from an empirical one and a divergence: the relative entropy of two coins and
   its inverses, the binomial, the forms that the reference uses, and what the path of a chain proves. */
#include <math.h>

#include "sampling/ladder/ladder.h"
#include "stats/stats.h"

/* ---- binary kl ----
   The relative entropy of two coins, its inverses to the last digits, and the constant xi(n) of the
   inequality that they serve. */

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

/* ---- how far the error of m test records in the mean may lie below the true one ---- */

/* The q with P(at most k wrong of m | q) = delta, that is I_{1-q}(m - k, k + 1) = delta: it falls with
 * q. */
double kl_sampling_clopper_upper(double p, int64_t m, double delta)
{
    const double k = p * (double)m, rest = (double)m - k, aim = log(delta);
    double low = p, high = 1;
    if (!(p >= 0 && p <= 1) || m < 1) return NAN;
    if (rest <= 0) return 1;
    for (int i = 0; i < 200; i++) {
        const double middle = (low + high) / 2;
        if (middle <= low || middle >= high) break;
        if (kl_stats_log_beta_lower(rest, k + 1, 1 - middle, middle) > aim) low = middle;
        else high = middle;
    }
    return high;
}

double kl_sampling_chernoff_upper(double p, int64_t m, double delta)
{
    return m < 1 ? NAN : kl_sampling_kl_upper(p, -log(delta) / (double)m);
}

/* ---- bound ----
   Bounds on the true loss from an empirical one and a divergence, in the forms that the reference uses,
   and the factor by which it calibrates them. */

void kl_sampling_bound_options_default(struct kl_sampling_bound_options *o, int64_t n)
{
    *o = (struct kl_sampling_bound_options){
        .delta = 0.01, .log_constant = kl_sampling_log_xi(n), .factor = 1, .share = 0.1, .threshold = NAN
    };
}

double kl_sampling_budget(double gamma, int64_t n, const struct kl_sampling_bound_options *o)
{
    return (gamma + o->log_constant - log(o->delta)) / (double)n;
}

double kl_sampling_bound(double p, double gamma, int64_t n, const struct kl_sampling_bound_options *o)
{
    const double size = (double)n, budget = kl_sampling_budget(gamma, n, o);
    switch (o->form) {
    case KL_SAMPLING_FORM_HOEFFDING:
        return p + sqrt((fmax(gamma, 0) * (1 + 1 / size) + log(fmax(gamma, 1) * (size + 1) / o->delta)) /
                        (2 * size));
    case KL_SAMPLING_FORM_SQRT_LINEAR: return p + 2 * budget + sqrt(2 * p * fmax(budget, 1e-10 / size));
    default: return kl_sampling_kl_upper(p, budget);
    }
}

/* The condition is linear in f: f Gamma_k >= need_k. */
void kl_sampling_calibrate(struct kl_sampling_calibration *to, const double *p, const double *gamma,
                           size_t n_rungs, int64_t n, const struct kl_sampling_bound_options *o)
{
    size_t above = 0;
    *to = (struct kl_sampling_calibration){ .exists = true, .at_most = INFINITY };
    for (size_t k = 1; k < n_rungs; k++) {
        if (p[k] >= o->threshold) continue;
        const double need =
            (double)n * kl_sampling_kl(p[k], o->threshold) - (o->log_constant - log(o->delta));
        if (gamma[k] > 0 && need / gamma[k] > to->factor) {
            to->factor = need / gamma[k];
            if (to->exists) to->at = k;
        }
        if (gamma[k] < 0 && need / gamma[k] < to->at_most) to->at_most = need / gamma[k], above = k;
        if (gamma[k] <= 0 && need > 0) {
            if (to->exists) to->at = k;
            to->exists = false;
        }
    }
    if (to->exists && to->factor > to->at_most) to->exists = false, to->at = above;
    if (!to->exists) to->factor = NAN;
}

static double least_coarse(const double *p, const double *gamma, size_t n_rungs, int64_t n,
                           double factor, const struct kl_sampling_bound_options *o)
{
    double least = INFINITY;
    for (size_t k = 1; k < n_rungs; k++)
        least =
            fmin(least, kl_sampling_kl_upper_coarse(p[k], kl_sampling_budget(factor * gamma[k], n, o)));
    return least;
}

bool kl_sampling_calibrate_bisect(double *factor, const double *p, const double *gamma, size_t n_rungs,
                                  int64_t n, const struct kl_sampling_bound_options *o)
{
    double low = 0.1, high = 100;
    *factor = (low + high) / 2;
    for (int i = 0; i < 200; i++) {
        const double least = least_coarse(p, gamma, n_rungs, n, *factor, o);
        if (!(high - low > 0.01) && !(least < o->threshold)) return true;
        if (least < o->threshold) low = *factor;
        else high = *factor;
        *factor = (low + high) / 2;
    }
    return false;
}

/* ---- path ----
   Path certificate: what a chain's way from a prior draw proves of the law of its end, mixed or not. For
   w_0 ~ pi and kernels F_k, any reverse kernels B_k: KL(q_K||pi) <= E[ln pi(w_0) - ln pi(w_K) + sum_k ln
   F_k - ln B_k] (the relative entropy of the paths, which that of their ends does not exceed). */

void kl_sampling_path_mean(double *mean, double *upper, const double *work, size_t n_chains,
                           size_t stride, double delta)
{
    double sum = 0, squares = 0;
    *mean = *upper = NAN;
    for (size_t i = 0; i < n_chains; i++) sum += work[i * stride];
    if (n_chains == 0) return;
    *mean = sum / (double)n_chains;
    if (n_chains < 2) return;
    for (size_t i = 0; i < n_chains; i++)
        squares += (work[i * stride] - *mean) * (work[i * stride] - *mean);
    const double t = kl_stats_student_quantile(1 - 2 * delta, n_chains - 1);
    *upper = *mean + t * sqrt(squares / (double)(n_chains - 1) / (double)n_chains);
}
