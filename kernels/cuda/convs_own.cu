/* SPDX-License-Identifier: MIT
   The convolutions of a batch in FP32 by a kernel of ours, which needs no cuDNN. */
#include "kernels/cuda/convs_own.cuh"

#include <stdio.h>
#include <stdlib.h>

#include "kernels/cuda/convs.h"

struct own_conv {
    struct kl_conv_job job;
    float *w, *bias; /* on the GPU */
};
struct own_convs : kl_convs {
    cudaStream_t stream;
    int n;
    struct own_conv *convs;
};

static int open_conv(struct own_conv *c, const struct kl_cuda_conv *k, size_t batch,
                     struct kl_error *err)
{
    const char *what = "weights to the GPU";
    const size_t out = (size_t)k->out, columns = (size_t)k->size * (size_t)k->size * (size_t)k->in;
    struct kl_conv_job *job = &c->job;
    job->places = batch * (size_t)k->out_h * (size_t)k->out_w;
    job->in = k->in, job->out = k->out, job->size = k->size, job->stride = k->stride, job->pad = k->pad;
    job->in_h = k->in_h, job->in_w = k->in_w, job->out_h = k->out_h, job->out_w = k->out_w;
    job->relu = k->relu;
    if (k->out % KL_CONV_COLUMNS || k->in % KL_CONV_DEEP)
        return kl_cuda_fail(err, KL_EINTERNAL, "a convolution of %d to %d channels", k->in, k->out);
    int code = kl_cuda_copy((void **)&c->w, k->weights, out * columns, sizeof *c->w, what, err);
    if (!code) code = kl_cuda_copy((void **)&c->bias, k->bias, out, sizeof *c->bias, what, err);
    job->w = c->w, job->bias = c->bias;
    return code;
}

static void own_close(struct kl_convs **convs)
{
    struct own_convs *all = static_cast<struct own_convs *>(*convs);
    *convs = NULL;
    if (!all) return;
    for (int i = 0; all->convs && i < all->n; i++) {
        kl_cuda_give(all->convs[i].w);
        kl_cuda_give(all->convs[i].bias);
    }
    free(all->convs), free(all);
}

static int own_open(struct kl_convs **convs, const struct kl_cuda_backbone *net, cudaStream_t stream,
                    struct kl_error *err)
{
    struct own_convs *all = (struct own_convs *)calloc(1, sizeof *all);
    *convs = all;
    if (!all) return kl_cuda_fail(err, KL_ENOMEM, "no memory for convolutions");
    all->stream = stream, all->n = net->n_convs;
    all->convs = (struct own_conv *)calloc((size_t)net->n_convs, sizeof *all->convs);
    int code = all->convs ? KL_OK : kl_cuda_fail(err, KL_ENOMEM, "no memory for convolutions");
    for (int i = 0; i < net->n_convs && !code; i++)
        code = open_conv(&all->convs[i], &net->convs[i], net->batch, err);
    return code;
}

static int own_prepare(struct kl_error *)
{
    return KL_OK;
}

static int own_run(struct kl_convs *convs, int number, void *y, const void *x, const void *residual,
                   struct kl_error *err)
{
    struct own_convs *all = static_cast<struct own_convs *>(convs);
    struct kl_conv_job job = all->convs[number].job;
    void *arguments[] = { &job };
    job.x = (const float *)x, job.residual = (const float *)residual, job.y = (float *)y;
    return kl_cuda_check(cudaLaunchKernel(kl_conv_own, dim3(kl_conv_blocks(&job)), dim3(KL_CONV_THREADS),
                                          arguments, KL_CONV_SHARED, all->stream),
                         "a convolution", err);
}

static void own_say(char *text, size_t size, const struct kl_convs *convs, int number)
{
    const struct kl_conv_job *k = &static_cast<const struct own_convs *>(convs)->convs[number].job;
    snprintf(text, size, "%dx%d/%d, %d to %d channels, %dx%d to %dx%d: our kernel, %u blocks", k->size,
             k->size, k->stride, k->in, k->out, k->in_h, k->in_w, k->out_h, k->out_w, kl_conv_blocks(k));
}

const struct kl_convs_calls kl_convs_own = { own_prepare, own_open, own_run, own_say, own_close };
