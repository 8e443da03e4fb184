/* SPDX-License-Identifier: MIT
   Events as they are found, wherever they stand: annotations of EDF+ and BDF+, triggers of BioSemi's
   Status channel; and where the records of an EDF+D lie in time, with the gaps between them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sequence/recording/recording_int.h"
#include "store/store.h"

/* ---- events ----
   Events as they are found, wherever they stand, and how they become a recording's annotations. */

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

/* ---- annotations ----
   Annotations of EDF+ and BDF+: time-stamped lists, "+ONSET[\x15DURATION]\x14TEXT\x14...\x14\0", of
   which the first of a record says when it begins; from these follow the gaps. */

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

/* ---- status ----
   Triggers of BioSemi's Status channel (www.biosemi.com/faq/trigger_signals.htm): of its 24 bits the low
   16 are the trigger input; the others say what the amplifier does. */

enum { TOGETHER = 1 << 16, TRIGGER = 0xffff };

static int add(struct kl_sequence_events *e, double onset, long value, struct kl_error *err)
{
    char text[16];
    const int n = snprintf(text, sizeof text, "%ld", value);
    return kl_sequence_events_add(e, onset, 0, text, (size_t)n, err);
}

/* An event wherever the value rises, as MNE-Python's find_events has it: 0 to 3, 1 to 3, and not 3 to 1.
   What the first sample has did not begin there. */
static int read_all(struct kl_sequence_recording *r, struct kl_sequence_events *e, size_t which,
                    double zero, double *x, struct kl_error *err)
{
    const struct kl_sequence_signal *s = &r->signals[which];
    const struct kl_sequence_channel *c = r->file->of_signal[which];
    const size_t all = s->per_record * r->n_records;
    long before = -1;
    int code = KL_OK;
    for (size_t first = 0; first < all && !code; first += TOGETHER) {
        const size_t n = all - first < TOGETHER ? all - first : TOGETHER;
        code = kl_sequence_recording_read(x, r, which, first, n, err);
        for (size_t i = 0; i < n && !code; i++) {
            const long value = lround((x[i] - c->base) / c->gain) & TRIGGER;
            if (before >= 0 && value > before)
                code = add(e, zero + kl_sequence_time_of(r, s, first + i), value, err);
            before = value;
        }
    }
    return code;
}

int kl_sequence_status_read(struct kl_sequence_recording *r, struct kl_sequence_events *e, double zero,
                            struct kl_error *err)
{
    size_t i = 0;
    if (r->format != KL_SEQUENCE_BDF && r->format != KL_SEQUENCE_BDF_PLUS) return KL_OK;
    while (i < r->n_signals && strcasecmp(r->signals[i].label, "Status")) i++;
    if (i == r->n_signals || r->signals[i].fault || !r->n_records) return KL_OK;
    double *x = malloc(TOGETHER * sizeof *x);
    if (!x) return kl_fail_memory(err, TOGETHER * sizeof *x);
    const int code = read_all(r, e, i, zero, x, err);
    free(x);
    return code;
}
