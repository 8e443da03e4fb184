/* SPDX-License-Identifier: MIT
   A recording: opened, its signals named, its samples read, closed. */
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sequence/recording/recording_int.h"
#include "store/store.h"

/* ---- a recording: opened, its signals named, closed; what was odd in it, line by line ---- */

enum { MOST_REMARKS = 64 };

int kl_sequence_remark(struct kl_sequence_recording *r, struct kl_error *err, const char *format, ...)
{
    va_list list;
    char *text = NULL;
    if (r->n_remarks >= MOST_REMARKS) {
        r->file->n_refused_remarks++;
        return KL_OK;
    }
    if (!r->remarks) r->remarks = calloc(MOST_REMARKS + 1, sizeof *r->remarks);
    if (!r->remarks) return kl_fail_memory(err, MOST_REMARKS * sizeof *r->remarks);
    va_start(list, format);
    const int n = vasprintf(&text, format, list);
    va_end(list);
    if (n < 0) return kl_fail_memory(err, 256);
    r->remarks[r->n_remarks++] = text;
    return KL_OK;
}

int kl_sequence_fault(struct kl_sequence_signal *s, struct kl_error *err, const char *format, ...)
{
    va_list list;
    if (s->fault) return KL_OK;
    va_start(list, format);
    if (vasprintf(&s->fault, format, list) < 0) s->fault = NULL;
    va_end(list);
    return s->fault ? KL_OK : kl_fail_memory(err, 256);
}

const char *kl_sequence_recording_format(const struct kl_sequence_recording *r)
{
    static const char *const names[] = { "EDF", "EDF+C", "BDF", "BDF+C", "BrainVision" };
    const bool apart = r->discontinuous && r->format != KL_SEQUENCE_BRAINVISION;
    return apart ? (r->format == KL_SEQUENCE_BDF_PLUS ? "BDF+D" : "EDF+D") : names[r->format];
}

const char *kl_sequence_type_name(enum kl_sequence_type type)
{
    static const char *const names[] = { "EEG", "EOG", "ECG", "EMG", "stimulus", "other" };
    return names[type];
}

/* ---- names ---- */
static int compare_names(const void *a, const void *b)
{
    const struct kl_sequence_signal *const *x = a, *const *y = b;
    const int c = strcmp((*x)->name, (*y)->name);
    return c ? c : (*x < *y ? -1 : *x > *y);
}

static bool is_taken(const struct kl_sequence_recording *r, const char *name)
{
    for (size_t i = 0; i < r->n_signals; i++)
        if (strcmp(r->signals[i].name, name) == 0) return true;
    return false;
}

/* The second signal of a name gets #2, the third #3... */
static int tell_apart(struct kl_sequence_recording *r, struct kl_error *err)
{
    struct kl_sequence_signal **order = calloc(r->n_signals + 1, sizeof(void *));
    int code = order ? KL_OK : kl_fail_memory(err, r->n_signals * sizeof *order);
    for (size_t i = 0; i < r->n_signals && !code; i++) order[i] = &r->signals[i];
    if (!code) qsort(order, r->n_signals, sizeof *order, compare_names);
    for (size_t i = 0, n; i < r->n_signals && !code; i += n) {
        char name[48], next[64];
        unsigned number = 2;
        memcpy(name, order[i]->name, sizeof name);
        for (n = 1; i + n < r->n_signals && strcmp(order[i + n]->name, name) == 0;) n++;
        for (size_t k = 1; k < n; k++) {
            do snprintf(next, sizeof next, "%.36s#%u", name, number++);
            while (is_taken(r, next));
            memcpy(order[i + k]->name, next, sizeof order[i + k]->name);
        }
        if (n > 1)
            code = kl_sequence_remark(r, err, "%zu signals are called %s: the others are %s#2 and on", n,
                                      name, name);
    }
    free(order);
    return code;
}

/* ---- remarks ---- */
/* EEG that is not in volts, of a few by name. Of other types nothing else is expected. */
static int remark_units(struct kl_sequence_recording *r, struct kl_error *err)
{
    char list[400] = "";
    size_t n = 0, at = 0;
    for (size_t i = 0; i < r->n_signals; i++) {
        const struct kl_sequence_signal *s = &r->signals[i];
        if (s->to_volts > 0 || s->type != KL_SEQUENCE_EEG || s->fault) continue;
        if (n++ < 4)
            at += (size_t)snprintf(list + at, sizeof list - at, "%s%s '%s'", at ? ", " : "", s->name,
                                   s->unit);
    }
    return n ? kl_sequence_remark(r, err, "%zu signal%s in no known unit of voltage: %s%s", n, kl_s(n),
                                  list, n > 4 ? ", ..." : "")
             : KL_OK;
}

