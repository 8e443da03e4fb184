/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "metrics/metrics.h"

struct kl_interval kl_resampled(const double *values, size_t n, double ratio)
{
    if (n < 2) return (struct kl_interval){ NAN, NAN };
    const double mean = kl_mean(values, n), deviation = kl_deviation(values, n);
    const double half = kl_student_quantile(0.95, n - 1) * deviation * sqrt(1 / (double)n + ratio);
    return (struct kl_interval){ mean - half, mean + half };
}
