/* SPDX-License-Identifier: MIT
   Memory of heads on the GPU, all of it taken before the first step, so that what does not fit is known
   then: first the features are streamed, then batches are worked on in slices. */
#include "kernels/cuda/heads.h"
#include "kernels/cuda/kept.cuh"

/* Lay out each layer's values for so many rows, and count them: KL_ENOMEM if there are more than an
   index of the kernels counts, which fewer rows may mend. */
static int lay_out(int32_t *size, int32_t at[KL_CUDA_LAYERS], const struct kl_cuda_head *shape, int rows,
                   struct kl_error *err)
{
    int64_t end = 0;
    for (int l = 0; l < shape->n_layers; l++) {
        at[l] = (int32_t)end;
        end += ((int64_t)rows * shape->layers[l].d_out + 3) / 4 * 4;
        if (end > INT32_MAX) return kl_cuda_check(cudaErrorMemoryAllocation, "heads", err);
    }
    *size = (int32_t)end;
    return KL_OK;
}

static void count_items(struct kl_head_job *job, const struct kl_cuda_head *shape)
{
    for (int l = 0; l < shape->n_layers; l++) {
        const struct kl_cuda_layer *layer = &shape->layers[l];
        const int weights = kl_weight_items(*layer);
        int items = weights + layer->d_out,
            slots = kl_whole_warps(weights) + kl_whole_warps(layer->d_out);
        if (layer->kind == KL_CUDA_QUANTUM)
            items = shape->frozen ? 0 : shape->circuit.n_weights, slots = kl_whole_warps(items);
        job->item_at[l + 1] = job->item_at[l] + items;
        job->slot_at[l + 1] = job->slot_at[l] + slots;
    }
}

/* n values for the heads' life. */
template <class T> static int keep(struct kl_cuda_heads *h, T **to, size_t n, struct kl_error *err)
{
    return kl_cuda_keep(&h->pieces, to, NULL, n, "heads", err);
}

/* The circuit and what the shape points to. */
static int copy_shape(struct kl_cuda_heads *h, const struct kl_cuda_head *shape, struct kl_error *err)
{
    int code = KL_OK;
    h->shape = *shape;
    if (shape->circuit.n_qubits)
        code = kl_cuda_circuit_copy(&h->shape.circuit, &h->arrays, &shape->circuit, err);
    if (!code && shape->circuit.n_qubits)
        code = kl_cuda_copy(&h->groups, shape->weight_group, (size_t)shape->circuit.n_weights,
                            sizeof *shape->weight_group, "the circuit", err);
    if (!code && shape->absent)
        code = kl_cuda_copy(&h->absent, shape->absent, shape->block, 1, "heads", err);
    h->shape.weight_group = (const int32_t *)h->groups;
    h->shape.absent = (const uint8_t *)h->absent;
    h->job.shape = h->shape;
    return code;
}

/* Of a launch: each head has one at least. */
static size_t most_blocks(const struct kl_cuda_heads *h)
{
    return (size_t)h->together > h->n_heads ? (size_t)h->together : h->n_heads;
}

/* Take the circuit's memory: see struct kl_rows. */
static int take_circuit(struct kl_cuda_heads *h, struct kl_error *err)
{
    struct kl_head_job *job = &h->job;
    const struct kl_cuda_circuit *c = &h->shape.circuit;
    const size_t n = h->n_heads, blocks = most_blocks(h), slice = (size_t)job->slice,
                 slots = (size_t)c->n_slots, bits = (size_t)(c->own_bits + c->lane_bits);
    const bool held = c->n_qubits <= KL_CUDA_HELD_QUBITS;
    const int64_t matrix = c->real ? kl_sizes<true>::matrix : kl_sizes<false>::matrix,
                  generators = c->real ? kl_sizes<true>::generators : kl_sizes<false>::generators;
    if (!c->n_qubits) return KL_OK;
    job->shared_size = c->n_matrices * matrix;
    job->varying_size = c->n_varying * matrix * (int64_t)slice;
    h->judge_varying_size = c->n_varying * matrix * KL_JUDGED;
    job->generators_size = c->n_matrices * generators * (int64_t)slice;
    job->states_size = held ? (int64_t)((slice << bits) * (c->real ? 1 : 2)) : 0;
    job->kept_size = held ? 0 : (int64_t)kl_kept_memory((int)bits);
    int code = keep(h, &job->trig, blocks * 2 * slots, err);
    if (!code) code = keep(h, &job->shared, blocks * (size_t)job->shared_size, err);
    if (!code) code = keep(h, &job->kept, blocks * (size_t)job->kept_size, err);
    if (!code) code = keep(h, &job->varying, n * (size_t)job->varying_size, err);
    if (!code) code = keep(h, &job->generators, n * (size_t)job->generators_size, err);
    if (!code) code = keep(h, &job->dangle, n * slice * slots, err);
    if (!code) code = keep(h, &job->states, n * (size_t)job->states_size, err);
    return code ? code : keep(h, &h->judge_varying, blocks * (size_t)h->judge_varying_size, err);
}

