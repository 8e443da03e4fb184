/* SPDX-License-Identifier: MIT
   lbfgs: the arithmetic of projected limited-memory BFGS (Nocedal 1980; bounds by projection: Bertsekas
   1982), many problems of the same size side by side, one a lane. What a lane becomes depends on nothing
   beside it. Its CUDA twin is a warp of a block that also makes the gradients
   (kernels/cuda/pulse_search.cuh). */
#ifndef KL_LBFGS_H
#define KL_LBFGS_H

#include <stddef.h>

#include "kernels/isa.h"

enum { KL_LBFGS_LANES = 16, KL_LBFGS_PAIRS = 8 };

/* Of 16 lanes; vectors are [n][16]. Pair p of a lane is empty where rho is 0: its s and y are finite. */
struct kl_lbfgs {
    size_t n;
    double *x, *g, *d;       /* point, gradient, direction */
    double *free;            /* 1; 0: held at a bound, in the last direction */
    double *next_x, *next_g; /* of a trial */
    double *s[KL_LBFGS_PAIRS], *y[KL_LBFGS_PAIRS];
    double rho[KL_LBFGS_PAIRS][KL_LBFGS_LANES]; /* 1 / (s . y) */
    int newest;                                 /* pair that the last update wrote */
    const double *low, *high;                   /* [n] */
};
/* The two-loop recursion into d over what is not held at a bound, or steepest descent where it does not
   descend; slope[16] = g . d; size[16]: the largest component of the projected gradient. */
typedef void kl_lbfgs_direction_fn(struct kl_lbfgs *b, double slope[KL_LBFGS_LANES],
                                   double size[KL_LBFGS_LANES]);
KL_KERNEL(kl_lbfgs_direction_fn, lbfgs_direction_f64)
/* next_x = x + step d within the bounds; gain[16] = g . (next_x - x). */
typedef void kl_lbfgs_trial_fn(struct kl_lbfgs *b, double gain[KL_LBFGS_LANES],
                               const double step[KL_LBFGS_LANES]);
KL_KERNEL(kl_lbfgs_trial_fn, lbfgs_trial_f64)
/* The decision of a lane on its trial, as numbers: it stays; moves to next_x, next_g and gains a pair;
   moves and begins anew, without pairs; stays and loses its pairs. */
enum { KL_LBFGS_STAY = 0, KL_LBFGS_ACCEPT = 1, KL_LBFGS_BEGIN = 2, KL_LBFGS_FORGET = -1 };
typedef void kl_lbfgs_update_fn(struct kl_lbfgs *b, const double accept[KL_LBFGS_LANES]);
KL_KERNEL(kl_lbfgs_update_fn, lbfgs_update_f64)

/* When a start stops, and why (kernels/inline/descent.h): target, gradient and progress as struct
   kl_control_search of control/pulse/pulse.h has them, the numbers of its enum kl_control_stop. */
struct kl_descent_rules {
    double target, gradient, progress;
    int iterations;
};
enum kl_descent_stop {
    KL_DESCENT_RUNS,
    KL_DESCENT_REACHED,
    KL_DESCENT_FLAT,
    KL_DESCENT_STALLED,
    KL_DESCENT_NO_DESCENT,
    KL_DESCENT_ITERATIONS,
    KL_DESCENT_NO_NUMBER,
    KL_DESCENT_STOPS
};

#endif
