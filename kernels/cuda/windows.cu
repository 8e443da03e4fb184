/* SPDX-License-Identifier: MIT
   Windows' circuits on the GPU: their memory, their launches. */
#include <stdlib.h>

#include "kernels/cuda/library.h"
#include "kernels/cuda/window_embed.cuh"
#include "kernels/cuda/window_front.cuh"

struct kl_cuda_windows {
    struct kl_windows_job job, front;        /* the circuits'; the filters', if there are some */
    size_t n, n_copies, most, back, outputs; /* n: copies of the batch that went forward */
    size_t front_bytes;
    float *sums;     /* what comes back: (n, most, outputs), (n, places.end) */
    double *units;   /* (units, n, places.end) */
    size_t bytes[2]; /* of a block's memory: forward, back */
    struct kl_window_layout at[2];
    struct kl_cuda_pieces pieces;
    struct kl_cuda_watch watch;
    cudaStream_t stream;
    int device;
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

static kernel front_kernel(bool back)
{
    return back ? kl_front_blocks<true> : kl_front_blocks<false>;
}
static kernel blocks_kernel(const struct kl_cuda_windows_shape *s, bool back)
{
    if (is_normed(s)) return back ? kl_embed_blocks<true> : kl_embed_blocks<false>;
    return back ? kl_windows_blocks<true> : kl_windows_blocks<false>;
}

/* k may take so many bytes of a block's memory. */
static int allow(kernel k, size_t bytes, struct kl_error *err)
{
    return kl_cuda_check(
        cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes),
        "looking at the GPU", err);
}

static int look_at_gpu(struct kl_cuda_windows *w, int device, struct kl_error *err)
{
    const struct kl_cuda_windows_shape *s = &w->job.shape, *front = &w->front.shape;
    struct cudaDeviceProp p;
    size_t end = 0;
    int code = kl_cuda_check(cudaSetDevice(device), "taking the GPU", err);
    if (!code) code = kl_cuda_check(cudaGetDeviceProperties(&p, device), "looking at the GPU", err);
    if (code) return code;
    w->front.at.x = place(&end, (size_t)front->channels * KL_FRONT_ROW);
    w->front.at.z = place(&end, (size_t)front->filters * KL_WINDOW_ROW);
    w->front_bytes = end * sizeof(float);
    bool fits = !front->filters || w->front_bytes <= p.sharedMemPerBlockOptin;
    for (int back = 0; back < 2; back++) {
        w->bytes[back] = lay_out(&w->at[back], s, back, p.sharedMemPerBlockOptin);
        fits = fits && w->bytes[back];
    }
    if (!fits)
        return kl_cuda_fail(
            err, KL_EUSAGE,
            "circuits of %d qubits on %d channels do not fit a block of this GPU, of %zu "
            "bytes; give --device cpu",
            s->n_qubits, front->channels, p.sharedMemPerBlockOptin);
    for (int back = 0; back < 2 && !code; back++) {
        code = allow(blocks_kernel(s, back), w->bytes[back], err);
        if (!code && front->filters) code = allow(front_kernel(back), w->front_bytes, err);
    }
    return code;
}

/* n values for as long as the windows live: zeros, or a copy. */
template <class T>
static int keep(struct kl_cuda_windows *w, const T **to, const void *from, size_t n,
                struct kl_error *err)
{
    return kl_cuda_keep(&w->pieces, to, from, n, "windows", err);
}

static size_t most_of(size_t a, size_t b)
{
    return a > b ? a : b;
}

static int take_memory(struct kl_cuda_windows *w, size_t n_windows, struct kl_error *err)
{
    struct kl_windows_job *job = &w->job, *front = &w->front;
    struct kl_cuda_windows_shape *s = &job->shape;
    const size_t n = w->n_copies, given = job->places.end, filters = (size_t)front->shape.filters,
                 own = (size_t)job->chunks * most_of(w->most * w->outputs, w->back * job->places.conv),
                 before = filters ? (size_t)front->chunks *
                                        most_of(w->most * filters, w->back * (given - job->places.conv))
                                  : 0;
    int code = keep(w, &s->rotations, s->rotations, (size_t)s->n_rotations, err);
    if (!code)
        code = keep(w, &s->image, s->superposed ? s->image : NULL,
                    s->superposed ? (size_t)1 << s->n_qubits : 0, err);
    if (!code)
        code = keep(w, &front->windows, NULL,
                    n_windows * (size_t)front->shape.channels * (size_t)front->shape.stride, err);
    if (!code) code = keep(w, &front->rows, NULL, n * w->most, err);
    if (!code) code = keep(w, &job->given, NULL, n * given, err);
    if (!code) code = keep(w, &job->replica, NULL, n, err);
    if (!code) code = keep(w, &job->by_sum, NULL, n * w->back * w->outputs, err);
    if (!code) code = keep(w, (const float **)&job->part, NULL, n * most_of(own, before), err);
    if (!code)
        code = keep(w, (const float **)&w->sums, NULL, n * most_of(w->most * w->outputs, given), err);
    if (!code) code = keep(w, (const double **)&w->units, NULL, (size_t)s->units * n * given, err);
    if (!code) code = keep(w, &job->windows, NULL, n * w->most * filters, err);
    if (!code) code = keep(w, (const float **)&job->by_x, NULL, n * w->back * filters, err);
    front->given = job->given, front->part = job->part, front->by_sum = job->by_x;
    if (!filters) job->windows = front->windows, job->rows = front->rows;
    /* Zeros and copies must be there before the other stream begins. */
    return code ? code : kl_cuda_check(cudaStreamSynchronize(0), "windows", err);
}

