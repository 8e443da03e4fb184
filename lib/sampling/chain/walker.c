/* SPDX-License-Identifier: MIT
   The steps of a chain, and the passes over its weights that they are made of. */
#include <math.h>
#include <string.h>

#include "kernels/langevin.h"
#include "kernels/inline/philox.h"
#include "kernels/inline/real.h"
#include "sampling/chain/walker_int.h"

/* ---- walker ----
   The passes over a chain's weights that the steps are made of: update, kick, densities; piece by piece,
   each by any thread, with sums in the pieces' order. */

enum { SHARED = 1 << 17 }; /* weights from which other threads are worth waking */

struct over {
    void (*fn)(void *context, size_t piece);
    void *context;
};

static void call(void *context, size_t i, int thread)
{
    const struct over *o = context;
    (void)thread;
    o->fn(o->context, i);
}

void kl_sampling_over(const struct kl_sampling_walker *k, void (*fn)(void *context, size_t piece),
                      void *context)
{
    struct over o = { fn, context };
    if (k->crew->pool && k->target->size >= SHARED) kl_pool_for(k->crew->pool, k->n_pieces, call, &o);
    else
        for (size_t i = 0; i < k->n_pieces; i++) fn(context, i);
}

double kl_sampling_total(const struct kl_sampling_walker *k, int column)
{
    double sum = 0;
    for (size_t i = 0; i < k->n_pieces; i++) sum += k->partial[i * KL_SAMPLING_PARTIAL + (size_t)column];
    return sum;
}

/* The arguments of a pass; each uses its part. */
struct pass {
    struct kl_sampling_walker *k;
    kl_real *w, *v;
    const kl_real *from, *grad;
    const struct kl_langevin_factors *factors;
    const struct kick *kick;
    const struct kl_sampling_move *m;
    const double *precision;
};

static struct kl_langevin_stream stream_of(const struct kl_sampling_move *m)
{
    return (struct kl_langevin_stream){ m->key, KL_RANDOM_LANGEVIN, (uint32_t)m->step,
                                        (uint32_t)(m->step >> 32) };
}

/* ---- Euler's update ---- */

static void update_piece(void *context, size_t i)
{
    const struct pass *p = context;
    const struct kl_sampling_piece *piece = &p->k->pieces[i];
    const struct kl_langevin_stream stream = stream_of(p->m);
    struct kl_langevin_sums sums = { 0 };
    kl_kernel_langevin_step(p->w + piece->first, p->grad + piece->first, piece->first, piece->n,
                            &p->factors[piece->tensor], &stream, &sums);
    const double prior = p->precision[piece->tensor] * sums.ww;
    p->k->partial[i * KL_SAMPLING_PARTIAL] = p->m->beta * sums.wg + prior;
    p->k->partial[i * KL_SAMPLING_PARTIAL + 1] = prior;
}

static void tell(const struct kl_sampling_walker *k, struct kl_sampling_outcome *out)
{
    out->virial = kl_sampling_total(k, 0) / (double)k->target->size;
    out->radius = kl_sampling_total(k, 1) / (double)k->target->size;
}

void kl_sampling_update(struct kl_sampling_walker *k, kl_real *w, const kl_real *grad,
                        const struct kl_langevin_factors *factors, const struct kl_sampling_move *m,
                        struct kl_sampling_outcome *out)
{
    struct pass p = {
        .k = k, .w = w, .grad = grad, .factors = factors, .m = m, .precision = m->precision
    };
    kl_sampling_over(k, update_piece, &p);
    if (out) tell(k, out);
}

/* ---- a kick and a drift ---- */

/* v = keep v - rate (beta grad + precision w) + spread N, w += move v; returns |v|^2. With scales (then
   keep is 1 where spread is 0): v -= rate scale (beta grad + precision w), w += move scale v. */
struct kick {
    double keep, rate, spread, move;
};
static void push_piece(void *context, size_t i)
{
    const struct pass *p = context;
    const struct kl_sampling_piece *piece = &p->k->pieces[i];
    const struct kl_langevin_stream stream = stream_of(p->m);
    const struct kl_langevin_momentum f = { p->kick->keep, p->kick->rate * p->m->beta,
                                            p->kick->rate * p->m->precision[piece->tensor],
                                            p->kick->spread, p->kick->move };
    double vv = 0;
    kl_kernel_langevin_momentum(p->w + piece->first, p->v + piece->first, p->grad + piece->first,
                                piece->first, piece->n, &f, &stream, &vv);
    p->k->partial[i * KL_SAMPLING_PARTIAL] = vv;
}

/* The same without noise, of weights that move in units of their scales. */
static void push_scaled_piece(void *context, size_t i)
{
    const struct pass *p = context;
    const struct kl_sampling_piece *piece = &p->k->pieces[i];
    const double precision = p->m->precision[piece->tensor], rate = p->kick->rate, beta = p->m->beta;
    double vv = 0;
    for (size_t j = piece->first; j < piece->first + piece->n; j++) {
        const double scale = (double)p->k->scale[j],
                     force = scale * (beta * (double)p->grad[j] + precision * (double)p->w[j]);
        p->v[j] = (kl_real)((double)p->v[j] - rate * force);
        p->w[j] = (kl_real)((double)p->w[j] + p->kick->move * scale * (double)p->v[j]);
        vv += (double)p->v[j] * (double)p->v[j];
    }
    p->k->partial[i * KL_SAMPLING_PARTIAL] = vv;
}

