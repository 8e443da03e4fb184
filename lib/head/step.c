/* SPDX-License-Identifier: MIT
   Steps of one replica. Threads that share a step meet twice in it: after the rows of the batch, and
   after the sums over it with the update of the parameters summed. */
#include <string.h>

#include "head/head_int.h"
#include "head/step_int.h"
#include "kernels/inline/flush.h"
#include "kernels/inline/philox.h"

size_t kl_train_batch_size(const struct kl_train *train)
{
    size_t size = (size_t)train->options.batch_size;
    return size < train->n_training ? size : train->n_training;
}

/* Rows of batch `step`, of which the last of an epoch may be short. */
static size_t batch_rows(const struct kl_train *train, int64_t step)
{
    size_t size = kl_train_batch_size(train), left = train->n_training - (size_t)step * size;
    return left < size ? left : size;
}

/* Rows to ask for before they are copied, and values of one cache line: rows lie anywhere in memory. */
enum { AHEAD = 4, LINE = 16 };

void kl_train_gather(struct kl_train *train, int64_t ahead)
{
    const struct kl_features *f = train->features;
    size_t size = kl_train_batch_size(train), to = (size_t)ahead * size;
    size_t n = batch_rows(train, train->step + ahead);
    const int64_t *rows = train->order + (size_t)(train->step + ahead) * size;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; i + AHEAD < n && k < f->d; k += LINE)
            __builtin_prefetch(f->x + (size_t)rows[i + AHEAD] * f->d + k);
        memcpy(train->batches + (to + i) * f->d, f->x + (size_t)rows[i] * f->d, f->d * sizeof *f->x);
        train->batch_labels[to + i] = f->labels[rows[i]];
    }
}

struct kl_estimator kl_train_estimator(const struct kl_train *train, int64_t replica, uint32_t purpose)
{
    const struct kl_train_options *o = &train->options;
    return (struct kl_estimator){ .measured = &train->measured,
                                  .shots = { .n = train->measured.probabilities ? o->shots : 0,
                                             .seed = o->seed,
                                             .purpose = purpose,
                                             .replica = (uint32_t)replica },
                                  .step = o->spsa_step,
                                  .directions = o->spsa_directions };
}

size_t kl_step_begin(const struct kl_step *s, size_t i)
{
    size_t groups = (s->batch.n + KL_CIRCUIT_GROUP - 1) / KL_CIRCUIT_GROUP;
    size_t row = groups * i / s->parts * KL_CIRCUIT_GROUP;
    return row < s->batch.n ? row : s->batch.n;
}

struct kl_train_thread *kl_step_thread(const struct kl_step *s, int thread)
{
    return &s->crew->train->threads[s->crew->pool ? thread : s->crew->thread];
}

int kl_step_for(const struct kl_step *s, size_t n, void (*fn)(void *, size_t, int), void *context,
                struct kl_error *err)
{
    kl_pool_for(s->crew->pool, n, fn, context);
    for (int i = 0; i < s->crew->train->n_threads; i++) {
        const struct kl_train_thread *t = &s->crew->train->threads[i];
        if ((s->crew->pool || i == s->crew->thread) && t->code)
            return kl_fail(err, t->code, "%s", t->error.text);
    }
    return 0;
}

static void rows(void *context, size_t i, int thread)
{
    struct kl_step *s = context;
    const struct kl_train *train = s->crew->train;
    struct kl_train_thread *own = kl_step_thread(s, thread);
    size_t from = kl_step_begin(s, i), to = kl_step_begin(s, i + 1);
    unsigned before = kl_flush_begin();
    if (from < to && !own->code)
        own->code = kl_head_rows_f32(&s->batch, train->model, s->crew->replica->params, from, to,
                                     &own->work, &own->error);
    if (from < to && !own->code && s->natural.metric)
        own->code = kl_natural_rows(&s->natural, &s->batch, train->model, s->crew->replica->params, from,
                                    to, &own->work, &own->error);
    kl_flush_end(before);
}

static void update(const struct kl_step *s, size_t i, const struct kl_head_part *p)
{
    const struct kl_replica *r = s->crew->replica;
    if (p->kind == KL_PART_CIRCUIT && (s->natural.metric || s->rotosolve)) return;
    s->squares[i] = kl_nn_update_apply_f32(r->params + p->offset, r->m + p->offset, r->v + p->offset,
                                           s->grad + p->offset, p->size, &s->update);
}

static void sum_part(void *context, size_t i, int thread)
{
    const struct kl_step *s = context;
    const struct kl_train *train = s->crew->train;
    const struct kl_head_part part = kl_head_part(train->model, i);
    unsigned before = kl_flush_begin();
    (void)thread;
    kl_head_sum_f32(s->grad, &s->batch, train->model, &part);
    if (train->options.optimizer.clip <= 0) update(s, i, &part);
    kl_flush_end(before);
}

