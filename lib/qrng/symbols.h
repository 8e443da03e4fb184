/* SPDX-License-Identifier: MIT
   symbols: do the symbols of two devices come equally often, and how far are their laws apart? From
   counts a, b [n], n = 2^w. */
#ifndef KL_QRNG_SYMBOLS_H
#define KL_QRNG_SYMBOLS_H

#include "metrics/metrics.h"
#include "qrng/bits.h"

/* Divergences of the devices' symbols, in nats a symbol but for the total variation. */
enum kl_divergence { KL_DIV_AB, KL_DIV_BA, KL_DIV_JS, KL_DIV_TV, KL_DIV_CHERNOFF, KL_N_DIVERGENCES };
extern const char *const kl_divergence_names[KL_N_DIVERGENCES];

/* The two tests of a table and their p-values; natural size would underflow. */
struct kl_symbol_test {
    int df;
    double chi_square, g, log10_p, log10_p_g;
    double least; /* smallest expected count: below 5 both are rough; df 0: infinite */
};
/* Chi-squared and G of the table of two devices' symbol counts a, b [n]; symbols that neither has do not
   count. df 0: nothing to compare, p = 1. */
struct kl_symbol_test kl_symbol_test(const int64_t *a, const int64_t *b, size_t n);
double kl_symbol_chi_square(const int64_t *a, const int64_t *b, size_t n);
/* Divergences of a from b, counts [n]. One that is infinite is INFINITY. */
void kl_symbol_divergences(double divergence[KL_N_DIVERGENCES], const int64_t *a, const int64_t *b,
                           size_t n);
/* 95 % of a divergence by those of n bootstrap samples, which are changed (divergence_interval.c).
   distance: it is in proportion to a difference, as the total variation, and not to its square. NaN for
   a divergence that is infinite; high is INFINITY where more than 2.5 % of the samples are. */
struct kl_interval kl_divergence_interval(double estimate, double *values, size_t n, bool distance);
/* Jensen-Shannon divergence, nats a symbol; *error: its standard error if symbols are independent
   (multinomial); may be NULL. */
double kl_jensen_shannon(double *error, const int64_t *a, const int64_t *b, size_t n);

#endif
