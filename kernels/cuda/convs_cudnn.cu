/* SPDX-License-Identifier: MIT
   The convolutions of a batch by cuDNN, one call each (cudnn_conv.cu), and the workspace that they
   share. */
#include <stdlib.h>

#include "kernels/cuda/convs.h"
#include "kernels/cuda/cudnn_int.h"

/* Part of the largest map that is workspace at least: more than cuDNN asks for, see cudnn_conv.cu. With
   the batch it becomes smaller, so that it is never what does not fit. */
enum { ROOM_PART = 4 };

struct cudnn_convs : kl_convs {
    struct kl_cudnn cudnn;
    cudnnHandle_t handle;
    cudaStream_t stream;
    int n;
    struct kl_cudnn_conv *convs;
    void *workspace;
    size_t room; /* bytes of it */
};

/* A handle is made, and not kept, for what cuDNN does with its first one, and for its first convolution.
 */
static int cudnn_prepare(struct kl_error *err)
{
    struct kl_cudnn cudnn;
    cudnnHandle_t handle = NULL;
    int code = kl_cudnn_load(&cudnn, err);
    if (!code) code = kl_cudnn_check(&cudnn, cudnn.Create(&handle), "taking the GPU", err);
    if (!code) code = kl_cudnn_conv_prepare(&cudnn, handle, err);
    if (handle) cudnn.Destroy(handle);
    return code;
}

static void need_room(struct cudnn_convs *all, size_t bytes)
{
    if (all->room < bytes) all->room = bytes;
}

static int open_conv(struct cudnn_convs *all, int i, const struct kl_cuda_backbone *net,
                     struct kl_error *err)
{
    const struct kl_cuda_conv *k = &net->convs[i];
    const size_t map = net->batch * (size_t)k->out * (size_t)k->out_h * (size_t)k->out_w;
    int code =
        kl_cudnn_conv_open(&all->convs[i], &all->cudnn, all->handle, k, net->batch, net->precision, err);
    if (net->apart) all->convs[i].apart = true;
    need_room(all, all->convs[i].workspace);
    need_room(all, map * kl_cuda_value(net->precision) / ROOM_PART);
    return code;
}

static int cudnn_open(struct kl_convs **convs, const struct kl_cuda_backbone *net, cudaStream_t stream,
                      struct kl_error *err)
{
    struct cudnn_convs *all = (struct cudnn_convs *)calloc(1, sizeof *all);
    *convs = all;
    if (!all) return kl_cuda_fail(err, KL_ENOMEM, "no memory for convolutions");
    all->stream = stream, all->n = net->n_convs;
    all->convs = (struct kl_cudnn_conv *)calloc((size_t)net->n_convs, sizeof *all->convs);
    if (!all->convs) return kl_cuda_fail(err, KL_ENOMEM, "no memory for convolutions");
    const struct kl_cudnn *cudnn = &all->cudnn;
    int code = kl_cudnn_load(&all->cudnn, err);
    if (!code) code = kl_cudnn_check(cudnn, cudnn->Create(&all->handle), "taking the GPU", err);
    if (!code)
        code = kl_cudnn_check(cudnn, cudnn->SetStream(all->handle, stream), "taking the GPU", err);
    for (int i = 0; i < net->n_convs && !code; i++) code = open_conv(all, i, net, err);
    return code ? code : kl_cuda_take(&all->workspace, all->room, 1, "a batch of images", err);
}

static int cudnn_run(struct kl_convs *convs, int number, void *y, const void *x, const void *residual,
                     struct kl_error *err)
{
    struct cudnn_convs *all = static_cast<struct cudnn_convs *>(convs);
    return kl_cudnn_conv_run(&all->convs[number], &all->cudnn, all->handle, y, x, residual,
                             all->workspace, all->room, all->stream, err);
}

static void cudnn_say(char *text, size_t size, const struct kl_convs *convs, int number)
{
    kl_cudnn_conv_say(text, size, &static_cast<const struct cudnn_convs *>(convs)->convs[number]);
}

static void cudnn_close(struct kl_convs **convs)
{
    struct cudnn_convs *all = static_cast<struct cudnn_convs *>(*convs);
    *convs = NULL;
    if (!all) return;
    for (int i = 0; all->convs && i < all->n; i++) kl_cudnn_conv_close(&all->convs[i], &all->cudnn);
    if (all->handle) all->cudnn.Destroy(all->handle);
    kl_cuda_give(all->workspace);
    free(all->convs), free(all);
}

const struct kl_convs_calls kl_convs_cudnn = { cudnn_prepare, cudnn_open, cudnn_run, cudnn_say,
                                               cudnn_close };
