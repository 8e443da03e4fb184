/* SPDX-License-Identifier: MIT
   sweep: a model for every point of a grid of options, and the file that compares them (kind "sweep").
   Tiers: the tool of a sweep; what a stage says of its points; the table; the points. */
#ifndef KL_TRAIN_SWEEP_H
#define KL_TRAIN_SWEEP_H

#include "kernels/device.h"
#include "stats/stats.h"
#include "store/kind.h"
#include "store/mode.h"
#include "store/ranks.h"
#include "train/inputs.h"
#include "train/train.h"

/* KL_SWEEP_FOLD: of a name's, for " fold=999/1000"; FOLDS: at most. */
enum {
    KL_SWEEP_SCHEMA = 1,
    KL_SWEEP_NAME = 256,
    KL_SWEEP_FOLD = 16,
    KL_SWEEP_FOLDS = 1000,
    KL_SWEEP_ROWS = 2
};
struct kl_sweep_job;
struct kl_sweep_point;

/* By what points are compared: rows of their histories, each at its best epoch; equal ones by the next.
 */
struct kl_sweep_rows {
    int n;
    struct {
        char name[48], label[48]; /* "val_accuracy", "val accuracy" */
        bool higher;              /* is better */
    } row[KL_SWEEP_ROWS];
};

/* One training of a point, of a stage's own struct. */
struct kl_sweep_run {
    struct kl_train *train;
    struct kl_stage *stage;
    char **checkpoint; /* its path; NULL in it: none is kept */
};
/* The stage whose points a sweep trains. run: of run_size bytes, zeros before init, closed in any case.
   Codes as those of the stage alone. */
struct kl_sweep_stage {
    const void *context;         /* the stage's own */
    const struct kl_tool *tool;  /* of a point's settings, whose values begin with a struct kl_common */
    const struct kl_kind *kind;  /* of a point's file; its name is a point's in words: "head" */
    const struct kl_kind *input; /* what all read */
    bool many;                   /* one or more of them; else one */
    const char *role;            /* its name in the key: "features" */
    struct kl_sweep_rows rows;
    const char *judgement;  /* what points are compared by, in words: "an accuracy" */
    const char *collapsed;  /* "heads that do not tell all classes apart" */
    const char *judge_tool; /* which judges on other samples; NULL: none */
    size_t settings_size, settings_at, run_size; /* settings_at: of the struct kl_train_settings */

    const struct kl_grid_refusal *refusals; /* options that can be no axis */
    /* May this grid be? A line for an axis that changes nothing of some points. NULL: it may. */
    int (*check_grid)(const struct kl_grid *grid, const void *base, const struct kl_log *log,
                      struct kl_error *err);
    void (*defaults)(void *settings);
    int (*settle)(const struct kl_sweep_stage *stage, void *settings, struct kl_error *err);
    void (*release)(void *settings); /* what settling made; NULL: nothing */
    int (*key)(char hex[65], const struct kl_sweep_job *job, const void *settings, struct kl_error *err);
    /* Can it be trained on the job's device? Its parameters, those that training moves. */
    int (*count)(int64_t *parameters, const struct kl_sweep_job *job, const void *settings,
                 struct kl_error *err);
    /* Of the input, before and after it is loaded; NULL: nothing is said. */
    int (*say_input)(const struct kl_file *input, const struct kl_log *log, struct kl_error *err);
    int (*say_data)(const struct kl_log *log, const void *data, const void *settings,
                    struct kl_error *err);
    /* The input in memory, for all points; data may stay NULL, and unload NULL. */
    int (*load)(void **data, struct kl_file *input, struct kl_error *err);
    void (*unload)(void *data);

