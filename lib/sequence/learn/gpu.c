/* SPDX-License-Identifier: MIT
   The training loop's work with a net on a GPU: windows stay there; a step of all replicas is one launch
   there and one back (of as many as its memory holds), between which the CPU's threads judge. Optimiser,
   best epoch and checkpoint are the loop's, as on the CPU. Ranks share the windows of a step, by its
   parts; all get what comes of all windows, judge them all, and add what each GPU has summed. */
#include <stdlib.h>
#include <string.h>

#include "kernels/cuda.h"
#include "sequence/learn/learner.h"
#include "store/ranks.h"

enum { JUDGED = 512 /* windows of a replica that are judged at once */ };

struct kl_sequence_gpu_run {
    const struct kl_sequence_learner *s;
    const struct kl_cuda_windows_calls *calls;
    struct kl_cuda_windows *windows;
    struct kl_arena memory;
    struct kl_cuda_windows_shape shape;
    size_t given_size, outputs, work, most; /* of a replica; windows at once */
    size_t n, count;                        /* replicas that train on, windows of each */
    size_t side, first;                     /* replicas on the GPU at once, the first of them */
    size_t *which, *place;                  /* (replicas) they are; of a replica among them */
    int32_t *row;                           /* (set.n) of a window on the GPU */
    int32_t *rows, *labels;                 /* (replicas, most) */
    uint32_t *replica;
    float *given, *by_given, *sum, *by_sum, *logits;
    char *works;
    double *loss;
    size_t *correct;
    struct kl_train *train;
    struct kl_ranks *ranks;             /* that share each batch; NULL: alone */
    struct kl_cuda_windows_parts parts; /* of the windows at hand here */
    size_t units, unit;                 /* of the whole tree; values of one */
    size_t ends[KL_RANKS_MOST + 1];     /* windows [ends[i], ends[i + 1]) are rank i's */
    int32_t *own_rows;                  /* (replicas at once, windows at hand) */
    float *all_sums, *own_by_sum;       /* of each rank (replicas, its windows, outputs); of this one */
    double *totals;                     /* (units, replicas, given) */
    double called;                      /* seconds in calls that compute */
    double scale;                       /* of the loss */
    uint32_t step;
    bool back;
};

int kl_sequence_gpu_check(const struct kl_sequence_learner *s, struct kl_error *err)
{
    struct kl_cuda_windows_shape shape;
    struct kl_arena memory;
    if (!s->net.model->gpu)
        return kl_fail(err, KL_EUSAGE, "--model %s: not on a GPU; give --device cpu", s->v->model);
    if (s->net.options.bare) return kl_fail(err, KL_EUSAGE, "--bare: not on a GPU; give --device cpu");
    int code = kl_arena_init(&memory, 0, err);
    if (!code) code = s->net.model->gpu->shape(&shape, &s->net, &memory, err);
    kl_arena_free(&memory);
    return code;
}

/* ---- memory ---- */
static int take(struct kl_sequence_gpu_run *g, size_t replicas, struct kl_error *err)
{
    struct kl_arena *m = &g->memory;
    const size_t all = replicas * g->most, back = replicas * g->s->batch;
    g->which = kl_arena_take(m, replicas, sizeof *g->which);
    g->place = kl_arena_take(m, replicas, sizeof *g->place);
    g->row = kl_arena_take(m, g->s->set.n, sizeof *g->row);
    g->rows = kl_arena_take(m, all, sizeof *g->rows);
    g->labels = kl_arena_take(m, all, sizeof *g->labels);
    g->replica = kl_arena_take(m, replicas, sizeof *g->replica);
    g->given = kl_arena_take(m, replicas * g->given_size, sizeof *g->given);
    g->by_given = kl_arena_take(m, replicas * g->given_size, sizeof *g->by_given);
    g->sum = kl_arena_take(m, all * g->outputs, sizeof *g->sum);
    g->by_sum = kl_arena_take(m, back * g->outputs, sizeof *g->by_sum);
    g->logits = kl_arena_take(m, all * g->s->set.n_classes, sizeof *g->logits);
    g->works = kl_arena_take(m, replicas * g->work, 1);
    g->loss = kl_arena_take(m, replicas, sizeof *g->loss);
    g->correct = kl_arena_take(m, replicas, sizeof *g->correct);
    if (g->which && g->place && g->row && g->rows && g->labels && g->replica && g->given &&
        g->by_given && g->sum && g->by_sum && g->logits && g->works && g->loss && g->correct) {
        memset(g->works, 0, replicas * g->work);
        return KL_OK;
    }
    return kl_fail_memory(err, replicas * (g->work + 2 * g->given_size * sizeof *g->given));
}

