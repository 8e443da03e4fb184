/* SPDX-License-Identifier: MIT
   Networks side by side on a GPU (kernels/cuda.h), each a training of one replica (lib/train) that is
   not run: the GPU trains and judges an epoch of each, what follows from it and the order of rows are
   made here. */
#include <stdlib.h>
#include <string.h>

#include "kernels/cuda.h"
#include "kernels/device.h"
#include "nn/nn.h"
#include "qrng/classify/classify_int.h"

struct place {
    const struct kl_network_options *o;
    struct kl_network_run *run; /* NULL: nobody is there */
    struct kl_learner learner;
    struct kl_train train;
    const int64_t *training;
    size_t n_training, n_judging;
    uint64_t seed;
    bool keep; /* the last epoch was the best, which the GPU does not know yet */
};

struct kl_network_gpu {
    const struct kl_network_options *o;
    const struct kl_samples *samples;
    const struct kl_cuda *cuda;
    struct kl_cuda_mlps *mlps;
    struct kl_pool *pool;
    struct kl_arena memory;
    size_t n_places, n_live;
    struct place *places;
    size_t *live;                       /* [n_live] places of an epoch */
    struct kl_cuda_mlp_epoch *epochs;   /* of the live ones */
    struct kl_cuda_mlp_result *results; /* of the live ones */
    int32_t *order;                     /* [places, rows] of each place's next epoch */
    int64_t *drawn;                     /* [threads, rows] */
    int32_t *judging;                   /* [rows] */
    uint8_t *labels;                    /* [rows] */
};

/* Set Adam's constants, and the factors of those steps in which they still change. */
static int set_adam(struct kl_cuda_mlp *shape, const struct kl_network_gpu *c, struct kl_error *err)
{
    enum { MOST = 1 << 16 };
    struct kl_optimizer optimizer;
    kl_nn_optimizer_default(&optimizer);
    optimizer.weight_decay = c->o->weight_decay;
    float *rate = malloc(2 * MOST * sizeof *rate);
    if (!rate) return kl_fail_memory(err, 2 * MOST * sizeof *rate);
    float *root = rate + MOST;
    shape->rate = rate, shape->root = root;
    for (size_t t = 0; t < MOST; t++) {
        const struct kl_adam_factors f = kl_nn_update_at(&optimizer, 1, t + 1).adam;
        rate[t] = (float)f.rate, root[t] = (float)f.root;
        shape->n_steps = t + 1;
        shape->adam = (struct kl_cuda_factors){ .decay = (float)f.decay,
                                                .shrink = (float)f.shrink,
                                                .beta1 = (float)f.beta1,
                                                .rest1 = (float)(1 - f.beta1),
                                                .beta2 = (float)f.beta2,
                                                .rest2 = (float)(1 - f.beta2),
                                                .epsilon = (float)f.epsilon };
        if (rate[t] == 1 && root[t] == 1) break;
    }
    return KL_OK;
}

static int open_on_gpu(struct kl_network_gpu *c, size_t *n_places, int device, struct kl_error *err)
{
    const struct kl_network_options *o = c->o;
    struct kl_cuda_mlp shape = { .net = o->net,
                                 .batch = (int32_t)o->batch,
                                 .threshold = kl_nn_dropout_threshold(o->dropout),
                                 .keep_scale = (float)kl_nn_dropout_scale(o->dropout),
                                 .l1 = (float)o->l1,
                                 .clip = (float)o->clip,
                                 .rows = c->samples->rows,
                                 .n_rows = c->samples->n,
                                 .stride = c->samples->stride,
                                 .packed = c->samples->packed };
    int code = set_adam(&shape, c, err);
    if (!code) code = c->cuda->mlps->open(&c->mlps, n_places, &shape, device, err);
    free((float *)shape.rate);
    return code;
}

static int take_memory(struct kl_network_gpu *c, struct kl_error *err)
{
    const size_t n = c->n_places, rows = c->samples->n;
    c->places = kl_arena_take(&c->memory, n, sizeof *c->places);
    c->live = kl_arena_take(&c->memory, n, sizeof *c->live);
    c->epochs = kl_arena_take(&c->memory, n, sizeof *c->epochs);
    c->results = kl_arena_take(&c->memory, n, sizeof *c->results);
    c->order = kl_arena_take(&c->memory, n * rows, sizeof *c->order);
    c->drawn = kl_arena_take(&c->memory, (size_t)kl_pool_size(c->pool) * rows, sizeof *c->drawn);
    c->judging = kl_arena_take(&c->memory, rows, sizeof *c->judging);
    c->labels = kl_arena_take(&c->memory, rows, sizeof *c->labels);
    if (!c->places || !c->live || !c->epochs || !c->results || !c->order || !c->drawn || !c->judging ||
        !c->labels)
        return kl_fail_memory(err, n * rows * sizeof *c->order);
    memset(c->places, 0, n * sizeof *c->places);
    return KL_OK;
}

int kl_classify_network_gpu_open(struct kl_network_gpu **gpu, size_t *n_places,
                                 const struct kl_network_options *o, const struct kl_samples *samples,
                                 const struct kl_device *device, struct kl_pool *pool,
                                 struct kl_error *err)
{
    struct kl_network_gpu *c = *gpu = calloc(1, sizeof *c);
    if (!c) return kl_fail_memory(err, sizeof *c);
    c->o = o, c->samples = samples, c->cuda = device->cuda, c->pool = pool;
    int code = kl_arena_init(&c->memory, 0, err);
    if (!code) code = open_on_gpu(c, n_places, device->number, err);
    c->n_places = *n_places;
    if (!code) code = take_memory(c, err);
    if (code) kl_classify_network_gpu_close(gpu);
    return code;
}

