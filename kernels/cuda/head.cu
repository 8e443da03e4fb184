/* SPDX-License-Identifier: MIT
   Heads side by side on the card: their memory, their launches. */
#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/head_kernels.cuh"
#include "kernels/cuda/library.h"

enum { MOST_BLOCKS = 16 /* that share a head's steps */ };

/* Memory on the card that grows when more is asked for. */
struct room {
    void *at;
    size_t bytes;
};
struct kl_cuda_heads {
    struct kl_cuda_head shape; /* arrays on the card */
    struct kl_head_job job;    /* what stays the same between launches */
    size_t n_heads, n_samples;
    int32_t judge_at[KL_CUDA_LAYERS], judge_size;
    int processors, together; /* blocks that run at once */
    void *arrays, *groups, *absent;
    void *memory[16]; /* what was taken for good */
    int n_memory;
    struct room order, which, replica, factors, sums, rows, logits, outputs, loss, right;
    float *judge_y;
    cudaStream_t stream;
};
typedef void (*kernel)(struct kl_head_job);

/* Of the circuit's size: a state in the threads of a warp, 1, 4 or 32 amplitudes each. */
static kernel steps_kernel(const struct kl_cuda_circuit *c)
{
    if (c->n_qubits <= 5)
        return c->real || !c->n_qubits ? kl_head_steps<0, true> : kl_head_steps<0, false>;
    return c->n_qubits <= 7 ? kl_head_steps<2, false> : kl_head_steps<5, false>;
}

static kernel judge_kernel(const struct kl_cuda_circuit *c)
{
    if (c->n_qubits <= 5)
        return c->real || !c->n_qubits ? kl_head_judge<0, true> : kl_head_judge<0, false>;
    return c->n_qubits <= 7 ? kl_head_judge<2, false> : kl_head_judge<5, false>;
}

static int grow(struct room *room, size_t bytes, struct kl_error *err)
{
    if (bytes <= room->bytes) return KL_OK;
    cudaFree(room->at);
    *room = { NULL, 0 };
    int code = kl_cuda_take(&room->at, bytes, 1, "heads", err);
    if (!code) room->bytes = bytes;
    return code;
}

static int send(struct room *room, const void *from, size_t bytes, struct kl_error *err)
{
    int code = grow(room, bytes, err);
    return code ? code
                : kl_cuda_check(cudaMemcpy(room->at, from, bytes, cudaMemcpyHostToDevice), "to the GPU",
                                err);
}

static int fetch(void *to, const void *from, size_t bytes, struct kl_error *err)
{
    return bytes
               ? kl_cuda_check(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost), "from the GPU", err)
               : KL_OK;
}

/* Where each layer's values are for so many rows; returns how many values there are. */
static int32_t lay_out(int32_t at[KL_CUDA_LAYERS], const struct kl_cuda_head *shape, int rows)
{
    int32_t end = 0;
    for (int l = 0; l < shape->n_layers; l++) {
        at[l] = end;
        end += (rows * shape->layers[l].d_out + 3) / 4 * 4;
    }
    return end;
}

static void count_items(int32_t at[KL_CUDA_LAYERS + 1], const struct kl_cuda_head *shape)
{
    at[0] = 0;
    for (int l = 0; l < shape->n_layers; l++) {
        const struct kl_cuda_layer *layer = &shape->layers[l];
        int32_t n = (layer->d_in + KL_HEAD_INPUTS - 1) / KL_HEAD_INPUTS * layer->d_out + layer->d_out;
        if (layer->kind == KL_CUDA_QUANTUM) n = shape->frozen ? 0 : shape->circuit.n_weights;
        at[l + 1] = at[l] + n;
    }
}

/* n values for the heads' life. */
template <class T>
static int keep(struct kl_cuda_heads *h, T **to, const void *from, size_t n, struct kl_error *err)
{
    void *memory = NULL;
    int code = from ? kl_cuda_copy(&memory, from, n, sizeof(T), "features and heads", err)
                    : kl_cuda_take(&memory, n, sizeof(T), "features and heads", err);
    h->memory[h->n_memory++] = memory;
    *to = (T *)memory;
    return code;
}

