/* SPDX-License-Identifier: MIT
   18 recordings, 13 of them with a trap, against three readers (readers.json: EDFlib by pyedflib, edfio,
   MNE): signals, ranges, rates, sums and annotations are those of EDFlib where it reads the file, else
   of MNE and edfio; what EDFlib refuses for its numbers is the fault of a signal,
   for its length is refused. */
#include <jansson.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "golden.h"
#include "sequence/recording/recording.h"

static int failures, checks;

static void expect(const char *file, const char *what, double found, double expected, double scale)
{
    checks++;
    if (fabs(found - expected) <= 1e-12 * fmax(fabs(expected), scale)) return;
    fprintf(stderr, "%s: %s: found %.17g, expected %.17g\n", file, what, found, expected);
    failures++;
}

static void expect_text(const char *file, const char *what, const char *found, const char *expected)
{
    checks++;
    if (strcmp(found, expected) == 0) return;
    fprintf(stderr, "%s: %s: found '%s', expected '%s'\n", file, what, found, expected);
    failures++;
}

static void expect_that(const char *file, const char *what, bool holds)
{
    checks++;
    if (holds) return;
    fprintf(stderr, "%s: %s\n", file, what);
    failures++;
}

static json_t *member(const json_t *object, const char *name)
{
    json_t *value = json_object_get(object, name);
    golden_need(value != NULL, name);
    return value;
}

static double element(const json_t *object, const char *name, size_t i)
{
    return json_number_value(json_array_get(member(object, name), i));
}

static double *all_samples(const struct kl_sequence_recording *r, size_t s, size_t *n)
{
    struct kl_error err = { 0 };
    *n = r->signals[s].per_record * r->n_records;
    double *x = malloc((*n + 1) * sizeof *x);
    golden_need(x && kl_sequence_recording_read(x, r, s, 0, *n, &err) == 0, err.text);
    return x;
}

static void check_signal(const char *file, const json_t *golden, const struct kl_sequence_recording *r,
                         size_t s)
{
    const struct kl_sequence_signal *signal = &r->signals[s];
    const json_t *first = json_array_get(member(golden, "first8"), s);
    double sum = 0, squares = 0, size = 0;
    size_t n;
    double *x = all_samples(r, s, &n);
    for (size_t i = 0; i < n; i++) sum += x[i], squares += x[i] * x[i], size += fabs(x[i]);
    expect_text(file, "label", signal->label,
                json_string_value(json_array_get(member(golden, "labels"), s)));
    expect_text(file, "unit", signal->unit, json_string_value(json_array_get(member(golden, "dim"), s)));
    expect(file, "rate", signal->rate, element(golden, "rates", s), 0);
    expect(file, "samples", (double)n, element(golden, "samples", s), 0);
    expect(file, "physical minimum", signal->physical_min, element(golden, "phys_min", s), 0);
    expect(file, "physical maximum", signal->physical_max, element(golden, "phys_max", s), 0);
    expect(file, "digital minimum", signal->digital_min, element(golden, "dig_min", s), 0);
    expect(file, "digital maximum", signal->digital_max, element(golden, "dig_max", s), 0);
    for (size_t i = 0; i < 8; i++)
        expect(file, "sample", x[i], json_number_value(json_array_get(first, i)), 500);
    expect(file, "sum", sum, element(golden, "sum", s), size);
    expect(file, "sum by edfio", sum, element(golden, "edfio_sum", s), size);
    expect(file, "sum of squares", squares, element(golden, "sumsq", s), 0);
    free(x);
}

/* The signals as MNE has them, in volts, where EDFlib refuses the file though it can be read. */
static void check_volts(const char *file, const json_t *golden, const struct kl_sequence_recording *r)
{
    const json_t *volts = member(golden, "mne_first8_volts");
    for (size_t s = 0; s < r->n_signals; s++) {
        const json_t *first = json_array_get(volts, s);
        size_t n;
        double sum = 0, *x = all_samples(r, s, &n);
        for (size_t i = 0; i < n; i++) sum += x[i];
        for (size_t i = 0; i < 8; i++)
            expect(file, "volts", x[i] * r->signals[s].to_volts,
                   json_number_value(json_array_get(first, i)), 500e-6);
        expect(file, "sum by edfio", sum, element(golden, "edfio_sum", s), 0);
        free(x);
    }
}

/* edfio's: all of the first 60, in the order of their onsets; no duration is null. */
static void check_annotations(const char *file, const json_t *golden,
                              const struct kl_sequence_recording *r)
{
    const json_t *all = member(golden, "edfio_annotations");
    const size_t n = json_array_size(all);
    expect(file, "annotations", (double)r->n_annotations, (double)n, 0);
    for (size_t i = 0; i < n && i < r->n_annotations; i++) {
        const json_t *one = json_array_get(all, i);
        const struct kl_sequence_annotation *a = &r->annotations[i];
        expect(file, "onset", a->onset, json_number_value(json_array_get(one, 0)), 1000);
        expect(file, "duration", a->duration, json_number_value(json_array_get(one, 1)), 1);
        expect_text(file, "text", a->text, json_string_value(json_array_get(one, 2)));
    }
}

static bool has_remark(const struct kl_sequence_recording *r, const char *words)
{
    for (size_t i = 0; i < r->n_remarks; i++)
        if (strstr(r->remarks[i], words)) return true;
    return false;
}

