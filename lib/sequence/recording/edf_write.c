/* SPDX-License-Identifier: MIT
   EDF+C of 16 bits: the header, then records, each with its samples and, in one channel behind them,
   when it begins and the annotations that begin within it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sequence/recording/recording_int.h"

enum { LOW = -32768, HIGH = 32767 };

struct writing {
    const struct kl_sequence_edf *edf;
    int (*write)(void *context, const void *data, size_t n, struct kl_error *err);
    void *context;
    struct kl_error *err;
    double *ends;  /* (n_signals, 2) as the header has them */
    size_t *first; /* (n_records + 1) first annotation of each record */
    size_t list;   /* samples of annotations a record */
    size_t clipped;
};

/* A decimal of at most `size` characters, as near as it may be. */
static bool decimal(char *text, size_t size, double value)
{
    char found[64];
    for (int digits = 15; digits > 0 && isfinite(value); digits--) {
        double again;
        snprintf(found, sizeof found, "%.*g", digits, value);
        if (strlen(found) > size || strchr(found, 'e')) continue;
        return kl_sequence_number(&again, strcpy(text, found));
    }
    return false;
}

/* Seconds without an exponent, to the nanosecond; text holds 64 bytes. */
static void seconds_text(char *text, double seconds)
{
    snprintf(text, 64, "%.9f", seconds);
    for (size_t n = strlen(text); text[n - 1] == '0' || text[n - 1] == '.';) {
        const bool point = text[n - 1] == '.';
        text[--n] = '\0';
        if (point) break;
    }
}

/* ---- the header ---- */
static bool is_ascii(const char *text, size_t most)
{
    size_t n = 0;
    for (; text[n]; n++)
        if (text[n] < ' ' || text[n] > '~') return false;
    return n <= most;
}

/* A field, blanks behind its text. */
static int put(const struct writing *w, const char *text, size_t size)
{
    char field[80];
    const size_t n = strlen(text);
    if (n > size || !is_ascii(text, size))
        return kl_fail(w->err, KL_EUSAGE, "EDF: '%.100s' is no text of at most %zu ASCII characters",
                       text, size);
    memset(field, ' ', sizeof field);
    memcpy(field, text, n);
    return w->write(w->context, field, size, w->err);
}

static int put_number(const struct writing *w, double value, double *as_written)
{
    char text[16];
    if (!decimal(text, 8, value))
        return kl_fail(w->err, KL_EUSAGE, "EDF: %g is no number of 8 characters", value);
    if (as_written) kl_sequence_number(as_written, text);
    return put(w, text, 8);
}

/* "12.08.09", "16.15.00", and the recording's own words. */
static int put_start(const struct writing *w)
{
    static const char *const months[] = { "JAN", "FEB", "MAR", "APR", "MAY", "JUN",
                                          "JUL", "AUG", "SEP", "OCT", "NOV", "DEC" };
    const struct kl_sequence_edf *e = w->edf;
    unsigned y, m, d, hour, minute, second;
    char text[128];
    if (sscanf(e->start, "%4u-%2u-%2u %2u:%2u:%2u", &y, &m, &d, &hour, &minute, &second) != 6 || m < 1 ||
        m > 12 || d < 1 || d > 31 || y < 1985 || y > 2084 || hour > 23 || minute > 59 || second > 59)
        return kl_fail(w->err, KL_EUSAGE,
                       "EDF: found the start '%s', expected YYYY-MM-DD hh:mm:ss from 1985 to 2084",
                       e->start);
    const char *const equipment = e->equipment ? e->equipment : "X";
    if (strchr(equipment, ' '))
        return kl_fail(w->err, KL_EUSAGE, "EDF: found the equipment '%s', expected one word", equipment);
    snprintf(text, sizeof text, "Startdate %02u-%s-%04u X X %.80s", d, months[m - 1], y, equipment);
    int code = put(w, text, 80);
    snprintf(text, sizeof text, "%02u.%02u.%02u", d, m, y % 100);
    if (!code) code = put(w, text, 8);
    snprintf(text, sizeof text, "%02u.%02u.%02u", hour, minute, second);
    return code ? code : put(w, text, 8);
}

