/* SPDX-License-Identifier: MIT
   Twins on a GPU. What stands before tanh is linear, so there a step's features are tanh of one map of
   its values (but where a layer norm stands between two maps); what stands behind them, or behind the
   hidden layer, is linear up to the sum over time. So a window is read as three columns: the sums by the
   real and by the imaginary weights, and a column of zeros that has what is left of all weights, for the
   biases. */
#include <string.h>

#include "kernels/gemm.h"
#include "kernels/layers.h"
#include "sequence/model/steps_int.h"
#include "sequence/model/twin_int.h"

enum { RE, IM, REST, COLUMNS, LD = 16 };

/* At the head of its work. */
struct twin {
    struct kl_twin_pass p;
    struct kl_twin_net columns; /* the net, of so many columns */
    kl_real w[2 * COLUMNS], *time;
    double d_w[2 * COLUMNS], *d_time;
    kl_real *joint, *by_joint, *turned, *shift,
        *by_shift; /* W_a W_p (inputs, channels), W_a b_p + b_a */
};
enum { HEAD = (sizeof(struct twin) + 63) / 64 * 64 };

static const kl_real *tensor(const struct twin *w, int number)
{
    return w->p.params + w->p.net->block.tensors[number].offset;
}

static void sizes(struct kl_cuda_windows_shape *shape, const struct kl_sequence_net *net)
{
    const struct kl_twin_net *t = net->own;
    kl_sequence_windows_shape(shape, net);
    shape->kind = t->norm ? KL_CUDA_WINDOW_NORM_TANH : KL_CUDA_WINDOW_TANH;
    shape->n_angles = (int32_t)(t->norm ? t->inputs : t->features);
    shape->n_weights = t->time == KL_TWIN_COMPLEX ? 2 : 1;
    if (t->front == KL_TWIN_STEPS) return;
    shape->dense = t->front == KL_TWIN_DENSE;
    shape->filters = shape->dense ? KL_TWIN_CONV : shape->channels, shape->apart = (int32_t)t->ld;
}
/* Of what goes through the linear maps: channels, or filters. */
static size_t inputs_of(const struct kl_twin_net *t)
{
    return t->front == KL_TWIN_DENSE ? KL_TWIN_CONV : t->channels;
}

static int gpu_shape(struct kl_cuda_windows_shape *shape, const struct kl_sequence_net *net,
                     struct kl_arena *memory, struct kl_error *err)
{
    (void)memory, (void)err;
    sizes(shape, net);
    return KL_OK;
}

static size_t place(struct twin *w, char *work, const struct kl_sequence_net *net)
{
    const struct kl_twin_net *t = net->own;
    size_t at = 0;
    w->p.net = net, w->p.t = t;
    char *base = work ? work + HEAD : NULL;
    at = kl_sequence_twin_place(&w->p, base);
    const size_t C = inputs_of(t);
    KL_SEQUENCE_TAKE(w->joint, t->inputs * C), KL_SEQUENCE_TAKE(w->by_joint, t->inputs * C);
    KL_SEQUENCE_TAKE(w->turned, t->inputs * (C + t->inputs));
    KL_SEQUENCE_TAKE(w->shift, t->inputs), KL_SEQUENCE_TAKE(w->by_shift, t->inputs);
    return HEAD + at;
}

static size_t gpu_work(const struct kl_sequence_net *net)
{
    struct twin w = { .columns = { 0 } };
    return place(&w, NULL, net);
}

/* Three columns in place of a window's steps (one, where a window has one), or back. */
static void begin_columns(struct twin *w)
{
    struct kl_twin_pass *p = &w->p;
    const struct kl_twin_net *t = p->t;
    double total[2] = { 0 };
    w->time = p->w, w->d_time = p->d_w;
    w->columns = *t;
    if (t->norm) w->columns.readout = KL_TWIN_ONE, w->columns.read = t->again;
    memset(w->w, 0, sizeof w->w), memset(w->d_w, 0, sizeof w->d_w);
    w->w[2 * RE] = 1;
    if (t->time != KL_TWIN_POOLED) w->columns.columns = COLUMNS, w->columns.ld = LD;
    for (size_t s = 0; s < 2 * t->steps && t->time == KL_TWIN_COMPLEX; s++)
        total[s % 2] += (double)p->w[s];
    if (t->time == KL_TWIN_COMPLEX) {
        w->w[2 * IM + 1] = 1;
        w->w[2 * REST] = (kl_real)(total[0] - 1), w->w[2 * REST + 1] = (kl_real)(total[1] - 1);
    }
    memset(p->m, 0, t->features * LD * sizeof *p->m);
    p->t = &w->columns, p->w = w->w, p->d_w = w->d_w;
}
static void end_columns(struct twin *w)
{
    w->p.t = w->p.net->own, w->p.w = w->time, w->p.d_w = w->d_time;
}

