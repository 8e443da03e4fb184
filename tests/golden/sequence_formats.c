/* SPDX-License-Identifier: MIT
   BrainVision, BioSemi's Status and a hypnogram against MNE-Python (recordings.h5, written by
   make_recordings.py beside it): names, signals in microvolts, events, windows in chunks. */
#include <math.h>

#include "golden.h"
#include "sequence/windows/windows_int.h"
#include "tests/unit/test_folder.h"

enum { MOST = 1 << 17 };
static int failures;
static double values[MOST];
static struct kl_error err;

static void expect(const char *name, const char *what, double found, double expected, double tolerance)
{
    if (fabs(found - expected) <= tolerance) return;
    fprintf(stderr, "%s: %s: found %.17g, expected %.17g\n", name, what, found, expected);
    failures++;
}

static void expect_text(const char *name, const char *what, const char *found, const char *expected)
{
    if (strcmp(found, expected) == 0) return;
    fprintf(stderr, "%s: %s: found '%s', expected '%s'\n", name, what, found, expected);
    failures++;
}

static herr_t write_file(hid_t files, const char *name, const H5L_info_t *info, void *context)
{
    char path[1024];
    (void)info, (void)context;
    const size_t n = golden_values(values, MOST, files, name);
    FILE *file = fopen(in_folder(path, name), "wb");
    for (size_t i = 0; file && i < n; i++) fputc((int)values[i], file);
    golden_need(file && fclose(file) == 0, path);
    return 0;
}

/* The signals that MNE has, in its order; Status is none of them. */
static void check_signals(const char *name, hid_t group, const struct kl_sequence_recording *r)
{
    char text[1024], *rest = text;
    const size_t all = golden_values(values, MOST, group, "signals");
    size_t n = 0;
    golden_text(text, sizeof text, group, "channels");
    for (char *label = strsep(&rest, "\n"); label; label = strsep(&rest, "\n"), n++) {
        const size_t each = r->signals[n].per_record * r->n_records;
        double *x = malloc((each + 1) * sizeof *x);
        const double volts = r->signals[n].to_volts;
        expect_text(name, "label", r->signals[n].label, label);
        expect(name, "rate", r->signals[n].rate, golden_number(group, "rate"), 0);
        must(
            kl_sequence_recording_read_many(x, r, &n, 1, (double[]){ 1e6 * volts }, 0, each, each, &err),
            &err);
        for (size_t i = 0; i < each && (n + 1) * each <= all; i++)
            expect(name, "sample", x[i], values[n * each + i], 1e-9);
        free(x);
    }
    expect(name, "samples", (double)(n * r->signals[0].per_record * r->n_records), (double)all, 0);
}

static void check_events(const char *name, hid_t group, const struct kl_sequence_recording *r)
{
    char text[1024], *rest = text;
    double onset[64], duration[64];
    const size_t n = golden_values(onset, 64, group, "onset");
    golden_need(golden_values(duration, 64, group, "duration") == n, "duration");
    golden_text(text, sizeof text, group, "texts");
    expect(name, "events", (double)r->n_annotations, (double)n, 0);
    for (size_t i = 0; i < n && i < r->n_annotations; i++) {
        expect(name, "onset", r->annotations[i].onset, onset[i], 1e-9);
        expect(name, "duration", r->annotations[i].duration, duration[i], 1e-9);
        expect_text(name, "text", r->annotations[i].text, strsep(&rest, "\n"));
    }
}

/* MNE's events_from_annotations with a chunk_duration: onsets and classes. */
static void check_chunks(const char *name, hid_t group, const struct kl_sequence_recording *r)
{
    const struct kl_sequence_cut cut = { .to = 1.49, .chunk = 1.5 };
    struct kl_sequence_labels labels;
    struct kl_sequence_trials t;
    double chunks[2 * 64];
    if (H5Lexists(group, "chunks", H5P_DEFAULT) <= 0) return;
    const size_t n = golden_values(chunks, 2 * 64, group, "chunks") / 2;
    must(kl_sequence_labels_parse(&labels,
                                  "Sleep stage W=wake,\"Sleep stage 1\"=\"N1, light\",Sleep stage "
                                  "R=REM",
                                  &err),
         &err);
    must(kl_sequence_trials_find(&t, r, &labels, &cut, 100, &err), &err);
    expect(name, "chunks", (double)t.n, (double)n, 0);
    for (size_t i = 0; i < n && i < t.n; i++) {
        expect(name, "onset of a chunk", t.list[i].onset, chunks[i], 1e-9);
        expect(name, "class of a chunk", t.list[i].label, chunks[n + i], 0);
    }
    expect_text(name, "class", labels.names[1], "N1, light");
    kl_sequence_trials_free(&t), kl_sequence_labels_free(&labels);
}

static herr_t check(hid_t file, const char *name, const H5L_info_t *info, void *context)
{
    const hid_t group = H5Gopen2(file, name, H5P_DEFAULT), files = H5Gopen2(group, "files", H5P_DEFAULT);
    struct kl_sequence_recording r;
    char opened[100], events[100], path[1024], beside[1024];
    (void)info;
    golden_need(H5Literate(files, H5_INDEX_NAME, H5_ITER_INC, NULL, write_file, NULL) >= 0, name);
    golden_text(opened, sizeof opened, group, "open");
    must(kl_sequence_recording_open(&r, in_folder(path, opened), &err), &err);
    if (H5Aexists(group, "events") > 0) {
        golden_text(events, sizeof events, group, "events");
        if (!kl_sequence_is_events(in_folder(beside, events)) || kl_sequence_is_events(path))
            fprintf(stderr, "%s: which file holds events\n", name), failures++;
        must(kl_sequence_recording_take_events(&r, beside, &err), &err);
    }
    check_signals(name, group, &r), check_events(name, group, &r), check_chunks(name, group, &r);
    kl_sequence_recording_close(&r);
    H5Gclose(files), H5Gclose(group);
    ++*(int *)context;
    return 0;
}

int main(void)
{
    make_test_folder();
    golden_need(golden_groups("tests/golden/recordings.h5", check) == 6, "cases");
    return failures != 0;
}
