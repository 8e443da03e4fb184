/* SPDX-License-Identifier: MIT
   Chains side by side on the GPU: their memory, their launches. */
#include <stdlib.h>

#include "kernels/cuda/chain_step.cuh"
#include "kernels/cuda/library.h"

struct kl_cuda_chains {
    struct kl_chain_job job;
    size_t shared, threads; /* of a block */
    struct kl_cuda_pieces pieces;
};
typedef void (*kernel)(struct kl_chain_job);

static size_t width_of(const struct kl_cuda_chains_shape *shape)
{
    return shape->net.inputs <= 4 ? 4 : 8;
}
static kernel kernel_of(const struct kl_cuda_chains_shape *shape)
{
    return width_of(shape) == 4 ? kl_chains_go<4> : kl_chains_go<8>;
}

/* Places in shared memory but for the order; returns the end, in floats. */
static size_t lay_out(struct kl_cuda_chains *s)
{
    struct kl_chain_job *job = &s->job;
    const struct kl_shallow *net = &job->shape.net;
    const size_t warps = s->threads / 32, d = net->inputs,
                 last = kl_shallow_blocks(net) * ((d + 3) / 2) * 32;
    size_t end = 2 * KL_CUDA_CHAIN_UNITS / 32 + warps * 32;
    job->size = (int32_t)(net->units * (d + 2) + 1);
    job->last = (int32_t)last;
    job->groups = job->shape.fused ? (int32_t)last / 32 + 1 : (job->size + 31) / 32;
    job->steps = (int32_t)((job->shape.n[0] + job->shape.batch - 1) / job->shape.batch);
    job->normals_at = (int32_t)end, end += 32 * (size_t)job->groups;
    job->per_warp =
        (int32_t)(KL_CHAIN_CHUNK * (width_of(&job->shape) + 1) + KL_CHAIN_CHUNK * KL_CHAIN_ROW);
    job->warps_at = (int32_t)end, end += warps * (size_t)job->per_warp;
    return end;
}

/* The order of an epoch's records lies in shared memory where it leaves room for four blocks. */
static int fit(struct kl_cuda_chains *s, size_t most, bool *outside, struct kl_error *err)
{
    struct kl_chain_job *job = &s->job;
    const size_t n = job->steps > 1 || job->shape.batch < job->shape.n[0] ? job->shape.n[0] : 0;
    s->threads = (job->shape.net.units + 31) / 32 * 32;
    size_t end = s->threads <= KL_CUDA_CHAIN_UNITS ? lay_out(s) : 0;
    if (!end || end * sizeof(float) > most)
        return kl_cuda_fail(err, KL_EUSAGE,
                            "%zu hidden units: a block of this GPU has room for %d at most; give "
                            "--device cpu",
                            job->shape.net.units, (int)KL_CUDA_CHAIN_UNITS);
    job->order_at = (int32_t)end;
    *outside = n > 0 && (end + n) * sizeof(float) > most / 4;
    if (!*outside) end += n;
    s->shared = end * sizeof(float);
    return KL_OK;
}

static int look_at_gpu(struct kl_cuda_chains *s, bool *outside, int device, struct kl_error *err)
{
    struct cudaDeviceProp p;
    int code = kl_cuda_check(cudaSetDevice(device), "taking the GPU", err);
    if (!code) code = kl_cuda_check(cudaGetDeviceProperties(&p, device), "looking at the GPU", err);
    if (!code) code = fit(s, p.sharedMemPerBlockOptin, outside, err);
    if (code) return code;
    return kl_cuda_check(cudaFuncSetAttribute(kernel_of(&s->job.shape),
                                              cudaFuncAttributeMaxDynamicSharedMemorySize,
                                              (int)s->shared),
                         "looking at the GPU", err);
}

/* n values for as long as the chains live. */
template <class T> static int keep(struct kl_cuda_chains *s, T **to, size_t n, struct kl_error *err)
{
    return kl_cuda_keep(&s->pieces, to, NULL, n, "chains", err);
}
/* Records filled up to the kernel's width, labels as signs. */
static int send_records(struct kl_cuda_chains *s, int which, struct kl_error *err)
{
    struct kl_chain_job *job = &s->job;
    const size_t n = job->shape.n_sets * job->shape.n[which], d = job->shape.net.inputs,
                 width = width_of(&job->shape);
    float *x = (float *)calloc(n * (width + 1) + 1, sizeof *x), *sign = x + n * width;
    if (!x)
        return kl_cuda_fail(err, KL_ENOMEM, "no memory: %zu bytes asked for",
                            n * (width + 1) * sizeof *x);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < d; k++) x[i * width + k] = job->shape.x[which][i * d + k];
        sign[i] = job->shape.label[which][i] ? 1.0f : -1.0f;
    }
    float *on_gpu;
    int code = keep(s, &on_gpu, n * (width + 1), err);
    if (!code) code = kl_cuda_send(on_gpu, x, n * (width + 1), err);
    job->x[which] = on_gpu, job->sign[which] = on_gpu + n * width;
    free(x);
    return code;
}