static int take_memory(struct kl_cuda_heads *h, const float *x, const int32_t *labels,
                       struct kl_error *err)
{
    struct kl_head_job *job = &h->job;
    const struct kl_cuda_head *s = &h->shape;
    const size_t n = h->n_heads, rows = n * (size_t)s->batch, slots = (size_t)s->circuit.n_slots,
                 blocks = (size_t)h->together > n ? (size_t)h->together : n;
    int code = keep(h, (float **)&job->x, x, h->n_samples * (size_t)s->n_features, err);
    if (!code) code = keep(h, (int32_t **)&job->labels, labels, h->n_samples, err);
    if (!code) code = keep(h, &job->params, NULL, n * s->block, err);
    if (!code) code = keep(h, &job->m, NULL, n * s->block, err);
    if (!code) code = keep(h, &job->v, NULL, n * s->block, err);
    if (!code) code = keep(h, &job->grad, NULL, s->clip > 0 ? n * s->block : 0, err);
    if (!code) code = keep(h, &job->y, NULL, n * (size_t)job->y_size, err);
    if (!code) code = keep(h, &job->dy, NULL, n * (size_t)job->y_size, err);
    if (!code) code = keep(h, &job->dangle, NULL, rows * slots, err);
    if (!code) code = keep(h, &job->trig, NULL, blocks * 2 * slots, err);
    if (!code) code = keep(h, &job->squares, NULL, n * (size_t)job->item_at[s->n_layers], err);
    if (!code) code = keep(h, &job->clipped, NULL, blocks * (KL_HEAD_THREADS / 32), err);
    if (!code) code = keep(h, &job->loss, NULL, rows, err);
    if (!code) code = keep(h, &job->right, NULL, rows, err);
    if (!code) code = keep(h, &job->barrier, NULL, n, err);
    if (!code) code = keep(h, &h->judge_y, NULL, (size_t)h->together * (size_t)h->judge_size, err);
    return code;
}

static int look_at_card(struct kl_cuda_heads *h, int device, struct kl_error *err)
{
    struct cudaDeviceProp p;
    int a = 0, b = 0, code = kl_cuda_check(cudaSetDevice(device), "taking the GPU", err);
    if (!code) code = kl_cuda_check(cudaGetDeviceProperties(&p, device), "looking at the GPU", err);
    if (!code)
        code = kl_cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                                 &a, steps_kernel(&h->shape.circuit), KL_HEAD_THREADS, 0),
                             "looking at the GPU", err);
    if (!code)
        code = kl_cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                                 &b, judge_kernel(&h->shape.circuit), KL_HEAD_THREADS, 0),
                             "looking at the GPU", err);
    if (code) return code;
    h->processors = p.multiProcessorCount;
    h->together = (a < b ? a : b) * h->processors;
    if (h->together) return KL_OK;
    return kl_cuda_fail(err, KL_EDEVICE, "this GPU cannot hold a block of the head's kernel");
}

int kl_cuda_heads_open(struct kl_cuda_heads **heads, const struct kl_cuda_head *shape, size_t n_heads,
                       const float *x, const int32_t *labels, size_t n, int device, struct kl_error *err)
{
    struct kl_cuda_heads *h = *heads = (struct kl_cuda_heads *)calloc(1, sizeof *h);
    if (!h) return kl_cuda_fail(err, KL_ENOMEM, "no memory: %zu bytes asked for", sizeof *h);
    h->shape = *shape;
    h->n_heads = n_heads, h->n_samples = n;
    int code = look_at_card(h, device, err);
    if (!code && shape->circuit.n_qubits)
        code = kl_cuda_circuit_copy(&h->shape.circuit, &h->arrays, &shape->circuit, err);
    if (!code && shape->circuit.n_qubits)
        code = kl_cuda_copy(&h->groups, shape->weight_group, (size_t)shape->circuit.n_weights,
                            sizeof *shape->weight_group, "the circuit", err);
    if (!code && shape->absent)
        code = kl_cuda_copy(&h->absent, shape->absent, shape->block, 1, "heads", err);
    h->shape.weight_group = (const int32_t *)h->groups;
    h->shape.absent = (const uint8_t *)h->absent;
    h->job.shape = h->shape;
    h->job.y_size = lay_out(h->job.y_at, &h->shape, shape->batch);
    h->judge_size = lay_out(h->judge_at, &h->shape, KL_JUDGED);
    count_items(h->job.item_at, &h->shape);
    if (!code) code = take_memory(h, x, labels, err);
    if (!code) code = kl_cuda_check(cudaStreamCreate(&h->stream), "taking the GPU", err);
    if (code) kl_cuda_heads_close(heads);
    return code;
}

