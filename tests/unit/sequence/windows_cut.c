/* SPDX-License-Identifier: MIT
   Windows of small recordings whose samples are known: events, gaps, ends, units, rates, names, labels.
 */
#include <math.h>
#include <string.h>

#include "sequence/recording/recording.h"
#include "sequence/windows/windows_int.h"
#include "tests/edf_make.h"
#include "tests/unit/check.h"
#include "tests/unit/test_folder.h"

static const struct kl_log quiet = { .tool = "test", .to = NULL, .level = -1 };
static struct kl_error err;

static void save(const char *name, const struct edf_make *e)
{
    char path[1024];
    size_t n;
    unsigned char *bytes = edf_make(&n, e);
    FILE *to = fopen(in_folder(path, name), "wb");
    if (!to || fwrite(bytes, 1, n, to) != n || fclose(to)) perror(path), exit(1);
    free(bytes);
}

/* Four seconds from 0, four from 10; 10 samples a second: 100 r + 10 i + k microvolts. */
static void save_gap(void)
{
    static const char *const lists[] = { "+0\x14\x14@+1\x14go\x14@",
                                         "+1\x14\x14@",
                                         "+2\x14\x14@",
                                         "+3\x14\x14@+3.5\x14go\x14@",
                                         "+10\x14\x14@+9\x14go\x14@+10.5\x14stop\x14@",
                                         "+11\x14\x14@",
                                         "+12\x14\x14@+12.5\x14rest\x14@",
                                         "+13\x14\x14@+13.5\x14go\x14@" };
    const struct edf_make e = { .n_channels = 3,
                                .n_records = 8,
                                .reserved = "EDF+D",
                                .channel = { { "C3", .per_record = 10 },
                                             { "C4", .per_record = 10 },
                                             { "EDF Annotations", .per_record = 30, .lists = lists } } };
    save("S001R04.edf", &e);
}

/* unit, rate of the second of two channels. */
static void save_plain(const char *name, const char *unit, size_t per_record)
{
    static const char *const lists[] = { "+0\x14\x14@+1\x14go\x14@", "+1\x14\x14@", "+2\x14\x14@" };
    const struct edf_make e = { .n_channels = 3,
                                .n_records = 3,
                                .channel = { { "C3", .per_record = 10 },
                                             { "C4", .unit = unit, .per_record = per_record },
                                             { "EDF Annotations", .per_record = 30, .lists = lists } } };
    save(name, &e);
}

static int cut(struct kl_sequence_collection *c, const struct kl_sequence_cut *how, const char *name,
               struct kl_sequence_origin *source)
{
    char path[1024];
    struct kl_sequence_labels labels;
    CHECK(kl_sequence_labels_parse(&labels, "go=go,stop=stop", &err) == 0, "%s", err.text);
    struct kl_sequence_cutter cutter = { .cut = how, .labels = &labels, .to = c, .log = &quiet };
    *source = (struct kl_sequence_origin){ .path = in_folder(path, name) };
    kl_sequence_name_of(&source->name, source->path);
    const int code = kl_sequence_cut_recording(&cutter, source, &err);
    kl_sequence_cutter_free(&cutter);
    kl_sequence_labels_free(&labels);
    return code;
}

static void check_gap(void)
{
    struct kl_sequence_collection c = { 0 };
    struct kl_sequence_origin s;
    struct kl_sequence_cut how = { .to = 0.9 };
    save_gap();
    CHECK(cut(&c, &how, "S001R04.edf", &s) == KL_EDATA && strstr(err.text, "1 gap: 4 to 10 s"), "%s",
          err.text);
    kl_sequence_collection_free(&c);
    how.split = true;
    CHECK(cut(&c, &how, "S001R04.edf", &s) == 0, "%s", err.text);
    CHECK(c.n == 2 && c.steps == 10 && c.channels == 2 && c.rate == 10 && c.steps_before == 0);
    CHECK(s.count.windows == 2 && s.count.gap == 2 && s.count.outside == 1 && s.count.other == 1,
          "%zu windows, %zu across a gap, %zu outside, %zu other", s.count.windows, s.count.gap,
          s.count.outside, s.count.other);
    for (int i = 0; i < 2 && c.n == 2; i++)
        for (int k = 0; k < 10; k++) {
            CHECK(c.x[i * 10 + k] == (float)(100 + 10 * i + k), "%g", c.x[i * 10 + k]);
            const int record = k < 5 ? 4 : 5, sample = (k + 5) % 10;
            CHECK(c.x[20 + i * 10 + k] == (float)(100 * record + 10 * i + sample), "%g",
                  c.x[20 + i * 10 + k]);
        }
    CHECK(c.labels[0] == 0 && c.labels[1] == 1 && c.onset[1] == 10.5);
    CHECK(strcmp(c.subject_names[0], "S001") == 0 && strcmp(c.recording_names[0], "S001R04") == 0);
    kl_sequence_collection_free(&c);
}

