/* SPDX-License-Identifier: MIT
   The training loop's work on a GPU. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "head/gpu.h"
#include "head/train_int.h"

struct kl_head_gpu {
    struct kl_cuda_heads *heads;
    struct kl_arena memory; /* of the shape's arrays */
    struct kl_cuda_head shape;
    size_t n_sums; /* of a head */
    int32_t *order, *validation, *which;
    uint32_t *replica;
    struct kl_cuda_factors *factors; /* (replicas, KL_CUDA_STEPS) */
    double *sums;                    /* (replicas, n_sums) */
    float *loss;                     /* (replicas, validation samples) */
    uint8_t *right;
    double *val_loss, *val_accuracy; /* (replicas) */
};

static int take(struct kl_head_gpu *gpu, const struct kl_head_train *train, struct kl_error *err)
{
    const size_t n = (size_t)train->loop.options.replicas, rows = train->n_training,
                 held = train->n_validation;
    gpu->order = kl_arena_take(&gpu->memory, rows, sizeof *gpu->order);
    gpu->validation = kl_arena_take(&gpu->memory, held + 1, sizeof *gpu->validation);
    gpu->which = kl_arena_take(&gpu->memory, n, sizeof *gpu->which);
    gpu->replica = kl_arena_take(&gpu->memory, n, sizeof *gpu->replica);
    gpu->factors = kl_arena_take(&gpu->memory, n * KL_CUDA_STEPS, sizeof *gpu->factors);
    gpu->sums = kl_arena_take(&gpu->memory, n * gpu->n_sums, sizeof *gpu->sums);
    gpu->loss = kl_arena_take(&gpu->memory, n * held + 1, sizeof *gpu->loss);
    gpu->right = kl_arena_take(&gpu->memory, n * held + 1, sizeof *gpu->right);
    gpu->val_loss = kl_arena_take(&gpu->memory, n, sizeof *gpu->val_loss);
    gpu->val_accuracy = kl_arena_take(&gpu->memory, n, sizeof *gpu->val_accuracy);
    if (!gpu->order || !gpu->validation || !gpu->which || !gpu->replica || !gpu->factors || !gpu->sums ||
        !gpu->loss || !gpu->right || !gpu->val_loss || !gpu->val_accuracy)
        return kl_fail_memory(err, rows * sizeof *gpu->order);
    for (size_t i = 0; i < held; i++) gpu->validation[i] = (int32_t)train->validation[i];
    return KL_OK;
}

/* One line, when the GPU's memory is not enough for all at once. */
static void say_room(const struct kl_head_train *train)
{
    const struct kl_head_gpu *gpu = train->gpu;
    char slices[80] = "";
    int32_t slice;
    size_t chunk;
    train->device->cuda->heads->room(&slice, &chunk, gpu->heads);
    if (!train->log || (!slice && !chunk)) return;
    if (slice)
        snprintf(slices, sizeof slices, "batches of %d rows in slices of %d, ", (int)gpu->shape.batch,
                 (int)slice);
    kl_note(train->log, 1, "the GPU's memory is full: %sfeatures %s; the results are the same", slices,
            chunk ? "are streamed" : "stay there");
}

static int begin(struct kl_train *loop, struct kl_error *err)
{
    struct kl_head_train *train = loop->learner->context;
    const struct kl_features *f = train->features;
    const struct kl_cuda *cuda = train->device->cuda;
    struct kl_train_options o = train->loop.options;
    struct kl_head_gpu *gpu = train->gpu = calloc(1, sizeof *gpu);
    if (!gpu) return kl_fail_memory(err, sizeof *gpu);
    o.batch_size = (int64_t)kl_head_batch_size(train);
    int code = kl_arena_init(&gpu->memory, 0, err);
    if (!code) code = kl_head_gpu_shape(&gpu->shape, train->model, &o, &gpu->memory, err);
    gpu->n_sums = 2 + (size_t)gpu->shape.n_groups;
    if (!code) code = take(gpu, train, err);
    if (!code)
        code = cuda->heads->open(&gpu->heads, &gpu->shape, (size_t)o.replicas, f->x, f->labels, f->n,
                                 train->device->number, err);
    for (int64_t r = 0; r < o.replicas && !code; r++)
        code = cuda->heads->put(gpu->heads, (size_t)r, train->loop.replicas[r].params,
                                train->loop.replicas[r].m, train->loop.replicas[r].v, err);
    if (!code) say_room(train);
    return code;
}

static struct kl_cuda_factors factors_at(struct kl_head_train *train, struct kl_replica *r, int64_t step)
{
    const struct kl_crew crew = { .train = &train->loop, .replica = r };
    const struct kl_update u = kl_train_step_at(&crew, step).update;
    if (u.kind == KL_SGD)
        return (struct kl_cuda_factors){ .decay = (float)u.sgd.decay,
                                         .beta1 = (float)u.sgd.momentum,
                                         .rest1 = 1,
                                         .rate = (float)u.sgd.rate };
    return (struct kl_cuda_factors){ .decay = (float)u.adam.decay,
                                     .shrink = (float)u.adam.shrink,
                                     .beta1 = (float)u.adam.beta1,
                                     .rest1 = (float)(1 - u.adam.beta1),
                                     .beta2 = (float)u.adam.beta2,
                                     .rest2 = (float)(1 - u.adam.beta2),
                                     .rate = (float)u.adam.rate,
                                     .root = (float)u.adam.root,
                                     .epsilon = (float)u.adam.epsilon };
}

/* Of `count` steps; those of the replica before it stand before them, and mostly are the same: powers
   are dear for hundreds of replicas, which a GPU waits for. */