int kl_cuda_heads_put(struct kl_cuda_heads *h, size_t head, const float *params, const float *m,
                      const float *v, struct kl_error *err)
{
    const float *const from[] = { params, m, v };
    float *const to[] = { h->job.params, h->job.m, h->job.v };
    int code = KL_OK;
    for (int i = 0; i < 3 && !code; i++)
        if (from[i])
            code = kl_cuda_check(cudaMemcpy(to[i] + head * h->shape.block, from[i],
                                            h->shape.block * sizeof(float), cudaMemcpyHostToDevice),
                                 "parameters to the GPU", err);
    return code;
}

int kl_cuda_heads_get(struct kl_cuda_heads *h, size_t head, float *params, float *m, float *v,
                      struct kl_error *err)
{
    float *const to[] = { params, m, v };
    const float *const from[] = { h->job.params, h->job.m, h->job.v };
    int code = KL_OK;
    for (int i = 0; i < 3 && !code; i++)
        if (to[i])
            code = fetch(to[i], from[i] + head * h->shape.block, h->shape.block * sizeof(float), err);
    return code;
}

/* Blocks a head: all that run at once are shared out, and each has two rows at least. */
static int blocks_of(const struct kl_cuda_heads *h, size_t n)
{
    int blocks = (int)((size_t)h->together / n);
    if (blocks > MOST_BLOCKS) blocks = MOST_BLOCKS;
    if (blocks > h->shape.batch / 2) blocks = h->shape.batch / 2;
    return blocks < 1 ? 1 : blocks;
}

static int send_steps(struct kl_cuda_heads *h, const struct kl_cuda_steps *s, struct kl_error *err)
{
    const size_t sums = s->n * (2 + (size_t)h->shape.n_groups) * sizeof(double);
    int code = s->order ? send(&h->order, s->order, s->n_rows * sizeof *s->order, err) : KL_OK;
    if (!code) code = send(&h->which, s->which, s->n * sizeof *s->which, err);
    if (!code) code = send(&h->replica, s->replica, s->n * sizeof *s->replica, err);
    if (!code) code = send(&h->factors, s->factors, s->n * (size_t)s->count * sizeof *s->factors, err);
    if (!code) code = send(&h->sums, s->sums, sums, err);
    if (code) return code;
    return kl_cuda_check(cudaMemset(h->job.barrier, 0, s->n * sizeof *h->job.barrier), "to the GPU",
                         err);
}

