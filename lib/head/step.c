/* SPDX-License-Identifier: MIT
   Steps of one replica. Threads that share a step meet twice in it: after the rows of the batch, and
   after the sums over it with the update of the parameters summed. */
#include <string.h>

#include "head/head_int.h"
#include "head/natural.h"
#include "head/train_int.h"
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

struct step {
    const struct kl_crew *crew;
    struct kl_head_batch_f32 batch;
    struct kl_update update;
    float *grad;
    struct kl_natural natural;
    double *squares; /* of the gradient's parts, summed; that of the circuit may be absent */
    size_t parts;    /* of the rows */
};

/* Row at which part i of the batch begins. */
static size_t part_begin(const struct step *s, size_t i)
{
    size_t groups = (s->batch.n + KL_CIRCUIT_GROUP - 1) / KL_CIRCUIT_GROUP;
    size_t row = groups * i / s->parts * KL_CIRCUIT_GROUP;
    return row < s->batch.n ? row : s->batch.n;
}

static void rows(void *context, size_t i, int thread)
{
    struct step *s = context;
    const struct kl_train *train = s->crew->train;
    struct kl_train_thread *own = &train->threads[s->crew->pool ? thread : s->crew->thread];
    size_t from = part_begin(s, i), to = part_begin(s, i + 1);
    unsigned before = kl_flush_begin();
    if (from < to && !own->code)
        own->code = kl_head_rows_f32(&s->batch, train->model, s->crew->replica->params, from, to,
                                     &own->work, &own->error);
    if (from < to && !own->code && s->natural.metric)
        own->code = kl_natural_rows(&s->natural, &s->batch, train->model, s->crew->replica->params, from,
                                    to, &own->work, &own->error);
    kl_flush_end(before);
}

static void update(const struct step *s, size_t i, const struct kl_head_part *p)
{
    const struct kl_replica *r = s->crew->replica;
    if (p->kind == KL_PART_CIRCUIT && s->natural.metric) return;
    s->squares[i] = kl_update_apply_f32(r->params + p->offset, r->m + p->offset, r->v + p->offset,
                                        s->grad + p->offset, p->size, &s->update);
}

static void sum_part(void *context, size_t i, int thread)
{
    const struct step *s = context;
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
    const struct step *s = context;
    const struct kl_head_part part = kl_head_part(s->crew->train->model, i);
    unsigned before = kl_flush_begin();
    (void)thread;
    update(s, i, &part);
    kl_flush_end(before);
}

static int first_failure(struct kl_train *train, struct kl_error *err)
{
    for (int i = 0; i < train->n_threads; i++)
        if (train->threads[i].code)
            return kl_fail(err, train->threads[i].code, "%s", train->threads[i].error.text);
    return 0;
}

/* The schedule turns this rate by as much as the other one. */
static double natural_rate(const struct kl_train_options *o, double lr)
{
    return o->optimizer.natural_lr * (o->schedule.lr > 0 ? lr / o->schedule.lr : 1);
}

static int one_step(struct step *s, int64_t step, struct kl_error *err)
{
    struct kl_train *train = s->crew->train;
    struct kl_replica *replica = s->crew->replica;
    struct kl_pool *pool = s->crew->pool;
    const struct kl_train_options *o = &train->options;
    const size_t n_parts = kl_head_n_parts(train->model);
    uint64_t number = (uint64_t)(train->epoch * train->steps_per_epoch + step);
    double lr = kl_schedule_rate(&o->schedule, train->epoch, step, train->steps_per_epoch, o->epochs,
                                 replica->reductions);
    s->update = kl_update_at(&o->optimizer, lr,
                             number + 1 - (uint64_t)(train->optimizer_epoch * train->steps_per_epoch));
    s->batch.dropout.step = s->batch.diff.estimator.shots.step = s->batch.draws.step = (uint32_t)number;
    kl_pool_for(pool, s->parts, rows, s);
    int code = pool ? first_failure(train, err) : train->threads[s->crew->thread].code;
    if (code) return code;
    kl_pool_for(pool, n_parts, sum_part, s);
    if (o->optimizer.clip > 0) {
        kl_update_clip_f32(&s->update, &o->optimizer, s->grad, train->model->block.size);
        kl_pool_for(pool, n_parts, update_part, s);
    }
    kl_train_norms_add(s->crew, s->squares, s->grad);
    if (s->natural.metric)
        kl_natural_update(replica->params, &s->natural, s->grad, train->model, s->batch.n, &o->optimizer,
                          s->update.adam.grad_scale, natural_rate(o, lr));
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
    struct step s = { .crew = crew, .grad = own->grad, .squares = own->squares };
    if (first == 0) kl_train_norms_begin(crew);
    kl_arena_reset(&own->work.values);
    int code = kl_head_batch_take_f32(&s.batch, train->model, size, &diff, &own->work.values, err);
    if (!code) code = kl_natural_take(&s.natural, train->metric, size, &own->work.values, err);
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