/* Both linear maps, or the one that there is, as one. */
static void join(struct twin *w)
{
    const struct kl_twin_net *t = w->p.t;
    const size_t A = t->inputs, C = inputs_of(t);
    const struct kl_twin_linear *a = &t->linear[t->angles];
    memcpy(w->shift, tensor(w, a->bias), A * sizeof *w->shift);
    if (t->project < 0) {
        memcpy(w->joint, tensor(w, a->weight), A * C * sizeof *w->joint);
        return;
    }
    const struct kl_twin_linear *b = &t->linear[t->project];
    kl_kernel_gemm(w->joint, C, tensor(w, a->weight), a->in, 1, tensor(w, b->weight), C, A, C, a->in, 0);
    kl_kernel_gemm(w->shift, 1, tensor(w, a->weight), a->in, 1, tensor(w, b->bias), 1, A, 1, a->in, 1);
}

/* A part of given, of n values. */
static void give(float *given, size_t at, const kl_real *from, size_t n)
{
    memcpy(given + at, from, n * sizeof *given);
}
static void give_normed(float *given, const struct twin *w, const struct kl_cuda_windows_places *at)
{
    const struct kl_twin_net *t = w->p.t;
    const size_t A = t->inputs, f = t->features;
    give(given, at->map, w->joint, A * inputs_of(t)), give(given, at->shift, w->shift, A);
    give(given, at->gain, tensor(w, t->gain), A), give(given, at->bias, tensor(w, t->shift), A);
    give(given, at->features, w->p.map, f * A), give(given, at->features_bias, w->p.map_bias, f);
    give(given, at->hidden, tensor(w, t->linear[t->read].weight), f * f);
    give(given, at->hidden_bias, tensor(w, t->linear[t->read].bias), f);
}

static void gpu_prepare(float *given, void *work, const struct kl_sequence_net *net, const float *params)
{
    const struct kl_twin_net *t = net->own;
    struct kl_cuda_windows_shape shape;
    struct twin *w = work;
    const size_t A = t->inputs, C = inputs_of(t), f = t->features;
    memset(w, 0, sizeof *w);
    sizes(&shape, net), place(w, work, net);
    w->p.params = params;
    kl_sequence_twin_lay(&w->p);
    const struct kl_cuda_windows_places at = kl_cuda_windows_places(&shape);
    join(w);
    if (t->norm) give_normed(given, w, &at);
    else {
        kl_kernel_gemm(given + at.map, C, w->p.map, A, 1, w->joint, C, f, C, A, 0);
        give(given, at.shift, w->p.map_bias, f);
        kl_kernel_gemm(given + at.shift, 1, w->p.map, A, 1, w->shift, 1, f, 1, A, 1);
        memset(given + at.base, 0, f * sizeof *given);
    }
    const size_t lengths = kl_cuda_windows_lengths(&shape);
    for (int k = 0; k < shape.n_weights; k++)
        for (size_t s = 0; s < lengths; s++)
            given[at.weights + (size_t)k * lengths + s] = w->p.w[2 * s + (size_t)k];
    if (shape.filters) {
        give(given, at.conv, tensor(w, t->conv), at.conv_bias - at.conv);
        give(given, at.conv_bias, tensor(w, t->conv_bias), at.end - at.conv_bias);
    }
    begin_columns(w);
}

static void gpu_read(struct kl_sequence_result_f32 *result, float *by_sum, void *work,
                     const struct kl_sequence_net *net, const float *sum,
                     const struct kl_sequence_batch_f32 *batch)
{
    struct twin *w = work;
    struct kl_twin_pass *p = &w->p;
    const size_t f = p->t->features, n = (p->t->time == KL_TWIN_COMPLEX ? 2 : 1) * f;
    p->result = result, p->batch = batch;
    result->loss = 0, result->correct = 0;
    for (size_t i = 0; i < batch->n; i++) {
        for (size_t j = 0; j < n; j++) p->m[j % f * LD + j / f] = sum[i * n + j];
        kl_sequence_twin_read(p), kl_sequence_twin_classify(p, i);
        kl_sequence_loss(by_sum ? p->d : NULL, result, batch, i, net->shape.classes);
        if (!by_sum) continue;
        kl_sequence_twin_unclassify(p), kl_sequence_twin_unread(p);
        for (size_t j = 0; j < n; j++) by_sum[i * n + j] = p->dm[j % f * LD + j / f];
    }
}