int kl_cuda_heads_steps(struct kl_cuda_heads *h, const struct kl_cuda_steps *s, struct kl_error *err)
{
    const kernel run = steps_kernel(&h->shape.circuit);
    struct kl_head_job job = h->job;
    void *arguments[] = { &job };
    int code = send_steps(h, s, err);
    if (code) return code;
    job.blocks = blocks_of(h, s->n);
    job.order = (const int32_t *)h->order.at, job.which = (const int32_t *)h->which.at;
    job.replica = (const uint32_t *)h->replica.at;
    job.factors = (const struct kl_cuda_factors *)h->factors.at;
    job.sums = (double *)h->sums.at;
    job.first = s->first, job.count = s->count, job.number = s->number, job.n_rows = (int32_t)s->n_rows;
    const dim3 grid((unsigned)(s->n * (size_t)job.blocks)), block(KL_HEAD_THREADS);
    const cudaError_t status =
        job.blocks > 1 ? cudaLaunchCooperativeKernel(run, grid, block, arguments, 0, h->stream)
                       : cudaLaunchKernel(run, grid, block, arguments, 0, h->stream);
    code = kl_cuda_check(status, "training", err);
    if (!code) code = kl_cuda_check(cudaStreamSynchronize(h->stream), "training", err);
    if (code) return code;
    return fetch(s->sums, h->sums.at, s->n * (2 + (size_t)h->shape.n_groups) * sizeof(double), err);
}

int kl_cuda_heads_judge(struct kl_cuda_heads *h, size_t n, const int32_t *which, const int32_t *rows,
                        size_t n_rows, float *logits, float *outputs, float *loss, uint8_t *right,
                        struct kl_error *err)
{
    const kernel run = judge_kernel(&h->shape.circuit);
    struct kl_head_job job = h->job;
    void *arguments[] = { &job };
    const size_t all = n * n_rows,
                 n_logits = logits ? all * (size_t)h->shape.n_classes * sizeof(float) : 0,
                 n_outputs = outputs ? all * (size_t)h->shape.circuit.n_outputs * sizeof(float) : 0;
    int code = send(&h->rows, rows, n_rows * sizeof *rows, err);
    if (!code) code = send(&h->which, which, n * sizeof *which, err);
    if (!code) code = grow(&h->logits, n_logits, err);
    if (!code) code = grow(&h->outputs, n_outputs, err);
    if (!code) code = grow(&h->loss, loss ? all * sizeof(float) : 0, err);
    if (!code) code = grow(&h->right, loss ? all : 0, err);
    if (code || !all) return code;
    job.order = (const int32_t *)h->rows.at, job.which = (const int32_t *)h->which.at;
    memcpy(job.y_at, h->judge_at, sizeof job.y_at);
    job.y = h->judge_y, job.y_size = h->judge_size;
    job.n_rows = (int32_t)n_rows, job.n_heads = (int32_t)n;
    job.logits = logits ? (float *)h->logits.at : NULL;
    job.outputs = outputs ? (float *)h->outputs.at : NULL;
    job.row_loss = loss ? (float *)h->loss.at : NULL, job.row_right = (uint8_t *)h->right.at;
    const size_t turns = (n_rows + KL_JUDGED - 1) / KL_JUDGED * n;
    const dim3 grid((unsigned)(turns < (size_t)h->together ? turns : (size_t)h->together));
    code = kl_cuda_check(cudaLaunchKernel(run, grid, dim3(KL_HEAD_THREADS), arguments, 0, h->stream),
                         "judging", err);
    if (!code) code = kl_cuda_check(cudaStreamSynchronize(h->stream), "judging", err);
    if (!code) code = fetch(logits, h->logits.at, n_logits, err);
    if (!code) code = fetch(outputs, h->outputs.at, n_outputs, err);
    if (!code && loss) code = fetch(loss, h->loss.at, all * sizeof *loss, err);
    return !code && loss ? fetch(right, h->right.at, all, err) : code;
}

void kl_cuda_heads_close(struct kl_cuda_heads **heads)
{
    struct kl_cuda_heads *h = *heads;
    if (!h) return;
    struct room *const rooms[] = { &h->order, &h->which,  &h->replica, &h->factors, &h->sums,
                                   &h->rows,  &h->logits, &h->outputs, &h->loss,    &h->right };
    for (struct room *room : rooms) cudaFree(room->at);
    for (int i = 0; i < h->n_memory; i++) cudaFree(h->memory[i]);
    cudaFree(h->arrays);
    cudaFree(h->groups);
    cudaFree(h->absent);
    if (h->stream) cudaStreamDestroy(h->stream);
    free(h);
    *heads = NULL;
}
