/* SPDX-License-Identifier: MIT
   Files of windows as one list: written, opened, mapped; what must agree, what is refused. */
#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/store.h"
#include "tests/unit/sequence/saved_windows.h"

enum { N = 5, C = 3, T = 7 };
static const char *const classes[] = { "left", "right" }, *const channels[] = { "FC5", "Cz", "C4" };
static const char *const subjects[] = { "S001" }, *const others[] = { "S001", "S002" };
static const char *const recordings[] = { "R04", "R08" };
static float x[N * C * T];
static const int32_t labels[N] = { 0, 1, 1, -1, 0 }, one[N] = { 0 }, two[N] = { 0, 1, 1, 0, 1 };
static const double onset[N] = { 4.1, 8.2, 12, NAN, 16 };

static struct kl_sequence_windows example(void)
{
    return (struct kl_sequence_windows){ .n = N,
                                         .channels = C,
                                         .steps = T,
                                         .rate = 80,
                                         .steps_before = -80,
                                         .unit = "uV",
                                         .x = x,
                                         .labels = labels,
                                         .subject = one,
                                         .recording = two,
                                         .onset = onset,
                                         .n_classes = 2,
                                         .n_subjects = 1,
                                         .n_recordings = 2,
                                         .class_names = classes,
                                         .subject_names = subjects,
                                         .recording_names = recordings,
                                         .channel_names = channels };
}

static void check_two(void)
{
    struct kl_sequence_set set;
    struct kl_error err = { 0 };
    struct kl_sequence_windows w = example();
    CHECK(save_windows("a.h5", &w, &err) == 0, "%s", err.text);
    w.subject = two, w.n_subjects = 2, w.subject_names = others, w.n = 4;
    CHECK(save_windows("b.h5", &w, &err) == 0, "%s", err.text);
    struct kl_file *files[] = { open_windows("a.h5"), open_windows("b.h5") };
    CHECK(kl_sequence_set_open(&set, files, 2, &err) == 0, "%s", err.text);
    CHECK(set.n == 9 && set.channels == C && set.steps == T && set.rate == 80 && set.n_classes == 2);
    CHECK(strcmp(set.unit, "uV") == 0 && set.steps_before == -80);
    CHECK(set.n_subjects == 2 && strcmp(set.subject_names[1], "S002") == 0 && set.subject[5] == 0 &&
          set.subject[6] == 1);
    CHECK(set.n_recordings == 4 && set.recording[1] == 1 && set.recording[5] == 2 &&
              strcmp(set.recording_names[2], "R04") == 0,
          "recordings of two files are two");
    CHECK(set.labels[3] == -1 && isnan(set.onset[8]) && set.onset[2] == 12);
    for (size_t i = 0; i < set.n; i++) {
        const float *window = kl_sequence_set_window(&set, i, &err);
        CHECK(window && memcmp(window, x + i % N * C * T, sizeof(float) * C * T) == 0, "window %zu", i);
    }
    kl_sequence_set_close(&set);
    struct kl_file *twice[] = { files[0], files[0] };
    CHECK(kl_sequence_set_open(&set, twice, 2, &err) == KL_EDATA &&
          strstr(err.text, "the same windows"));
    kl_sequence_set_close(&set);
    kl_store_file_close(&files[0]), kl_store_file_close(&files[1]);
}

/* That it is mapped, not copied, where it is large. */
static void check_mapped(void)
{
    enum { MANY = 400 };
    static float large[MANY * C * T * 8];
    static int32_t none[MANY];
    static double when[MANY];
    struct kl_error err = { 0 };
    struct kl_sequence_windows w = example();
    const struct kl_dataset *d;
    struct kl_map map;
    w.n = MANY, w.steps = T * 8, w.x = large, w.labels = w.subject = w.recording = none, w.onset = when;
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) large[i] = (float)i;
    CHECK(save_windows("large.h5", &w, &err) == 0, "%s", err.text);
    struct kl_file *file = open_windows("large.h5");
    CHECK(kl_store_file_expect(&d, file, "x", KL_TYPE_F32, 3, &err) == 0, "%s", err.text);
    CHECK(kl_store_map_open(&map, file, d, &err) == 0 && map.base && !map.copy, "%s", err.text);
    const float *rows = kl_store_map_rows(&map, 399, 1, &err);
    CHECK(rows && rows[5] == large[399 * C * T * 8 + 5]);
    CHECK(!kl_store_map_rows(&map, 399, 2, &err) && err.code == KL_EINTERNAL);
    kl_store_map_close(&map);
    kl_store_file_close(&file);
}

