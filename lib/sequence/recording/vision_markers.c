/* SPDX-License-Identifier: MIT
   Markers of BrainVision: events by their sample, "Mk2=Stimulus,S  1,5000,1,0", and the begins of
   segments, "Mk1=New Segment,,1,1,0,20131113161403794232", between which the recording stood still. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "sequence/recording/recording_int.h"

enum { NUMBERS = 4, NUMBER = 24 };

struct segment {
    size_t first; /* its first sample, from 0 */
    bool dated;
    double time; /* seconds since 1970 */
};
struct marker {
    char *type, *slash, *end; /* of its text: where the type ends, and the description */
    int64_t position, size;   /* samples, the first is 1 */
    char date[NUMBER];
};
struct reading {
    struct kl_sequence_recording *r;
    struct kl_sequence_events *events;
    struct kl_error *err;
    struct segment *segments;
    size_t n, room, malformed, timeless, commas;
};

/* ---- a line ---- */
/* Position, size, channel, perhaps a date: all that is behind a description. */
static bool take_numbers(struct marker *m, const char *text)
{
    char number[NUMBERS][NUMBER] = { "" };
    for (size_t k = 0; k < NUMBERS && *text; k++) {
        const size_t n = strcspn(text, ",");
        if (n >= NUMBER) return false;
        memcpy(number[k], text, n);
        text += n + (text[n] == ',');
    }
    memcpy(m->date, number[3], NUMBER);
    return !*text && kl_sequence_whole(&m->position, number[0]) && m->position >= 0 &&
           kl_sequence_whole(&m->size, *number[1] ? number[1] : "1") && m->size >= 0;
}

/* Some programs do not code the commas of a description: it ends where nothing but numbers follow. */
static bool take_marker(struct marker *m, struct reading *w, char *text)
{
    m->type = text, m->slash = strchr(text, ',');
    if (!m->slash || m->slash == text) return false;
    const char *first = m->end = strchr(m->slash + 1, ',');
    while (m->end && !take_numbers(m, m->end + 1)) m->end = strchr(m->end + 1, ',');
    w->commas += m->end && m->end != first;
    return m->end != NULL;
}

static int malformed(struct reading *w, const struct kl_sequence_ini *f)
{
    char text[2 * 40 + 1];
    if (w->malformed++ >= 4) return KL_OK;
    kl_sequence_text(text, f->value, strlen(f->value) < 40 ? strlen(f->value) : 40);
    return kl_sequence_remark(w->r, w->err, "%s: line %zu: a malformed marker '%s' is left out", f->path,
                              f->line, text);
}

/* "20131113161403794232": to microseconds. */
static bool date_of(double *seconds, char start[20], const char *text)
{
    struct tm t = { 0 };
    char second[15] = "";
    if (strlen(text) < 14 || text[strspn(text, "0123456789")]) return false;
    snprintf(second, sizeof second, "%.14s", text);
    const char *end = strptime(second, "%Y%m%d%H%M%S", &t);
    if (!end || *end || t.tm_year < 1) return false;
    double fraction = 0, unit = 0.1;
    for (const char *digit = text + 14; *digit; digit++, unit /= 10) fraction += unit * (*digit - '0');
    *seconds = (double)timegm(&t) + fraction;
    strftime(start, 20, "%Y-%m-%d %H:%M:%S", &t);
    return true;
}

static int add_segment(struct reading *w, const struct marker *m)
{
    void *segments = w->segments;
    char start[20] = "";
    const int code = kl_sequence_grow(&segments, &w->room, w->n + 1, sizeof *w->segments, w->err);
    w->segments = segments;
    if (code) return code;
    struct segment *s = &w->segments[w->n++];
    *s = (struct segment){ .first = m->position > 0 ? (size_t)m->position - 1 : 0 };
    s->dated = date_of(&s->time, start, m->date);
    if (s->first == 0 && s->dated) memcpy(w->r->start, start, sizeof w->r->start);
    return KL_OK;
}

/* An event's text is its type and its description, "Stimulus/S  1", as MNE-Python's; "\1" is a comma.
   Its time is found when all segments are. */
static int add_event(struct reading *w, const struct marker *m)
{
    const bool described = m->end > m->slash + 1;
    char *to = m->type;
    if (described) *m->slash = '/';
    for (const char *from = m->type; from < (described ? m->end : m->slash); from++) {
        const bool comma = from[0] == '\\' && from[1] == '1';
        *to++ = comma ? ',' : *from;
        from += comma;
    }
    return kl_sequence_events_add(w->events, (double)m->position - 1,
                                  m->size > 1 ? (double)m->size * w->r->record_seconds : 0, m->type,
                                  (size_t)(to - m->type), w->err);
}

