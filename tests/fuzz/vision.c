/* SPDX-License-Identifier: MIT
   Any bytes as a file of BrainVision: its header, its markers and its samples, 0x1c between them. What
   is read has signals of different names and rates that are numbers, annotations in order, stretches
   that hold all samples; any part of a signal is that part of the whole, and so it is beside another
   signal. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sequence/recording/recording.h"
#include "tests/fuzz/frame/fuzz.h"

const int fuzz_corpus = 55;

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

/* All of signal s, and a part of it beside the first one; false: its values are refused. */
static bool check_samples(const struct kl_sequence_recording *r, size_t s)
{
    struct kl_error err = { 0 };
    const struct kl_sequence_signal *signal = &r->signals[s];
    const size_t n = r->n_records, from = n / 3, both[2] = { s, 0 };
    double *all = malloc((n + 1) * sizeof *all), *part = malloc((2 * n + 1) * sizeof *part);
    need(all && part, "no memory", "");
    need(isfinite(signal->rate) && signal->rate > 0 && signal->per_record == 1, "a signal",
         signal->name);
    need(kl_sequence_recording_find(r, signal->name) == (long)s, "two signals of one name",
         signal->name);
    const int code = kl_sequence_recording_read(all, r, s, 0, n, &err);
    if (code) need_refusal(code, KL_EDATA, KL_EDATA, &err);
    for (size_t i = 0; i < n && !code; i++)
        need(isfinite(all[i]), "a sample that is no number", r->path);
    if (!code && !kl_sequence_recording_read_many(part, r, both, 2, NULL, from, n - from, n, &err))
        need(memcmp(all + from, part, (n - from) * sizeof *all) == 0, "other samples in a part",
             r->path);
    need(code || kl_sequence_recording_read(part, r, s, n, 1, &err) == KL_EUSAGE,
         "a sample behind the last", r->path);
    free(all), free(part);
    return code == 0;
}

static void check(const struct kl_sequence_recording *r)
{
    struct kl_error err = { 0 };
    json_t *report;
    char *text;
    size_t size;
    check_times(r);
    for (size_t s = 0; s < r->n_signals; s++) check_samples(r, s);
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
    static const char *const names[] = { "a.vhdr", "a.vmrk", "a.eeg" };
    struct kl_sequence_recording r;
    struct kl_error err = { 0 };
    char path[4096];
    const unsigned char *at = data, *end = data + n;
    for (int i = 0; i < 3; i++) {
        const unsigned char *stop = i < 2 && at < end ? memchr(at, 0x1c, (size_t)(end - at)) : NULL;
        const size_t size = (size_t)((stop ? stop : end) - at);
        snprintf(path, sizeof path, "%s/%s", fuzz_folder(), names[i]);
        fuzz_write(path, at, size);
        at = stop ? stop + 1 : end;
    }
    snprintf(path, sizeof path, "%s/a.vhdr", fuzz_folder());
    const int code = kl_sequence_recording_open(&r, path, &err);
    /* A header may name any file: one that is not there, a folder, a device. */
    if (code) need(code == KL_EDATA || code == KL_ENOINPUT, "another code", err.text);
    else check(&r);
    if (code) need_refusal(code, 0, 0, &err);
    kl_sequence_recording_close(&r);
    return code == 0;
}
