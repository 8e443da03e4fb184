/* SPDX-License-Identifier: MIT
   Many sequences of one source (section 4.2): how many pass, and whether the p-values are uniform. */
#include "qrng/nist/nist22_int.h"

void kl_nist22_many(struct kl_nist22_many *result, const double *log10_p, size_t m)
{
    enum { BINS = 10, LEAST = 55 };
    static const double uniform[BINS] = { .1, .1, .1, .1, .1, .1, .1, .1, .1, .1 };
    const double pass = 0.99;
    size_t bins[BINS] = { 0 }, n = 0, passed = 0;
    for (size_t i = 0; i < m; i++) {
        if (isnan(log10_p[i])) continue;
        const double p = pow(10, log10_p[i]);
        bins[p < 1 ? (size_t)(BINS * p) : BINS - 1]++;
        passed += p >= 1 - pass;
        n++;
    }
    const double half = 3 * sqrt(pass * (1 - pass) / (double)n);
    const double statistic = kl_nist22_chi_square(bins, uniform, BINS, n);
    *result = (struct kl_nist22_many){ n, passed, pass - half, fmin(1, pass + half), NAN };
    if (n >= LEAST) result->uniformity_p = pow(10, kl_nist22_igamc((BINS - 1) / 2., statistic / 2));
}