/* Signals without values, those of one fault together. */
static int remark_faults(struct kl_sequence_recording *r, struct kl_error *err)
{
    int code = KL_OK;
    for (size_t i = 0; i < r->n_signals && !code; i++) {
        char list[300] = "";
        size_t n = 0, at = 0, before = 0;
        for (size_t k = 0; k < r->n_signals && r->signals[i].fault; k++) {
            const struct kl_sequence_signal *s = &r->signals[k];
            if (!s->fault || strcmp(s->fault, r->signals[i].fault)) continue;
            before += k < i;
            if (n++ < 4)
                at += (size_t)snprintf(list + at, sizeof list - at, "%s%s", at ? ", " : "", s->name);
        }
        if (n && !before)
            code = kl_sequence_remark(r, err, "%zu signal%s cannot be read, %s%s: %s", n, kl_s(n), list,
                                      n > 4 ? ", ..." : "", r->signals[i].fault);
    }
    return code;
}

static int remark_rest(struct kl_sequence_recording *r, struct kl_error *err)
{
    char *text = NULL;
    int code = remark_faults(r, err);
    if (!code) code = remark_units(r, err);
    if (code || !r->file->n_refused_remarks) return code;
    if (asprintf(&text, "%zu more remarks", r->file->n_refused_remarks) < 0)
        return kl_fail_memory(err, 64);
    free(r->remarks[MOST_REMARKS]);
    r->remarks[MOST_REMARKS] = text, r->n_remarks = MOST_REMARKS + 1;
    return KL_OK;
}

/* ---- opened and closed ---- */
int kl_sequence_open(int *fd, uint64_t *bytes, const char *path, struct kl_error *err)
{
    struct stat s;
    *fd = open(path, O_RDONLY | O_CLOEXEC);
    if (*fd < 0) return kl_fail_errno(err, KL_ENOINPUT, "%s", path);
    if (fstat(*fd, &s)) return kl_fail_errno(err, KL_EIO, "%s", path);
    *bytes = (uint64_t)s.st_size;
    return kl_regular(&s, path, err);
}

/* Events that the file itself holds. */
static int read_own_events(struct kl_sequence_recording *r, struct kl_error *err)
{
    struct kl_sequence_events e = { 0 };
    double zero = 0;
    const bool vision = r->format == KL_SEQUENCE_BRAINVISION;
    int code =
        vision ? kl_sequence_markers_read(r, &e, err) : kl_sequence_annotations_read(r, &e, &zero, err);
    if (!code && !vision) code = kl_sequence_status_read(r, &e, zero, err);
    if (!code) code = kl_sequence_events_keep(r, &e, zero, err);
    kl_sequence_events_free(&e);
    return code;
}

int kl_sequence_recording_open(struct kl_sequence_recording *r, const char *path, struct kl_error *err)
{
    *r = (struct kl_sequence_recording){ .path = path, .file = calloc(1, sizeof *r->file) };
    if (!r->file) return kl_fail_memory(err, sizeof *r->file);
    bool vision = false;
    int code = kl_sequence_open(&r->file->fd, &r->bytes, path, err);
    if (!code) code = kl_sequence_is_vision(&vision, r, err);
    if (!code) code = vision ? kl_sequence_vision_read(r, err) : kl_sequence_header_read(r, err);
    if (!code) code = tell_apart(r, err);
    if (!code) code = read_own_events(r, err);
    if (!code) code = kl_sequence_beside_read(r, err);
    return code ? code : remark_rest(r, err);
}

void kl_sequence_recording_close(struct kl_sequence_recording *r)
{
    for (size_t i = 0; i < r->n_remarks; i++) free(r->remarks[i]);
    for (size_t i = 0; i < r->n_signals && r->signals; i++) free(r->signals[i].fault);
    for (size_t i = 0; i < KL_SEQUENCE_BESIDE; i++) free(r->beside[i]);
    if (r->file) {
        if (r->file->fd >= 0) close(r->file->fd);
        free(r->file->channels), free(r->file->of_signal), free(r->file->texts);
    }
    free(r->remarks), free(r->signals), free(r->annotations), free(r->gaps), free(r->stretches),
        free(r->file);
    *r = (struct kl_sequence_recording){ 0 };
}

long kl_sequence_recording_find(const struct kl_sequence_recording *r, const char *name)
{
    for (size_t i = 0; i < r->n_signals; i++)
        if (strcmp(r->signals[i].name, name) == 0) return (long)i;
    for (size_t i = 0; i < r->n_signals; i++)
        if (strcmp(r->signals[i].label, name) == 0) return (long)i;
    return -1;
}

const char *kl_sequence_recording_trigger(const struct kl_sequence_recording *r)
{
    for (size_t i = 0; i < r->n_signals && !r->n_annotations; i++)
        if (r->signals[i].type == KL_SEQUENCE_STIMULUS) return r->signals[i].name;
    return NULL;
}

