/* SPDX-License-Identifier: MIT
   Steps of one replica. Threads that share a step meet twice in it: after the rows of the batch, and
   after the sums over it with the update of the parameters summed. */
#include "head/head_int.h"

#include <string.h>

#include "kernels/inline/flush.h"
#include "kernels/inline/philox.h"

/* ---- natural gradient ----
   The circuit's weights by the natural gradient (Stokes, Izaac, Killoran & Carleo 2020,
   arXiv:1909.02108), whose metric is averaged over the samples of the batch. */

/* Room for batches of n rows. KL_ENOMEM. */
static int natural_take(struct kl_natural *natural, const struct kl_metric *metric, size_t n,
                        struct kl_arena *arena, struct kl_error *err)
{
    *natural = (struct kl_natural){ .metric = metric };
    if (!metric) return 0;
    const size_t groups = (n + KL_CIRCUIT_GROUP - 1) / KL_CIRCUIT_GROUP,
                 count = groups * metric->shape.size;
    natural->sums = kl_arena_take(arena, count, sizeof *natural->sums);
    natural->step = kl_arena_take(arena, metric->shape.n, sizeof *natural->step);
    return natural->sums && natural->step ? 0 : kl_fail_memory(err, count * sizeof *natural->sums);
}

/* Metric tensors of rows [from, to) of the batch, which begin at a multiple of KL_CIRCUIT_GROUP and have
   their activations. Scratch from work->circuit. */
static int natural_rows(const struct kl_natural *natural, const struct kl_head_batch_f32 *batch,
                        const struct kl_head_model *model, const float *params, size_t from, size_t to,
                        struct kl_head_work *work, struct kl_error *err)
{
    const float *angles = batch->y.reduce[model->n_reduce - 1] + from * model->n_angles;
    kl_arena_reset(&work->circuit);
    return kl_circuit_metric_sums_f32(
        natural->sums + from / KL_CIRCUIT_GROUP * natural->metric->shape.size, natural->metric, angles,
        params + model->block.tensors[model->vqc].offset, to - from, &work->circuit, err);
}

/* w -= rate (F + lambda I)^-1 g, with F the mean over all rows of the batch and g = scale grad + decay
   w; grad, params: blocks. */
static void natural_update(float *params, const struct kl_natural *natural, const float *grad,
                           const struct kl_head_model *model, size_t n_rows,
                           const struct kl_optimizer *o, double scale, double rate)
{
    const struct kl_nn_skyline *e = &natural->metric->shape;
    const size_t offset = model->block.tensors[model->vqc].offset,
                 groups = (n_rows + KL_CIRCUIT_GROUP - 1) / KL_CIRCUIT_GROUP;
    double *mean = natural->sums, *step = natural->step;
    for (size_t g = 1; g < groups; g++)
        for (size_t k = 0; k < e->size; k++) mean[k] += natural->sums[g * e->size + k];
    for (size_t k = 0; k < e->size; k++) mean[k] /= (double)n_rows;
    for (size_t i = 0; i < e->n; i++)
        step[i] = scale * grad[offset + i] + o->weight_decay * params[offset + i];
    kl_nn_skyline_solve(step, mean, e, o->natural_lambda);
    for (size_t i = 0; i < e->n; i++) params[offset + i] -= (float)(rate * step[i]);
}

/* ---- Steps ---- */

size_t kl_head_batch_size(const struct kl_head_train *train)
{
    size_t size = (size_t)train->loop.options.batch_size;
    return size < train->n_training ? size : train->n_training;
}

/* Rows of batch `step`, of which the last of an epoch may be short. */
static size_t batch_rows(const struct kl_head_train *train, int64_t step)
{
    size_t size = kl_head_batch_size(train), left = train->n_training - (size_t)step * size;
    return left < size ? left : size;
}

/* Rows to ask for before they are copied: they lie anywhere in memory. */
enum { AHEAD = 4 };

