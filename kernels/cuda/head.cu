/* SPDX-License-Identifier: MIT
   Heads side by side on the GPU: their launches. */
#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/head_kernels.cuh"
#include "kernels/cuda/heads.h"

/* That share a head's steps; where a row's state takes more than a warp, there is work for more. */
enum { MOST_BLOCKS = 16, MOST_LARGE_BLOCKS = 64 };

typedef void (*kernel)(struct kl_head_job);

/* By the circuit's size: see kl_quantum of head_rows.cuh. */
struct kernels {
    kernel steps, judge, resident; /* NULL: none such */
};
template <int R, bool REAL> static struct kernels kernels_of(void)
{
    if constexpr (R == 0) return { kl_head_steps<R, REAL>, kl_head_judge<R, REAL>, NULL };
    else return { kl_head_steps<R, REAL>, kl_head_judge<R, REAL>, kl_head_resident<R, REAL> };
}
static struct kernels kernels_for(const struct kl_cuda_circuit *c)
{
    if (!c->n_qubits) return kernels_of<4, true>();
    if (c->n_qubits > KL_CUDA_HELD_QUBITS) return kernels_of<0, false>();
    if (c->own_bits == 4) return c->real ? kernels_of<4, true>() : kernels_of<4, false>();
    return c->real ? kernels_of<5, true>() : kernels_of<5, false>();
}

/* Bytes of a block's memory. */
static size_t block_memory(const struct kl_cuda_head *shape)
{
    const struct kl_cuda_circuit *c = &shape->circuit;
    static_assert(KL_HEAD_THREADS == 1 << KL_KEPT_BITS, "a block takes a state in the GPU's memory");
    const int own_bits = c->n_qubits <= KL_CUDA_HELD_QUBITS ? c->own_bits : 0;
    const size_t circuit = c->n_qubits ? kl_state_memory(KL_HEAD_THREADS, own_bits) : 0,
                 tiles = kl_tiles(shape->layers[0]) ? KL_TILE_MEMORY : 0;
    return (circuit > tiles ? circuit : tiles) * sizeof(float);
}

/* Can the first layer stay in the memory of the blocks that share a head's steps, and how many blocks
   are that? A block takes so many outputs that strips are multiples of them: 8 if that fits, which gives
   a head of 128 outputs 16 blocks; fewer blocks would have more memory to read in each step, more of
   them less to do between two meetings. */
static int plan_resident(struct kl_cuda_heads *h, const struct kl_cuda_head *s,
                         const struct cudaDeviceProp *p, struct kl_error *err)
{
    static const int columns[] = { 8, 16, 32, 4 };
    const struct kl_cuda_layer *l = &s->layers[0];
    const kernel run = kernels_for(&s->circuit).resident;
    if (!run || l->kind != KL_CUDA_LINEAR || l->d_in % KL_HEAD_INPUTS || s->rule != KL_CUDA_ADAM ||
        s->clip > 0 || s->absent)
        return KL_OK;
    h->processors = p->multiProcessorCount;
    for (const int c : columns) {
        const size_t memory = h->block_memory + kl_resident_memory(*s, c) * sizeof(float);
        const int blocks = l->d_out / c;
        if (l->d_out % c || blocks > h->processors || memory > p->sharedMemPerBlockOptin) continue;
        h->resident_blocks = blocks, h->resident_memory = memory;
        h->job.resident_at = (int32_t)(h->block_memory / sizeof(float));
        /* As much as there is: it holds for all heads of this process, and others may need more. */
        return kl_cuda_check(cudaFuncSetAttribute(run, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                  (int)p->sharedMemPerBlockOptin),
                             "looking at the GPU", err);
    }
    return KL_OK;
}

