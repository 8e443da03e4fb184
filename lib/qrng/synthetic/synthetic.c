/* SPDX-License-Identifier: MIT
   The study of synthetic devices. */
#include "qrng/synthetic/synthetic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "qrng/classify/rules.h"

enum { FOLDS = 5 };

/* Rows r with r mod FOLDS == fold are named by a rule that was fitted to the others. right [d]: counts.
 */
static int name_fold(double *right, const struct kl_synthetic *s, const int32_t *classes, int64_t *which,
                     int fold, enum kl_rule_kind kind, struct kl_rule *rule, struct kl_error *err)
{
    size_t n = 0;
    for (size_t r = 0; r < s->bits.n_rows; r++)
        if ((int)(r % FOLDS) != fold) which[n++] = (int64_t)r;
    int code = kl_rule_fit(rule, kind, &s->bits, classes, s->n_classes, which, n, err);
    for (size_t r = (size_t)fold; r < s->bits.n_rows && !code; r += FOLDS) {
        double scores[KL_SYNTHETIC_CLASSES];
        size_t best = 0;
        kl_rule_scores(scores, rule, &s->bits, r);
        for (size_t c = 1; c < s->n_classes; c++)
            if (scores[c] > scores[best]) best = c;
        right[s->bits.device[r]] += (int32_t)best == classes[r];
    }
    return code;
}

static int name_classes(struct kl_synthetic *s, struct kl_error *err)
{
    const enum kl_rule_kind kind = s->plan.pairs ? KL_RULE_PAIRS : KL_RULE_ONES;
    const size_t n = s->bits.n_rows, numbers = s->n_classes * (kl_rule_inputs(kind, s->bits.n_bits) + 1);
    int32_t *classes = malloc(n * sizeof *classes);
    int64_t *which = malloc(n * sizeof *which);
    struct kl_rule rule = { .parameters = malloc(numbers * sizeof *rule.parameters) };
    int code = classes && which && rule.parameters ? KL_OK : kl_fail_memory(err, n * sizeof *which);
    for (size_t r = 0; r < n && !code; r++) classes[r] = s->devices[s->bits.device[r]].class;
    for (int fold = 0; fold < FOLDS && !code; fold++)
        code = name_fold(s->accuracy, s, classes, which, fold, kind, &rule, err);
    for (size_t d = 0; d < s->n_devices && !code; d++) {
        s->accuracy[d] /= (double)s->plan.options->rows;
        s->mean_accuracy += s->accuracy[d] / (double)s->n_devices;
    }
    free(classes), free(which), free(rule.parameters);
    return code;
}

static int correlate(struct kl_contrast *c, const struct kl_synthetic *s, struct kl_error *err)
{
    c->pearson = kl_stats_pearson(c->mean, s->accuracy, s->n_devices);
    return kl_stats_spearman(&c->spearman, c->mean, s->accuracy, s->n_devices, err);
}

static int stop(const struct kl_watch *watch, uint64_t done, struct kl_error *err)
{
    return kl_watch_step(watch, done, 4, NULL) ? kl_fail(err, KL_ESIGNAL, "stopped") : KL_OK;
}

int kl_synthetic_run(struct kl_synthetic *s, const struct kl_synthetic_options *o, struct kl_pool *pool,
                     const struct kl_watch *watch, struct kl_error *err)
{
    *s = (struct kl_synthetic){ .n_devices = (size_t)o->devices };
    int code = kl_synthetic_plan(&s->plan, o, err);
    if (code) return code;
    s->n_classes = (size_t)s->plan.n_classes;
    s->n_pairs = s->n_classes * (s->n_classes + 1) / 2;
    s->devices = calloc(s->n_devices, sizeof *s->devices);
    s->accuracy = calloc(s->n_devices, sizeof *s->accuracy);
    if (!s->devices || !s->accuracy) return kl_fail_memory(err, s->n_devices * sizeof *s->devices);
    code = kl_synthetic_make(&s->bits, s->devices, &s->draws, &s->plan, pool, err);
    if (!code) code = stop(watch, 1, err);
    if (!code) code = kl_contrast_make(&s->study, s, false, pool, err);
    if (!code) code = kl_contrast_make(&s->smoothed, s, true, pool, err);
    if (!code) code = name_classes(s, err);
    if (!code) code = correlate(&s->study, s, err);
    if (!code) code = correlate(&s->smoothed, s, err);
    if (!code) code = stop(watch, 2, err);
    if (!code) code = kl_synthetic_learn(s, pool, err);
    if (!code) code = stop(watch, 3, err);
    if (!code) code = kl_synthetic_power(s, pool, err);
    return code ? code : stop(watch, 4, err);
}

void kl_synthetic_free(struct kl_synthetic *s)
{
    kl_contrast_free(&s->study), kl_contrast_free(&s->smoothed);
    kl_bits_free(&s->bits);
    free(s->devices), free(s->accuracy);
    for (int i = 0; i < KL_SYNTHETIC_LEARNERS; i++) free(s->learners[i].accuracy);
    *s = (struct kl_synthetic){ 0 };
}
