/* SPDX-License-Identifier: MIT
   Windows' circuits on the GPU: their memory, their launches. */
#include <stdlib.h>

#include "kernels/cuda/library.h"
#include "kernels/cuda/window_embed.cuh"

enum { MEMORIES = 9 };
struct kl_cuda_windows {
    struct kl_windows_job job;
    size_t n, n_copies, most, back, outputs; /* n: copies of the batch that went forward */
    size_t bytes[2];                         /* of a block's memory: forward, back */
    struct kl_window_layout at[2];
    void *memory[MEMORIES];
    int n_memory;
    cudaStream_t stream;
};
typedef void (*kernel)(struct kl_windows_job);

static int32_t place(size_t *end, size_t floats)
{
    const size_t at = *end;
    *end += (floats + 3) / 4 * 4; /* as whole float4 */
    return (int32_t)at;
}

static bool is_normed(const struct kl_cuda_windows_shape *s)
{
    return s->kind == KL_CUDA_WINDOW_EMBEDDED || s->kind == KL_CUDA_WINDOW_NORM_TANH;
}
/* Rows of what a step adds to sums: by alpha and beta; by factors and skip; by features. */
static size_t mix_rows(const struct kl_cuda_windows_shape *s)
{
    const size_t n = (size_t)s->n_qubits;
    if (s->kind == KL_CUDA_WINDOW_NORM_TANH) return 3 * n;
    return s->kind == KL_CUDA_WINDOW_EMBEDDED ? KL_EMBED_FACTORS + n : (size_t)KL_MIX;
}

/* Places in a block's memory of what is there whatever the number of states; returns their end. */
static size_t lay_out_rows(struct kl_window_layout *at, const struct kl_cuda_windows_shape *s, bool back)
{
    const bool normed = is_normed(s);
    const size_t angles = (size_t)s->n_angles, own = normed ? 0 : angles, shared = (size_t)s->n_shared,
                 row = KL_WINDOW_ROW, outputs = 3 * (size_t)s->n_qubits;
    size_t end = 0;
    *at = {};
    at->x = place(&end, (size_t)s->channels * row);
    at->turns = place(&end, 2 * own * KL_WINDOW_STEPS);
    at->shared = place(&end, 2 * shared);
    at->m = place(&end, outputs * row);
    at->norm = place(&end, 2 * KL_WINDOW_STEPS);
    at->z = place(&end, (angles - own) * row);
    at->r = place(&end, normed ? outputs * row : 0);
    if (!back) return end;
    at->slope = place(&end, own * row);
    at->dangle = place(&end, (own + shared) * row);
    at->dm = place(&end, outputs * row);
    at->mix = place(&end, mix_rows(s) * row);
    at->field = place(&end, s->superposed ? (size_t)2 << s->n_qubits : 0);
    at->dz = place(&end, (angles - own) * row);
    at->keep = place(&end, normed ? KL_EMBED_KEPT * row : 0);
    return end;
}

/* With states of as many warps as there is room for; returns the block's bytes. 0: there is not even for
   one. */
static size_t lay_out(struct kl_window_layout *at, const struct kl_cuda_windows_shape *s, bool back,
                      size_t most)
{
    const size_t state = (size_t)2 << s->n_qubits, room = most / sizeof(float);
    size_t end = lay_out_rows(at, s, back);
    if (is_normed(s)) at->state = (int32_t)(2 * state + 24 * (size_t)s->n_qubits);
    else at->state = (int32_t)(state * (1 + (s->superposed ? 1 : 0) + (back ? 1 : 0)));
    at->groups = KL_WINDOW_WARPS;
    while (at->groups && end + (size_t)at->groups * (size_t)at->state > room) at->groups /= 2;
    at->states = place(&end, (size_t)at->groups * (size_t)at->state);
    return at->groups ? end * sizeof(float) : 0;
}

static kernel blocks_kernel(const struct kl_cuda_windows_shape *s, bool back)
{
    if (is_normed(s)) return back ? kl_embed_blocks<true> : kl_embed_blocks<false>;
    return back ? kl_windows_blocks<true> : kl_windows_blocks<false>;
}

