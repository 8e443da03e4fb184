/* SPDX-License-Identifier: MIT
   train: the loop that trains what a stage hands to it, its learner. The loop has the epochs, replicas
   side by side, threads, update, best epoch, early stopping, plateaus, history, checkpoint and exact
   resume; the learner has the parameters, their gradient and their judgement. Tiers: what a stage calls;
   what its learner gives; what the learner's functions are given. */
#ifndef KL_TRAIN_H
#define KL_TRAIN_H

#include "nn/nn.h"
struct kl_file;
struct kl_writer;
struct kl_train;
struct kl_crew;
struct kl_train_step;
struct kl_train_rollback;
struct kl_train_thread;
struct kl_train_device;
struct kl_ranks;

/* ---- what every training has (options.h: the rows of a table of options) ---- */
struct kl_train_options {
    int64_t epochs, batch_size;
    int64_t replicas, first_replica; /* replica indices first_replica .. first_replica + replicas - 1 */
    int64_t patience;         /* stop a replica after so many epochs without a better one; 0: never */
    int64_t checkpoint_every; /* epochs; 0: only when stopped by a signal */
    double val_fraction;
    int64_t fold, folds; /* the validation part is fold `fold` of so many; folds 0: val_fraction */
    uint64_t seed;
    struct kl_optimizer optimizer;
    struct kl_schedule schedule;
    struct kl_ranks *ranks; /* processes that share every step (ranks.h); NULL: this one is alone */
};
/* 50 epochs of 64 samples a step, Adam 1e-3, 10 % validation. */
void kl_train_options_default(struct kl_train_options *o);

/* ---- a learner: what the loop does not know ---- */
/* A row of the history: a number an epoch. NaN where no epoch was. */
struct kl_train_row {
    const char *name;  /* its dataset is history/NAME */
    const char *label; /* what progress calls it; NULL: it is not shown */
};
/* A number that an epoch's steps add up. */
struct kl_train_sum {
    const char *name; /* its dataset in a checkpoint is replicas/NAME */
    bool counts;      /* a count: a file has it as an integer */
};
enum { KL_TRAIN_JUDGED = 2 };
/* All functions but one of gradient and steps may be NULL. Those of one replica are called for
   several at once, by any thread. What fails ends the training; KL_ESIGNAL only where `stoppable` said
   so. */
struct kl_learner {
    void *context; /* the learner's own */
    /* State. */
    const struct kl_block *block; /* of size 0: the learner has its parameters elsewhere */
    bool wide;                    /* parameters, moments and gradient in double; else in float */
    int64_t parameters; /* as sweeps count them; 0: the numbers of all tensors, a complex one's two */
    /* History. */
    const struct kl_train_row *rows;
    int n_rows;
    int loss; /* the row that has to be a number, else the replica has diverged; -1: none */
    struct {
        int row;
        bool higher;           /* is better */
    } judged[KL_TRAIN_JUDGED]; /* which epoch is best: by the first, of equal ones by the next */
    int n_judged;              /* 0: the last epoch is */
    struct {
        int row;
        bool higher;
    } plateau; /* with plateau_own: the row by which rates fall, where it is not the first of those */
    bool plateau_own;
    int64_t best_from;               /* epochs before it are worse than all others */
    const struct kl_train_sum *sums; /* the first n_named of the sums, which a checkpoint names */
    int n_named, n_sums;             /* the others are in what save writes */
    bool norms; /* the last of the sums is the loop's: of the norms of the gradients, before clipping */
    /* Steps. */
    int64_t steps_per_epoch;
    bool
        many_steps; /* there may be more than 2^32 of them in all, which its random numbers tell apart */
    int64_t ahead;  /* steps that prepare_step may be called for at once; 0: any number */
    size_t parts;   /* of a step's gradient; 0: one. However many threads there are. */
    bool tree; /* parts, a power of two, are added pairwise, as a tree that processes can share; else
                  in rising order */
    double judge_cost;                    /* of judging, in parts of an epoch's steps: for estimates */
    const struct kl_train_device *device; /* where it is trained; NULL: on the CPU */

