/* SPDX-License-Identifier: MIT
   Scores of a classifier beside its accuracy. counts (c, c) [true][predicted] as of kl_stats_confusion.
   NaN ("undefined") where only one class is present. */
#ifndef KL_METRICS_SCORES_H
#define KL_METRICS_SCORES_H

#include "stats/stats.h"

/* Mean of the recalls of the classes that are present. */
double kl_stats_balanced_accuracy(const int64_t *counts, size_t c);
/* Cohen's kappa (1960, doi:10.1177/001316446002000104): agreement beyond that of chance. */
double kl_stats_kappa(const int64_t *counts, size_t c);
/* F1 of the classes, weighted by how many samples they have; defined of one class too. */
double kl_stats_f1_weighted(const int64_t *counts, size_t c);
/* Area under the curve (Hanley & McNeil 1982): how often a sample of class `positive` has a larger score
   than one of another, ties half; score[i * stride]. KL_ENOMEM. */
int kl_stats_auc(double *auc, const double *score, size_t stride, const int32_t *labels, size_t n,
                 int32_t positive, struct kl_error *err);
/* Of probabilities (n, c): of two classes the area of class 1; of more each class against the rest,
   weighted by how many samples they have (classes without any take no part). KL_ENOMEM. */
int kl_stats_auc_of(double *auc, const double *probabilities, const int32_t *labels, size_t n, size_t c,
                    struct kl_error *err);
/* Brier's score (1950): mean over samples of the sum over classes of (probability - truth)^2, 0 to 2. */
double kl_stats_brier(const double *probabilities, const int32_t *labels, size_t n, size_t c);

#endif
