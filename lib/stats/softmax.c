/* SPDX-License-Identifier: MIT
   Probabilities from logits. */
#include <math.h>

#include "stats/stats.h"

void kl_stats_softmax(float *probabilities, int32_t *predictions, const float *logits, size_t n,
                      size_t c)
{
    for (size_t i = 0; i < n; i++) {
        const float *row = logits + i * c;
        size_t best = 0;
        double sum = 0;
        for (size_t k = 1; k < c; k++)
            if (row[k] > row[best]) best = k;
        for (size_t k = 0; k < c; k++) sum += exp((double)row[k] - (double)row[best]);
        for (size_t k = 0; k < c; k++)
            probabilities[i * c + k] = (float)(exp((double)row[k] - (double)row[best]) / sum);
        if (predictions) predictions[i] = (int32_t)best;
    }
}
