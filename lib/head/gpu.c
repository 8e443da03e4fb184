/* SPDX-License-Identifier: MIT
   A head on a GPU: its model's layers in a row, the training loop's work, the logits of a trained head.
 */
#include "circuit/circuit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "head/gpu.h"
#include "head/head_int.h"

static int refuse(const char *what, struct kl_error *err)
{
    return kl_fail(err, KL_EUSAGE, "%s: not on a GPU; give --device cpu", what);
}

int kl_head_gpu_check(const struct kl_head_model *model, const struct kl_train_options *o,
                      struct kl_error *err)
{
    const enum kl_optimizer_kind kind = o->optimizer.kind;
    struct kl_cuda_head shape;
    struct kl_arena memory;
    if (model->options.grow) return refuse("--grow", err);
    if (model->options.shots) return refuse("--shots", err);
    if (model->options.diff != KL_DIFF_ADJOINT) return refuse("--diff-method other than adjoint", err);
    if (kind != KL_SGD && kind != KL_ADAM && kind != KL_ADAMW)
        return refuse("--optimizer other than adam, adamw or sgd", err);
    int code = kl_arena_init(&memory, 0, err);
    if (!code) code = kl_head_gpu_shape(&shape, model, o, &memory, err);
    kl_arena_free(&memory);
    return code;
}

static struct kl_cuda_layer *next(struct kl_cuda_head *s)
{
    struct kl_cuda_layer *l = &s->layers[s->n_layers++];
    *l = (struct kl_cuda_layer){ .group = s->n_groups };
    return l;
}

/* One chain of linear layers. first: number of its first stream of dropout. */
static void add_chain(struct kl_cuda_head *s, const struct kl_head_model *model,
                      const struct kl_layer *layers, int n, int first)
{
    static const int32_t acts[] = {
        [KL_ACT_NONE] = KL_CUDA_NONE, [KL_ACT_RELU] = KL_CUDA_RELU, [KL_ACT_TANH] = KL_CUDA_TANH
    };
    for (int i = 0; i < n; i++) {
        const struct kl_layer *from = &layers[i];
        struct kl_cuda_layer *l = next(s);
        l->kind = KL_CUDA_LINEAR;
        l->d_in = (int32_t)from->d_in, l->d_out = (int32_t)from->d_out;
        l->act = acts[from->act];
        l->dropout = from->dropout ? first + i + 1 : 0;
        l->weight = (int32_t)model->block.tensors[from->weight].offset;
        l->bias = (int32_t)model->block.tensors[from->bias].offset;
        s->n_groups++;
    }
}

static int add_circuit(struct kl_cuda_head *s, const struct kl_head_model *model,
                       struct kl_arena *memory, struct kl_error *err)
{
    const struct kl_circuit *c = model->circuit;
    int code = kl_circuit_for_cuda(&s->circuit, c, memory, err);
    if (code) return code;
    int32_t *group = kl_arena_take(memory, c->n_weights + 1, sizeof *group);
    if (!group) return kl_fail_memory(err, c->n_weights * sizeof *group);
    const size_t groups = c->n_layers ? c->n_layers : 1;
    for (size_t w = 0, g = 0; w < c->n_weights; w++) {
        while (g < c->n_layers && w >= c->layer_ends[g]) g++;
        group[w] = g < groups ? (int32_t)g : -1; /* learnable scales */
    }
    struct kl_cuda_layer *l = next(s);
    l->kind = KL_CUDA_QUANTUM;
    l->d_in = (int32_t)model->n_angles, l->d_out = (int32_t)model->n_expval;
    l->act = KL_CUDA_NONE;
    l->weight = (int32_t)model->block.tensors[model->vqc].offset;
    s->weight_group = group;
    s->frozen = model->options.core == KL_CORE_FROZEN;
    s->circuit_groups = (int32_t)groups;
    if (!s->frozen) s->n_groups += s->circuit_groups;
    return KL_OK;
}

