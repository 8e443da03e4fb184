/* SPDX-License-Identifier: MIT
   Private to optimize.c, newton.c, krotov.c, adam.c: starts that threads take in order, one after
   another. */
#ifndef KL_CONTROL_OPTIMIZE_INT_H
#define KL_CONTROL_OPTIMIZE_INT_H

#include <stdatomic.h>

#include "control/pulse/pulse.h"

struct kl_control_solver;
struct kl_control_queue {
    const struct kl_control_problem *problem;
    const struct kl_control_solver *method;
    const struct kl_control_search *search;
    struct kl_control_start *results;
    double *points; /* [starts][n] */
    const struct kl_watch *watch;
    atomic_int next, done, failed; /* failed: a code */
    struct kl_error *errors;       /* [threads] */
};
/* Number of the next start; -1: none is left. */
int kl_control_queue_take(struct kl_control_queue *queue);
/* The start's first point into lane `lane` of x [n][16] (Box and Muller 1958). */
void kl_control_queue_draw(double *x, const struct kl_control_queue *queue,
                           const struct kl_control_evaluator *e, int lane, int start);
/* The result of a start, whose point is lane `lane` of x. */
void kl_control_queue_finish(struct kl_control_queue *queue, int start,
                             const struct kl_control_start *result, const double *x, int n, int lane);
/* May thread go on? */
bool kl_control_queue_step(struct kl_control_queue *queue, int thread);

/* A method: what one thread works with, and a round of it. */
struct kl_control_solver {
    size_t size;
    int (*open)(void *solver, struct kl_control_queue *queue,
                struct kl_error *err);       /* close it in any case */
    bool (*round)(void *solver, int thread); /* false: no start is left */
    void (*close)(void *solver);
};
extern const struct kl_control_solver kl_control_newton, kl_control_adam, kl_control_krotov;

/* The loss ten iterations ago, or infinity. */
enum { KL_CONTROL_WINDOW = 10 };

#endif
