/* SPDX-License-Identifier: MIT
   Divergences of two devices. */
#include "qrng/bits/device_pairs.h"

#include "qrng/bits/histogram.h"
#include "qrng/bits/positions.h"

/* Of weight_a and weight_b times the counts of ones at each position. */
static double positions(const struct kl_tally *a, double weight_a, const struct kl_tally *b,
                        double weight_b)
{
    double sums[2] = { 0 }, d = 0;
    for (size_t j = 0; j < a->n_bits; j++) {
        sums[0] += weight_a * (double)a->ones_at[j];
        sums[1] += weight_b * (double)b->ones_at[j];
    }
    for (size_t j = 0; j < a->n_bits; j++)
        d += kl_position_part(weight_a * (double)a->ones_at[j], sums[0],
                              weight_b * (double)b->ones_at[j], sums[1]);
    return d;
}

double kl_reference_position_divergence(const struct kl_tally *a, const struct kl_tally *b)
{
    return positions(a, 1 / (double)a->rows, b, 1 / (double)b->rows);
}

double kl_position_divergence(const struct kl_tally *a, const struct kl_tally *b)
{
    double ones[2] = { 0 };
    for (size_t j = 0; j < a->n_bits; j++) {
        ones[0] += (double)a->ones_at[j];
        ones[1] += (double)b->ones_at[j];
    }
    return positions(a, 1 / ones[0], b, 1 / ones[1]);
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
