/* SPDX-License-Identifier: MIT
   Divergences of two devices. */
#include "qrng/device_pairs.h"

#include <math.h>

#include "qrng/histogram.h"

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

static void histogram(double bins[KL_BINS], const struct kl_tally *t)
{
    for (int k = 0; k < KL_BINS; k++) bins[k] = 0;
    for (size_t c = 0; c <= t->n_bits; c++) bins[kl_ones_bin(c, t->n_bits)] += (double)t->ones_rows[c];
}

double kl_reference_histogram_divergence(const struct kl_tally *a, const struct kl_tally *b)
{
    double counts[2][KL_BINS];
    histogram(counts[0], a);
    histogram(counts[1], b);
    return kl_histogram_divergence(counts[0], (double)a->rows, counts[1], (double)b->rows);
}