void kl_head_prepare_step(struct kl_train *loop, int64_t ahead, int thread)
{
    struct kl_head_train *train = loop->learner->context;
    const struct kl_features *f = train->features;
    size_t size = kl_head_batch_size(train), to = (size_t)ahead * size;
    size_t n = batch_rows(train, loop->step + ahead);
    const int64_t *rows = train->order + (size_t)(loop->step + ahead) * size;
    (void)thread;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; i + AHEAD < n && k < f->d; k += KL_HEAD_LINE)
            __builtin_prefetch(f->x + (size_t)rows[i + AHEAD] * f->d + k);
        memcpy(train->batches + (to + i) * train->ldx, f->x + (size_t)rows[i] * f->d,
               f->d * sizeof *f->x);
        train->batch_labels[to + i] = f->labels[rows[i]];
    }
}

struct kl_estimator kl_head_estimator(const struct kl_head_train *train, int64_t replica,
                                      uint32_t purpose)
{
    const struct kl_head_options *o = &train->whole->options;
    return (struct kl_estimator){ .measured = &train->measured,
                                  .shots = { .n = train->measured.probabilities ? o->shots : 0,
                                             .seed = train->loop.options.seed,
                                             .purpose = purpose,
                                             .replica = (uint32_t)replica },
                                  .step = o->spsa_step,
                                  .directions = o->spsa_directions };
}

size_t kl_head_step_begin(const struct kl_step *s, size_t i)
{
    size_t groups = (s->batch.n + KL_CIRCUIT_GROUP - 1) / KL_CIRCUIT_GROUP;
    size_t row = groups * i / s->parts * KL_CIRCUIT_GROUP;
    return row < s->batch.n ? row : s->batch.n;
}

static int rows(void *context, size_t i, int thread, struct kl_error *err)
{
    struct kl_step *s = context;
    const struct kl_head_model *model = s->train->model;
    struct kl_head_work *work = &s->train->threads[thread].work;
    size_t from = kl_head_step_begin(s, i), to = kl_head_step_begin(s, i + 1);
    unsigned before = kl_flush_begin();
    int code = 0;
    if (from < to) code = kl_head_rows_f32(&s->batch, model, s->params, from, to, work, err);
    if (from < to && !code && s->natural.metric)
        code = natural_rows(&s->natural, &s->batch, model, s->params, from, to, work, err);
    kl_flush_end(before);
    return code;
}

static void update(const struct kl_step *s, size_t i, const struct kl_head_part *p)
{
    const struct kl_replica *r = s->crew->replica;
    if (p->kind == KL_PART_CIRCUIT && (s->natural.metric || s->rotosolve)) return;
    s->squares[i] =
        kl_nn_update_apply_f32(s->params + p->offset, (float *)r->m + p->offset,
                               (float *)r->v + p->offset, s->grad + p->offset, p->size, &s->update);
}

static int sum_part(void *context, size_t i, int thread, struct kl_error *err)
{
    const struct kl_step *s = context;
    const struct kl_head_part part = kl_head_part(s->train->model, i);
    const struct kl_head_work *work = &s->train->threads[thread].work;
    unsigned before = kl_flush_begin();
    (void)err;
    kl_head_sum_f32(s->grad, &s->batch, s->train->model, &part);
    kl_head_lap(work, KL_HEAD_SUMS);
    if (s->train->loop.options.optimizer.clip <= 0) update(s, i, &part);
    kl_head_lap(work, KL_HEAD_UPDATE);
    kl_flush_end(before);
    return 0;
}

static int update_part(void *context, size_t i, int thread, struct kl_error *err)
{
    const struct kl_step *s = context;
    const struct kl_head_part part = kl_head_part(s->train->model, i);
    unsigned before = kl_flush_begin();
    (void)thread, (void)err;
    update(s, i, &part);
    kl_flush_end(before);
    return 0;
}

/* The gradient by back-propagation; without clipping the update as well. */
static int descend(struct kl_step *s, struct kl_error *err)
{
    int code = kl_train_crew_for(s->crew, s->parts, rows, s, err);
    return code ? code : kl_train_crew_for(s->crew, kl_head_n_parts(s->train->model), sum_part, s, err);
}

