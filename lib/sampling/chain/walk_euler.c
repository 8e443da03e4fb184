/* SPDX-License-Identifier: MIT
   Steps without momentum: SGLD (Welling and Teh 2011; all records: ULA), with a control variate (Dubey
   et al. 2016), with ln F - ln B of the path certificate; pSGLD (Li et al. 2016). */
#include <math.h>
#include <string.h>

#include "kernels/langevin.h"
#include "kernels/inline/philox.h"
#include "kernels/inline/real.h"
#include "sampling/chain/walker_int.h"

int kl_sampling_anchor(struct kl_sampling_walker *k, bool move, struct kl_error *err)
{
    struct kl_sampling_sums unused = { 0 };
    if (move) memcpy(k->anchor, k->w, k->target->size * sizeof *k->w);
    return k->target->gradient(k->target->context, k->anchor_grad, &unused, k->anchor, NULL,
                               k->target->n, k->crew, err);
}

struct difference {
    const struct kl_sampling_walker *k;
};

static void difference_piece(void *context, size_t i)
{
    const struct kl_sampling_walker *k = ((const struct difference *)context)->k;
    const struct kl_sampling_piece *p = &k->pieces[i];
    for (size_t j = p->first; j < p->first + p->n; j++)
        k->grad[j] += k->anchor_grad[j] - k->fresh_grad[j];
}

/* grad of the step's records at k->w; with an anchor it is the anchor's whole gradient and the
 * difference. */
static int gradient(struct kl_sampling_walker *k, kl_real *grad, const kl_real *w,
                    const struct kl_sampling_move *m, struct kl_sampling_sums *sums,
                    struct kl_error *err)
{
    return k->target->gradient(k->target->context, grad, sums, w, m->rows, m->count, k->crew, err);
}

int kl_sampling_step_sgld(struct kl_sampling_walker *k, const struct kl_sampling_move *m,
                          struct kl_sampling_outcome *out, struct kl_error *err)
{
    struct kl_sampling_sums unused = { 0 };
    *out = (struct kl_sampling_outcome){ .accept = 1, .accepted = true };
    int code = gradient(k, k->grad, k->w, m, &out->sums, err);
    if (!code && k->anchor) {
        struct difference d = { k };
        code = gradient(k, k->fresh_grad, k->anchor, m, &unused, err);
        if (!code) kl_sampling_over(k, difference_piece, &d);
    }
    if (code) return code;
    if (!m->ratio) {
        kl_sampling_update(k, k->w, k->grad, m->factors, m, out);
        return KL_OK;
    }
    /* B is the same step, of the same records, from the new point. */
    memcpy(k->fresh, k->w, k->target->size * sizeof *k->w);
    kl_sampling_update(k, k->w, k->grad, m->factors, m, out);
    out->log_ratio = kl_sampling_ratio(k, k->w, k->fresh, k->grad, m->factors);
    code = gradient(k, k->grad, k->w, m, &unused, err);
    if (!code) out->log_ratio -= kl_sampling_ratio(k, k->fresh, k->w, k->grad, m->factors);
    return code;
}

/* ---- pSGLD ---- */

struct rms {
    const struct kl_sampling_walker *k;
    const struct kl_sampling_move *m;
};

/* The preconditioner G = 1 / (epsilon + sqrt(mean square of grad)); the term of its derivative is left
   out, as the authors do: it stands still once the warm-up is over, and the chain has a law. */
static void rms_piece(void *context, size_t i)
{
    const struct rms *r = context;
    const struct kl_sampling_walker *k = r->k;
    const struct kl_sampling_move *m = r->m;
    const struct kl_sampling_piece *p = &k->pieces[i];
    const double precision = m->precision[p->tensor];
    const struct kl_langevin_stream stream = { m->key, KL_RANDOM_LANGEVIN, (uint32_t)m->step,
                                               (uint32_t)(m->step >> 32) };
    const struct kl_langevin_rms f = { .keep = !m->adapt ? 1
                                               : m->step ? m->rms_decay
                                                         : 0,
                                       .eps = m->rms_epsilon,
                                       .rate = m->eta / 2 * m->beta,
                                       .decay = precision / m->beta,
                                       .spread = m->factors[p->tensor].spread > 0 ? sqrt(m->eta) : 0 };
    struct kl_langevin_sums sums = { 0 };
    kl_kernel_langevin_rms(k->w + p->first, k->v + p->first, k->grad + p->first, p->first, p->n, &f,
                           &stream, &sums);
    k->partial[i * KL_SAMPLING_PARTIAL] = m->beta * sums.wg + precision * sums.ww;
    k->partial[i * KL_SAMPLING_PARTIAL + 1] = precision * sums.ww;
}

int kl_sampling_step_psgld(struct kl_sampling_walker *k, const struct kl_sampling_move *m,
                           struct kl_sampling_outcome *out, struct kl_error *err)
{
    struct rms r = { k, m };
    *out = (struct kl_sampling_outcome){ .accept = 1, .accepted = true };
    const int code = gradient(k, k->grad, k->w, m, &out->sums, err);
    if (code) return code;
    kl_sampling_over(k, rms_piece, &r);
    out->virial = kl_sampling_total(k, 0) / (double)k->target->size;
    out->radius = kl_sampling_total(k, 1) / (double)k->target->size;
    return KL_OK;
}