/* Take the memory of steps, but for the features. */
static int take_steps(struct kl_cuda_heads *h, struct kl_error *err)
{
    struct kl_head_job *job = &h->job;
    const struct kl_cuda_head *s = &h->shape;
    const size_t n = h->n_heads, batch = (size_t)s->batch, blocks = most_blocks(h);
    const bool keeps_grad = s->clip > 0 || job->slice < s->batch;
    int code = keep(h, &job->params, n * s->block, err);
    if (!code) code = keep(h, &job->m, n * s->block, err);
    if (!code) code = keep(h, &job->v, n * s->block, err);
    if (!code) code = keep(h, &job->grad, keeps_grad ? n * s->block : 0, err);
    if (!code) code = keep(h, &job->y, n * (size_t)job->y_size, err);
    if (!code) code = keep(h, &job->y_beside, h->resident_blocks ? n * (size_t)job->y_size : 0, err);
    if (!code) code = keep(h, &job->dy, n * (size_t)job->y_size, err);
    if (!code) code = take_circuit(h, err);
    if (!code) code = keep(h, &job->squares, n * (size_t)job->item_at[s->n_layers], err);
    if (!code) code = keep(h, &job->clipped, blocks * (KL_HEAD_THREADS / 32), err);
    if (!code) code = keep(h, &job->loss, n * batch, err);
    if (!code) code = keep(h, &job->right, n * batch, err);
    if (!code) code = keep(h, &job->barrier, n, err);
    if (!code) code = keep(h, &h->which, n, err);
    if (!code) code = keep(h, &h->replica, n, err);
    if (!code) code = keep(h, &h->factors, n * KL_CUDA_STEPS, err);
    return code ? code : keep(h, &h->sums, n * (2 + (size_t)s->n_groups), err);
}

static int take_judging(struct kl_cuda_heads *h, size_t n, struct kl_error *err)
{
    const struct kl_cuda_head *s = &h->shape;
    const size_t row = (size_t)s->n_classes * sizeof(float) + sizeof(float) + 1,
                 share = KL_JUDGED_BYTES / row / h->n_heads, each = share < n ? share : n;
    h->judged = each < KL_JUDGED ? (size_t)KL_JUDGED : each;
    const size_t rows = h->n_heads * h->judged;
    int code = keep(h, &h->judge_y, most_blocks(h) * (size_t)h->judge_size, err);
    if (!code) code = keep(h, &h->logits, rows * (size_t)s->n_classes, err);
    if (!code) code = keep(h, &h->loss, rows, err);
    return code ? code : keep(h, &h->right, rows, err);
}

/* With batches in slices of job.slice rows. */
static int take_all(struct kl_cuda_heads *h, const struct kl_cuda_head *shape, const float *x,
                    const int32_t *labels, size_t n, struct kl_error *err)
{
    int code = copy_shape(h, shape, err);
    if (!code) code = lay_out(&h->job.y_size, h->job.y_at, &h->shape, h->job.slice, err);
    if (!code) code = lay_out(&h->judge_size, h->judge_at, &h->shape, KL_JUDGED, err);
    count_items(&h->job, &h->shape);
    if (!code) code = take_steps(h, err);
    if (!code) code = take_judging(h, n, err);
    return code ? code
                : kl_cuda_features_open(&h->features, x, labels, n, (size_t)shape->n_features,
                                        (size_t)shape->batch, h->device, err);
}

int kl_cuda_heads_take(struct kl_cuda_heads *h, const struct kl_cuda_head *shape, const float *x,
                       const int32_t *labels, size_t n, struct kl_error *err)
{
    h->job.slice = shape->batch;
    int code = take_all(h, shape, x, labels, n, err);
    while (code == KL_ENOMEM && h->job.slice > 1) {
        kl_cuda_heads_release(h);
        h->job.slice = (h->job.slice + 1) / 2;
        code = take_all(h, shape, x, labels, n, err);
    }
    /* The zeros must be set before other streams begin. */
    return code ? code : kl_cuda_check(cudaStreamSynchronize(0), "heads", err);
}

void kl_cuda_heads_release(struct kl_cuda_heads *h)
{
    kl_cuda_features_close(&h->features);
    kl_cuda_give_pieces(&h->pieces);
    kl_cuda_give(h->arrays);
    kl_cuda_give(h->groups);
    kl_cuda_give(h->absent);
    h->arrays = h->groups = h->absent = NULL;
}
