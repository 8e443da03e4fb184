/* SPDX-License-Identifier: MIT
   Generators of the law of a device's words, the sound way: the one that is kept is that of the epoch in
   which it is nearest to rows that it does not train on. First how models, those of both ways, are
   learners of lib/train. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "circuit/estimate.h"
#include "kernels/inline/philox.h"
#include "qrng/gan/gan_int.h"

/* ---- of both ways ---- */
static const struct kl_train_row rows[KL_GAN_N_COLUMNS] = {
    [KL_GAN_DIVERGENCE] = { "divergence", NULL },
    [KL_GAN_GENERATOR_LOSS] = { "generator_loss", NULL },
    [KL_GAN_DISCRIMINATOR_LOSS] = { "discriminator_loss", NULL },
};

/* A model is made with its first parameters. */
struct kl_learner kl_gan_learner(void *context)
{
    static const struct kl_block elsewhere;
    return (struct kl_learner){ .context = context,
                                .block = &elsewhere,
                                .rows = rows,
                                .n_rows = KL_GAN_N_COLUMNS,
                                .loss = -1,
                                .steps_per_epoch = 1 };
}

void kl_gan_record(const struct kl_replica *to, int64_t epoch, const struct kl_gan_losses *losses,
                   double divergence)
{
    to->history[KL_GAN_DIVERGENCE][epoch] = divergence;
    to->history[KL_GAN_GENERATOR_LOSS][epoch] = losses->generator;
    to->history[KL_GAN_DISCRIMINATOR_LOSS][epoch] = kl_gan_discriminator_loss(losses);
}

static int ask(void *context, uint64_t done, uint64_t total, const char *note)
{
    const struct kl_gan_place *to = context;
    (void)done, (void)total, (void)note;
    return to->stop && to->stop(to->context);
}

int kl_gan_train_model(const struct kl_gan_place *to, const struct kl_gan_options *o,
                       const struct kl_learner *learner, struct kl_pool *pool, struct kl_error *err)
{
    const struct kl_train_options options = { .epochs = o->epochs,
                                              .replicas = 1,
                                              .patience = o->patience };
    const struct kl_watch watch = { ask, (void *)(uintptr_t)to };
    const size_t bytes = (size_t)o->epochs * sizeof(double);
    struct kl_train train;
    if (kl_watch_step(&watch, 0, 0, NULL)) return kl_fail(err, KL_ESIGNAL, "stopped");
    int code = kl_train_open(&train, learner, &options, kl_pool_size(pool), err);
    if (code) return code;
    code = kl_train_run(&train, pool, &watch, err);
    for (int c = 0; c < KL_GAN_N_COLUMNS; c++)
        memcpy(to->history[c], train.replicas[0].history[c], bytes);
    kl_train_close(&train);
    return code;
}

/* ---- A network whose law is the mean over a batch of latent vectors of a softmax each. ---- */
enum { LATENT = KL_MIXTURE_LATENT, HIDDEN = KL_MIXTURE_HIDDEN, BATCH = KL_MIXTURE_BATCH };
enum { W1, B1, W2, B2 };

static int add_tensors(struct kl_gan_mixture *g, struct kl_error *err)
{
    int number = kl_nn_block_add(&g->block, "0.weight", 2, HIDDEN, LATENT, err);
    if (number >= 0) number = kl_nn_block_add(&g->block, "0.bias", 1, HIDDEN, 1, err);
    if (number >= 0) number = kl_nn_block_add(&g->block, "1.weight", 2, g->n_cells, HIDDEN, err);
    if (number >= 0) number = kl_nn_block_add(&g->block, "1.bias", 1, g->n_cells, 1, err);
    return number < 0 ? number : KL_OK;
}

