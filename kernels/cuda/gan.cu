/* SPDX-License-Identifier: MIT
   GANs of pairs side by side on the GPU: their memory, their launches. */
#include <stdlib.h>

#include "kernels/cuda/gan_born.cuh"
#include "kernels/cuda/gan_network.cuh"
#include "kernels/cuda/library.h"

enum { DRAWING = 64 /* blocks that draw the weights of a pair */ };
struct kl_cuda_gans {
    struct kl_gan_job job;
    size_t n, angles; /* pairs; angles of one */
    size_t shared;    /* bytes of a block's shared memory */
    struct kl_cuda_pieces pieces;
    void *factors, *history;
    int64_t count; /* epochs that factors and history have room for */
    cudaStream_t stream;
};
typedef void (*kernel)(struct kl_gan_job);

static kernel kernel_of(const struct kl_cuda_gans *g)
{
    return g->job.shape.quantum ? kl_born_epochs : kl_gan_epochs;
}

/* The second state of a circuit lies in shared memory too where it fits. */
static int look_at_gpu(struct kl_cuda_gans *g, size_t most, bool *other_outside, int device,
                       struct kl_error *err)
{
    struct cudaDeviceProp p;
    int together = 0, code = kl_cuda_check(cudaSetDevice(device), "taking the GPU", err);
    if (!code) code = kl_cuda_check(cudaGetDeviceProperties(&p, device), "looking at the GPU", err);
    if (code) return code;
    g->shared = g->job.shape.quantum ? KL_BORN_END * sizeof(double) : KL_GAN_NETWORK_END * sizeof(float);
    *other_outside = g->job.shape.quantum && g->shared > p.sharedMemPerBlockOptin;
    if (*other_outside) g->shared = KL_BORN_OTHER * sizeof(double);
    code = kl_cuda_check(
        cudaFuncSetAttribute(kernel_of(g), cudaFuncAttributeMaxDynamicSharedMemorySize, (int)g->shared),
        "looking at the GPU", err);
    if (!code)
        code = kl_cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&together, kernel_of(g),
                                                                           KL_GAN_THREADS, g->shared),
                             "looking at the GPU", err);
    if (code) return code;
    if (!together)
        return kl_cuda_fail(err, KL_EDEVICE, "this GPU cannot hold a block of a GAN's kernel");
    g->n = (size_t)(together * p.multiProcessorCount);
    if (g->n > most) g->n = most;
    return KL_OK;
}

/* n zeros for as long as the GANs live. */
template <class T> static int keep(struct kl_cuda_gans *g, T **to, size_t n, struct kl_error *err)
{
    return kl_cuda_keep(&g->pieces, to, NULL, n, "GANs", err);
}

static int take_memory(struct kl_cuda_gans *g, bool other_outside, struct kl_error *err)
{
    struct kl_gan_job *job = &g->job;
    const size_t n = g->n, cells = n * KL_GAN_CELLS, p = n * (size_t)job->p, angles = n * g->angles,
                 weights = job->shape.quantum ? 0 : n * KL_GAN_WEIGHTS;
    int code = keep(g, (uint32_t **)&job->replica, n, err);
    if (!code) code = keep(g, (double **)&job->target, cells, err);
    if (!code) code = keep(g, &job->law, cells, err);
    if (!code) code = keep(g, &job->dp, cells, err);
    if (!code) code = keep(g, &job->slope, cells, err);
    if (!code) code = keep(g, &job->params, p, err);
    if (!code) code = keep(g, &job->params_m, p, err);
    if (!code) code = keep(g, &job->params_v, p, err);
    if (!code) code = keep(g, &job->angles, angles, err);
    if (!code) code = keep(g, &job->angles_m, angles, err);
    if (!code) code = keep(g, &job->angles_v, angles, err);
    if (!code) code = keep(g, &job->other, other_outside ? 2 * cells : 0, err);
    if (!code) code = keep(g, &job->weights, weights, err);
    if (!code) code = keep(g, &job->weights_m, weights, err);
    if (!code) code = keep(g, &job->weights_v, weights, err);
    return code;
}

static void gans_close(struct kl_cuda_gans **gans)
{
    struct kl_cuda_gans *g = *gans;
    if (!g) return;
    kl_cuda_give_pieces(&g->pieces);
    kl_cuda_give(g->factors);
    kl_cuda_give(g->history);
    if (g->stream) cudaStreamDestroy(g->stream);
    free(g);
    *gans = NULL;
}

static int gans_open(struct kl_cuda_gans **gans, size_t *n, const struct kl_cuda_gan *shape, int device,
                     struct kl_error *err)
{
    struct kl_cuda_gans *g = *gans = (struct kl_cuda_gans *)calloc(1, sizeof *g);
    bool other_outside = false;
    if (!g) return kl_cuda_fail(err, KL_ENOMEM, "no memory: %zu bytes asked for", sizeof *g);
    g->job.shape = *shape;
    g->job.p = 4 * shape->n_hidden + 1;
    g->angles = shape->quantum ? (size_t)(shape->repetitions + 1) * KL_BORN_TURNS : 0;
    int code = look_at_gpu(g, *n, &other_outside, device, err);
    if (!code) code = take_memory(g, other_outside, err);
    if (!code) code = kl_cuda_check(cudaStreamCreate(&g->stream), "taking the GPU", err);
    if (code) gans_close(gans);
    else *n = g->n;
    return code;
}

