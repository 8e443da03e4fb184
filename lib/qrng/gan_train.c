/* SPDX-License-Identifier: MIT
   A generator of the law of a device's words: adversarial, or by an exact loss; what is kept is the
   epoch in which it is nearest to rows that it does not train on. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "circuit/estimate.h"
#include "kernels/inline/philox.h"
#include "qrng/gan_study.h"

enum { DISCRIMINATOR_STREAM = 100, HELD_OUT_LATENT = INT32_MAX };
static const double START = 0.1; /* largest angle at first: the law is nearly uniform */

struct learner {
    const struct kl_gan_place *to;
    const struct kl_gan_options *o;
    size_t n_cells;
    struct kl_circuit *circuit; /* of a quantum generator */
    struct kl_measured measured;
    struct kl_born_f32 born;
    struct kl_gan_mixture mixture; /* of a network */
    struct kl_discriminator_f32 d; /* adversarial */
    float *law, *dp, *target;
    double *counts, *frequencies, *wide, *scratch; /* (n_cells), scratch: 3 of them */
    struct kl_arena memory, work;
};

static uint64_t seed_of(const struct learner *l)
{
    return (uint64_t)l->o->seed;
}

/* ---- the generator ---- */
static int make_quantum(struct learner *l, struct kl_error *err)
{
    int code = kl_born_circuit(&l->circuit, (int)l->o->word_bits, (int)l->o->repetitions, err);
    if (!code && l->o->shots) code = kl_measured_make(&l->measured, l->circuit, err);
    if (!code) code = kl_born_make_f32(&l->born, l->circuit, &l->memory, err);
    if (code) return code;
    const size_t n = l->circuit->n_weights;
    kl_gan_uniform(l->scratch, n, START, seed_of(l), 0, l->to->replica);
    for (size_t i = 0; i < n; i++) l->born.angles[i] = (float)l->scratch[i];
    return KL_OK;
}

static struct kl_estimator estimator(const struct learner *l, int64_t epoch)
{
    return (struct kl_estimator){ .circuit = l->circuit,
                                  .measured = &l->measured,
                                  .shots = { .n = (size_t)l->o->shots,
                                             .seed = seed_of(l),
                                             .purpose = KL_RANDOM_GAN_SHOTS,
                                             .step = (uint32_t)epoch,
                                             .replica = l->to->replica } };
}

/* The law that the epoch trains; judged: that which it is judged by, which for a network is the mean
   over latent vectors of its own. */
static int make_law(struct learner *l, int64_t epoch, bool judged, struct kl_error *err)
{
    if (l->o->generator == KL_GAN_NETWORK) {
        kl_gan_mixture_law(l->law, &l->mixture, seed_of(l), judged ? HELD_OUT_LATENT : (uint32_t)epoch,
                           l->to->replica);
        return KL_OK;
    }
    kl_arena_reset(&l->work);
    const struct kl_estimator e = estimator(l, epoch);
    if (!l->o->shots) return kl_born_law_f32(l->law, &l->born, &l->work, err);
    return kl_circuit_outputs_f32(l->law, &e, NULL, l->born.angles, 1, &l->work, err);
}

static int shift_gradient(struct learner *l, int64_t epoch, struct kl_error *err)
{
    const struct kl_estimator e = estimator(l, epoch);
    const struct kl_circuit *measured = kl_estimated(&e);
    const size_t size = kl_circuit_angles_size(measured, 1);
    float *dangles = kl_arena_take(&l->work, size, sizeof *dangles);
    if (!dangles) return kl_fail_memory(err, size * sizeof *dangles);
    memset(l->born.grad, 0, l->circuit->n_weights * sizeof *l->born.grad);
    int code =
        kl_circuit_shift_samples_f32(NULL, dangles, &e, NULL, l->born.angles, l->dp, 1, &l->work, err);
    if (!code) kl_circuit_weights_f32(l->born.grad, dangles, measured, 1);
    return code;
}

static int step_generator(struct learner *l, int64_t epoch, const struct kl_update *update,
                          const struct kl_update *circuit_update, struct kl_error *err)
{
    if (l->o->generator == KL_GAN_NETWORK) {
        struct kl_gan_mixture *g = &l->mixture;
        kl_gan_mixture_gradient(g, l->dp);
        kl_update_apply_f32(g->params, g->m, g->v, g->grad, g->block.size, update);
        return KL_OK;
    }
    int code = l->o->shots ? shift_gradient(l, epoch, err)
                           : kl_born_gradient_f32(&l->born, l->dp, &l->work, err);
    if (!code)
        kl_update_apply_f32(l->born.angles, l->born.m, l->born.v, l->born.grad, l->circuit->n_weights,
                            circuit_update);
    return code;
}