/* ---- samples ----
   Samples of a recording: of one signal, or of several in one pass over the records that hold them. */

/* Bytes that are read at once: records together, or a long one in parts. */
enum { BLOCK = 1 << 18 };

static void convert16(double *restrict out, const unsigned char *restrict bytes, size_t n, double base,
                      double gain, double scale)
{
    for (size_t i = 0; i < n; i++) {
        int16_t digital;
        memcpy(&digital, bytes + 2 * i, 2); /* little-endian, as this processor */
        out[i] = (base + gain * digital) * scale;
    }
}

static void convert24(double *restrict out, const unsigned char *restrict bytes, size_t n, double base,
                      double gain, double scale)
{
    for (size_t i = 0; i < n; i++, bytes += 3) {
        const int32_t digital =
            (int32_t)((uint32_t)bytes[0] << 8 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 24) >>
            8;
        out[i] = (base + gain * digital) * scale;
    }
}

static double value32(const unsigned char *bytes, bool is_float, bool swapped)
{
    uint32_t word;
    float number;
    memcpy(&word, bytes, 4);
    if (swapped) word = __builtin_bswap32(word);
    memcpy(&number, &word, 4);
    return is_float ? (double)number : (double)(int32_t)word;
}

/* Samples `step` bytes apart, of any form. */
static void convert(double *restrict out, const unsigned char *bytes, size_t n, size_t step,
                    const struct kl_sequence_recording_file *f, double base, double gain, double scale)
{
    for (size_t i = 0; i < n; i++, bytes += step) {
        double digital;
        if (f->width == 2) {
            uint16_t word;
            memcpy(&word, bytes, 2);
            digital = (int16_t)(f->swapped ? __builtin_bswap16(word) : word);
        } else {
            digital = value32(bytes, f->sample == KL_SEQUENCE_FLOAT32, f->swapped);
        }
        out[i] = (base + gain * digital) * scale;
    }
}

struct take {
    const struct kl_sequence_recording *r;
    const size_t *signals;
    const double *scale;
    size_t count, first, n, stride;
    double *out;
    unsigned char *buffer;
};

/* Of the file that holds the samples. */
static const char *path_of(const struct kl_sequence_recording *r)
{
    return r->beside[KL_SEQUENCE_DATA] ? r->beside[KL_SEQUENCE_DATA] : r->path;
}

/* n samples from number `at` on, of the i-th chosen signal, which stand `step` bytes apart. */
static void put(const struct take *t, size_t i, size_t at, size_t n, const unsigned char *bytes,
                size_t step)
{
    const struct kl_sequence_recording_file *f = t->r->file;
    const struct kl_sequence_channel *c = f->of_signal[t->signals[i]];
    double *out = t->out + i * t->stride + (at - t->first);
    const double scale = t->scale ? t->scale[i] : 1;
    if (f->sample == KL_SEQUENCE_INT24) convert24(out, bytes, n, c->base, c->gain, scale);
    else if (f->sample == KL_SEQUENCE_INT16 && step == 2 && !f->swapped)
        convert16(out, bytes, n, c->base, c->gain, scale);
    else convert(out, bytes, n, step, f, c->base, c->gain, scale);
}

/* Samples of a record that are asked for. */
static void range(size_t *from, size_t *to, const struct take *t, size_t record, size_t per_record)
{
    const size_t begin = record * per_record;
    *from = t->first > begin ? t->first - begin : 0;
    *to = t->first + t->n - begin < per_record ? t->first + t->n - begin : per_record;
}

/* Whole records, as many as a block holds. */
static int take_records(const struct take *t, size_t record, size_t n, struct kl_error *err)
{
    const struct kl_sequence_recording_file *f = t->r->file;
    const int code =
        kl_store_pread_all(f->fd, t->buffer, n * f->record_bytes,
                           f->header_bytes + (uint64_t)record * f->record_bytes, path_of(t->r), err);
    if (!code && t->r->format == KL_SEQUENCE_BRAINVISION) {
        for (size_t i = 0; i < t->count; i++)
            put(t, i, record, n, t->buffer + f->of_signal[t->signals[i]]->offset, f->record_bytes);
        return KL_OK;
    }
    for (size_t k = 0; k < n && !code; k++)
        for (size_t i = 0; i < t->count; i++) {
            const struct kl_sequence_channel *c = f->of_signal[t->signals[i]];
            size_t from, to;
            range(&from, &to, t, record + k, c->per_record);
            put(t, i, (record + k) * c->per_record + from, to - from,
                t->buffer + k * f->record_bytes + c->offset + from * f->width, f->width);
        }
    return code;
}

