/* SPDX-License-Identifier: MIT
   The study's GANs as the study trains them: both sides once an epoch, from the same forward pass. */
#include <math.h>
#include <string.h>

#include "circuit/estimate.h"
#include "kernels/gan.h"
#include "kernels/optim.h"
#include "kernels/inline/philox.h"
#include "qrng/gan/gan.h"
#include "qrng/gan/gan_int.h"

/* ---- The circuit of the study's quantum generator. ---- */
/* Qubit 0, the least significant bit of an outcome, is the last wire. */
static int wire(int n_qubits, int qubit)
{
    return n_qubits - 1 - qubit;
}

static int rotate_all(struct kl_circuit *c, enum kl_gate gate, int *weight, struct kl_error *err)
{
    int code = KL_OK;
    for (int q = 0; q < c->n_qubits && !code; q++) {
        const struct kl_op op = { .gate = gate,
                                  .wire = { wire(c->n_qubits, q) },
                                  .angle = { { KL_WEIGHT, (*weight)++, -1, 1, 0 } } };
        code = kl_circuit_append(c, &op, err);
    }
    return code;
}

static int entangle(struct kl_circuit *c, struct kl_error *err)
{
    int code = KL_OK;
    for (int q = c->n_qubits - 2; q >= 0 && !code; q--) {
        const struct kl_op op = { .gate = KL_CNOT,
                                  .wire = { wire(c->n_qubits, q), wire(c->n_qubits, q + 1) } };
        code = kl_circuit_append(c, &op, err);
    }
    return code;
}

int kl_gan_born_circuit(struct kl_circuit **circuit, int n_qubits, int repetitions, struct kl_error *err)
{
    int weight = 0;
    int code = kl_circuit_begin(circuit, n_qubits, 0, (size_t)(2 * n_qubits * (repetitions + 1)), err);
    for (int q = 0; q < n_qubits && !code; q++)
        code = kl_circuit_append(*circuit, &(struct kl_op){ .gate = KL_H, .wire = { q } }, err);
    for (int l = 0; l <= repetitions && !code; l++) {
        code = rotate_all(*circuit, KL_RY, &weight, err);
        if (!code) code = rotate_all(*circuit, KL_RZ, &weight, err);
        if (!code && l < repetitions) code = entangle(*circuit, err);
    }
    if (!code) code = kl_circuit_observe_probabilities(*circuit, err);
    if (!code) code = kl_circuit_finish(*circuit, err);
    if (code) kl_circuit_free(circuit);
    return code;
}

enum {
    CELLS = KL_GRID_CELLS,
    QUANTUM_HIDDEN = 10,
    ANGLES_SEED = 123456, /* the study's */
    DISCRIMINATOR_STREAM = 100
};

int kl_gan_reference_target(double target[KL_GRID_CELLS], const struct kl_gan_options *o,
                            const double a[KL_GRID_BITS], const double b[KL_GRID_BITS],
                            struct kl_error *err)
{
    const double sum = kl_gan_grid(target, a, b);
    if (!(sum > 0)) return kl_fail(err, KL_EDATA, "the rates of 1 are all the same: there is no grid");
    for (size_t k = 0; k < CELLS && o->generator == KL_GAN_NETWORK; k++) target[k] /= sum;
    return KL_OK;
}

void kl_gan_reference_angles(double *angles, const struct kl_gan_options *o)
{
    kl_gan_pcg64_units(angles, 2 * KL_GAN_MOST_QUBITS * (size_t)(o->repetitions + 1), ANGLES_SEED);
}

void kl_gan_reference_discriminator(double *params, size_t n_inputs, size_t n_hidden, uint64_t seed,
                                    uint32_t replica)
{
    const size_t first = n_hidden * (n_inputs + 1);
    kl_gan_uniform(params, first, 1 / sqrt((double)n_inputs), seed, DISCRIMINATOR_STREAM, replica);
    kl_gan_uniform(params + first, n_hidden + 1, 1 / sqrt((double)n_hidden), seed,
                   DISCRIMINATOR_STREAM + 1, replica);
}