    /* First parameters of a replica, by its own number; the block is all 0. */
    void (*init)(void *context, void *params, int64_t replica);
    /* Buffers for so many threads, whose numbers the functions get; and all but the state given back:
       when the training is opened and closed, and around its waits between the rounds of a sweep. */
    int (*wake)(struct kl_train *train, int n_threads, struct kl_error *err);
    void (*rest)(struct kl_train *train);
    /* Before the steps of train->epoch: the order of samples, fresh tasks. Again after a resume within
     * it. */
    int (*begin_epoch)(struct kl_train *train, struct kl_error *err);
    /* Step train->step + ahead of this epoch, whose data all replicas share. */
    void (*prepare_step)(struct kl_train *train, int64_t ahead, int thread);
    /* Part `part` of a step's gradient into grad (the block; every entry of every tensor is set, the
       padding between them stays 0), and what it adds to the sums (zeros before). Parts are added up in
       one order (tree), so the result does not depend on who computes them. */
    int (*gradient)(const struct kl_crew *crew, const struct kl_train_step *step, size_t part,
                    void *grad, double *sums, int thread, struct kl_error *err);
    /* After the update by the gradient: noise, a projection. The padding stays 0. A round that is undone
       gives back the block and the sums, not what a learner keeps elsewhere. */
    int (*after_update)(const struct kl_crew *crew, const struct kl_train_step *step,
                        struct kl_error *err);
    /* In place of gradient: steps [first, first + count) of the epoch, with their updates. */
    int (*steps)(const struct kl_crew *crew, int64_t first, int64_t count, struct kl_error *err);
    /* After an epoch's steps: the rows that need the parameters. untrained: they are those of init,
       since the replica diverged before it had a best epoch. It can be stopped and done again; rows that
       steps wrote in this epoch are lost then. */
    int (*judge)(const struct kl_crew *crew, bool untrained, struct kl_error *err);
    /* Then the rows that need the sums, which the loop sets to 0 after it. */
    int (*end_epoch)(const struct kl_crew *crew, struct kl_error *err);
    /* Then, of an epoch that is or is not the best so far: what is kept with the best parameters. */
    int (*judged_epoch)(const struct kl_crew *crew, bool best, struct kl_error *err);
    /* True: from here on steps and judge may end with KL_ESIGNAL soon after a signal, and the loop then
       undoes the round. False: they may no longer. NULL: a step is short. */
    void (*stoppable)(struct kl_train *train, bool stoppable);
    /* Datasets beside the loop's own, with names after prefix; and back, into a training that is open.
     */
    int (*save)(struct kl_writer *w, const struct kl_train *train, const char *prefix,
                struct kl_error *err);
    int (*restore)(struct kl_train *train, struct kl_file *file, const char *prefix,
                   struct kl_error *err);
};

/* ---- a training ---- */
/* One of those trained side by side: all that differs between them. */
struct kl_replica {
    void *params, *m, *v, *best;       /* block.size each, of the learner's precision */
    double **history;                  /* [n_rows][epochs] */
    double *sums;                      /* [n_sums] of the epoch begun */
    int64_t best_epoch, stopped_epoch; /* from 0; -1: none */
    bool diverged; /* its loss is no number, and that is not borne: the training failed by it */
    int64_t stale, plateau_stale, reductions;
    double plateau_best; /* of a schedule with a threshold; larger is better */
};
/* All replicas at once on a device: parameters are there from begin to end, or the device has what the
   learner's gradient then takes, one part, of all ranks, and its steps call kl_train_update. */
struct kl_train_device {
    int (*begin)(struct kl_train *train, struct kl_error *err);
    /* The next steps of the epoch; *count: how many they were. pool: of the host. */
    int (*steps)(int64_t *count, struct kl_train *train, struct kl_pool *pool, struct kl_error *err);
    /* Parameters are back after it. */
    int (*judge)(struct kl_train *train, struct kl_pool *pool, struct kl_error *err);
    int (*fetch)(struct kl_train *train, struct kl_error *err); /* parameters and moments */
    void (*end)(struct kl_train *train);
};
struct kl_train {
    const struct kl_learner *learner;
    struct kl_train_options options;
    int64_t epoch, step;     /* the position; every random number follows from it */
    int64_t optimizer_epoch; /* in which the optimiser began */
    bool bears_divergence;   /* a replica whose loss is no number ends there, at its best epoch so far */
    int64_t until; /* kl_train_run stops before this epoch, and can be called again; 0: the last one */
    struct kl_replica *replicas;
    const struct kl_train_device *device; /* where steps are taken; NULL: the CPU */
    int stop; /* (hidden) the signal that asks for it here, until the ranks have agreed on it */
    int n_threads;
    double seconds;     /* spent in kl_train_run, since it was opened */
    int64_t epochs_run; /* that ended in this time; with a resumed part of one */
    int (*checkpoint)(void *context, struct kl_train *train, struct kl_error *err); /* may be NULL */
    void *checkpoint_context;
    double step_seconds;                /* (hidden) of the last round, of all replicas; 0: unknown */
    struct kl_train_rollback *rollback; /* (hidden) of a round that may be undone */
    struct kl_train_thread *threads;    /* (hidden) */
};
/* Replicas with their first parameters, buffers. learner must outlive it. KL_EUSAGE, KL_ENOMEM, and what
   the learner's wake returns; then it is closed. */
int kl_train_open(struct kl_train *train, const struct kl_learner *learner,
                  const struct kl_train_options *options, int n_threads, struct kl_error *err);
/* Train from the position to the last epoch. Replicas are spread over the threads of pool (NULL: none);
   each alone is computed in one order, so neither the threads nor the other replicas change a bit.
   KL_ESIGNAL when watch says stop or, where a step takes long, soon after a signal (kl_signals_pending):
   the position is then between two steps, and calling again goes on to the very bits of an uninterrupted
   run. KL_EDATA if the loss is no number and that is not borne. */
int kl_train_run(struct kl_train *train, struct kl_pool *pool, const struct kl_watch *watch,
                 struct kl_error *err);