int kl_gan_mixture_make(struct kl_gan_mixture *g, size_t n_cells, uint64_t seed, uint32_t replica,
                        struct kl_arena *memory, struct kl_error *err)
{
    *g = (struct kl_gan_mixture){ .n_cells = n_cells };
    int code = add_tensors(g, err);
    if (code) return code;
    const size_t n = g->block.size;
    g->params = kl_arena_take(memory, 4 * n, sizeof *g->params);
    g->z = kl_arena_take(memory, BATCH * (LATENT + 2 * HIDDEN + n_cells), sizeof *g->z);
    g->wt = kl_arena_take(memory, HIDDEN * n_cells, sizeof *g->wt);
    if (!g->params || !g->z || !g->wt) return kl_fail_memory(err, 4 * n * sizeof *g->params);
    memset(g->params, 0, 4 * n * sizeof *g->params);
    g->m = g->params + n, g->v = g->m + n, g->grad = g->v + n;
    g->h = g->z + BATCH * LATENT, g->dh = g->h + BATCH * HIDDEN, g->y = g->dh + BATCH * HIDDEN;
    for (int t = W1; t <= B2; t++)
        kl_nn_init_uniform(g->params, &g->block.tensors[t], 1 / sqrt(t < W2 ? LATENT : HIDDEN), seed,
                           (uint32_t)t, replica);
    return KL_OK;
}

static float *tensor(const struct kl_gan_mixture *g, float *block, int t)
{
    return block + g->block.tensors[t].offset;
}

static void softmax(float *y, size_t n)
{
    float most = y[0];
    double sum = 0;
    for (size_t k = 1; k < n; k++) most = fmaxf(most, y[k]);
    for (size_t k = 0; k < n; k++) sum += (double)(y[k] = expf(y[k] - most));
    for (size_t k = 0; k < n; k++) y[k] = (float)((double)y[k] / sum);
}

void kl_gan_mixture_law(float *law, struct kl_gan_mixture *g, uint64_t seed, uint32_t stream,
                        uint32_t replica)
{
    const size_t n = g->n_cells;
    kl_gan_normal(g->z, BATCH * LATENT, seed, stream, replica);
    kl_nn_linear_forward_f32(g->h, g->z, LATENT, tensor(g, g->params, W1), tensor(g, g->params, B1),
                             BATCH, LATENT, HIDDEN, KL_ACT_RELU, NULL);
    kl_nn_linear_forward_f32(g->y, g->h, HIDDEN, tensor(g, g->params, W2), tensor(g, g->params, B2),
                             BATCH, HIDDEN, n, KL_ACT_NONE, NULL);
    memset(law, 0, n * sizeof *law);
    for (size_t i = 0; i < BATCH; i++) {
        softmax(g->y + i * n, n);
        for (size_t k = 0; k < n; k++) law[k] += g->y[i * n + k] / BATCH;
    }
}

void kl_gan_mixture_gradient(struct kl_gan_mixture *g, const float *dp)
{
    const size_t n = g->n_cells;
    for (size_t i = 0; i < BATCH; i++) { /* back through each softmax */
        float *y = g->y + i * n;
        double mean = 0;
        for (size_t k = 0; k < n; k++) mean += (double)y[k] * (double)dp[k];
        for (size_t k = 0; k < n; k++) y[k] *= (float)(((double)dp[k] - mean) / BATCH);
    }
    const size_t strips = (n + KL_STRIP - 1) / KL_STRIP;
    kl_nn_linear_weights_f32(tensor(g, g->grad, W2), g->h, HIDDEN, g->y, BATCH, HIDDEN, n, 0, strips);
    kl_nn_linear_biases_f32(tensor(g, g->grad, B2), g->y, BATCH, n);
    kl_nn_linear_inputs_f32(g->dh, g->wt, g->y, tensor(g, g->params, W2), BATCH, HIDDEN, n);
    kl_nn_activation_backward_f32(g->dh, g->h, BATCH * HIDDEN, KL_ACT_RELU, 0);
    kl_nn_linear_weights_f32(tensor(g, g->grad, W1), g->z, LATENT, g->dh, BATCH, LATENT, HIDDEN, 0,
                             HIDDEN / KL_STRIP);
    kl_nn_linear_biases_f32(tensor(g, g->grad, B1), g->dh, BATCH, HIDDEN);
}

