/* SPDX-License-Identifier: MIT
   Steps that are accepted or refused, of all records: MALA (Roberts and Tweedie 1996) and HMC. */
#include <math.h>
#include <string.h>

#include "kernels/inline/philox.h"
#include "kernels/inline/real.h"
#include "sampling/chain/walker_int.h"

static double mean_loss(const struct kl_sampling_sums *sums)
{
    return sums->loss / (double)sums->count;
}

/* grad and sums of k->w, if they are not known yet. */
static int know(struct kl_sampling_walker *k, const struct kl_sampling_move *m, struct kl_error *err)
{
    if (k->known) return KL_OK;
    k->known_sums = (struct kl_sampling_sums){ 0 };
    const int code = k->target->gradient(k->target->context, k->grad, &k->known_sums, k->w, m->rows,
                                         m->count, k->crew, err);
    k->known = !code;
    return code;
}

/* which 0: of the decision; 1: of the leapfrogs. */
static double uniform(const struct kl_sampling_move *m, int which)
{
    uint32_t words[4];
    kl_philox(words, m->key, 0, KL_RANDOM_ACCEPT, (uint32_t)m->step, (uint32_t)(m->step >> 32));
    return kl_philox_unit(words[which]);
}

static int64_t leapfrogs_of(const struct kl_sampling_move *m)
{
    const int64_t least = m->spread ? (m->leapfrogs + 1) / 2 : m->leapfrogs,
                  more = (int64_t)(uniform(m, 1) * (double)(m->leapfrogs - least + 1));
    return least + (more < m->leapfrogs - least ? more : m->leapfrogs - least);
}

/* Take the proposal k->fresh, or not. A loss that is no number is refused. */
static void decide(struct kl_sampling_walker *k, const struct kl_sampling_move *m, double log_alpha,
                   const struct kl_sampling_sums *sums, struct kl_sampling_outcome *out)
{
    out->accept = isnan(log_alpha) ? 0 : exp(fmin(0, log_alpha));
    out->accepted = log(uniform(m, 0)) < log_alpha;
    if (out->accepted) {
        kl_real *grad = k->grad;
        memcpy(k->w, k->fresh, k->target->size * sizeof *k->w);
        k->grad = k->fresh_grad, k->fresh_grad = grad;
        k->known_sums = *sums;
    }
    out->sums = k->known_sums;
    kl_sampling_virial(k, k->w, k->grad, m, out);
}

double kl_sampling_log_alpha(struct kl_sampling_walker *k, const struct kl_sampling_move *m, double loss,
                             double fresh_loss)
{
    const double potential = m->beta * (loss - fresh_loss) + kl_sampling_prior(k, k->w, m->precision) -
                             kl_sampling_prior(k, k->fresh, m->precision);
    return potential + kl_sampling_ratio(k, k->w, k->fresh, k->fresh_grad, m->factors) -
           kl_sampling_ratio(k, k->fresh, k->w, k->grad, m->factors);
}

int kl_sampling_step_mala(struct kl_sampling_walker *k, const struct kl_sampling_move *m,
                          struct kl_sampling_outcome *out, struct kl_error *err)
{
    struct kl_sampling_sums sums = { 0 };
    *out = (struct kl_sampling_outcome){ 0 };
    int code = know(k, m, err);
    if (code) return code;
    memcpy(k->fresh, k->w, k->target->size * sizeof *k->w);
    kl_sampling_update(k, k->fresh, k->grad, m->factors, m, NULL);
    code = k->target->gradient(k->target->context, k->fresh_grad, &sums, k->fresh, m->rows, m->count,
                               k->crew, err);
    if (code) return code;
    decide(k, m, kl_sampling_log_alpha(k, m, mean_loss(&k->known_sums), mean_loss(&sums)), &sums, out);
    return KL_OK;
}

int kl_sampling_step_hmc(struct kl_sampling_walker *k, const struct kl_sampling_move *m,
                         struct kl_sampling_outcome *out, struct kl_error *err)
{
    const double h = sqrt(m->eta);
    const int64_t leapfrogs = leapfrogs_of(m);
    struct kl_sampling_sums sums = { 0 };
    *out = (struct kl_sampling_outcome){ 0 };
    int code = know(k, m, err);
    if (code) return code;
    const size_t bytes = k->target->size * sizeof *k->w;
    memcpy(k->fresh, k->w, bytes), memcpy(k->fresh_grad, k->grad, bytes);
    /* Momenta are drawn anew, also after those that ended at no number. */
    memset(k->v, 0, bytes);
    const double before =
        kl_sampling_push(k, k->fresh, k->v, k->grad, &(struct kl_sampling_kick){ 0, 0, 1, 0 }, m);
    double after = before;
    for (int64_t i = 0; i <= leapfrogs && !code; i++) {
        const bool end = i == leapfrogs;
        const struct kl_sampling_kick kick = { 1, i == 0 || end ? h / 2 : h, 0, end ? 0 : h };
        after = kl_sampling_push(k, k->fresh, k->v, k->fresh_grad, &kick, m);
        if (end) break;
        sums = (struct kl_sampling_sums){ 0 };
        code = k->target->gradient(k->target->context, k->fresh_grad, &sums, k->fresh, m->rows, m->count,
                                   k->crew, err);
    }
    if (code) return code;
    const double log_alpha = m->beta * (mean_loss(&k->known_sums) - mean_loss(&sums)) +
                             kl_sampling_prior(k, k->w, m->precision) -
                             kl_sampling_prior(k, k->fresh, m->precision) + (before - after) / 2;
    decide(k, m, log_alpha, &sums, out);
    return KL_OK;
}
