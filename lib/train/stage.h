/* SPDX-License-Identifier: MIT
   stage: a stage that trains one model on one input, on several or on none, from its command line to its
   file: key, checkpoint, resume, progress, history, summary, --dry-run. The stage says what its table of
   options, its file and its learner are. */
#ifndef KL_TRAIN_STAGE_H
#define KL_TRAIN_STAGE_H

#include "store/shard.h"
#include "train/sweep.h"
struct kl_training;
struct kl_device;

struct kl_train_stage {
    const struct kl_tool *tool;  /* its values begin with a struct kl_common */
    const struct kl_kind *kind;  /* of the file that it writes */
    int schema, version;         /* of that file; of the numbers: higher when the same options and input
                                    begin to give other bytes */
    const struct kl_kind *input; /* its kind; NULL: it reads none, and has no sweep */
    bool many;                   /* it reads one or more of them; else one */
    const char *role;            /* of the inputs in the key: "features" */
    void (*defaults)(void *values);
    size_t settings_at;              /* of the struct kl_train_settings among the values */
    const struct kl_train_row *rows; /* of the learner's history */
    int n_rows;
    size_t state_size;
    /* Options' texts into their values, once, before the key is made; NULL: there are none. */
    int (*settle)(void *values, struct kl_error *err);
    /* The input is open: fill the state (zeros) and the learner. Negative: it failed. Close it in any
       case. Of a point of a sweep it is called once more, to count its parameters. */
    int (*open)(struct kl_training *training, struct kl_error *err);
    void (*close)(struct kl_training *training);
    /* Datasets and attributes of the file, and of a checkpoint, beside the options and those of
       kl_train_save (a finished file too has all from which training could go on); NULL: none. */
    int (*save)(const struct kl_training *training, struct kl_writer *writer, struct kl_error *err);
    /* Cautions on a training that is done, before its file is published; NULL: none. */
    void (*remark)(const struct kl_training *training);
};
/* One training of it. */
struct kl_training {
    const struct kl_train_stage *of;
    void *values; /* of the tool's table */
    void *state;  /* the stage's own */
    const struct kl_train_settings *settings;
    const struct kl_log *log;
    struct kl_stage stage;
    const struct kl_train_inputs *inputs; /* none is read: of size 0 */
    struct kl_file *input;                /* the first of them; NULL: none is read */
    struct kl_pool *pool;
    const struct kl_device
        *device;            /* that a sweep has chosen for its points; NULL: it is this stage's */
    struct kl_ranks *ranks; /* NULL: alone */
    struct kl_learner learner;
    struct kl_train train;
    struct kl_writer *writer;
    bool late;                 /* begin the file when it is published, and not when training is opened */
    char *config, *checkpoint; /* the options as JSON; a path, NULL: none is kept */
    bool older;                /* a checkpoint stands there from which this run does not go on */
};
/* The run of a mode of such a stage (kl_mode.run calls it). */
int kl_train_stage_run(const struct kl_train_stage *stage, struct kl_mode_run *mode,
                       struct kl_error *err);

/* Its models as the points of a sweep (sweep.h). row: of the history, by which they are compared;
 * higher: is better. stage must outlive it. */
struct kl_sweep_stage kl_train_stage_sweep(const struct kl_train_stage *stage, int row, bool higher);

/* ---- parts of it, for stages that train more than one model ---- */
/* A training that has ended with err: if a signal ended it, its checkpoint is written and that is said;
   an older one stays where no epoch has ended. If a device was lost, it is said of one that stands
   there. path: of the checkpoint; NULL: none is kept. The code of err, or that of a failure to write. */
int kl_train_stopped(struct kl_train *train, const struct kl_log *log, const char *path, bool older,
                     struct kl_error *err);
/* Of a row of the history at the best epoch of each replica. */
struct kl_train_summary {
    int64_t epochs; /* most that a replica was trained for */
    double mean, low, high, seconds_per_epoch;
};
struct kl_train_summary kl_train_summary(const struct kl_train *train, int row);

#endif
