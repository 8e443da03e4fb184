/* SPDX-License-Identifier: MIT
   options: what a user may say of a training: one struct and one table of options, for every stage that
   trains. The rows come in runs, between which a stage puts its own. */
#ifndef KL_TRAIN_OPTIONS_H
#define KL_TRAIN_OPTIONS_H

#include "train/train.h"

struct kl_train_settings {
    struct kl_train_options options;
    const char *optimizer, *schedule; /* words of the choices */
    const char *history, *mlflow;
    const char *ranks; /* NULL: this process is alone */
    bool resume;
};
/* What every stage can choose; one that takes more steps by itself has more, of KL_OPTIMIZER_NAMES. */
#define KL_TRAIN_OPTIMIZERS "sgd|adam|adamw"
#define KL_TRAIN_SCHEDULES "constant|step|cosine|plateau"
void kl_train_settings_default(struct kl_train_settings *s);
/* The words into the options; the seed. */
void kl_train_settings_settle(struct kl_train_settings *s, int64_t seed);

/* at: offset of the struct kl_train_settings among the values. */
/* clang-format off */
#define KL_TRAIN_AT(at, field) ((at) + offsetof(struct kl_train_settings, field))
/* optimizers: the choices; whose: the momentum is, in words. */
#define KL_TRAIN_STEP_OPTIONS(at, optimizers, whose)                                             \
    { "epochs", 'e', KL_OPT_INT, KL_TRAIN_AT(at, options.epochs), "N", 1, 1e6, true,             \
      "passes over the training samples", "Training", "num_epochs" },                            \
    { "batch-size", 'b', KL_OPT_INT, KL_TRAIN_AT(at, options.batch_size), "N", 1, 1e6, true,     \
      "samples a step", NULL, "batch" },                                                         \
    { "lr", 0, KL_OPT_FLOAT, KL_TRAIN_AT(at, options.schedule.lr), "X", 0, 1e3, true,            \
      "learning rate", NULL, "learning_rate" },                                                  \
    { "optimizer", 0, KL_OPT_CHOICE, KL_TRAIN_AT(at, optimizer), optimizers, 0, 0, true,         \
      "update rule", NULL, NULL },                                                               \
    { "momentum", 0, KL_OPT_FLOAT, KL_TRAIN_AT(at, options.optimizer.momentum), "X", 0, 1, true, \
      whose, NULL, NULL },                                                                       \
    { "beta1", 0, KL_OPT_FLOAT, KL_TRAIN_AT(at, options.optimizer.beta1), "X", 0, 0.999999,      \
      true, "of Adam", NULL, NULL },                                                             \
    { "beta2", 0, KL_OPT_FLOAT, KL_TRAIN_AT(at, options.optimizer.beta2), "X", 0, 0.999999,      \
      true, "of Adam", NULL, NULL },                                                             \
    { "epsilon", 0, KL_OPT_FLOAT, KL_TRAIN_AT(at, options.optimizer.epsilon), "X", 0, 1, true,   \
      "of Adam", NULL, NULL }
#define KL_TRAIN_SCHEDULE_OPTIONS(at)                                                            \
    { "weight-decay", 0, KL_OPT_FLOAT, KL_TRAIN_AT(at, options.optimizer.weight_decay), "X", 0,  \
      1e3, true, "decoupled with adamw", NULL, NULL },                                           \
    { "clip", 0, KL_OPT_FLOAT, KL_TRAIN_AT(at, options.optimizer.clip), "X", 0, 1e9, true,       \
      "largest norm of the gradient; 0: any", NULL, "gradient_clip" },                           \
    { "schedule", 0, KL_OPT_CHOICE, KL_TRAIN_AT(at, schedule), KL_TRAIN_SCHEDULES, 0,            \
      0, true, "of the learning rate", NULL, "scheduler" },                                      \
    { "warmup", 0, KL_OPT_INT, KL_TRAIN_AT(at, options.schedule.warmup), "N", 0, 1e6, true,      \
      "epochs of rising rate", NULL, "warmup_epochs" },                                          \
    { "period", 0, KL_OPT_INT, KL_TRAIN_AT(at, options.schedule.period), "N", 1, 1e6, true,      \
      "epochs a step of schedule step", NULL, "step_size" },                                     \
    { "factor", 0, KL_OPT_FLOAT, KL_TRAIN_AT(at, options.schedule.factor), "X", 0, 1, true,      \
      "of step and plateau", NULL, "gamma" },                                                    \
    { "plateau-patience", 0, KL_OPT_INT, KL_TRAIN_AT(at, options.schedule.patience), "N", 0,     \
      1e6, true, "epochs before a reduction", NULL, NULL },                                      \
    { "min-lr", 0, KL_OPT_FLOAT, KL_TRAIN_AT(at, options.schedule.min_lr), "X", 0, 1e3, true,    \
      "of cosine and plateau", NULL, NULL },                                                     \
    { "patience", 0, KL_OPT_INT, KL_TRAIN_AT(at, options.patience), "N", 0, 1e6, true,           \
      "stop after N epochs without gain; 0: never", NULL, "early_stopping_patience" }
/* split: how the validation part is chosen. */
#define KL_TRAIN_VALIDATION_OPTION(at, split)                                                    \
    { "val-fraction", 0, KL_OPT_FLOAT, KL_TRAIN_AT(at, options.val_fraction), "P", 0, 0.9, true, \
      split, NULL, "validation_split" }
/* what: differs between replicas. */
#define KL_TRAIN_REPLICA_OPTIONS(at, what)                                                       \
    { "replicas", 0, KL_OPT_INT, KL_TRAIN_AT(at, options.replicas), "R", 1, 65536, true,         \
      what, NULL, NULL },                                                                        \
    { "replica", 0, KL_OPT_INT, KL_TRAIN_AT(at, options.first_replica), "K", 0, 4e9, true,       \
      "index of the first", NULL, NULL }
/* Of the run, not of the result. */
#define KL_TRAIN_RESUME_OPTION(at)                                                               \
    { "resume", 0, KL_OPT_FLAG, KL_TRAIN_AT(at, resume), NULL, 0, 0, false,                      \
      "go on from the checkpoint of a stopped run", "Run", NULL }
#define KL_TRAIN_CHECKPOINT_OPTION(at)                                                           \
    { "checkpoint-every", 0, KL_OPT_INT, KL_TRAIN_AT(at, options.checkpoint_every), "N", 0, 1e6, \
      false, "epochs; 0: only when stopped by a signal", NULL, NULL }
#define KL_TRAIN_RANKS_OPTION(at)                                                                \
    { "ranks", 0, KL_OPT_STRING, KL_TRAIN_AT(at, ranks), "R", 0, 0, false,                       \
      "share each step with other processes: auto (of mpirun or srun) or I/N", NULL, NULL }
#define KL_TRAIN_HISTORY_OPTIONS(at)                                                             \
    { "history", 0, KL_OPT_STRING, KL_TRAIN_AT(at, history), "FILE", 0, 0, false,                \
      "the history as JSON lines too", NULL, NULL },                                             \
    { "mlflow", 0, KL_OPT_STRING, KL_TRAIN_AT(at, mlflow), "DIR", 0, 0, false,                   \
      "and as a file store of MLflow", NULL, NULL }
/* clang-format on */

#endif
