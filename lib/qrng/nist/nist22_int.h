/* SPDX-License-Identifier: MIT */
#ifndef KL_QRNG_NIST_NIST22_INT_H
#define KL_QRNG_NIST_NIST22_INT_H

#include <math.h>

#include "stats/distributions.h"
#include "qrng/nist/nist22.h"

/* igamc(a, x) of the publication. */
static inline double kl_nist22_igamc(double a, double x)
{
    return x > 0 ? kl_stats_log_gamma_upper(a, x) / M_LN10 : 0;
}

/* Chi-squared of k counts that sum to n, against a law. */
static inline double kl_nist22_chi_square(const size_t *counts, const double *law, size_t k, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < k; i++) {
        const double expected = (double)n * law[i], off = (double)counts[i] - expected;
        sum += off * off / expected;
    }
    return sum;
}

#endif