/* ---- losses ---- */
/* dp, the gradient by the law, and the loss; the discriminator's own is left in d.grad. */
static struct kl_gan_losses score(struct learner *l)
{
    struct kl_gan_losses losses = { 0 };
    const size_t n = l->n_cells;
    if (l->o->loss == KL_GAN_ADVERSARIAL) {
        kl_discriminator_score_f32(&losses, l->dp, &l->d, l->law, l->target, 0, NULL);
    } else if (l->o->loss == KL_GAN_EXACT) {
        for (size_t k = 0; k < n; k++) {
            const float p = fmaxf(l->law[k], 1e-10f);
            l->dp[k] = -l->target[k] / p;
            losses.generator += (double)l->target[k] * log((double)(l->target[k] / p));
        }
    } else {
        losses.generator = kl_gan_mmd(l->wide, l->law, l->target, (int)l->o->word_bits, l->scratch);
        for (size_t k = 0; k < n; k++) l->dp[k] = (float)(2 * l->wide[k]);
    }
    return losses;
}

/* What tells the device's words from the law's, of the law and the discriminator that are there. */
static void make_witness(struct learner *l)
{
    score(l);
    for (size_t k = 0; k < l->n_cells; k++) {
        if (l->o->loss == KL_GAN_ADVERSARIAL)
            l->to->witness[k] = logf(fmaxf(l->d.out[k], 1e-30f) / fmaxf(1 - l->d.out[k], 1e-30f));
        else if (l->o->loss == KL_GAN_EXACT)
            l->to->witness[k] = logf(l->target[k] / fmaxf(l->law[k], 1e-10f));
        else l->to->witness[k] = (float)-l->wide[k];
    }
}

/* ---- training ---- */
static void begin_discriminator(struct learner *l)
{
    const size_t n = l->d.n_params, first = l->d.n_hidden * (l->d.n_inputs + 1);
    double *params = l->scratch; /* as many cells as inputs, twice, or more: see make */
    kl_gan_uniform(params, first, 1 / sqrt((double)l->d.n_inputs), seed_of(l), DISCRIMINATOR_STREAM,
                   l->to->replica);
    kl_gan_uniform(params + first, n - first, 1 / sqrt((double)l->d.n_hidden), seed_of(l),
                   DISCRIMINATOR_STREAM + 1, l->to->replica);
    for (size_t i = 0; i < n; i++) l->d.params[i] = (float)params[i];
}

static int make(struct learner *l, struct kl_error *err)
{
    const size_t n = l->n_cells, angles = 2 * (size_t)l->o->word_bits * (size_t)(l->o->repetitions + 1),
                 params = (size_t)l->o->hidden * (size_t)(l->o->word_bits + 2) + 1;
    const size_t room = 3 * n + angles + params;
    int code = kl_arena_init(&l->memory, 0, err);
    if (!code) code = kl_arena_init(&l->work, 0, err);
    if (code) return code;
    l->law = kl_arena_take(&l->memory, 3 * n, sizeof *l->law);
    l->counts = kl_arena_take(&l->memory, 3 * n + room, sizeof *l->counts);
    if (!l->law || !l->counts) return kl_fail_memory(err, (3 * n + room) * sizeof *l->counts);
    l->dp = l->law + n, l->target = l->dp + n;
    l->frequencies = l->counts + n, l->wide = l->frequencies + n, l->scratch = l->wide + n;
    if (l->o->generator == KL_GAN_QUANTUM) code = make_quantum(l, err);
    else code = kl_gan_mixture_make(&l->mixture, n, seed_of(l), l->to->replica, &l->memory, err);
    if (code || l->o->loss != KL_GAN_ADVERSARIAL) return code;
    code = kl_discriminator_make_f32(&l->d, KL_GAN_BITS, n, (size_t)l->o->hidden, &l->memory, err);
    if (!code) begin_discriminator(l);
    return code;
}

static void release(struct learner *l)
{
    kl_measured_free(&l->measured);
    kl_circuit_free(&l->circuit);
    kl_arena_free(&l->memory);
    kl_arena_free(&l->work);
}