/* Mark the entries of its tensors that a twin lacks. */
static int mark_absent(struct kl_cuda_head *s, const struct kl_head_model *model,
                       struct kl_arena *memory, struct kl_error *err)
{
    const size_t size = model->block.size;
    if (!model->n_twin) return KL_OK;
    float *there = kl_arena_take(memory, size, sizeof *there);
    uint8_t *absent = kl_arena_take(memory, size, 1);
    if (!there || !absent) return kl_fail_memory(err, size * sizeof *there);
    for (size_t i = 0; i < size; i++) there[i] = 1;
    for (size_t i = 0; i < kl_head_n_parts(model); i++) {
        const struct kl_head_part part = kl_head_part(model, i);
        if (part.chain == KL_CHAIN_TWIN) kl_head_twin_mask_f32(there, model, &part);
    }
    for (size_t i = 0; i < size; i++) absent[i] = there[i] == 0;
    s->absent = absent;
    return KL_OK;
}

int kl_head_gpu_shape(struct kl_cuda_head *s, const struct kl_head_model *model,
                      const struct kl_train_options *o, struct kl_arena *memory, struct kl_error *err)
{
    const double rate = model->options.dropout;
    const int n = model->n_reduce + model->n_twin + model->n_head + (model->circuit != NULL);
    *s = (struct kl_cuda_head){ .n_features = (int32_t)model->n_features,
                                .n_classes = (int32_t)model->n_classes,
                                .batch = 1,
                                .threshold = rate > 0 ? kl_nn_dropout_threshold(rate) : 0,
                                .keep_scale = (float)kl_nn_dropout_scale(rate),
                                .block = model->block.size };
    if (n > KL_CUDA_LAYERS || model->block.size > INT32_MAX) return refuse("so large a head", err);
    if (o) {
        if (o->batch_size > 1 << 16) return refuse("--batch-size above 65536", err);
        s->batch = (int32_t)o->batch_size;
        s->rule = o->optimizer.kind == KL_SGD ? KL_CUDA_SGD : KL_CUDA_ADAM;
        s->clip = (float)o->optimizer.clip;
        s->seed = o->seed;
    }
    add_chain(s, model, model->reduce, model->n_reduce, 0);
    add_chain(s, model, model->twin, model->n_twin, 0);
    int code = mark_absent(s, model, memory, err);
    if (!code && model->circuit) code = add_circuit(s, model, memory, err);
    add_chain(s, model, model->head, model->n_head, KL_MAX_WIDTHS + 1);
    return code;
}

/* ---- The training loop's work on a GPU ---- */

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

static int steps_on_gpu(int64_t *count, struct kl_train *loop, struct kl_pool *pool,
                        struct kl_error *err)
{
    (void)pool;
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

static int judge(struct kl_train *loop, struct kl_pool *pool, struct kl_error *err)
{
    (void)pool;
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

/* ---- The logits of a trained head on a GPU ---- */

int kl_head_gpu_logits(float *logits, const struct kl_head *head, const float *x, size_t n,
                       const struct kl_device *device, struct kl_error *err)
{
    const struct kl_cuda *cuda = device->cuda;
    const struct kl_cuda_judged to = { .logits = logits };
    struct kl_cuda_heads *heads = NULL;
    struct kl_cuda_head shape;
    struct kl_arena memory = { 0 };
    const int32_t first = 0;
    int code = kl_arena_init(&memory, 0, err);
    if (code) return code;
    int32_t *rows = kl_arena_take(&memory, n + 1, sizeof *rows);
    if (!rows) code = kl_fail_memory(err, n * sizeof *rows);
    for (size_t i = 0; i < n && !code; i++) rows[i] = (int32_t)i;
    if (!code) code = kl_head_gpu_shape(&shape, &head->model, NULL, &memory, err);
    if (!code) code = cuda->heads->open(&heads, &shape, 1, x, NULL, n, device->number, err);
    if (!code) code = cuda->heads->put(heads, 0, head->params, NULL, NULL, err);
    if (!code) code = cuda->heads->judge(heads, &to, &first, 1, rows, n, err);
    if (heads) cuda->heads->close(&heads);
    kl_arena_free(&memory);
    return code;
}
