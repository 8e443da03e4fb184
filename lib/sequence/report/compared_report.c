/* SPDX-License-Identifier: MIT
   What a comparison reads of a report: predictions window by window, and whose windows they are. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sequence/report/compare.h"
#include "sequence/windows/names.h"
#include "store/store.h"

/* Folds are numbered anew by their first windows: what a report calls them depends on its files. */
static int number_folds(struct kl_sequence_reported *r, struct kl_error *err)
{
    int32_t *const number = malloc(r->n * sizeof *number);
    if (!number) return kl_fail_memory(err, r->n * sizeof *number);
    r->folds = 0;
    for (size_t i = 0; i < r->n; i++) number[i] = -1;
    for (size_t i = 0; i < r->n; i++) {
        if (number[r->fold[i]] < 0) number[r->fold[i]] = (int32_t)r->folds++;
        r->fold[i] = number[r->fold[i]];
    }
    free(number);
    return KL_OK;
}

/* Which model's fold a window was judged by. */
static int take_folds(struct kl_sequence_reported *r, struct kl_file *file, struct kl_error *err)
{
    r->folds = 1;
    if (!kl_store_file_find(file, "fold")) return KL_OK;
    const int code = kl_sequence_numbers_take(&r->fold, file, "fold", r->n, 0, r->n, err);
    return code ? code : number_folds(r, err);
}

static int take_probabilities(struct kl_sequence_reported *r, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *d;
    int code = kl_store_file_expect(&d, file, "probabilities", KL_TYPE_F64, 3, err);
    if (code) return code;
    r->replicas = d->dims[0], r->n = d->dims[1], r->classes = d->dims[2];
    if (!r->replicas || !r->n || r->classes < 2)
        return kl_fail(err, KL_EDATA,
                       "%s: dataset probabilities: found %zu x %zu x %zu, expected at least 1 x 1 x 2",
                       r->path, r->replicas, r->n, r->classes);
    code = kl_store_file_load_shape((void **)&r->probabilities, file, "probabilities", KL_TYPE_F64, 3,
                                    d->dims, err);
    for (size_t i = 0; i < r->replicas * r->n * r->classes && !code; i++)
        if (!(r->probabilities[i] >= 0 && r->probabilities[i] <= 1 + 1e-6))
            code = kl_fail(err, KL_EDATA, "%s: dataset probabilities: found %g, expected 0 to 1",
                           r->path, r->probabilities[i]);
    return code;
}

int kl_sequence_reported_open(struct kl_sequence_reported *r, struct kl_file *file, struct kl_error *err)
{
    memset(r, 0, sizeof *r);
    r->path = kl_store_file_path(file), r->train_windows = NAN;
    if (strcmp(kl_store_file_kind(file), "sequence-report"))
        return kl_fail(err, KL_EDATA, "%s: found a file of kind %s, expected a report of qseq eval",
                       r->path, kl_store_file_kind(file));
    int code = kl_store_file_text(&r->model, file, "", "model", err);
    if (!code) code = kl_store_file_text(&r->split, file, "", "split", err);
    if (!code) code = take_probabilities(r, file, err);
    if (!code) code = kl_sequence_names_take(&r->people, &r->n_people, file, "subject_names", err);
    if (!code)
        code = kl_sequence_names_take(&r->recordings, &r->n_recordings, file, "recording_names", err);
    if (!code) code = kl_sequence_numbers_take(&r->labels, file, "labels", r->n, 0, r->classes, err);
    if (!code) code = kl_sequence_numbers_take(&r->subject, file, "subject", r->n, 0, r->n_people, err);
    if (!code)
        code = kl_sequence_numbers_take(&r->recording, file, "recording", r->n, 0, r->n_recordings, err);
    if (!code) code = take_folds(r, file, err);
    if (!code && kl_store_file_find(file, "onset"))
        code = kl_store_file_load_shape((void **)&r->onset, file, "onset", KL_TYPE_F64, 1, &r->n, err);
    if (!code && kl_store_file_has_attribute(file, "", "train_windows"))
        code = kl_store_file_number(&r->train_windows, file, "", "train_windows", err);
    if (!code && kl_store_file_has_attribute(file, "", "transductive")) {
        double flag;
        code = kl_store_file_number(&flag, file, "", "transductive", err);
        r->transductive = !code && flag != 0;
    }
    return code;
}

void kl_sequence_reported_close(struct kl_sequence_reported *r)
{
    kl_sequence_names_free(r->people, r->n_people);
    kl_sequence_names_free(r->recordings, r->n_recordings);
    free(r->model), free(r->split), free(r->labels), free(r->subject), free(r->recording);
    free(r->fold), free(r->probabilities), free(r->onset);
    memset(r, 0, sizeof *r);
}

int kl_sequence_reported_same(const struct kl_sequence_reported *a, const struct kl_sequence_reported *b,
                              struct kl_error *err)
{
    if (a->n != b->n || a->classes != b->classes)
        return kl_fail(err, KL_EDATA,
                       "%s: found %zu test windows of %zu classes, expected %zu of %zu as in %s; only "
                       "reports on the same windows can be compared",
                       b->path, b->n, b->classes, a->n, a->classes, a->path);
    for (size_t i = 0; i < a->n; i++) {
        const char *const mine = a->people[a->subject[i]], *const theirs = b->people[b->subject[i]],
                          *const run = a->recordings[a->recording[i]],
                          *const other = b->recordings[b->recording[i]];
        const bool moved = a->onset && b->onset && a->onset[i] != b->onset[i] &&
                           !(isnan(a->onset[i]) && isnan(b->onset[i]));
        if (strcmp(mine, theirs) || strcmp(run, other) || a->labels[i] != b->labels[i] || moved)
            return kl_fail(err, KL_EDATA,
                           "%s: test window %zu: found one of %s, %s, class %d, expected %s, %s, class "
                           "%d%s as in %s; only reports on the same windows can be compared",
                           b->path, i, theirs, other, (int)b->labels[i], mine, run, (int)a->labels[i],
                           moved ? " at another time" : "", a->path);
    }
    return KL_OK;
}
