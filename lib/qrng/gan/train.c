/* SPDX-License-Identifier: MIT
   Training of a generator of the law of a device's words: what is kept is the epoch in which it is
   nearest to rows that it does not train on. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "qrng/gan/learner.h"

/* What tells the device's words from the law's, of the law and the discriminator that are there. */
static void make_witness(struct kl_gan_learner *l)
{
    kl_gan_learner_score(l);
    for (size_t k = 0; k < l->n_cells; k++) {
        if (l->o->loss == KL_GAN_ADVERSARIAL)
            l->to->witness[k] = logf(fmaxf(l->d.out[k], 1e-30f) / fmaxf(1 - l->d.out[k], 1e-30f));
        else if (l->o->loss == KL_GAN_EXACT)
            l->to->witness[k] = logf(l->target[k] / fmaxf(l->law[k], 1e-10f));
        else l->to->witness[k] = (float)-l->wide[k];
    }
}

/* The target from the training rows; counts of the validation rows, as frequencies. */
static int take_rows(struct kl_gan_learner *l, const struct kl_bits *bits, int32_t device,
                     struct kl_error *err)
{
    struct kl_gan_rows rows = { 0 };
    const int m = (int)l->o->word_bits;
    int code = kl_gan_split(&rows, bits, device, (uint64_t)l->o->seed, err);
    if (!code) {
        kl_gan_count(l->counts, bits, &rows, KL_GAN_TRAINING, m);
        kl_gan_smooth(l->wide, l->counts, l->n_cells);
        for (size_t k = 0; k < l->n_cells; k++) l->target[k] = (float)l->wide[k];
        const double all = kl_gan_count(l->counts, bits, &rows, KL_GAN_VALIDATION, m);
        for (size_t k = 0; k < l->n_cells; k++) l->frequencies[k] = l->counts[k] / all;
    }
    free(rows.rows);
    return code;
}

static double judge(struct kl_gan_learner *l)
{
    for (size_t k = 0; k < l->n_cells; k++) l->wide[k] = (double)l->law[k];
    return kl_gan_divergence(l->frequencies, l->wide, l->n_cells);
}

static void keep(struct kl_gan_learner *l)
{
    const struct kl_gan_place *to = l->to;
    memcpy(to->law, l->law, l->n_cells * sizeof *to->law);
    make_witness(l);
    if (l->o->loss == KL_GAN_ADVERSARIAL)
        memcpy(to->discriminator, l->d.params, l->d.n_params * sizeof *to->discriminator);
    for (size_t i = 0; l->circuit && i < l->circuit->n_weights; i++)
        to->angles[i] = (double)l->born.angles[i];
}

static int train(struct kl_gan_learner *l, const char *name, struct kl_error *err)
{
    double best = INFINITY;
    int64_t best_epoch = 0;
    for (int64_t e = 0; e < l->o->epochs && e - best_epoch <= l->o->patience; e++) {
        if (l->to->stop && l->to->stop(l->to->context)) return kl_fail(err, KL_ESIGNAL, "stopped");
        int code = kl_gan_learner_law(l, e, true, err);
        if (code) return code;
        const double divergence = l->to->history[KL_GAN_DIVERGENCE][e] = judge(l);
        if (!isfinite(divergence))
            return kl_fail(err, KL_EDATA, "device %s: the generator diverges in epoch %lld; lower --lr",
                           name, (long long)e + 1);
        if (divergence < best) {
            best = divergence, best_epoch = e;
            keep(l);
        }
        code = kl_gan_learner_step(l, e, err);
        if (code) return code;
    }
    return KL_OK;
}

int kl_gan_first_law(double *law, const struct kl_gan_options *o, uint32_t replica, struct kl_error *err)
{
    const struct kl_gan_place to = { .replica = replica };
    struct kl_gan_learner l = { .to = &to, .o = o, .n_cells = (size_t)1 << o->word_bits };
    int code = kl_gan_learner_make(&l, err);
    if (!code) code = kl_gan_learner_law(&l, 0, true, err);
    for (size_t k = 0; k < l.n_cells && !code; k++) law[k] = (double)l.law[k];
    kl_gan_learner_release(&l);
    return code;
}

int kl_gan_train(const struct kl_gan_place *to, const struct kl_gan_options *o,
                 const struct kl_bits *bits, int32_t device, struct kl_error *err)
{
    struct kl_gan_learner l = { .to = to, .o = o, .n_cells = (size_t)1 << o->word_bits };
    int code = kl_gan_learner_make(&l, err);
    if (!code) code = take_rows(&l, bits, device, err);
    if (!code) {
        memcpy(to->target, l.target, l.n_cells * sizeof *to->target);
        code = train(&l, bits->names[device], err);
    }
    kl_gan_learner_release(&l);
    return code;
}
