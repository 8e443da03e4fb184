/* SPDX-License-Identifier: MIT
   Steps with momentum: SGHMC (Chen, Fox, Guestrin 2014) as BAOAB, SGNHT (Ding et al. 2014) as BADODAB.
   Both begin with the kick, so that a step takes one gradient. */
#include <math.h>

#include "kernels/inline/real.h"
#include "sampling/chain/walker_int.h"

/* The kick over a whole step and the drift over half of it. */
static int kick(struct kl_sampling_walker *k, const struct kl_sampling_move *m,
                struct kl_sampling_outcome *out, double *vv, struct kl_error *err)
{
    const double h = sqrt(m->eta);
    *out = (struct kl_sampling_outcome){ .accept = 1, .accepted = true };
    const int code = k->target->gradient(k->target->context, k->grad, &out->sums, k->w, m->rows,
                                         m->count, k->crew, err);
    if (code) return code;
    kl_sampling_virial(k, k->w, k->grad, m, out);
    *vv = kl_sampling_push(k, k->w, k->v, k->grad, &(struct kl_sampling_kick){ 1, h, 0, h / 2 }, m);
    return KL_OK;
}

int kl_sampling_step_sghmc(struct kl_sampling_walker *k, const struct kl_sampling_move *m,
                           struct kl_sampling_outcome *out, struct kl_error *err)
{
    const double h = sqrt(m->eta), keep = exp(-m->friction),
                 spread = m->factors[0].spread > 0 ? sqrt(-expm1(-2 * m->friction)) : 0;
    double vv;
    const int code = kick(k, m, out, &vv, err);
    if (code) return code;
    kl_sampling_push(k, k->w, k->v, k->grad, &(struct kl_sampling_kick){ keep, 0, spread, h / 2 }, m);
    return KL_OK;
}

int kl_sampling_step_sgnht(struct kl_sampling_walker *k, const struct kl_sampling_move *m,
                           struct kl_sampling_outcome *out, struct kl_error *err)
{
    const double h = sqrt(m->eta), p = (double)k->target->size;
    double vv;
    const int code = kick(k, m, out, &vv, err);
    if (code) return code;
    /* The thermostat x is a friction a step; its mean is m->friction. */
    k->thermostat += m->eta / 2 * (vv / p - 1);
    const double x = k->thermostat, lost = fabs(x) < 1e-8 ? 2 : -expm1(-2 * x) / x,
                 spread = m->factors[0].spread > 0 ? sqrt(m->friction * lost) : 0;
    vv = kl_sampling_push(k, k->w, k->v, k->grad,
                          &(struct kl_sampling_kick){ exp(-x), 0, spread, h / 2 }, m);
    k->thermostat += m->eta / 2 * (vv / p - 1);
    return KL_OK;
}
