/* SPDX-License-Identifier: MIT
   The passes over a chain's weights that the steps are made of: update, kick, densities; piece by piece,
   each by any thread, with sums in the pieces' order. */
#include <math.h>
#include <string.h>

#include "kernels/langevin.h"
#include "kernels/inline/philox.h"
#include "kernels/inline/real.h"
#include "sampling/chain/walker_int.h"

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

/* What a pass has; each uses its part. */
struct pass {
    struct kl_sampling_walker *k;
    kl_real *w, *v;
    const kl_real *from, *grad;
    const struct kl_langevin_factors *factors;
    const struct kl_sampling_kick *kick;
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

double kl_sampling_push(struct kl_sampling_walker *k, kl_real *w, kl_real *v, const kl_real *grad,
                        const struct kl_sampling_kick *kick, const struct kl_sampling_move *m)
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
