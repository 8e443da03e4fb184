/* SPDX-License-Identifier: MIT
   Metrics of probabilities, in double and in the order of the samples. */
#include "stats/metrics.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/stats.h"

const char *const kl_stats_metric_names[KL_METRICS] = {
    "accuracy", "balanced_accuracy", "kappa", "auc", "f1", "log_loss", "brier", "calibration"
};

double kl_stats_metric(const struct kl_metrics *m, int k)
{
    const double values[KL_METRICS] = { m->accuracy, m->balanced_accuracy, m->kappa, m->auc,
                                        m->f1,       m->log_loss,          m->brier, m->calibration };
    return values[k];
}

struct scored {
    double p;
    bool positive;
};

static int by_score(const void *a, const void *b)
{
    const double x = ((const struct scored *)a)->p, y = ((const struct scored *)b)->p;
    return (x > y) - (x < y);
}

/* Of class k against the rest: the share of pairs in which the positive one is ahead, ties half. */
static double area(struct scored *s, const int32_t *labels, const double *probabilities, size_t n,
                   size_t classes, size_t k)
{
    double ranks = 0, positives = 0;
    for (size_t i = 0; i < n; i++)
        s[i] = (struct scored){ probabilities[i * classes + k], labels[i] == (int32_t)k };
    qsort(s, n, sizeof *s, by_score);
    for (size_t i = 0; i < n;) {
        size_t end = i, here = 0;
        for (; end < n && s[end].p == s[i].p; end++) here += s[end].positive;
        ranks += (double)here * ((double)(i + 1) + (double)end) / 2, positives += (double)here;
        i = end;
    }
    const double negatives = (double)n - positives;
    return positives > 0 && negatives > 0
               ? (ranks - positives * (positives + 1) / 2) / (positives * negatives)
               : NAN;
}

static double area_of_all(struct scored *s, const int32_t *labels, const double *probabilities,
                          const int64_t *support, size_t n, size_t classes)
{
    double sum = 0;
    if (classes == 2) return area(s, labels, probabilities, n, classes, 1);
    for (size_t k = 0; k < classes; k++)
        if (support[k]) sum += (double)support[k] * area(s, labels, probabilities, n, classes, k);
    return sum / (double)n;
}

static void from_confusion(struct kl_metrics *m, const int64_t *counts, const int64_t *support, size_t n,
                           size_t classes)
{
    double right = 0, chance = 0, recall = 0, f1 = 0;
    size_t there = 0;
    for (size_t k = 0; k < classes; k++) {
        const struct kl_class_metrics one = kl_stats_class_metrics(counts, classes, k);
        int64_t predicted = 0;
        for (size_t j = 0; j < classes; j++) predicted += counts[j * classes + k];
        right += (double)counts[k * classes + k];
        chance += (double)support[k] / (double)n * ((double)predicted / (double)n);
        f1 += (double)support[k] * one.f1;
        if (support[k]) recall += one.recall, there++;
    }
    m->accuracy = right / (double)n, m->f1 = f1 / (double)n;
    m->balanced_accuracy = there > 1 ? recall / (double)there : NAN;
    m->kappa = there > 1 && chance < 1 ? (m->accuracy - chance) / (1 - chance) : NAN;
}

static size_t most_probable(const double *p, size_t classes)
{
    size_t best = 0;
    for (size_t k = 1; k < classes; k++)
        if (p[k] > p[best]) best = k;
    return best;
}

static void from_probabilities(struct kl_metrics *m, const int32_t *labels, const double *probabilities,
                               size_t n, size_t classes)
{
    enum { BINS = 10 };
    double loss = 0, brier = 0, hits[BINS] = { 0 }, confidence[BINS] = { 0 };
    for (size_t i = 0; i < n; i++) {
        const double *p = probabilities + i * classes;
        const size_t best = most_probable(p, classes);
        const double bin = ceil(p[best] * BINS) - 1;
        const int b = bin < 0 ? 0 : bin >= BINS ? BINS - 1 : (int)bin;
        loss -= log(fmax(p[labels[i]], DBL_MIN));
        for (size_t k = classes == 2; k < classes; k++) {
            const double d = p[k] - (labels[i] == (int32_t)k);
            brier += d * d;
        }
        hits[b] += (int32_t)best == labels[i], confidence[b] += p[best];
    }
    m->log_loss = loss / (double)n, m->brier = brier / (double)n, m->calibration = 0;
    for (int b = 0; b < BINS; b++) m->calibration += fabs(hits[b] - confidence[b]) / (double)n;
}

/* What is no number has neither a rank nor a bin. */
static int check(const double *probabilities, size_t n, size_t classes, struct kl_error *err)
{
    for (size_t i = 0; i < n * classes; i++)
        if (!isfinite(probabilities[i]))
            return kl_fail(err, KL_EDATA, "sample %zu: its probability of class %zu is %g, no number",
                           i / classes, i % classes, probabilities[i]);
    return KL_OK;
}

int kl_stats_metrics(struct kl_metrics *m, int64_t *confusion, const int32_t *labels,
                     const double *probabilities, size_t n, size_t classes, struct kl_error *err)
{
    const size_t square = classes * classes;
    *m = (struct kl_metrics){ NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN };
    const int code = check(probabilities, n, classes, err);
    if (code) return code;
    int64_t *counts = calloc(square + classes, sizeof *counts), *support = counts + square;
    struct scored *scored = malloc((n + 1) * sizeof *scored);
    const bool room = counts && scored;
    for (size_t i = 0; i < n && room; i++) {
        support[labels[i]]++;
        counts[(size_t)labels[i] * classes + most_probable(probabilities + i * classes, classes)]++;
    }
    if (room && n) {
        from_confusion(m, counts, support, n, classes);
        from_probabilities(m, labels, probabilities, n, classes);
        m->auc = area_of_all(scored, labels, probabilities, support, n, classes);
    }
    if (room && confusion) memcpy(confusion, counts, square * sizeof *counts);
    free(counts), free(scored);
    return room ? KL_OK : kl_fail_memory(err, square * sizeof *counts + n * sizeof *scored);
}