/* A file that is cut ends the process that looks at it, in one line; one that is written to is told when
   that is asked. */
static void check_cut(void)
{
    struct kl_error err = { 0 };
    const struct kl_dataset *d;
    struct kl_map map;
    char path[1024], line[1200] = "", expected[1200];
    int ends[2], status = 0;
    struct kl_file *file = open_windows("large.h5");
    CHECK(kl_store_file_expect(&d, file, "x", KL_TYPE_F32, 3, &err) == 0, "%s", err.text);
    CHECK(kl_store_map_open(&map, file, d, &err) == 0 && kl_store_map_rows(&map, 0, 1, &err));
    CHECK(kl_store_map_unchanged(&map, &err) == 0, "%s", err.text);
    in_folder(path, "large.h5");
    CHECK(pipe(ends) == 0);
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        if (truncate(path, 4096)) _exit(1);
        const float *rows = kl_store_map_rows(&map, 399, 1, &err);
        _exit(rows ? rows[C * T * 8 - 1] > 0 : 2);
    }
    close(ends[1]);
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 74, "status %x", (unsigned)status);
    CHECK(read(ends[0], line, sizeof line - 1) > 0);
    snprintf(expected, sizeof expected, "windows_set: %.200s: became shorter while it was read\n", path);
    CHECK(strcmp(line, expected) == 0, "%s", line);
    CHECK(kl_store_map_unchanged(&map, &err) == KL_EIO && strstr(err.text, "was written to"), "%s",
          err.text);
    close(ends[0]);
    kl_store_map_close(&map);
    kl_store_file_close(&file);
}

static void refused(const struct kl_sequence_windows *w, const char *words)
{
    struct kl_sequence_set set;
    struct kl_error err = { 0 };
    CHECK(save_windows("other.h5", w, &err) == 0, "%s", err.text);
    struct kl_file *files[] = { open_windows("a.h5"), open_windows("other.h5") };
    CHECK(kl_sequence_set_open(&set, files, 2, &err) == KL_EDATA && strstr(err.text, words), "%s",
          err.text);
    kl_sequence_set_close(&set);
    kl_store_file_close(&files[0]), kl_store_file_close(&files[1]);
}

static void check_refused(void)
{
    const char *const swapped[] = { "right", "left" }, *const other[] = { "FC5", "C3", "C4" };
    struct kl_sequence_windows w = example();
    struct kl_error err = { 0 };
    w.rate = 100, refused(&w, "100 samples a second, 80 in "), w = example();
    w.class_names = swapped, refused(&w, "class 0 is 'right', 'left' in "), w = example();
    w.channel_names = other, refused(&w, "channel 1 is 'C3', 'Cz' in "), w = example();
    w.steps = T - 1, refused(&w, "windows of 6 steps, 7 in "), w = example();
    w.unit = "1", refused(&w, "in '1', in 'uV' in "), w = example();
    w.rate = NAN, refused(&w, "rate nan, steps_before "), w = example();
    w.n_classes = 1;
    CHECK(save_windows("no.h5", &w, &err) == KL_EDATA && strstr(err.text, "label of window 1"));
    w = example(), x[C * T + T] = NAN;
    CHECK(save_windows("no.h5", &w, &err) == KL_EDATA &&
              strstr(err.text, "window 1, channel Cz, step 0"),
          "%s", err.text);
    w.n = 0;
    CHECK(save_windows("no.h5", &w, &err) == KL_EDATA);
}

int main(void)
{
    make_test_folder();
    for (int i = 0; i < N * C * T; i++) x[i] = (float)(0.5 * i - 3);
    check_two();
    check_mapped();
    check_cut();
    check_refused();
    return failures != 0;
}