    void (*init)(void *run, const struct kl_sweep_stage *stage, const struct kl_sweep_job *job,
                 struct kl_sweep_point *point, const struct kl_log *log, const struct kl_log *said,
                 bool late);
    struct kl_sweep_run (*of)(void *run);
    int (*begin)(void *run, enum kl_stage_answer *answer, struct kl_error *err);
    int (*open)(void *run, const void *data, int threads, struct kl_error *err);
    int (*train)(void *run, struct kl_pool *pool, struct kl_error *err);
    /* After training; *collapsed: of its models, those that are worth nothing, which `collapsed` says in
       words. NULL: none is. */
    int (*judge)(void *run, size_t *collapsed, struct kl_pool *pool, struct kl_error *err);
    int (*publish)(void *run, struct kl_error *err);
    int (*keep)(void *run, struct kl_error *err); /* a checkpoint */
    void (*rest)(void *run);
    int (*wake)(void *run, int threads, struct kl_error *err);
    int (*estimate)(void *run, struct kl_estimate *estimate, const void *data, struct kl_pool *pool,
                    struct kl_error *err);
    void (*close)(void *run);
    /* One of the folds of a point, "0/5"; NULL: there are none. */
    void (*fold)(void *settings, const char *fold);
    /* Other samples, on which points are judged besides: KL_EDATA unless they fit the input. Then
       the rows there, each [replicas] of a point's file; NULL: there are none. */
    int (*check_test)(const struct kl_sweep_job *job, struct kl_error *err);
    size_t (*samples)(const void *data);
    int (*test)(double *const to[KL_SWEEP_ROWS], struct kl_file *model, const struct kl_sweep_job *job,
                const void *data, struct kl_pool *pool, struct kl_error *err);
    /* Settings by which the best point is trained again, and what that adds, ", with its controls" or
       "". NULL: those of the point. */
    const char *(*again)(void *settings);
};

/* ---- the tool (sweep_tool.c) ---- */
struct kl_sweep_settings {
    const char *grid, *random, *folder, *shard, *ranks;
    const char *folds, *test; /* of a stage that has them */
    bool halving;
};
/* at: offset of the struct kl_sweep_settings among the values; option, words: of the folder. */
/* clang-format off */
#define KL_SWEEP_AT(at, field) ((at) + offsetof(struct kl_sweep_settings, field))
#define KL_SWEEP_OPTIONS(at, option, words)                                                       \
    { "grid", 'g', KL_OPT_LIST, KL_SWEEP_AT(at, grid), "GRID", 0, 0, true,                        \
      "\"lr=1e-4:1e-2:log5 layers=1,2\": every combination; given again, more", "Sweep", NULL },       \
    { "random", 0, KL_OPT_STRING, KL_SWEEP_AT(at, random), "N", 0, 0, true,                       \
      "N points of the grid by --seed, from ranges too: lr=1e-4:1e-1:log", NULL, NULL },          \
    { "halving", 0, KL_OPT_FLAG, KL_SWEEP_AT(at, halving), NULL, 0, 0, true,                      \
      "drop the worse half, double the epochs, and again", NULL, NULL },                          \
    { option, 0, KL_OPT_STRING, KL_SWEEP_AT(at, folder), "FOLDER", 0, 0, false,                   \
      words, NULL, NULL },                                                                        \
    { "shard", 0, KL_OPT_STRING, KL_SWEEP_AT(at, shard), "I/N", 0, 0, false,                      \
      "a part of the points; cache merge joins; auto, auto/N: Slurm, MPI", NULL, NULL },         \
    KL_STORE_RANKS_OPTION(KL_SWEEP_AT(at, ranks), "points")
/* clang-format on */
struct kl_sweep_tool {
    const struct kl_tool *tool; /* whose values begin with the stage's settings */
    const struct kl_sweep_stage *stage;
    size_t sweep_at;              /* of the struct kl_sweep_settings among the values */
    int version, halving_version; /* numerical: what is in a table; which points halving keeps */
};
/* The run of a mode of it (kl_mode.run calls it). */
int kl_train_sweep_main(const struct kl_sweep_tool *tool, struct kl_mode_run *mode,
                        struct kl_error *err);

