/* SPDX-License-Identifier: MIT
   A replica on the validation samples, in blocks; what a thread needs to train and validate; noise of
   its own for what threads share. */
#include "head/head_int.h"

#include <math.h>
#include <string.h>

#include "kernels/inline/philox.h"

enum { BLOCK = 256 };

struct validation {
    const struct kl_crew *crew;
    const struct kl_head_train *train;
    const struct kl_head_model *model;
};

static int block(void *context, size_t i, int thread, struct kl_error *err)
{
    const struct validation *v = context;
    const struct kl_crew *crew = v->crew;
    const struct kl_head_train *train = v->train;
    const struct kl_features *f = train->features;
    struct kl_head_thread *sums = &train->threads[crew->thread], *own = &train->threads[thread];
    /* The same realisations in each epoch, so that epochs compare. */
    const struct kl_draws draws = { .seed = train->loop.options.seed,
                                    .purpose = KL_RANDOM_VALIDATION_TRAJECTORIES,
                                    .replica = (uint32_t)crew->index,
                                    .rows = train->validation };
    struct kl_drawing_model drawing;
    size_t from = i * BLOCK, n = train->n_validation - from < BLOCK ? train->n_validation - from : BLOCK;
    for (size_t k = 0; k < n; k++) {
        size_t row = (size_t)train->validation[from + k];
        memcpy(own->x + k * f->d, f->x + row * f->d, f->d * sizeof *f->x);
        own->labels[k] = f->labels[row];
    }
    struct kl_estimator e = kl_head_estimator(train, crew->index, KL_RANDOM_VALIDATION_SHOTS);
    e.circuit = v->model->circuit;
    if (v->model != train->model) e.shots.n = 0; /* what is measured is the other one */
    e.shots.step = (uint32_t)train->loop.epoch;
    e.shots.rows = train->validation;
    e.first = from;
    const struct kl_head_model *model = kl_head_drawing(&drawing, v->model, &e, &draws, from);
    int code =
        kl_head_logits_by_f32(own->logits, model, crew->replica->params, own->x, n, &e, &own->work, err);
    if (code) return code;
    sums->val_loss[i] = kl_nn_cross_entropy_f32(NULL, &sums->val_correct[i], own->logits, own->labels, n,
                                                f->n_classes, 1);
    return 0;
}

static size_t n_blocks(const struct kl_head_train *train)
{
    return (train->n_validation + BLOCK - 1) / BLOCK;
}

/* Of a replica that goes on, or of what it began as. */
int kl_head_judge(const struct kl_crew *crew, bool untrained, struct kl_error *err)
{
    const struct kl_head_train *train = kl_train_crew_learner(crew);
    const struct kl_replica *r = crew->replica;
    struct validation v = { crew, train, untrained ? train->whole : train->model };
    const struct kl_head_thread *own = &train->threads[crew->thread];
    size_t right = 0;
    double loss = 0;
    if (!untrained && !isfinite(r->sums[KL_HEAD_LOSS])) return 0;
    int code = kl_train_crew_for(crew, n_blocks(train), block, &v, err);
    if (code) return code;
    for (size_t i = 0; i < n_blocks(train); i++) loss += own->val_loss[i], right += own->val_correct[i];
    r->history[KL_VAL_LOSS][train->loop.epoch] = loss / (double)train->n_validation;
    r->history[KL_VAL_ACCURACY][train->loop.epoch] = (double)right / (double)train->n_validation;
    return 0;
}

int kl_head_thread_init(struct kl_head_thread *own, const struct kl_head_train *train,
                        struct kl_error *err)
{
    const struct kl_head_model *model = train->model;
    int code = kl_head_work_init(&own->work, err);
    if (!code)
        code = kl_arena_init(&own->buffers,
                             BLOCK * (train->features->d + model->n_classes + 1) * sizeof(float), err);
    if (code) return code;
    own->x = kl_arena_take(&own->buffers, BLOCK * train->features->d, sizeof(float));
    own->logits = kl_arena_take(&own->buffers, BLOCK * model->n_classes, sizeof(float));
    own->labels = kl_arena_take(&own->buffers, BLOCK, sizeof(int32_t));
    own->grad = kl_arena_take(&own->buffers, model->block.size, sizeof(float));
    own->squares = kl_arena_take(&own->buffers, kl_head_n_parts(model), sizeof(double));
    own->val_loss = kl_arena_take(&own->buffers, n_blocks(train) + 1, sizeof(double));
    own->val_correct = kl_arena_take(&own->buffers, n_blocks(train) + 1, sizeof(size_t));
    if (!own->x || !own->logits || !own->labels || !own->grad || !own->squares || !own->val_loss ||
        !own->val_correct)
        return kl_fail_memory(err, BLOCK * train->features->d * sizeof(float));
    memset(own->grad, 0, model->block.size * sizeof(float)); /* the padding between tensors stays 0 */
    return 0;
}

void kl_head_thread_free(struct kl_head_thread *own)
{
    kl_head_work_free(&own->work);
    kl_arena_free(&own->buffers);
}

/* ---- drawing ----
   Circuits by trajectories draw noise of their own for every batch, replica and part of a batch: copies
   of what threads share. */

const struct kl_head_model *kl_head_drawing(struct kl_drawing_model *own,
                                            const struct kl_head_model *model, struct kl_estimator *e,
                                            const struct kl_draws *draws, size_t from)
{
    if (!model->circuit || !model->circuit->trajectories) return model;
    own->model = *model;
    own->circuit = *model->circuit;
    own->model.circuit = &own->circuit;
    own->circuit.draws = *draws;
    own->circuit.draws.sample += from;
    if (e) e->circuit = &own->circuit;
    if (!e || !e->shots.n) return &own->model;
    own->measured = *e->measured;
    own->probabilities = *e->measured->probabilities;
    own->probabilities.draws = own->circuit.draws;
    own->measured.probabilities = &own->probabilities;
    if (e->measured->readings) {
        own->readings = *e->measured->readings;
        own->readings.draws = own->circuit.draws;
        own->measured.readings = &own->readings;
    }
    e->measured = &own->measured;
    return &own->model;
}
