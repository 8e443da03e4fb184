/* SPDX-License-Identifier: MIT
   What the files of windows/ share: what is asked of recordings, labels by text or by run, the windows
   as they are collected, and what was counted. */
#ifndef KL_SEQUENCE_WINDOWS_INT_H
#define KL_SEQUENCE_WINDOWS_INT_H

#include "sequence/recording/recording.h"
#include "sequence/signal/signal.h"
#include "sequence/windows/windows.h"
#include "store/mode.h"

/* ---- labels (trials.c) ---- */
enum { KL_SEQUENCE_CLASSES = 32 };
struct kl_sequence_labels {
    const char *texts[KL_SEQUENCE_CLASSES]; /* of annotations */
    int32_t classes[KL_SEQUENCE_CLASSES];   /* their classes */
    size_t n, n_classes;
    const char *names[KL_SEQUENCE_CLASSES]; /* of the classes */
    const char *rule;                       /* "labels": they were given; "eegmmidb" */
    char *text;                             /* (hidden) */
};
/* "T1=left,\"a, b\"=right": quotes hold what has commas; "T1,T2": windows without classes, n_classes 0.
   KL_EUSAGE, KL_ENOMEM; free it in any case. */
int kl_sequence_labels_parse(struct kl_sequence_labels *labels, const char *text, struct kl_error *err);
/* Those of a task of PhysioNet's eegmmidb, by its number (kl_sequence_task_of_run). */
void kl_sequence_labels_of_task(struct kl_sequence_labels *labels, int task);
void kl_sequence_labels_free(struct kl_sequence_labels *labels);
/* The class of an annotation's text; -1: none. */
int32_t kl_sequence_label_of(const struct kl_sequence_labels *labels, const char *text);

#define KL_SEQUENCE_TASKS "executed-fist|imagined-fist|executed-both|imagined-both"
enum { KL_SEQUENCE_BASELINE = -1, KL_SEQUENCE_NO_RUN = -2 };
/* eegmmidb's runs: a number of KL_SEQUENCE_TASKS; KL_SEQUENCE_BASELINE: runs 1 and 2;
 * KL_SEQUENCE_NO_RUN. */
int kl_sequence_task_of_run(int run);
const char *kl_sequence_task_words(int task); /* "imagined left or right fist" */

/* ---- a recording's name (trials.c) ---- */
struct kl_sequence_name {
    char recording[64], subject[64]; /* "S001R04", "S001": the name before R and digits; BIDS' sub-LABEL;
                                        else all of it */
    int run;                         /* of eegmmidb, S001R04.edf; 0: the name has another form */
    bool says_whose;                 /* false: the subject is all of the name */
};
void kl_sequence_name_of(struct kl_sequence_name *name, const char *path);

/* ---- what is done to recordings ---- */
struct kl_sequence_cut {
    double rate; /* 0: as recorded */
    double from, to;
    double low, high, notch; /* Hz; 0: not */
    bool average;
    bool baseline;
    double baseline_from, baseline_to; /* seconds from the event; may lie outside the window */
    double chunk;  /* seconds: a window so often, as long as an annotation lasts; 0: one at its begin */
    double reject; /* microvolts, peak to peak; 0: not */
    bool split;    /* at gaps; else a recording with gaps is refused */
    double unit;   /* of channels of unknown unit, in volts; 0: they are refused */
    char **channels; /* names; NULL: those of the first recording */
    size_t n_channels;
};

