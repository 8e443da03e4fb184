/* SPDX-License-Identifier: MIT
   Scores of a classifier from its confusion matrix or its probabilities. */
#include "stats/scores.h"

#include <math.h>
#include <stdlib.h>

#include "stats/ranks.h"

static size_t present(const int64_t *counts, size_t c)
{
    size_t n = 0;
    for (size_t k = 0; k < c; k++) n += kl_stats_class_metrics(counts, c, k).support > 0;
    return n;
}

double kl_stats_balanced_accuracy(const int64_t *counts, size_t c)
{
    const size_t classes = present(counts, c);
    double sum = 0;
    if (classes < 2) return NAN;
    for (size_t k = 0; k < c; k++) sum += kl_stats_class_metrics(counts, c, k).recall;
    return sum / (double)classes;
}

double kl_stats_kappa(const int64_t *counts, size_t c)
{
    double all = 0, agree = 0, chance = 0;
    if (present(counts, c) < 2) return NAN;
    for (size_t i = 0; i < c * c; i++) all += (double)counts[i];
    for (size_t k = 0; k < c; k++) {
        double truth = 0, said = 0;
        for (size_t i = 0; i < c; i++) {
            truth += (double)counts[k * c + i];
            said += (double)counts[i * c + k];
        }
        agree += (double)counts[k * c + k] / all;
        chance += truth * said / (all * all);
    }
    return (agree - chance) / (1 - chance);
}

double kl_stats_f1_weighted(const int64_t *counts, size_t c)
{
    double sum = 0, all = 0;
    for (size_t k = 0; k < c; k++) {
        const struct kl_class_metrics m = kl_stats_class_metrics(counts, c, k);
        sum += m.f1 * (double)m.support;
        all += (double)m.support;
    }
    return all > 0 ? sum / all : NAN;
}

int kl_stats_auc(double *auc, const double *score, size_t stride, const int32_t *labels, size_t n,
                 int32_t positive, struct kl_error *err)
{
    struct kl_mann_whitney m;
    size_t up = 0, down = 0;
    double *const values = malloc((n + 1) * sizeof *values);
    if (!values) return kl_fail_memory(err, n * sizeof *values);
    *auc = NAN;
    for (size_t i = 0; i < n; i++)
        if (labels[i] == positive) values[up++] = score[i * stride];
        else values[n - ++down] = score[i * stride];
    int code = KL_OK;
    if (up && down) {
        code = kl_stats_mann_whitney(&m, values, up, values + up, down, err);
        if (!code) *auc = m.u / ((double)up * (double)down);
    }
    free(values);
    return code;
}

int kl_stats_auc_of(double *auc, const double *probabilities, const int32_t *labels, size_t n, size_t c,
                    struct kl_error *err)
{
    double sum = 0, weight = 0;
    if (c == 2) return kl_stats_auc(auc, probabilities + 1, 2, labels, n, 1, err);
    for (size_t k = 0; k < c; k++) {
        double one;
        size_t support = 0;
        for (size_t i = 0; i < n; i++) support += labels[i] == (int32_t)k;
        if (!support) continue;
        const int code = kl_stats_auc(&one, probabilities + k, c, labels, n, (int32_t)k, err);
        if (code) return code;
        sum += one * (double)support;
        weight += (double)support;
    }
    *auc = weight > 0 ? sum / weight : NAN;
    return KL_OK;
}

double kl_stats_brier(const double *probabilities, const int32_t *labels, size_t n, size_t c)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < c; k++) {
            const double off = probabilities[i * c + k] - (labels[i] == (int32_t)k);
            sum += off * off;
        }
    return n ? sum / (double)n : NAN;
}
