/* SPDX-License-Identifier: MIT
   One qubit's tasks on the GPU, a thread each: their memory, their launches. */
#include <stdlib.h>

#include "kernels/cuda/bloch_job.cuh"
#include "kernels/cuda/library.h"

struct kl_cuda_bloch {
    struct kl_bloch_job job;
    const struct kl_bloch_kernels *kernels;
    size_t size, rows, kept; /* bytes of a number; controls of a task; numbers of its states */
    void *states[2];         /* of gradients, of tangents */
    struct kl_cuda_pieces pieces;
    struct kl_cuda_watch watch; /* when first asked for */
    cudaStream_t stream;
    int device;
};

static const char what[] = "one qubit's tasks";

static void bloch_close(struct kl_cuda_bloch **bloch)
{
    struct kl_cuda_bloch *s = *bloch;
    if (!s) return;
    kl_cuda_give_pieces(&s->pieces);
    kl_cuda_watch_close(&s->watch);
    if (s->stream) cudaStreamDestroy(s->stream);
    free(s);
    *bloch = NULL;
}

/* ---- memory ---- */
static size_t blocks_of(const struct kl_cuda_bloch *s)
{
    return (s->job.n + KL_WARP - 1) / KL_WARP;
}

/* Room for `count` numbers of each of n tasks. */
template <class T>
static int keep(struct kl_cuda_bloch *s, T **to, size_t n, size_t count, struct kl_error *err)
{
    return kl_cuda_keep(&s->pieces, (char **)to, NULL, n * count * s->size, what, err);
}

/* Zeros go by the default stream, for which this one does not wait. */
static int settled(struct kl_error *err)
{
    return kl_cuda_check(cudaStreamSynchronize(0), what, err);
}

static int take(struct kl_cuda_bloch *s, struct kl_error *err)
{
    struct kl_bloch_job *job = &s->job;
    const size_t n = job->n;
    int code = keep(s, &job->u, n, s->rows, err);
    if (!code) code = keep(s, &job->grad_u, n, s->rows, err);
    if (!code) code = keep(s, &job->params, n, KL_BLOCH_PARAMS, err);
    if (!code) code = keep(s, &job->grad_params, n, KL_BLOCH_PARAMS, err);
    if (!code) code = keep(s, &job->weights, n, 3 * (size_t)job->b.columns, err);
    if (!code) code = keep(s, &job->loss, n, 1, err);
    if (!code) code = keep(s, &s->states[0], blocks_of(s) * KL_WARP, s->kept, err);
    return code ? code : settled(err);
}

static int take_tangents(struct kl_cuda_bloch *s, struct kl_error *err)
{
    int code = keep(s, &s->job.du, s->job.n, s->rows, err);
    if (!code) code = keep(s, &s->job.dgrad_u, s->job.n, s->rows, err);
    if (!code) code = keep(s, &s->states[1], blocks_of(s) * KL_WARP, 2 * s->kept, err);
    return code ? code : settled(err);
}

/* ---- calls ---- */
static int bloch_open(struct kl_cuda_bloch **bloch, const struct kl_bloch *b, size_t n, int single,
                      int device, struct kl_error *err)
{
    *bloch = NULL;
    if (b->affine ? b->columns != 1 : b->columns != 3)
        return kl_cuda_fail(err, KL_EUSAGE, "%s: %d columns, expected one affine one or three others",
                            what, b->columns);
    struct kl_cuda_bloch *s = *bloch = (struct kl_cuda_bloch *)calloc(1, sizeof *s);
    if (!s) return kl_cuda_fail(err, KL_ENOMEM, "no memory: %zu bytes asked for", sizeof *s);
    s->job.b = *b, s->job.n = n, s->device = device;
    kl_bloch_factors(s->job.factors, b->affine);
    s->kernels = single ? &kl_bloch_kernels_f32 : &kl_bloch_kernels_f64;
    s->size = single ? sizeof(float) : sizeof(double);
    s->rows = (size_t)(b->segments * b->controls);
    s->kept = 3 * (size_t)(b->segments * b->substeps) * (size_t)b->columns;
    int code = kl_cuda_check(cudaSetDevice(device), "taking the GPU", err);
    if (!code) code = take(s, err);
    if (!code)
        code = kl_cuda_check(cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking),
                             "taking the GPU", err);
    return code;
}

