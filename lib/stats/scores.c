/* SPDX-License-Identifier: MIT
   Scores of probabilities, in double and in the order of the samples: softmax, confusion matrices and
   what follows from them for each class, calibration, which of two judged heads is better. */
#include "stats/stats.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>


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

/* ---- Confusion matrices, and what follows from them for each class ---- */

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

/* ---- Metrics of probabilities, in double and in the order of the samples ---- */

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

/* A probability that is no number has neither a rank nor a bin. */
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

/* ---- Expected calibration error and the bins of a reliability diagram ---- */

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

/* ---- Which of two judged heads is the better one ---- */

bool kl_stats_comes_before(struct kl_judgement a, struct kl_judgement b)
{
    if (isnan(a.accuracy) || isnan(b.accuracy)) return !isnan(a.accuracy) && isnan(b.accuracy);
    if (fabs(a.accuracy - b.accuracy) > 1e-12) return a.accuracy > b.accuracy;
    return a.loss < b.loss || (!isnan(a.loss) && isnan(b.loss));
}
