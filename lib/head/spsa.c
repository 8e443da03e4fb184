/* SPDX-License-Identifier: MIT
   Simultaneous perturbation (Spall 1998, "Implementation of the simultaneous perturbation algorithm for
   stochastic optimization"): the gradient of all parameters from two losses, on one batch under one
   dropout. The circuit is never differentiated. */
#include <math.h>
#include <string.h>

#include "head/head_int.h"
#include "head/head.h"
#include "kernels/inline/flush.h"
#include "kernels/inline/philox.h"

struct kl_spsa {
    float *params; /* perturbed, as large as the block */
    double *loss;  /* of every KL_CIRCUIT_GROUP rows, first perturbation */
};

struct perturbation {
    struct kl_step *step;
    uint64_t number;
    double c; /* signed; 0: draw the signs */
};

int kl_head_spsa_take(struct kl_spsa **spsa, const struct kl_head_train *train, size_t n,
                      struct kl_arena *arena, struct kl_error *err)
{
    const size_t size = train->model->block.size, groups = (n + KL_CIRCUIT_GROUP - 1) / KL_CIRCUIT_GROUP;
    *spsa = NULL;
    if (train->loop.options.optimizer.kind != KL_SPSA) return 0;
    struct kl_spsa *made = kl_arena_take(arena, 1, sizeof *made);
    if (!made) return kl_fail_memory(err, sizeof *made);
    made->params = kl_arena_take(arena, size, sizeof *made->params);
    made->loss = kl_arena_take(arena, groups, sizeof *made->loss);
    if (!made->params || !made->loss) return kl_fail_memory(err, size * sizeof *made->params);
    memset(made->params, 0, size * sizeof *made->params);
    *spsa = made;
    return 0;
}

/* Signs of one part of the parameters into grad: bit i mod 128 of Philox's block i / 128, i the place in
   the block of parameters. */
static int draw_signs(void *context, size_t i, int thread, struct kl_error *err)
{
    const struct perturbation *p = context;
    const struct kl_head_train *train = p->step->train;
    const struct kl_head_part part = kl_head_part(train->model, i);
    uint32_t words[4] = { 0 };
    (void)thread, (void)err;
    for (size_t k = part.offset; k < part.offset + part.size; k++) {
        if (k == part.offset || k % 128 == 0)
            kl_philox(words, train->loop.options.seed, (uint32_t)(k / 128), KL_RANDOM_SPSA,
                      (uint32_t)p->number, (uint32_t)p->step->crew->index);
        p->step->grad[k] = words[k % 128 / 32] >> (k % 32) & 1 ? 1 : -1;
    }
    if (part.kind == KL_PART_CIRCUIT) /* what has not joined a growing circuit stays */
        for (size_t k = train->model->circuit->n_weights; k < part.size; k++)
            p->step->grad[part.offset + k] = 0;
    if (part.chain == KL_CHAIN_TWIN && part.kind != KL_PART_CIRCUIT)
        kl_head_twin_mask_f32(p->step->grad, train->model, &part);
    return 0;
}

static int perturb(void *context, size_t i, int thread, struct kl_error *err)
{
    const struct perturbation *p = context;
    const struct kl_head_part part = kl_head_part(p->step->train->model, i);
    (void)thread, (void)err;
    const float c = (float)p->c, *from = p->step->params;
    for (size_t k = part.offset; k < part.offset + part.size; k++)
        p->step->spsa->params[k] = from[k] + c * p->step->grad[k];
    return 0;
}

static int losses(void *context, size_t i, int thread, struct kl_error *err)
{
    const struct perturbation *p = context;
    struct kl_step *s = p->step;
    const size_t from = kl_head_step_begin(s, i), to = kl_head_step_begin(s, i + 1);
    const unsigned before = kl_flush_begin();
    int code = 0;
    if (from < to)
        code = kl_head_losses_f32(&s->batch, s->train->model, s->spsa->params, from, to,
                                  &s->train->threads[thread].work, err);
    kl_flush_end(before);
    return code;
}

/* The sum of the losses, parameters perturbed by c times the signs. */
static int loss_at(double *sum, struct perturbation *p, double c, struct kl_error *err)
{
    struct kl_step *s = p->step;
    p->c = c;
    int code = kl_train_crew_for(s->crew, kl_head_n_parts(s->train->model), perturb, p, err);
    if (!code) code = kl_train_crew_for(s->crew, s->parts, losses, p, err);
    if (!code) *sum = kl_head_loss_f32(NULL, &s->batch);
    return code;
}

/* A frozen circuit's weights are no part of what is perturbed, but of the head. */
static void keep_frozen(const struct kl_step *s)
{
    const struct kl_head_model *m = s->train->model;
    if (m->options.core != KL_CORE_FROZEN) return;
    const struct kl_tensor *t = &m->block.tensors[m->vqc];
    memcpy(s->spsa->params + t->offset, s->params + t->offset, t->size * sizeof(float));
}

double kl_head_spsa_rate(const struct kl_head_train *train, uint64_t number, double lr)
{
    const double stability = 0.1 * (double)(train->learner.steps_per_epoch * train->loop.options.epochs);
    return lr * pow((stability + 1) / (stability + (double)number + 1), 0.602);
}

int kl_head_spsa_gradient(struct kl_step *s, uint64_t number, double lr, struct kl_error *err)
{
    const struct kl_head_train *train = s->train;
    const struct kl_train_options *o = &train->loop.options;
    const double c = o->optimizer.spsa_c / pow((double)number + 1, 0.101);
    const size_t groups = (s->batch.n + KL_CIRCUIT_GROUP - 1) / KL_CIRCUIT_GROUP;
    struct perturbation p = { s, number, 0 };
    double plus = 0, minus = 0;
    int code = kl_train_crew_for(s->crew, kl_head_n_parts(train->model), draw_signs, &p, err);
    keep_frozen(s);
    const uint32_t purpose = s->batch.diff.estimator.shots.purpose;
    s->batch.diff.estimator.shots.purpose = KL_RANDOM_STEP_SHOTS; /* each loss has its own */
    if (!code) code = loss_at(&minus, &p, -c, err);
    s->batch.diff.estimator.shots.purpose = purpose;
    if (code) return code;
    memcpy(s->spsa->loss, s->batch.loss, groups * sizeof *s->spsa->loss);
    code = loss_at(&plus, &p, c, err);
    if (code) return code;
    for (size_t g = 0; g < groups; g++) s->batch.loss[g] = (s->batch.loss[g] + s->spsa->loss[g]) / 2;
    const float slope = (float)((plus - minus) / (2 * c * (double)s->batch.n));
    for (size_t k = 0; k < train->model->block.size; k++) s->grad[k] *= slope;
    s->update = kl_nn_update_at(&o->optimizer, kl_head_spsa_rate(train, number, lr), number + 1);
    return 0;
}
