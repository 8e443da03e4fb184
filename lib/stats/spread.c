/* SPDX-License-Identifier: MIT
   Mean and standard deviation. */
#include <math.h>

#include "stats/stats.h"

double kl_stats_mean(const double *values, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += values[i];
    return sum / (double)n;
}

double kl_stats_deviation(const double *values, size_t n)
{
    double squares = 0, mean = kl_stats_mean(values, n);
    for (size_t i = 0; i < n; i++) squares += (values[i] - mean) * (values[i] - mean);
    return n > 1 ? sqrt(squares / (double)(n - 1)) : 0;
}