/* ---- windows as they are collected (file.c) ---- */
struct kl_sequence_count {
    size_t windows, outside, gap, rejected, other; /* other: annotations without a class */
    size_t repeated;               /* labelled annotations of an event that has its window already */
    size_t brief;                  /* labelled ones that are shorter than a chunk */
    size_t beyond, next, previous; /* windows that reach beyond the end of their annotation, into the
                                      next labelled one, back into one before */
    size_t bad;                    /* windows that overlap an annotation whose text begins with "bad" */
};
/* Of a recording. */
struct kl_sequence_origin {
    const char *path;
    struct kl_sequence_name name;
    const char *skipped;              /* why; NULL: it was cut */
    const char *events;               /* a file of them that was given; NULL: none */
    char *beside[KL_SEQUENCE_BESIDE]; /* files that it was read from beside its own; owned */
    bool mended;                      /* what version 3 of the stage does changes its windows */
    double rate, seconds;
    size_t gaps;
    struct kl_sequence_count count;
};
enum { KL_SEQUENCE_TEXTS = 64 };
struct kl_sequence_collection {
    size_t n, room, channels, steps;
    double rate;
    int64_t steps_before;
    float *x;
    int32_t *labels, *subject, *recording;
    double *onset, *duration; /* of the annotation; NaN: not given */
    char **channel_names, **subject_names, **recording_names;
    size_t n_subjects, n_recordings;
    double *square;      /* (channels) sums of squares over all windows, microvolts */
    size_t *rejected_by; /* (channels) windows that this channel alone or first rejects */
    double *rejected;    /* (n_rejected) their largest channels from peak to peak, microvolts */
    size_t n_rejected, rejected_room;
    char **texts; /* of annotations: the first KL_SEQUENCE_TEXTS different ones */
    size_t n_texts;
    bool found[KL_SEQUENCE_CLASSES]; /* which texts of struct kl_sequence_labels some annotation has */
    struct kl_sequence_count count;
    double excess, least_duration, most_duration; /* of windows beyond: the most seconds; annotations' */
    struct {
        size_t n, taps, samples; /* stretches that are shorter than the filter; of the first of them */
        const char *path;
    } brief;
    struct {
        size_t flat, still, first; /* as in alike, of recordings before filters and a new rate */
    } recorded;
    struct {
        size_t flat, still; /* windows that never move; in which a channel never moves */
        size_t first;       /* such a channel, of the first window */
        size_t equal;       /* windows that are equal to an earlier one, number by number */
        size_t contrary;    /* of them of another class */
        size_t a, b;        /* the first two of these, else of the equal ones */
    } alike;
};
/* Place of a name in the list, at whose end it is put if it is new. KL_ENOMEM. */
int kl_sequence_collect_name(int32_t *place, char ***names, size_t *n, const char *name,
                             struct kl_error *err);
/* An annotation's text, into texts and found. KL_ENOMEM. */
int kl_sequence_collect_text(struct kl_sequence_collection *c, const struct kl_sequence_labels *labels,
                             const char *text, struct kl_error *err);
/* Fills `alike`. KL_ENOMEM. (cautions.c) */
int kl_sequence_collect_compare(struct kl_sequence_collection *c, struct kl_error *err);
/* Room for so many windows more, and for so many rejected ones. KL_ENOMEM. */
int kl_sequence_collect_room(struct kl_sequence_collection *c, size_t more, struct kl_error *err);
void kl_sequence_collection_free(struct kl_sequence_collection *c);

/* ---- which trials a recording has (trials.c) ---- */
struct kl_sequence_trial {
    double onset, duration; /* seconds; duration 0: not given */
    int32_t label;
    const char *text; /* of the annotation */
    double excess;    /* seconds that its window reaches beyond its end; 0: not */
    bool next, previous, bad;
    size_t still, first_still; /* channels that never move in its window as it was recorded */
};
struct kl_sequence_trials {
    struct kl_sequence_trial *list; /* (n) by onset */
    size_t n, repeated, brief;
};
/* Labelled annotations, in chunks if there are such; one event counts once, if it is annotated twice
   within a step of windows at `rate` Hz. KL_EDATA: two annotations of other classes there, as MNE-Python
   refuses it; KL_ENOMEM. Free it in any case. */
int kl_sequence_trials_find(struct kl_sequence_trials *t, const struct kl_sequence_recording *r,
                            const struct kl_sequence_labels *labels, const struct kl_sequence_cut *cut,
                            double rate, struct kl_error *err);
void kl_sequence_trials_free(struct kl_sequence_trials *t);
/* Fills still of a trial whose window lies in x (channels, n), samples at `rate` Hz from `start` seconds
   on; and counts it where the window is taken. (cautions.c) */