/* One signal of one record, in parts that a block holds. */
static int take_parts(const struct take *t, size_t i, size_t record, struct kl_error *err)
{
    const struct kl_sequence_recording_file *f = t->r->file;
    const struct kl_sequence_channel *c = f->of_signal[t->signals[i]];
    size_t from, to;
    int code = KL_OK;
    range(&from, &to, t, record, c->per_record);
    while (from < to && !code) {
        const size_t most = BLOCK / f->width, n = to - from < most ? to - from : most;
        code = kl_store_pread_all(f->fd, t->buffer, n * f->width,
                                  f->header_bytes + (uint64_t)record * f->record_bytes + c->offset +
                                      from * f->width,
                                  path_of(t->r), err);
        if (!code) put(t, i, record * c->per_record + from, n, t->buffer, f->width);
        from += n;
    }
    return code;
}

/* Of channels that stand one behind the other through the file. */
static int take_vectors(const struct take *t, struct kl_error *err)
{
    const struct kl_sequence_recording_file *f = t->r->file;
    const size_t most = BLOCK / f->width;
    int code = KL_OK;
    for (size_t i = 0; i < t->count; i++)
        for (size_t at = t->first, n; at < t->first + t->n && !code; at += n) {
            n = t->first + t->n - at < most ? t->first + t->n - at : most;
            code = kl_store_pread_all(f->fd, t->buffer, n * f->width,
                                      f->header_bytes + f->of_signal[t->signals[i]]->offset +
                                          (uint64_t)at * f->width,
                                      path_of(t->r), err);
            if (!code) put(t, i, at, n, t->buffer, f->width);
        }
    return code;
}

static int take_all(const struct take *t, size_t per_record, struct kl_error *err)
{
    const size_t bytes = t->r->file->record_bytes, many = BLOCK / bytes,
                 end = (t->first + t->n + per_record - 1) / per_record;
    int code = KL_OK;
    /* A few signals of wide records are not worth the bytes between them. */
    const bool whole =
        many > 0 && (per_record == 1 || 16 * t->count * per_record * t->r->file->width >= bytes);
    for (size_t record = t->first / per_record; record < end && !code;) {
        const size_t n = !whole ? 1 : end - record < many ? end - record : many;
        if (whole) code = take_records(t, record, n, err);
        for (size_t i = 0; i < t->count && !whole && !code; i++) code = take_parts(t, i, record, err);
        record += n;
    }
    return code;
}

/* Floats can be no numbers. */
static int check_finite(const struct take *t, struct kl_error *err)
{
    for (size_t i = 0; i < t->count; i++)
        for (size_t k = 0; k < t->n; k++)
            if (!isfinite(t->out[i * t->stride + k]))
                return kl_fail(err, KL_EDATA, "%s: sample %zu of %s is no finite number", path_of(t->r),
                               t->first + k, t->r->signals[t->signals[i]].name);
    return KL_OK;
}

int kl_sequence_recording_read_many(double *out, const struct kl_sequence_recording *r,
                                    const size_t *signals, size_t count, const double *scale,
                                    size_t first, size_t n, size_t stride, struct kl_error *err)
{
    struct take t = { .r = r,
                      .signals = signals,
                      .scale = scale,
                      .count = count,
                      .first = first,
                      .n = n,
                      .stride = stride,
                      .out = out };
    if (!count) return KL_OK;
    const size_t per_record = r->signals[signals[0]].per_record, all = per_record * r->n_records;
    for (size_t i = 0; i < count; i++) {
        const struct kl_sequence_signal *a = &r->signals[signals[0]], *b = &r->signals[signals[i]];
        if (b->fault) return kl_fail(err, KL_EDATA, "%s: channel %s: %s", r->path, b->name, b->fault);
        if (b->per_record != per_record)
            return kl_fail(err, KL_EUSAGE, "%s: %s has %g Hz, %s %g Hz: expected one rate", r->path,
                           a->name, a->rate, b->name, b->rate);
    }
    if (first > all || n > all - first)
        return kl_fail(err, KL_EUSAGE, "%s: samples %zu to %zu of %s, which has %zu", r->path, first,
                       first + n, r->signals[signals[0]].name, all);
    if (!n) return KL_OK;
    if (!(t.buffer = malloc(BLOCK))) return kl_fail_memory(err, BLOCK);
    int code = r->file->vectorized ? take_vectors(&t, err) : take_all(&t, per_record, err);
    free(t.buffer);
    return code || r->file->sample != KL_SEQUENCE_FLOAT32 ? code : check_finite(&t, err);
}

int kl_sequence_recording_read(double *out, const struct kl_sequence_recording *r, size_t s,
                               size_t first, size_t n, struct kl_error *err)
{
    return kl_sequence_recording_read_many(out, r, &s, 1, NULL, first, n, n, err);
}
