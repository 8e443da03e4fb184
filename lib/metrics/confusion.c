/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "metrics/metrics.h"

void kl_confusion(int64_t *counts, const int32_t *labels, const int32_t *predictions, size_t n, size_t c)
{
    memset(counts, 0, c * c * sizeof *counts);
    for (size_t i = 0; i < n; i++) counts[(size_t)labels[i] * c + (size_t)predictions[i]]++;
}

struct kl_class_metrics kl_class_metrics(const int64_t *counts, size_t c, size_t k)
{
    int64_t right = counts[k * c + k], predicted = 0, support = 0;
    for (size_t i = 0; i < c; i++) {
        predicted += counts[i * c + k];
        support += counts[k * c + i];
    }
    struct kl_class_metrics m = { .support = support };
    if (predicted) m.precision = (double)right / (double)predicted;
    if (support) m.recall = (double)right / (double)support;
    if (right) m.f1 = 2 * m.precision * m.recall / (m.precision + m.recall);
    return m;
}

size_t kl_top_k(const float *probabilities, const int32_t *labels, size_t n, size_t c, size_t k)
{
    size_t hits = 0;
    for (size_t i = 0; i < n; i++) {
        const float *row = probabilities + i * c;
        size_t label = (size_t)labels[i], before = 0;
        for (size_t j = 0; j < c; j++)
            before += row[j] > row[label] || (row[j] == row[label] && j < label);
        hits += before < k;
    }
    return hits;
}

double kl_log_loss(const float *probabilities, const int32_t *labels, size_t n, size_t c)
{
    const double least = 1e-45; /* the smallest positive float: a probability that was rounded to 0 */
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum -= log(fmax((double)probabilities[i * c + (size_t)labels[i]], least));
    return n ? sum / (double)n : 0;
}
