/* SPDX-License-Identifier: MIT
   Ranks, quantiles and correlations. */
#ifndef KL_METRICS_RANKS_H
#define KL_METRICS_RANKS_H

#include "base/base.h"

/* Ranks of n values from 1, equal ones sharing their mean (ranks.c). *ties, which may be NULL: sum of
   t^3 - t over groups of t equal values. KL_ENOMEM. */
int kl_stats_ranks(double *ranks, double *ties, const double *values, size_t n, struct kl_error *err);

/* Rising order; and of n > 0 values in it, what the share lies below: linear between the two around it,
   as NumPy's default (quantile.c). */
void kl_stats_sort(double *values, size_t n);
double kl_stats_sorted_quantile(const double *sorted, size_t n, double share);

/* Wilcoxon, Mann and Whitney: are the a [na] larger than the b [nb]? u: of a. log10_p: one-sided,
   exact of up to KL_MANN_WHITNEY_EXACT values in all, equal ones too, as many as nine devices have
   pairs; above by the normal approximation with corrections for ties and continuity (Mann & Whitney
   1947, doi:10.1214/aoms/1177730491). KL_ENOMEM. */
enum { KL_MANN_WHITNEY_EXACT = 36 };
struct kl_mann_whitney {
    double u, log10_p;
};
int kl_stats_mann_whitney(struct kl_mann_whitney *m, const double *a, size_t na, const double *b,
                          size_t nb, struct kl_error *err);

/* Correlation of n >= 2 pairs and its two-sided p: Pearson's by Student's t with n - 2 degrees of
   freedom, NaN of two pairs. Spearman's is Pearson's of the ranks; its p is, up to KL_SPEARMAN_EXACT
   pairs, the share of all n! orders of one side, equal values and all, that correlate as far from 0, and
   above by Student's t, an approximation that knows no least p: of ranks that agree wholly it is 0,
   where 2 / n! is right. r is NaN if one side is constant. KL_ENOMEM. */
enum { KL_SPEARMAN_EXACT = 9 };
struct kl_correlation {
    double r, log10_p;
};
struct kl_correlation kl_stats_pearson(const double *x, const double *y, size_t n);
int kl_stats_spearman(struct kl_correlation *c, const double *x, const double *y, size_t n,
                      struct kl_error *err);

#endif