/* Whose windows are whose, of a batch of g->count: ranks take whole units of the tree, one each where
   they are as many as its subtrees at some depth. */
static void share(struct kl_sequence_gpu_run *g)
{
    const size_t ranks = g->ranks ? g->ranks->count : 1;
    size_t parts = g->s->parts, from, to;
    while (parts > g->count) parts /= 2;
    g->units = ranks & (ranks - 1) || ranks > parts ? parts : ranks;
    kl_store_ranks_share(g->ranks, g->units, &from, &to);
    const size_t each = parts / g->units;
    g->parts = (struct kl_cuda_windows_parts){ .all = (int32_t)g->count,
                                               .n = (int32_t)parts,
                                               .first = (int32_t)(from * each),
                                               .each = (int32_t)each,
                                               .units = (int32_t)(to - from) };
    for (size_t i = 0; i <= ranks; i++)
        g->ends[i] = kl_cuda_windows_part(&g->parts, g->units * i / ranks * each);
}
static size_t own_first(const struct kl_sequence_gpu_run *g)
{
    return g->ends[g->ranks ? g->ranks->index : 0];
}
static size_t own_end(const struct kl_sequence_gpu_run *g)
{
    return g->ends[g->ranks ? g->ranks->index + 1 : 1];
}
/* The most of a batch of up to `most` windows, and of units. */
static size_t most_own(struct kl_sequence_gpu_run *g, size_t most)
{
    size_t own = 0;
    for (g->count = 1; g->count <= most; g->count++) {
        share(g);
        if (own_end(g) - own_first(g) > own) own = own_end(g) - own_first(g);
        if (g->ranks && g->parts.units > g->shape.units) g->shape.units = g->parts.units;
    }
    return own;
}

/* The windows that train and those that judge, in this order, as the CPU standardises them. */
static int send_windows(struct kl_sequence_gpu_run *g, struct kl_error *err)
{
    const struct kl_sequence_learner *s = g->s;
    struct kl_sequence_worker *w = &s->workers[0];
    size_t at = 0;
    int code = KL_OK;
    for (int part = KL_SEQUENCE_TRAIN; part <= KL_SEQUENCE_VALIDATION; part++)
        for (size_t i = 0, n; i < s->split.n[part] && !code; i += n, at += n) {
            const size_t left = s->split.n[part] - i;
            const int64_t *windows = s->split.part[part] + i;
            n = left < s->room ? left : s->room;
            for (size_t k = 0; k < n; k++) g->row[windows[k]] = (int32_t)(at + k);
            code = kl_sequence_learner_copy(w, s, windows, n, err);
            if (!code) code = g->calls->put(g->windows, at, w->x, n, err);
        }
    return code;
}

/* All have as many replicas at once on their GPUs as the fullest has room for. */
static int meet(struct kl_sequence_gpu_run *g, size_t most, size_t back, struct kl_error *err)
{
    uint64_t sides[KL_RANKS_MOST];
    struct kl_arena *m = &g->memory;
    sides[g->ranks->index] = g->side;
    int code = kl_store_ranks_gather(g->ranks, sides, g->ranks->count, sizeof *sides, err);
    for (size_t i = 0; i < g->ranks->count && !code; i++)
        if (sides[i] < g->side) g->side = sides[i];
    g->own_rows = kl_arena_take(m, g->side * most, sizeof *g->own_rows);
    g->all_sums = kl_arena_take(m, g->side * g->most * g->outputs, sizeof *g->all_sums);
    g->own_by_sum = kl_arena_take(m, g->side * back * g->outputs, sizeof *g->own_by_sum);
    g->totals = kl_arena_take(m, g->s->parts * g->side * g->given_size, sizeof *g->totals);
    if (code || (g->own_rows && g->all_sums && g->own_by_sum && g->totals)) return code;
    return kl_fail_memory(err, g->s->parts * g->side * g->given_size * sizeof *g->totals);
}