static int look_at_gpu(struct kl_cuda_windows *w, int device, struct kl_error *err)
{
    struct cudaDeviceProp p;
    int code = kl_cuda_check(cudaSetDevice(device), "taking the GPU", err);
    if (!code) code = kl_cuda_check(cudaGetDeviceProperties(&p, device), "looking at the GPU", err);
    for (int back = 0; back < 2 && !code; back++) {
        w->bytes[back] = lay_out(&w->at[back], &w->job.shape, back, p.sharedMemPerBlockOptin);
        if (!w->bytes[back])
            return kl_cuda_fail(err, KL_EUSAGE,
                                "circuits of %d qubits on %d channels do not fit a block of this GPU, "
                                "of %zu bytes; give --device cpu",
                                w->job.shape.n_qubits, w->job.shape.channels, p.sharedMemPerBlockOptin);
        code = kl_cuda_check(cudaFuncSetAttribute(blocks_kernel(&w->job.shape, back),
                                                  cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                  (int)w->bytes[back]),
                             "looking at the GPU", err);
    }
    return code;
}

/* n values for as long as the windows live: zeros, or a copy. */
template <class T>
static int keep(struct kl_cuda_windows *w, const T **to, const void *from, size_t n,
                struct kl_error *err)
{
    void *memory = NULL;
    int code = from ? kl_cuda_copy(&memory, from, n, sizeof(T), "windows", err)
                    : kl_cuda_take(&memory, n, sizeof(T), "windows", err);
    w->memory[w->n_memory++] = memory;
    *to = (const T *)memory;
    return code;
}

static int take_memory(struct kl_cuda_windows *w, size_t n_windows, struct kl_error *err)
{
    struct kl_windows_job *job = &w->job;
    struct kl_cuda_windows_shape *s = &job->shape;
    const size_t n = w->n_copies, chunks = (size_t)job->chunks, given = job->places.end,
                 forward = w->most * w->outputs, back = w->back * given,
                 states = s->superposed ? (size_t)1 << s->n_qubits : 0;
    int code = keep(w, &s->rotations, s->rotations, (size_t)s->n_rotations, err);
    if (!code) code = keep(w, &s->image, s->superposed ? s->image : NULL, states, err);
    if (!code)
        code = keep(w, &job->windows, NULL, n_windows * (size_t)s->channels * (size_t)s->stride, err);
    if (!code) code = keep(w, &job->rows, NULL, n * w->most, err);
    if (!code) code = keep(w, &job->given, NULL, n * given, err);
    if (!code) code = keep(w, &job->replica, NULL, n, err);
    if (!code) code = keep(w, &job->by_sum, NULL, n * w->back * w->outputs, err);
    if (!code)
        code = keep(w, (const float **)&job->part, NULL, n * chunks * (forward > back ? forward : back),
                    err);
    if (!code)
        code = keep(w, (const float **)&job->to, NULL, n * (forward > given ? forward : given), err);
    return code;
}

static void windows_close(struct kl_cuda_windows **windows)
{
    struct kl_cuda_windows *w = *windows;
    if (!w) return;
    if (w->stream) cudaStreamSynchronize(w->stream); /* after an error work may be under way */
    for (int i = 0; i < w->n_memory; i++) cudaFree(w->memory[i]);
    if (w->stream) cudaStreamDestroy(w->stream);
    free(w);
    *windows = NULL;
}

static int windows_open(struct kl_cuda_windows **windows, const struct kl_cuda_windows_shape *shape,
                        size_t n_windows, size_t n_copies, size_t most, size_t back, int device,
                        struct kl_error *err)
{
    struct kl_cuda_windows *w = *windows = (struct kl_cuda_windows *)calloc(1, sizeof *w);
    if (!w) return kl_cuda_fail(err, KL_ENOMEM, "no memory: %zu bytes asked for", sizeof *w);
    w->job.shape = *shape, w->job.places = kl_cuda_windows_places(shape);
    w->job.chunks = (shape->steps + KL_WINDOW_STEPS - 1) / KL_WINDOW_STEPS;
    w->n_copies = n_copies, w->most = most, w->back = back;
    w->outputs = kl_cuda_windows_outputs(shape);
    int code = back * (size_t)shape->channels * (size_t)shape->stride >> 32
                   ? kl_cuda_fail(err, KL_EUSAGE,
                                  "a batch of 2^32 values or more: not on a GPU; give --device cpu")
                   : look_at_gpu(w, device, err);
    if (!code) code = take_memory(w, n_windows, err);
    if (!code)
        code = kl_cuda_check(cudaStreamCreateWithFlags(&w->stream, cudaStreamNonBlocking),
                             "taking the GPU", err);
    if (code) windows_close(windows);
    return code;
}

