/* SPDX-License-Identifier: MIT
   Annotations of EDF+ and BDF+: time-stamped lists, "+ONSET[\x15DURATION]\x14TEXT\x14...\x14\0", of
   which the first of a record says when it begins; from these follow the gaps. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sequence/recording/recording_int.h"
#include "store/store.h"

static const double MOST_SECONDS = 1e12;

struct reading {
    struct kl_sequence_recording *r;
    struct kl_error *err;
    struct kl_sequence_events *events;
    size_t malformed, empty, without_time;
    size_t record; /* that is read */
    bool first;    /* the first list of a record is expected, which says when it begins */
    bool has_time;
    double begins; /* of the record */
};

static int malformed(struct reading *w, const char *list, size_t n)
{
    char text[2 * 24 + 1];
    if (w->malformed++ >= 4) return KL_OK;
    kl_sequence_text(text, list, n < 24 ? n : 24);
    return kl_sequence_remark(w->r, w->err, "record %zu: a malformed annotation '%s' is left out",
                              w->record + 1, text);
}

/* A number between two places; false: it is none, or no time. */
static bool time_of(double *value, const char *from, const char *to)
{
    char text[64];
    const size_t n = (size_t)(to - from);
    if (n >= sizeof text) return false;
    memcpy(text, from, n), text[n] = '\0';
    return kl_sequence_number(value, text) && fabs(*value) <= MOST_SECONDS;
}

/* One list without the NUL at its end. */
static int read_list(struct reading *w, const char *list, size_t n)
{
    const char *const end = list + n, *text = memchr(list, 0x14, n),
                      *mark = text ? memchr(list, 0x15, (size_t)(text - list)) : NULL;
    double onset = 0, duration = 0;
    const bool first = w->first;
    w->first = false;
    if (!text || end[-1] != 0x14 || (*list != '+' && *list != '-') ||
        !time_of(&onset, list, mark ? mark : text) ||
        (mark && mark + 1 != text && (!time_of(&duration, mark + 1, text) || duration < 0)))
        return malformed(w, list, n);
    int code = KL_OK;
    const size_t before = w->events->n;
    const bool is_time = first && text[1 < end - text ? 1 : 0] == 0x14;
    if (is_time) w->has_time = true, w->begins = onset;
    while (!code && text + 1 < end) {
        const char *const next = memchr(text + 1, 0x14, (size_t)(end - text - 1));
        if (next > text + 1)
            code = kl_sequence_events_add(w->events, onset, duration, text + 1,
                                          (size_t)(next - text - 1), w->err);
        text = next;
    }
    w->empty += !is_time && w->events->n == before;
    return code;
}

static int read_lists(struct reading *w, const char *bytes, size_t n)
{
    int code = KL_OK;
    for (size_t at = 0; at < n && !code;) {
        const char *end = memchr(bytes + at, '\0', n - at);
        const size_t length = end ? (size_t)(end - bytes) - at : n - at;
        if (length) code = read_list(w, bytes + at, length);
        at += length + 1;
    }
    return code;
}

/* ---- where records are ---- */
static double half_sample(const struct kl_sequence_recording *r)
{
    double fastest = 0;
    for (size_t i = 0; i < r->n_signals; i++) fastest = fmax(fastest, r->signals[i].rate);
    return fastest > 0 ? 0.5 / fastest : 0.5 * r->record_seconds;
}

/* The record that was read goes on where the last one ended, or there is a gap. A time may be rounded in
   the file: half a sample is none, nor a millionth of the time since the stretch began. */
static int place(struct reading *w, size_t *room, double half)
{
    struct kl_sequence_recording *r = w->r;
    struct kl_sequence_stretch *last = r->n_stretches ? &r->stretches[r->n_stretches - 1] : NULL;
    void *stretches = r->stretches;
    if (last) {
        const double length = (double)last->n_records * r->record_seconds, ends = last->start + length;
        const double gap = w->has_time ? w->begins - ends : 0;
        if (fabs(gap) <= half + 1e-6 * length) {
            last->n_records++;
            return KL_OK;
        }
        if (gap < 0)
            return kl_fail(w->err, KL_EDATA,
                           "%s: record %zu begins at %.6g s, before record %zu ends (%.6g s)", r->path,
                           w->record + 1, w->begins, w->record, ends);
    }
    const int code =
        kl_sequence_grow(&stretches, room, r->n_stretches + 1, sizeof *r->stretches, w->err);
    r->stretches = stretches;
    if (!code)
        r->stretches[r->n_stretches++] =
            (struct kl_sequence_stretch){ w->has_time ? w->begins : 0, w->record, 1 };
    return code;
}