/* ---- the table of a sweep (sweep.c) ---- */
/* The result of one point. */
struct kl_sweep_row {
    size_t point;             /* of the grid */
    char name[KL_SWEEP_NAME]; /* "lr=1e-3 layers=2" */
    char key[65];             /* of the point's file; "" where there is none */
    int64_t parameters;       /* of one model, that training moves */
    int64_t epochs;           /* of training it had: fewer than asked for if it was dropped or stopped */
    size_t collapsed;         /* of the models trained now, those that are worth nothing */
    bool diverged;            /* the loss was no number; what is judged is NaN */
    /* [replicas], of a point of folds fold by fold: at each model's best epoch; on other samples. */
    double *judged[KL_SWEEP_ROWS], *tested[KL_SWEEP_ROWS];
};
struct kl_sweep {
    struct kl_sweep_rows by;
    size_t n, replicas; /* models of a point */
    size_t folds;       /* that these are of; 1: there are none */
    size_t samples;     /* of the test; 0: there is none */
    struct kl_sweep_row *rows;
};
/* n rows of zeros, what is judged NaN. KL_ENOMEM. */
int kl_train_sweep_make(struct kl_sweep *sweep, const struct kl_sweep_rows *by, size_t n,
                        size_t replicas, struct kl_error *err);
void kl_train_sweep_free(struct kl_sweep *sweep);
/* Key, epochs and what is judged of a row from the point's finished file. KL_EDATA if it has another
   number of replicas or lacks a row. */
int kl_train_sweep_read(struct kl_sweep_row *row, const struct kl_sweep *sweep, struct kl_file *file,
                        struct kl_error *err);
/* Mean over replicas of the judged row k; NaN if the point diverged. */
double kl_train_sweep_mean(const struct kl_sweep *sweep, size_t row, int k);
/* Standard error of that mean over folds, each the mean of its replicas; NaN without. Folds share
   training samples, for which nothing is added (Bengio & Grandvalet 2004). */
double kl_train_sweep_error(const struct kl_sweep *sweep, size_t row, int k);
/* 95 % of the difference of two rows' means over folds: kl_stats_resampled. NaN without. */
struct kl_interval kl_train_sweep_difference(const struct kl_sweep *sweep, size_t a, size_t b, int k);
/* Rows of a fold each become rows of all folds. KL_ENOMEM. */
int kl_train_sweep_fold(struct kl_sweep *sweep, size_t folds, struct kl_error *err);
/* Rows from the best to the worst; those that diverged last. order: [n]. */
void kl_train_sweep_order(size_t *order, const struct kl_sweep *sweep);
/* The best of them; NULL: all diverged, or there is none. KL_ENOMEM. */
int kl_train_sweep_best(const struct kl_sweep_row **best, const struct kl_sweep *sweep,
                        struct kl_error *err);
/* All datasets of the file (docs/files.md); of: what a point is, "head". */
int kl_train_sweep_save(struct kl_writer *writer, const struct kl_sweep *sweep, const char *of,
                        struct kl_error *err);
/* A finished file's rows; of one that diverged the epochs are unknown. KL_EDATA. Free it in any case. */
int kl_train_sweep_load(struct kl_sweep *sweep, struct kl_file *file, struct kl_error *err);
/* The table for a person, best first, at most `most` rows: the mean of what is judged first and its
   range over the replicas; of what is judged next where that takes no more than 80 columns. */
int kl_train_sweep_write(FILE *to, const struct kl_sweep *sweep, size_t most, struct kl_error *err);
extern const struct kl_kind kl_sweep_kind; /* what the file shows (store/kind.h) */

/* ---- the points (sweep_points.c), and their training (sweep_run.c) ---- */
struct kl_sweep_job {
    const struct kl_sweep_stage *stage;
    const struct kl_grid *grid;
    const void *base; /* what all points share; not settled */
    size_t folds;     /* of each point; 1: none */
    bool halving;     /* drop the worse half, again and again (successive halving, see sweep_run.c) */
    const char *folder, *output; /* of the points' files, which are named after them; the sweep's */
    const struct kl_train_inputs *inputs;
    struct kl_file *input; /* the first of them */
    struct kl_file *test;  /* NULL: none */
    int argc;              /* of the points' provenance */
    char **argv;
    const struct kl_log *log;
    const struct kl_device *device; /* where points train; NULL: the CPU */
};
struct kl_sweep_point {
    char name[KL_SWEEP_NAME];        /* "lr=1e-3 layers=2", "lr=1e-3 fold=0/5" */
    char fold[48];                   /* "0/5" */
    char *path, key[65];             /* of the point's file */
    int64_t parameters;              /* from kl_train_sweep_points_try */
    void *values;                    /* settled, as the stage's tool would have them; output: path */
    struct kl_common *common;        /* of them */
    struct kl_train_settings *train; /* of them */
};
/* Where the points of a table go, unless it is said: -o DIR/NAME.h5: DIR/NAME-heads, of heads ("head").
   KL_ENOMEM. */
