/* SPDX-License-Identifier: MIT
   How far two devices are apart by what was counted of their rows, as the study has it. */
#ifndef KL_QRNG_BITS_DEVICE_PAIRS_H
#define KL_QRNG_BITS_DEVICE_PAIRS_H

#include "qrng/bits/statistics.h"

/* Flaws included. Jensen-Shannon divergence of the rates by position, nats:
   divided by their sums, which throws the bias away; the mixture is made before that. */
double kl_reference_position_divergence(const struct kl_tally *a, const struct kl_tally *b);
/* The same with the mixture made after it. */
double kl_position_divergence(const struct kl_tally *a, const struct kl_tally *b);
/* Symmetric Kullback-Leibler divergence of the histograms of row means in 20 bins, 1e-10 added to each.
 */
double kl_reference_histogram_divergence(const struct kl_tally *a, const struct kl_tally *b);

#endif
