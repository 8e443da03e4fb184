/* SPDX-License-Identifier: MIT
   The interval of a mean over training runs whose samples overlap. */
#include <math.h>

#include "stats/stats.h"

struct kl_interval kl_stats_resampled(const double *a, const double *b, size_t n, double ratio)
{
    double mean = 0, squares = 0;
    if (n < 2) return (struct kl_interval){ NAN, NAN };
    for (size_t i = 0; i < n; i++) mean += (a[i] - (b ? b[i] : 0)) / (double)n;
    for (size_t i = 0; i < n; i++) squares += pow(a[i] - (b ? b[i] : 0) - mean, 2);
    const double half = kl_stats_student_quantile(0.95, n - 1) *
                        sqrt(squares / (double)(n - 1) * (1 / (double)n + ratio));
    return (struct kl_interval){ mean - half, mean + half };
}