int kl_train_sweep_folder(char **folder, const char *output, const char *of, struct kl_error *err);
/* A point's file: as its name, with '_' and '-' for what has no place in a file's; a long one ends in
   its key. KL_ENOMEM. */
int kl_train_sweep_point_path(char **path, const char *folder, const char *name, const char *key,
                              struct kl_error *err);
/* The point's stage for the store: as if the stage's tool had been called for it alone. */
struct kl_stage kl_train_sweep_point_stage(const struct kl_sweep_job *job,
                                           const struct kl_sweep_point *point, const struct kl_log *log);
struct kl_sweep_points {
    const struct kl_sweep_job *job;
    size_t n;
    struct kl_sweep_point *points; /* of the whole grid, in its order, each with its folds */
};
/* The settings of all points as training knows them. */
static inline const struct kl_train_settings *kl_train_sweep_base(const struct kl_sweep_job *job)
{
    return (const struct kl_train_settings *)((const char *)job->base + job->stage->settings_at);
}
/* Settle every point, and refuse what cannot be judged or told apart: nothing is computed or written.
   job must outlive the points. KL_EUSAGE; else as the stage's settle. Free in any case. */
int kl_train_sweep_points_make(struct kl_sweep_points *points, const struct kl_sweep_job *job,
                               struct kl_error *err);
/* Refuse points that cannot be trained, before any is. Noisy circuits take milliseconds each, so this is
   for runs that compute. Codes as the stage's count. */
int kl_train_sweep_points_try(struct kl_sweep_points *points, size_t first, size_t n,
                              struct kl_error *err);
/* SHA-256 over the keys of all points in the order of the grid: what their options and files say. */
int kl_train_sweep_points_digest(char hex[65], const struct kl_sweep_points *points,
                                 struct kl_error *err);
void kl_train_sweep_points_free(struct kl_sweep_points *points);

/* Train what is not up to date of the points from `first` on, publish each, fill the rows (as many
   points as the sweep has rows). Each thread trains whole points; every one has the bytes that the
   stage's tool gives it alone. A point whose loss is no number is noted in its row. While halving, the
   parameters and moments of all points that are left stay in memory. On a GPU as many points train at
   once as pool has threads. KL_ESIGNAL: points that are finished stay. Other codes as kl_train_run's. */
int kl_train_sweep_run(struct kl_sweep *sweep, const struct kl_sweep_points *points, size_t first,
                       struct kl_pool *pool, const struct kl_watch *watch, struct kl_error *err);
/* What the stage's test says of those whose files are there, which the run has left. */
int kl_train_sweep_test(struct kl_sweep *sweep, const struct kl_sweep_points *points, size_t first,
                        struct kl_pool *pool, struct kl_error *err);
/* How long kl_train_sweep_run would take here for n points from `first` on, their files apart, by the
   first half second of eight of them at most. Nothing is written. */
int kl_train_sweep_estimate(struct kl_estimate *estimate, const struct kl_sweep_points *points,
                            size_t first, size_t n, struct kl_pool *pool, struct kl_error *err);

/* The summary on standard output (sweep_tell.c): the rows, the best one, and how to train it again. */
struct kl_sweep_found {
    const struct kl_sweep *sweep;
    const struct kl_sweep_job *job;
    const char *key; /* of the sweep's file */
    bool part;       /* of a sweep that is merged later */
    enum kl_stage_answer status;
    double seconds; /* that it took, if it was computed; else the points' files may not be there */
};
int kl_train_sweep_tell(FILE *to, const struct kl_sweep_found *found, bool json, struct kl_error *err);
/* A line: the points, and the best one; for the record. */
int kl_train_sweep_tell_best(FILE *to, const struct kl_sweep_found *found, struct kl_error *err);

#endif
