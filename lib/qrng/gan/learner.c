/* SPDX-License-Identifier: MIT
   A generator that learns: its law, what it loses, its steps and its discriminator's. */
#include "qrng/gan/learner.h"

#include <math.h>
#include <string.h>

#include "kernels/inline/philox.h"

enum { DISCRIMINATOR_STREAM = 100, HELD_OUT_LATENT = INT32_MAX };
static const double START = 0.1; /* largest angle at first: the law is nearly uniform */

static uint64_t seed_of(const struct kl_gan_learner *l)
{
    return (uint64_t)l->o->seed;
}

/* ---- the generator ---- */
static int make_quantum(struct kl_gan_learner *l, struct kl_error *err)
{
    int code = kl_born_circuit(&l->circuit, (int)l->o->word_bits, (int)l->o->repetitions, err);
    if (!code && l->o->shots) code = kl_circuit_measured_make(&l->measured, l->circuit, err);
    if (!code) code = kl_born_make_f32(&l->born, l->circuit, &l->memory, err);
    if (code) return code;
    kl_circuit_measured_stoppable(l->circuit, &l->measured,
                                  l->to->stop != NULL); /* what is half trained is not kept */
    const size_t n = l->circuit->n_weights;
    kl_gan_uniform(l->scratch, n, START, seed_of(l), 0, l->to->replica);
    for (size_t i = 0; i < n; i++) l->born.angles[i] = (float)l->scratch[i];
    return KL_OK;
}

static struct kl_estimator estimator(const struct kl_gan_learner *l, int64_t epoch)
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
   over latent vectors of its own, and for a circuit that is measured the law of its angles: a sample of
   it would be charged for every word that it happens to lack. */
int kl_gan_learner_law(struct kl_gan_learner *l, int64_t epoch, bool judged, struct kl_error *err)
{
    if (l->o->generator == KL_GAN_NETWORK) {
        kl_gan_mixture_law(l->law, &l->mixture, seed_of(l), judged ? HELD_OUT_LATENT : (uint32_t)epoch,
                           l->to->replica);
        return KL_OK;
    }
    kl_arena_reset(&l->work);
    const struct kl_estimator e = estimator(l, epoch);
    if (!l->o->shots || judged) return kl_born_law_f32(l->law, &l->born, &l->work, err);
    return kl_circuit_outputs_f32(l->law, &e, NULL, l->born.angles, 1, &l->work, err);
}

static int shift_gradient(struct kl_gan_learner *l, int64_t epoch, struct kl_error *err)
{
    const struct kl_estimator e = estimator(l, epoch);
    const struct kl_circuit *measured = kl_circuit_estimated(&e);
    const size_t size = kl_circuit_angles_size(measured, 1);
    float *dangles = kl_arena_take(&l->work, size, sizeof *dangles);
    if (!dangles) return kl_fail_memory(err, size * sizeof *dangles);
    memset(l->born.grad, 0, l->circuit->n_weights * sizeof *l->born.grad);
    int code =
        kl_circuit_shift_samples_f32(NULL, dangles, &e, NULL, l->born.angles, l->dp, 1, &l->work, err);
    if (!code) kl_circuit_weights_f32(l->born.grad, dangles, measured, 1);
    return code;
}

static int step_generator(struct kl_gan_learner *l, int64_t epoch, const struct kl_update *update,
                          const struct kl_update *circuit_update, struct kl_error *err)
{
    if (l->o->generator == KL_GAN_NETWORK) {
        struct kl_gan_mixture *g = &l->mixture;
        kl_gan_mixture_gradient(g, l->dp);
        kl_nn_update_apply_f32(g->params, g->m, g->v, g->grad, g->block.size, update);
        return KL_OK;
    }
    int code = l->o->shots ? shift_gradient(l, epoch, err)
                           : kl_born_gradient_f32(&l->born, l->dp, &l->work, err);
    if (!code)
        kl_nn_update_apply_f32(l->born.angles, l->born.m, l->born.v, l->born.grad, l->circuit->n_weights,
                               circuit_update);
    return code;
}

/* ---- losses ---- */
/* dp, the gradient by the law, and the loss; the discriminator's own is left in d.grad. */
struct kl_gan_losses kl_gan_learner_score(struct kl_gan_learner *l)
{
    struct kl_gan_losses losses = { 0 };
    const size_t n = l->n_cells;
    if (l->o->loss == KL_GAN_ADVERSARIAL) {
        kl_discriminator_score_f32(&losses, l->dp, &l->d, l->law, l->target, NULL);
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

/* ---- steps ---- */
int kl_gan_learner_step(struct kl_gan_learner *l, int64_t epoch, struct kl_error *err)
{
    const struct kl_gan_options *o = l->o;
    const struct kl_optimizer adam = { .kind = KL_ADAMW,
                                       .beta1 = o->loss == KL_GAN_ADVERSARIAL ? 0.5 : 0.9,
                                       .beta2 = 0.999,
                                       .epsilon = 1e-8,
                                       .weight_decay = o->decay };
    struct kl_optimizer plain = adam;
    plain.weight_decay = 0;
    const struct kl_update update = kl_nn_update_at(&adam, o->lr, (uint64_t)epoch + 1),
                           circuit = kl_nn_update_at(&plain, o->lr, (uint64_t)epoch + 1);
    int code =
        o->generator == KL_GAN_NETWORK || o->shots ? kl_gan_learner_law(l, epoch, false, err) : KL_OK;
    if (code) return code;
    const struct kl_gan_losses losses = kl_gan_learner_score(l);
    l->to->history[KL_GAN_GENERATOR_LOSS][epoch] = losses.generator;
    if (o->loss == KL_GAN_ADVERSARIAL)
        l->to->history[KL_GAN_DISCRIMINATOR_LOSS][epoch] = kl_gan_discriminator_loss(&losses);
    code = step_generator(l, epoch, &update, &circuit, err);
    for (int64_t i = 0; i < o->steps && !code; i++) {
        const struct kl_update own = kl_nn_update_at(&adam, o->lr, (uint64_t)(epoch * o->steps + i) + 1);
        if (i) kl_gan_learner_score(l);
        if (o->penalty > 0) kl_discriminator_penalty_f32(&l->d, l->target, o->penalty);
        kl_discriminator_step_f32(&l->d, &own);
    }
    return code;
}

/* ---- the beginning ---- */
static void begin_discriminator(struct kl_gan_learner *l)
{
    const size_t n = l->d.n_params, first = l->d.n_hidden * (l->d.n_inputs + 1);
    double *params = l->scratch; /* as many cells as inputs, twice, or more: see make */
    kl_gan_uniform(params, first, 1 / sqrt((double)l->d.n_inputs), seed_of(l), DISCRIMINATOR_STREAM,
                   l->to->replica);
    kl_gan_uniform(params + first, n - first, 1 / sqrt((double)l->d.n_hidden), seed_of(l),
                   DISCRIMINATOR_STREAM + 1, l->to->replica);
    for (size_t i = 0; i < n; i++) l->d.params[i] = (float)params[i];
}

int kl_gan_learner_make(struct kl_gan_learner *l, struct kl_error *err)
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

void kl_gan_learner_release(struct kl_gan_learner *l)
{
    kl_nn_block_free(&l->mixture.block);
    kl_circuit_measured_free(&l->measured);
    kl_circuit_free(&l->circuit);
    kl_arena_free(&l->memory);
    kl_arena_free(&l->work);
}