/* Blocks that run at once. */
static int look_at_gpu(struct kl_cuda_heads *h, const struct kl_cuda_head *shape, int device,
                       struct kl_error *err)
{
    const struct kl_cuda_circuit *circuit = &shape->circuit;
    const struct kernels of = kernels_for(circuit);
    struct cudaDeviceProp p;
    size_t room = SIZE_MAX; /* blocks whose states fit the GPU's memory */
    int a = 0, b = 0;
    h->block_memory = block_memory(shape);
    int code = kl_cuda_check(cudaSetDevice(device), "taking the GPU", err);
    if (!code) code = kl_cuda_check(cudaGetDeviceProperties(&p, device), "looking at the GPU", err);
    if (!code)
        code = kl_cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a, of.steps, KL_HEAD_THREADS,
                                                                           h->block_memory),
                             "looking at the GPU", err);
    if (!code)
        code = kl_cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&b, of.judge, KL_HEAD_THREADS,
                                                                           h->block_memory),
                             "looking at the GPU", err);
    if (!code && circuit->n_qubits > KL_CUDA_HELD_QUBITS)
        code = kl_cuda_room(&room,
                            kl_kept_memory(circuit->own_bits + circuit->lane_bits) * sizeof(float), err);
    if (code) return code;
    h->together = (a < b ? a : b) * p.multiProcessorCount;
    if ((size_t)h->together > room) h->together = (int)room;
    if (h->together) return plan_resident(h, shape, &p, err);
    return kl_cuda_fail(err, KL_EDEVICE, "this GPU cannot hold a block of the head's kernel");
}

static void heads_close(struct kl_cuda_heads **heads)
{
    struct kl_cuda_heads *h = *heads;
    if (!h) return;
    if (h->stream) cudaStreamSynchronize(h->stream); /* after an error work may be under way */
    kl_cuda_heads_release(h);
    if (h->stream) cudaStreamDestroy(h->stream);
    free(h);
    *heads = NULL;
}

static int heads_open(struct kl_cuda_heads **heads, const struct kl_cuda_head *shape, size_t n_heads,
                      const float *x, const int32_t *labels, size_t n, int device, struct kl_error *err)
{
    struct kl_cuda_heads *h = *heads = (struct kl_cuda_heads *)calloc(1, sizeof *h);
    if (!h) return kl_cuda_fail(err, KL_ENOMEM, "no memory: %zu bytes asked for", sizeof *h);
    h->n_heads = n_heads, h->device = device;
    int code = look_at_gpu(h, shape, device, err);
    if (!code) code = kl_cuda_heads_take(h, shape, x, labels, n, err);
    if (!code)
        code = kl_cuda_check(cudaStreamCreateWithFlags(&h->stream, cudaStreamNonBlocking),
                             "taking the GPU", err);
    if (code) heads_close(heads);
    return code;
}

static void heads_room(int32_t *slice, size_t *chunk, const struct kl_cuda_heads *h)
{
    *slice = h->job.slice < h->shape.batch ? h->job.slice : 0;
    *chunk = h->features.resident ? 0 : h->features.chunk;
}

/* To the GPU or from it, behind what is in the heads' stream; fetched values are there after wait(). */
static int move(struct kl_cuda_heads *h, void *to, const void *from, size_t bytes,
                enum cudaMemcpyKind kind, struct kl_error *err)
{
    if (!bytes) return KL_OK;
    return kl_cuda_check(cudaMemcpyAsync(to, from, bytes, kind, h->stream),
                         kind == cudaMemcpyHostToDevice ? "to the GPU" : "from the GPU", err);
}

static int wait(struct kl_cuda_heads *h, const char *what, struct kl_error *err)
{
    return kl_cuda_check(cudaStreamSynchronize(h->stream), what, err);
}

/* By whichever thread calls: a training may go on in another than the one that opened it. */
static int take_gpu(const struct kl_cuda_heads *h, struct kl_error *err)
{
    return kl_cuda_check(cudaSetDevice(h->device), "taking the GPU", err);
}

static int heads_put(struct kl_cuda_heads *h, size_t head, const float *params, const float *m,
                     const float *v, struct kl_error *err)
{
    const float *const from[] = { params, m, v };
    float *const to[] = { h->job.params, h->job.m, h->job.v };
    const size_t size = h->shape.block;
    int code = take_gpu(h, err);
    for (int i = 0; i < 3 && !code; i++)
        if (from[i])
            code =
                move(h, to[i] + head * size, from[i], size * sizeof(float), cudaMemcpyHostToDevice, err);
    return code ? code : wait(h, "parameters to the GPU", err);
}

