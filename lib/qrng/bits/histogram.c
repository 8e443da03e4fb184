/* SPDX-License-Identifier: MIT */
#include "qrng/bits/histogram.h"

#include <math.h>

static const double LEAST = 1e-10;

/* Its edges are multiples of 1/20 in doubles, as numpy.histogram compares with them. */
int kl_ones_bin(size_t ones, size_t n_bits)
{
    const double share = (double)ones / (double)n_bits, width = 1.0 / KL_BINS;
    int bin = (int)(share * KL_BINS);
    if (bin >= KL_BINS) bin = KL_BINS - 1;
    if (share < bin * width) bin--;
    else if (bin < KL_BINS - 1 && share >= (bin + 1) * width) bin++;
    return bin;
}

double kl_histogram_divergence(const double a[KL_BINS], double rows_a, const double b[KL_BINS],
                               double rows_b)
{
    const double width = 1.0 / KL_BINS;
    double d = 0;
    for (int i = 0; i < KL_BINS; i++) {
        const double p = a[i] / width / rows_a / (1 / width + LEAST) + LEAST,
                     q = b[i] / width / rows_b / (1 / width + LEAST) + LEAST;
        d += (p - q) * log(p / q);
    }
    return 0.5 * d;
}
