/* SPDX-License-Identifier: MIT
   Expected calibration error and the bins of a reliability diagram. */
#include <math.h>

#include "stats/stats.h"

double kl_stats_calibration(int64_t *count, double *accuracy, double *confidence,
                            const float *probabilities, const int32_t *labels, size_t n, size_t c,
                            size_t bins)
{
    for (size_t b = 0; b < bins; b++) {
        count[b] = 0;
        accuracy[b] = confidence[b] = 0;
    }
    for (size_t i = 0; i < n; i++) {
        const float *row = probabilities + i * c;
        size_t best = 0;
        for (size_t k = 1; k < c; k++)
            if (row[k] > row[best]) best = k;
        double at = ceil((double)row[best] * (double)bins) - 1; /* (low, high] */
        size_t b = at < 0 ? 0 : at >= (double)bins ? bins - 1 : (size_t)at;
        count[b]++;
        accuracy[b] += labels[i] == (int32_t)best;
        confidence[b] += (double)row[best];
    }
    double error = 0;
    for (size_t b = 0; b < bins; b++) {
        if (!count[b]) continue;
        accuracy[b] /= (double)count[b];
        confidence[b] /= (double)count[b];
        error += (double)count[b] / (double)n * fabs(accuracy[b] - confidence[b]);
    }
    return error;
}