static int one_step(struct kl_step *s, int64_t step, struct kl_error *err)
{
    struct kl_head_train *train = s->train;
    struct kl_replica *replica = s->crew->replica;
    const struct kl_optimizer *o = &train->loop.options.optimizer;
    const size_t n_parts = kl_head_n_parts(train->model);
    const struct kl_train_step at = kl_train_step_at(s->crew, step);
    const struct kl_head_work *work = &train->threads[s->crew->thread].work;
    if (work->laps) work->laps->since = kl_clock(), work->laps->steps++;
    s->update = at.update;
    s->batch.dropout.step = s->batch.diff.estimator.shots.step = s->batch.draws.step =
        (uint32_t)at.number;
    int code = s->rotosolve ? kl_head_rotosolve_turn(s, at.number, at.left, err) : 0;
    if (!code) code = s->spsa ? kl_head_spsa_gradient(s, at.number, at.lr, err) : descend(s, err);
    if (code) return code;
    if (o->clip > 0) kl_nn_update_clip_f32(&s->update, o, s->grad, train->model->block.size);
    if (o->clip > 0 || s->spsa) code = kl_train_crew_for(s->crew, n_parts, update_part, s, err);
    kl_head_norms_add(replica->sums, train->whole, s->squares, s->grad);
    if (s->natural.metric)
        natural_update(s->params, &s->natural, s->grad, train->model, s->batch.n, o,
                       s->update.adam.grad_scale, o->natural_lr * at.left);
    size_t correct;
    replica->sums[KL_HEAD_LOSS] += kl_head_loss_f32(&correct, &s->batch);
    replica->sums[KL_HEAD_CORRECT] += (double)correct;
    kl_head_lap(work, KL_HEAD_UPDATE);
    return code;
}

int kl_head_steps(const struct kl_crew *crew, int64_t first, int64_t count, struct kl_error *err)
{
    struct kl_head_train *train = kl_train_crew_learner(crew);
    struct kl_head_thread *own = &train->threads[crew->thread];
    const uint64_t seed = train->loop.options.seed;
    const size_t size = kl_head_batch_size(train);
    const struct kl_head_diff diff = { train->whole->options.diff,
                                       kl_head_estimator(train, crew->index, KL_RANDOM_TRAINING_SHOTS) };
    struct kl_step s = { .crew = crew,
                         .train = train,
                         .params = crew->replica->params,
                         .grad = own->grad,
                         .squares = own->squares };
    kl_arena_reset(&own->work.values);
    int code = kl_head_batch_take_f32(&s.batch, train->model, size, &diff, &own->work.values, err);
    if (!code) code = natural_take(&s.natural, train->metric, size, &own->work.values, err);
    if (!code) code = kl_head_rotosolve_take(&s.rotosolve, train, size, &own->work.values, err);
    if (!code) code = kl_head_spsa_take(&s.spsa, train, size, &own->work.values, err);
    s.batch.dropout = (struct kl_dropout){ .rate = train->model->options.dropout,
                                           .seed = seed,
                                           .replica = (uint32_t)crew->index };
    s.batch.draws = (struct kl_draws){ .seed = seed,
                                       .purpose = KL_RANDOM_TRAINING_TRAJECTORIES,
                                       .replica = (uint32_t)crew->index };
    /* Central differences sum over the batch on the way. */
    const bool whole = !crew->pool || s.batch.diff.method == KL_DIFF_DIFFERENCES;
    s.parts = whole ? 1 : (size_t)kl_pool_size(crew->pool);
    for (int64_t step = first; step < first + count && !code; step++) {
        size_t from = (size_t)(step - first) * size;
        s.batch.x = train->batches + from * train->ldx;
        s.batch.y.ldx = train->ldx;
        s.batch.labels = train->batch_labels + from;
        s.batch.n = batch_rows(train, step);
        code = one_step(&s, step, err);
    }
    return code;
}
