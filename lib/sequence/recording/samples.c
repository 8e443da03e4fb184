/* SPDX-License-Identifier: MIT
   Samples of a recording: of one signal, or of several in one pass over the records that hold them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sequence/recording/recording_int.h"
#include "store/store.h"

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
