/* SPDX-License-Identifier: MIT
   Which rows train, which choose the epoch, which judge; and labels that say nothing. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nn/nn.h"
#include "qrng/classify/mt19937.h"
#include "qrng/classify/study.h"

/* The seed of a run's split: runs on shuffled labels are split as the first one. */
static uint64_t seed_of(const struct kl_study *s, size_t run)
{
    const size_t folds = s->protocol == KL_FOLDS ? (size_t)s->v->folds : 1;
    return (uint64_t)s->v->common.seed + (run < s->n_splits ? run / folds : 0);
}

void kl_study_labels(int32_t *labels, const struct kl_study *study, size_t run, int64_t *scratch)
{
    const struct kl_bits *b = study->bits;
    memcpy(labels, b->device, b->n_rows * sizeof *labels);
    if (run < study->n_splits) return;
    int64_t *const from = scratch, *const order = scratch + b->n_rows;
    for (size_t i = 0; i < b->n_rows; i++) from[i] = (int64_t)i;
    /* The upper half of the seed tells these orders from those of the training rows. */
    kl_nn_shuffle(order, from, b->n_rows, (uint64_t)study->v->common.seed ^ 1ull << 63,
                  (uint32_t)(run - study->n_splits));
    for (size_t i = 0; i < b->n_rows; i++) labels[i] = b->device[order[i]];
}

/* Rows of `part` that are drawn from the training rows: of each class its share. */
static int draw(uint8_t *part, enum kl_part to, const struct kl_study *s, const int32_t *labels,
                double share, uint64_t seed, struct kl_error *err)
{
    const size_t n = s->bits->n_rows;
    int64_t *rows = malloc((n + 1) * sizeof *rows), *stay = NULL, *taken = NULL;
    int32_t *own = malloc((n + 1) * sizeof *own);
    size_t n_stay, n_taken;
    int rc = rows && own ? KL_OK : kl_fail_memory(err, n * (sizeof *rows + sizeof *own));
    if (!rc) {
        const size_t left = kl_study_rows(rows, part, n, KL_PART_TRAINING, KL_PART_TRAINING);
        for (size_t i = 0; i < left; i++) own[i] = labels[rows[i]];
        rc = kl_nn_split_stratified(&stay, &n_stay, &taken, &n_taken, own, left,
                                    (size_t)s->bits->n_devices, share, seed, err);
    }
    for (size_t i = 0; !rc && i < n_taken; i++) part[rows[taken[i]]] = (uint8_t)to;
    free(rows), free(own), free(stay), free(taken);
    return rc;
}

/* The rows of each class in a random order are dealt out to the folds. */
static int deal(uint8_t *part, const struct kl_study *s, const int32_t *labels, size_t fold,
                uint64_t seed, struct kl_error *err)
{
    const size_t n = s->bits->n_rows, folds = (size_t)s->v->folds;
    if (n < folds)
        return kl_fail(err, KL_EDATA, "%zu rows are too few for %zu folds: some would have no test rows",
                       n, folds);
    int64_t *members = malloc(2 * (n + 1) * sizeof *members);
    if (!members) return kl_fail_memory(err, 2 * n * sizeof *members);
    size_t dealt = 0;
    for (int32_t c = 0; c < s->bits->n_devices; c++) {
        size_t count = 0;
        for (size_t i = 0; i < n; i++)
            if (labels[i] == c) members[count++] = (int64_t)i;
        kl_nn_shuffle(members + n, members, count, seed ^ 1ull << 62, (uint32_t)c);
        for (size_t i = 0; i < count; i++, dealt++)
            if (dealt % folds == fold) part[members[n + i]] = KL_PART_TEST;
    }
    free(members);
    return KL_OK;
}

/* The study's: one permutation, its end is the test; no validation, no strata. */
static int cut(uint8_t *part, const struct kl_study *s, uint64_t seed, struct kl_error *err)
{
    const size_t n = s->bits->n_rows, n_test = (size_t)llround(s->v->test * (double)n);
    int32_t *rows = malloc((n + 1) * sizeof *rows);
    if (!rows) return kl_fail_memory(err, n * sizeof *rows);
    kl_mt19937_split(rows, n, (uint32_t)seed);
    for (size_t i = n - n_test; i < n; i++) part[rows[i]] = KL_PART_TEST;
    free(rows);
    if (n_test > 0 && n_test < n) return KL_OK;
    return kl_fail(err, KL_EDATA, "a test share of %g leaves %zu of %zu rows to train and %zu to test",
                   s->v->test, n - n_test, n, n_test);
}

int kl_study_split(uint8_t *part, const struct kl_study *study, size_t run, const int32_t *labels,
                   struct kl_error *err)
{
    const struct kl_study_settings *v = study->v;
    const uint64_t seed = seed_of(study, run);
    memset(part, KL_PART_TRAINING, study->bits->n_rows);
    if (study->protocol == KL_REFERENCE) return cut(part, study, seed, err);
    const size_t fold = run < study->n_splits ? run % (size_t)v->folds : 0;
    const bool folds = study->protocol == KL_FOLDS;
    const double test = folds ? 1 / (double)v->folds : v->test;
    int rc = folds ? deal(part, study, labels, fold, seed, err)
                   : draw(part, KL_PART_TEST, study, labels, test, seed, err);
    if (rc) return rc;
    if (test + v->validation >= 1)
        return kl_fail(err, KL_EUSAGE, "--folds %lld and --validation %g leave no rows to train on",
                       (long long)v->folds, v->validation);
    const uint64_t own = seed ^ (uint64_t)(fold + 1) << 40;
    return draw(part, KL_PART_VALIDATION, study, labels, v->validation / (1 - test), own, err);
}

size_t kl_study_rows(int64_t *rows, const uint8_t *part, size_t n, enum kl_part first, enum kl_part last)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (part[i] >= first && part[i] <= last) rows[count++] = (int64_t)i;
    return count;
}
