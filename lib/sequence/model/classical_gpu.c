/* SPDX-License-Identifier: MIT
   Classical Mamba and Hydra on a GPU, which has all but the head. */
#include <string.h>

#include "kernels/inline/philox.h"
#include "sequence/model/classical_int.h"

/* At the head of its work; behind it the head's memory and a gradient, of which it has its part. */
struct on_gpu {
    struct kl_classical_run run;
    float *rates; /* (n_blocks, states, inner) */
};
enum { HEAD = (sizeof(struct on_gpu) + 63) / 64 * 64 };

static void sizes(struct kl_cuda_windows_shape *shape, const struct kl_sequence_net *net)
{
    const struct kl_classical *own = net->own;
    kl_sequence_windows_shape(shape, net);
    shape->kind = KL_CUDA_WINDOW_SCANS, shape->n_qubits = 0;
    shape->scans = (struct kl_cuda_scans_shape){ .rule = own->rule,
                                                 .hydra = own->hydra,
                                                 .n_blocks = own->n_blocks,
                                                 .width = (int32_t)own->width,
                                                 .states = (int32_t)own->states,
                                                 .rank = (int32_t)own->rank };
}

static int gpu_shape(struct kl_cuda_windows_shape *shape, const struct kl_sequence_net *net,
                     struct kl_arena *memory, struct kl_error *err)
{
    (void)memory, (void)err;
    sizes(shape, net);
    return KL_OK;
}

static size_t place(struct on_gpu *g, char *work, const struct kl_sequence_net *net)
{
    char *const base = work ? work + HEAD : NULL;
    g->run = (struct kl_classical_run){ .own = net->own, .net = net, .back = true };
    size_t at = kl_sequence_classical_place_head(&g->run, base, 0);
    KL_SEQUENCE_TAKE(g->run.grad, net->block.size);
    KL_SEQUENCE_TAKE(g->rates, (size_t)g->run.own->n_blocks * g->run.own->states * g->run.own->inner);
    return HEAD + at;
}
static size_t gpu_work(const struct kl_sequence_net *net)
{
    struct on_gpu g;
    return place(&g, NULL, net);
}

/* ---- tensors, there and back ---- */
/* One of: parameters to given; by_given to a gradient. rates: of all blocks, as the kernels take them.
 */
struct passing {
    float *given, *grad, *rates;
    const float *params, *by_given;
};

static void pass(const struct passing *p, size_t at, const struct kl_tensor *t)
{
    if (p->given) memcpy(p->given + at, p->params + t->offset, t->size * sizeof *p->given);
    else memcpy(p->grad + t->offset, p->by_given + at, t->size * sizeof *p->grad);
}
/* The logarithms of a block's rates: as classical_run.c has them and their gradients. */
static void pass_rates(const struct passing *p, size_t at, const struct kl_tensor *t,
                       const struct kl_classical *own, float *rates)
{
    const size_t n = own->inner, states = own->states;
    const float unit = own->rule == KL_SCAN_EULER ? 1 : 0.6931471805599453f;
    if (p->given) {
        kl_kernel_scan->rates(rates, p->params + t->offset, states, n, own->rule);
        memcpy(p->given + at, rates, states * n * sizeof *rates);
        return;
    }
    for (size_t s = 0; s < states; s++)
        for (size_t e = 0; e < n; e++)
            p->grad[t->offset + e * states + s] = p->by_given[at + s * n + e] * rates[s * n + e] * unit;
}

static void pass_block(const struct passing *p, const struct kl_cuda_scans_places *at,
                       const struct kl_sequence_net *net, int i)
{
    const struct kl_classical *own = net->own;
    const struct kl_classical_block *b = &own->blocks[i];
    const struct kl_tensor *tensors = net->block.tensors;
    const size_t first = at->blocks + (size_t)i * at->block;
    const struct {
        int tensor;
        size_t at;
    } plain[] = { { b->in_proj, at->in_proj },
                  { b->x_proj, at->x_proj },
                  { b->conv, at->conv },
                  { b->conv_bias, at->conv_bias },
                  { b->d, at->d },
                  { b->dt, at->dt },
                  { b->dt_bias, at->dt_bias },
                  { b->out_proj, at->out_proj },
                  { b->norm, at->norm },
                  { b->outer_norm, at->outer_norm } };
    for (size_t k = 0; k < sizeof plain / sizeof *plain; k++)
        if (plain[k].tensor >= 0) pass(p, first + plain[k].at, &tensors[plain[k].tensor]);
    pass_rates(p, first + at->rates, &tensors[b->a_log], own,
               p->rates + (size_t)i * own->states * own->inner);
}

static void pass_all(const struct passing *p, const struct kl_sequence_net *net)
{
    const struct kl_classical *own = net->own;
    const struct kl_tensor *tensors = net->block.tensors;
    struct kl_cuda_windows_shape shape;
    sizes(&shape, net);
    const struct kl_cuda_scans_places at = kl_cuda_scans_places(&shape.scans, own->channels);
    pass(p, at.embedding, &tensors[own->embedding]);
    pass(p, at.embedding_bias, &tensors[own->embedding_bias]);
    for (int i = 0; i < own->n_blocks; i++) pass_block(p, &at, net, i);
    pass(p, at.final_norm, &tensors[own->final_norm]);
}

static void gpu_prepare(float *given, void *work, const struct kl_sequence_net *net, const float *params)
{
    struct on_gpu *g = work;
    place(g, work, net);
    memset(g->run.grad, 0, net->block.size * sizeof *g->run.grad);
    kl_sequence_classical_set_head(&g->run, params);
    pass_all(&(struct passing){ .given = given, .rates = g->rates, .params = params }, net);
}

static void gpu_read(struct kl_sequence_result_f32 *result, float *by_sum, void *work,
                     const struct kl_sequence_net *net, const float *sum,
                     const struct kl_sequence_batch_f32 *batch)
{
    struct kl_classical_run *r = &((struct on_gpu *)work)->run;
    const size_t width = r->own->width;
    r->batch = batch;
    result->loss = 0, result->correct = 0;
    for (size_t i = 0; i < batch->n; i++) {
        memcpy(r->pooled, sum + i * width, width * sizeof *sum);
        kl_sequence_classical_head(result->logits + i * (size_t)net->shape.classes, r, batch->row + i);
        kl_sequence_loss(by_sum ? r->by_logits : NULL, result, batch, i, net->shape.classes);
        if (!by_sum) continue;
        kl_sequence_classical_head_back(r, batch->row + i);
        memcpy(by_sum + i * width, r->by_pooled, width * sizeof *by_sum);
    }
}

static void gpu_finish(float *grad, void *work, const struct kl_sequence_net *net, const float *params,
                       const float *by_given)
{
    const struct on_gpu *g = work;
    const struct kl_classical *own = net->own;
    const struct kl_tensor *tensors = net->block.tensors;
    (void)params;
    for (int i = 0; i < (own->hydra ? 2 : 1); i++) {
        const struct kl_tensor *w = &tensors[own->head[i]], *b = &tensors[own->head_bias[i]];
        memcpy(grad + w->offset, g->run.grad + w->offset, w->size * sizeof *grad);
        memcpy(grad + b->offset, g->run.grad + b->offset, b->size * sizeof *grad);
    }
    pass_all(&(struct passing){ .grad = grad, .rates = g->rates, .by_given = by_given }, net);
}

const struct kl_sequence_gpu kl_sequence_classical_gpu = { gpu_shape, gpu_work, gpu_prepare, gpu_read,
                                                           gpu_finish };