static void draw_order(struct kl_network_gpu *c, size_t place, int64_t epoch, int64_t *drawn)
{
    const struct place *p = &c->places[place];
    int32_t *order = c->order + place * c->samples->n;
    kl_nn_shuffle(drawn, p->training, p->n_training, p->seed, (uint32_t)epoch);
    for (size_t i = 0; i < p->n_training; i++) order[i] = (int32_t)drawn[i];
}

static void init(void *context, void *params, int64_t replica)
{
    const struct place *p = context;
    (void)params, (void)replica;
    kl_classify_network_draw(p->run->params, p->o, p->seed);
}

int kl_classify_network_gpu_begin(struct kl_network_gpu *gpu, size_t place, struct kl_network_run *run,
                                  const int32_t *labels, const int64_t *training, size_t n_training,
                                  const int64_t *judging, size_t n_judging, uint64_t seed,
                                  uint32_t stream, struct kl_error *err)
{
    static const struct kl_block elsewhere; /* the GPU has the parameters */
    const struct kl_train_options options = kl_classify_network_train_options(gpu->o);
    struct place *p = &gpu->places[place];
    *p = (struct place){ .o = gpu->o,
                         .run = run,
                         .learner = kl_classify_network_learner(gpu->o, n_training),
                         .training = training,
                         .n_training = n_training,
                         .n_judging = n_judging,
                         .seed = kl_classify_network_seed(seed, stream) };
    p->learner.context = p, p->learner.block = &elsewhere, p->learner.init = init;
    const int code = kl_train_open(&p->train, &p->learner, &options, 1, err);
    if (code) return code;
    for (size_t i = 0; i < gpu->samples->n; i++) gpu->labels[i] = (uint8_t)labels[i];
    for (size_t i = 0; i < n_judging; i++) gpu->judging[i] = (int32_t)judging[i];
    draw_order(gpu, place, 0, gpu->drawn);
    return gpu->cuda->mlps->put(gpu->mlps, place, run->params, gpu->labels, gpu->judging, n_judging,
                                err);
}

/* Of the epoch after the one under way. */
static void draw_next(void *context, size_t i, int thread)
{
    struct kl_network_gpu *c = context;
    const size_t place = c->live[i];
    draw_order(c, place, c->places[place].train.epoch + 1, c->drawn + (size_t)thread * c->samples->n);
}

static void list_live(struct kl_network_gpu *c)
{
    c->n_live = 0;
    for (size_t i = 0; i < c->n_places; i++) {
        const struct place *p = &c->places[i];
        if (!p->run || kl_train_finished(&p->train)) continue;
        c->epochs[c->n_live] =
            (struct kl_cuda_mlp_epoch){ .run = (int32_t)i,
                                        .n_training = (int32_t)p->n_training,
                                        .keep = p->keep,
                                        .lr = (float)kl_classify_network_rate(&p->train),
                                        .seed = p->seed,
                                        .step =
                                            (uint64_t)(p->train.epoch * p->learner.steps_per_epoch) };
        c->live[c->n_live++] = i;
    }
}

static void judge(struct place *p, const struct kl_cuda_mlp_result *found)
{
    struct kl_replica *r = &p->train.replicas[0];
    const int64_t e = p->train.epoch;
    r->history[KL_NETWORK_TRAIN_LOSS][e] = found->loss / (double)p->learner.steps_per_epoch;
    r->history[KL_NETWORK_TRAIN_ACCURACY][e] = found->right / (double)p->n_training;
    r->history[KL_NETWORK_JUDGE_LOSS][e] = found->judged_loss / (double)p->n_judging;
    r->history[KL_NETWORK_JUDGE_ACCURACY][e] = found->judged_right / (double)p->n_judging;
    r->history[KL_NETWORK_RATE][e] = kl_classify_network_rate(&p->train);
    p->keep = kl_train_judge_epoch(&p->train, r);
    p->train.epoch++;
}

int kl_classify_network_gpu_epoch(struct kl_network_gpu *gpu, struct kl_error *err)
{
    list_live(gpu);
    int code = gpu->cuda->mlps->start(gpu->mlps, gpu->epochs, gpu->n_live, gpu->order, err);
    if (!code) kl_pool_for(gpu->pool, gpu->n_live, draw_next, gpu);
    if (!code) code = gpu->cuda->mlps->finish(gpu->mlps, gpu->results, err);
    for (size_t i = 0; i < gpu->n_live && !code; i++)
        judge(&gpu->places[gpu->live[i]], &gpu->results[i]);
    return code;
}

int kl_classify_network_gpu_take(bool *ended, struct kl_network_gpu *gpu, size_t place,
                                 struct kl_error *err)
{
    struct place *p = &gpu->places[place];
    *ended = p->run && kl_train_finished(&p->train);
    if (!*ended) return KL_OK;
    const int code =
        gpu->cuda->mlps->get(gpu->mlps, place, !(gpu->o->last || p->keep), p->run->params, err);
    kl_classify_network_result(p->run, &p->train);
    kl_train_close(&p->train);
    p->run = NULL;
    return code;
}

void kl_classify_network_gpu_close(struct kl_network_gpu **gpu)
{
    struct kl_network_gpu *c = *gpu;
    if (!c) return;
    if (c->mlps) c->cuda->mlps->close(&c->mlps);
    for (size_t i = 0; c->places && i < c->n_places; i++) kl_train_close(&c->places[i].train);
    kl_arena_free(&c->memory);
    free(c);
    *gpu = NULL;
}
