/* SPDX-License-Identifier: MIT
   A head's whole way from a feature cache to its file. Set v, log, stage and input; then begin, and if
   the answer is KL_STAGE_COMPUTE: open, train, judge, publish; close in any case. */
#ifndef KL_HEAD_RUN_H
#define KL_HEAD_RUN_H

#include "head/collapse.h"
#include "head/controls.h"
#include "head/settings.h"
#include "kernels/device.h"
#include "store/store.h"

enum { KL_HEAD_NUMERICAL_VERSION = 4 }; /* of qtrain, in the key; of spsa one more: run.c */

struct kl_head_run {
    const struct kl_head_settings *v; /* settled */
    const struct kl_log *log;
    struct kl_stage stage;
    struct kl_file *input;   /* the features */
    struct kl_device device; /* where it trains: the CPU unless the tool has chosen */
    bool late;               /* begin the file when it is published, and not when training is opened */
    struct kl_head_model model;
    struct kl_head_train train;
    struct kl_controls controls;
    struct kl_collapse collapse; /* of its heads, once judged */
    size_t collapsed_controls[KL_CONTROLS];
    struct kl_writer *writer; /* (hidden) */
    char *config;
    char *checkpoint; /* its path; NULL: none is kept, as when the output is a pipe */
    bool older;       /* a checkpoint stands there from which this run does not go on */
};
/* The key of the head that these settings give on these features (`input`, open). */
int kl_head_key(char hex[65], const struct kl_head_settings *settled, const struct kl_file *input,
                struct kl_error *err);
/* Key, and kl_store_stage_begin with it. */
int kl_head_run_begin(struct kl_head_run *run, enum kl_stage_answer *answer, FILE *out,
                      struct kl_error *err);
/* --device auto: the GPU where that pays (kl_device_auto), for training on these features by so many
   threads. (run_device.c) */
int kl_head_run_device(struct kl_head_run *run, const struct kl_features *features, int threads,
                       struct kl_error *err);
/* Model, writer, initial values or, with --resume, those of the checkpoint. threads: those of the pool
   that trains, no fewer. features must outlive the run. */
int kl_head_run_open(struct kl_head_run *run, const struct kl_features *features, int threads,
                     struct kl_error *err);
/* In place of open, and before close: how long training would take here, by the first half second of the
   head and of each control; at most, where heads may stop early or the circuit grows. KL_ENO: a step
   takes too long to be tried. Nothing is written. (estimate.c) */
int kl_head_run_estimate(struct kl_estimate *estimate, struct kl_head_run *run,
                         const struct kl_features *features, struct kl_pool *pool, struct kl_error *err);
/* What these settings come to with this model, where it is not plain, as notes (remarks.c). */
void kl_head_remarks(const struct kl_log *log, const struct kl_head_settings *settled,
                     const struct kl_head_model *model);
/* What its samples are, where that is not what an accuracy takes for granted: classes without any, rows
   that are all equal, fewer than 30 validation samples, or one in a hundred of them whose features are,
   to the bit, those of a training sample. train: opened. KL_ENOMEM. (samples.c) */
int kl_head_remark_samples(const struct kl_log *log, const struct kl_head_train *train,
                           struct kl_error *err);
/* The same of a training that is not opened: a sweep says it once, by its first point's split. As
   kl_nn_split_stratified. */
int kl_head_remark_split(const struct kl_log *log, const struct kl_features *features,
                         const struct kl_train_options *options, struct kl_error *err);
/* What is said of a training that has run: the loss was still falling when the epochs were over. */
void kl_head_remark_unfinished(const struct kl_log *log, const struct kl_head_train *train);
/* KL_ESIGNAL: stopped, and a checkpoint was written, or an older one left before the first epoch. */
int kl_head_run_train(struct kl_head_run *run, struct kl_pool *pool, struct kl_error *err);
/* After the training and before publishing, whose file keeps what is said: did it end too soon, and
   which heads and controls have collapsed? KL_ENOMEM, KL_EDEVICE. */
int kl_head_run_judge(struct kl_head_run *run, struct kl_pool *pool, struct kl_error *err);
/* Of a run that trains in parts (train.until): hold nothing but the state, and go on, with any threads.
 */
void kl_head_run_rest(struct kl_head_run *run);
int kl_head_run_wake(struct kl_head_run *run, int threads, struct kl_error *err);
/* The checkpoint, of a run that stands between two steps. */
int kl_head_run_keep(struct kl_head_run *run, struct kl_error *err);
int kl_head_run_publish(struct kl_head_run *run, struct kl_error *err);
void kl_head_run_close(struct kl_head_run *run);

#endif
