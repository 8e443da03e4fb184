/* SPDX-License-Identifier: MIT
   What a batch of images launches, one kernel or convolution after another, and the graph made of it. */
#include "kernels/cuda/resnet_int.h"
#include "kernels/cuda/resnet_kernels.cuh"

typedef void (*kernel)(struct kl_resnet_job);

/* The kernels of one precision. */
struct kernels {
    kernel planes, maxima, values;
    int channels; /* of a thread of maxima */
};
template <class T> static struct kernels kernels_in(bool grey)
{
    return { grey ? kl_resnet_planes<T, 2> : kl_resnet_planes<T, 4>, kl_resnet_maxima<T>,
             kl_resnet_values<T>, kl_per<T>::ACCESS };
}
static struct kernels kernels_of(int precision, bool grey)
{
    return precision == KL_CUDA_BF16   ? kernels_in<__nv_bfloat16>(grey)
           : precision == KL_CUDA_FP16 ? kernels_in<__half>(grey)
                                       : kernels_in<float>(grey);
}

static int launch(struct kl_cuda_resnet *f, kernel run, struct kl_resnet_job job, struct kl_error *err)
{
    void *arguments[] = { &job };
    return kl_cuda_check(cudaLaunchKernel(run, dim3(kl_resnet_blocks(job.count)),
                                          dim3(KL_RESNET_THREADS), arguments, 0, f->compute),
                         "features", err);
}

int kl_resnet_batch(struct kl_cuda_resnet *f, const struct kl_resnet_slot *s, struct kl_error *err)
{
    const struct kl_cuda_backbone *net = &f->net;
    const struct kernels kernels = kernels_of(net->precision, net->channels == 1);
    const struct kl_cuda_conv *stem = &f->convs[0].shape;
    const size_t n = net->batch;
    struct kl_resnet_job planes = {}, maxima = {}, values = {};
    planes.from = s->card_pixels, planes.to = f->planes;
    planes.h = net->height, planes.w = net->width, planes.out_h = stem->in_h, planes.out_w = stem->in_w;
    planes.count = n * (size_t)stem->in_h * (size_t)stem->in_w;
    maxima.from = f->maps[1], maxima.to = f->maps[0];
    maxima.h = stem->out_h, maxima.w = stem->out_w, maxima.c = stem->out;
    maxima.out_h = kl_half_of(stem->out_h), maxima.out_w = kl_half_of(stem->out_w);
    maxima.count =
        n * (size_t)maxima.out_h * (size_t)maxima.out_w * (size_t)(maxima.c / kernels.channels);
    values.from = f->maps[f->convs[net->n_convs - 1].shape.to], values.to = s->card_values;
    values.h = net->h, values.w = net->w, values.c = net->c, values.mean = net->mean;
    values.count = n * f->d;
    int code = launch(f, kernels.planes, planes, err);
    for (int i = 0; i < net->n_convs && !code; i++) {
        const struct kl_cuda_conv *k = &f->convs[i].shape;
        code = kl_cudnn_conv_run(
            &f->convs[i], &f->cudnn, f->handle, f->maps[k->to], i ? f->maps[k->from] : f->planes,
            k->residual < 0 ? NULL : f->maps[k->residual], f->workspace, f->room, f->compute, err);
        if (i == 0 && !code) code = launch(f, kernels.maxima, maxima, err);
    }
    return code ? code : launch(f, kernels.values, values, err);
}

/* Other threads may meanwhile do what they like with the card: this one alone is watched. */
int kl_resnet_capture(struct kl_cuda_resnet *f, struct kl_resnet_slot *s, struct kl_error *err)
{
    const char *what = "capturing a batch";
    cudaGraph_t graph = NULL;
    int code =
        kl_cuda_check(cudaStreamBeginCapture(f->compute, cudaStreamCaptureModeThreadLocal), what, err);
    if (code) return code;
    code = kl_resnet_batch(f, s, err);
    const cudaError_t status = cudaStreamEndCapture(f->compute, &graph); /* even after an error */
    /* A lost card is met again at the first batch. */
    const bool cannot = code == KL_EDEVICE || (status >= cudaErrorStreamCaptureUnsupported &&
                                               status <= cudaErrorStreamCaptureWrongThread);
    if (cannot) code = KL_OK, (void)cudaGetLastError();
    else if (!code) code = kl_cuda_check(status, what, err);
    if (!code && !cannot) code = kl_cuda_check(cudaGraphInstantiate(&s->graph, graph, 0), what, err);
    if (graph) cudaGraphDestroy(graph);
    return code;
}

int kl_resnet_launch(struct kl_cuda_resnet *f, const struct kl_resnet_slot *s, struct kl_error *err)
{
    return s->graph ? kl_cuda_check(cudaGraphLaunch(s->graph, f->compute), "features", err)
                    : kl_resnet_batch(f, s, err);
}