/* The target from the training rows; counts of the validation rows, as frequencies. */
static int take_rows(struct learner *l, const struct kl_bits *bits, int32_t device, struct kl_error *err)
{
    struct kl_gan_rows rows = { 0 };
    const int m = (int)l->o->word_bits;
    int code = kl_gan_split(&rows, bits, device, seed_of(l), err);
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

static double judge(struct learner *l)
{
    for (size_t k = 0; k < l->n_cells; k++) l->wide[k] = (double)l->law[k];
    return kl_gan_divergence(l->frequencies, l->wide, l->n_cells);
}

static void keep(struct learner *l)
{
    const struct kl_gan_place *to = l->to;
    memcpy(to->law, l->law, l->n_cells * sizeof *to->law);
    make_witness(l);
    if (l->o->loss == KL_GAN_ADVERSARIAL)
        memcpy(to->discriminator, l->d.params, l->d.n_params * sizeof *to->discriminator);
    for (size_t i = 0; l->circuit && i < l->circuit->n_weights; i++)
        to->angles[i] = (double)l->born.angles[i];
}

static int step(struct learner *l, int64_t epoch, struct kl_error *err)
{
    const struct kl_gan_options *o = l->o;
    const struct kl_optimizer adam = { .kind = KL_ADAMW,
                                       .beta1 = o->loss == KL_GAN_ADVERSARIAL ? 0.5 : 0.9,
                                       .beta2 = 0.999,
                                       .epsilon = 1e-8,
                                       .weight_decay = o->decay };
    struct kl_optimizer plain = adam;
    plain.weight_decay = 0;
    const struct kl_update update = kl_update_at(&adam, o->lr, (uint64_t)epoch + 1),
                           circuit = kl_update_at(&plain, o->lr, (uint64_t)epoch + 1);
    int code = o->generator == KL_GAN_NETWORK || o->shots ? make_law(l, epoch, false, err) : KL_OK;
    if (code) return code;
    const struct kl_gan_losses losses = score(l);
    l->to->history[KL_GAN_GENERATOR_LOSS][epoch] = losses.generator;
    if (o->loss == KL_GAN_ADVERSARIAL)
        l->to->history[KL_GAN_DISCRIMINATOR_LOSS][epoch] = kl_gan_discriminator_loss(&losses);
    code = step_generator(l, epoch, &update, &circuit, err);
    for (int64_t i = 0; i < o->steps && !code; i++) {
        const struct kl_update own = kl_update_at(&adam, o->lr, (uint64_t)(epoch * o->steps + i) + 1);
        if (i) score(l);
        kl_discriminator_step_f32(&l->d, &own);
    }
    return code;
}

static int train(struct learner *l, const char *name, struct kl_error *err)
{
    double best = INFINITY;
    int64_t best_epoch = 0;
    for (int64_t e = 0; e < l->o->epochs && e - best_epoch <= l->o->patience; e++) {
        if (l->to->stop && l->to->stop(l->to->context)) return kl_fail(err, KL_ESIGNAL, "stopped");
        int code = make_law(l, e, true, err);
        if (code) return code;
        const double divergence = l->to->history[KL_GAN_DIVERGENCE][e] = judge(l);
        if (!isfinite(divergence))
            return kl_fail(err, KL_EDATA, "device %s: the generator diverges in epoch %lld; lower --lr",
                           name, (long long)e + 1);
        if (divergence < best) {
            best = divergence, best_epoch = e;
            keep(l);
        }
        code = step(l, e, err);
        if (code) return code;
    }
    return KL_OK;
}

int kl_gan_first_law(double *law, const struct kl_gan_options *o, uint32_t replica, struct kl_error *err)
{
    const struct kl_gan_place to = { .replica = replica };
    struct learner l = { .to = &to, .o = o, .n_cells = (size_t)1 << o->word_bits };
    int code = make(&l, err);
    if (!code) code = make_law(&l, 0, true, err);
    for (size_t k = 0; k < l.n_cells && !code; k++) law[k] = (double)l.law[k];
    release(&l);
    return code;
}

int kl_gan_train(const struct kl_gan_place *to, const struct kl_gan_options *o,
                 const struct kl_bits *bits, int32_t device, struct kl_error *err)
{
    struct learner l = { .to = to, .o = o, .n_cells = (size_t)1 << o->word_bits };
    int code = make(&l, err);
    if (!code) code = take_rows(&l, bits, device, err);
    if (!code) {
        memcpy(to->target, l.target, l.n_cells * sizeof *to->target);
        code = train(&l, bits->names[device], err);
    }
    release(&l);
    return code;
}