static int heads_get(struct kl_cuda_heads *h, size_t head, float *params, float *m, float *v,
                     struct kl_error *err)
{
    float *const to[] = { params, m, v };
    const float *const from[] = { h->job.params, h->job.m, h->job.v };
    const size_t size = h->shape.block;
    int code = take_gpu(h, err);
    for (int i = 0; i < 3 && !code; i++)
        if (to[i])
            code =
                move(h, to[i], from[i] + head * size, size * sizeof(float), cudaMemcpyDeviceToHost, err);
    return code ? code : wait(h, "parameters from the GPU", err);
}

/* Blocks a head: all that run at once are shared out, and each has two rows at least, or one whose state
   takes more than a warp. */
static int blocks_of(const struct kl_cuda_heads *h, size_t n)
{
    const bool large = h->shape.circuit.lane_bits > KL_WARP_BITS;
    const int most = large ? MOST_LARGE_BLOCKS : MOST_BLOCKS,
              rows = large ? h->job.slice : h->job.slice / 2;
    int blocks = (int)((size_t)h->together / n);
    if (blocks > most) blocks = most;
    if (blocks > rows) blocks = rows;
    return blocks < 1 ? 1 : blocks;
}

static int send_steps(struct kl_cuda_heads *h, const struct kl_cuda_steps *s, struct kl_error *err)
{
    const enum cudaMemcpyKind kind = cudaMemcpyHostToDevice;
    const size_t n = s->n, sums = n * (2 + (size_t)h->shape.n_groups) * sizeof *s->sums;
    int code = move(h, h->which, s->which, n * sizeof *s->which, kind, err);
    if (!code) code = move(h, h->replica, s->replica, n * sizeof *s->replica, kind, err);
    if (!code)
        code = move(h, h->factors, s->factors, n * (size_t)s->count * sizeof *s->factors, kind, err);
    return code ? code : move(h, h->sums, s->sums, sums, kind, err);
}

/* `count` steps on the next n_rows rows, from step `done` of the call on. */
static int launch_steps(struct kl_cuda_heads *h, const struct kl_cuda_steps *s, int64_t done,
                        int64_t count, const int32_t *order, size_t n_rows, struct kl_error *err)
{
    const struct kernels of = kernels_for(&h->shape.circuit);
    const bool resident = h->resident_blocks && h->job.slice == h->shape.batch &&
                          s->n * (size_t)h->resident_blocks <= (size_t)h->processors;
    const kernel run = resident ? of.resident : of.steps;
    const size_t memory = resident ? h->resident_memory : h->block_memory;
    struct kl_head_job job = h->job;
    struct kl_cuda_rows rows;
    void *arguments[] = { &job };
    int code = kl_cuda_features_send(&rows, &h->features, order, n_rows, h->stream, err);
    if (!code)
        code = kl_cuda_check(cudaMemsetAsync(job.barrier, 0, s->n * sizeof *job.barrier, h->stream),
                             "to the GPU", err);
    if (code) return code;
    job.x = rows.x, job.labels = rows.labels, job.order = rows.rows;
    job.blocks = resident ? h->resident_blocks : blocks_of(h, s->n);
    job.tiled = job.blocks <= kl_tiles(h->shape.layers[0]);
    job.which = h->which, job.replica = h->replica, job.sums = h->sums;
    job.factors = h->factors + done, job.factors_step = s->count;
    job.count = count, job.number = s->number + (uint32_t)done, job.n_rows = (int32_t)n_rows;
    const dim3 grid((unsigned)(s->n * (size_t)job.blocks)), block(KL_HEAD_THREADS);
    const cudaError_t status =
        job.blocks > 1 ? cudaLaunchCooperativeKernel(run, grid, block, arguments, memory, h->stream)
                       : cudaLaunchKernel(run, grid, block, arguments, memory, h->stream);
    code = kl_cuda_check(status, "training", err);
    return code ? code : kl_cuda_features_used(&h->features, h->stream, err);
}

