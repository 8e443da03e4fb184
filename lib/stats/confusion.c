/* SPDX-License-Identifier: MIT
   Confusion matrices, and what follows from them for each class. */
#include <math.h>
#include <string.h>

#include "stats/stats.h"

void kl_stats_confusion(int64_t *counts, const int32_t *labels, const int32_t *predictions, size_t n,
                        size_t c)
{
    memset(counts, 0, c * c * sizeof *counts);
    for (size_t i = 0; i < n; i++) counts[(size_t)labels[i] * c + (size_t)predictions[i]]++;
}

struct kl_class_metrics kl_stats_class_metrics(const int64_t *counts, size_t c, size_t k)
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

/* The class that most wrong predictions of class k name; c: there is none. */
static size_t most_taken_for(const int64_t *counts, size_t c, size_t k)
{
    size_t most = c;
    for (size_t i = 0; i < c; i++)
        if (i != k && counts[k * c + i] > (most < c ? counts[k * c + most] : 0)) most = i;
    return most;
}

/* The recall of class a among the samples that are predicted as a or b; a class without any has no say.
 */
static double recall_beside(const int64_t *counts, size_t c, size_t a, size_t b)
{
    const int64_t right = counts[a * c + a], all = right + counts[a * c + b];
    return all ? (double)right / (double)all : 1;
}

static bool are_told_apart(const int64_t *counts, size_t c, size_t k, size_t other)
{
    const double own = recall_beside(counts, c, k, other), others = recall_beside(counts, c, other, k);
    /* the other one's turn, if it is the one that is lost; of two that are alike the later one */
    const bool its_turn = others < own || (others == own && other > k);
    if (its_turn && most_taken_for(counts, c, other) == k) return true;
    return counts[k * c + other] <= counts[k * c + k] && (own + others) / 2 >= 0.6;
}

size_t kl_stats_merged_classes(int32_t *taken, const int64_t *counts, size_t c)
{
    size_t merged = 0;
    for (size_t k = 0; k < c; k++) {
        const size_t other = most_taken_for(counts, c, k);
        taken[k] = -1;
        if (other == c || counts[k * c + other] < KL_FEWEST_TAKEN) continue;
        if (are_told_apart(counts, c, k, other)) continue;
        taken[k] = (int32_t)other;
        merged++;
    }
    return merged;
}

size_t kl_stats_top_k(const float *probabilities, const int32_t *labels, size_t n, size_t c, size_t k)
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

double kl_stats_log_loss(const float *probabilities, const int32_t *labels, size_t n, size_t c)
{
    const double least = 1e-45; /* the smallest positive float: a probability that was rounded to 0 */
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum -= log(fmax((double)probabilities[i * c + (size_t)labels[i]], least));
    return n ? sum / (double)n : 0;
}