static void update_part(void *context, size_t i, int thread)
{
    const struct kl_step *s = context;
    const struct kl_head_part part = kl_head_part(s->crew->train->model, i);
    unsigned before = kl_flush_begin();
    (void)thread;
    update(s, i, &part);
    kl_flush_end(before);
}

/* What the schedule leaves of a rate: what --lr does not set follows it too. */
static double left_by_schedule(const struct kl_train_options *o, double lr)
{
    return o->schedule.lr > 0 ? lr / o->schedule.lr : 1;
}

/* The gradient by back-propagation; without clipping the update as well. */
static int descend(struct kl_step *s, struct kl_error *err)
{
    int code = kl_step_for(s, s->parts, rows, s, err);
    return code ? code : kl_step_for(s, kl_head_n_parts(s->crew->train->model), sum_part, s, err);
}

static int one_step(struct kl_step *s, int64_t step, struct kl_error *err)
{
    struct kl_train *train = s->crew->train;
    struct kl_replica *replica = s->crew->replica;
    const struct kl_train_options *o = &train->options;
    const size_t n_parts = kl_head_n_parts(train->model);
    uint64_t number = (uint64_t)(train->epoch * train->steps_per_epoch + step);
    double lr = kl_nn_schedule_rate(&o->schedule, train->epoch, step, train->steps_per_epoch, o->epochs,
                                    replica->reductions);
    const double left = left_by_schedule(o, lr);
    s->update = kl_nn_update_at(
        &o->optimizer, lr, number + 1 - (uint64_t)(train->optimizer_epoch * train->steps_per_epoch));
    s->batch.dropout.step = s->batch.diff.estimator.shots.step = s->batch.draws.step = (uint32_t)number;
    int code = s->rotosolve ? kl_rotosolve_turn(s, number, left, err) : 0;
    if (!code) code = s->spsa ? kl_spsa_gradient(s, number, lr, err) : descend(s, err);
    if (code) return code;
    if (o->optimizer.clip > 0)
        kl_nn_update_clip_f32(&s->update, &o->optimizer, s->grad, train->model->block.size);
    if (o->optimizer.clip > 0 || s->spsa) kl_pool_for(s->crew->pool, n_parts, update_part, s);
    kl_train_norms_add(s->crew, s->squares, s->grad);
    if (s->natural.metric)
        kl_natural_update(replica->params, &s->natural, s->grad, train->model, s->batch.n, &o->optimizer,
                          s->update.adam.grad_scale, o->optimizer.natural_lr * left);
    size_t correct;
    replica->epoch_loss += kl_head_loss_f32(&correct, &s->batch);
    replica->epoch_correct += (int64_t)correct;
    return 0;
}

int kl_train_steps(const struct kl_crew *crew, int64_t first, int64_t count, struct kl_error *err)
{
    struct kl_train *train = crew->train;
    struct kl_train_thread *own = &train->threads[crew->thread];
    const struct kl_train_options *o = &train->options;
    const size_t size = kl_train_batch_size(train);
    const struct kl_head_diff diff = { o->diff, kl_train_estimator(train, crew->index,
                                                                   KL_RANDOM_TRAINING_SHOTS) };
    struct kl_step s = { .crew = crew, .grad = own->grad, .squares = own->squares };
    if (first == 0) kl_train_norms_begin(crew);
    kl_arena_reset(&own->work.values);
    int code = kl_head_batch_take_f32(&s.batch, train->model, size, &diff, &own->work.values, err);
    if (!code) code = kl_natural_take(&s.natural, train->metric, size, &own->work.values, err);
    if (!code) code = kl_rotosolve_take(&s.rotosolve, train, size, &own->work.values, err);
    if (!code) code = kl_spsa_take(&s.spsa, train, size, &own->work.values, err);
    s.batch.dropout = (struct kl_dropout){ .rate = train->model->options.dropout,
                                           .seed = o->seed,
                                           .replica = (uint32_t)crew->index };
    s.batch.draws = (struct kl_draws){ .seed = o->seed,
                                       .purpose = KL_RANDOM_TRAINING_TRAJECTORIES,
                                       .replica = (uint32_t)crew->index };
    /* Central differences sum over the batch on the way. */
    const bool whole = !crew->pool || s.batch.diff.method == KL_DIFF_DIFFERENCES;
    s.parts = whole ? 1 : (size_t)kl_pool_size(crew->pool);
    for (int64_t step = first; step < first + count && !code; step++) {
        size_t from = (size_t)(step - first) * size;
        s.batch.x = train->batches + from * train->features->d;
        s.batch.labels = train->batch_labels + from;
        s.batch.n = batch_rows(train, step);
        code = one_step(&s, step, err);
    }
    return code;
}
