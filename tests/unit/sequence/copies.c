/* SPDX-License-Identifier: MIT
   Copies of windows: found by their numbers whatever they are called, across parts and in files that a
   model does not know; windows of one number, and those that differ in a last bit, are none. */
#include <math.h>
#include <string.h>

#include "sequence/report/report.h"
#include "tests/unit/sequence/saved_windows.h"

enum { N = 8, C = 2, T = 5 };
static const char *const people[] = { "A", "B", "C", "D" },
                         *const recordings[] = { "R1", "R2", "R3", "R4" },
                         *const classes[] = { "left", "right" }, *const channels[] = { "C3", "C4" };
static const int32_t labels[N] = { 0, 1, 0, 1, 0, 1, 0, 1 }, subject[N] = { 0, 0, 1, 1, 2, 2, 3, 3 };
static const double onset[N] = { 1, 2, 1, 2, 1, 2, 1, NAN };
static float x[N][C][T];

static void fill(void)
{
    for (int i = 0; i < N; i++)
        for (int c = 0; c < C; c++)
            for (int t = 0; t < T; t++) x[i][c][t] = (float)(100 * i + 10 * c + t);
}

static struct kl_file *open_set(struct kl_sequence_set *set, const char *name)
{
    const struct kl_sequence_windows w = { .n = N,
                                           .channels = C,
                                           .steps = T,
                                           .rate = 80,
                                           .unit = "uV",
                                           .x = &x[0][0][0],
                                           .labels = labels,
                                           .subject = subject,
                                           .recording = subject,
                                           .onset = onset,
                                           .n_classes = 2,
                                           .n_subjects = 4,
                                           .n_recordings = 4,
                                           .class_names = classes,
                                           .subject_names = people,
                                           .recording_names = recordings,
                                           .channel_names = channels };
    struct kl_error err = { 0 };
    CHECK(save_windows(name, &w, &err) == 0, "%s", err.text);
    struct kl_file *file = open_windows(name);
    CHECK(kl_sequence_set_open(set, &file, 1, &err) == 0, "%s", err.text);
    return file;
}

/* A trains, B validates, C tests; D is in no part. */
static struct kl_sequence_split split_of(const struct kl_sequence_set *set)
{
    struct kl_sequence_split s = { .folds = 1 };
    struct kl_error err = { 0 };
    for (int k = 0; k < KL_SEQUENCE_PARTS; k++) {
        s.part[k] = malloc(2 * sizeof *s.part[k]);
        s.n[k] = 2, s.part[k][0] = 2 * k, s.part[k][1] = 2 * k + 1;
    }
    CHECK(kl_sequence_split_digest(&s, set, &err) == 0, "%s", err.text);
    return s;
}

/* The check's code, with the words that it must say. */
static void parts(int expected, const char *says)
{
    struct kl_sequence_set set;
    struct kl_error err = { 0 };
    struct kl_file *file = open_set(&set, "windows.h5");
    struct kl_sequence_split s = split_of(&set);
    CHECK(kl_sequence_split_check_copies(&s, &set, &err) == expected, "%s", err.text);
    CHECK(!says || strstr(err.text, says), "%s", err.text);
    kl_sequence_split_free(&s), kl_sequence_set_close(&set), kl_store_file_close(&file);
}

static void across_parts(void)
{
    fill(), parts(0, NULL);
    memcpy(x[6], x[0], sizeof x[0]), parts(0, NULL);         /* in no part */
    fill(), memcpy(x[1], x[0], sizeof x[0]), parts(0, NULL); /* in one part */
    fill(), memcpy(x[4], x[1], sizeof x[1]);
    parts(KL_EDATA, "a window of recording 'R1' of 'A' at 2 s, in the training part, is that of "
                    "recording 'R3' of 'C' at 1 s, in the test part");
    x[4][1][3] = nextafterf(x[4][1][3], INFINITY), parts(0, NULL);
    fill();
    for (int i = 0; i < N; i += 2)
        for (int k = 0; k < C * T; k++) x[i][k / T][k % T] = 7;
    parts(0, NULL); /* all numbers are one */
}

/* D's windows come in file `number` of two, which the model does not know. */
static int fresh(const struct kl_sequence_set *set, int32_t number, bool digests, struct kl_error *err)
{
    static int32_t part[N] = { 0, 0, 1, 1, 2, 2, -1, -1 };
    struct kl_sequence_split s = split_of(set);
    struct kl_file *file = NULL;
    char path[1024];
    CHECK(kl_store_file_open(&file, in_folder(path, "windows.h5"), err) == 0, "%s", err->text);
    struct kl_file *const files[] = { file, file };
    struct kl_sequence_learned m = { .n = N,
                                     .part = part,
                                     .person = (int32_t *)subject,
                                     .recording = (int32_t *)subject,
                                     .people = (char **)people,
                                     .recordings = (char **)recordings,
                                     .digests = digests ? s.digests : NULL };
    struct kl_sequence_tested tested[] = { { 4, 0, 0, false },
                                           { 6, 0, number, true },
                                           { 7, 0, number, true } };
    struct kl_sequence_report r = { .model_files = files,
                                    .window_files = files,
                                    .n_models = 1,
                                    .n_windows = 2,
                                    .set = *set,
                                    .models = &m,
                                    .tested = tested,
                                    .n = 3 };
    const int code = kl_sequence_report_check_copies(&r, err);
    CHECK((r.undigested != NULL) == !digests);
    kl_sequence_split_free(&s), kl_store_file_close(&file);
    return code;
}

static void in_fresh_files(int of, int32_t number, int expected, const char *says)
{
    struct kl_sequence_set set;
    struct kl_error err = { 0 };
    fill();
    if (of >= 0) memcpy(x[7], x[of], sizeof x[7]);
    struct kl_file *file = open_set(&set, "windows.h5");
    CHECK(fresh(&set, number, true, &err) == expected, "%d: %s", of, err.text);
    CHECK(!says || strstr(err.text, says), "%s", err.text);
    CHECK(fresh(&set, number, false, &err) == (of == 4 && number ? KL_EDATA : 0), "an older model: %s",
          err.text);
    kl_sequence_set_close(&set), kl_store_file_close(&file);
}

int main(void)
{
    make_test_folder();
    across_parts();
    in_fresh_files(-1, 1, 0, NULL);
    in_fresh_files(5, 1, 0, NULL); /* it was not trained on that one, nor is it tested on it */
    in_fresh_files(4, 0, 0, NULL); /* twice, in one file */
    in_fresh_files(4, 1, KL_EDATA, "stands in");
    in_fresh_files(0, 1, KL_EDATA,
                   "windows.h5: a window of 'D', recording 'R4', is one of 'A', recording 'R1', that "
                   "trained the model");
    in_fresh_files(3, 1, KL_EDATA, "is one of 'B', recording 'R2', that chose the model's epoch");
    return failures != 0;
}