/* n values to the GPU, in the order of the stream. */
template <class T>
static int send(struct kl_cuda_windows *w, const T *to, const T *from, size_t n, struct kl_error *err)
{
    if (!n) return KL_OK;
    return kl_cuda_check(
        cudaMemcpyAsync((void *)to, from, n * sizeof(T), cudaMemcpyHostToDevice, w->stream),
        "to the GPU", err);
}

static int windows_put(struct kl_cuda_windows *w, size_t first, const float *x, size_t n,
                       struct kl_error *err)
{
    const size_t size = (size_t)w->job.shape.channels * (size_t)w->job.shape.stride;
    int code = send(w, w->job.windows + first * size, x, n * size, err);
    return code ? code : kl_cuda_check(cudaStreamSynchronize(w->stream), "windows to the GPU", err);
}

/* One way of the batch, its sums, and these (n, values) to the host. */
static int run(struct kl_cuda_windows *w, float *to, bool back, size_t part, size_t values,
               struct kl_error *err)
{
    struct kl_windows_job *job = &w->job;
    void *arguments[] = { job };
    const unsigned n = (unsigned)w->n;
    const dim3 blocks(n * (unsigned)job->count * (unsigned)job->chunks),
        sums(n * (unsigned)kl_windows_sum_blocks(values));
    job->at = w->at[back], job->part_size = part, job->values = values;
    int code =
        kl_cuda_check(cudaLaunchKernel(blocks_kernel(&w->job.shape, back), blocks,
                                       dim3(KL_WINDOW_THREADS), arguments, w->bytes[back], w->stream),
                      "windows' circuits", err);
    if (!code)
        code = kl_cuda_check(cudaLaunchKernel(back ? kl_windows_sums<true> : kl_windows_sums<false>,
                                              sums, dim3(KL_WINDOW_THREADS), arguments, 0, w->stream),
                             "windows' circuits", err);
    if (!code)
        code = kl_cuda_check(
            cudaMemcpyAsync(to, job->to, w->n * values * sizeof *to, cudaMemcpyDeviceToHost, w->stream),
            "from the GPU", err);
    return code ? code : kl_cuda_check(cudaStreamSynchronize(w->stream), "windows' circuits", err);
}

static int windows_forward(struct kl_cuda_windows *w, float *sum,
                           const struct kl_cuda_windows_batch *batch, struct kl_error *err)
{
    struct kl_windows_job *job = &w->job;
    if (batch->n > w->n_copies || batch->count > w->most)
        return kl_cuda_fail(err, KL_EUSAGE, "%zu windows of %zu copies, opened for %zu of %zu",
                            batch->count, batch->n, w->most, w->n_copies);
    w->n = batch->n, job->count = (int32_t)batch->count, job->step = batch->step;
    job->threshold = batch->training ? job->shape.threshold : 0;
    if (!batch->n || !batch->count) return KL_OK;
    int code = send(w, job->rows, batch->rows, batch->n * batch->count, err);
    if (!code) code = send(w, job->given, batch->given, batch->n * job->places.end, err);
    if (!code) code = send(w, job->replica, batch->replica, batch->n, err);
    return code ? code : run(w, sum, false, w->outputs, batch->count * w->outputs, err);
}

static int windows_back(struct kl_cuda_windows *w, float *by_given, const float *by_sum,
                        struct kl_error *err)
{
    const size_t count = (size_t)w->job.count;
    if (count > w->back)
        return kl_cuda_fail(err, KL_EUSAGE, "%zu windows back, opened for %zu", count, w->back);
    if (!w->n || !count) return KL_OK;
    int code = send(w, w->job.by_sum, by_sum, w->n * count * w->outputs, err);
    return code ? code : run(w, by_given, true, w->job.places.end, w->job.places.end, err);
}

const struct kl_cuda_windows_calls kl_cuda_windows_calls = { windows_open, windows_put, windows_forward,
                                                             windows_back, windows_close };
