/* SPDX-License-Identifier: MIT
   A step by the learner's gradient: its parts, their sum in rising order or as a tree, clipping, the
   update. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/inline/flush.h"
#include "store/ranks.h"
#include "train/train_int.h"

enum { ALIGN = 64, CHUNK = 1 << 14 /* values that one thread updates at a time */ };

struct kl_train_step kl_train_step_at(const struct kl_crew *crew, int64_t step)
{
    const struct kl_train *train = crew->train;
    const struct kl_train_options *o = &train->options;
    const int64_t steps = train->learner->steps_per_epoch;
    const uint64_t number = (uint64_t)(train->epoch * steps + step);
    const double lr = kl_nn_schedule_rate(&o->schedule, train->epoch, step, steps, o->epochs,
                                          crew->replica->reductions);
    return (struct kl_train_step){
        .step = step,
        .number = number,
        .lr = lr,
        .left = o->schedule.lr > 0 ? lr / o->schedule.lr : 1,
        .update =
            kl_nn_update_at(&o->optimizer, lr, number + 1 - (uint64_t)(train->optimizer_epoch * steps)),
    };
}

/* A device has added up its parts, and those of other ranks. */
static size_t n_parts(const struct kl_train *train)
{
    return train->learner->parts && !train->device ? train->learner->parts : 1;
}

/* A thread that takes whole replicas adds each part to the first as it comes; of a tree it keeps one sum
   a level. */
static size_t n_buffers(const struct kl_train *train)
{
    const size_t n = n_parts(train);
    size_t levels = 1;
    if (!kl_train_whole_replicas(train) || n <= 2) return n;
    for (size_t width = 1; train->learner->tree && width < n; width *= 2) levels++;
    return train->learner->tree ? levels : 2;
}

static size_t block_bytes(const struct kl_train *train)
{
    return train->learner->block->size * kl_train_real(train->learner);
}

static size_t n_chunks(const struct kl_train *train)
{
    return (train->learner->block->size + CHUNK - 1) / CHUNK;
}

int kl_train_take_grads(struct kl_train *train, struct kl_error *err)
{
    const size_t n = n_buffers(train), sums = (size_t)train->learner->n_sums * sizeof(double),
                 squares = n_chunks(train) * sizeof(double), bytes = n * block_bytes(train);
    const int owners = kl_train_whole_replicas(train) ? train->n_threads : 1;
    for (int i = 0; i < owners; i++) {
        void *memory = NULL;
        if (posix_memalign(&memory, ALIGN, bytes + n * sums + squares))
            return kl_fail_memory(err, bytes);
        memset(memory, 0, bytes + n * sums + squares); /* the padding between tensors stays 0 */
        train->threads[i].grads = memory;
        train->threads[i].sums = (double *)((char *)memory + bytes);
    }
    return 0;
}

struct parts {
    const struct kl_crew *crew;
    const struct kl_train_step *step;
    struct kl_update update;
    size_t first, n; /* those that this process computes */
    size_t buffer;   /* the first of them goes there */
};

static void *grad_at(const struct kl_crew *crew, size_t i)
{
    return (char *)crew->train->threads[crew->thread].grads + i * block_bytes(crew->train);
}

static int compute_into(const struct parts *p, size_t buffer, size_t part, int thread,
                        struct kl_error *err)
{
    const struct kl_crew *crew = p->crew;
    const struct kl_learner *l = crew->train->learner;
    double *sums = crew->train->threads[crew->thread].sums + buffer * (size_t)l->n_sums;
    const unsigned before = kl_flush_begin();
    memset(sums, 0, (size_t)l->n_sums * sizeof *sums);
    const int code = l->gradient(crew, p->step, part, grad_at(crew, buffer), sums, thread, err);
    kl_flush_end(before);
    return code;
}

/* Of those parts that this rank has, the i-th. */
static int compute_part(void *context, size_t i, int thread, struct kl_error *err)
{
    const struct parts *p = context;
    return compute_into(p, p->buffer + i, p->first + i, thread, err);
}