void kl_train_close(struct kl_train *train);
bool kl_train_finished(const struct kl_train *train); /* no epoch is left, or every replica stopped */
/* Between two calls of kl_train_run: give back all memory but the state, for long waits; take it again,
   for any number of threads, none fewer than the pool has. KL_ENOMEM; close it then. */
void kl_train_stop_workers(struct kl_train *train);
int kl_train_start_workers(struct kl_train *train, int n_threads, struct kl_error *err);
/* How long the training would take from its position on, by its first half second; it has moved on then.
   KL_ENO: a step takes too long to be tried. */
int kl_train_estimate(double *seconds, struct kl_train *train, struct kl_pool *pool,
                      struct kl_error *err);
/* The replica's loss was no longer a number: the epoch (from 0), or -1. */
int64_t kl_train_diverged(const struct kl_train *train, const struct kl_replica *replica);

/* The state as datasets with a leading dimension over replicas: PREFIXparams/<tensor> (of the best
   epoch), history/<row> [replicas, epochs], replicas/<number>, what the learner's save adds; whole: also
   last/, optimizer/ and position, from which training goes on. (save.c) */
int kl_train_save(struct kl_writer *writer, const struct kl_train *train, const char *prefix, bool whole,
                  struct kl_error *err);
/* Take it from a file of the same key. KL_EDATA if the shapes differ. */
int kl_train_restore(struct kl_train *train, struct kl_file *file, const char *prefix,
                     struct kl_error *err);

/* ---- for a learner's functions ---- */
/* The workers of a replica: thread `thread` alone, or all threads of pool. */
struct kl_crew {
    struct kl_train *train;
    struct kl_replica *replica;
    int64_t index; /* its own number, which keys its random numbers */
    int thread;
    struct kl_pool *pool; /* NULL: alone */
};
static inline void *kl_train_crew_learner(const struct kl_crew *crew)
{
    return crew->train->learner->context;
}
/* fn for i < n by the crew, `thread` the one that does it; the first failure of its threads. */
int kl_train_crew_for(const struct kl_crew *crew, size_t n,
                      int (*fn)(void *context, size_t i, int thread, struct kl_error *err),
                      void *context, struct kl_error *err);
/* Threads take whole replicas; else they share the steps of each, as ranks do. */
bool kl_train_whole_replicas(const struct kl_train *train);

struct kl_train_step {
    int64_t step;            /* of the epoch, from 0 */
    uint64_t number;         /* of all steps, from 0 */
    double lr;               /* by the schedule */
    double left;             /* what the schedule leaves of a rate */
    struct kl_update update; /* before clipping */
};
struct kl_train_step kl_train_step_at(const struct kl_crew *crew, int64_t step);
/* The epoch train->epoch of a replica has its rows: is it the best so far? Then its parameters are kept.
   Early stopping and plateau follow. The loop calls it; so does who runs epochs elsewhere. */
bool kl_train_judge_epoch(struct kl_train *train, struct kl_replica *replica);
/* Of a training that ended too soon, how much of the whole fall of the loss, row `loss` of the history,
   its last tenth of the epochs brought, in percent; 0: it came to its end. judged: the row of the
   validation loss; -1: there is none. (replica.c) */
double kl_train_unfinished(const struct kl_train *train, int loss, int judged);
void kl_train_say_unfinished(const struct kl_log *log, const struct kl_train *train, double percent);
/* Of a device: the next step of all replicas by the learner's gradient. */
int kl_train_update(struct kl_train *train, struct kl_pool *pool, struct kl_error *err);

/* ---- options: what a user may say of a training: one struct and one table of options, for every stage
   that trains. The rows come in runs, between which a stage puts its own
   ---- */

struct kl_train_settings {
    struct kl_train_options options;
    const char *optimizer, *schedule; /* words of the choices */
    const char *history, *mlflow;
    const char *ranks; /* NULL: this process is alone */
};
/* The choices of every stage; one that takes more steps by itself has more, of KL_OPTIMIZER_NAMES. */
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
#define KL_TRAIN_CHECKPOINT_OPTION(at)                                                           \
    { "checkpoint-every", 0, KL_OPT_INT, KL_TRAIN_AT(at, options.checkpoint_every), "N", 0, 1e6, \
      false, "epochs; 0: only when stopped by a signal", "Run", NULL }
#define KL_TRAIN_RANKS_OPTION(at)                                                                \
    { "ranks", 0, KL_OPT_STRING, KL_TRAIN_AT(at, ranks), "R", 0, 0, false,                       \
      "share each step with other processes: auto, of mpirun or srun", NULL, NULL }
#define KL_TRAIN_HISTORY_OPTIONS(at)                                                             \
    { "history", 0, KL_OPT_STRING, KL_TRAIN_AT(at, history), "FILE", 0, 0, false,                \
      "the history as JSON lines too", NULL, NULL },                                             \
    { "mlflow", 0, KL_OPT_STRING, KL_TRAIN_AT(at, mlflow), "DIR", 0, 0, false,                   \
      "and as a file store of MLflow", NULL, NULL }
/* clang-format on */

#endif