/* Markers name the file of samples too, "$b" for one of their own name. */
static int check_data(struct reading *w, const struct kl_sequence_ini *f)
{
    const char *data = w->r->beside[KL_SEQUENCE_DATA], *slash = strrchr(data, '/'),
               *base = slash ? slash + 1 : data;
    char text[2 * 80 + 1];
    if (*f->value == '$' || strcmp(f->value, base) == 0) return KL_OK;
    kl_sequence_text(text, f->value, strlen(f->value) < 80 ? strlen(f->value) : 80);
    return kl_sequence_remark(w->r, w->err, "%s says that it is of '%s', the header names %s", f->path,
                              text, base);
}

static int take_line(struct reading *w, const struct kl_sequence_ini *f)
{
    struct marker m;
    int64_t number = 0;
    if (strcasecmp(f->section, "Common Infos") == 0 && strcasecmp(f->key, "DataFile") == 0)
        return check_data(w, f);
    if (strcasecmp(f->section, "Marker Infos") || strncasecmp(f->key, "Mk", 2)) return KL_OK;
    if (!kl_sequence_whole(&number, f->key + 2) || !take_marker(&m, w, f->value)) return malformed(w, f);
    const bool segment = (size_t)(m.slash - m.type) == strlen("New Segment") &&
                         strncasecmp(m.type, "New Segment", strlen("New Segment")) == 0;
    return segment ? add_segment(w, &m) : add_event(w, &m);
}

/* ---- stretches ---- */
static int by_first(const void *a, const void *b)
{
    const struct segment *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

/* Place a segment: behind the last one by the clock, or, if that is not told or runs backwards, one
   sample behind it, which is said. A pause shorter than what clocks are off is none. */
static int place(struct reading *w, const struct segment *s, const struct segment *first)
{
    struct kl_sequence_recording *r = w->r;
    struct kl_sequence_stretch *last = &r->stretches[r->n_stretches - 1];
    const double length = (double)(s->first - last->record) * r->record_seconds,
                 ends = last->start + length, drift = 0.5 * r->record_seconds + 1e-4 * length;
    const bool dated = s->dated && first->dated && first->first == 0;
    double gap = dated ? s->time - first->time - ends : -INFINITY;
    if (fabs(gap) <= drift) return KL_OK;
    if (gap < 0) gap = r->record_seconds, w->timeless++;
    last->n_records = s->first - last->record;
    r->stretches[r->n_stretches++] =
        (struct kl_sequence_stretch){ ends + gap, s->first, r->n_records - s->first };
    return KL_OK;
}

static int make_stretches(struct reading *w)
{
    struct kl_sequence_recording *r = w->r;
    if (!r->n_records) return KL_OK;
    r->stretches = calloc(w->n + 1, sizeof *r->stretches);
    if (!r->stretches) return kl_fail_memory(w->err, (w->n + 1) * sizeof *r->stretches);
    r->stretches[0] = (struct kl_sequence_stretch){ 0, 0, r->n_records }, r->n_stretches = 1;
    if (w->n) qsort(w->segments, w->n, sizeof *w->segments, by_first);
    int code = KL_OK;
    for (size_t i = 0; i < w->n && !code; i++)
        if (w->segments[i].first > r->stretches[r->n_stretches - 1].record &&
            w->segments[i].first < r->n_records)
            code = place(w, &w->segments[i], &w->segments[0]);
    if (!code) code = kl_sequence_gaps_make(r, w->err);
    r->discontinuous = r->n_gaps > 0;
    if (code || !w->timeless) return code;
    return kl_sequence_remark(r, w->err,
                              "%zu segment%s not say when %s: taken to begin a sample behind the one "
                              "before",
                              w->timeless, w->timeless == 1 ? " does" : "s do",
                              w->timeless == 1 ? "it begins" : "they begin");
}

/* From samples to seconds. */
static void time_events(struct reading *w)
{
    const struct kl_sequence_signal *s = &w->r->signals[0];
    for (size_t i = 0; i < w->events->n; i++) {
        struct kl_sequence_event *e = &w->events->list[i];
        e->onset = e->onset < 0 ? e->onset / s->rate : kl_sequence_time_of(w->r, s, (size_t)e->onset);
    }
}

static int read_markers(struct reading *w)
{
    struct kl_sequence_ini f;
    int code = kl_sequence_ini_open(&f, w->r->beside[KL_SEQUENCE_MARKERS], "Marker File", w->err);
    while (!code && kl_sequence_ini_next(&f)) code = take_line(w, &f);
    kl_sequence_ini_close(&f);
    if (!code && w->malformed > 4)
        code =
            kl_sequence_remark(w->r, w->err, "%zu malformed markers in all are left out", w->malformed);
    if (!code && w->commas)
        code = kl_sequence_remark(w->r, w->err,
                                  "commas in the text of %zu marker%s are not coded: taken for text",
                                  w->commas, kl_s(w->commas));
    return code;
}

int kl_sequence_markers_read(struct kl_sequence_recording *r, struct kl_sequence_events *e,
                             struct kl_error *err)
{
    struct reading w = { .r = r, .events = e, .err = err };
    int code = r->beside[KL_SEQUENCE_MARKERS] ? read_markers(&w) : KL_OK;
    if (!code) code = make_stretches(&w);
    if (!code) time_events(&w);
    free(w.segments);
    return code;
}
