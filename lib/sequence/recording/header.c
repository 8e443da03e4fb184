/* SPDX-License-Identifier: MIT
   The header of EDF and BDF files, and its fields. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sequence/recording/recording_int.h"
#include "store/store.h"

/* ---- text ----
   Fields of a header: texts of unknown encoding, numbers that are nothing but numbers, units. */

/* Bytes of the UTF-8 character at s, of n left; 0: it is none. */
static size_t utf8_length(const unsigned char *s, size_t n)
{
    const unsigned char c = s[0];
    const size_t length = c < 0x80                ? 1
                          : c >= 0xc2 && c < 0xe0 ? 2
                          : c >= 0xe0 && c < 0xf0 ? 3
                          : c >= 0xf0 && c < 0xf5 ? 4
                                                  : 0;
    if (!length || length > n) return 0;
    for (size_t i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    if ((c == 0xe0 && s[1] < 0xa0) || (c == 0xed && s[1] >= 0xa0) || (c == 0xf0 && s[1] < 0x90) ||
        (c == 0xf4 && s[1] >= 0x90))
        return 0;
    return length;
}

static bool is_utf8(const unsigned char *s, size_t n)
{
    while (n) {
        const size_t length = utf8_length(s, n);
        if (!length) return false;
        s += length, n -= length;
    }
    return true;
}

bool kl_sequence_text(char *to, const void *from, size_t n)
{
    const unsigned char *s = from;
    char *const begin = to;
    while (n && (s[n - 1] == ' ' || s[n - 1] == '\0')) n--;
    while (n && *s == ' ') s++, n--;
    const bool latin1 = !is_utf8(s, n);
    for (size_t i = 0; i < n; i++) {
        if (latin1 && s[i] >= 0x80)
            *to++ = (char)(0xc0 | s[i] >> 6), *to++ = (char)(0x80 | (s[i] & 0x3f));
        else *to++ = s[i] ? (char)s[i] : '?';
    }
    *to = '\0';
    kl_make_printable(begin);
    return latin1;
}

bool kl_sequence_number(double *value, const char *text)
{
    char *end;
    if (!*text || text[strspn(text, "+-.0123456789eE")]) return false;
    *value = strtod(text, &end);
    return end != text && !*end && isfinite(*value);
}

bool kl_sequence_whole(int64_t *value, const char *text)
{
    char *end;
    const char *digits = text + (*text == '+' || *text == '-');
    if (!*digits || digits[strspn(digits, "0123456789")] || strlen(digits) > 17) return false;
    *value = strtoll(text, &end, 10);
    return true;
}

double kl_sequence_unit_volts(const char *unit)
{
    /* Both signs for micro, of Latin-1 and of Greek, in UTF-8. */
    static const struct {
        const char *unit;
        double volts;
    } units[] = {
        { "V", 1 },         { "mV", 1e-3 }, { "uV", 1e-6 }, { "\xc2\xb5V", 1e-6 }, { "\xce\xbcV", 1e-6 },
        { "microV", 1e-6 }, { "nV", 1e-9 }
    };
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(unit, units[i].unit) == 0) return units[i].volts;
    /* Some software knows no small letters, or no capitals; MV, a megavolt, is none of them. */
    if (strcmp(unit, "UV") == 0 || strcmp(unit, "uv") == 0) return 1e-6;
    return strcmp(unit, "mv") == 0 ? 1e-3 : 0;
}

/* ---- header ----
   The header of EDF and BDF files: 256 bytes, then 256 of each channel, field by field. What is no
   number where one must stand, or says what the file does not hold, is refused. */

/* Fields of a channel, whose values for all channels stand one after another. */
enum field {
    LABEL,
    TRANSDUCER,
    UNIT,
    PHYSICAL_MIN,
    PHYSICAL_MAX,
    DIGITAL_MIN,
    DIGITAL_MAX,
    FILTER,
    PER_RECORD
};
static const struct {
    size_t at, size; /* begin times the number of channels, bytes */
    const char *what;
} fields[] = {
    [LABEL] = { 0, 16, "label" },
    [TRANSDUCER] = { 16, 80, "transducer" },
    [UNIT] = { 96, 8, "unit" },
    [PHYSICAL_MIN] = { 104, 8, "physical minimum" },
    [PHYSICAL_MAX] = { 112, 8, "physical maximum" },
    [DIGITAL_MIN] = { 120, 8, "digital minimum" },
    [DIGITAL_MAX] = { 128, 8, "digital maximum" },
    [FILTER] = { 136, 80, "prefilter" },
    [PER_RECORD] = { 216, 8, "samples a record" },
};

