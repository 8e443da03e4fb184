/* SPDX-License-Identifier: MIT
   Small networks side by side on the GPU: their memory, their launches. */
#include <stdlib.h>

#include "kernels/cuda/library.h"
#include "kernels/cuda/mlp_train.cuh"

struct kl_cuda_mlps {
    struct kl_mlp_job job;
    size_t n_runs, shared; /* bytes of a block's shared memory */
    size_t n;              /* runs of the epoch under way */
    struct kl_cuda_pieces pieces;
    cudaStream_t stream;
};
typedef void (*kernel)(struct kl_mlp_job);

static kernel kernel_of(const struct kl_cuda_mlp *shape)
{
    return shape->packed ? kl_mlp_epochs<true> : kl_mlp_epochs<false>;
}

/* Places of everything but the moments; returns the end. */
static int64_t lay_out(struct kl_mlp_job *job)
{
    const struct kl_mlp *net = &job->shape.net;
    int64_t end = (int64_t)(sizeof(struct kl_mlp_sums) / sizeof(float));
    job->n_words = job->shape.packed ? (net->size[0] + 31) / 32 : net->size[0];
    job->y_at[0] = (int32_t)end, end += KL_MLP_BATCH * (int64_t)job->n_words;
    for (int l = 1; l <= net->n_layers; l++) {
        job->y_at[l] = (int32_t)end, end += KL_MLP_BATCH * (int64_t)net->size[l];
        job->d_at[l] = (int32_t)end, end += KL_MLP_BATCH * (int64_t)net->size[l];
    }
    const int64_t begin = end;
    job->file = 0;
    for (int l = 0; l < net->n_layers; l++) {
        job->step[l] = net->size[l + 1] | 1;
        job->width[l] = (uint32_t)kl_mlp_width(net->size[l]);
        job->at[l] = (int32_t)end, end += ((int64_t)net->size[l] + 1) * job->step[l];
        job->file += ((int64_t)net->size[l] + 1) * net->size[l + 1];
    }
    job->amount = end - begin;
    return end;
}

/* The moments lie in shared memory too where they fit. */
static int fit(struct kl_cuda_mlps *s, size_t most, struct kl_error *err)
{
    struct kl_mlp_job *job = &s->job;
    const size_t room = most / sizeof(float), end = (size_t)lay_out(job), amount = (size_t)job->amount;
    if (end > room)
        return kl_cuda_fail(
            err, KL_EUSAGE,
            "the network takes %zu bytes, a block of this GPU has %zu; give --device cpu",
            end * sizeof(float), most);
    s->shared = end * sizeof(float);
    if (end + 2 * amount > room) return KL_OK;
    job->m_at = (int32_t)end, job->v_at = (int32_t)(end + amount);
    s->shared += 2 * amount * sizeof(float);
    return KL_OK;
}

/* Runs that fit the GPU at once are as many as are opened. */
static int look_at_gpu(struct kl_cuda_mlps *s, size_t most_runs, int device, struct kl_error *err)
{
    struct cudaDeviceProp p;
    int together = 0, code = kl_cuda_check(cudaSetDevice(device), "taking the GPU", err);
    if (!code) code = kl_cuda_check(cudaGetDeviceProperties(&p, device), "looking at the GPU", err);
    if (!code) code = fit(s, p.sharedMemPerBlockOptin, err);
    const kernel run = kernel_of(&s->job.shape);
    if (!code)
        code = kl_cuda_check(
            cudaFuncSetAttribute(run, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)s->shared),
            "looking at the GPU", err);
    if (!code)
        code = kl_cuda_check(
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&together, run, KL_MLP_THREADS, s->shared),
            "looking at the GPU", err);
    if (code) return code;
    if (!together)
        return kl_cuda_fail(err, KL_EDEVICE, "this GPU cannot hold a block of the network's kernel");
    s->n_runs = (size_t)(together * p.multiProcessorCount);
    if (s->n_runs > most_runs) s->n_runs = most_runs;
    return KL_OK;
}

/* n values for as long as the runs live: zeros, or a copy. */
template <class T>
static int keep(struct kl_cuda_mlps *s, const T **to, const void *from, size_t n, struct kl_error *err)
{
    return kl_cuda_keep(&s->pieces, to, from, n, "rows and networks", err);
}

static int take_memory(struct kl_cuda_mlps *s, const struct kl_cuda_mlp *shape, struct kl_error *err)
{
    struct kl_mlp_job *job = &s->job;
    const size_t n = s->n_runs, all = n * shape->n_rows, file = n * (size_t)job->file,
                 amount = n * (size_t)job->amount;
    int code = keep(s, (const char **)&job->shape.rows, shape->rows, shape->n_rows * shape->stride, err);
    if (!code) code = keep(s, &job->shape.rate, shape->rate, shape->n_steps, err);
    if (!code) code = keep(s, &job->shape.root, shape->root, shape->n_steps, err);
    if (!code) code = keep(s, (const float **)&job->params, NULL, file, err);
    if (!code) code = keep(s, (const float **)&job->best, NULL, file, err);
    if (!code) code = keep(s, (const float **)&job->m, NULL, amount, err);
    if (!code) code = keep(s, (const float **)&job->v, NULL, amount, err);
    if (!code) code = keep(s, &job->labels, NULL, all, err);
    if (!code) code = keep(s, &job->judging, NULL, all, err);
    if (!code) code = keep(s, &job->n_judging, NULL, n, err);
    if (!code) code = keep(s, &job->order, NULL, all, err);
    if (!code) code = keep(s, &job->epochs, NULL, n, err);
    if (!code) code = keep(s, (const struct kl_cuda_mlp_result **)&job->results, NULL, n, err);
    return code;
}

