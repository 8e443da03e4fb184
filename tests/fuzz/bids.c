/* SPDX-License-Identifier: MIT
   Any bytes as BIDS' tables beside a recording, events and channels, 0x1c between them; an empty one is
   not there. What is read has events in order with texts and times, and types for its signals. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sequence/recording/recording.h"
#include "tests/edf_make.h"
#include "tests/fuzz/frame/fuzz.h"

const int fuzz_corpus = 25;

static void write_recording(const char *path)
{
    static const char *const lists[] = { "+0\x14\x14@+1\x14own\x14@", "+1\x14\x14@", "+2\x14\x14@" };
    const struct edf_make e = { .n_channels = 3,
                                .n_records = 3,
                                .channel = { { "C3", .per_record = 4 },
                                             { "C4", .per_record = 4 },
                                             { "EDF Annotations", .per_record = 20, .lists = lists } } };
    size_t n;
    unsigned char *bytes = edf_make(&n, &e);
    fuzz_write(path, bytes, n);
    free(bytes);
}

static void write_table(const char *name, const unsigned char *data, size_t n)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", fuzz_folder(), name);
    if (n) fuzz_write(path, data, n);
    else unlink(path);
}

static void check(const struct kl_sequence_recording *r, bool events)
{
    need(events || (r->n_annotations == 1 && strcmp(r->annotations[0].text, "own") == 0),
         "the file's own events are gone", r->path);
    for (size_t i = 0; i < r->n_annotations; i++) {
        const struct kl_sequence_annotation *a = &r->annotations[i];
        need(isfinite(a->onset) && isfinite(a->duration) && a->duration >= 0 && *a->text &&
                 (i == 0 || a->onset >= a[-1].onset),
             "an event", a->text);
        for (const char *c = a->text; *c; c++)
            need(!kl_control_length(c), "a text with control characters", a->text);
    }
    for (size_t i = 0; i < r->n_signals; i++)
        need(*kl_sequence_type_name(r->signals[i].type), "a type", "");
    for (size_t i = 0; i < r->n_remarks; i++)
        for (const char *c = r->remarks[i]; *c; c++)
            need(!kl_control_length(c), "a remark with control characters", r->remarks[i]);
}

bool fuzz(const unsigned char *data, size_t n)
{
    struct kl_sequence_recording r;
    struct kl_error err = { 0 };
    char path[4096];
    const unsigned char *stop = n ? memchr(data, 0x1c, n) : NULL;
    const size_t events = stop ? (size_t)(stop - data) : n;
    snprintf(path, sizeof path, "%s/sub-1_eeg.edf", fuzz_folder());
    write_recording(path);
    write_table("sub-1_events.tsv", data, events);
    write_table("sub-1_channels.tsv", data + events + 1, stop ? n - events - 1 : 0);
    const int code = kl_sequence_recording_open(&r, path, &err);
    if (code) need_refusal(code, KL_EDATA, KL_EDATA, &err);
    else check(&r, events > 0);
    kl_sequence_recording_close(&r);
    return code == 0;
}
