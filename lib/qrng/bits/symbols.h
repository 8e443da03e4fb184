/* SPDX-License-Identifier: MIT
   symbols: do the symbols of two devices come equally often, and how far are their laws apart? From
   counts a, b [n], n = 2^w. */
#ifndef KL_QRNG_BITS_SYMBOLS_H
#define KL_QRNG_BITS_SYMBOLS_H

#include "qrng/bits/bits.h"
#include "stats/stats.h"

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
struct kl_symbol_test kl_bits_symbol_test(const int64_t *a, const int64_t *b, size_t n);
double kl_bits_symbol_chi_square(const int64_t *a, const int64_t *b, size_t n);
/* Divergences of a from b, counts [n]. One that is infinite is INFINITY. */
void kl_bits_symbol_divergences(double divergence[KL_N_DIVERGENCES], const int64_t *a, const int64_t *b,
                                size_t n);
/* 95 % of a divergence by those of n bootstrap samples, which are changed.
   distance: it is in proportion to a difference, as the total variation, and not to its square. NaN for
   a divergence that is infinite; high is INFINITY where more than 2.5 % of the samples are. */
struct kl_interval kl_bits_divergence_interval(double estimate, double *values, size_t n, bool distance);
/* Jensen-Shannon divergence, nats a symbol; *error: its standard error if symbols are independent
   (multinomial); may be NULL. */
double kl_bits_jensen_shannon(double *error, const int64_t *a, const int64_t *b, size_t n);

/* counts [S]: symbols of bootstrap sample `resample` of n rows, values [n, S], fewer than 2^32. */
void kl_bits_bootstrap_counts(int64_t *counts, const uint16_t *values, size_t n_symbols, size_t n,
                              size_t resample, uint64_t seed, uint32_t device);

/* ---- histograms of the rows' shares of ones, in 20 bins on [0, 1], as the study has them ---- */
enum { KL_BINS = 20 };
/* numpy.histogram's bin of a row with `ones` of n_bits. */
int kl_bits_ones_bin(size_t ones, size_t n_bits);
/* Symmetric Kullback-Leibler divergence, nats, of counts a and b of rows_a and rows_b rows; 1e-10 is
   added to each share after dividing, and not divided by their sum again. */
double kl_bits_histogram_divergence(const double a[KL_BINS], double rows_a, const double b[KL_BINS],
                                    double rows_b);

/* ---- the study's Jensen-Shannon divergence of two devices' rates of 1 by position ---- */
/* In nats: each is divided by its sum, which throws the bias away, and the mixture is made before that.
 */
/* One position's part: half of p ln(p / m) + q ln(q / m), where p = a / sum_a, q = b / sum_b and
   m = (a + b) / (sum_a + sum_b). If the sums are 1, that is the divergence of what was normalised first.
 */
double kl_bits_position_part(double a, double sum_a, double b, double sum_b);

/* ---- what no classifier can surpass (bayes_limit.c) ---- */
/* Devices whose symbols are independent draws: p [c, m], rows of n <= KL_LIMIT_ROW symbols, equal
   priors, at most KL_LIMIT_CLASSES of them. By an exact sum over the counts of the m <= KL_LIMIT_SYMBOLS
   symbols: accuracy of the best classifier, confusion [c, c] (may be NULL) = probability of each answer
   given the device, information = I(device; row) in bits. Errors: standard errors, to first order, where
   p [k] are shares among symbols [k] independent draws; 0 if symbols is NULL, p being known. */
enum { KL_LIMIT_CLASSES = 64, KL_LIMIT_SYMBOLS = 4, KL_LIMIT_ROW = 256 };
struct kl_limit {
    double accuracy, information, accuracy_error, information_error;
};
struct kl_limit kl_bits_bayes_limit(double *confusion, const double *p, const double *symbols,
                                    size_t classes, size_t m, size_t n);

#endif