static void windows_close(struct kl_cuda_windows **windows)
{
    struct kl_cuda_windows *w = *windows;
    if (!w) return;
    if (w->stream) cudaStreamSynchronize(w->stream); /* after an error work may be under way */
    kl_cuda_give_pieces(&w->pieces);
    if (w->stream) cudaStreamDestroy(w->stream);
    kl_cuda_watch_close(&w->watch);
    free(w);
    *windows = NULL;
}

/* Sizes of both jobs. What filters leave of a window is a window of one step. */
static void set_sizes(struct kl_cuda_windows *w, const struct kl_cuda_windows_shape *shape)
{
    struct kl_windows_job *job = &w->job, *front = &w->front;
    job->shape = front->shape = *shape;
    job->places = front->places = kl_cuda_windows_places(shape);
    front->places.weights = front->places.mix = 0; /* none of its values is of some blocks alone */
    front->chunks = (shape->steps + KL_WINDOW_STEPS - 1) / KL_WINDOW_STEPS;
    job->chunks = shape->filters ? 1 : front->chunks;
    job->apart = (size_t)(shape->filters ? shape->apart : shape->stride);
    if (shape->filters) job->shape.channels = shape->filters, job->shape.steps = job->shape.stride = 1;
    w->outputs = kl_cuda_windows_outputs(shape);
}

static int windows_open(struct kl_cuda_windows **windows, const struct kl_cuda_windows_shape *shape,
                        size_t n_windows, size_t n_copies, size_t most, size_t back, int device,
                        struct kl_error *err)
{
    struct kl_cuda_windows *w = *windows = (struct kl_cuda_windows *)calloc(1, sizeof *w);
    if (!w) return kl_cuda_fail(err, KL_ENOMEM, "no memory: %zu bytes asked for", sizeof *w);
    w->n_copies = n_copies, w->most = most, w->back = back, w->device = device;
    set_sizes(w, shape);
    const size_t whole = most_of(back, (size_t)shape->whole);
    int code = whole * kl_cuda_windows_inputs(shape) * w->job.apart >> 32
                   ? kl_cuda_fail(err, KL_EUSAGE,
                                  "a batch of 2^32 values or more: not on a GPU; give --device cpu")
                   : look_at_gpu(w, device, err);
    if (!code) code = take_memory(w, n_windows, err);
    if (!code)
        code = kl_cuda_check(cudaStreamCreateWithFlags(&w->stream, cudaStreamNonBlocking),
                             "taking the GPU", err);
    if (!code && shape->timed) code = kl_cuda_watch_open(&w->watch, err);
    if (code) windows_close(windows);
    return code;
}

/* By whichever thread calls: a training may go on in another than the one that opened it. */
static int take_gpu(const struct kl_cuda_windows *w, struct kl_error *err)
{
    return kl_cuda_check(cudaSetDevice(w->device), "taking the GPU", err);
}

static int windows_put(struct kl_cuda_windows *w, size_t first, const float *x, size_t n,
                       struct kl_error *err)
{
    const size_t size = (size_t)w->front.shape.channels * (size_t)w->front.shape.stride;
    int code = take_gpu(w, err);
    if (!code) code = kl_cuda_send_in(w->stream, w->front.windows + first * size, x, n * size, err);
    return code ? code : kl_cuda_check(cudaStreamSynchronize(w->stream), "windows to the GPU", err);
}

/* Blocks of k, each of which adds `part` values, and their sums, `values` of a copy, `row` apart,
   to `to`. */