static int send(struct kl_cuda_bloch *s, const void *to, const void *from, size_t count,
                struct kl_error *err)
{
    return kl_cuda_send_in(s->stream, (const char *)to, (const char *)from, count * s->job.n * s->size,
                           err);
}
static int fetch(struct kl_cuda_bloch *s, void *to, const void *from, size_t count, struct kl_error *err)
{
    if (!to) return KL_OK;
    return kl_cuda_check(
        cudaMemcpyAsync(to, from, count * s->job.n * s->size, cudaMemcpyDeviceToHost, s->stream),
        "from the GPU", err);
}

static int launch(struct kl_cuda_bloch *s, const struct kl_cuda_bloch_at *at, struct kl_error *err)
{
    const bool tangents = at->du != NULL;
    const size_t shared = KL_WARP * s->size *
                          (KL_BLOCH_MAX_ORDER + 1 + (tangents ? 2 : 1) * KL_BLOCH_MAX_ORDER),
                 gate = s->job.b.columns == 3;
    struct kl_bloch_job job = s->job;
    job.states = s->states[tangents];
    if (!at->grad_u) job.grad_u = NULL;
    if (!at->grad_params) job.grad_params = NULL;
    void *arguments[] = { &job };
    return kl_cuda_check(
        cudaLaunchKernel(tangents ? s->kernels->tangent[gate] : s->kernels->gradient[gate],
                         dim3((unsigned)blocks_of(s)), dim3(KL_WARP), arguments, shared, s->stream),
        what, err);
}

/* Seconds of a launch among many. */
static int timed(struct kl_cuda_bloch *s, const struct kl_cuda_bloch_at *at, struct kl_error *err)
{
    int code = s->watch.end ? KL_OK : kl_cuda_watch_open(&s->watch, err);
    s->watch.seconds = 0;
    if (!code) code = kl_cuda_watch_mark(s->watch.begin, s->stream, err);
    for (int i = 0; i < KL_CUDA_GROUP && !code; i++) code = launch(s, at, err);
    if (!code) code = kl_cuda_watch_mark(s->watch.end, s->stream, err);
    if (!code) code = kl_cuda_check(cudaStreamSynchronize(s->stream), what, err);
    if (!code) code = kl_cuda_watch_read(&s->watch, err);
    *at->seconds = s->watch.seconds / KL_CUDA_GROUP;
    return code;
}

static int bloch_at(struct kl_cuda_bloch *s, const struct kl_cuda_bloch_at *at, struct kl_error *err)
{
    const struct kl_bloch_job *job = &s->job;
    int code = kl_cuda_check(cudaSetDevice(s->device), "taking the GPU", err);
    if (!code && at->du && !s->states[1]) code = take_tangents(s, err);
    if (!code) code = send(s, job->u, at->u, s->rows, err);
    if (!code) code = send(s, job->params, at->params, KL_BLOCH_PARAMS, err);
    if (!code) code = send(s, job->weights, at->weights, 3 * (size_t)job->b.columns, err);
    if (!code && at->du) code = send(s, job->du, at->du, s->rows, err);
    if (!code) code = at->seconds ? timed(s, at, err) : launch(s, at, err);
    if (!code && at->du) code = fetch(s, at->dgrad_u, job->dgrad_u, s->rows, err);
    if (!code && !at->du) code = fetch(s, at->loss, job->loss, 1, err);
    if (!code && !at->du) code = fetch(s, at->grad_u, job->grad_u, s->rows, err);
    if (!code && !at->du) code = fetch(s, at->grad_params, job->grad_params, KL_BLOCH_PARAMS, err);
    return code ? code : kl_cuda_check(cudaStreamSynchronize(s->stream), what, err);
}

const struct kl_cuda_bloch_calls kl_cuda_bloch_calls = { bloch_open, bloch_at, bloch_close };