static void check_steps(void)
{
    struct kl_sequence_collection c = { 0 };
    struct kl_sequence_origin s;
    struct kl_sequence_cut how = {
        .from = -0.5, .to = 0.9, .baseline = true, .baseline_from = -0.5, .baseline_to = -0.1
    };
    save_plain("a.edf", "uV", 10);
    CHECK(cut(&c, &how, "a.edf", &s) == 0 && c.n == 1 && c.steps == 15 && c.steps_before == 5, "%s",
          err.text);
    /* 5 to 9 less their mean, 7; then 100 to 109. */
    CHECK(c.n == 1 && c.x[0] == -2 && c.x[4] == 2 && c.x[5] == 93 && c.x[14] == 102);
    kl_sequence_collection_free(&c);
    how.reject = 103; /* 5 to 109 is 104 */
    CHECK(cut(&c, &how, "a.edf", &s) == 0 && c.n == 0 && s.count.rejected == 1 && c.rejected_by[0] == 1);
    kl_sequence_collection_free(&c);
    how.reject = 104;
    CHECK(cut(&c, &how, "a.edf", &s) == 0 && c.n == 1 && s.count.rejected == 0);
    kl_sequence_collection_free(&c);
}

static void refused(const struct kl_sequence_cut *how, const char *name, const char *words)
{
    struct kl_sequence_collection c = { 0 };
    struct kl_sequence_origin s;
    CHECK(cut(&c, how, name, &s) == KL_EDATA && strstr(err.text, words), "%s", err.text);
    kl_sequence_collection_free(&c);
}

static void check_refused(void)
{
    char *const twice[] = { "C3", "C3" }, *const absent[] = { "C3", "Cz" };
    const struct kl_sequence_cut plain = { .to = 0.9 };
    struct kl_sequence_cut how = plain;
    struct kl_sequence_collection c = { 0 };
    struct kl_sequence_origin s;
    save_plain("unit.edf", ".V", 10), save_plain("rates.edf", "uV", 5),
        save_plain("milli.edf", "mV", 10);
    refused(&plain, "unit.edf", "unit '.V' is no known unit of voltage");
    refused(&plain, "rates.edf", "C4 has 5 samples a second, C3 has 10");
    how.channels = (char **)twice, how.n_channels = 2, refused(&how, "a.edf", "'C3' is asked for twice");
    how.channels = (char **)absent, refused(&how, "a.edf", "no channel 'Cz'");
    how = plain, how.unit = 1e-3;
    CHECK(cut(&c, &how, "unit.edf", &s) == 0 && c.x[10] == 110000 && c.x[0] == 100, "%s", err.text);
    CHECK(cut(&c, &how, "milli.edf", &s) == 0 && c.n == 2 && c.x[30] == 110000 && c.n_recordings == 2);
    kl_sequence_collection_free(&c);
}

/* One event under one label or another counts once; what reaches beyond its annotation, into the next
   one or into one before is counted. Ten steps a second. */
