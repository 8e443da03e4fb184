/* SPDX-License-Identifier: MIT
   Any bytes as an EDF or BDF file. What is read has signals of different names, ranges and rates that
   are numbers, annotations in order, stretches that hold all records; any part of a signal is that part
   of the whole; its report can be made; and signals and annotations, written as EDF+C, are read again.
 */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sequence/recording/recording.h"
#include "tests/fuzz/frame/fuzz.h"

const int fuzz_corpus = 40;

static void check_signals(const struct kl_sequence_recording *r)
{
    for (size_t i = 0; i < r->n_signals; i++) {
        const struct kl_sequence_signal *s = &r->signals[i];
        need(kl_sequence_recording_find(r, s->name) == (long)i, "two signals of one name", s->name);
        if (s->fault) continue;
        need(isfinite(s->rate) && s->rate > 0 && s->physical_min != s->physical_max &&
                 isfinite(s->physical_max - s->physical_min) && s->digital_min < s->digital_max &&
                 s->per_record > 0,
             "a signal", s->name);
    }
}

static void check_times(const struct kl_sequence_recording *r)
{
    size_t records = 0;
    for (size_t i = 0; i < r->n_annotations; i++) {
        const struct kl_sequence_annotation *a = &r->annotations[i];
        need(isfinite(a->onset) && a->duration >= 0 && *a->text && (i == 0 || a->onset >= a[-1].onset),
             "an annotation", a->text);
        for (const char *c = a->text; *c; c++)
            need(!kl_control_length(c), "a text with control characters", a->text);
    }
    for (size_t i = 0; i < r->n_stretches; i++) {
        need(r->stretches[i].record == records && r->stretches[i].n_records > 0, "a stretch", r->path);
        records += r->stretches[i].n_records;
    }
    need(records == r->n_records && r->n_gaps + (r->n_records > 0) == r->n_stretches, "stretches",
         r->path);
    for (size_t i = 0; i < r->n_gaps; i++) need(r->gaps[i].from < r->gaps[i].to, "a gap", r->path);
}

/* All of a signal, and two parts of it. */
static double *check_samples(const struct kl_sequence_recording *r, size_t s, size_t *n)
{
    struct kl_error err = { 0 };
    *n = r->signals[s].per_record * r->n_records;
    double *all = malloc((*n + 1) * sizeof *all), *part = malloc((*n + 1) * sizeof *part);
    const size_t half = *n / 3;
    need(all && part, "no memory", "");
    need(kl_sequence_recording_read(all, r, s, 0, *n, &err) == 0, err.text, r->path);
    need(kl_sequence_recording_read(part, r, s, 0, half, &err) == 0, err.text, r->path);
    need(kl_sequence_recording_read_many(part + half, r, &s, 1, NULL, half, *n - half, *n, &err) == 0,
         err.text, r->path);
    need(kl_sequence_recording_read(part, r, s, *n, 1, &err) == KL_EUSAGE, "a sample behind the last",
         r->path);
    need(memcmp(all + half, part + half, (*n - half) * sizeof *all) == 0, "other samples in a part",
         r->path);
    free(part);
    return all;
}

/* ---- written and read again ---- */
static int to_stream(void *context, const void *data, size_t n, struct kl_error *err)
{
    return fwrite(data, 1, n, context) == n ? KL_OK : kl_fail(err, KL_EIO, "no room");
}

static void check_written(const struct kl_sequence_recording *r, size_t s, const double *samples)
{
    const struct kl_sequence_edf_signal signal = { "again", "uV", r->signals[s].physical_min,
                                                   r->signals[s].physical_max, samples };
    const struct kl_sequence_edf e = { &signal,
                                       1,
                                       r->signals[s].per_record,
                                       r->n_records,
                                       r->record_seconds,
                                       "2001-02-03 04:05:06",
                                       NULL,
                                       NULL,
                                       r->annotations,
                                       r->n_annotations };
    struct kl_sequence_recording again;
    struct kl_error err = { 0 };
    struct fuzz_file file;
    char *text;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    need(to != NULL, "no memory", "");
    const int code = kl_sequence_edf_write(NULL, &e, to_stream, to, &err);
    fclose(to);
    if (code) need_refusal(code, KL_EUSAGE, KL_EUSAGE, &err);
    fuzz_file_make(&file, text, size);
    if (!code) {
        need(kl_sequence_recording_open(&again, file.path, &err) == 0, err.text, r->path);
        need(again.n_annotations == r->n_annotations && again.n_records == r->n_records && !again.n_gaps,
             "another recording", r->path);
        for (size_t i = 0; i < r->n_annotations; i++)
            need(strcmp(again.annotations[i].text, r->annotations[i].text) == 0, "another text",
                 again.annotations[i].text);
        kl_sequence_recording_close(&again);
    }
    fuzz_file_free(&file), free(text);
}

static void check(const struct kl_sequence_recording *r)
{
    struct kl_error err = { 0 };
    json_t *report;
    char *text;
    size_t size;
    check_signals(r), check_times(r);
    for (size_t s = 0; s < r->n_signals; s++) {
        size_t n;
        double one;
        if (r->signals[s].fault) {
            need_refusal(kl_sequence_recording_read(&one, r, s, 0, 1, &err), KL_EDATA, KL_EDATA, &err);
            continue;
        }
        double *samples = check_samples(r, s, &n);
        for (size_t i = 0; i < n; i++) need(isfinite(samples[i]), "a sample that is no number", r->path);
        if (s == 0 && n) check_written(r, s, samples);
        free(samples);
    }
    need(kl_sequence_recording_report(&report, r, &err) == 0, err.text, r->path);
    json_decref(report);
    FILE *to = open_memstream(&text, &size);
    need(to && kl_sequence_recording_tell(to, r, &err) == 0, "no words", r->path);
    fclose(to);
    for (const char *t = text; *t; t++)
        need(*t == '\n' || !kl_control_length(t), "no printable words", text);
    free(text);
}

bool fuzz(const unsigned char *data, size_t n)
{
    struct kl_sequence_recording r;
    struct kl_error err = { 0 };
    struct fuzz_file file;
    fuzz_file_make(&file, data, n);
    const int code = kl_sequence_recording_open(&r, file.path, &err);
    if (code) need_refusal(code, KL_EDATA, KL_EDATA, &err);
    else check(&r);
    kl_sequence_recording_close(&r);
    fuzz_file_free(&file);
    return code == 0;
}
