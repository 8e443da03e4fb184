/* SPDX-License-Identifier: MIT
   How long a training would take: its first moments, and those of its controls, which are then thrown
   away. */
#include "head/run.h"

static double position(const struct kl_train *t)
{
    return (double)t->epoch + (double)t->step / (double)t->steps_per_epoch;
}

/* Adds what is left of one training. Validation, of which a moment may have seen nothing, is the way
   forward alone: a third of a step, row by row. */
static int add(double *seconds, struct kl_train *t, struct kl_pool *pool, struct kl_error *err)
{
    struct kl_trial trial;
    const double first = position(t), epochs = (double)t->options.epochs;
    const double validation = (double)t->n_validation / 3 / (double)t->n_training;
    t->checkpoint = NULL;
    kl_trial_begin(&trial);
    const int code = kl_trial_end(kl_train_run(t, pool, &trial.watch, err));
    const double spent = kl_clock() - trial.start, done = position(t) - first;
    if (code) return code;
    trial.done = done > 0 || kl_train_finished(t); /* or not so much as a step */
    if (kl_train_finished(t)) *seconds += spent;
    else if (trial.done)
        *seconds += spent / done * (epochs - first) * (t->epochs_run ? 1 : 1 + validation);
    return trial.done ? KL_OK : kl_trial_whole(seconds, &trial, "a step", err);
}

int kl_head_run_estimate(struct kl_estimate *estimate, struct kl_head_run *run,
                         const struct kl_features *features, struct kl_pool *pool, struct kl_error *err)
{
    const struct kl_head_settings *v = run->v;
    const struct kl_log *log = run->log, quiet = { log->tool, log->to, 0 };
    struct kl_head_settings whole = *v; /* a circuit that grows has all layers at last */
    whole.head.grow = 0;
    *estimate = (struct kl_estimate){ .at_most = v->head.grow || v->train.patience > 0 };
    run->log = &quiet, run->late = true;
    if (v->head.grow && !v->resume) run->v = &whole;
    int code = kl_head_run_open(run, features, kl_pool_size(pool), err);
    run->train.log = NULL;
    if (!code) code = add(&estimate->seconds, &run->train, pool, err);
    for (int i = 0; i < run->controls.n && !code; i++)
        code = add(&estimate->seconds, &run->controls.trains[i], pool, err);
    run->log = log, run->v = v;
    return code;
}
