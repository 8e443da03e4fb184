/* SPDX-License-Identifier: MIT
   Events as they are found, wherever they stand, and how they become a recording's annotations. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sequence/recording/recording_int.h"

int kl_sequence_grow(void **data, size_t *room, size_t need, size_t size, struct kl_error *err)
{
    if (need <= *room) return KL_OK;
    const size_t more = need + need / 2 + 64;
    void *grown = realloc(*data, more * size);
    if (!grown) return kl_fail_memory(err, more * size);
    *data = grown, *room = more;
    return KL_OK;
}

int kl_sequence_events_add(struct kl_sequence_events *e, double onset, double duration, const char *text,
                           size_t n, struct kl_error *err)
{
    void *list = e->list, *texts = e->texts;
    int code = kl_sequence_grow(&list, &e->room, e->n + 1, sizeof *e->list, err);
    e->list = list;
    if (!code) code = kl_sequence_grow(&texts, &e->texts_room, e->texts_n + 2 * n + 1, 1, err);
    e->texts = texts;
    if (code) return code;
    const bool latin1 = kl_sequence_text(e->texts + e->texts_n, text, n);
    const size_t length = strlen(e->texts + e->texts_n);
    if (!length) return KL_OK; /* blanks */
    e->latin1 += latin1;
    e->list[e->n] = (struct kl_sequence_event){ onset, duration, e->texts_n, e->n };
    e->texts_n += length + 1;
    e->n++;
    return KL_OK;
}

double kl_sequence_time_of(const struct kl_sequence_recording *r, const struct kl_sequence_signal *s,
                           size_t k)
{
    size_t i = r->n_stretches;
    if (!i) return (double)k / s->rate;
    for (i--; i > 0 && r->stretches[i].record * s->per_record > k;) i--;
    return r->stretches[i].start + (double)(k - r->stretches[i].record * s->per_record) / s->rate;
}

static int by_onset(const void *a, const void *b)
{
    const struct kl_sequence_event *x = a, *y = b;
    if (x->onset != y->onset) return x->onset < y->onset ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static bool is_within(const struct kl_sequence_recording *r, double onset)
{
    for (size_t i = 0; i < r->n_stretches; i++) {
        const struct kl_sequence_stretch *s = &r->stretches[i];
        if (onset >= s->start && onset <= s->start + (double)s->n_records * r->record_seconds)
            return true;
    }
    return false;
}

static int put_all(struct kl_sequence_recording *r, struct kl_sequence_events *e, double zero,
                   struct kl_error *err)
{
    size_t outside = 0;
    if (!e->n) return KL_OK;
    qsort(e->list, e->n, sizeof *e->list, by_onset);
    r->annotations = calloc(e->n, sizeof *r->annotations);
    if (!r->annotations) return kl_fail_memory(err, e->n * sizeof *r->annotations);
    r->n_annotations = e->n;
    for (size_t i = 0; i < e->n; i++) {
        const struct kl_sequence_event *one = &e->list[i];
        r->annotations[i] = (struct kl_sequence_annotation){ one->onset - zero, one->duration,
                                                             r->file->texts + one->text };
        outside += !is_within(r, one->onset - zero);
    }
    if (!outside || !r->n_signals) return KL_OK;
    return kl_sequence_remark(r, err, "%zu annotation%s where there are no samples", outside,
                              outside == 1 ? " lies" : "s lie");
}

int kl_sequence_events_keep(struct kl_sequence_recording *r, struct kl_sequence_events *e, double zero,
                            struct kl_error *err)
{
    free(r->annotations), free(r->file->texts);
    r->annotations = NULL, r->n_annotations = 0;
    r->file->texts = e->texts, e->texts = NULL;
    int code = put_all(r, e, zero, err);
    if (!code && e->latin1)
        code = kl_sequence_remark(r, err, "%zu annotation%s: no UTF-8, taken for Latin-1", e->latin1,
                                  kl_s(e->latin1));
    kl_sequence_events_free(e);
    return code;
}

void kl_sequence_events_free(struct kl_sequence_events *e)
{
    free(e->list), free(e->texts);
    *e = (struct kl_sequence_events){ 0 };
}