/* One field of every signal, then that of the annotations. */
static int put_texts(const struct writing *w, const char *(*of)(const struct kl_sequence_edf_signal *s),
                     const char *last, size_t size)
{
    int code = KL_OK;
    for (size_t i = 0; i < w->edf->n_signals && !code; i++)
        code = put(w, of ? of(&w->edf->signals[i]) : "", size);
    return code ? code : put(w, last, size);
}

static const char *label(const struct kl_sequence_edf_signal *s)
{
    return s->label;
}
static const char *unit(const struct kl_sequence_edf_signal *s)
{
    return s->unit;
}
static const char *digital_low(const struct kl_sequence_edf_signal *s)
{
    (void)s;
    return "-32768";
}
static const char *digital_high(const struct kl_sequence_edf_signal *s)
{
    (void)s;
    return "32767";
}

static int put_channels(const struct writing *w)
{
    const struct kl_sequence_edf *e = w->edf;
    char text[32];
    int code = put_texts(w, label, "EDF Annotations", 16);
    if (!code) code = put_texts(w, NULL, "", 80);
    if (!code) code = put_texts(w, unit, "", 8);
    for (int end = 0; end < 2; end++) {
        for (size_t i = 0; i < e->n_signals && !code; i++)
            code = put_number(w, end ? e->signals[i].physical_max : e->signals[i].physical_min,
                              &w->ends[2 * i + (size_t)end]);
        if (!code) code = put(w, end ? "1" : "-1", 8);
    }
    for (size_t i = 0; i < e->n_signals && !code; i++)
        if (w->ends[2 * i] == w->ends[2 * i + 1])
            code = kl_fail(w->err, KL_EUSAGE, "EDF: %s: physical minimum and maximum are both %g",
                           e->signals[i].label, w->ends[2 * i]);
    if (!code) code = put_texts(w, digital_low, "-32768", 8);
    if (!code) code = put_texts(w, digital_high, "32767", 8);
    if (!code) code = put_texts(w, NULL, "", 80);
    snprintf(text, sizeof text, "%zu", e->per_record);
    for (size_t i = 0; i < e->n_signals && !code; i++) code = put(w, text, 8);
    snprintf(text, sizeof text, "%zu", w->list);
    if (!code) code = put(w, text, 8);
    return code ? code : put_texts(w, NULL, "", 32);
}

static int put_header(const struct writing *w)
{
    const struct kl_sequence_edf *e = w->edf;
    char text[32];
    int code = put(w, "0", 8);
    if (!code) code = put(w, e->patient ? e->patient : "X X X X", 80);
    if (!code) code = put_start(w);
    snprintf(text, sizeof text, "%zu", 256 * (e->n_signals + 2));
    if (!code) code = put(w, text, 8);
    if (!code) code = put(w, "EDF+C", 44);
    snprintf(text, sizeof text, "%zu", e->n_records);
    if (!code) code = put(w, text, 8);
    if (!code) code = put_number(w, e->record_seconds, NULL);
    snprintf(text, sizeof text, "%zu", e->n_signals + 1);
    if (!code) code = put(w, text, 4);
    return code ? code : put_channels(w);
}

/* ---- annotations ---- */
/* "+0.5\24\24\0"; to NULL: only its bytes. */
static size_t time_list(char *to, const struct writing *w, size_t record)
{
    char onset[64];
    seconds_text(onset, (double)record * w->edf->record_seconds);
    const size_t n = strlen(onset) + 4;
    if (to) snprintf(to, n, "+%s\x14\x14", onset);
    return n;
}

static size_t one_list(char *to, const struct kl_sequence_annotation *a)
{
    char onset[64], duration[72] = "";
    seconds_text(onset, fabs(a->onset));
    if (a->duration > 0) duration[0] = '\x15', seconds_text(duration + 1, a->duration);
    const size_t n = 1 + strlen(onset) + strlen(duration) + 1 + strlen(a->text) + 2;
    if (to) snprintf(to, n, "%c%s%s\x14%s\x14", a->onset < 0 ? '-' : '+', onset, duration, a->text);
    return n;
}

