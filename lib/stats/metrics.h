/* SPDX-License-Identifier: MIT
   metrics: how well probabilities of classes tell the classes apart. */
#ifndef KL_STATS_METRICS_H
#define KL_STATS_METRICS_H

#include "base/base.h"

/* NaN: undefined, as some are where only one class is there. */
struct kl_metrics {
    double accuracy;
    double balanced_accuracy; /* mean recall of the classes that are there; undefined of one class */
    double kappa;             /* Cohen 1960; undefined of one class */
    double auc; /* area under the ROC: of class 1 of two, by ranks, ties half; of more each class against
                   the rest, weighted by support; undefined of one class */
    double f1;  /* weighted by support */
    double log_loss;    /* nats */
    double brier;       /* of two classes mean (p_1 - y)^2, of more the sum over classes */
    double calibration; /* expected calibration error, ten bins (Guo et al. 2017) */
};
enum { KL_METRICS = 8 };
/* Their names in that order: "accuracy", ...; number k as a field. */
extern const char *const kl_stats_metric_names[KL_METRICS];
double kl_stats_metric(const struct kl_metrics *m, int k);
/* labels (n) of 0 .. classes - 1, probabilities (n, classes); n 0: all undefined. What is predicted is
   the first of the most probable. confusion (classes, classes) [true][predicted], or NULL.
   KL_EDATA: a probability is no number; KL_ENOMEM. */
int kl_stats_metrics(struct kl_metrics *m, int64_t *confusion, const int32_t *labels,
                     const double *probabilities, size_t n, size_t classes, struct kl_error *err);

#endif