/* All steps in one launch, or as many as the rows of a chunk are good for. */
static int heads_steps(struct kl_cuda_heads *h, const struct kl_cuda_steps *s, struct kl_error *err)
{
    const int64_t batch = h->shape.batch, all = (int64_t)(h->features.chunk / (size_t)batch),
                  most = h->features.chunk == h->features.n ? s->count : all;
    int code = take_gpu(h, err);
    if (!code) code = send_steps(h, s, err);
    for (int64_t done = 0; done < s->count && !code; done += most) {
        const int64_t count = s->count - done < most ? s->count - done : most;
        const size_t begin = (size_t)((s->first + done) * batch), left = s->n_rows - begin,
                     rows = (size_t)(count * batch);
        code = launch_steps(h, s, done, count, s->order + begin, rows < left ? rows : left, err);
    }
    if (!code)
        code = move(h, s->sums, h->sums, s->n * (2 + (size_t)h->shape.n_groups) * sizeof *s->sums,
                    cudaMemcpyDeviceToHost, err);
    return code ? code : wait(h, "training", err);
}

/* Of what n heads say of `all` rows, rows [first, first + rows). */
struct part {
    size_t n, first, rows, all;
};

/* Values of `size` bytes, (n, rows) on the GPU, to their place in (n, all); to NULL: to nowhere. */
static int fetch(struct kl_cuda_heads *h, void *to, const void *from, size_t size, const struct part *p,
                 struct kl_error *err)
{
    if (!to || !size) return KL_OK;
    const size_t width = p->rows * size;
    return kl_cuda_check(cudaMemcpy2DAsync((char *)to + p->first * size, p->all * size, from, width,
                                           width, p->n, cudaMemcpyDeviceToHost, h->stream),
                         "from the GPU", err);
}

static int fetch_judged(struct kl_cuda_heads *h, const struct kl_cuda_judged *to, const struct part *p,
                        struct kl_error *err)
{
    int code = fetch(h, to->logits, h->logits, (size_t)h->shape.n_classes * sizeof(float), p, err);
    if (!code) code = fetch(h, to->loss, h->loss, sizeof(float), p, err);
    return code ? code : fetch(h, to->right, h->right, sizeof *to->right, p, err);
}

static int judge(struct kl_cuda_heads *h, const struct kl_cuda_judged *to, const int32_t *order,
                 const struct part *p, struct kl_error *err)
{
    struct kl_head_job job = h->job;
    struct kl_cuda_rows rows;
    void *arguments[] = { &job };
    int code = kl_cuda_features_send(&rows, &h->features, order + p->first, p->rows, h->stream, err);
    if (code) return code;
    job.x = rows.x, job.labels = rows.labels, job.order = rows.rows, job.which = h->which;
    memcpy(job.y_at, h->judge_at, sizeof job.y_at);
    job.varying = h->judge_varying, job.varying_size = h->judge_varying_size, job.states = NULL;
    job.y = h->judge_y, job.y_size = h->judge_size, job.n_rows = (int32_t)p->rows;
    job.logits = to->logits ? h->logits : NULL;
    job.row_loss = to->loss ? h->loss : NULL, job.row_right = h->right;
    const size_t tiles = (p->rows + KL_JUDGED - 1) / KL_JUDGED, each = (size_t)h->together / p->n;
    job.blocks = (int32_t)(each < 1 ? 1 : each < tiles ? each : tiles);
    const dim3 grid((unsigned)(p->n * (size_t)job.blocks)), block(KL_HEAD_THREADS);
    code = kl_cuda_check(cudaLaunchKernel(kernels_for(&h->shape.circuit).judge, grid, block, arguments,
                                          h->block_memory, h->stream),
                         "judging", err);
    if (!code) code = kl_cuda_features_used(&h->features, h->stream, err);
    return code ? code : fetch_judged(h, to, p, err);
}

static int heads_judge(struct kl_cuda_heads *h, const struct kl_cuda_judged *to, const int32_t *which,
                       size_t n, const int32_t *rows, size_t n_rows, struct kl_error *err)
{
    const size_t chunk = h->features.chunk, most = chunk < h->judged ? chunk : h->judged;
    int code = take_gpu(h, err);
    if (!code) code = move(h, h->which, which, n * sizeof *which, cudaMemcpyHostToDevice, err);
    for (size_t at = 0; at < n_rows && !code; at += most) {
        const struct part p = { n, at, n_rows - at < most ? n_rows - at : most, n_rows };
        code = judge(h, to, rows, &p, err);
    }
    return code ? code : wait(h, "judging", err);
}

const struct kl_cuda_heads_calls kl_cuda_heads_calls = { heads_open,  heads_room,  heads_put,  heads_get,
                                                         heads_steps, heads_judge, heads_close };