struct header {
    struct kl_sequence_recording *r;
    struct kl_error *err;
    const char *main;     /* 256 bytes */
    const char *channels; /* 256 of each */
    size_t n;
};

static int main_whole(int64_t *value, const struct header *h, size_t at, size_t size, const char *what)
{
    char text[33];
    kl_sequence_text(text, h->main + at, size);
    if (kl_sequence_whole(value, text)) return KL_OK;
    return kl_fail(h->err, KL_EDATA, "%s: %s: found '%s', expected a whole number", h->r->path, what,
                   text);
}

static const char *channel_text(char text[200], const struct header *h, size_t channel, enum field f)
{
    kl_sequence_text(text, h->channels + fields[f].at * h->n + channel * fields[f].size, fields[f].size);
    return text;
}

/* A wrong number of one channel is a fault of that channel alone. */
static int channel_number(double *value, const struct header *h, size_t channel, enum field f,
                          struct kl_sequence_signal *s)
{
    char text[200];
    if (kl_sequence_number(value, channel_text(text, h, channel, f))) return KL_OK;
    *value = 0;
    return kl_sequence_fault(s, h->err, "%s: found '%s', expected a number%s", fields[f].what, text,
                             strchr(text, ',') ? " with a decimal point" : "");
}

/* ---- the first 256 bytes ---- */
/* Advise on a file of a format that is known, and not read. */
static const char *other_format(const char *begin, const char *path)
{
    static const char marker[] = "Brain Vision Data Exchange Marker", *const of_others[] = { ".fif",
                                                                                             ".set",
                                                                                             ".cnt" };
    const char *suffix = strrchr(path, '.');
    if (memcmp(begin, "GDF", 3) == 0) return "; convert it from GDF";
    for (size_t i = 0; suffix && i < sizeof of_others / sizeof *of_others; i++)
        if (strcasecmp(suffix, of_others[i]) == 0)
            return "; MNE-Python reads it and writes EDF: mne.export.export_raw('F.edf', raw)";
    if (suffix && strcasecmp(suffix, ".eeg") == 0)
        return "; are these samples of BrainVision? Give the .vhdr beside them";
    return memcmp(begin, marker, sizeof marker - 1) == 0
               ? "; these are markers of BrainVision: give the .vhdr beside them"
           : suffix && strcasecmp(suffix, ".json") == 0 ? "; give the recording that it describes"
                                                        : "";
}

static int read_format(const struct header *h)
{
    char word[64];
    struct kl_sequence_recording *r = h->r;
    const bool bdf = memcmp(h->main,
                            "\xff"
                            "BIOSEMI",
                            8) == 0;
    int code = kl_no_stand_in(h->main, 256, r->path, h->err);
    if (code) return code;
    if (!bdf && memcmp(h->main, "0       ", 8) != 0) {
        kl_sequence_text(word, h->main, 8);
        return kl_fail(h->err, KL_EDATA,
                       "%s: no recording in EDF or BDF, by its first eight characters, '%s'%s", r->path,
                       word, other_format(h->main, r->path));
    }
    kl_sequence_text(word, h->main + 192, 5);
    const bool plus = strncmp(word, bdf ? "BDF+" : "EDF+", 4) == 0;
    if (plus && word[4] != 'C' && word[4] != 'D')
        return kl_fail(h->err, KL_EDATA, "%s: found the format '%s', expected %.4sC or %.4sD", r->path,
                       word, word, word);
    r->format = bdf    ? (plus ? KL_SEQUENCE_BDF_PLUS : KL_SEQUENCE_BDF)
                : plus ? KL_SEQUENCE_EDF_PLUS
                       : KL_SEQUENCE_EDF;
    r->discontinuous = plus && word[4] == 'D';
    r->file->width = bdf ? 3 : 2, r->file->sample = bdf ? KL_SEQUENCE_INT24 : KL_SEQUENCE_INT16;
    return KL_OK;
}