static void check_trials(void)
{
    static const char *const lists[] = { "+0\x14\x14@+1\x15"
                                         "1\x14go\x14@+1.05\x14go\x14@",
                                         "+1\x14\x14@+2\x15"
                                         "1\x14stop\x14@",
                                         "+2\x14\x14@+2.5\x14go\x14@", "+3\x14\x14@" };
    const struct edf_make e = { .n_channels = 2,
                                .n_records = 4,
                                .channel = { { "C3", .per_record = 10 },
                                             { "EDF Annotations", .per_record = 30, .lists = lists } } };
    struct kl_sequence_cut how = { .to = 0.9 };
    struct kl_sequence_collection c = { 0 };
    struct kl_sequence_origin s;
    save("t.edf", &e);
    CHECK(cut(&c, &how, "t.edf", &s) == 0 && c.n == 3 && s.count.repeated == 1, "%s", err.text);
    CHECK(!s.count.beyond && s.count.next == 1 && s.count.previous == 1); /* 2 s and 2.5 s */
    CHECK(c.onset[1] == 2 && c.labels[1] == 1 && c.duration[1] == 1 && isnan(c.duration[2]));
    kl_sequence_collection_free(&c);
    how.to = 1.0; /* just as long as the annotations */
    CHECK(cut(&c, &how, "t.edf", &s) == 0 && c.n == 3 && !s.count.beyond && s.count.next == 1);
    kl_sequence_collection_free(&c);
    how.to = 1.3;
    CHECK(cut(&c, &how, "t.edf", &s) == 0 && c.n == 3 && s.count.beyond == 2 && s.count.next == 2 &&
          fabs(c.excess - 0.3) < 1e-12 && c.least_duration == 1 && c.most_duration == 1);
    kl_sequence_collection_free(&c);
    how = (struct kl_sequence_cut){ .from = -0.5, .to = 0.4 };
    CHECK(cut(&c, &how, "t.edf", &s) == 0 && c.n == 3 && s.count.previous == 2, "%zu", s.count.previous);
    kl_sequence_collection_free(&c);
    how = (struct kl_sequence_cut){ .to = 0.4, .chunk = 0.5 };
    CHECK(cut(&c, &how, "t.edf", &s) == 0 && c.n == 4 && s.count.brief == 2 && c.onset[1] == 1.5 &&
              c.duration[3] == 0.5,
          "%zu windows, %zu brief", c.n, s.count.brief);
    kl_sequence_collection_free(&c);
    /* the baseline before a window that begins behind the event */
    how = (struct kl_sequence_cut){
        .from = 0.2, .to = 0.4, .baseline = true, .baseline_from = -0.3, .baseline_to = -0.1
    };
    CHECK(cut(&c, &how, "t.edf", &s) == 0 && c.n == 3 && c.x[0] == 102 - 8 && c.steps == 3, "%g",
          c.x[0]);
    kl_sequence_collection_free(&c);
    how.baseline_from = how.baseline_to = -1.1; /* before the first sample of the first event */
    CHECK(cut(&c, &how, "t.edf", &s) == 0 && c.n == 2 && s.count.outside == 1);
    kl_sequence_collection_free(&c);
}

static void check_contrary(void)
{
    static const char *const lists[] = { "+0\x14\x14@+1\x14go\x14@+1.01\x14stop\x14@", "+1\x14\x14@" };
    const struct edf_make e = { .n_channels = 2,
                                .n_records = 2,
                                .channel = { { "C3", .per_record = 10 },
                                             { "EDF Annotations", .per_record = 30, .lists = lists } } };
    const struct kl_sequence_cut plain = { .to = 0.5 };
    save("c.edf", &e);
    refused(&plain, "c.edf", "'go' at 1 s and 'stop' at 1.01 s are one event, and mean 'go' and 'stop'");
}

/* Signals that are no EEG: left out, or, named, not in the average. */
static void check_types(void)
{
    static const char *const lists[] = { "+0\x14\x14@+0\x14go\x14@", "+1\x14\x14@" };
    const struct edf_make e = { .n_channels = 5,
                                .n_records = 2,
                                .channel = { { "C3", .per_record = 10 },
                                             { "EOG left", .per_record = 10 },
                                             { "C4", .per_record = 10 },
                                             { "-", .low = "0", .high = "0", .per_record = 10 },
                                             { "EDF Annotations", .per_record = 30, .lists = lists } } };
    char *const named[] = { "C3", "EOG left", "C4" }, *const fault[] = { "C3", "-" },
                *const eog[] = { "EOG left" };
    struct kl_sequence_cut how = { .to = 0.9, .average = true };
    struct kl_sequence_collection c = { 0 };
    struct kl_sequence_origin s;
    save("y.edf", &e);
    CHECK(cut(&c, &how, "y.edf", &s) == 0 && c.channels == 2 && c.x[0] == -10 && c.x[10] == 10, "%s",
          err.text); /* 0 and 20 less their mean */
    CHECK(c.channels == 2 && strcmp(c.channel_names[1], "C4") == 0);
    kl_sequence_collection_free(&c);
    how.channels = (char **)named, how.n_channels = 3;
    CHECK(cut(&c, &how, "y.edf", &s) == 0 && c.channels == 3 && c.x[0] == -10 && c.x[10] == 10 &&
          c.x[20] == 10);
    kl_sequence_collection_free(&c);
    how.channels = (char **)fault, how.n_channels = 2;
    refused(&how, "y.edf", "channel -: physical minimum and maximum are both 0");
    how.channels = (char **)eog, how.n_channels = 1;
    CHECK(cut(&c, &how, "y.edf", &s) == 0 && c.x[0] == 10);
    kl_sequence_collection_free(&c);
}

