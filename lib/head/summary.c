/* SPDX-License-Identifier: MIT
   One line about all heads of an evaluation. */
#include "head/evaluate.h"

struct kl_evaluation_summary kl_head_evaluation_summary(const struct kl_evaluation *e)
{
    const double mean = kl_stats_mean(e->accuracy, e->replicas);
    return (struct kl_evaluation_summary){
        .accuracy = mean,
        .deviation = kl_stats_deviation(e->accuracy, e->replicas),
        .interval = kl_stats_wilson(mean, e->n, KL_Z95),
        .log_loss = kl_stats_mean(e->log_loss, e->replicas),
        .calibration_error = kl_stats_mean(e->calibration_error, e->replicas),
    };
}