void kl_sequence_trial_look(struct kl_sequence_trial *trial, const struct kl_sequence_cut *cut,
                            const double *x, size_t channels, size_t n, double rate, double start);
void kl_sequence_trial_count(struct kl_sequence_collection *c, const struct kl_sequence_trial *trial);

/* ---- what a command reads (inputs.c) ---- */
/* Recordings among n inputs, each with the file of events that was given for it, to sources (n).
   KL_EUSAGE: a file of events of no recording, or of several. */
int kl_sequence_inputs_sort(struct kl_sequence_origin *sources, size_t *n_sources,
                            const char *const *inputs, size_t n, struct kl_error *err);
/* The recording with its events. As kl_sequence_recording_open. */
int kl_sequence_origin_open(struct kl_sequence_recording *r, const struct kl_sequence_origin *source,
                            struct kl_error *err);
/* Opens it to fill beside and mended. */
int kl_sequence_origin_look(struct kl_sequence_origin *source, const struct kl_sequence_cut *cut,
                            const struct kl_sequence_labels *labels, struct kl_error *err);

/* ---- one recording (cut.c) ---- */
struct kl_sequence_cutter {
    const struct kl_sequence_cut *cut;
    const struct kl_sequence_labels *labels;
    struct kl_sequence_collection *to;
    struct kl_sequence_workspace workspace;
    struct kl_pool *pool;
    const struct kl_log *log;
    double *memory[2]; /* signals before and after resampling, kept from recording to recording */
    size_t bytes[2];
};
/* ---- the channels (inputs.c) ---- */
/* Signals of the chosen channels, and what makes microvolts of their values. */
struct kl_sequence_chosen {
    size_t *signals;
    double *scale;
    bool *eeg; /* takes part in the average */
    size_t n;
    double rate;
};
/* Names of the collection's channels, if it has none: those that were asked for, else the EEG of this
   recording, the first; what is left out is said. KL_EDATA: it has no such channel, no EEG; KL_ENOMEM.
 */
int kl_sequence_name_channels(struct kl_sequence_cutter *cutter, const struct kl_sequence_recording *r,
                              struct kl_error *err);
/* Those channels in the recording. KL_EDATA: one is not there, has no values, an unknown unit, another
   rate; KL_ENOMEM. Free it in any case. */
int kl_sequence_choose(struct kl_sequence_chosen *s, const struct kl_sequence_collection *c,
                       const struct kl_sequence_cut *cut, const struct kl_sequence_recording *r,
                       struct kl_error *err);
void kl_sequence_chosen_free(struct kl_sequence_chosen *s);

/* Its windows into the collection, its counts into source. KL_EDATA: it cannot be cut as asked, or its
   channels are not those of the recordings before. */
int kl_sequence_cut_recording(struct kl_sequence_cutter *cutter, struct kl_sequence_origin *source,
                              struct kl_error *err);
void kl_sequence_cutter_free(struct kl_sequence_cutter *cutter);

/* ---- what whoever reads the windows should know (cautions.c) ---- */
/* Of windows of recordings: what was dropped, texts of `labels` that no annotation has, channels that no
   head has, recordings whose names do not say whose they are. */
void kl_sequence_windows_caution(const struct kl_log *log, const struct kl_sequence_collection *c,
                                 const struct kl_sequence_labels *labels, double reject,
                                 const struct kl_sequence_origin *sources, size_t n_sources);
/* Of windows of any kind: those that hold nothing, or what another one holds. */
void kl_sequence_windows_caution_alike(const struct kl_log *log, const struct kl_sequence_collection *c);
/* Of classes or people (`what`): two whose names a slip of the hand tells apart. */
void kl_sequence_windows_caution_names(const struct kl_log *log, const char *what,
                                       const char *const *names, size_t n);
/* KL_EDATA: two equal windows are of two classes. */
int kl_sequence_windows_fail_contrary(struct kl_error *err, const char *path,
                                      const struct kl_sequence_collection *c,
                                      const char *const *classes);
/* KL_EDATA: no window is left, and why. */
int kl_sequence_windows_fail_empty(struct kl_error *err, const char *path,
                                   const struct kl_sequence_collection *c,
                                   const struct kl_sequence_labels *labels);