static struct kl_optimizer adam_of(const struct kl_gan_options *o)
{
    return (struct kl_optimizer){
        .kind = KL_ADAM, .beta1 = 0.7, .beta2 = 0.999, .epsilon = 1e-8, .weight_decay = o->decay
    };
}

struct kl_update kl_gan_reference_update(const struct kl_gan_options *o, int64_t epoch)
{
    const struct kl_optimizer adam = adam_of(o);
    return kl_nn_update_at(&adam, o->lr, (uint64_t)epoch + 1);
}

/* ---- the circuit: in double, since its discriminator's answers come close to 1 ---- */
struct quantum {
    const struct kl_gan_place *to;
    const struct kl_gan_options *o;
    const double *target;
    struct kl_circuit *circuit;
    struct kl_measured measured;
    struct kl_born_f64 g;
    struct kl_discriminator_f64 d;
    double *law, *dp, *dangles;
    struct kl_arena work;
};

static int make_quantum(struct quantum *q, struct kl_arena *memory, struct kl_error *err)
{
    const struct kl_gan_place *to = q->to;
    const struct kl_gan_options *o = q->o;
    int code = kl_arena_init(&q->work, 0, err);
    if (!code) code = kl_gan_born_circuit(&q->circuit, KL_GAN_MOST_QUBITS, (int)o->repetitions, err);
    if (!code && o->shots) code = kl_circuit_measured_make(&q->measured, q->circuit, err);
    if (!code)
        kl_circuit_measured_stoppable(q->circuit, &q->measured,
                                      to->stop != NULL); /* half trained is not kept */
    if (!code) code = kl_gan_born_make_f64(&q->g, q->circuit, memory, err);
    if (!code)
        code = kl_gan_discriminator_make_f64(&q->d, KL_GAN_PLANE, CELLS, QUANTUM_HIDDEN, memory, err);
    if (code) return code;
    q->law = kl_arena_take(memory, 2 * (size_t)CELLS, sizeof *q->law);
    if (!q->law) return kl_fail_memory(err, 2 * CELLS * sizeof *q->law);
    q->dp = q->law + CELLS;
    kl_gan_reference_angles(q->g.angles, o);
    kl_gan_reference_discriminator(q->d.params, 2, QUANTUM_HIDDEN, (uint64_t)o->seed, to->replica);
    return KL_OK;
}

static struct kl_estimator estimator(const struct quantum *q, int64_t epoch)
{
    return (struct kl_estimator){ .circuit = q->circuit,
                                  .measured = &q->measured,
                                  .shots = { .n = (size_t)q->o->shots,
                                             .seed = (uint64_t)q->o->seed,
                                             .purpose = KL_RANDOM_GAN_SHOTS,
                                             .step = (uint32_t)epoch,
                                             .replica = q->to->replica } };
}

static int quantum_law(struct quantum *q, int64_t epoch, struct kl_error *err)
{
    const struct kl_estimator e = estimator(q, epoch);
    kl_arena_reset(&q->work);
    if (!q->o->shots) return kl_gan_born_law_f64(q->law, &q->g, &q->work, err);
    return kl_circuit_outputs_f64(q->law, &e, NULL, q->g.angles, 1, &q->work, err);
}

static int quantum_gradient(struct quantum *q, int64_t epoch, struct kl_error *err)
{
    const struct kl_estimator e = estimator(q, epoch);
    if (!q->o->shots) return kl_gan_born_gradient_f64(&q->g, q->dp, &q->work, err);
    const struct kl_circuit *measured = kl_circuit_estimated(&e);
    const size_t size = kl_circuit_angles_size(measured, 1);
    double *dangles = kl_arena_take(&q->work, size, sizeof *dangles);
    if (!dangles) return kl_fail_memory(err, size * sizeof *dangles);
    memset(q->g.grad, 0, q->circuit->n_weights * sizeof *q->g.grad);
    int code =
        kl_circuit_shift_samples_f64(NULL, dangles, &e, NULL, q->g.angles, q->dp, 1, &q->work, err);
    if (!code) kl_circuit_weights_f64(q->g.grad, dangles, measured, 1);
    return code;
}

