/* SPDX-License-Identifier: MIT
   Statistics that are functions of the number of ones in a row: its histogram says all about them. */
#include <math.h>

#include "qrng/bits/statistics_int.h"

double kl_entropy_bits(double p)
{
    return p > 0 && p < 1 ? -(p * log2(p) + (1 - p) * log2(1 - p)) : 0;
}

double kl_rate_of(double ones, double n)
{
    return ones / n;
}

double kl_entropy_of(double ones, double n)
{
    return kl_entropy_bits(ones / n);
}

double kl_chi_square_of(double ones, double n)
{
    return 4 * (ones - n / 2) * (ones - n / 2) / n;
}

double kl_mean_error(double sum, double squares, double rows)
{
    const double mean = sum / rows;
    return sqrt(fmax(0, squares / rows - mean * mean) / rows);
}

struct kl_moments kl_ones_moments(const struct kl_tally *t, double (*f)(double ones, double n))
{
    const double rows = (double)t->rows, n = (double)t->n_bits;
    double mean = 0, second = 0, fourth = 0;
    for (size_t c = 0; c <= t->n_bits; c++)
        if (t->ones_rows[c]) mean += (double)t->ones_rows[c] * f((double)c, n);
    mean /= rows;
    for (size_t c = 0; c <= t->n_bits; c++) {
        if (!t->ones_rows[c]) continue;
        const double d = f((double)c, n) - mean, square = d * d;
        second += (double)t->ones_rows[c] * square;
        fourth += (double)t->ones_rows[c] * square * square;
    }
    second /= rows;
    fourth /= rows;
    return (struct kl_moments){ mean, sqrt(second / rows), sqrt(second),
                                sqrt(fmax(0, fourth - second * second) / second / rows) / 2 };
}

/* A mean or a deviation of f, with its error. */
static void put_mean(double *value, double *error, const struct kl_tally *t,
                     double (*f)(double ones, double n))
{
    const struct kl_moments m = kl_ones_moments(t, f);
    *value = m.mean;
    if (error) *error = m.mean_error;
}

static void put_deviation(double *value, double *error, const struct kl_tally *t,
                          double (*f)(double ones, double n))
{
    const struct kl_moments m = kl_ones_moments(t, f);
    *value = m.deviation;
    if (error) *error = m.deviation_error;
}

void kl_stat_rate(double *values, double *errors, const struct kl_tally *t)
{
    put_mean(values, errors, t, kl_rate_of);
}

void kl_stat_row_rate_std(double *values, double *errors, const struct kl_tally *t)
{
    put_deviation(values, errors, t, kl_rate_of);
}

void kl_stat_row_rate_min(double *values, double *errors, const struct kl_tally *t)
{
    size_t c = 0;
    (void)errors;
    while (c < t->n_bits && !t->ones_rows[c]) c++;
    *values = (double)c / (double)t->n_bits;
}

void kl_stat_row_rate_max(double *values, double *errors, const struct kl_tally *t)
{
    size_t c = t->n_bits;
    (void)errors;
    while (c > 0 && !t->ones_rows[c]) c--;
    *values = (double)c / (double)t->n_bits;
}

void kl_stat_entropy_pooled(double *values, double *errors, const struct kl_tally *t)
{
    const struct kl_moments m = kl_ones_moments(t, kl_rate_of);
    *values = kl_entropy_bits(m.mean);
    if (errors) *errors = fabs(log2((1 - m.mean) / m.mean)) * m.mean_error;
}

void kl_stat_entropy_row_mean(double *values, double *errors, const struct kl_tally *t)
{
    put_mean(values, errors, t, kl_entropy_of);
}

void kl_stat_entropy_row_std(double *values, double *errors, const struct kl_tally *t)
{
    put_deviation(values, errors, t, kl_entropy_of);
}

void kl_stat_chi_square_mean(double *values, double *errors, const struct kl_tally *t)
{
    put_mean(values, errors, t, kl_chi_square_of);
}

void kl_stat_chi_square_std(double *values, double *errors, const struct kl_tally *t)
{
    put_deviation(values, errors, t, kl_chi_square_of);
}

static double is_above(double ones, double n)
{
    return kl_chi_square_of(ones, n) > 3.841; /* the 95 % point with one degree of freedom */
}

void kl_stat_chi_square_above(double *values, double *errors, const struct kl_tally *t)
{
    put_mean(values, errors, t, is_above);
}
