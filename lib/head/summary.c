/* SPDX-License-Identifier: MIT
   One line about all heads of an evaluation. */
#include "head/evaluate.h"

struct kl_evaluation_summary kl_evaluation_summary(const struct kl_evaluation *e)
{
    const double mean = kl_mean(e->accuracy, e->replicas);
    return (struct kl_evaluation_summary){
        .accuracy = mean,
        .deviation = kl_deviation(e->accuracy, e->replicas),
        .interval = kl_wilson(mean, e->n, KL_Z95),
        .log_loss = kl_mean(e->log_loss, e->replicas),
        .calibration_error = kl_mean(e->calibration_error, e->replicas),
    };
}
