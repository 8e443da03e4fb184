/* SPDX-License-Identifier: MIT
   windows: labelled stretches of recordings, or arrays, as files of kind `windows`: one file a person,
   or any number of them in one. Datasets: x (n, channels, steps) float32; labels (n) int32, -1: none;
   class_names; subject (n) int32 into subject_names; recording (n) int32 into recording_names; onset (n)
   float64, seconds in its recording, NaN: unknown; duration (n) float64, seconds of its annotation, NaN:
   not given (where windows were held against annotations' ends); channel_names. Attributes: rate (Hz, 0:
   unknown), unit ("uV", "1"), steps_before (samples of a window before its event; negative: it begins
   behind), preprocessing (text: what filters, reference and baseline did; of recordings). */
#ifndef KL_SEQUENCE_WINDOWS_H
#define KL_SEQUENCE_WINDOWS_H

#include "base/base.h"
#include "store/store.h"
struct kl_file;
struct kl_kind;
struct kl_mode;
struct kl_tool;
struct kl_writer;

extern const struct kl_kind kl_sequence_windows_kind;
enum { KL_SEQUENCE_WINDOWS_SCHEMA = 1, KL_SEQUENCE_PREPROCESSING = 128 };

/* ---- reading (set.c): windows of several files as one list, mapped: memory does not grow with them
 * ---- */
struct kl_sequence_set {
    size_t n, channels, steps;
    double rate;
    int64_t steps_before;
    char unit[16];
    char preprocessing[KL_SEQUENCE_PREPROCESSING]; /* filters, reference, baseline; "": not said */
    int32_t *labels;                               /* (n), -1: none */
    int32_t *subject, *recording; /* (n), numbers over all files: equal names are one subject; recordings
                                     are told apart by name and file */
    double *onset;                /* (n) */
    size_t n_classes, n_subjects, n_recordings;
    char **class_names, **subject_names, **recording_names, **channel_names;
    bool *unsaid; /* (n_subjects) a person's name is that of the only recording, and neither that name
                     nor whoever cut it says whose it is */
    struct kl_sequence_set_file *files; /* (hidden) */
    size_t n_files;
};
/* files: open, of this kind; they must outlive the set. Channels, steps, rate, unit, preprocessing,
   classes must agree, and no file may stand twice. KL_EDATA names the first file that differs, and in
   what; KL_EIO, KL_ENOMEM. Close it in any case. */
int kl_sequence_set_open(struct kl_sequence_set *set, struct kl_file *const *files, size_t n_files,
                         struct kl_error *err);
/* Window i (channels, steps), contiguous, mapped; its block's digest was checked. Thread-safe. NULL: the
   file cannot be read (err). */
const float *kl_sequence_set_window(const struct kl_sequence_set *set, size_t i, struct kl_error *err);
/* KL_EIO: one of the files was written to since it was opened (kl_store_map_unchanged). */
int kl_sequence_set_unchanged(const struct kl_sequence_set *set, struct kl_error *err);
/* Write what a model of these windows depends on as root attributes of its file: unit, steps_before,
   preprocessing. (file.c) */
int kl_sequence_set_describe(const struct kl_sequence_set *set, struct kl_writer *writer,
                             struct kl_error *err);
void kl_sequence_set_close(struct kl_sequence_set *set);

/* ---- writing (file.c) ---- */
struct kl_sequence_windows {
    size_t n, channels, steps;
    double rate;
    int64_t steps_before;
    const char *unit;
    const char *preprocessing; /* in words, equal where it is; NULL: none is known */
    const float *x; /* (n, channels, steps); NULL: whoever writes puts its rows (kl_store_writer_rows)
                       into the dataset whose number *x_dataset receives */
    const int32_t *labels, *subject, *recording; /* (n) */
    const double *onset;                         /* (n) */
    const double *duration;                      /* (n) or NULL: not in the file */
    size_t n_classes, n_subjects, n_recordings;
    const char *const *class_names, *const *subject_names, *const *recording_names;
    const char *const *channel_names; /* (channels) */
};
/* All datasets and attributes into a file that was opened with this kind and schema. x_dataset may be
   NULL where x is given. KL_EDATA: what is no such file, a number out of its list or not finite. */
int kl_sequence_windows_write(struct kl_writer *writer, const struct kl_sequence_windows *windows,
                              int *x_dataset, struct kl_error *err);

/* ---- `qseq windows` (mode_windows.c) ---- */
extern const struct kl_tool kl_sequence_windows_tool;
extern const struct kl_mode kl_sequence_mode_windows;

/* channel_positions of n channels by their names. */
int kl_sequence_positions_put(struct kl_writer *writer, const char *const *names, size_t n,
                              struct kl_error *err);

/* ---- Lists of names, and of numbers into them, in files of this family of rooms ---- */

/* Dataset of n texts of a fixed length. */
int kl_sequence_names_put(struct kl_writer *writer, const char *dataset, const char *const *names,
                          size_t n, struct kl_error *err);
/* The same, malloc'ed, printable, with a NULL behind. KL_EDATA, KL_EIO, KL_ENOMEM; *names may be partly
   filled then: free it in any case. */
int kl_sequence_names_take(char ***names, size_t *n, struct kl_file *file, const char *dataset,
                           struct kl_error *err);
/* (n) numbers of such a list, each from `least` (0; -1: none) to names - 1; malloc'ed. KL_EDATA, KL_EIO,
   KL_ENOMEM; free *numbers in any case. */
int kl_sequence_numbers_take(int32_t **numbers, struct kl_file *file, const char *dataset, size_t n,
                             int32_t least, size_t names, struct kl_error *err);
void kl_sequence_names_free(char **names, size_t n); /* accepts NULL */

#endif
