/* SPDX-License-Identifier: MIT
   A head's loss and gradient on a GPU (kernels/cuda_heads.h): a step of gradient descent at rate 0 moves
   nothing and leaves the gradient as its momentum. Each thread has a head of its own. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "head/gpu.h"
#include "kernels/inline/real.h"
#include "sampling/heads/heads_gpu.h"

struct own {
    struct kl_cuda_heads *heads;
    float *params, *zeros, *grad; /* (block) */
    int32_t *order;               /* (records) */
    float *loss;                  /* (records) */
    uint8_t *right;
    double *sums;
};
struct kl_sampling_head_gpu {
    const struct kl_cuda_heads_calls *calls;
    struct kl_arena memory;
    struct kl_cuda_head shape;
    size_t n;      /* records that train; those that test stand behind them */
    size_t size;   /* of the model's block */
    bool hands_on; /* the first layer hands on what the circuit takes */
    struct own *threads;
    int n_threads;
};

/* Kernels want a layer before a circuit: of a head that begins with one, a layer that hands on its
   inputs as they are, whose weights stand behind the model's. */
static int begin_linear(struct kl_sampling_head_gpu *g, struct kl_error *err)
{
    enum { MOST = 4096, EACH = 16 };
    struct kl_cuda_head *s = &g->shape;
    const int32_t d = s->layers[0].d_in;
    if (s->layers[0].kind != KL_CUDA_QUANTUM) return KL_OK;
    if (d > MOST || s->n_layers == KL_CUDA_LAYERS)
        return kl_fail(
            err, KL_EUSAGE,
            "a circuit of %d inputs alone: not on a GPU; give --parameters all or --device cpu", (int)d);
    memmove(s->layers + 1, s->layers, (size_t)s->n_layers * sizeof *s->layers);
    const size_t weight = (s->block + EACH - 1) / EACH * EACH,
                 bias = weight + ((size_t)d * (size_t)d + EACH - 1) / EACH * EACH;
    s->layers[0] = (struct kl_cuda_layer){ .kind = KL_CUDA_LINEAR,
                                           .d_in = d,
                                           .d_out = d,
                                           .act = KL_CUDA_NONE,
                                           .group = s->n_groups++,
                                           .weight = (int32_t)weight,
                                           .bias = (int32_t)bias };
    s->n_layers++, s->block = bias + ((size_t)d + EACH - 1) / EACH * EACH;
    g->hands_on = true;
    return KL_OK;
}

static void set_linear(float *params, const struct kl_cuda_layer *l)
{
    for (int32_t i = 0; i < l->d_out; i++) {
        const int32_t strip = i / KL_STRIP * KL_STRIP, left = l->d_out - strip,
                      width = left < KL_STRIP ? left : KL_STRIP;
        params[l->weight + strip * l->d_in + i * width + i - strip] = 1;
    }
}

static int take(struct own *own, struct kl_sampling_head_gpu *g, size_t records, struct kl_error *err)
{
    const size_t block = g->shape.block;
    own->params = kl_arena_take(&g->memory, block, sizeof *own->params);
    own->zeros = kl_arena_take(&g->memory, block, sizeof *own->zeros);
    own->grad = kl_arena_take(&g->memory, block, sizeof *own->grad);
    own->order = kl_arena_take(&g->memory, records, sizeof *own->order);
    own->loss = kl_arena_take(&g->memory, records, sizeof *own->loss);
    own->right = kl_arena_take(&g->memory, records, sizeof *own->right);
    own->sums = kl_arena_take(&g->memory, 2 + (size_t)g->shape.n_groups, sizeof *own->sums);
    if (!own->params || !own->zeros || !own->grad || !own->order || !own->loss || !own->right ||
        !own->sums)
        return kl_fail_memory(err, 3 * block * sizeof *own->params);
    memset(own->zeros, 0, block * sizeof *own->zeros);
    memset(own->params, 0, block * sizeof *own->params);
    if (g->hands_on) set_linear(own->params, &g->shape.layers[0]);
    return KL_OK;
}

/* The records of both sets, which stay as long as the heads. */
static int gather(float **x, int32_t **labels, struct kl_sampling_head_gpu *g,
                  const struct kl_sampling_head_records *train,
                  const struct kl_sampling_head_records *test, size_t d, struct kl_error *err)
{
    const size_t n = train->n + test->n;
    *x = kl_arena_take(&g->memory, n * d + 1, sizeof **x);
    *labels = kl_arena_take(&g->memory, n + 1, sizeof **labels);
    if (!*x || !*labels) return kl_fail_memory(err, n * d * sizeof **x);
    for (size_t i = 0; i < n * d; i++)
        (*x)[i] = (float)(i < train->n * d ? train->x[i] : test->x[i - train->n * d]);
    memcpy(*labels, train->labels, train->n * sizeof **labels);
    if (test->n) memcpy(*labels + train->n, test->labels, test->n * sizeof **labels);
    return KL_OK;
}

