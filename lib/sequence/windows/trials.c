/* SPDX-License-Identifier: MIT
   The labelled events of a recording, each once, and how far their windows reach: beyond the end of the
   annotation, into the next labelled one, back into one before. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sequence/windows/windows_int.h"

/* More than a step, so that rounding is none: a window of 4.1 s fits an annotation of 4.1 s. */
static const double BARELY = 1.01;

/* How many windows an annotation has. */
static size_t count_chunks(const struct kl_sequence_annotation *a, const struct kl_sequence_cut *cut)
{
    if (!(cut->chunk > 0)) return 1;
    const double n = floor(a->duration / cut->chunk * (1 + 1e-12) + 1e-9);
    return n < 1e7 ? (size_t)n : (size_t)1e7;
}

static int take(struct kl_sequence_trials *t, const struct kl_sequence_recording *r,
                const struct kl_sequence_labels *labels, const struct kl_sequence_cut *cut,
                struct kl_error *err)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n_annotations; i++)
        if (kl_sequence_label_of(labels, r->annotations[i].text) >= 0)
            n += count_chunks(&r->annotations[i], cut);
    t->list = calloc(n + 1, sizeof *t->list);
    if (!t->list) return kl_fail_memory(err, n * sizeof *t->list);
    for (size_t i = 0; i < r->n_annotations; i++) {
        const struct kl_sequence_annotation *a = &r->annotations[i];
        const int32_t label = kl_sequence_label_of(labels, a->text);
        const size_t chunks = label < 0 ? 0 : count_chunks(a, cut);
        t->brief += label >= 0 && !chunks;
        for (size_t k = 0; k < chunks; k++)
            t->list[t->n++] =
                (struct kl_sequence_trial){ .onset = a->onset + (double)k * cut->chunk,
                                            .duration = cut->chunk > 0 ? cut->chunk : a->duration,
                                            .label = label,
                                            .text = a->text };
    }
    return 0;
}

static int by_onset(const void *a, const void *b)
{
    const struct kl_sequence_trial *x = a, *y = b;
    if (x->onset != y->onset) return x->onset < y->onset ? -1 : 1;
    return strcmp(x->text, y->text);
}

static int fail_contrary(const struct kl_sequence_trial *a, const struct kl_sequence_trial *b,
                         const struct kl_sequence_labels *labels, const char *path, struct kl_error *err)
{
    return kl_fail(
        err, KL_EDATA,
        "%s: '%.60s' at %.6g s and '%.60s' at %.6g s are one event, and mean '%s' and '%s'; leave "
        "one of the texts out of --labels",
        path, a->text, a->onset, b->text, b->onset, labels->names[a->label], labels->names[b->label]);
}

/* Those within a step of the one before are that one. */
static int drop_repeated(struct kl_sequence_trials *t, const struct kl_sequence_labels *labels,
                         double step, const char *path, struct kl_error *err)
{
    size_t kept = 0;
    for (size_t i = 0; i < t->n; i++) {
        struct kl_sequence_trial *last = kept ? &t->list[kept - 1] : NULL, *now = &t->list[i];
        if (!last || now->onset - last->onset >= step * (1 - 1e-6)) {
            t->list[kept++] = *now;
            continue;
        }
        if (last->label != now->label) return fail_contrary(last, now, labels, path, err);
        t->repeated++;
    }
    t->n = kept;
    return 0;
}

static void measure(struct kl_sequence_trials *t, const struct kl_sequence_cut *cut, double step)
{
    double end = -INFINITY; /* of the annotations before */
    for (size_t i = 0; i < t->n; i++) {
        struct kl_sequence_trial *now = &t->list[i];
        const double excess = cut->to - now->duration;
        if (now->duration > 0 && excess > BARELY * step) now->excess = excess;
        now->next = i + 1 < t->n && now->onset + cut->to - t->list[i + 1].onset > BARELY * step;
        now->previous = end - (now->onset + cut->from) > BARELY * step;
        end = fmax(end, now->onset + now->duration);
    }
}

int kl_sequence_trials_find(struct kl_sequence_trials *t, const struct kl_sequence_recording *r,
                            const struct kl_sequence_labels *labels, const struct kl_sequence_cut *cut,
                            double rate, struct kl_error *err)
{
    *t = (struct kl_sequence_trials){ 0 };
    int code = take(t, r, labels, cut, err);
    if (code) return code;
    qsort(t->list, t->n, sizeof *t->list, by_onset);
    code = drop_repeated(t, labels, 1 / rate, r->path, err);
    if (!code) measure(t, cut, 1 / rate);
    return code;
}

void kl_sequence_trials_free(struct kl_sequence_trials *t)
{
    free(t->list);
    *t = (struct kl_sequence_trials){ 0 };
}
