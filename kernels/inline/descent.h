/* SPDX-License-Identifier: MIT
   What a search along gradients decides of one start, which tries one point a round: whether a trial is
   taken, and why the start stops. For the CPU's lanes (kernels/lbfgs.h) and the blocks of a GPU
   (kernels/cuda_pulses.h). */
#ifndef KL_INLINE_DESCENT_H
#define KL_INLINE_DESCENT_H

#include <math.h>

#include "kernels/lbfgs.h"

#ifndef KL_INLINE
#define KL_INLINE static inline __attribute__((always_inline))
#endif

/* KL_DESCENT_WINDOW: iterations over which a fall is looked at. */
enum { KL_DESCENT_WINDOW = 10, KL_DESCENT_BACKTRACKS = 20 };
/* fresh: its first point has not been tried; it begins without_pairs. */
struct kl_descent {
    double f, step, recent[KL_DESCENT_WINDOW];
    int iterations, evaluations, backtracks, fresh, without_pairs;
};

/* size: of the projected gradient at the start's point. */
KL_INLINE int kl_descent_judge(const struct kl_descent *d, const struct kl_descent_rules *rules,
                               double size)
{
    if (d->fresh) return KL_DESCENT_RUNS;
    if (!isfinite(d->f)) return KL_DESCENT_NO_NUMBER;
    if (d->f <= rules->target) return KL_DESCENT_REACHED;
    if (size <= rules->gradient) return KL_DESCENT_FLAT;
    if (d->iterations >= rules->iterations) return KL_DESCENT_ITERATIONS;
    if (d->iterations >= KL_DESCENT_WINDOW && d->backtracks == 0) {
        const double before = d->recent[(d->iterations + 1) % KL_DESCENT_WINDOW];
        if (before - d->f <= rules->progress * fabs(d->f)) return KL_DESCENT_STALLED;
    }
    return KL_DESCENT_RUNS;
}

/* Armijo's rule on a trial of loss f; a step that is too long shrinks to the least of a parabola.
   accept: what kl_lbfgs_update_fn is told. The return is how the start goes on. */
KL_INLINE int kl_descent_take(struct kl_descent *d, double *accept, double f, double gain)
{
    d->evaluations++;
    if (d->fresh || f <= d->f + 1e-4 * gain) {
        *accept = d->fresh ? KL_LBFGS_BEGIN : KL_LBFGS_ACCEPT;
        if (d->fresh) d->fresh = 0;
        else d->iterations++, d->without_pairs = 0;
        d->recent[d->iterations % KL_DESCENT_WINDOW] = d->iterations ? d->f : INFINITY;
        d->f = f, d->step = 1, d->backtracks = 0;
        return KL_DESCENT_RUNS;
    }
    const double least = isfinite(f) ? -gain / (2 * (f - d->f - gain)) : 0;
    d->step *= fmin(fmax(least, 0.1), 0.5);
    *accept = KL_LBFGS_STAY;
    if (++d->backtracks < KL_DESCENT_BACKTRACKS) return KL_DESCENT_RUNS;
    if (d->without_pairs) return KL_DESCENT_NO_DESCENT;
    *accept = KL_LBFGS_FORGET, d->without_pairs = 1, d->step = 1, d->backtracks = 0;
    return KL_DESCENT_RUNS;
}

#endif