/* A filter that is longer than the signal; windows without movement, and equal ones. */
static void check_empty(void)
{
    struct kl_sequence_collection c = { 0 };
    struct kl_sequence_origin s;
    struct kl_sequence_cut how = { .to = 0.5, .low = 0.5 };
    float x[4][2][3] = { { { 1, 2, 3 }, { 4, 4, 4 } },
                         { { 1, 2, 3 }, { 4, 4, 5 } },
                         { { 7, 7, 7 }, { 8, 8, 8 } },
                         { { 1, 2, 3 }, { 4, 4, 5 } } };
    int32_t labels[] = { 0, 0, 1, 1 };
    CHECK(cut(&c, &how, "a.edf", &s) == 0 && c.brief.n == 1 && c.brief.taps == 67 &&
              c.brief.samples == 30,
          "%zu taps", c.brief.taps); /* 3.3 / 0.5 s at 10 Hz, the next odd number */
    kl_sequence_collection_free(&c);
    c = (struct kl_sequence_collection){ .n = 4, .channels = 2, .steps = 3, .x = **x, .labels = labels };
    CHECK(kl_sequence_collect_compare(&c, &err) == 0, "%s", err.text);
    CHECK(c.alike.flat == 1 && c.alike.still == 1 && c.alike.first == 1 && c.alike.equal == 1 &&
          c.alike.contrary == 1 && c.alike.a == 1 && c.alike.b == 3);
    labels[3] = 0;
    CHECK(kl_sequence_collect_compare(&c, &err) == 0 && c.alike.equal == 1 && !c.alike.contrary);
}

/* A fallen electrode stands still as it was recorded, though a filter gives it ripples. */
static void check_still(void)
{
    enum { N = 12 };
    const double x[2][N] = { { 5, 6, 7, 3, 3, 3, 3, 3, 3, 4, 5, 6 },
                             { 9, 8, 7, 9, 9, 9, 9, 9, 9, 9, 8, 7 } };
    const float moving[2][2] = { { 0, 1 }, { 1, 0 } };
    struct kl_sequence_collection c = { .n = 1, .channels = 2, .steps = 2, .x = (float *)*moving };
    const struct kl_sequence_cut how = { .from = 0.3, .to = 0.8 };
    struct kl_sequence_trial trial = { .onset = 20 };
    for (int shift = 0; shift < 3;
         shift++, trial.onset += 0.1) { /* samples 3 to 8, and one, two later */
        kl_sequence_trial_look(&trial, &how, *x, 2, N, 10, 20);
        CHECK(trial.still == (size_t)(2 - shift), "%zu at shift %d", trial.still, shift);
        kl_sequence_trial_count(&c, &trial);
    }
    CHECK(kl_sequence_collect_compare(&c, &err) == 0, "%s", err.text);
    CHECK(c.alike.flat == 1 && c.alike.still == 1 && c.alike.first == 1);
    trial.onset = 40, trial.still = 7; /* in another stretch */
    kl_sequence_trial_look(&trial, &how, *x, 2, N, 10, 20);
    CHECK(trial.still == 7);
}

/* Windows that overlap a stretch called bad are counted, not those that touch it. */
static void check_bad(void)
{
    struct kl_sequence_collection c = { 0 };
    struct kl_sequence_origin s;
    const struct kl_sequence_cut how = { .to = 0.5 };
    static const char *const lists[] = { "+0\x14\x14@+0.2\x14go\x14@", "+1\x14\x14@+1.2\x14go\x14@",
                                         "+2\x14\x14@+1.7\x15"
                                         "0.1\x14"
                                         "BAD_eye\x14@" };
    const struct edf_make e = { .n_channels = 2,
                                .n_records = 3,
                                .channel = { { "C3", .per_record = 10 },
                                             { "EDF Annotations", .per_record = 30, .lists = lists } } };
    save("bad.edf", &e);
    CHECK(cut(&c, &how, "bad.edf", &s) == 0 && c.n == 2 && s.count.bad == 0, "%s", err.text);
    kl_sequence_collection_free(&c);
    const struct kl_sequence_cut longer = { .to = 0.6 };
    CHECK(cut(&c, &longer, "bad.edf", &s) == 0 && c.n == 2 && s.count.bad == 1 && c.count.bad == 1,
          "%zu bad", s.count.bad);
    kl_sequence_collection_free(&c);
}