int kl_sampling_head_gpu_open(struct kl_sampling_head_gpu **gpu, const struct kl_head_model *view,
                              const struct kl_sampling_head_records *train,
                              const struct kl_sampling_head_records *test, int n_threads,
                              const struct kl_device *device, struct kl_error *err)
{
    struct kl_sampling_head_gpu *g = *gpu = calloc(1, sizeof *g);
    float *x;
    int32_t *labels;
    if (!g) return kl_fail_memory(err, sizeof *g);
    g->calls = device->cuda->heads, g->n = train->n;
    if (train->n > 1 << 16)
        return kl_fail(err, KL_EUSAGE, "%zu records: on a GPU are %d at most; give --device cpu",
                       train->n, 1 << 16);
    int code = kl_arena_init(&g->memory, 0, err);
    if (!code) code = kl_head_gpu_shape(&g->shape, view, NULL, &g->memory, err);
    g->shape.batch = (int32_t)train->n, g->shape.rule = KL_CUDA_SGD;
    g->shape.threshold = 0, g->shape.keep_scale = 1;
    g->size = view->block.size;
    if (!code) code = begin_linear(g, err);
    if (!code) code = gather(&x, &labels, g, train, test, view->n_features, err);
    if (!code && !(g->threads = calloc((size_t)n_threads, sizeof *g->threads)))
        code = kl_fail_memory(err, (size_t)n_threads * sizeof *g->threads);
    for (int i = 0; i < n_threads && !code; i++, g->n_threads++) {
        code = take(&g->threads[i], g, train->n > test->n ? train->n : test->n, err);
        if (!code)
            code = g->calls->open(&g->threads[i].heads, &g->shape, 1, x, labels, train->n + test->n,
                                  device->number, err);
    }
    return code;
}

void kl_sampling_head_gpu_close(struct kl_sampling_head_gpu **gpu)
{
    struct kl_sampling_head_gpu *g = *gpu;
    if (!g) return;
    for (int i = 0; i < g->n_threads; i++)
        if (g->threads[i].heads) g->calls->close(&g->threads[i].heads);
    kl_arena_free(&g->memory);
    free(g->threads);
    free(g);
    *gpu = NULL;
}

/* Parameters, without a gradient of before, and rows to the thread's head. */
static int put(struct kl_sampling_head_gpu *g, struct own *own, const kl_real *params, size_t first,
               const int64_t *rows, size_t count, struct kl_error *err)
{
    for (size_t i = 0; i < g->size; i++) own->params[i] = (float)params[i];
    for (size_t i = 0; i < count; i++) own->order[i] = (int32_t)(first + (rows ? (size_t)rows[i] : i));
    return g->calls->put(own->heads, 0, own->params, own->zeros, NULL, err);
}

int kl_sampling_head_gpu_gradient(struct kl_sampling_head_gpu *g, kl_real *grad,
                                  struct kl_sampling_sums *sums, const kl_real *params,
                                  const int64_t *rows, size_t count, int thread, struct kl_error *err)
{
    struct own *own = &g->threads[thread];
    const int32_t which = 0;
    const uint32_t replica = 0;
    const struct kl_cuda_factors factors = { .rest1 = 1 };
    const struct kl_cuda_steps steps = { .n = 1,
                                         .n_rows = count,
                                         .which = &which,
                                         .replica = &replica,
                                         .order = own->order,
                                         .count = 1,
                                         .factors = &factors,
                                         .sums = own->sums };
    memset(own->sums, 0, (2 + (size_t)g->shape.n_groups) * sizeof *own->sums);
    int code = put(g, own, params, 0, rows, count, err);
    if (!code) code = g->calls->steps(own->heads, &steps, err);
    if (!code) code = g->calls->get(own->heads, 0, NULL, own->grad, NULL, err);
    if (code) return code;
    for (size_t i = 0; i < g->size; i++) grad[i] = (kl_real)own->grad[i];
    sums->loss += own->sums[0], sums->wrong += (double)count - own->sums[1];
    sums->count += (int64_t)count, sums->squares = NAN;
    return KL_OK;
}

int kl_sampling_head_gpu_evaluate(struct kl_sampling_head_gpu *g, struct kl_sampling_sums *sums,
                                  double *per_record, const kl_real *params, bool test,
                                  const int64_t *rows, size_t count, int thread, struct kl_error *err)
{
    struct own *own = &g->threads[thread];
    const struct kl_cuda_judged to = { .loss = own->loss, .right = own->right };
    const int32_t which = 0;
    int code = put(g, own, params, test ? g->n : 0, rows, count, err);
    if (!code) code = g->calls->judge(own->heads, &to, &which, 1, own->order, count, err);
    for (size_t i = 0; i < count && !code; i++) {
        const double loss = (double)own->loss[i];
        sums->loss += loss, sums->squares += loss * loss, sums->wrong += !own->right[i], sums->count++;
        if (per_record) per_record[i] = loss;
    }
    return code;
}