/* n values to place `at` of an array on the GPU. */
template <class T> static int send(const T *to, size_t at, const T *from, size_t n, struct kl_error *err)
{
    if (!n) return KL_OK;
    return kl_cuda_check(cudaMemcpy((void *)(to + at), from, n * sizeof(T), cudaMemcpyHostToDevice),
                         "to the GPU", err);
}

template <class T> static int clear(T *array, size_t i, size_t n, struct kl_error *err)
{
    return n ? kl_cuda_check(cudaMemset(array + i * n, 0, n * sizeof(T)), "on the GPU", err) : KL_OK;
}

static int gans_put(struct kl_cuda_gans *g, size_t i, uint32_t replica, const double *target,
                    const double *discriminator, const double *angles, struct kl_error *err)
{
    struct kl_gan_job job = g->job;
    void *arguments[] = { &job };
    const size_t p = (size_t)job.p, weights = job.shape.quantum ? 0 : KL_GAN_WEIGHTS;
    int code = send(job.replica, i, &replica, 1, err);
    if (!code) code = send(job.target, i * KL_GAN_CELLS, target, KL_GAN_CELLS, err);
    if (!code) code = send((const double *)job.params, i * p, discriminator, p, err);
    if (!code) code = send((const double *)job.angles, i * g->angles, angles, g->angles, err);
    if (!code) code = clear(job.params_m, i, p, err);
    if (!code) code = clear(job.params_v, i, p, err);
    if (!code) code = clear(job.angles_m, i, g->angles, err);
    if (!code) code = clear(job.angles_v, i, g->angles, err);
    if (!code) code = clear(job.weights_m, i, weights, err);
    if (!code) code = clear(job.weights_v, i, weights, err);
    if (code || job.shape.quantum) return code;
    job.first = (int64_t)i;
    return kl_cuda_check(
        cudaLaunchKernel(kl_gan_draw, dim3(DRAWING), dim3(KL_GAN_THREADS), arguments, 0, g->stream),
        "weights on the GPU", err);
}

/* Room for so many epochs. */
static int grow(struct kl_cuda_gans *g, int64_t count, struct kl_error *err)
{
    if (count <= g->count) return KL_OK;
    kl_cuda_give(g->factors), kl_cuda_give(g->history);
    g->factors = g->history = NULL, g->count = 0;
    int code = kl_cuda_take(&g->factors, (size_t)count, sizeof(struct kl_cuda_gan_factors), "GANs", err);
    if (!code)
        code = kl_cuda_take(&g->history, g->n * (size_t)count * KL_CUDA_GAN_COLUMNS, sizeof(double),
                            "GANs", err);
    if (!code) g->count = count;
    return code;
}

static int gans_epochs(struct kl_cuda_gans *g, size_t n, int64_t first, int64_t count,
                       const struct kl_cuda_gan_factors *factors, double *history, struct kl_error *err)
{
    struct kl_gan_job job = g->job;
    void *arguments[] = { &job };
    if (!n || count <= 0) return KL_OK;
    int code = grow(g, count, err);
    if (!code)
        code = send((const struct kl_cuda_gan_factors *)g->factors, 0, factors, (size_t)count, err);
    if (code) return code;
    job.first = first, job.count = count;
    job.factors = (const struct kl_cuda_gan_factors *)g->factors, job.history = (double *)g->history;
    code = kl_cuda_check(cudaLaunchKernel(kernel_of(g), dim3((unsigned)n), dim3(KL_GAN_THREADS),
                                          arguments, g->shared, g->stream),
                         "training", err);
    if (!code) code = kl_cuda_check(cudaStreamSynchronize(g->stream), "training", err);
    if (code) return code;
    return kl_cuda_check(cudaMemcpy(history, g->history,
                                    n * (size_t)count * KL_CUDA_GAN_COLUMNS * sizeof *history,
                                    cudaMemcpyDeviceToHost),
                         "from the GPU", err);
}

static int fetch(double *to, const double *from, size_t i, size_t n, struct kl_error *err)
{
    if (!n) return KL_OK;
    return kl_cuda_check(cudaMemcpy(to, from + i * n, n * sizeof *to, cudaMemcpyDeviceToHost),
                         "from the GPU", err);
}

static int gans_get(struct kl_cuda_gans *g, size_t i, double *law, double *discriminator, double *angles,
                    struct kl_error *err)
{
    int code = fetch(law, g->job.law, i, KL_GAN_CELLS, err);
    if (!code) code = fetch(discriminator, g->job.params, i, (size_t)g->job.p, err);
    return code ? code : fetch(angles, g->job.angles, i, g->angles, err);
}

const struct kl_cuda_gans_calls kl_cuda_gans_calls = { gans_open, gans_put, gans_epochs, gans_get,
                                                       gans_close };