static double push(struct kl_sampling_walker *k, kl_real *w, kl_real *v, const kl_real *grad,
                   const struct kick *kick, const struct kl_sampling_move *m)
{
    struct pass p = { .k = k, .w = w, .v = v, .grad = grad, .kick = kick, .m = m };
    const bool scaled = k->scale && kick->spread <= 0;
    kl_sampling_over(k, scaled ? push_scaled_piece : push_piece, &p);
    return kl_sampling_total(k, 0);
}

/* ---- sums without a change ---- */

static void ratio_piece(void *context, size_t i)
{
    const struct pass *p = context;
    const struct kl_sampling_piece *piece = &p->k->pieces[i];
    const struct kl_langevin_factors *f = &p->factors[piece->tensor];
    double sum = 0;
    for (size_t j = piece->first; j < piece->first + piece->n; j++) {
        const double r = (double)p->w[j] - f->shrink * (double)p->from[j] + f->rate * (double)p->grad[j];
        sum += r * r;
    }
    p->k->partial[i * KL_SAMPLING_PARTIAL] = -sum / (2 * f->spread * f->spread);
}

double kl_sampling_ratio(struct kl_sampling_walker *k, const kl_real *to, const kl_real *from,
                         const kl_real *grad, const struct kl_langevin_factors *factors)
{
    struct pass p = { .k = k, .w = (kl_real *)to, .from = from, .grad = grad, .factors = factors };
    kl_sampling_over(k, ratio_piece, &p);
    return kl_sampling_total(k, 0);
}

static void prior_piece(void *context, size_t i)
{
    const struct pass *p = context;
    const struct kl_sampling_piece *piece = &p->k->pieces[i];
    double sum = 0;
    for (size_t j = piece->first; j < piece->first + piece->n; j++)
        sum += (double)p->from[j] * (double)p->from[j];
    p->k->partial[i * KL_SAMPLING_PARTIAL] = sum * p->precision[piece->tensor] / 2;
}

double kl_sampling_prior(struct kl_sampling_walker *k, const kl_real *w, const double *precision)
{
    struct pass p = { .k = k, .from = w, .precision = precision };
    kl_sampling_over(k, prior_piece, &p);
    return kl_sampling_total(k, 0);
}

static void virial_piece(void *context, size_t i)
{
    const struct pass *p = context;
    const struct kl_sampling_piece *piece = &p->k->pieces[i];
    double ww = 0, wg = 0;
    for (size_t j = piece->first; j < piece->first + piece->n; j++)
        ww += (double)p->from[j] * (double)p->from[j], wg += (double)p->from[j] * (double)p->grad[j];
    const double prior = p->m->precision[piece->tensor] * ww;
    p->k->partial[i * KL_SAMPLING_PARTIAL] = p->m->beta * wg + prior;
    p->k->partial[i * KL_SAMPLING_PARTIAL + 1] = prior;
}

void kl_sampling_virial(struct kl_sampling_walker *k, const kl_real *w, const kl_real *grad,
                        const struct kl_sampling_move *m, struct kl_sampling_outcome *out)
{
    struct pass p = { .k = k, .from = w, .grad = grad, .m = m };
    kl_sampling_over(k, virial_piece, &p);
    tell(k, out);
}

/* ---- walk euler ----
   Steps without momentum: SGLD (Welling and Teh 2011; all records: ULA), with a control variate (Dubey
   et al. 2016), with ln F - ln B of the path certificate; pSGLD (Li et al. 2016). */

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

/* ---- walk momentum ----
   Steps with momentum: SGHMC (Chen, Fox, Guestrin 2014) as BAOAB, SGNHT (Ding et al. 2014) as BADODAB.
   Both begin with the kick, so that a step takes one gradient. */

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
    *vv = push(k, k->w, k->v, k->grad, &(struct kick){ 1, h, 0, h / 2 }, m);
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
    push(k, k->w, k->v, k->grad, &(struct kick){ keep, 0, spread, h / 2 }, m);
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
    vv = push(k, k->w, k->v, k->grad, &(struct kick){ exp(-x), 0, spread, h / 2 }, m);
    k->thermostat += m->eta / 2 * (vv / p - 1);
    return KL_OK;
}

/* ---- walk accept ----
   Steps that are accepted or refused, of all records: MALA (Roberts and Tweedie 1996) and HMC. */

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
    const double before = push(k, k->fresh, k->v, k->grad, &(struct kick){ 0, 0, 1, 0 }, m);
    double after = before;
    for (int64_t i = 0; i <= leapfrogs && !code; i++) {
        const bool end = i == leapfrogs;
        const struct kick kick = { 1, i == 0 || end ? h / 2 : h, 0, end ? 0 : h };
        after = push(k, k->fresh, k->v, k->fresh_grad, &kick, m);
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
