/* SPDX-License-Identifier: MIT
   Near copies across parts, of signals that are known at every time, so that a shift by any part of a
   step is exact: found whatever the gain, the offset, some noise; where the correlation is known to be
   below 0.99 they are none; nor are people who only share a rhythm. */
#include <math.h>
#include <string.h>

#include "sequence/learn/fitted.h"
#include "tests/unit/sequence/saved_windows.h"

enum { PEOPLE = 4, EACH = 12, N = PEOPLE * EACH, C = 4, T = 160, WAVES = 12 };
static const char *const people[] = { "A", "B", "C", "D" },
                         *const recordings[] = { "R1", "R2", "R3", "R4" },
                         *const classes[] = { "left", "right" },
                         *const channels[] = { "F3", "F4", "C3", "C4" };
static float x[N][C][T];

static double uniform(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / 16777216;
}

/* Sum of 12 uniforms less 6: mean 0, variance 1. */
static double normal(uint32_t *state)
{
    double sum = -6;
    for (int i = 0; i < 12; i++) sum += uniform(state);
    return sum;
}

/* Window `of`, `shift` steps later: waves of up to a third of a cycle a step, variance 100. */
static void wave(float to[C][T], int of, double shift)
{
    for (int c = 0; c < C; c++) {
        uint32_t state = (uint32_t)(of * C + c) * 2654435761u + 1;
        memset(to[c], 0, sizeof to[c]);
        for (int k = 0; k < WAVES; k++) {
            const double f = 0.33 * uniform(&state), phase = 2 * M_PI * uniform(&state);
            for (int t = 0; t < T; t++)
                to[c][t] += (float)(10 * sqrt(2. / WAVES) * sin(2 * M_PI * f * (t + shift) + phase));
        }
    }
}

static void fill(void)
{
    for (int i = 0; i < N; i++) wave(x[i], i, 0);
}

/* The first n windows of the tested person become those of the first one. */
static void copy(int n, double shift, double gain, double offset, double noise)
{
    uint32_t state = 7;
    fill();
    for (int i = 0; i < n; i++) {
        float(*to)[T] = x[(PEOPLE - 1) * EACH + i];
        wave(to, i, shift);
        for (int k = 0; k < C * T; k++)
            to[k / T][k % T] =
                (float)(gain * ((double)to[k / T][k % T] + noise * normal(&state)) + offset);
    }
}

static void open_set(struct kl_sequence_set *set, struct kl_file **file)
{
    static int32_t labels[N], subject[N];
    static double onset[N];
    for (int i = 0; i < N; i++) labels[i] = i % 2, subject[i] = i / EACH, onset[i] = 5 * (i % EACH);
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
                                           .n_subjects = PEOPLE,
                                           .n_recordings = PEOPLE,
                                           .class_names = classes,
                                           .subject_names = people,
                                           .recording_names = recordings,
                                           .channel_names = channels };
    struct kl_error err = { 0 };
    CHECK(save_windows("near.h5", &w, &err) == 0, "%s", err.text);
    *file = open_windows("near.h5");
    CHECK(kl_sequence_set_open(set, file, 1, &err) == 0, "%s", err.text);
}

/* A, B train, C validates, D tests: the check's code; what it says, as an error or as a caution (NULL:
   nothing). */
static void look(const char *what, int expected, const char *says)
{
    struct kl_sequence_set set;
    struct kl_sequence_split split;
    struct kl_sequence_split_options o;
    struct kl_error err = { 0 };
    struct kl_file *file;
    char *text;
    size_t size;
    const struct kl_log log = { "t", open_memstream(&text, &size), 1, NULL };
    open_set(&set, &file);
    kl_sequence_split_options_default(&o);
    o.kind = KL_SEQUENCE_SPLIT_LOSO, o.fold = PEOPLE - 1;
    CHECK(kl_sequence_split_make(&split, &set, &o, &err) == 0, "%s", err.text);
    CHECK(kl_sequence_split_check_near(&split, &set, &log, &err) == expected, "%s: %s", what, err.text);
    fclose(log.to);
    const char *said = expected ? err.text : text;
    CHECK(says ? strstr(said, says) != NULL : !*said, "%s: said '%s'", what, said);
    free(text);
    kl_sequence_split_free(&split), kl_sequence_set_close(&set), kl_store_file_close(&file);
}

/* A window correlates with itself and noise of r times its deviation by 1 / sqrt(1 + r^2). */
static void copies(void)
{
    static const char all[] = "12 windows of recording 'R4' of 'D' are near copies (correlation above "
                              "0.99) of windows of 'R1' of 'A', in another part";
    copy(0, 0, 1, 0, 0), look("nobody's", 0, NULL);
    copy(EACH, 0, 1, 0, 0), look("equal", KL_EDATA, all);
    copy(EACH, 0, 0.037, 500, 0), look("gain and offset", KL_EDATA, all);
    copy(EACH, 0, -1, 0, 0), look("turned over", KL_EDATA, all);
    copy(EACH, 0, 1, 0, 0.8), look("noise, 0.997", KL_EDATA, all);
    copy(EACH, 0, 1, 0, 2.5), look("noise, 0.970", 0, NULL);
    copy(EACH, 3, 1, 0, 0), look("3 steps", KL_EDATA, all);
    copy(EACH, -2.5, 1, 0, 0), look("2.5 steps before", KL_EDATA, all);
    copy(EACH, 7.25, 1, 0, 0.5), look("7.25 steps and noise", KL_EDATA, all);
    copy(EACH, 40, 1, 0, 0), look("40 steps, which is not looked for", 0, NULL);
}

static void some(void)
{
    copy(EACH / 2, 0, 1, 0, 0.5), look("half", KL_EDATA, "6 windows of recording 'R4' of 'D'");
    copy(2, 0, 1, 0, 0.5);
    look("two", 0,
         "2 windows correlate above 0.99 with windows of another part, the first of recording 'R4' of "
         "'D' with one of 'R1' of 'A'");
    fill();
    for (int i = 1; i < EACH; i++) memcpy(x[i], x[0], sizeof *x);
    look("in one part", 0, NULL);
}

/* One wave in all, of any phase: each is near many others, which makes nobody a copy. */
static void rhythm(void)
{
    uint32_t state = 3;
    for (int i = 0; i < N; i++) {
        const double phase = 2 * M_PI * uniform(&state);
        for (int c = 0; c < C; c++)
            for (int t = 0; t < T; t++)
                x[i][c][t] = (float)(10 * sin(2 * M_PI * 0.125 * t + phase) + 0.1 * normal(&state));
    }
    look("one rhythm", 0, "one rhythm in all, in which copies cannot be told");
}

int main(void)
{
    make_test_folder();
    copies();
    some();
    rhythm();
    return failures != 0;
}