/* Values [from, to) of buffer i join those of buffer `into`. */
static void add(const struct kl_crew *crew, size_t into, size_t i, size_t from, size_t to)
{
    if (crew->train->learner->wide) {
        double *sum = grad_at(crew, into), *part = grad_at(crew, i);
        for (size_t k = from; k < to; k++) sum[k] += part[k];
    } else {
        float *sum = grad_at(crew, into), *part = grad_at(crew, i);
        for (size_t k = from; k < to; k++) sum[k] += part[k];
    }
}

static void add_sums(const struct kl_crew *crew, size_t into, size_t i)
{
    const size_t n = (size_t)crew->train->learner->n_sums;
    double *sums = crew->train->threads[crew->thread].sums;
    for (size_t k = 0; k < n; k++) sums[into * n + k] += sums[i * n + k];
}

static size_t chunk_end(const struct kl_train *train, size_t i)
{
    const size_t size = train->learner->block->size;
    return (i + 1) * CHUNK < size ? (i + 1) * CHUNK : size;
}

/* The k-th pair of n buffers to be added: the first and each other one, in rising order; or neighbours,
   then neighbours among their sums, and so on. Returns the one that joins *into. */
static size_t pair_of(size_t *into, size_t k, size_t n, bool tree)
{
    size_t width = 1;
    *into = 0;
    if (!tree) return k + 1;
    for (size_t pairs = n / 2; k >= pairs; pairs /= 2) k -= pairs, width *= 2;
    *into = 2 * width * k;
    return *into + width;
}

static int add_chunk(void *context, size_t i, int thread, struct kl_error *err)
{
    const struct parts *p = context;
    const struct kl_crew *crew = p->crew;
    const unsigned before = kl_flush_begin();
    const size_t n = p->n;
    (void)thread, (void)err;
    for (size_t k = 0, into; k + 1 < n; k++) {
        const size_t from = pair_of(&into, k, n, crew->train->learner->tree);
        add(crew, p->buffer + into, p->buffer + from, i * CHUNK, chunk_end(crew->train, i));
    }
    kl_flush_end(before);
    return 0;
}

/* The n buffers from the first on become their sum, in the first. */
static int sum_buffers(struct parts *p, struct kl_error *err)
{
    const struct kl_crew *crew = p->crew;
    const int code =
        p->n > 1 ? kl_train_crew_for(crew, n_chunks(crew->train), add_chunk, p, err) : KL_OK;
    for (size_t k = 0, into; k + 1 < p->n && !code; k++) {
        const size_t from = pair_of(&into, k, p->n, crew->train->learner->tree);
        add_sums(crew, p->buffer + into, p->buffer + from);
    }
    return code;
}

/* Of ranks, each adds up its parts if these are a whole subtree, as they are where there are 1, 2, 4,
   ... ranks. All gather what there is then, the k-th in buffer k, and add the tree to its end: no sum
   depends on how many ranks there are. */
static int sum_ranks(struct parts *p, struct kl_ranks *ranks, struct kl_error *err)
{
    const struct kl_train *train = p->crew->train;
    const size_t sums = (size_t)train->learner->n_sums * sizeof(double), all = n_parts(train),
                 units = ranks->count & (ranks->count - 1) ? all : ranks->count;
    size_t end;
    kl_store_ranks_share(ranks, units, &p->buffer, &end);
    int code = kl_train_crew_for(p->crew, p->n, compute_part, p, err);
    if (!code && units < all) code = sum_buffers(p, err);
    if (!code) code = kl_store_ranks_gather(ranks, grad_at(p->crew, 0), units, block_bytes(train), err);
    if (!code)
        code = kl_store_ranks_gather(ranks, train->threads[p->crew->thread].sums, units, sums, err);
    p->buffer = 0, p->n = units;
    return code ? code : sum_buffers(p, err);
}

/* By this thread alone, as the parts come. Of a tree buffer k has, while part i is computed, the sum of
   the k-th of the whole subtrees before it: as many as i has ones. */
