/* SPDX-License-Identifier: MIT
   Adam (Kingma and Ba 2015) on the point of one start, projected on the bounds: whose result is the best
   of its points. For the CPU's lanes and the blocks of a GPU. */
#ifndef KL_INLINE_ADAM_START_H
#define KL_INLINE_ADAM_START_H

#include "kernels/inline/descent.h"

/* After so many iterations without a better loss it is said to have stalled. */
enum { KL_ADAM_START_PATIENCE = 200 };
#define KL_ADAM_START_BETA1 0.9
#define KL_ADAM_START_BETA2 0.999
#define KL_ADAM_START_EPSILON 1e-8
/* best: INFINITY before the first loss. */
struct kl_adam_start {
    double best;
    int iterations, since_best;
};

/* Is f the best loss until now? */
KL_INLINE int kl_adam_start_better(struct kl_adam_start *a, const struct kl_descent_rules *rules,
                                   double f)
{
    a->since_best++;
    if (!(f < a->best)) return 0;
    if (a->best - f > rules->progress * fabs(f)) a->since_best = 0;
    a->best = f;
    return 1;
}
KL_INLINE int kl_adam_start_judge(const struct kl_adam_start *a, const struct kl_descent_rules *rules,
                                  double f)
{
    if (!isfinite(f)) return KL_DESCENT_NO_NUMBER;
    if (a->best <= rules->target) return KL_DESCENT_REACHED;
    if (a->since_best >= KL_ADAM_START_PATIENCE) return KL_DESCENT_STALLED;
    return a->iterations >= rules->iterations ? KL_DESCENT_ITERATIONS : KL_DESCENT_RUNS;
}

/* Of the next iteration. */
struct kl_adam_start_step {
    double rate, epsilon;
};
KL_INLINE struct kl_adam_start_step kl_adam_start_step(struct kl_adam_start *a, double lr)
{
    const int t = ++a->iterations;
    const double root = sqrt(1 - pow(KL_ADAM_START_BETA2, t));
    const struct kl_adam_start_step step = { lr * root / (1 - pow(KL_ADAM_START_BETA1, t)),
                                             KL_ADAM_START_EPSILON * root };
    return step;
}
/* Where the number x of gradient g goes, before any bound. */
KL_INLINE double kl_adam_start_move(double *m, double *v, double x, double g,
                                    struct kl_adam_start_step step)
{
    *m = KL_ADAM_START_BETA1 * *m + (1 - KL_ADAM_START_BETA1) * g;
    *v = KL_ADAM_START_BETA2 * *v + (1 - KL_ADAM_START_BETA2) * g * g;
    return x - step.rate * *m / (sqrt(*v) + step.epsilon);
}

#endif
