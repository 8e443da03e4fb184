/* SPDX-License-Identifier: MIT
   How long a training would take: its first moments, and those of its controls, which are then thrown
   away. */
#include "head/run.h"

/* Adds what is left of one training. */
static int add(double *seconds, struct kl_train *train, struct kl_pool *pool, struct kl_error *err)
{
    double whole;
    const int code = kl_train_estimate(&whole, train, pool, err);
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
    *estimate = (struct kl_estimate){ .at_most = v->head.grow || v->train.options.patience > 0 };
    run->log = &quiet, run->late = true;
    if (v->head.grow && !v->train.resume) run->v = &whole;
    int code = kl_head_run_open(run, features, kl_pool_size(pool), err);
    run->train.log = NULL;
    if (!code) code = add(&estimate->seconds, &run->train.loop, pool, err);
    for (int i = 0; i < run->controls.n && !code; i++)
        code = add(&estimate->seconds, &run->controls.trains[i].loop, pool, err);
    run->log = log, run->v = v;
    return code;
}