/* ---- arrays (arrays.c) ---- */
/* Names as kl_weights_is_array has them. */
struct kl_sequence_arrays {
    char *x, *y, *subjects, *recordings; /* NULL but x: there are none */
    bool named;      /* who asks has names for the classes: the file's are not read */
    double rate;     /* Hz; 0: not known */
    double unit;     /* of x in volts: it becomes microvolts; 0: not known */
    char **channels; /* (n_channels) names, lent; NULL: numbers */
    size_t n_channels;
    enum { KL_SEQUENCE_ARRAYS, KL_SEQUENCE_IMAGES, KL_SEQUENCE_DNA } what;
};
/* By its name: images as IDX, UCI's promoters (.data), else arrays if it is one. false: a recording. */
bool kl_sequence_is_other(struct kl_sequence_arrays *arrays, const char *path);
/* Make the name of the array that `reference` names beside the input: a file, or a dataset of the
   input's file; NULL: the input itself, of whose file the dataset `usual` if it names none. malloc'ed.
   KL_ENOMEM. */
int kl_sequence_array_name(char **name, const char *input, const char *reference, const char *usual,
                           struct kl_error *err);
/* classes: the texts of y in the order of their bytes, or names of its numbers, in rising order: those
   of `classes` in y's file if that is HDF5 and has such, for number k the k-th from 0. KL_ENOINPUT,
   KL_EDATA, KL_EIO, KL_ENOMEM. */
int kl_sequence_arrays_read(struct kl_sequence_collection *c, char ***classes, size_t *n_classes,
                            const struct kl_sequence_arrays *arrays, struct kl_error *err);

/* ---- samples without time (arrays.c): one channel, each sample a person of its own ---- */
/* Pixels over 255, row after row. labels, limit: as of struct kl_images_options. */
int kl_sequence_images_read(struct kl_sequence_collection *c, char ***classes, size_t *n_classes,
                            const char *path, const char *labels, size_t limit, struct kl_error *err);
/* UCI's promoters: 57 bases, of each four steps of which one is 1, in the order a, c, g, t. */
int kl_sequence_dna_read(struct kl_sequence_collection *c, char ***classes, size_t *n_classes,
                         const char *path, struct kl_error *err);

/* ---- the options of the mode, and its words (options.c) ---- */
struct kl_sequence_windows_values {
    struct kl_common common;
    double rate, from, to, notch, reject, array_rate;
    const char *y, *subjects, *recordings, *classes;
    int64_t limit;
    const char *band, *reference, *baseline, *channels, *exclude, *subject, *task, *labels, *gaps, *unit,
        *chunk;
};
void kl_sequence_windows_default(void *values);
/* The options that say what is done to recordings. KL_EUSAGE; free with kl_sequence_cut_free. */
int kl_sequence_cut_of(struct kl_sequence_cut *cut, const struct kl_sequence_windows_values *values,
                       struct kl_error *err);
void kl_sequence_cut_free(struct kl_sequence_cut *cut);
/* Words between commas, malloc'ed; one in double quotes may hold commas, and "" for a quote. KL_EUSAGE:
   one is empty; KL_ENOMEM. */
int kl_sequence_words(char ***words, size_t *n, const char *option, const char *text,
                      struct kl_error *err);
void kl_sequence_words_free(char **words, size_t n);
/* A word up to `stop` or the end, in place and without its quotes; *rest: the stop that follows, or the
   end; NULL: a quote is not closed. */
char *kl_sequence_word(char **rest, char *at, char stop);

/* The summary: an object, a line. rule: of struct kl_sequence_labels, NULL of arrays. */
int kl_sequence_windows_json(const struct kl_mode_run *run, FILE *to,
                             const struct kl_sequence_collection *c, const char *const *classes,
                             size_t n_classes, const char *rule,
                             const struct kl_sequence_origin *sources, size_t n_sources,
                             struct kl_error *err);
void kl_sequence_windows_words(FILE *to, const struct kl_stage *stage,
                               const struct kl_sequence_collection *c, const char *const *classes,
                               size_t n_classes, const char *rule);

#endif