static int sum_parts(struct parts *p, struct kl_error *err)
{
    const struct kl_crew *crew = p->crew;
    const size_t n = n_parts(crew->train), size = crew->train->learner->block->size;
    if (n_buffers(crew->train) == n) {
        const int code = kl_train_crew_for(crew, n, compute_part, p, err);
        return code ? code : sum_buffers(p, err);
    }
    for (size_t i = 0; i < n; i++) {
        const bool tree = crew->train->learner->tree;
        size_t buffer = tree ? (size_t)__builtin_popcountll(i) : i > 0;
        const int code = compute_into(p, buffer, i, crew->thread, err);
        if (code) return code;
        for (size_t rest = tree ? i : i > 0; rest & 1; rest >>= 1, buffer--)
            add(crew, buffer - 1, buffer, 0, size), add_sums(crew, buffer - 1, buffer);
    }
    return 0;
}

/* Of the gradient, chunk by chunk; they lie behind the sums of the parts. */
static double *squares_of(const struct kl_crew *crew)
{
    const struct kl_train *train = crew->train;
    return train->threads[crew->thread].sums + n_buffers(train) * (size_t)train->learner->n_sums;
}

static double gradient_norm(const struct kl_crew *crew)
{
    const double *squares = squares_of(crew);
    double sum = 0;
    for (size_t i = 0; i < n_chunks(crew->train); i++) sum += squares[i];
    return sqrt(sum);
}

static int update_chunk(void *context, size_t i, int thread, struct kl_error *err)
{
    const struct parts *p = context;
    const struct kl_train *train = p->crew->train;
    struct kl_replica *r = p->crew->replica;
    const size_t from = i * CHUNK, n = chunk_end(train, i) - from;
    void *grad = grad_at(p->crew, 0);
    double *squares = squares_of(p->crew) + i;
    const unsigned before = kl_flush_begin();
    (void)thread, (void)err;
    if (train->learner->wide)
        *squares = kl_nn_update_apply_f64((double *)r->params + from, (double *)r->m + from,
                                          (double *)r->v + from, (double *)grad + from, n, &p->update);
    else
        *squares = kl_nn_update_apply_f32((float *)r->params + from, (float *)r->m + from,
                                          (float *)r->v + from, (float *)grad + from, n, &p->update);
    kl_flush_end(before);
    return 0;
}

static int one_step(const struct kl_crew *crew, int64_t step, struct kl_error *err)
{
    const struct kl_learner *l = crew->train->learner;
    const struct kl_optimizer *o = &crew->train->options.optimizer;
    const struct kl_train_step at = kl_train_step_at(crew, step);
    double *sums = crew->train->threads[crew->thread].sums;
    struct kl_ranks *ranks = crew->train->device ? NULL : crew->train->options.ranks;
    struct parts p = { .crew = crew, .step = &at, .update = at.update };
    kl_store_ranks_share(ranks, n_parts(crew->train), &p.first, &p.n);
    p.n -= p.first;
    int code = ranks ? sum_ranks(&p, ranks, err) : sum_parts(&p, err);
    if (code) return code;
    if (l->wide) kl_nn_update_clip_f64(&p.update, o, grad_at(crew, 0), l->block->size);
    else kl_nn_update_clip_f32(&p.update, o, grad_at(crew, 0), l->block->size);
    code = kl_train_crew_for(crew, n_chunks(crew->train), update_chunk, &p, err);
    if (l->norms) sums[l->n_sums - 1] = gradient_norm(crew);
    for (int k = 0; k < l->n_sums; k++) crew->replica->sums[k] += sums[k];
    return code || !l->after_update ? code : l->after_update(crew, &at, err);
}

int kl_train_steps(const struct kl_crew *crew, int64_t first, int64_t count, struct kl_error *err)
{
    int code = 0;
    for (int64_t step = first; step < first + count && !code; step++) code = one_step(crew, step, err);
    return code;
}
