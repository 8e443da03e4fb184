/* SPDX-License-Identifier: MIT
   Divergences of two devices. */
#include "qrng/device_pairs.h"

#include <math.h>

enum { BINS = 20 };

double kl_symbol_divergence(double *error, const struct kl_tally *a, const struct kl_tally *b)
{
    const double symbols = (double)(a->n_bits / (size_t)a->symbol_bits);
    const double n = (double)a->rows * symbols, m = (double)b->rows * symbols;
    double first[2] = { 0 }, second[2] = { 0 }; /* means of ln(p / mixture) and of its square */
    for (size_t s = 0; s >> a->symbol_bits == 0; s++) {
        const double p = (double)a->symbols[s] / n, q = (double)b->symbols[s] / m, mix = (p + q) / 2;
        const double x = p > 0 ? log(p / mix) : 0, y = q > 0 ? log(q / mix) : 0;
        first[0] += p * x, second[0] += p * x * x;
        first[1] += q * y, second[1] += q * y * y;
    }
    /* d JS / d p_s = ln(p_s / mixture_s) / 2: the rest is constant or cancels */
    if (error)
        *error = sqrt(fmax(0, second[0] - first[0] * first[0]) / n +
                      fmax(0, second[1] - first[1] * first[1]) / m) /
                 2;
    return (first[0] + first[1]) / 2;
}

/* KL(x / sum x || y / sum y) for y = weight_a a + weight_b b; x is a. */
static double divergence_from(const int64_t *a, double weight_a, const int64_t *b, double weight_b,
                              size_t n)
{
    double sum_a = 0, sum_y = 0, sum = 0;
    for (size_t j = 0; j < n; j++) {
        sum_a += (double)a[j];
        sum_y += weight_a * (double)a[j] + weight_b * (double)b[j];
    }
    for (size_t j = 0; j < n; j++) {
        const double p = (double)a[j] / sum_a,
                     q = (weight_a * (double)a[j] + weight_b * (double)b[j]) / sum_y;
        if (p > 0) sum += p * log(p / q);
    }
    return sum;
}

static double positions(const struct kl_tally *a, const struct kl_tally *b, double weight_a,
                        double weight_b)
{
    return (divergence_from(a->ones_at, weight_a, b->ones_at, weight_b, a->n_bits) +
            divergence_from(b->ones_at, weight_b, a->ones_at, weight_a, a->n_bits)) /
           2;
}

double kl_reference_position_divergence(const struct kl_tally *a, const struct kl_tally *b)
{
    return positions(a, b, 1 / (double)a->rows, 1 / (double)b->rows);
}

double kl_position_divergence(const struct kl_tally *a, const struct kl_tally *b)
{
    double ones[2] = { 0 };
    for (size_t j = 0; j < a->n_bits; j++) {
        ones[0] += (double)a->ones_at[j];
        ones[1] += (double)b->ones_at[j];
    }
    return positions(a, b, 1 / ones[0], 1 / ones[1]);
}

/* As numpy.histogram does on [0, 1]: bins by the product, put right by the edges k * 0.05. */
static void histogram(double bins[BINS], const struct kl_tally *t)
{
    double sum = 0;
    for (int k = 0; k < BINS; k++) bins[k] = 0;
    for (size_t c = 0; c <= t->n_bits; c++) {
        const double x = (double)c / (double)t->n_bits;
        int k = (int)(x * BINS);
        if (k == BINS) k--;
        if (x < k * (1.0 / BINS)) k--;
        else if (k + 1 < BINS && x >= (k + 1) * (1.0 / BINS)) k++;
        bins[k] += (double)t->ones_rows[c];
    }
    for (int k = 0; k < BINS; k++) sum += bins[k] *= BINS / (double)t->rows;
    for (int k = 0; k < BINS; k++) bins[k] = bins[k] / (sum + 1e-10) + 1e-10;
}

double kl_reference_histogram_divergence(const struct kl_tally *a, const struct kl_tally *b)
{
    double p[BINS], q[BINS], sum = 0;
    histogram(p, a);
    histogram(q, b);
    for (int k = 0; k < BINS; k++)
        sum += p[k] * log(p[k] / q[k]) - p[k] + q[k] + q[k] * log(q[k] / p[k]) - q[k] + p[k];
    return sum / 2;
}
