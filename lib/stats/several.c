/* SPDX-License-Identifier: MIT
   Student's t of paired differences, Friedman's test of several classifiers, the exact interval of a
   proportion. */
#include <math.h>
#include <stdlib.h>

#include "stats/distributions.h"
#include "stats/ranks.h"
#include "stats/tests.h"

struct kl_t_test kl_stats_t_test(const double *d, size_t n, double ratio)
{
    struct kl_t_test t = { 0, NAN, NAN, NAN, NAN };
    double squares = 0, most = 0;
    for (size_t i = 0; i < n; i++) {
        t.mean += d[i] / (double)n;
        most = fmax(most, fabs(d[i]));
    }
    for (size_t i = 0; i < n; i++) squares += (d[i] - t.mean) * (d[i] - t.mean);
    if (n < 2) return t;
    const double free = (double)(n - 1), deviation = sqrt(squares / free),
                 error = deviation * sqrt(1 / (double)n + ratio);
    /* Equal differences say nothing of how far others would lie from them. */
    if (!(deviation > 1e-12 * most)) return t;
    const double half = kl_stats_student_quantile(0.95, n - 1) * error;
    t.t = t.mean / error;
    t.p = pow(10, kl_stats_student_log10_p(t.t, free));
    t.low = t.mean - half, t.high = t.mean + half;
    return t;
}

/* t with P(|T| >= t) = 0.05, for any degrees of freedom from 1/2 on: bisected. */
static double student_quantile(double degrees)
{
    double low = 0, high = 1e4;
    for (int i = 0; i < 80; i++) {
        const double middle = (low + high) / 2;
        if (kl_stats_student_log10_p(middle, fmax(degrees, 0.5)) > log10(0.05)) low = middle;
        else high = middle;
    }
    return high;
}

struct kl_interval kl_stats_crossed_interval(const double *x, size_t n, size_t m)
{
    struct kl_interval i = { NAN, NAN };
    double mean = 0, rows = 0, columns = 0, all = 0;
    if (n < 2 || m < 2) return i;
    for (size_t k = 0; k < n * m; k++) mean += x[k] / (double)(n * m);
    for (size_t k = 0; k < n * m; k++) all += (x[k] - mean) * (x[k] - mean);
    for (size_t r = 0; r < n; r++) {
        double own = 0;
        for (size_t c = 0; c < m; c++) own += x[r * m + c] / (double)m;
        rows += (own - mean) * (own - mean) * (double)m;
    }
    for (size_t c = 0; c < m; c++) {
        double own = 0;
        for (size_t r = 0; r < n; r++) own += x[r * m + c] / (double)n;
        columns += (own - mean) * (own - mean) * (double)n;
    }
    const double free_rows = (double)(n - 1), free_columns = (double)(m - 1),
                 rest = fmax(all - rows - columns, 0) / (free_rows * free_columns);
    rows /= free_rows, columns /= free_columns;
    const double sum = fmax(rows + columns - rest, rows);
    if (!(sum > 1e-24 * fmax(mean * mean, 1))) return i;
    const double degrees = sum * sum /
                           (rows * rows / free_rows + columns * columns / free_columns +
                            rest * rest / (free_rows * free_columns)),
                 half = student_quantile(degrees) * sqrt(sum / (double)(n * m));
    return (struct kl_interval){ mean - half, mean + half };
}

int kl_stats_friedman(struct kl_friedman *f, double *rank, const double *x, size_t n, size_t k,
                      struct kl_error *err)
{
    double ties = 0, squares = 0, *const sums = calloc(2 * k + 1, sizeof *sums);
    *f = (struct kl_friedman){ NAN, NAN };
    if (!sums) return kl_fail_memory(err, (2 * k + 1) * sizeof *sums);
    double *const ranks = sums + k, blocks = (double)n, treatments = (double)k;
    int code = KL_OK;
    for (size_t i = 0; i < n && !code; i++) {
        double mine;
        code = kl_stats_ranks(ranks, &mine, x + i * k, k, err);
        for (size_t j = 0; j < k && !code; j++) sums[j] += ranks[j];
        if (!code) ties += mine;
    }
    for (size_t j = 0; j < k; j++) {
        squares += sums[j] * sums[j];
        if (rank) rank[j] = sums[j] / blocks;
    }
    free(sums);
    const double whole = blocks * treatments * (treatments * treatments - 1), share = 1 - ties / whole;
    if (code || n < 2 || k < 3 || !(share > 0)) return code;
    f->statistic =
        (12 / (treatments * blocks * (treatments + 1)) * squares - 3 * blocks * (treatments + 1)) /
        share;
    f->p = pow(10, kl_stats_chi_square_log10_p(fmax(0, f->statistic), treatments - 1));
    return KL_OK;
}

/* x with I_x(a, b) = share. */
static double beta_quantile(double a, double b, double share)
{
    double low = 0, high = 1;
    for (int i = 0; i < 200 && low < high; i++) {
        const double middle = (low + high) / 2;
        if (middle <= low || middle >= high) break;
        if (kl_stats_log_beta_lower(a, b, middle, 1 - middle) < log(share)) low = middle;
        else high = middle;
    }
    return (low + high) / 2;
}

struct kl_interval kl_stats_clopper_pearson(size_t k, size_t n, double level)
{
    const double out = (1 - level) / 2, hits = (double)k, rest = (double)(n - k);
    return (struct kl_interval){ k ? beta_quantile(hits, rest + 1, out) : 0,
                                 k < n ? beta_quantile(hits + 1, rest, 1 - out) : 1 };
}