static int step_quantum(const struct kl_crew *crew, int64_t first, int64_t count, struct kl_error *err)
{
    struct quantum *q = kl_train_crew_learner(crew);
    const int64_t e = crew->train->epoch;
    const struct kl_update update = kl_gan_reference_update(q->o, e);
    struct kl_gan_losses losses;
    int code = quantum_law(q, e, err);
    (void)first, (void)count;
    if (code) return code;
    kl_gan_discriminator_score_f64(&losses, q->dp, &q->d, q->law, q->target, crew->pool);
    kl_gan_record(crew->replica, e, &losses, kl_gan_divergence(q->target, q->law, CELLS));
    code = quantum_gradient(q, e, err);
    if (code) return code;
    kl_nn_update_apply_f64(q->g.angles, q->g.m, q->g.v, q->g.grad, q->circuit->n_weights, &update);
    kl_gan_discriminator_step_f64(&q->d, &update);
    return KL_OK;
}

static int train_quantum(struct quantum *q, struct kl_pool *pool, struct kl_error *err)
{
    const struct kl_gan_place *to = q->to;
    struct kl_learner learner = kl_gan_learner(q);
    learner.steps = step_quantum;
    const int code = kl_gan_train_model(to, q->o, &learner, pool, err);
    for (size_t k = 0; k < CELLS; k++) to->law[k] = (float)q->law[k];
    for (size_t i = 0; i < q->d.n_params; i++) to->discriminator[i] = (float)q->d.params[i];
    memcpy(to->angles, q->g.angles, q->circuit->n_weights * sizeof *to->angles);
    return code;
}

static int reference_quantum(const struct kl_gan_place *to, const struct kl_gan_options *o,
                             const double *target, struct kl_arena *memory, struct kl_pool *pool,
                             struct kl_error *err)
{
    struct quantum q = { .to = to, .o = o, .target = target };
    int code = make_quantum(&q, memory, err);
    for (size_t k = 0; k < CELLS; k++) to->target[k] = (float)target[k];
    if (!code) code = train_quantum(&q, pool, err);
    kl_circuit_measured_free(&q.measured);
    kl_circuit_free(&q.circuit);
    kl_arena_free(&q.work);
    return code;
}

/* ---- The study's classical GAN of one pair: a network of 1.6 million weights against one of 81. ----
 */
enum { LATENT = 4096, HIDDEN = 20 };

/* In float, as the study's. */
struct network {
    const struct kl_gan_options *o;
    uint32_t replica;
    const double *goal; /* the target in double */
    struct kl_gan_network_f32 g;
    struct kl_discriminator_f32 d;
    float *law, *dp, *target;
    double *wide; /* (cells): the law in double */
};

static int make_network(struct network *n, struct kl_arena *memory, struct kl_pool *pool,
                        struct kl_error *err)
{
    const struct kl_gan_options *o = n->o;
    const struct kl_gan_sizes size = { LATENT, 128, 256, CELLS };
    const struct kl_optimizer adam = adam_of(o);
    int code = kl_gan_network_make_f32(&n->g, &size, &adam, o->lr, (size_t)o->epochs, memory, pool, err);
    if (!code) code = kl_gan_discriminator_make_f32(&n->d, KL_GAN_PLANE, CELLS, HIDDEN, memory, err);
    if (code) return code;
    double params[HIDDEN * 4 + 1];
    n->law = kl_arena_take(memory, 3 * (size_t)CELLS, sizeof *n->law);
    n->wide = kl_arena_take(memory, CELLS, sizeof *n->wide);
    if (!n->law || !n->wide) return kl_fail_memory(err, 5 * sizeof *n->wide * CELLS);
    n->dp = n->law + CELLS, n->target = n->dp + CELLS;
    for (size_t k = 0; k < CELLS; k++) n->target[k] = (float)n->goal[k];
    kl_gan_reference_discriminator(params, 2, HIDDEN, (uint64_t)o->seed, n->replica);
    for (size_t i = 0; i < n->d.n_params; i++) n->d.params[i] = (float)params[i];
    return KL_OK;
}

