/* SPDX-License-Identifier: MIT
   What a batch of images launches: pixels in, the convolutions one after another or as the graph made of
   them, features out. */
#include "kernels/cuda/resnet_int.h"
#include "kernels/cuda/resnet_kernels.cuh"

typedef void (*kernel)(struct kl_resnet_job);

/* The kernels of one precision. */
struct kernels {
    kernel planes, maxima, look, values;
    int channels; /* of a thread of maxima and of looking */
};
template <class T> static struct kernels kernels_in(bool grey)
{
    return { grey ? kl_resnet_planes<T, 2> : kl_resnet_planes<T, 4>, kl_resnet_maxima<T>,
             kl_resnet_look<T>, kl_resnet_values<T>, kl_per<T>::ACCESS };
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

static int pixels_in(struct kl_cuda_resnet *f, const struct kl_resnet_slot *s, struct kl_error *err)
{
    const struct kl_cuda_backbone *net = &f->net;
    const struct kl_cuda_conv *stem = &f->net.convs[0];
    struct kl_resnet_job job = {};
    job.from = s->gpu_pixels, job.to = f->planes, job.infinite = f->infinite;
    job.h = net->height, job.w = net->width, job.out_h = stem->in_h, job.out_w = stem->in_w;
    job.count = net->batch * (size_t)stem->in_h * (size_t)stem->in_w;
    return launch(f, kernels_of(net->precision, net->channels == 1).planes, job, err);
}

static int maxima(struct kl_cuda_resnet *f, struct kl_error *err)
{
    const struct kernels kernels = kernels_of(f->net.precision, f->net.channels == 1);
    const struct kl_cuda_conv *stem = &f->net.convs[0];
    struct kl_resnet_job job = {};
    job.from = f->maps[1], job.to = f->maps[0];
    job.h = stem->out_h, job.w = stem->out_w, job.c = stem->out;
    job.out_h = kl_half_of(stem->out_h), job.out_w = kl_half_of(stem->out_w);
    job.count =
        f->net.batch * (size_t)job.out_h * (size_t)job.out_w * (size_t)(job.c / kernels.channels);
    return launch(f, kernels.maxima, job, err);
}

static int features_out(struct kl_cuda_resnet *f, const struct kl_resnet_slot *s, struct kl_error *err)
{
    const struct kl_cuda_backbone *net = &f->net;
    struct kl_resnet_job job = {};
    job.from = f->maps[net->convs[net->n_convs - 1].to], job.to = s->gpu_values;
    job.h = net->h, job.w = net->w, job.c = net->c, job.mean = net->mean, job.infinite = f->infinite;
    job.count = net->batch * f->d;
    return launch(f, kernels_of(net->precision, net->channels == 1).values, job, err);
}

/* Of the stem the maxima are looked at, which keep what is infinite and are a quarter of it. */
static int look(struct kl_cuda_resnet *f, const struct kl_cuda_conv *k, struct kl_error *err)
{
    const struct kernels kernels = kernels_of(f->net.precision, f->net.channels == 1);
    const bool stem = k == &f->net.convs[0];
    const int h = stem ? kl_half_of(k->out_h) : k->out_h, w = stem ? kl_half_of(k->out_w) : k->out_w;
    struct kl_resnet_job job = {};
    job.from = f->maps[stem ? 0 : k->to], job.infinite = f->infinite;
    job.count = f->net.batch * (size_t)h * (size_t)w * (size_t)(k->out / kernels.channels);
    return f->infinite ? launch(f, kernels.look, job, err) : KL_OK;
}

static int convolutions(struct kl_cuda_resnet *f, struct kl_error *err)
{
    int code = KL_OK;
    for (int i = 0; i < f->net.n_convs && !code; i++) {
        const struct kl_cuda_conv *k = &f->net.convs[i];
        code = f->by->run(f->convs, i, f->maps[k->to], i ? f->maps[k->from] : f->planes,
                          k->residual < 0 ? NULL : f->maps[k->residual], err);
        if (i == 0 && !code) code = maxima(f, err);
        if (!code) code = look(f, k, err);
    }
    return code;
}

int kl_resnet_batch(struct kl_cuda_resnet *f, const struct kl_resnet_slot *s, struct kl_error *err)
{
    int code = pixels_in(f, s, err);
    if (!code)
        code = f->graph ? kl_cuda_check(cudaGraphLaunch(f->graph, f->compute), "features", err)
                        : convolutions(f, err);
    return code ? code : features_out(f, s, err);
}

/* Other threads may meanwhile do what they like with the GPU: this one alone is watched. */
int kl_resnet_capture(struct kl_cuda_resnet *f, struct kl_error *err)
{
    const char *what = "capturing a batch";
    cudaGraph_t graph = NULL;
    int code =
        kl_cuda_check(cudaStreamBeginCapture(f->compute, cudaStreamCaptureModeThreadLocal), what, err);
    if (code) return code;
    code = convolutions(f, err);
    const cudaError_t status = cudaStreamEndCapture(f->compute, &graph); /* even after an error */
    /* A lost GPU is met again at the first batch. */
    const bool cannot = code == KL_EDEVICE || (status >= cudaErrorStreamCaptureUnsupported &&
                                               status <= cudaErrorStreamCaptureWrongThread);
    if (cannot) code = KL_OK, (void)cudaGetLastError();
    else if (!code) code = kl_cuda_check(status, what, err);
    if (!code && !cannot) code = kl_cuda_check(cudaGraphInstantiate(&f->graph, graph, 0), what, err);
    if (graph) cudaGraphDestroy(graph);
    return code;
}
