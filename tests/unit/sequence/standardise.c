/* SPDX-License-Identifier: MIT
   Alignment and standardisation by hand: by training windows alone, by each person's own, by a part of
   them; directions without power are left out. */
#include "sequence/learn/fitted.h"

#include <math.h>
#include <string.h>

#include "tests/unit/sequence/saved_windows.h"

/* Two windows each of A and B: (4, 2, -2, -4), (2, 4, -4, -2), of B ten times that, the second window of
   each with the other sign. Their mean moment is ((10, 8), (8, 10)), whose inverse root is sqrt(2) / 6
   ((2, -1), (-1, 2)). The two of C have the moments diag(9, 1) and diag(36, 1). */
enum { N = 6, T = 4, STRIDE = 16 };
static const char *const people[] = { "A", "B", "C" }, *const recordings[] = { "R" },
                         *const classes[] = { "left", "right" },
                         *const channels[] = { "C3", "Cz", "C4" };
static const int32_t labels[N] = { 0, 1, 0, 1, 0, -1 }, subject[N] = { 0, 0, 1, 1, 2, 2 },
                     none[N] = { 0 };
static const double onset[N] = { 1, 2, 1, 2, 1, 2 };
static const float of_a[2][T] = { { 4, 2, -2, -4 }, { 2, 4, -4, -2 } },
                   of_c[2][T] = { { 3, 3, -3, -3 }, { 1, -1, 1, -1 } };
static float x[N][2][T];

static void fill(void)
{
    for (int c = 0; c < 2; c++)
        for (int t = 0; t < T; t++) {
            x[0][c][t] = of_a[c][t], x[1][c][t] = -of_a[c][t];
            x[2][c][t] = 10 * of_a[c][t], x[3][c][t] = -10 * of_a[c][t];
            x[4][c][t] = of_c[c][t], x[5][c][t] = (c ? 1 : 2) * of_c[c][t];
        }
}

