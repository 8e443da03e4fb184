/* SPDX-License-Identifier: MIT
   histogram: of the rows' shares of ones, in 20 bins on [0, 1], as the study has it. */
#ifndef KL_QRNG_BITS_HISTOGRAM_H
#define KL_QRNG_BITS_HISTOGRAM_H

#include <stddef.h>

enum { KL_BINS = 20 };
/* numpy.histogram's bin of a row with `ones` of n_bits. */
int kl_ones_bin(size_t ones, size_t n_bits);
/* Symmetric Kullback-Leibler divergence, nats, of counts a and b of rows_a and rows_b rows; 1e-10 is
   added to each share after dividing, and not divided by their sum again. */
double kl_histogram_divergence(const double a[KL_BINS], double rows_a, const double b[KL_BINS],
                               double rows_b);

#endif