/* Day of "dd.mm.yy" and "hh.mm.ss"; EDF+ has the year's century in "Startdate dd-MMM-yyyy". */
static int read_start(const struct header *h)
{
    static const char months[] = "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC ";
    char date[20], time[20], recording[170], month[4] = "", *to = h->r->start;
    int d, m, y, hour, minute, second, d4, y4, used = 0;
    kl_sequence_text(date, h->main + 168, 8), kl_sequence_text(time, h->main + 176, 8);
    kl_sequence_text(recording, h->main + 88, 80);
    if (sscanf(date, "%2d.%2d.%2d%n", &d, &m, &y, &used) != 3 || date[used] ||
        sscanf(time, "%2d.%2d.%2d", &hour, &minute, &second) != 3 || d < 1 || d > 31 || m < 1 ||
        m > 12 || y < 0 || hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 ||
        second > 59)
        return kl_sequence_remark(h->r, h->err,
                                  "start: found '%s', '%s', expected dd.mm.yy and hh.mm.ss: not known",
                                  date, time);
    y += y < 85 ? 2000 : 1900;
    if (strncmp(recording, "Startdate X", 11) == 0 && strcmp(date, "01.01.85") == 0) return KL_OK;
    if (sscanf(recording, "Startdate %2d-%3[A-Z]-%4d", &d4, month, &y4) == 3) {
        const char *found = strlen(month) == 3 ? strstr(months, month) : NULL;
        if (found && d4 >= 1 && d4 <= 31 && y4 >= 1000)
            d = d4, m = (int)(found - months) / 4 + 1, y = y4;
    }
    snprintf(to, sizeof h->r->start, "%04u-%02u-%02u %02u:%02u:%02u", (unsigned)y % 10000,
             (unsigned)m % 100, (unsigned)d % 100, (unsigned)hour % 100, (unsigned)minute % 100,
             (unsigned)second % 100);
    return KL_OK;
}

/* Number of channels, bytes of the header, seconds of a record. *records: -1, not known. */
static int read_main(struct header *h, int64_t *records)
{
    struct kl_sequence_recording *r = h->r;
    int64_t n = 0, bytes = 0;
    char text[20];
    int code = read_format(h);
    if (!code) code = read_start(h);
    if (!code) code = main_whole(&n, h, 252, 4, "number of channels");
    if (!code) code = main_whole(&bytes, h, 184, 8, "bytes of the header");
    if (!code) code = main_whole(records, h, 236, 8, "number of records");
    if (code) return code;
    if (n < 1)
        return kl_fail(h->err, KL_EDATA, "%s: %lld channels, expected 1 or more", r->path, (long long)n);
    if (bytes != 256 * (n + 1))
        return kl_fail(h->err, KL_EDATA, "%s: the header of %lld channels has %lld bytes, but says %lld",
                       r->path, (long long)n, 256LL * (n + 1), (long long)bytes);
    if (*records < -1)
        return kl_fail(h->err, KL_EDATA, "%s: %lld records", r->path, (long long)*records);
    kl_sequence_text(text, h->main + 244, 8);
    if (!kl_sequence_number(&r->record_seconds, text) || r->record_seconds < 0 ||
        r->record_seconds > 1e9)
        return kl_fail(h->err, KL_EDATA, "%s: seconds of a record: found '%s', expected a number%s",
                       r->path, text, strchr(text, ',') ? " with a decimal point" : "");
    h->n = (size_t)n;
    r->file->header_bytes = (size_t)bytes;
    return KL_OK;
}

/* ---- channels ---- */
/* Compute gain and base from the ends of a signal, or note its fault. */
static int check_ends(struct kl_sequence_channel *c, const struct header *h,
                      struct kl_sequence_signal *s)
{
    const double most = h->r->file->width == 3 ? 8388608 : 32768;
    if (s->physical_min == s->physical_max)
        return kl_sequence_fault(s, h->err,
                                 "physical minimum and maximum are both %g: its samples have no values",
                                 s->physical_min);
    if (!(s->digital_min < s->digital_max))
        return kl_sequence_fault(s, h->err,
                                 "digital minimum %g, maximum %g: expected a smaller one first",
                                 s->digital_min, s->digital_max);
    if (s->digital_min < -most || s->digital_max > most - 1)
        return kl_sequence_fault(s, h->err, "digital ends %g and %g, but samples have %zu bits",
                                 s->digital_min, s->digital_max, 8 * h->r->file->width);
    c->gain = (s->physical_max - s->physical_min) / (s->digital_max - s->digital_min);
    c->base = s->physical_min - c->gain * s->digital_min;
    /* Whatever the samples and the unit, up to teravolts told in microvolts, they stay finite. */
    if (!(fabs(c->base) + fabs(c->gain) * most < 1e280) || c->gain == 0)
        return kl_sequence_fault(s, h->err, "physical ends %g and %g are no range of numbers",
                                 s->physical_min, s->physical_max);
    return KL_OK;
}