/* From the gradients by both linear maps as one, and by its shift, to those by the two. */
static void part_maps(struct twin *w, const kl_real *by_joint, const kl_real *by_shift)
{
    struct kl_twin_pass *p = &w->p;
    const struct kl_twin_net *t = p->t;
    const size_t A = t->inputs, C = inputs_of(t);
    const struct kl_twin_linear *a = &t->linear[t->angles], *b = &t->linear[t->project];
    const kl_real *const Wa = tensor(w, a->weight);
    kl_real *const d_a = p->d_weight[t->angles]; /* (in, out), as all of them */
    memcpy(p->d_linear_bias[t->angles], by_shift, A * sizeof *by_shift);
    kl_kernel_layers->turn(w->turned, A, (kl_real *)(uintptr_t)by_joint, C, NULL, 0, A, C);
    if (t->project < 0) {
        memcpy(d_a, w->turned, A * C * sizeof *d_a);
        return;
    }
    for (size_t i = 0; i < a->in; i++)
        for (size_t o = 0; o < A; o++) d_a[i * A + o] = tensor(w, b->bias)[i] * by_shift[o];
    kl_kernel_gemm(d_a, A, tensor(w, b->weight), C, 1, w->turned, A, a->in, A, C, 1);
    kl_kernel_gemm(p->d_weight[t->project], a->in, w->turned, A, 1, Wa, a->in, C, a->in, A, 0);
    kl_kernel_gemm(p->d_linear_bias[t->project], 1, Wa, 1, a->in, by_shift, 1, a->in, 1, A, 0);
}

/* From those by tanh's one map. */
static void part(struct twin *w, const float *by_map, const float *by_shift)
{
    struct kl_twin_pass *p = &w->p;
    const size_t A = p->t->inputs, C = inputs_of(p->t), f = p->t->features;
    for (size_t i = 0; i < A; i++) /* the map's (inputs, features) */
        for (size_t j = 0; j < f; j++) p->d_map[i * f + j] = w->shift[i] * by_shift[j];
    kl_kernel_layers->turn(w->turned, f, (kl_real *)(uintptr_t)by_map, C, NULL, 0, f, C);
    kl_kernel_gemm(p->d_map, f, w->joint, C, 1, w->turned, f, A, f, C, 1);
    memcpy(p->d_map_bias, by_shift, f * sizeof *by_shift);
    kl_kernel_gemm(w->by_joint, C, p->map, 1, A, by_map, C, A, C, f, 0);
    kl_kernel_gemm(w->by_shift, 1, p->map, 1, A, by_shift, 1, A, 1, f, 0);
    part_maps(w, w->by_joint, w->by_shift);
}

/* Where layer norm stands between the maps. */
static void part_normed(struct twin *w, float *grad, const float *by_given,
                        const struct kl_cuda_windows_places *at)
{
    struct kl_twin_pass *p = &w->p;
    const struct kl_twin_net *t = p->t;
    const struct kl_tensor *tensors = p->net->block.tensors;
    const size_t A = t->inputs, f = t->features, size = sizeof *grad;
    memcpy(grad + tensors[t->gain].offset, by_given + at->gain, A * size);
    memcpy(grad + tensors[t->shift].offset, by_given + at->bias, A * size);
    for (size_t j = 0; j < f; j++) {
        for (size_t i = 0; i < A; i++) p->d_map[i * f + j] = by_given[at->features + j * A + i];
        for (size_t i = 0; i < f; i++)
            p->d_weight[t->read][i * f + j] = by_given[at->hidden + j * f + i];
    }
    memcpy(p->d_map_bias, by_given + at->features_bias, f * size);
    memcpy(p->d_linear_bias[t->read], by_given + at->hidden_bias, f * size);
    part_maps(w, by_given + at->map, by_given + at->shift);
}

static void gpu_finish(float *grad, void *work, const struct kl_sequence_net *net, const float *params,
                       const float *by_given)
{
    struct kl_sequence_result_f32 result = { .grad = grad };
    struct kl_cuda_windows_shape shape;
    struct twin *w = work;
    end_columns(w);
    sizes(&shape, net);
    const struct kl_cuda_windows_places at = kl_cuda_windows_places(&shape);
    w->p.params = params, w->p.result = &result;
    for (int i = 0; i < net->block.n; i++)
        memset(grad + net->block.tensors[i].offset, 0, net->block.tensors[i].size * sizeof *grad);
    for (int k = 0; k < shape.n_weights && !shape.filters; k++)
        for (size_t s = 0; s < net->shape.steps; s++)
            w->p.d_w[2 * s + (size_t)k] =
                (double)by_given[at.weights + (size_t)k * net->shape.steps + s] +
                w->d_w[2 * REST + (size_t)k];
    if (w->p.t->norm) part_normed(w, grad, by_given, &at);
    else part(w, by_given + at.map, by_given + at.shift);
    kl_sequence_twin_gradients(&w->p);
    if (!shape.filters) return;
    const struct kl_tensor *tensors = net->block.tensors;
    memcpy(grad + tensors[w->p.t->conv].offset, by_given + at.conv,
           (at.conv_bias - at.conv) * sizeof *grad);
    memcpy(grad + tensors[w->p.t->conv_bias].offset, by_given + at.conv_bias,
           (at.end - at.conv_bias) * sizeof *grad);
}

const struct kl_sequence_gpu kl_sequence_twin_gpu = { gpu_shape, gpu_work, gpu_prepare, gpu_read,
                                                      gpu_finish };
