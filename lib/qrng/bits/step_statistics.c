/* SPDX-License-Identifier: MIT
   Statistics of neighbouring bits. Errors: over rows, those of a ratio by its linear part. */
#include <math.h>

#include "qrng/bits/statistics_int.h"

void kl_stat_transition_joint(double *values, double *errors, const struct kl_tally *t)
{
    const double rows = (double)t->rows, steps = (double)t->n_bits - 1;
    for (int i = 0; i < 4; i++) {
        const double sum = (double)t->transitions[i];
        values[i] = sum / (rows * steps);
        if (errors) errors[i] = kl_mean_error(sum, t->transition_products[i][i], rows) / steps;
    }
}

/* P(b'|b) = A / B; B: all steps that begin with b. */
void kl_stat_transition_conditional(double *values, double *errors, const struct kl_tally *t)
{
    for (int i = 0; i < 4; i++) {
        const double(*p)[4] = t->transition_products;
        const double a = (double)t->transitions[i], b = a + (double)t->transitions[i ^ 1], r = a / b;
        const double aa = p[i][i], ab = aa + p[i][i ^ 1], bb = ab + p[i][i ^ 1] + p[i ^ 1][i ^ 1];
        values[i] = r;
        if (errors) errors[i] = sqrt(fmax(0, aa - 2 * r * ab + r * r * bb)) / b;
    }
}

void kl_stat_runs_per_row(double *values, double *errors, const struct kl_tally *t)
{
    const double(*p)[4] = t->transition_products;
    const double rows = (double)t->rows, changes = (double)(t->transitions[1] + t->transitions[2]);
    *values = changes / rows + 1;
    if (errors) *errors = kl_mean_error(changes, p[1][1] + 2 * p[1][2] + p[2][2], rows);
}

void kl_stat_run_lengths(double *values, double *errors, const struct kl_tally *t)
{
    const double rows = (double)t->rows;
    for (int i = 0; i < KL_RUN_LENGTHS; i++) {
        values[i] = (double)t->runs[i] / rows;
        if (errors) errors[i] = kl_mean_error((double)t->runs[i], t->run_squares[i], rows);
    }
}

/* Rows of equal bits have no correlation and are left out. */
void kl_stat_autocorrelation(double *values, double *errors, const struct kl_tally *t)
{
    for (int k = 0; k < KL_LAGS; k++) {
        const bool defined = t->varied && (size_t)k + 1 < t->n_bits;
        values[k] = defined ? t->lag[k] / (double)t->varied : NAN;
        if (errors)
            errors[k] = defined ? kl_mean_error(t->lag[k], t->lag_squares[k], (double)t->varied) : NAN;
    }
}

void kl_stat_autocorrelation_pearson(double *values, double *errors, const struct kl_tally *t)
{
    *values = t->pearson_rows ? t->pearson / (double)t->pearson_rows : NAN;
    if (errors) *errors = kl_mean_error(t->pearson, t->pearson_squares, (double)t->pearson_rows);
}