static int read_record(struct reading *w, char *buffer)
{
    const struct kl_sequence_recording_file *f = w->r->file;
    int code = KL_OK;
    bool main_channel = true, has_time = false;
    double begins = 0;
    for (size_t i = 0; i < f->n_channels && !code; i++) {
        const struct kl_sequence_channel *c = &f->channels[i];
        const size_t n = c->per_record * f->width;
        if (c->signal >= 0) continue;
        w->first = true, w->has_time = false;
        code = kl_store_pread_all(f->fd, buffer, n,
                                  f->header_bytes + (uint64_t)w->record * f->record_bytes + c->offset,
                                  w->r->path, w->err);
        if (!code) code = read_lists(w, buffer, n);
        if (main_channel) has_time = w->has_time, begins = w->begins;
        main_channel = false;
    }
    w->has_time = has_time, w->begins = begins;
    if (code || has_time) return code;
    w->without_time++;
    if (!w->r->discontinuous) return KL_OK;
    return kl_fail(w->err, KL_EDATA, "%s: record %zu does not say when it begins, as it must in %s",
                   w->r->path, w->record + 1, kl_sequence_recording_format(w->r));
}

static int read_records(struct reading *w)
{
    struct kl_sequence_recording *r = w->r;
    const struct kl_sequence_recording_file *f = r->file;
    size_t most = 0, room = 0;
    for (size_t i = 0; i < f->n_channels; i++)
        if (f->channels[i].signal < 0 && f->channels[i].per_record > most)
            most = f->channels[i].per_record;
    char *buffer = most && r->n_records ? malloc(most * f->width) : NULL;
    if (most && r->n_records && !buffer) return kl_fail_memory(w->err, most * f->width);
    const double half = half_sample(r);
    int code = KL_OK;
    if (most) {
        for (; w->record < r->n_records && !code; w->record++) {
            code = read_record(w, buffer);
            if (!code) code = place(w, &room, half);
        }
    } else if (r->n_records) {
        code = place(w, &room, half);
        if (!code) r->stretches[0].n_records = r->n_records;
    }
    free(buffer);
    return code;
}

/* ---- what is made of it ---- */
int kl_sequence_gaps_make(struct kl_sequence_recording *r, struct kl_error *err)
{
    if (r->n_stretches < 2) return KL_OK;
    r->gaps = calloc(r->n_stretches - 1, sizeof *r->gaps);
    if (!r->gaps) return kl_fail_memory(err, r->n_stretches * sizeof *r->gaps);
    for (; r->n_gaps < r->n_stretches - 1; r->n_gaps++) {
        const struct kl_sequence_stretch *s = &r->stretches[r->n_gaps];
        r->gaps[r->n_gaps] =
            (struct kl_sequence_gap){ s->start + (double)s->n_records * r->record_seconds, s[1].start };
    }
    return KL_OK;
}

static int make_gaps(struct kl_sequence_recording *r, double zero, struct kl_error *err)
{
    for (size_t i = 0; i < r->n_stretches; i++) r->stretches[i].start -= zero;
    const int code = kl_sequence_gaps_make(r, err);
    if (code || !r->n_gaps || r->discontinuous) return code;
    return kl_sequence_remark(
        r, err, "%s says that it is continuous, but its records say gaps: the first from %.6g to %.6g s",
        kl_sequence_recording_format(r), r->gaps[0].from, r->gaps[0].to);
}

static int remark_counts(const struct reading *w)
{
    int code = KL_OK;
    if (w->malformed > 4)
        code = kl_sequence_remark(w->r, w->err, "%zu malformed annotations in all are left out",
                                  w->malformed);
    if (!code && w->empty)
        code = kl_sequence_remark(w->r, w->err, "%zu annotation%s without a text %s left out", w->empty,
                                  kl_s(w->empty), w->empty == 1 ? "is" : "are");
    if (!code && w->without_time && w->r->n_records)
        code = kl_sequence_remark(
            w->r, w->err, "%zu of %zu records do not say when they begin: taken to follow each other",
            w->without_time, w->r->n_records);
    return code;
}

int kl_sequence_annotations_read(struct kl_sequence_recording *r, struct kl_sequence_events *e,
                                 double *zero, struct kl_error *err)
{
    struct reading w = { .r = r, .err = err, .events = e };
    int code = read_records(&w);
    *zero = r->n_stretches ? r->stretches[0].start : 0;
    if (!code) code = make_gaps(r, *zero, err);
    return code ? code : remark_counts(&w);
}