/* Rows of weights are streams of their own, so that threads can share them. */
struct beginning {
    struct kl_gan_network_f32 *g;
    int layer;
    uint64_t seed;
    uint32_t replica;
};

static void begin_row(void *context, size_t i, int thread)
{
    const struct beginning *b = context;
    const struct kl_gan_layer_f32 *l = &b->g->layer[b->layer];
    const struct kl_gan_stream stream = { b->seed, KL_RANDOM_INIT,
                                          ((uint32_t)(b->layer + 1) << 16) + (uint32_t)i, b->replica };
    const double bound = 1 / sqrt((double)l->columns);
    float row[CELLS];
    (void)thread;
    if (b->layer < 2) {
        kl_kernel_gan_uniforms_f32()(l->w + i * l->stride, l->columns + 1, bound, &stream);
        return;
    }
    kl_kernel_gan_uniforms_f32()(row, CELLS, bound, &stream);
    kl_gan_network_set_f32(b->g, i, row);
}

static void begin_network(struct network *n, uint64_t seed, uint32_t replica, struct kl_pool *pool)
{
    for (int k = 0; k < 3; k++) { /* of the last, rows are inputs */
        const struct kl_gan_layer_f32 *l = &n->g.layer[k];
        struct beginning b = { &n->g, k, seed, replica };
        kl_pool_for(pool, k < 2 ? l->rows : l->columns + 1, begin_row, &b);
    }
}

/* Latent vectors as far ahead as the network makes use of. */
static int draw_latent(struct kl_train *train, struct kl_error *err)
{
    struct network *n = train->learner->context;
    (void)err;
    while (n->g.n_latent < (size_t)n->o->epochs &&
           n->g.n_latent < (size_t)train->epoch + KL_GAN_LATENTS) {
        const uint32_t at = (uint32_t)n->g.n_latent;
        kl_gan_normal(kl_gan_network_latent_f32(&n->g), LATENT, (uint64_t)n->o->seed, at, n->replica);
    }
    return KL_OK;
}

static int step(const struct kl_crew *crew, int64_t first, int64_t count, struct kl_error *err)
{
    struct network *n = kl_train_crew_learner(crew);
    struct kl_pool *pool = crew->pool;
    const int64_t e = crew->train->epoch;
    const struct kl_update update = kl_gan_reference_update(n->o, e);
    struct kl_gan_losses losses;
    (void)first, (void)count, (void)err;
    kl_gan_discriminator_look_f32(n->dp, &n->d, pool);
    kl_gan_network_law_f32(n->law, &n->g, n->dp, pool);
    kl_gan_discriminator_judge_f32(&losses, n->dp, &n->d, n->law, n->target, pool);
    for (size_t k = 0; k < CELLS; k++) n->wide[k] = (double)n->law[k];
    kl_gan_record(crew->replica, e, &losses, kl_gan_divergence(n->goal, n->wide, CELLS));
    if (e + 1 < n->o->epochs) kl_gan_network_step_f32(&n->g, pool);
    kl_gan_discriminator_step_f32(&n->d, &update);
    return KL_OK;
}

