/* SPDX-License-Identifier: MIT
   Private to the statistics of a device. */
#ifndef KL_QRNG_BITS_STATISTICS_INT_H
#define KL_QRNG_BITS_STATISTICS_INT_H

#include "qrng/bits/statistics.h"

/* Mean and deviation (population) over rows of a function of the number of ones, with their standard
   errors: s / sqrt(R), and by the fourth moment. */
struct kl_moments {
    double mean, mean_error, deviation, deviation_error;
};
struct kl_moments kl_ones_moments(const struct kl_tally *t, double (*f)(double ones, double n));
/* f above: the rate, its entropy in bits, chi-squared of ones and zeros against a fair coin. */
double kl_rate_of(double ones, double n);
double kl_entropy_of(double ones, double n);
double kl_chi_square_of(double ones, double n);
double kl_entropy_bits(double p); /* of a bit that is 1 with probability p */

/* Standard error of a mean over R rows from the sums of values and of squares. */
double kl_mean_error(double sum, double squares, double rows);

/* What kl_statistics refers to, by file. */
typedef void kl_statistic_fn(double *values, double *errors, const struct kl_tally *t);
/* row_statistics.c */
kl_statistic_fn kl_stat_rate, kl_stat_row_rate_std, kl_stat_row_rate_min, kl_stat_row_rate_max,
    kl_stat_entropy_pooled, kl_stat_entropy_row_mean, kl_stat_entropy_row_std, kl_stat_chi_square_mean,
    kl_stat_chi_square_std, kl_stat_chi_square_above;
/* place_statistics.c */
kl_statistic_fn kl_stat_position_rate, kl_stat_phase_rate, kl_stat_symbol_probability,
    kl_stat_symbol_entropy;
/* step_statistics.c */
kl_statistic_fn kl_stat_transition_joint, kl_stat_transition_conditional, kl_stat_runs_per_row,
    kl_stat_run_lengths, kl_stat_autocorrelation, kl_stat_autocorrelation_pearson;

#endif