static int begin(struct kl_train *train, struct kl_error *err)
{
    struct kl_sequence_learner *s = train->learner->context;
    const size_t replicas = (size_t)train->options.replicas, held = s->split.n[KL_SEQUENCE_VALIDATION],
                 judged = held < JUDGED ? held : JUDGED, all = s->split.n[KL_SEQUENCE_TRAIN] + held;
    struct kl_sequence_gpu_run *g = s->gpu = calloc(1, sizeof *g);
    if (!g) return kl_fail_memory(err, sizeof *g);
    g->s = s, g->train = train, g->ranks = train->options.ranks;
    g->most = s->batch > judged ? s->batch : judged;
    int code = kl_arena_init(&g->memory, 0, err);
    if (!code) code = s->net.model->gpu->shape(&g->shape, &s->net, &g->memory, err);
    if (code) return code;
    g->shape.seed = s->v->train.options.seed;
    const bool scans = g->shape.kind == KL_CUDA_WINDOW_SCANS;
    g->calls = scans ? s->device.cuda->scans : s->device.cuda->windows;
    g->given_size = kl_cuda_windows_given(&g->shape);
    g->outputs = kl_cuda_windows_outputs(&g->shape);
    g->work = (s->net.model->gpu->work(&s->net) + 63) / 64 * 64;
    g->shape.timed = s->timed, g->shape.whole = (int32_t)s->batch;
    const size_t most = most_own(g, g->most), back = most_own(g, s->batch);
    code = take(g, replicas, err);
    if (code) return code;
    for (g->side = replicas;; g->side = (g->side + 1) / 2) {
        code = g->calls->open(&g->windows, &g->shape, all, g->side, most, back, s->device.number, err);
        if (code != KL_ENOMEM || g->side == 1) break;
    }
    if (!code && g->ranks) code = meet(g, most, back, err);
    if (code) return code;
    kl_device_say_some(s->log, g->side, replicas, "replicas");
    kl_device_say_some(s->log, g->calls->at_once(g->windows), back, "windows of a step");
    return send_windows(g, err);
}

static void end(struct kl_train *train)
{
    struct kl_sequence_learner *s = train->learner->context;
    struct kl_sequence_gpu_run *g = s->gpu;
    if (!g) return;
    if (g->windows) g->calls->close(&g->windows);
    kl_arena_free(&g->memory);
    free(g);
    s->gpu = NULL;
}

/* ---- a batch ---- */
static void find_replicas(struct kl_sequence_gpu_run *g)
{
    g->n = 0;
    for (int64_t r = 0; r < g->train->options.replicas; r++) {
        if (g->train->replicas[r].stopped_epoch >= 0) continue;
        g->place[r] = g->n, g->which[g->n] = (size_t)r;
        g->replica[g->n++] = (uint32_t)(g->train->options.first_replica + r);
    }
}

static const float *params_of(const struct kl_sequence_gpu_run *g, size_t i)
{
    return g->train->replicas[g->which[i]].params;
}

static void prepare_one(void *context, size_t i, int thread)
{
    struct kl_sequence_gpu_run *g = context;
    (void)thread;
    g->s->net.model->gpu->prepare(g->given + i * g->given_size, g->works + i * g->work, &g->s->net,
                                  params_of(g, i));
}

/* Replica i of those that the GPU had. */
static void read_one(void *context, size_t i, int thread)
{
    struct kl_sequence_gpu_run *g = context;
    i += g->first;
    const size_t at = i * g->count;
    const struct kl_sequence_batch_f32 batch = { .labels = g->labels + at,
                                                 .scale = g->scale,
                                                 .n = g->count,
                                                 .training = g->back,
                                                 .seed = g->shape.seed,
                                                 .step = g->step,
                                                 .replica = g->replica[i] };
    struct kl_sequence_result_f32 result = { .logits = g->logits + at * g->s->set.n_classes };
    (void)thread;
    g->s->net.model->gpu->read(&result, g->back ? g->by_sum + at * g->outputs : NULL,
                               g->works + i * g->work, &g->s->net, g->sum + at * g->outputs, &batch);
    g->loss[i] = result.loss, g->correct[i] = result.correct;
}