static int read_ends(struct kl_sequence_channel *c, const struct header *h, size_t channel)
{
    struct kl_sequence_recording *r = h->r;
    struct kl_sequence_signal *s = &r->signals[c->signal];
    int code = channel_number(&s->physical_min, h, channel, PHYSICAL_MIN, s);
    if (!code) code = channel_number(&s->physical_max, h, channel, PHYSICAL_MAX, s);
    if (!code) code = channel_number(&s->digital_min, h, channel, DIGITAL_MIN, s);
    if (!code) code = channel_number(&s->digital_max, h, channel, DIGITAL_MAX, s);
    if (!code && !s->fault) code = check_ends(c, h, s);
    s->inverted = !s->fault && s->physical_min > s->physical_max;
    if (code || !s->inverted) return code;
    return kl_sequence_remark(
        r, h->err,
        "%s: physical minimum %g above maximum %g: its values are turned over, as the standard says",
        s->label, s->physical_min, s->physical_max);
}

static int read_signal(struct kl_sequence_channel *c, const struct header *h, size_t channel,
                       bool latin1)
{
    struct kl_sequence_recording *r = h->r;
    struct kl_sequence_signal *s = &r->signals[c->signal];
    char text[200];
    snprintf(s->label, sizeof s->label, "%s", c->label);
    snprintf(s->unit, sizeof s->unit, "%.17s", channel_text(text, h, channel, UNIT));
    kl_sequence_electrode_name(s->name, s->label);
    s->to_volts = kl_sequence_unit_volts(s->unit);
    s->type = kl_sequence_type_of(s->label, channel_text(text, h, channel, TRANSDUCER), s->unit);
    s->per_record = c->per_record;
    int code = s->per_record ? KL_OK : kl_sequence_fault(s, h->err, "0 samples a record");
    if (!code) code = read_ends(c, h, channel);
    if (code) return code;
    s->rate = (double)s->per_record / r->record_seconds;
    if (!(r->record_seconds > 0) || !isfinite(s->rate)) {
        s->rate = 0;
        code = kl_sequence_fault(s, h->err, "records of %g seconds with %zu samples: no rate",
                                 r->record_seconds, s->per_record);
    }
    if (!code && latin1)
        code =
            kl_sequence_remark(r, h->err, "%s: its label is no UTF-8 and taken for Latin-1", s->label);
    return code;
}

static int read_channel(const struct header *h, size_t channel, bool *annotations)
{
    struct kl_sequence_recording *r = h->r;
    struct kl_sequence_recording_file *f = r->file;
    struct kl_sequence_channel *c = &f->channels[channel];
    char text[200];
    int64_t per_record = 0;
    const bool latin1 = kl_sequence_text(c->label, h->channels + 16 * channel, 16);
    if (!kl_sequence_whole(&per_record, channel_text(text, h, channel, PER_RECORD)) || per_record < 0)
        return kl_fail(
            h->err, KL_EDATA,
            "%s: samples a record of channel %zu (%s): found '%s', expected a whole number from 0 on",
            r->path, channel + 1, c->label, text);
    c->per_record = (size_t)per_record;
    c->offset = f->record_bytes;
    f->record_bytes += c->per_record * f->width;
    c->signal = -1;
    if (strcmp(c->label, f->width == 3 ? "BDF Annotations" : "EDF Annotations") == 0) {
        *annotations = true;
        return KL_OK;
    }
    c->signal = (long)r->n_signals;
    f->of_signal[r->n_signals++] = c;
    return read_signal(c, h, channel, latin1);
}

