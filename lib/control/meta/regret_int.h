/* SPDX-License-Identifier: MIT
   A regret under way: what regret.c and its searches (optima.c) share. */
#ifndef KL_CONTROL_META_REGRET_INT_H
#define KL_CONTROL_META_REGRET_INT_H

#include <stdatomic.h>

#include "control/meta/regret.h"
#include "store/ranks.h"

struct kl_control_regret_work {
    struct kl_control_regret *r;
    const struct kl_control_policy *p;
    const struct kl_control_regret_options *o;
    struct kl_control_system qubit; /* and its objective, where the family has no system */
    struct kl_control_objective objective;
    double *point; /* the fixed pulse in units of the limits, as searches have it */
    struct kl_control_meta_task *tests, *sample;
    struct kl_pool *pool;
    struct kl_ranks *ranks;
    size_t first; /* of the tasks whose optima this rank finds */
    const struct kl_watch *watch;
    const struct kl_device *device;
    atomic_long gradients, found; /* found: optima */
    atomic_int failed;
    struct kl_error *errors; /* [threads] */
    double *params;          /* of the network on the mean */
    double seconds;          /* of a forecast */
};

/* Numbers of a pulse. */
static inline int kl_control_regret_size(const struct kl_control_regret_work *w)
{
    return w->p->net.shape.segments * w->p->net.shape.controls;
}
/* n tasks as a problem of optimal control; its members and targets are the caller's. */
struct kl_control_problem kl_control_regret_problem(const struct kl_control_regret_work *w,
                                                    const struct kl_control_task *members,
                                                    const double (*targets)[9], int n);
/* The best point (segments * controls, in units of the limits) for the mean of n tasks, and its loss;
   its starts spread over pool (NULL: none). KL_ENOMEM, KL_ESIGNAL and the search's errors. */
int kl_control_regret_best_pulse(struct kl_control_regret_work *w, double *point, double *loss,
                                 const struct kl_control_meta_task *tasks, int n, int iterations,
                                 struct kl_pool *pool, struct kl_error *err);
/* The optimum of every test task, of all ranks. The same errors. */
int kl_control_regret_optima(struct kl_control_regret_work *w, struct kl_error *err);

#endif