static int reference_network(const struct kl_gan_place *to, const struct kl_gan_options *o,
                             const double *target, struct kl_arena *memory, struct kl_pool *pool,
                             struct kl_error *err)
{
    struct network n = { .o = o, .replica = to->replica, .goal = target };
    struct kl_learner learner = kl_gan_learner(&n);
    learner.begin_epoch = draw_latent, learner.steps = step;
    int code = make_network(&n, memory, pool, err);
    if (code) return code;
    begin_network(&n, (uint64_t)o->seed, to->replica, pool);
    for (size_t k = 0; k < CELLS; k++) to->target[k] = (float)target[k];
    code = kl_gan_train_model(to, o, &learner, pool, err);
    memcpy(to->law, n.law, CELLS * sizeof *to->law);
    memcpy(to->discriminator, n.d.params, n.d.n_params * sizeof *to->discriminator);
    return code;
}

/* ---- a model ---- */
int kl_gan_reference(const struct kl_gan_place *to, const struct kl_gan_options *o,
                     const double a[KL_GRID_BITS], const double b[KL_GRID_BITS], struct kl_pool *pool,
                     struct kl_error *err)
{
    kl_arena_reset(to->memory);
    double *target = kl_arena_take(to->memory, CELLS, sizeof *target);
    if (!target) return kl_fail_memory(err, CELLS * sizeof *target);
    const int code = kl_gan_reference_target(target, o, a, b, err);
    if (code) return code;
    if (o->generator == KL_GAN_QUANTUM) return reference_quantum(to, o, target, to->memory, pool, err);
    return reference_network(to, o, target, to->memory, pool, err);
}

/* ---- What the divergences of the study's GANs are: beside each its closed form, and what two halves of
   one device come to. */
static double closed_form(const double a[KL_GRID_BITS], const double b[KL_GRID_BITS])
{
    double grid[KL_GRID_CELLS];
    const double sum = kl_gan_grid(grid, a, b);
    for (size_t k = 0; k < KL_GRID_CELLS; k++) grid[k] /= sum;
    return kl_gan_divergence(grid, NULL, KL_GRID_CELLS);
}

/* How far two random halves of a device are apart by the same measure; NaN: of a device whose bits are
   all equal no halves have a grid. */
static void score_halves(double *low, double *high, const struct kl_gan_study *s, int32_t device)
{
    double a[KL_GRID_BITS], b[KL_GRID_BITS];
    *low = INFINITY, *high = -INFINITY;
    for (uint32_t draw = 0; draw < KL_GAN_HALVES; draw++) {
        kl_gan_rates(a, s->bits, device, 1, draw, &s->o);
        kl_gan_rates(b, s->bits, device, 2, draw, &s->o);
        const double kl = closed_form(a, b);
        *low = fmin(*low, kl), *high = fmax(*high, kl);
    }
    if (*low > *high) *low = *high = NAN;
}

void kl_gan_reference_score(struct kl_gan_study *s)
{
    const size_t n = s->n_pairs, epochs = (size_t)s->o.epochs;
    for (size_t i = 0; i < n; i++) {
        const size_t row = KL_GAN_DIVERGENCE * s->n_models + (size_t)s->model[2 * i];
        const double *kl = s->history + row * epochs;
        double a[KL_GRID_BITS], b[KL_GRID_BITS], *score = s->scores + i;
        score[KL_GAN_KL * n] = kl[epochs - 1];
        score[KL_GAN_KL_START * n] = kl[0];
        kl_gan_rates(a, s->bits, s->pairs[i].a, 0, 0, &s->o);
        kl_gan_rates(b, s->bits, s->pairs[i].b, 0, 0, &s->o);
        score[KL_GAN_KL_UNIFORM * n] = closed_form(a, b);
        if (i && s->pairs[i].a == s->pairs[i - 1].a) {
            score[KL_GAN_HALVES_LOW * n] = score[KL_GAN_HALVES_LOW * n - 1];
            score[KL_GAN_HALVES_HIGH * n] = score[KL_GAN_HALVES_HIGH * n - 1];
        } else {
            score_halves(&score[KL_GAN_HALVES_LOW * n], &score[KL_GAN_HALVES_HIGH * n], s,
                         s->pairs[i].a);
        }
    }
}