static void mlps_close(struct kl_cuda_mlps **mlps)
{
    struct kl_cuda_mlps *s = *mlps;
    if (!s) return;
    kl_cuda_give_pieces(&s->pieces);
    if (s->stream) cudaStreamDestroy(s->stream);
    free(s);
    *mlps = NULL;
}

static int mlps_open(struct kl_cuda_mlps **mlps, size_t *n_runs, const struct kl_cuda_mlp *shape,
                     int device, struct kl_error *err)
{
    struct kl_cuda_mlps *s = *mlps = (struct kl_cuda_mlps *)calloc(1, sizeof *s);
    if (!s) return kl_cuda_fail(err, KL_ENOMEM, "no memory: %zu bytes asked for", sizeof *s);
    s->job.shape = *shape;
    int code = look_at_gpu(s, *n_runs, device, err);
    if (!code) code = take_memory(s, shape, err);
    if (!code) code = kl_cuda_check(cudaStreamCreate(&s->stream), "taking the GPU", err);
    if (code) mlps_close(mlps);
    else *n_runs = s->n_runs;
    return code;
}

/* n values to place `at` of an array on the GPU. */
template <class T> static int send(const T *to, size_t at, const T *from, size_t n, struct kl_error *err)
{
    if (!n) return KL_OK;
    return kl_cuda_check(cudaMemcpy((void *)(to + at), from, n * sizeof(T), cudaMemcpyHostToDevice),
                         "to the GPU", err);
}

static int mlps_put(struct kl_cuda_mlps *s, size_t run, const float *params, const uint8_t *labels,
                    const int32_t *judging, size_t n_judging, struct kl_error *err)
{
    const size_t file = (size_t)s->job.file, amount = (size_t)s->job.amount, n = s->job.shape.n_rows;
    const int32_t count = (int32_t)n_judging;
    int code = send((const float *)s->job.params, run * file, params, file, err);
    if (!code) code = send(s->job.labels, run * n, labels, n, err);
    if (!code) code = send(s->job.judging, run * n, judging, n_judging, err);
    if (!code) code = send(s->job.n_judging, run, &count, 1, err);
    float *const moments[] = { s->job.m, s->job.v };
    for (int i = 0; i < 2 && !code; i++)
        code = kl_cuda_check(cudaMemset(moments[i] + run * amount, 0, amount * sizeof(float)),
                             "on the GPU", err);
    return code;
}

/* Of runs whose places lie side by side, as nearly always all do, in one copy: the GPU is idle
   meanwhile. */
static int send_orders(struct kl_cuda_mlps *s, const struct kl_cuda_mlp_epoch *epochs, size_t n,
                       const int32_t *order, struct kl_error *err)
{
    const size_t rows = s->job.shape.n_rows;
    int code = KL_OK;
    for (size_t i = 0, last; i < n && !code; i = last + 1) {
        for (last = i; last + 1 < n && epochs[last + 1].run == epochs[last].run + 1;) last++;
        const size_t at = (size_t)epochs[i].run * rows,
                     count = (last - i) * rows + (size_t)epochs[last].n_training;
        code = send(s->job.order, at, order + at, count, err);
    }
    return code;
}

static int mlps_start(struct kl_cuda_mlps *s, const struct kl_cuda_mlp_epoch *epochs, size_t n,
                      const int32_t *order, struct kl_error *err)
{
    void *arguments[] = { &s->job };
    int code = send(s->job.epochs, 0, epochs, n, err);
    if (!code) code = send_orders(s, epochs, n, order, err);
    s->n = n;
    if (code || !n) return code;
    return kl_cuda_check(cudaLaunchKernel(kernel_of(&s->job.shape), dim3((unsigned)n),
                                          dim3(KL_MLP_THREADS), arguments, s->shared, s->stream),
                         "training", err);
}

static int mlps_finish(struct kl_cuda_mlps *s, struct kl_cuda_mlp_result *results, struct kl_error *err)
{
    if (!s->n) return KL_OK;
    int code = kl_cuda_check(cudaStreamSynchronize(s->stream), "training", err);
    if (code) return code;
    return kl_cuda_check(
        cudaMemcpy(results, s->job.results, s->n * sizeof *results, cudaMemcpyDeviceToHost),
        "from the GPU", err);
}

static int mlps_get(struct kl_cuda_mlps *s, size_t run, int best, float *params, struct kl_error *err)
{
    const size_t file = (size_t)s->job.file;
    return kl_cuda_check(cudaMemcpy(params, (best ? s->job.best : s->job.params) + run * file,
                                    file * sizeof *params, cudaMemcpyDeviceToHost),
                         "from the GPU", err);
}

const struct kl_cuda_mlps_calls kl_cuda_mlps_calls = { mlps_open,   mlps_put, mlps_start,
                                                       mlps_finish, mlps_get, mlps_close };