/* The count next windows of replica i of those that train on. */
static void choose(struct kl_sequence_gpu_run *g, size_t i, const int64_t *windows)
{
    for (size_t k = 0; k < g->count; k++) {
        g->rows[i * g->count + k] = g->row[windows[k]];
        g->labels[i * g->count + k] = g->s->set.labels[windows[k]];
    }
}

/* Of n replicas the items of a batch's windows [from, to), of (n, count), one replica's behind the
 * other. */
static void pack(void *own, const void *all, size_t n, size_t count, size_t from, size_t to, size_t size)
{
    const size_t bytes = (to - from) * size;
    for (size_t i = 0; i < n && bytes; i++)
        memcpy((char *)own + i * bytes, (const char *)all + (i * count + from) * size, bytes);
}
static void unpack(void *all, const void *own, size_t n, size_t count, size_t from, size_t to,
                   size_t size)
{
    const size_t bytes = (to - from) * size;
    for (size_t i = 0; i < n && bytes; i++)
        memcpy((char *)all + (i * count + from) * size, (const char *)own + i * bytes, bytes);
}

/* The sums of all windows of a batch, of which each rank has its share. */
static int go_forward(struct kl_sequence_gpu_run *g, struct kl_cuda_windows_batch *batch,
                      struct kl_error *err)
{
    float *const sum = g->sum + g->first * g->count * g->outputs;
    const size_t size = batch->n * g->outputs;
    size_t ends[KL_RANKS_MOST + 1];
    if (g->ranks) {
        pack(g->own_rows, batch->rows, batch->n, g->count, own_first(g), own_end(g),
             sizeof *g->own_rows);
        batch->rows = g->own_rows, batch->count = own_end(g) - own_first(g);
    }
    const double start = kl_clock();
    int code =
        g->calls->forward(g->windows, g->ranks ? g->all_sums + own_first(g) * size : sum, batch, err);
    g->called += kl_clock() - start;
    if (code || !g->ranks) return code;
    for (size_t i = 0; i <= g->ranks->count; i++) ends[i] = g->ends[i] * size * sizeof *sum;
    code = kl_store_ranks_gather_bytes(g->ranks, g->all_sums, ends, err);
    for (size_t i = 0; i < g->ranks->count && !code; i++)
        unpack(sum, g->all_sums + g->ends[i] * size, batch->n, g->count, g->ends[i], g->ends[i + 1],
               g->outputs * sizeof *sum);
    return code;
}

/* The tree of replica i's units to its end. */
static void add_units(void *context, size_t i, int thread)
{
    const struct kl_sequence_gpu_run *g = context;
    const size_t size = g->given_size, unit = g->unit;
    double *sum = g->totals + i * size;
    float *to = g->by_given + (g->first + i) * size;
    (void)thread;
    for (size_t width = 1; width < g->units; width *= 2)
        for (size_t u = 0; u < g->units; u += 2 * width)
            for (size_t k = 0; k < size; k++) sum[u * unit + k] += sum[(u + width) * unit + k];
    for (size_t k = 0; k < size; k++) to[k] = (float)sum[k];
}

static int go_back(struct kl_sequence_gpu_run *g, size_t n, struct kl_pool *pool, struct kl_error *err)
{
    const float *by_sum = g->by_sum + g->first * g->count * g->outputs;
    float *const by_given = g->by_given + g->first * g->given_size;
    size_t from, to;
    kl_store_ranks_share(g->ranks, g->units, &from, &to);
    g->unit = n * g->given_size;
    if (g->ranks) {
        pack(g->own_by_sum, by_sum, n, g->count, own_first(g), own_end(g), g->outputs * sizeof *by_sum);
        by_sum = g->own_by_sum;
    }
    const double start = kl_clock();
    int code =
        g->calls->back(g->windows, by_given, g->ranks ? g->totals + from * g->unit : NULL, by_sum, err);
    g->called += kl_clock() - start;
    if (code || !g->ranks) return code;
    code = kl_store_ranks_gather(g->ranks, g->totals, g->units, g->unit * sizeof *g->totals, err);
    if (!code) kl_pool_for(pool, n, add_units, g);
    return code;
}

