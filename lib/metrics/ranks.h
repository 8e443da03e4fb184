/* SPDX-License-Identifier: MIT
   Ranks, quantiles and correlations. */
#ifndef KL_METRICS_RANKS_H
#define KL_METRICS_RANKS_H

#include "base/base.h"

/* Ranks of n values from 1, equal ones sharing their mean (ranks.c). *ties, which may be NULL: sum of
   t^3 - t over groups of t equal values. KL_ENOMEM. */
int kl_ranks(double *ranks, double *ties, const double *values, size_t n, struct kl_error *err);

/* Rising order; and of n > 0 values in it, what the share lies below: linear between the two around it,
   as NumPy's default (quantile.c). */
void kl_sort(double *values, size_t n);
double kl_sorted_quantile(const double *sorted, size_t n, double share);

/* Wilcoxon, Mann and Whitney: are the a [na] larger than the b [nb]? u: of a. log10_p: one-sided, by the
   normal approximation with corrections for ties and continuity (Mann & Whitney 1947,
   doi:10.1214/aoms/1177730491). KL_ENOMEM. */
struct kl_mann_whitney {
    double u, log10_p;
};
int kl_mann_whitney(struct kl_mann_whitney *m, const double *a, size_t na, const double *b, size_t nb,
                    struct kl_error *err);

/* Correlation of n >= 3 pairs and its two-sided p, by Student's t with n - 2 degrees of freedom;
   Spearman's is Pearson's of the ranks. r is NaN if one side is constant. KL_ENOMEM. */
struct kl_correlation {
    double r, log10_p;
};
struct kl_correlation kl_pearson(const double *x, const double *y, size_t n);
int kl_spearman(struct kl_correlation *c, const double *x, const double *y, size_t n,
                struct kl_error *err);

#endif
