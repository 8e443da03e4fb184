/* SPDX-License-Identifier: MIT
   Copies of windows that trained a model, under other names in files that it does not know. A model's
   file has digests of its windows, not their numbers. */
#include <math.h>
#include <stdlib.h>

#include "sequence/report/report.h"

static int by_digest(const void *a, const void *b)
{
    const struct kl_sequence_digest *x = a, *y = b;
    if (x->digest != y->digest) return x->digest < y->digest ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

enum { WHERE = 200 };
/* "a window of 'S001', recording 'S001R04' at 2.5 s" */
static void tell(char text[WHERE], const struct kl_sequence_report *r,
                 const struct kl_sequence_tested *t)
{
    const struct kl_sequence_set *set = &r->set;
    const double onset = set->onset[t->window];
    const int n = snprintf(text, WHERE, "a window of '%.60s', recording '%.60s'",
                           set->subject_names[set->subject[t->window]],
                           set->recording_names[set->recording[t->window]]);
    if (!isnan(onset)) snprintf(text + n, (size_t)(WHERE - n), " at %g s", onset);
}

static int fail_trained(const struct kl_sequence_report *r, const struct kl_sequence_tested *t,
                        size_t at, struct kl_error *err)
{
    const struct kl_sequence_learned *m = &r->models[t->model];
    const bool trained = m->part[at] == KL_SEQUENCE_TRAIN || m->fitted;
    char which[WHERE];
    tell(which, r, t);
    return kl_fail(
        err, KL_EDATA, "%s: %s, is one of '%s', recording '%s', that %s: testing on a copy is a leak",
        kl_store_file_path(r->window_files[t->file]), which, m->people[m->person[at]],
        m->recordings[m->recording[at]], trained ? "trained the model" : "chose the model's epoch");
}

/* Tested windows, sorted: none of them stands in two files. */
static int check_twice(const struct kl_sequence_report *r, const struct kl_sequence_digest *all,
                       size_t n, struct kl_error *err)
{
    char which[WHERE];
    for (size_t i = 1; i < n; i++) {
        const struct kl_sequence_tested *a = &r->tested[all[i - 1].at], *b = &r->tested[all[i].at];
        if (!all[i].digest || all[i].digest != all[i - 1].digest || a->file == b->file) continue;
        tell(which, r, b);
        return kl_fail(err, KL_EDATA, "%s: %s, stands in %s too and would count twice; give it once",
                       kl_store_file_path(r->window_files[b->file]), which,
                       kl_store_file_path(r->window_files[a->file]));
    }
    return KL_OK;
}

size_t kl_sequence_digests_known(struct kl_sequence_digest *known, const struct kl_sequence_learned *m)
{
    size_t n = 0;
    for (size_t i = 0; m->digests && i < m->n; i++)
        if ((m->part[i] == KL_SEQUENCE_TRAIN || m->part[i] == KL_SEQUENCE_VALIDATION) && m->digests[i])
            known[n++] = (struct kl_sequence_digest){ m->digests[i], i };
    qsort(known, n, sizeof *known, by_digest);
    return n;
}

const struct kl_sequence_digest *kl_sequence_digests_find(const struct kl_sequence_digest *known,
                                                          size_t n, int64_t digest)
{
    size_t low = 0, high = n; /* the first that is not below it */
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (known[middle].digest < digest) low = middle + 1;
        else high = middle;
    }
    return digest && low < n && known[low].digest == digest ? &known[low] : NULL;
}

/* tested, known (as many as model k tests, as it knows): room. */
static int check_model(const struct kl_sequence_report *r, size_t k, struct kl_sequence_digest *tested,
                       struct kl_sequence_digest *known, struct kl_error *err)
{
    const size_t n_known = kl_sequence_digests_known(known, &r->models[k]);
    size_t n = 0;
    for (size_t i = 0; i < r->n; i++) {
        const struct kl_sequence_tested *t = &r->tested[i];
        if ((size_t)t->model != k) continue;
        const float *x = kl_sequence_set_window(&r->set, t->window, err);
        if (!x) return err->code;
        const int64_t digest = kl_sequence_window_digest(x, r->set.channels, r->set.steps);
        tested[n++] = (struct kl_sequence_digest){ digest, i };
        const struct kl_sequence_digest *found =
            t->fresh ? kl_sequence_digests_find(known, n_known, digest) : NULL;
        if (found) return fail_trained(r, t, found->at, err);
    }
    qsort(tested, n, sizeof *tested, by_digest);
    return check_twice(r, tested, n, err);
}

int kl_sequence_report_check_copies(struct kl_sequence_report *r, struct kl_error *err)
{
    int code = KL_OK;
    for (size_t k = 0; k < r->n_models && !code; k++) {
        const size_t room = r->models[k].n + r->n + 1;
        bool fresh = false;
        for (size_t i = 0; i < r->n && !fresh; i++)
            fresh = r->tested[i].fresh && (size_t)r->tested[i].model == k;
        if (!fresh) continue;
        if (!r->models[k].digests) r->undigested = r->model_files[k];
        struct kl_sequence_digest *tested = malloc(room * sizeof *tested);
        code = tested ? check_model(r, k, tested, tested + r->n, err)
                      : kl_fail_memory(err, room * sizeof *tested);
        free(tested);
    }
    return code;
}