/* Forward, and of training back: as many replicas at once as the GPU has room for. */
static int pass(struct kl_sequence_gpu_run *g, uint32_t step, bool training, struct kl_pool *pool,
                struct kl_error *err)
{
    int code = KL_OK;
    g->step = step, g->back = training, g->scale = training ? 1 / (double)g->count : 1;
    share(g);
    for (g->first = 0; g->first < g->n && !code; g->first += g->side) {
        const size_t left = g->n - g->first, at = g->first * g->count;
        struct kl_cuda_windows_batch batch = { .n = left < g->side ? left : g->side,
                                               .count = g->count,
                                               .parts = g->parts,
                                               .rows = g->rows + at,
                                               .given = g->given + g->first * g->given_size,
                                               .replica = g->replica + g->first,
                                               .step = step,
                                               .training = training };
        code = go_forward(g, &batch, err);
        if (!code) kl_pool_for(pool, batch.n, read_one, g);
        if (!code && training) code = go_back(g, batch.n, pool, err);
    }
    return code;
}

static int steps(int64_t *count, struct kl_train *train, struct kl_pool *pool, struct kl_error *err)
{
    const struct kl_sequence_learner *s = train->learner->context;
    struct kl_sequence_gpu_run *g = s->gpu;
    const size_t all = s->split.n[KL_SEQUENCE_TRAIN], first = (size_t)train->step * s->batch,
                 left = all - first;
    const uint64_t number = (uint64_t)(train->epoch * train->learner->steps_per_epoch + train->step);
    *count = 1;
    find_replicas(g);
    g->count = left < s->batch ? left : s->batch;
    for (size_t i = 0; i < g->n; i++) choose(g, i, s->order + g->which[i] * all + first);
    kl_pool_for(pool, g->n, prepare_one, g);
    const int code = pass(g, (uint32_t)number, true, pool, err);
    return code ? code : kl_train_update(train, pool, err);
}

void kl_sequence_gpu_gradient(float *grad, double *loss, double *correct,
                              const struct kl_sequence_learner *s, size_t replica)
{
    const struct kl_sequence_gpu_run *g = s->gpu;
    const size_t i = g->place[replica];
    s->net.model->gpu->finish(grad, g->works + i * g->work, &s->net, params_of(g, i),
                              g->by_given + i * g->given_size);
    *loss = g->loss[i], *correct = (double)g->correct[i];
}

void kl_sequence_gpu_seconds(double *called, double *computed, const struct kl_sequence_learner *s)
{
    *called = s->gpu->called, *computed = s->gpu->calls->seconds(s->gpu->windows);
}

static int judge(struct kl_train *train, struct kl_pool *pool, struct kl_error *err)
{
    const struct kl_sequence_learner *s = train->learner->context;
    struct kl_sequence_gpu_run *g = s->gpu;
    const size_t all = s->split.n[KL_SEQUENCE_VALIDATION];
    int code = KL_OK;
    find_replicas(g);
    if (!all) return code;
    for (size_t i = 0; i < g->n; i++)
        for (int k = KL_SEQUENCE_VAL_LOSS; k <= KL_SEQUENCE_VAL_ACCURACY; k++)
            train->replicas[g->which[i]].history[k][train->epoch] = 0;
    kl_pool_for(pool, g->n, prepare_one, g);
    for (size_t from = 0; from < all && !code; from += g->count) {
        g->count = all - from < g->most ? all - from : g->most;
        for (size_t i = 0; i < g->n; i++) choose(g, i, s->split.part[KL_SEQUENCE_VALIDATION] + from);
        code = pass(g, 0, false, pool, err);
        for (size_t i = 0; i < g->n && !code; i++) {
            double **to = train->replicas[g->which[i]].history;
            to[KL_SEQUENCE_VAL_LOSS][train->epoch] += g->loss[i] / (double)all;
            to[KL_SEQUENCE_VAL_ACCURACY][train->epoch] += (double)g->correct[i] / (double)all;
        }
    }
    return code;
}

/* The loop has all that there is. */
static int fetch(struct kl_train *train, struct kl_error *err)
{
    (void)train, (void)err;
    return KL_OK;
}

const struct kl_train_device kl_sequence_gpu_device = { begin, steps, judge, fetch, end };