static void check_quotes(void)
{
    struct kl_sequence_labels labels;
    char **words = NULL;
    size_t n = 0;
    CHECK(kl_sequence_labels_parse(&labels, "\"a, b\"=x,  c=\"y, \"\"z\"\"\",\"d=1\"=x", &err) == 0,
          "%s", err.text);
    CHECK(labels.n == 3 && kl_sequence_label_of(&labels, "a, b") == 0 &&
          kl_sequence_label_of(&labels, "c") == 1 && kl_sequence_label_of(&labels, "d=1") == 0 &&
          strcmp(labels.names[1], "y, \"z\"") == 0);
    kl_sequence_labels_free(&labels);
    static const char *const wrong[] = { "\"a",    "\"a\"",  "\"a\"b=x", "a=\"x",
                                         "a=\"\"", "\"\"=x", "a=x,",     "" };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK(kl_sequence_labels_parse(&labels, wrong[i], &err) == KL_EUSAGE, "%s", wrong[i]);
        kl_sequence_labels_free(&labels);
    }
    CHECK(kl_sequence_words(&words, &n, "--channels", "a,\"b,c\",\"d\"\"\"", &err) == 0 && n == 3 &&
          strcmp(words[1], "b,c") == 0 && strcmp(words[2], "d\"") == 0);
    kl_sequence_words_free(words, n);
    CHECK(kl_sequence_words(&words, &n, "--channels", "a,\"b", &err) == KL_EUSAGE);
    kl_sequence_words_free(words, n);
    CHECK(kl_sequence_words(&words, &n, "--channels", "a,", &err) == KL_EUSAGE);
    kl_sequence_words_free(words, n);
}

static void check_words(void)
{
    struct kl_sequence_name name;
    struct kl_sequence_labels labels;
    kl_sequence_name_of(&name, "a/S001R04.edf");
    CHECK(strcmp(name.subject, "S001") == 0 && strcmp(name.recording, "S001R04") == 0 && name.run == 4);
    kl_sequence_name_of(&name, "R12.edf");
    CHECK(strcmp(name.subject, "R12") == 0 && name.run == 0);
    kl_sequence_name_of(&name, "b.c/AR1x.bdf");
    CHECK(strcmp(name.subject, "AR1x") == 0 && name.run == 0);
    CHECK(!name.says_whose);
    kl_sequence_name_of(&name, "a/sub-01_ses-2_task-mi_run-1_eeg.edf");
    CHECK(strcmp(name.subject, "sub-01") == 0 && name.says_whose && name.run == 0 &&
          strcmp(name.recording, "sub-01_ses-2_task-mi_run-1_eeg") == 0);
    kl_sequence_name_of(&name, "sub-P3R7.edf"); /* a label, not a run */
    CHECK(strcmp(name.subject, "sub-P3R7") == 0 && name.says_whose);
    const char *const others[] = { "sub-_ses-1.edf", "sub-0.1.edf", "sub-01-2.edf", "xsub-01.edf" };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        kl_sequence_name_of(&name, others[i]);
        CHECK(!name.says_whose && strcmp(name.subject, name.recording) == 0, "%s", others[i]);
    }
    CHECK(kl_sequence_task_of_run(2) == KL_SEQUENCE_BASELINE &&
          kl_sequence_task_of_run(15) == KL_SEQUENCE_NO_RUN);
    CHECK(kl_sequence_task_of_run(3) == 0 && kl_sequence_task_of_run(12) == 1 &&
          kl_sequence_task_of_run(13) == 2 && kl_sequence_task_of_run(6) == 3);
    CHECK(kl_sequence_labels_parse(&labels, "a b=x,c=d=y,e=x", &err) == 0 && labels.n_classes == 2);
    CHECK(kl_sequence_label_of(&labels, "a b") == 0 && kl_sequence_label_of(&labels, "c=d") == 1 &&
          kl_sequence_label_of(&labels, "e") == 0 && kl_sequence_label_of(&labels, "f") == -1);
    kl_sequence_labels_free(&labels);
    CHECK(kl_sequence_labels_parse(&labels, "a=x,a=y", &err) == KL_EUSAGE);
    kl_sequence_labels_free(&labels);
    CHECK(kl_sequence_labels_parse(&labels, "=x", &err) == KL_EUSAGE);
    kl_sequence_labels_free(&labels);
}

int main(void)
{
    make_test_folder();
    check_gap();
    check_steps();
    check_refused();
    check_trials();
    check_contrary();
    check_types();
    check_empty();
    check_still();
    check_bad();
    check_words();
    check_quotes();
    return failures != 0;
}
