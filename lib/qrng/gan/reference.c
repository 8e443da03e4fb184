/* SPDX-License-Identifier: MIT
   The study's GANs as the study trains them: both sides once an epoch, from the same forward pass.
   Here what both generators share, and the circuit. */
#include "qrng/gan/gan_int.h"

#include <math.h>
#include <string.h>

#include "circuit/estimate.h"
#include "kernels/inline/philox.h"

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
    kl_pcg64_units(angles, 2 * KL_GAN_MOST_QUBITS * (size_t)(o->repetitions + 1), ANGLES_SEED);
}

void kl_gan_reference_discriminator(double *params, size_t n_inputs, size_t n_hidden, uint64_t seed,
                                    uint32_t replica)
{
    const size_t first = n_hidden * (n_inputs + 1);
    kl_gan_uniform(params, first, 1 / sqrt((double)n_inputs), seed, DISCRIMINATOR_STREAM, replica);
    kl_gan_uniform(params + first, n_hidden + 1, 1 / sqrt((double)n_hidden), seed,
                   DISCRIMINATOR_STREAM + 1, replica);
}

struct kl_optimizer kl_gan_reference_adam(const struct kl_gan_options *o)
{
    return (struct kl_optimizer){
        .kind = KL_ADAM, .beta1 = 0.7, .beta2 = 0.999, .epsilon = 1e-8, .weight_decay = o->decay
    };
}

struct kl_update kl_gan_reference_update(const struct kl_gan_options *o, int64_t epoch)
{
    const struct kl_optimizer adam = kl_gan_reference_adam(o);
    return kl_nn_update_at(&adam, o->lr, (uint64_t)epoch + 1);
}

void kl_gan_reference_record(const struct kl_gan_place *to, int64_t epoch,
                             const struct kl_gan_losses *losses, double divergence)
{
    to->history[KL_GAN_DIVERGENCE][epoch] = divergence;
    to->history[KL_GAN_GENERATOR_LOSS][epoch] = losses->generator;
    to->history[KL_GAN_DISCRIMINATOR_LOSS][epoch] = kl_gan_discriminator_loss(losses);
}

int kl_gan_reference_stopped(const struct kl_gan_place *to, int64_t epoch, struct kl_error *err)
{
    if (!to->stop || !to->stop(to->context)) return KL_OK;
    return kl_fail(err, KL_ESIGNAL, "stopped before epoch %lld", (long long)epoch + 1);
}

/* ---- the circuit: in double, since its discriminator's answers come close to 1 ---- */
struct quantum {
    struct kl_circuit *circuit;
    struct kl_measured measured;
    struct kl_born_f64 g;
    struct kl_discriminator_f64 d;
    double *law, *dp, *dangles;
    struct kl_arena work;
};

static int make_quantum(struct quantum *q, const struct kl_gan_place *to, const struct kl_gan_options *o,
                        struct kl_arena *memory, struct kl_error *err)
{
    int code = kl_arena_init(&q->work, 0, err);
    if (!code) code = kl_born_circuit(&q->circuit, KL_GAN_MOST_QUBITS, (int)o->repetitions, err);
    if (!code && o->shots) code = kl_circuit_measured_make(&q->measured, q->circuit, err);
    if (!code)
        kl_circuit_measured_stoppable(q->circuit, &q->measured,
                                      to->stop != NULL); /* half trained is not kept */
    if (!code) code = kl_born_make_f64(&q->g, q->circuit, memory, err);
    if (!code) code = kl_discriminator_make_f64(&q->d, KL_GAN_PLANE, CELLS, QUANTUM_HIDDEN, memory, err);
    if (code) return code;
    q->law = kl_arena_take(memory, 2 * (size_t)CELLS, sizeof *q->law);
    if (!q->law) return kl_fail_memory(err, 2 * CELLS * sizeof *q->law);
    q->dp = q->law + CELLS;
    kl_gan_reference_angles(q->g.angles, o);
    kl_gan_reference_discriminator(q->d.params, 2, QUANTUM_HIDDEN, (uint64_t)o->seed, to->replica);
    return KL_OK;
}

static struct kl_estimator estimator(const struct quantum *q, const struct kl_gan_place *to,
                                     const struct kl_gan_options *o, int64_t epoch)
{
    return (struct kl_estimator){ .circuit = q->circuit,
                                  .measured = &q->measured,
                                  .shots = { .n = (size_t)o->shots,
                                             .seed = (uint64_t)o->seed,
                                             .purpose = KL_RANDOM_GAN_SHOTS,
                                             .step = (uint32_t)epoch,
                                             .replica = to->replica } };
}

static int quantum_law(struct quantum *q, const struct kl_gan_place *to, const struct kl_gan_options *o,
                       int64_t epoch, struct kl_error *err)
{
    const struct kl_estimator e = estimator(q, to, o, epoch);
    kl_arena_reset(&q->work);
    if (!o->shots) return kl_born_law_f64(q->law, &q->g, &q->work, err);
    return kl_circuit_outputs_f64(q->law, &e, NULL, q->g.angles, 1, &q->work, err);
}

static int quantum_gradient(struct quantum *q, const struct kl_gan_place *to,
                            const struct kl_gan_options *o, int64_t epoch, struct kl_error *err)
{
    const struct kl_estimator e = estimator(q, to, o, epoch);
    if (!o->shots) return kl_born_gradient_f64(&q->g, q->dp, &q->work, err);
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

static int train_quantum(struct quantum *q, const struct kl_gan_place *to,
                         const struct kl_gan_options *o, const double *target, struct kl_pool *pool,
                         struct kl_error *err)
{
    int code = KL_OK;
    for (int64_t e = 0; e < o->epochs && !(code = kl_gan_reference_stopped(to, e, err)); e++) {
        const struct kl_update update = kl_gan_reference_update(o, e);
        struct kl_gan_losses losses;
        code = quantum_law(q, to, o, e, err);
        if (code) return code;
        kl_discriminator_score_f64(&losses, q->dp, &q->d, q->law, target, pool);
        kl_gan_reference_record(to, e, &losses, kl_gan_divergence(target, q->law, CELLS));
        code = quantum_gradient(q, to, o, e, err);
        if (code) return code;
        kl_nn_update_apply_f64(q->g.angles, q->g.m, q->g.v, q->g.grad, q->circuit->n_weights, &update);
        kl_discriminator_step_f64(&q->d, &update);
    }
    for (size_t k = 0; k < CELLS; k++) to->law[k] = (float)q->law[k];
    for (size_t i = 0; i < q->d.n_params; i++) to->discriminator[i] = (float)q->d.params[i];
    memcpy(to->angles, q->g.angles, q->circuit->n_weights * sizeof *to->angles);
    return code;
}

static int reference_quantum(const struct kl_gan_place *to, const struct kl_gan_options *o,
                             const double *target, struct kl_arena *memory, struct kl_pool *pool,
                             struct kl_error *err)
{
    struct quantum q = { 0 };
    int code = make_quantum(&q, to, o, memory, err);
    for (size_t k = 0; k < CELLS; k++) to->target[k] = (float)target[k];
    if (!code) code = train_quantum(&q, to, o, target, pool, err);
    kl_circuit_measured_free(&q.measured);
    kl_circuit_free(&q.circuit);
    kl_arena_free(&q.work);
    return code;
}

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
    return kl_gan_reference_network(to, o, target, to->memory, pool, err);
}