/* Compare the format's word on annotation channels with what is there. */
static int judge_annotations(const struct header *h, bool annotations)
{
    struct kl_sequence_recording *r = h->r;
    const bool plus = r->format == KL_SEQUENCE_EDF_PLUS || r->format == KL_SEQUENCE_BDF_PLUS;
    if (plus == annotations) return KL_OK;
    if (r->discontinuous)
        return kl_fail(h->err, KL_EDATA,
                       "%s: %s without a channel of annotations: where its records begin is not known",
                       r->path, kl_sequence_recording_format(r));
    if (plus)
        return kl_sequence_remark(r, h->err, "%s without a channel of annotations",
                                  kl_sequence_recording_format(r));
    r->format = r->file->width == 3 ? KL_SEQUENCE_BDF_PLUS : KL_SEQUENCE_EDF_PLUS;
    return kl_sequence_remark(r, h->err,
                              "the header does not say %cDF+, yet there are annotations: read as %s",
                              r->file->width == 3 ? 'B' : 'E', kl_sequence_recording_format(r));
}

/* The records that the header says, against the bytes that are there. */
static int judge_length(const struct header *h, int64_t records)
{
    struct kl_sequence_recording *r = h->r;
    const uint64_t bytes = r->bytes - r->file->header_bytes, whole = bytes / r->file->record_bytes,
                   rest = bytes % r->file->record_bytes;
    if (records >= 0 && whole < (uint64_t)records)
        return kl_fail(
            h->err, KL_EDATA,
            "%s: the file ends in record %llu of %lld, after %llu of %llu bytes; fetch it again",
            r->path, (unsigned long long)whole + 1, (long long)records, (unsigned long long)r->bytes,
            (unsigned long long)(r->file->header_bytes + (uint64_t)records * r->file->record_bytes));
    if (records >= 0 && whole > (uint64_t)records)
        return kl_fail(h->err, KL_EDATA,
                       "%s: the header says %lld records of %zu bytes, the file holds %llu", r->path,
                       (long long)records, r->file->record_bytes, (unsigned long long)whole);
    r->n_records = (size_t)whole;
    int code = KL_OK;
    if (records < 0)
        code = kl_sequence_remark(
            r, h->err, "the header says -1 records: %zu are there by the file's length", r->n_records);
    if (!code && rest)
        code = kl_sequence_remark(r, h->err, "%llu bytes behind the last record are not read",
                                  (unsigned long long)rest);
    return code;
}

static int read_channels(const struct header *h, int64_t records)
{
    struct kl_sequence_recording *r = h->r;
    struct kl_sequence_recording_file *f = r->file;
    bool annotations = false;
    f->channels = calloc(h->n, sizeof *f->channels);
    f->of_signal = calloc(h->n, sizeof *f->of_signal);
    r->signals = calloc(h->n, sizeof *r->signals);
    if (!f->channels || !f->of_signal || !r->signals)
        return kl_fail_memory(h->err, h->n * sizeof *r->signals);
    f->n_channels = h->n;
    int code = KL_OK;
    for (size_t i = 0; i < h->n && !code; i++) code = read_channel(h, i, &annotations);
    if (!code && !f->record_bytes)
        code = kl_fail(h->err, KL_EDATA, "%s: no channel has a sample in a record", r->path);
    if (!code) code = judge_annotations(h, annotations);
    return code ? code : judge_length(h, records);
}

int kl_sequence_header_read(struct kl_sequence_recording *r, struct kl_error *err)
{
    char first[256], *channels = NULL;
    struct header h = { .r = r, .err = err, .main = first };
    int64_t records = 0;
    if (r->bytes < sizeof first) {
        char begin[256] = { 0 };
        int code = kl_store_pread_all(r->file->fd, begin, r->bytes, 0, r->path, err);
        if (!code) code = kl_no_stand_in(begin, r->bytes, r->path, err);
        return code ? code
                    : kl_fail(err, KL_EDATA,
                              "%s: no EDF or BDF file: %llu bytes, its header alone has 256%s", r->path,
                              (unsigned long long)r->bytes, other_format(begin, r->path));
    }
    int code = kl_store_pread_all(r->file->fd, first, sizeof first, 0, r->path, err);
    if (!code) code = read_main(&h, &records);
    if (code) return code;
    if (r->bytes < r->file->header_bytes)
        return kl_fail(err, KL_EDATA,
                       "%s: the file ends in its header, after %llu of %zu bytes; fetch it again",
                       r->path, (unsigned long long)r->bytes, r->file->header_bytes);
    if (!(channels = malloc(256 * h.n))) return kl_fail_memory(err, 256 * h.n);
    h.channels = channels;
    code = kl_store_pread_all(r->file->fd, channels, 256 * h.n, 256, r->path, err);
    if (!code) code = read_channels(&h, records);
    free(channels);
    return code;
}