static void factors_of(struct kl_cuda_factors *factors, struct kl_head_train *train,
                       struct kl_replica *r, int64_t count, const struct kl_replica *before)
{
    if (before && before->reductions == r->reductions)
        memcpy(factors, factors - count, (size_t)count * sizeof *factors);
    else
        for (int64_t i = 0; i < count; i++) factors[i] = factors_at(train, r, train->loop.step + i);
}

/* The epoch's sums of a replica, to the GPU's array, where the loss comes first, or back from it. */
static void exchange(double *sums, const struct kl_head_gpu *gpu, struct kl_replica *r, bool back)
{
    for (size_t i = 0; i < gpu->n_sums; i++) {
        const size_t own = i == 0 ? KL_HEAD_LOSS : i == 1 ? KL_HEAD_CORRECT : KL_HEAD_NORMS + i - 2;
        *(back ? &r->sums[own] : &sums[i]) = back ? sums[i] : r->sums[own];
    }
}

/* The replicas that train on, and what their steps need. */
static size_t prepare(struct kl_head_gpu *gpu, struct kl_head_train *train, int64_t count)
{
    size_t n = 0;
    for (int64_t r = 0; r < train->loop.options.replicas; r++) {
        struct kl_replica *replica = &train->loop.replicas[r];
        if (replica->stopped_epoch >= 0) continue;
        gpu->which[n] = (int32_t)r;
        gpu->replica[n] = (uint32_t)(train->loop.options.first_replica + r);
        factors_of(gpu->factors + (int64_t)n * count, train, replica, count,
                   n ? &train->loop.replicas[gpu->which[n - 1]] : NULL);
        exchange(gpu->sums + n * gpu->n_sums, gpu, replica, false);
        n++;
    }
    return n;
}

static int steps_on_gpu(int64_t *count, struct kl_train *loop, struct kl_error *err)
{
    struct kl_head_train *train = loop->learner->context;
    struct kl_head_gpu *gpu = train->gpu;
    const int64_t left = train->learner.steps_per_epoch - train->loop.step;
    *count = left < KL_CUDA_STEPS ? left : KL_CUDA_STEPS; /* then the watch is asked */
    for (size_t i = 0; i < train->n_training; i++) gpu->order[i] = (int32_t)train->order[i];
    const size_t n = prepare(gpu, train, *count);
    const struct kl_cuda_steps steps = {
        .n = n,
        .n_rows = train->n_training,
        .which = gpu->which,
        .replica = gpu->replica,
        .order = gpu->order,
        .first = train->loop.step,
        .count = *count,
        .number = (uint32_t)(train->loop.epoch * train->learner.steps_per_epoch + train->loop.step),
        .factors = gpu->factors,
        .sums = gpu->sums,
    };
    int code = train->device->cuda->heads->steps(gpu->heads, &steps, err);
    if (code) return code;
    for (size_t i = 0; i < n; i++)
        exchange(gpu->sums + i * gpu->n_sums, gpu, &train->loop.replicas[gpu->which[i]], true);
    return KL_OK;
}

/* Loss and accuracy of replica r, the i-th that was judged; sums in the samples' order. */
static void judged(struct kl_head_gpu *gpu, size_t r, size_t i, size_t n)
{
    double loss = 0;
    size_t right = 0;
    for (size_t k = i * n; k < (i + 1) * n; k++) loss += (double)gpu->loss[k], right += gpu->right[k];
    gpu->val_loss[r] = loss / (double)n;
    gpu->val_accuracy[r] = (double)right / (double)n;
}

static int judge(struct kl_train *loop, struct kl_error *err)
{
    struct kl_head_train *train = loop->learner->context;
    struct kl_head_gpu *gpu = train->gpu;
    const struct kl_cuda_heads_calls *calls = train->device->cuda->heads;
    const struct kl_cuda_judged to = { .loss = gpu->loss, .right = gpu->right };
    size_t n = 0;
    int code = KL_OK;
    for (int64_t r = 0; r < train->loop.options.replicas && !code; r++) {
        if (train->loop.replicas[r].stopped_epoch >= 0) continue;
        gpu->which[n++] = (int32_t)r;
        code = calls->get(gpu->heads, (size_t)r, train->loop.replicas[r].params, NULL, NULL, err);
    }
    if (code || !n || !train->n_validation) return code;
    code = calls->judge(gpu->heads, &to, gpu->which, n, gpu->validation, train->n_validation, err);
    for (size_t i = 0; i < n && !code; i++) judged(gpu, (size_t)gpu->which[i], i, train->n_validation);
    return code;
}

void kl_head_gpu_validation(double *loss, double *accuracy, const struct kl_head_train *train,
                            size_t replica)
{
    *loss = train->gpu->val_loss[replica];
    *accuracy = train->gpu->val_accuracy[replica];
}

static int fetch(struct kl_train *loop, struct kl_error *err)
{
    struct kl_head_train *train = loop->learner->context;
    int code = KL_OK;
    for (int64_t i = 0; i < train->loop.options.replicas && !code; i++) {
        struct kl_replica *r = &train->loop.replicas[i];
        if (r->stopped_epoch < 0)
            code = train->device->cuda->heads->get(train->gpu->heads, (size_t)i, r->params, r->m, r->v,
                                                   err);
    }
    return code;
}

static void end(struct kl_train *loop)
{
    struct kl_head_train *train = loop->learner->context;
    if (!train->gpu) return;
    if (train->gpu->heads) train->device->cuda->heads->close(&train->gpu->heads);
    kl_arena_free(&train->gpu->memory);
    free(train->gpu);
    train->gpu = NULL;
}

const struct kl_train_device kl_head_gpu_device = { begin, steps_on_gpu, judge, fetch, end };
