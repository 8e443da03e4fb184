/* SPDX-License-Identifier: MIT
   Copies of windows that trained a model, under other names in files that it does not know. A model's
   file has digests of its windows, not their numbers. */
#include <math.h>
#include <stdlib.h>

#include "sequence/report/report.h"

/* A window, of those that trained a model or chose its epoch (at: in the model's lists), or of those
   that it is tested on (at: among the tested). */
struct digest {
    int64_t digest;
    size_t at;
};

static int by_digest(const void *a, const void *b)
{
    const struct digest *x = a, *y = b;
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
static int check_twice(const struct kl_sequence_report *r, const struct digest *all, size_t n,
                       struct kl_error *err)
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

/* tested, known (as many as model k tests, as it knows): room. Without digests it knows none. */
static int check_model(const struct kl_sequence_report *r, size_t k, struct digest *tested,
                       struct digest *known, struct kl_error *err)
{
    const struct kl_sequence_learned *m = &r->models[k];
    size_t n = 0, n_known = 0;
    for (size_t i = 0; m->digests && i < m->n; i++)
        if ((m->part[i] == KL_SEQUENCE_TRAIN || m->part[i] == KL_SEQUENCE_VALIDATION) && m->digests[i])
            known[n_known++] = (struct digest){ m->digests[i], i };
    qsort(known, n_known, sizeof *known, by_digest);
    for (size_t i = 0; i < r->n; i++) {
        const struct kl_sequence_tested *t = &r->tested[i];
        if ((size_t)t->model != k) continue;
        const float *x = kl_sequence_set_window(&r->set, t->window, err);
        if (!x) return err->code;
        const int64_t digest = kl_sequence_window_digest(x, r->set.channels, r->set.steps);
        tested[n++] = (struct digest){ digest, i };
        size_t low = 0, high = n_known; /* the first that is not below it */
        while (low < high) {
            const size_t middle = (low + high) / 2;
            if (known[middle].digest < digest) low = middle + 1;
            else high = middle;
        }
        if (digest && t->fresh && low < n_known && known[low].digest == digest)
            return fail_trained(r, t, known[low].at, err);
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
        struct digest *tested = malloc(room * sizeof *tested);
        code = tested ? check_model(r, k, tested, tested + r->n, err)
                      : kl_fail_memory(err, room * sizeof *tested);
        free(tested);
    }
    return code;
}
