/* SPDX-License-Identifier: MIT
   How long a training would take: its first moments, and those of its controls, which are then thrown
   away. */
#include "head/run.h"

static int64_t steps_done(const struct kl_train *t)
{
    return t->epoch * t->steps_per_epoch + t->step;
}

/* Adds what is left of one training. Validation, of which a moment may have seen nothing, is the way
   forward alone: a third of a step, row by row. */
static int add(double *seconds, struct kl_train *t, struct kl_pool *pool, struct kl_error *err)
{
    struct kl_trial trial;
    double whole = 0;
    const uint64_t from = (uint64_t)steps_done(t);
    t->checkpoint = NULL;
    kl_trial_begin(&trial);
    int code = kl_trial_end(kl_train_run(t, pool, &trial.watch, err));
    trial.seconds = kl_clock() - trial.start; /* the watch has been told of epochs */
    trial.from = from, trial.done = (uint64_t)steps_done(t);
    trial.total = (uint64_t)(t->options.epochs * t->steps_per_epoch);
    if (kl_train_finished(t)) whole = trial.seconds;
    else if (!code) code = kl_trial_whole(&whole, &trial, "a step", err);
    if (!t->epochs_run) whole *= 1 + (double)t->n_validation / 3 / (double)t->n_training;
    *seconds += whole;
    return code;
}

int kl_head_run_estimate(struct kl_estimate *estimate, struct kl_head_run *run,
                         const struct kl_features *features, struct kl_pool *pool, struct kl_error *err)
{
    const struct kl_head_settings *v = run->v;
    const struct kl_log *log = run->log, quiet = { log->tool, log->to, 0, NULL };
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