/* Share the annotations out among records, and find the width of their channel. */
static int share_out(struct writing *w)
{
    const struct kl_sequence_edf *e = w->edf;
    size_t most = 0, next = 0;
    w->first = calloc(e->n_records + 1, sizeof *w->first);
    w->ends = calloc(2 * e->n_signals + 1, sizeof *w->ends);
    if (!w->first || !w->ends) return kl_fail_memory(w->err, e->n_records * sizeof *w->first);
    for (size_t i = 0; i < e->n_annotations; i++) {
        const struct kl_sequence_annotation *a = &e->annotations[i];
        if (!isfinite(a->onset) || !(a->duration >= 0) || (i && a->onset < a[-1].onset) ||
            a->text[strcspn(a->text, "\x14\x15")])
            return kl_fail(w->err, KL_EUSAGE,
                           "EDF: annotation %zu at %g s: expected rising onsets, durations from 0 on, "
                           "texts without control characters 20 and 21",
                           i + 1, a->onset);
    }
    for (size_t record = 0; record < e->n_records; record++) {
        const double ends = (double)(record + 1) * e->record_seconds;
        size_t bytes = time_list(NULL, w, record);
        w->first[record] = next;
        while (next < e->n_annotations &&
               (e->annotations[next].onset < ends || record + 1 == e->n_records))
            bytes += one_list(NULL, &e->annotations[next++]);
        if (bytes > most) most = bytes;
    }
    w->first[e->n_records] = next;
    w->list = (most + 1) / 2;
    return KL_OK;
}

/* ---- records ---- */
static int put_samples(struct writing *w, unsigned char *to, size_t signal, size_t record)
{
    const struct kl_sequence_edf *e = w->edf;
    const double *samples = e->signals[signal].samples + record * e->per_record,
                 low = w->ends[2 * signal], step = (w->ends[2 * signal + 1] - low) / (HIGH - LOW);
    for (size_t i = 0; i < e->per_record; i++) {
        double digital = rint((samples[i] - low) / step) + LOW;
        if (isnan(digital))
            return kl_fail(w->err, KL_EUSAGE, "EDF: %s: sample %zu is no number",
                           e->signals[signal].label, record * e->per_record + i);
        w->clipped += digital < LOW || digital > HIGH;
        digital = fmin(fmax(digital, LOW), HIGH);
        const uint16_t bits = (uint16_t)(int16_t)digital;
        to[2 * i] = (unsigned char)bits, to[2 * i + 1] = (unsigned char)(bits >> 8);
    }
    return KL_OK;
}

static int put_records(struct writing *w)
{
    const struct kl_sequence_edf *e = w->edf;
    const size_t samples = 2 * e->n_signals * e->per_record, size = samples + 2 * w->list;
    unsigned char *buffer = malloc(size + 1);
    int code = buffer ? KL_OK : kl_fail_memory(w->err, size);
    for (size_t record = 0; record < e->n_records && !code; record++) {
        for (size_t i = 0; i < e->n_signals && !code; i++)
            code = put_samples(w, buffer + 2 * i * e->per_record, i, record);
        if (code) break;
        char *list = (char *)buffer + samples;
        memset(list, 0, 2 * w->list);
        list += time_list(list, w, record);
        for (size_t i = w->first[record]; i < w->first[record + 1]; i++)
            list += one_list(list, &e->annotations[i]);
        code = w->write(w->context, buffer, size, w->err);
    }
    free(buffer);
    return code;
}

int kl_sequence_edf_write(size_t *n_clipped, const struct kl_sequence_edf *edf,
                          int (*write)(void *context, const void *data, size_t n, struct kl_error *err),
                          void *context, struct kl_error *err)
{
    struct writing w = { .edf = edf, .write = write, .context = context, .err = err };
    if (!edf->n_records || edf->n_signals > 9998 || !(edf->record_seconds > 0) ||
        (edf->n_signals && !edf->per_record))
        return kl_fail(err, KL_EUSAGE, "EDF: %zu signals, %zu records of %g s with %zu samples",
                       edf->n_signals, edf->n_records, edf->record_seconds, edf->per_record);
    int code = share_out(&w);
    if (!code) code = put_header(&w);
    if (!code) code = put_records(&w);
    if (n_clipped) *n_clipped = w.clipped;
    free(w.first), free(w.ends);
    return code;
}