static int run(struct kl_cuda_windows *w, struct kl_windows_job *job, kernel k, size_t bytes, bool back,
               size_t part, float *to, size_t values, size_t row, struct kl_error *err)
{
    void *arguments[] = { job };
    const unsigned n = (unsigned)w->n;
    const dim3 blocks(n * (unsigned)job->count * (unsigned)job->chunks),
        sums(n * (unsigned)kl_windows_sum_blocks(values));
    job->part_size = part, job->values = values, job->to = to, job->row = row;
    job->copies = w->n;
    const int code =
        kl_cuda_check(cudaLaunchKernel(k, blocks, dim3(KL_WINDOW_THREADS), arguments, bytes, w->stream),
                      "windows' circuits", err);
    if (code) return code;
    return kl_cuda_check(cudaLaunchKernel(back ? kl_windows_sums<true> : kl_windows_sums<false>, sums,
                                          dim3(KL_WINDOW_THREADS), arguments, 0, w->stream),
                         "windows' circuits", err);
}

/* What kernels gave, if code is none of a failure. */
template <class T>
static int come_back(struct kl_cuda_windows *w, int code, T *to, const T *from, size_t n,
                     struct kl_error *err)
{
    if (!code) code = kl_cuda_watch_mark(w->watch.end, w->stream, err);
    if (!code) code = kl_cuda_fetch_in(w->stream, to, from, n, "windows' circuits", err);
    return code ? code : kl_cuda_watch_read(&w->watch, err);
}

static int windows_forward(struct kl_cuda_windows *w, float *sum,
                           const struct kl_cuda_windows_batch *batch, struct kl_error *err)
{
    struct kl_windows_job *job = &w->job, *front = &w->front;
    const size_t n = batch->n, count = batch->count, filters = (size_t)front->shape.filters;
    if (n > w->n_copies || count > w->most)
        return kl_cuda_fail(err, KL_EUSAGE, "%zu windows of %zu copies, opened for %zu of %zu", count, n,
                            w->most, w->n_copies);
    w->n = n, job->count = front->count = (int32_t)count, job->step = batch->step;
    job->parts = front->parts = kl_parts_of(&batch->parts, count);
    job->number = (int32_t)kl_cuda_windows_part(&job->parts, (size_t)job->parts.first);
    job->threshold = batch->training ? job->shape.threshold : 0;
    job->at = w->at[0];
    if (!n || !count) return KL_OK;
    float *const to = w->sums;
    int code = take_gpu(w, err);
    if (!code) code = kl_cuda_send_in(w->stream, front->rows, batch->rows, n * count, err);
    if (!code) code = kl_cuda_send_in(w->stream, job->given, batch->given, n * job->places.end, err);
    if (!code) code = kl_cuda_send_in(w->stream, job->replica, batch->replica, n, err);
    if (!code) code = kl_cuda_watch_mark(w->watch.begin, w->stream, err);
    if (!code && filters)
        code = run(w, front, front_kernel(false), w->front_bytes, false, filters, (float *)job->windows,
                   count * filters, count * filters, err);
    if (!code)
        code = run(w, job, blocks_kernel(&job->shape, false), w->bytes[0], false, w->outputs, to,
                   count * w->outputs, count * w->outputs, err);
    return come_back(w, code, sum, to, n * count * w->outputs, err);
}

static int windows_back(struct kl_cuda_windows *w, float *by_given, double *by_units,
                        const float *by_sum, struct kl_error *err)
{
    struct kl_windows_job *job = &w->job, *front = &w->front;
    const size_t count = (size_t)job->count, own = job->places.conv, end = job->places.end;
    if (count > w->back)
        return kl_cuda_fail(err, KL_EUSAGE, "%zu windows back, opened for %zu", count, w->back);
    if (!w->n || !count) return KL_OK;
    job->at = w->at[1];
    job->units = by_units ? w->units : NULL, front->units = by_units ? w->units + own : NULL;
    float *const to = w->sums;
    int code = take_gpu(w, err);
    if (!code) code = kl_cuda_send_in(w->stream, job->by_sum, by_sum, w->n * count * w->outputs, err);
    if (!code) code = kl_cuda_watch_mark(w->watch.begin, w->stream, err);
    if (!code)
        code = run(w, job, blocks_kernel(&job->shape, true), w->bytes[1], true, own, to, own, end, err);
    if (!code && front->shape.filters)
        code = run(w, front, front_kernel(true), w->front_bytes, true, end - own, to + own, end - own,
                   end, err);
    const size_t n = w->n * end;
    if (by_units) return come_back(w, code, by_units, w->units, n * (size_t)job->parts.units, err);
    return come_back(w, code, by_given, to, n, err);
}

static size_t windows_at_once(const struct kl_cuda_windows *w)
{
    return w->most;
}

static double windows_seconds(const struct kl_cuda_windows *w)
{
    return w->watch.seconds;
}

const struct kl_cuda_windows_calls kl_cuda_windows_calls = { windows_open,    windows_put,
                                                             windows_forward, windows_back,
                                                             windows_at_once, windows_seconds,
                                                             windows_close };