/* Windows [first, first + n) of values (N, n_channels, T) as a set. */
static struct kl_file *open_set(struct kl_sequence_set *set, const char *name, const float *values,
                                size_t n_channels, size_t first, size_t n)
{
    const struct kl_sequence_windows w = { .n = n,
                                           .channels = n_channels,
                                           .steps = T,
                                           .rate = 80,
                                           .unit = "uV",
                                           .x = values + first * n_channels * T,
                                           .labels = labels + first,
                                           .subject = subject + first,
                                           .recording = none,
                                           .onset = onset + first,
                                           .n_classes = 2,
                                           .n_subjects = 3,
                                           .n_recordings = 1,
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

static void gives(const struct kl_sequence_standard *s, const struct kl_sequence_set *set, size_t i,
                  const double expected[2][T], const char *what)
{
    float out[2 * STRIDE];
    struct kl_error err = { 0 };
    memset(out, 0x7f, sizeof out);
    const int64_t person = kl_sequence_standard_person(s, set->subject_names[set->subject[i]]);
    CHECK(person >= 0, "%s: nobody", what);
    kl_sequence_standard_apply(out, s, (size_t)person, kl_sequence_set_window(set, i, &err), T, STRIDE);
    for (int c = 0; c < 2; c++)
        for (int t = 0; t < STRIDE; t++)
            CHECK(fabs((double)out[c * STRIDE + t] - (t < T ? expected[c][t] : 0)) < 1e-5,
                  "%s: window %zu, channel %d, step %d: %g", what, i, c, t, (double)out[c * STRIDE + t]);
}

static struct kl_sequence_standard fit(const struct kl_sequence_set *set,
                                       enum kl_sequence_standard_kind kind,
                                       enum kl_sequence_alignment align)
{
    static const int64_t train[2] = { 0, 1 }; /* A's */
    const struct kl_sequence_standard_options o = { kind, align };
    struct kl_sequence_standard s;
    struct kl_error err = { 0 };
    CHECK(kl_sequence_standard_fit(&s, set, &o, train, 2, &err) == 0, "%s", err.text);
    CHECK(s.lost == 0 && kl_sequence_standard_own(&s) == (s.names != NULL));
    return s;
}

#define R 1.4142135623730951
static const double aligned_a[2][T] = { { R, 0, 0, -R }, { 0, R, -R, 0 } },
                    aligned_b[2][T] = { { 10 * R, 0, 0, -10 * R }, { 0, 10 * R, -10 * R, 0 } };

/* A matrix of the training windows alone: it is the same whoever else is there. */
static void by_training(const struct kl_sequence_set *set)
{
    struct kl_sequence_standard s = fit(set, KL_SEQUENCE_STANDARD_NONE, KL_SEQUENCE_ALIGN_TRAIN);
    const double expected[4] = { R / 3, -R / 6, -R / 6, R / 3 };
    for (int i = 0; i < 4; i++) CHECK(fabs(s.align_by[i] - expected[i]) < 1e-14, "%g", s.align_by[i]);
    gives(&s, set, 0, aligned_a, "train"), gives(&s, set, 2, aligned_b, "train");
    CHECK(!s.names && kl_sequence_standard_person(&s, "whoever") == 0);
    kl_sequence_standard_free(&s);
    /* The standardisation is fitted on aligned windows: of these, mean 0 and deviation 1. */
    s = fit(set, KL_SEQUENCE_STANDARD_TRAIN, KL_SEQUENCE_ALIGN_TRAIN);
    for (int c = 0; c < 2; c++)
        CHECK(fabsf(s.mean[c]) < 1e-6f && fabsf(s.scale[c] - 1) < 1e-6f, "%g %g", (double)s.mean[c],
              (double)s.scale[c]);
    gives(&s, set, 2, aligned_b, "train, train");
    kl_sequence_standard_free(&s);
    /* Without alignment: millivolts. */
    s = fit(set, KL_SEQUENCE_STANDARD_NONE, KL_SEQUENCE_ALIGN_NONE);
    gives(&s, set, 0, (const double[2][T]){ { .004, .002, -.002, -.004 }, { .002, .004, -.004, -.002 } },
          "none");
    kl_sequence_standard_free(&s);
}

static void by_person(const struct kl_sequence_set *set)
{
    struct kl_sequence_standard s = fit(set, KL_SEQUENCE_STANDARD_NONE, KL_SEQUENCE_ALIGN_SUBJECT);
    const double c = 3 / sqrt(22.5);
    CHECK(s.people == 3 && kl_sequence_standard_person(&s, "D") == -1);
    gives(&s, set, 0, aligned_a, "subject"), gives(&s, set, 2, aligned_a, "subject");
    gives(&s, set, 4, (const double[2][T]){ { c, c, -c, -c }, { 1, -1, 1, -1 } }, "subject");
    kl_sequence_standard_free(&s);
    /* B's deviation is that of B's windows, after the matrix of A's. */
    s = fit(set, KL_SEQUENCE_STANDARD_SUBJECT, KL_SEQUENCE_ALIGN_TRAIN);
    CHECK(kl_sequence_standard_rows(&s) == 3 && fabsf(s.scale[2] - 0.1f) < 1e-6f, "%g",
          (double)s.scale[2]);
    gives(&s, set, 2, aligned_a, "train, subject");
    kl_sequence_standard_free(&s);
}

/* Another set, with the second window of C alone: what is C's own becomes that window's. */
static void refitted(const struct kl_sequence_set *set, const struct kl_sequence_set *part)
{
    const bool wanted[3] = { false, false, true };
    const double alone[2][T] = { { 1, 1, -1, -1 }, { 1, -1, 1, -1 } };
    struct kl_error err = { 0 };
    struct kl_sequence_standard s = fit(set, KL_SEQUENCE_STANDARD_SUBJECT, KL_SEQUENCE_ALIGN_SUBJECT);
    CHECK(kl_sequence_standard_refit(&s, part, wanted, &err) == 0, "%s", err.text);
    CHECK(s.people == 1 && kl_sequence_standard_person(&s, "A") == -1);
    gives(&s, part, 0, alone, "refitted");
    kl_sequence_standard_free(&s);

    s = fit(set, KL_SEQUENCE_STANDARD_SUBJECT, KL_SEQUENCE_ALIGN_TRAIN);
    const double was = s.align_by[0];
    CHECK(kl_sequence_standard_refit(&s, part, wanted, &err) == 0, "%s", err.text);
    CHECK(s.align_by[0] <= was && s.align_by[0] >= was && kl_sequence_standard_rows(&s) == 1);
    kl_sequence_standard_free(&s);

    s = fit(set, KL_SEQUENCE_STANDARD_TRAIN, KL_SEQUENCE_ALIGN_SUBJECT);
    const float scale = s.scale[0];
    CHECK(kl_sequence_standard_refit(&s, part, wanted, &err) == 0, "%s", err.text);
    CHECK(s.scale[0] <= scale && s.scale[0] >= scale);
    gives(&s, part, 0, alone, "refitted, train");
    kl_sequence_standard_free(&s);

    s = fit(set, KL_SEQUENCE_STANDARD_TRAIN, KL_SEQUENCE_ALIGN_TRAIN);
    CHECK(kl_sequence_standard_refit(&s, part, wanted, &err) == 0 && !s.names, "%s", err.text);
    gives(&s, set, 0, aligned_a, "nothing of anyone's own");
    kl_sequence_standard_free(&s);
}

/* The third channel is minus the sum of the others: one direction has no power. The mean moment of what
   is aligned is a projection on the two others. Without any power nothing can be aligned. */
static void without_power(void)
{
    static float more[N][3][T];
    struct kl_sequence_set set;
    struct kl_sequence_standard s;
    struct kl_error err = { 0 };
    double moment[3][3] = { { 0 } };
    struct kl_sequence_standard_options o = { KL_SEQUENCE_STANDARD_NONE, KL_SEQUENCE_ALIGN_TRAIN };
    for (int i = 0; i < N; i++)
        for (int t = 0; t < T; t++) {
            more[i][0][t] = 0.3f * x[i][0][t], more[i][1][t] = 0.7f * x[i][1][t];
            more[i][2][t] = -(more[i][0][t] + more[i][1][t]);
        }
    struct kl_file *file = open_set(&set, "three.h5", &more[0][0][0], 3, 0, N);
    CHECK(kl_sequence_standard_fit(&s, &set, &o, NULL, 0, &err) == 0, "%s", err.text);
    CHECK(s.lost == 1, "%zu", s.lost);
    for (int i = 0; i < N; i++) {
        float y[3][STRIDE];
        kl_sequence_standard_apply(&y[0][0], &s, 0, kl_sequence_set_window(&set, (size_t)i, &err), T,
                                   STRIDE);
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++)
                for (int t = 0; t < T; t++) moment[a][b] += (double)y[a][t] * (double)y[b][t] / (N * T);
    }
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            CHECK(fabs(moment[a][b] - ((a == b) - 1 / 3.0)) < 1e-5, "%d %d: %g", a, b, moment[a][b]);
    kl_sequence_standard_free(&s), kl_sequence_set_close(&set), kl_store_file_close(&file);

    memset(more[4], 0, 2 * sizeof more[4]);
    o.align = KL_SEQUENCE_ALIGN_SUBJECT;
    file = open_set(&set, "still.h5", &more[0][0][0], 3, 0, N);
    CHECK(kl_sequence_standard_fit(&s, &set, &o, NULL, 0, &err) == KL_EDATA);
    CHECK(strstr(err.text, "'C'") && strstr(err.text, "no power"), "%s", err.text);
    kl_sequence_standard_free(&s), kl_sequence_set_close(&set), kl_store_file_close(&file);
}

static void words(void)
{
    CHECK(!kl_sequence_transductive(KL_SEQUENCE_STANDARD_TRAIN, KL_SEQUENCE_ALIGN_TRAIN));
    CHECK(!strcmp(kl_sequence_transductive(KL_SEQUENCE_STANDARD_SUBJECT, KL_SEQUENCE_ALIGN_NONE),
                  "--standardise subject"));
    CHECK(!strcmp(kl_sequence_transductive(KL_SEQUENCE_STANDARD_NONE, KL_SEQUENCE_ALIGN_SUBJECT),
                  "--align subject"));
}

int main(void)
{
    struct kl_sequence_set set, part;
    make_test_folder();
    fill();
    struct kl_file *file = open_set(&set, "all.h5", &x[0][0][0], 2, 0, N),
                   *other = open_set(&part, "part.h5", &x[0][0][0], 2, 5, 1);
    by_training(&set), by_person(&set), refitted(&set, &part);
    kl_sequence_set_close(&set), kl_sequence_set_close(&part);
    kl_store_file_close(&file), kl_store_file_close(&other);
    without_power(), words();
    return failures != 0;
}
