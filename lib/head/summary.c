/* SPDX-License-Identifier: MIT
   One line about all heads of an evaluation. */
#include <math.h>

#include "head/evaluate.h"

static double mean_of(const double *values, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += values[i];
    return sum / (double)n;
}

struct kl_evaluation_summary kl_evaluation_summary(const struct kl_evaluation *e)
{
    static const double Z95 = 1.959963984540054;
    double squares = 0, mean = mean_of(e->accuracy, e->replicas);
    for (size_t r = 0; r < e->replicas; r++)
        squares += (e->accuracy[r] - mean) * (e->accuracy[r] - mean);
    return (struct kl_evaluation_summary){
        .accuracy = mean,
        .deviation = e->replicas > 1 ? sqrt(squares / (double)(e->replicas - 1)) : 0,
        .interval = kl_wilson((size_t)llround(mean * (double)e->n), e->n, Z95),
        .log_loss = mean_of(e->log_loss, e->replicas),
        .calibration_error = mean_of(e->calibration_error, e->replicas),
    };
}