/* The traps, and the words that each must bring about. */
static const struct trap {
    const char *file, *refused, *remark, *fault; /* words of the refusal, of a remark, of why the first
                                                    signal cannot be read */
} traps[] = {
    { "comma_decimal.edf", .fault = "physical minimum: found '-500,0', expected a number" },
    { "equal_physical_range.edf", .fault = "physical minimum and maximum are both -500" },
    { "truncated.edf", .refused = "ends in record 10 of 12, after 3895 of 4896 bytes" },
    { "duplicate_names.edf", .remark = "3 signals are called EEG" },
    { "inverted_physical_range.edf", .remark = "physical minimum 500 above maximum -500" },
    { "records_minus_one.edf", .remark = "-1 records: 12 are there" },
    { "unit_dot_V.edf", .remark = "no known unit of voltage: C3 '.V'" },
    { "discontinuous.edf", .remark = "2 annotations lie where there are no samples" },
};

static const struct trap *trap_of(const char *file)
{
    for (size_t i = 0; i < sizeof traps / sizeof *traps; i++)
        if (strcmp(traps[i].file, file) == 0) return &traps[i];
    return NULL;
}

/* Gaps, names, units and rates of single files. */
static void check_particular(const char *file, const struct kl_sequence_recording *r)
{
    const bool gap = strcmp(file, "discontinuous.edf") == 0;
    expect(file, "gaps", (double)r->n_gaps, gap, 0);
    expect_that(file, "stretches", r->n_stretches == r->n_gaps + 1 && r->stretches[0].start == 0);
    if (gap) {
        expect(file, "gap from", r->gaps[0].from, 6, 0), expect(file, "gap to", r->gaps[0].to, 26, 0);
        expect(file, "record behind it", (double)r->stretches[1].record, 6, 0);
        expect(file, "records behind it", (double)r->stretches[1].n_records, 6, 0);
    }
    expect_that(file, "discontinuous",
                r->discontinuous == (gap || strcmp(file, "edf_plus_d_without_gap.edf") == 0));
    if (strcmp(file, "mixed_rates.edf") == 0)
        for (size_t s = 0; s < r->n_signals; s++)
            expect_that(file, "type of a channel",
                        r->signals[s].type ==
                            (strcmp(r->signals[s].name, "Temp") ? KL_SEQUENCE_EEG : KL_SEQUENCE_OTHER));
    if (strcmp(file, "duplicate_names.edf") == 0) {
        expect_text(file, "name", r->signals[1].name, "EEG#2");
        expect(file, "place of EEG#3", (double)kl_sequence_recording_find(r, "EEG#3"), 2, 0);
    }
    if (strcmp(file, "S001R04.edf") == 0) {
        expect_text(file, "name", r->signals[0].name, "FC5");
        expect(file, "place of C3", (double)kl_sequence_recording_find(r, "C3"), 8, 0);
        expect_text(file, "start", r->start, "2009-08-12 16:15:00");
        for (size_t i = 0; i < 64; i++)
            expect_text(file, "electrode", r->signals[i].name, kl_sequence_electrodes[i].name);
    }
    expect_that(file, "volts",
                r->n_signals &&
                    r->signals[0].to_volts == (strcmp(file, "unit_dot_V.edf") == 0 ? 0 : 1e-6));
}

static void check_file(const char *file, const char *path, const json_t *golden)
{
    struct kl_sequence_recording r;
    struct kl_error err = { 0 };
    const struct trap *trap = trap_of(file);
    const int code = kl_sequence_recording_open(&r, path, &err);
    if (trap && trap->refused) {
        expect_that(file, "is not refused as it must be",
                    code == KL_EDATA && strstr(err.text, trap->refused) && !strchr(err.text, '\n'));
        expect_that(file, "is read by EDFlib", json_object_get(golden, "pyedflib_error") != NULL);
    } else if (code) {
        expect_that(file, err.text, false);
    } else if (trap && trap->fault) {
        double x;
        expect_that(file, "its first signal has no fault",
                    r.signals[0].fault && strstr(r.signals[0].fault, trap->fault));
        expect_that(file, "its first signal is not refused",
                    kl_sequence_recording_read(&x, &r, 0, 0, 1, &err) == KL_EDATA &&
                        strstr(err.text, trap->fault));
        expect_that(file, "is read by EDFlib", json_object_get(golden, "pyedflib_error") != NULL);
    } else {
        if (trap) expect_that(file, trap->remark, has_remark(&r, trap->remark));
        else
            expect_that(file, "a remark where none is due",
                        !r.n_remarks || strstr(r.remarks[0], "physical minimum 8711 above"));
        if (json_object_get(golden, "labels"))
            for (size_t s = 0; s < r.n_signals; s++) check_signal(file, golden, &r, s);
        else check_volts(file, golden, &r);
        check_annotations(file, golden, &r);
        check_particular(file, &r);
    }
    kl_sequence_recording_close(&r);
}

int main(void)
{
    static const char *const folders[] = { "data/sequences/tricky", "data/sequences/pyedflib",
                                           "data/eeg" };
    const char *shared = getenv("KETLINE_SHARED"), *name;
    char path[1024];
    json_error_t problem;
    json_t *all, *golden;
    size_t files = 0;
    snprintf(path, sizeof path, "%s/reference/sequence/readers.json", shared ? shared : "../shared");
    if (access(path, R_OK)) {
        printf("skipped: %s is absent\n", path);
        return 77;
    }
    golden_need((all = json_load_file(path, 0, &problem)) != NULL, path);
    json_object_foreach(all, name, golden)
    {
        struct stat s;
        for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
            snprintf(path, sizeof path, "%s/%s/%s", shared ? shared : "../shared", folders[i], name);
            if (stat(path, &s) == 0) break;
        }
        check_file(name, path, golden), files++;
    }
    json_decref(all);
    expect_that("readers.json", "18 files", files == 18);
    printf("%d values of %zu recordings are as expected, %d are not\n", checks - failures, files,
           failures);
    return failures != 0;
}