static int take_memory(struct kl_cuda_chains *s, bool outside, struct kl_error *err)
{
    struct kl_chain_job *job = &s->job;
    const struct kl_cuda_chains_shape *shape = &job->shape;
    const size_t numbers = shape->chains * (size_t)job->size;
    const bool momenta = shape->sampler != KL_CUDA_SGLD && shape->sampler != KL_CUDA_MALA;
    int code = send_records(s, 0, err);
    if (!code) code = send_records(s, 1, err);
    if (!code) code = keep(s, &job->chains, shape->chains, err);
    if (!code) code = keep(s, (struct kl_cuda_chain_span **)&job->spans, shape->spans, err);
    if (!code) code = keep(s, &job->judged, shape->spans, err);
    if (!code) code = keep(s, &job->outcomes, shape->steps, err);
    if (!code) code = keep(s, &job->w, numbers, err);
    if (!code && momenta) code = keep(s, &job->v, numbers, err);
    if (!code && shape->sampler == KL_CUDA_HMC) code = keep(s, &job->scale, numbers, err);
    if (!code && outside) code = keep(s, &job->order, shape->chains * shape->n[0], err);
    return code;
}

static void chains_close(struct kl_cuda_chains **chains)
{
    struct kl_cuda_chains *s = *chains;
    if (!s) return;
    kl_cuda_give_pieces(&s->pieces);
    free(s);
    *chains = NULL;
}

static int chains_open(struct kl_cuda_chains **chains, const struct kl_cuda_chains_shape *shape,
                       int device, struct kl_error *err)
{
    bool outside = false;
    struct kl_cuda_chains *s = *chains = (struct kl_cuda_chains *)calloc(1, sizeof *s);
    if (!s) return kl_cuda_fail(err, KL_ENOMEM, "no memory: %zu bytes asked for", sizeof *s);
    s->job.shape = *shape;
    int code = look_at_gpu(s, &outside, device, err);
    if (!code) code = take_memory(s, outside, err);
    if (code) chains_close(chains);
    return code;
}

static int chains_go(struct kl_cuda_chains *s, struct kl_cuda_chain *list, size_t n,
                     const struct kl_cuda_chain_span *spans, size_t n_spans, size_t n_steps, float *w,
                     float *v, const float *scale, struct kl_cuda_chain_outcome *outcomes,
                     struct kl_cuda_chain_judged *judged, struct kl_error *err)
{
    struct kl_chain_job *job = &s->job;
    const size_t numbers = n * (size_t)job->size;
    void *arguments[] = { job };
    if (!n) return KL_OK;
    int code = kl_cuda_send(job->chains, list, n, err);
    if (!code) code = kl_cuda_send((struct kl_cuda_chain_span *)job->spans, spans, n_spans, err);
    if (!code) code = kl_cuda_send(job->w, w, numbers, err);
    if (!code && job->v) code = kl_cuda_send(job->v, v, numbers, err);
    job->scaled = scale != NULL;
    if (!code && scale) code = kl_cuda_send(job->scale, scale, numbers, err);
    if (!code)
        code = kl_cuda_check(cudaLaunchKernel(kernel_of(&job->shape), dim3((unsigned)n),
                                              dim3((unsigned)s->threads), arguments, s->shared, NULL),
                             "sampling", err);
    if (!code) code = kl_cuda_fetch(list, job->chains, n, err);
    if (!code) code = kl_cuda_fetch(w, job->w, numbers, err);
    if (!code && job->v) code = kl_cuda_fetch(v, job->v, numbers, err);
    if (!code) code = kl_cuda_fetch(outcomes, job->outcomes, n_steps, err);
    if (!code) code = kl_cuda_fetch(judged, job->judged, n_spans, err);
    return code;
}

const struct kl_cuda_chains_calls kl_cuda_chains_calls = { chains_open, chains_go, chains_close };
