/* SPDX-License-Identifier: MIT
   What Newton's method decides of one start within a region that it trusts, whose steps come from
   conjugate gradients (Steihaug 1983): for the CPU's lanes and the blocks of a GPU. */
#ifndef KL_INLINE_TRUST_H
#define KL_INLINE_TRUST_H

#include "kernels/inline/descent.h"

enum { KL_TRUST_INNER = 60 /* steps of conjugate gradients */ };
struct kl_trust {
    double f, radius, gain;  /* gain: what the model says that the step brings */
    double rr, rr_begin, pp; /* squares of residual and step */
    double recent[KL_DESCENT_WINDOW];
    int iterations, evaluations, steps; /* steps: inner ones */
    int fresh, inner;                   /* inner: within the conjugate gradients */
};

/* To the border of the region along d; of the two the one ahead. */
KL_INLINE double kl_trust_to_border(const struct kl_trust *t, double pd, double dd)
{
    const double c = t->radius * t->radius - t->pp;
    return c <= 0 || dd <= 0 ? 0 : c / (pd + sqrt(pd * pd + dd * c));
}
/* How far along d the step p goes, of d . H d, p . d, d . d; leaves: to the border. */
KL_INLINE double kl_trust_along(const struct kl_trust *t, int *leaves, double dhd, double pd, double dd)
{
    const double alpha = dhd > 0 ? t->rr / dhd : INFINITY;
    *leaves = t->pp + 2 * alpha * pd + alpha * alpha * dd >= t->radius * t->radius || !(dhd > 0);
    return *leaves ? kl_trust_to_border(t, pd, dd) : alpha;
}
/* Is the step good enough, whose residual has the square rr? Superlinear: the residual falls with the
   gradient (Dembo and Steihaug 1983). */
KL_INLINE int kl_trust_enough(struct kl_trust *t, double rr)
{
    const double enough = fmin(0.1, sqrt(sqrt(t->rr_begin)));
    return ++t->steps >= KL_TRUST_INNER || rr <= enough * enough * t->rr_begin;
}

/* size: of the projected gradient at the start's point. */
KL_INLINE int kl_trust_judge(const struct kl_trust *t, const struct kl_descent_rules *rules, double size)
{
    if (!isfinite(t->f)) return KL_DESCENT_NO_NUMBER;
    if (t->f <= rules->target) return KL_DESCENT_REACHED;
    if (size <= rules->gradient) return KL_DESCENT_FLAT;
    if (t->iterations >= rules->iterations) return KL_DESCENT_ITERATIONS;
    const double before = t->recent[(t->iterations + 1) % KL_DESCENT_WINDOW];
    if (t->iterations >= KL_DESCENT_WINDOW && before - t->f <= rules->progress * fabs(t->f))
        return KL_DESCENT_STALLED;
    return KL_DESCENT_RUNS;
}

/* Is the trial of loss f, of n numbers, taken? The region grows and shrinks with what the model was
   worth. */
KL_INLINE int kl_trust_take(struct kl_trust *t, double f, double n)
{
    const double fall = f - t->f, ratio = t->gain < 0 ? fall / t->gain : -1;
    t->evaluations++;
    if (t->fresh) t->radius = 0.1 * sqrt(n);
    else if (!(ratio > 0.25)) t->radius = 0.25 * fmin(t->radius, sqrt(t->pp));
    else if (ratio > 0.75 && t->pp > 0.8 * t->radius * t->radius) t->radius *= 2;
    if (!t->fresh && !(fall < 0 && ratio > 1e-4)) return 0;
    if (!t->fresh) t->iterations++;
    t->recent[t->iterations % KL_DESCENT_WINDOW] = t->fresh ? INFINITY : t->f;
    t->f = f, t->fresh = 0;
    return 1;
}
/* Of a trial that was not taken: is the region so small that rounding decides? */
KL_INLINE int kl_trust_gives_up(const struct kl_trust *t)
{
    return t->radius < 1e-12;
}

#endif