/* ---- the sound way: a generator while it learns ---- */
struct model {
    const struct kl_gan_place *to;
    const struct kl_gan_options *o;
    const char *name; /* of its device */
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

enum { DISCRIMINATOR_STREAM = 100, HELD_OUT_LATENT = INT32_MAX };
static const double START = 0.1; /* largest angle at first: the law is nearly uniform */

static uint64_t seed_of(const struct model *l)
{
    return (uint64_t)l->o->seed;
}

/* ---- the generator ---- */
static int make_quantum(struct model *l, struct kl_error *err)
{
    int code = kl_gan_born_circuit(&l->circuit, (int)l->o->word_bits, (int)l->o->repetitions, err);
    if (!code && l->o->shots) code = kl_circuit_measured_make(&l->measured, l->circuit, err);
    if (!code) code = kl_gan_born_make_f32(&l->born, l->circuit, &l->memory, err);
    if (code) return code;
    kl_circuit_measured_stoppable(l->circuit, &l->measured,
                                  l->to->stop != NULL); /* what is half trained is not kept */
    const size_t n = l->circuit->n_weights;
    kl_gan_uniform(l->scratch, n, START, seed_of(l), 0, l->to->replica);
    for (size_t i = 0; i < n; i++) l->born.angles[i] = (float)l->scratch[i];
    return KL_OK;
}

static struct kl_estimator estimator(const struct model *l, int64_t epoch)
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
static int make_law(struct model *l, int64_t epoch, bool judged, struct kl_error *err)
{
    if (l->o->generator == KL_GAN_NETWORK) {
        kl_gan_mixture_law(l->law, &l->mixture, seed_of(l), judged ? HELD_OUT_LATENT : (uint32_t)epoch,
                           l->to->replica);
        return KL_OK;
    }
    kl_arena_reset(&l->work);
    const struct kl_estimator e = estimator(l, epoch);
    if (!l->o->shots || judged) return kl_gan_born_law_f32(l->law, &l->born, &l->work, err);
    return kl_circuit_outputs_f32(l->law, &e, NULL, l->born.angles, 1, &l->work, err);
}

static int shift_gradient(struct model *l, int64_t epoch, struct kl_error *err)
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

static int step_generator(struct model *l, int64_t epoch, const struct kl_update *update,
                          const struct kl_update *circuit_update, struct kl_error *err)
{
    if (l->o->generator == KL_GAN_NETWORK) {
        struct kl_gan_mixture *g = &l->mixture;
        kl_gan_mixture_gradient(g, l->dp);
        kl_nn_update_apply_f32(g->params, g->m, g->v, g->grad, g->block.size, update);
        return KL_OK;
    }
    int code = l->o->shots ? shift_gradient(l, epoch, err)
                           : kl_gan_born_gradient_f32(&l->born, l->dp, &l->work, err);
    if (!code)
        kl_nn_update_apply_f32(l->born.angles, l->born.m, l->born.v, l->born.grad, l->circuit->n_weights,
                               circuit_update);
    return code;
}

/* ---- losses ---- */
/* dp, the gradient by the law, and the loss; the discriminator's own is left in d.grad. */
static struct kl_gan_losses score(struct model *l)
{
    struct kl_gan_losses losses = { 0 };
    const size_t n = l->n_cells;
    if (l->o->loss == KL_GAN_ADVERSARIAL) {
        kl_gan_discriminator_score_f32(&losses, l->dp, &l->d, l->law, l->target, NULL);
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
static int step_model(struct kl_gan_losses *losses, struct model *l, int64_t epoch, struct kl_error *err)
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
    int code = o->generator == KL_GAN_NETWORK || o->shots ? make_law(l, epoch, false, err) : KL_OK;
    if (code) return code;
    *losses = score(l);
    code = step_generator(l, epoch, &update, &circuit, err);
    for (int64_t i = 0; i < o->steps && !code; i++) {
        const struct kl_update own = kl_nn_update_at(&adam, o->lr, (uint64_t)(epoch * o->steps + i) + 1);
        if (i) score(l);
        if (o->penalty > 0) kl_gan_discriminator_penalty_f32(&l->d, l->target, o->penalty);
        kl_gan_discriminator_step_f32(&l->d, &own);
    }
    return code;
}

/* ---- the beginning ---- */
static void begin_discriminator(struct model *l)
{
    const size_t n = l->d.n_params, first = l->d.n_hidden * (l->d.n_inputs + 1);
    double *params = l->scratch; /* as many cells as inputs, twice, or more: see make */
    kl_gan_uniform(params, first, 1 / sqrt((double)l->d.n_inputs), seed_of(l), DISCRIMINATOR_STREAM,
                   l->to->replica);
    kl_gan_uniform(params + first, n - first, 1 / sqrt((double)l->d.n_hidden), seed_of(l),
                   DISCRIMINATOR_STREAM + 1, l->to->replica);
    for (size_t i = 0; i < n; i++) l->d.params[i] = (float)params[i];
}

static int make_model(struct model *l, struct kl_error *err)
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
    code = kl_gan_discriminator_make_f32(&l->d, KL_GAN_BITS, n, (size_t)l->o->hidden, &l->memory, err);
    if (!code) begin_discriminator(l);
    return code;
}

static void release_model(struct model *l)
{
    kl_nn_block_free(&l->mixture.block);
    kl_circuit_measured_free(&l->measured);
    kl_circuit_free(&l->circuit);
    kl_arena_free(&l->memory);
    kl_arena_free(&l->work);
}

/* ---- its training: judged before each step, kept where it is best ---- */
/* Make the witness, which tells the device's words from the law's, from the law and the discriminator
   that are there. */
static void make_witness(struct model *l)
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

/* The target from the training rows; counts of the validation rows, as frequencies. */
static int take_rows(struct model *l, const struct kl_bits *bits, int32_t device, struct kl_error *err)
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

/* Before the epoch's step, which is taken when it is known whether what it starts from is to be kept. */
static int judge(const struct kl_crew *crew, int64_t first, int64_t count, struct kl_error *err)
{
    struct model *l = kl_train_crew_learner(crew);
    const int64_t e = crew->train->epoch;
    const int code = make_law(l, e, true, err);
    (void)first, (void)count;
    if (code) return code;
    for (size_t k = 0; k < l->n_cells; k++) l->wide[k] = (double)l->law[k];
    const double divergence = kl_gan_divergence(l->frequencies, l->wide, l->n_cells);
    crew->replica->history[KL_GAN_DIVERGENCE][e] = divergence;
    if (isfinite(divergence)) return KL_OK;
    return kl_fail(err, KL_EDATA, "device %s: the generator diverges in epoch %lld; lower --lr", l->name,
                   (long long)e + 1);
}

static void keep(struct model *l)
{
    const struct kl_gan_place *to = l->to;
    memcpy(to->law, l->law, l->n_cells * sizeof *to->law);
    make_witness(l);
    if (l->o->loss == KL_GAN_ADVERSARIAL)
        memcpy(to->discriminator, l->d.params, l->d.n_params * sizeof *to->discriminator);
    for (size_t i = 0; l->circuit && i < l->circuit->n_weights; i++)
        to->angles[i] = (double)l->born.angles[i];
}

static int step(const struct kl_crew *crew, bool best, struct kl_error *err)
{
    struct model *l = kl_train_crew_learner(crew);
    const int64_t e = crew->train->epoch;
    struct kl_gan_losses losses;
    if (best) keep(l);
    const int code = step_model(&losses, l, e, err);
    if (code) return code;
    crew->replica->history[KL_GAN_GENERATOR_LOSS][e] = losses.generator;
    if (l->o->loss == KL_GAN_ADVERSARIAL)
        crew->replica->history[KL_GAN_DISCRIMINATOR_LOSS][e] = kl_gan_discriminator_loss(&losses);
    return KL_OK;
}

static int train(struct model *l, struct kl_error *err)
{
    struct kl_learner learner = kl_gan_learner(l);
    learner.judged[0].row = KL_GAN_DIVERGENCE, learner.n_judged = 1;
    learner.steps = judge, learner.judged_epoch = step;
    return kl_gan_train_model(l->to, l->o, &learner, NULL, err);
}

int kl_gan_first_law(double *law, const struct kl_gan_options *o, uint32_t replica, struct kl_error *err)
{
    const struct kl_gan_place to = { .replica = replica };
    struct model l = { .to = &to, .o = o, .n_cells = (size_t)1 << o->word_bits };
    int code = make_model(&l, err);
    if (!code) code = make_law(&l, 0, true, err);
    for (size_t k = 0; k < l.n_cells && !code; k++) law[k] = (double)l.law[k];
    release_model(&l);
    return code;
}

int kl_gan_train(const struct kl_gan_place *to, const struct kl_gan_options *o,
                 const struct kl_bits *bits, int32_t device, struct kl_error *err)
{
    struct model l = {
        .to = to, .o = o, .name = bits->names[device], .n_cells = (size_t)1 << o->word_bits
    };
    int code = make_model(&l, err);
    if (!code) code = take_rows(&l, bits, device, err);
    if (!code) {
        memcpy(to->target, l.target, l.n_cells * sizeof *to->target);
        code = train(&l, err);
    }
    release_model(&l);
    return code;
}
