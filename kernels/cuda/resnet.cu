/* SPDX-License-Identifier: MIT
   Batches of images through a ResNet on the GPU. Its convolutions are captured once as a CUDA graph and
   replayed, between two kernels that know the slot. Three streams: to the GPU, computing, from the
   GPU; events of a slot stand between them, so that the copies of some batches pass while others
   compute. */
#include <stdio.h>
#include <stdlib.h>

#include "kernels/cuda/resnet_int.h"

/* Values of a map for one image. */
static void enlarge(size_t *size, int c, int h, int w)
{
    const size_t values = (size_t)c * (size_t)h * (size_t)w;
    if (values > *size) *size = values;
}

static int take_maps(struct kl_cuda_resnet *f, struct kl_error *err)
{
    const struct kl_cuda_backbone *net = &f->net;
    const struct kl_cuda_conv *stem = &f->net.convs[0];
    const size_t value = kl_cuda_value(net->precision);
    size_t sizes[KL_CUDA_MAPS] = { 0 };
    enlarge(&sizes[0], stem->out, kl_half_of(stem->out_h), kl_half_of(stem->out_w));
    for (int i = 0; i < net->n_convs; i++) {
        const struct kl_cuda_conv *k = &net->convs[i];
        enlarge(&sizes[k->to], k->out, k->out_h, k->out_w);
    }
    const size_t planes = net->batch * (size_t)stem->in_h * (size_t)stem->in_w * (size_t)stem->in;
    int code = kl_cuda_take(&f->planes, planes, value, "a batch of images", err);
    for (int m = 0; m < KL_CUDA_MAPS && !code; m++)
        code = kl_cuda_take(&f->maps[m], net->batch * sizes[m], value, "a batch of images", err);
    if (!code && net->precision == KL_CUDA_FP16)
        code = kl_cuda_take((void **)&f->infinite, 1, sizeof *f->infinite, "a batch of images", err);
    return code;
}

static const struct kl_convs_calls *calls_of(int precision)
{
    return precision == KL_CUDA_FP32 ? &kl_convs_own : &kl_convs_cudnn;
}

/* The weights are the caller's, and gone when this returns. */
static int open_convs(struct kl_cuda_resnet *f, struct kl_error *err)
{
    const size_t n = (size_t)f->net.n_convs;
    f->shapes = (struct kl_cuda_conv *)calloc(n, sizeof *f->shapes);
    if (!f->shapes) return kl_cuda_fail(err, KL_ENOMEM, "no memory for convolutions");
    f->by = calls_of(f->net.precision);
    int code = f->by->open(&f->convs, &f->net, f->compute, err);
    for (size_t i = 0; i < n; i++) {
        f->shapes[i] = f->net.convs[i];
        f->shapes[i].weights = f->shapes[i].bias = NULL;
    }
    f->net.convs = f->shapes;
    return code;
}

static int open_slot(struct kl_cuda_resnet *f, struct kl_resnet_slot *s, struct kl_error *err)
{
    const char *what = "a batch of images";
    const unsigned asleep = cudaEventBlockingSync | cudaEventDisableTiming;
    const size_t image = f->net.batch * f->image, values = f->net.batch * f->d;
    int code = kl_cuda_pin((void **)&s->pixels, image, what, err);
    if (!code) code = kl_cuda_pin((void **)&s->values, values * sizeof *s->values, what, err);
    if (!code) code = kl_cuda_take((void **)&s->gpu_pixels, image, 1, what, err);
    if (!code) code = kl_cuda_take((void **)&s->gpu_values, values, sizeof *s->values, what, err);
    if (!code) code = kl_cuda_check(cudaEventCreateWithFlags(&s->sent, asleep), what, err);
    if (!code) code = kl_cuda_check(cudaEventCreateWithFlags(&s->computed, asleep), what, err);
    return code ? code : kl_cuda_check(cudaEventCreateWithFlags(&s->fetched, asleep), what, err);
}

static int open_streams(struct kl_cuda_resnet *f, struct kl_error *err)
{
    cudaStream_t *const streams[] = { &f->send, &f->compute, &f->fetch };
    int code = kl_cuda_check(cudaSetDevice(f->device), "taking the GPU", err);
    for (cudaStream_t *s : streams)
        if (!code)
            code = kl_cuda_check(cudaStreamCreateWithFlags(s, cudaStreamNonBlocking), "taking the GPU",
                                 err);
    if (!code) code = kl_cuda_check(cudaEventCreate(&f->begin), "taking the GPU", err);
    return code ? code : kl_cuda_check(cudaEventCreate(&f->end), "taking the GPU", err);
}

/* One run before the graph: what is loaded at the first call cannot be captured. */
static int open_slots(struct kl_cuda_resnet *f, struct kl_error *err)
{
    f->slots = (struct kl_resnet_slot *)calloc((size_t)f->net.slots, sizeof *f->slots);
    if (!f->slots) return kl_cuda_fail(err, KL_ENOMEM, "no memory for slots");
    int code = KL_OK;
    for (int i = 0; i < f->net.slots && !code; i++) code = open_slot(f, &f->slots[i], err);
    if (!code) code = kl_cuda_check(cudaStreamSynchronize(NULL), "features", err);
    if (!code) code = kl_resnet_batch(f, &f->slots[0], err);
    if (!code) code = kl_cuda_check(cudaStreamSynchronize(f->compute), "features", err);
    return code || f->net.uncaptured ? code : kl_resnet_capture(f, err);
}

static void close_slot(struct kl_resnet_slot *s)
{
    const cudaEvent_t events[] = { s->sent, s->computed, s->fetched };
    for (cudaEvent_t event : events)
        if (event) cudaEventDestroy(event);
    cudaFreeHost(s->pixels);
    cudaFreeHost(s->values);
    kl_cuda_give(s->gpu_pixels);
    kl_cuda_give(s->gpu_values);
}

static void resnet_close(struct kl_cuda_resnet **resnet)
{
    struct kl_cuda_resnet *f = *resnet;
    if (!f) return;
    *resnet = NULL;
    const cudaStream_t streams[] = { f->send, f->compute, f->fetch };
    for (cudaStream_t s : streams)
        if (s) cudaStreamSynchronize(s);
    for (int i = 0; f->slots && i < f->net.slots; i++) close_slot(&f->slots[i]);
    if (f->graph) cudaGraphExecDestroy(f->graph);
    if (f->convs) f->by->close(&f->convs);
    for (void *map : f->maps) kl_cuda_give(map);
    kl_cuda_give(f->planes);
    kl_cuda_give(f->infinite);
    if (f->begin) cudaEventDestroy(f->begin);
    if (f->end) cudaEventDestroy(f->end);
    for (cudaStream_t s : streams)
        if (s) cudaStreamDestroy(s);
    pthread_mutex_destroy(&f->order);
    free(f->shapes), free(f->slots), free(f);
}

static int resnet_prepare(int device, int precision, struct kl_error *err)
{
    const int code = kl_cuda_check(cudaSetDevice(device), "taking the GPU", err);
    return code ? code : calls_of(precision)->prepare(err);
}

static int resnet_open(struct kl_cuda_resnet **resnet, const struct kl_cuda_backbone *net, int device,
                       struct kl_error *err)
{
    struct kl_cuda_resnet *f = *resnet = (struct kl_cuda_resnet *)calloc(1, sizeof *f);
    if (!f) return kl_cuda_fail(err, KL_ENOMEM, "no memory: %zu bytes asked for", sizeof *f);
    pthread_mutex_init(&f->order, NULL);
    f->net = *net, f->device = device;
    f->d = (size_t)net->c * (net->mean ? 1 : (size_t)net->h * (size_t)net->w);
    f->image = (size_t)net->height * (size_t)net->width * (size_t)net->channels;
    int code = open_streams(f, err);
    if (!code) code = open_convs(f, err);
    if (!code) code = take_maps(f, err);
    if (!code) code = open_slots(f, err);
    if (code) resnet_close(resnet);
    return code;
}

static uint8_t *resnet_pixels(struct kl_cuda_resnet *f, int slot)
{
    return f->slots[slot].pixels;
}

/* The copies of a slot and its batch, each behind the one before. */
static int enqueue(struct kl_cuda_resnet *f, struct kl_resnet_slot *s, size_t first, size_t n,
                   struct kl_error *err)
{
    const char *what = "a batch of images";
    const size_t at = first * f->image, to = first * f->d, values = n * f->d * sizeof *s->values;
    int code = kl_cuda_check(cudaMemcpyAsync(s->gpu_pixels + at, s->pixels + at, n * f->image,
                                             cudaMemcpyHostToDevice, f->send),
                             what, err);
    if (!code) code = kl_cuda_check(cudaEventRecord(s->sent, f->send), what, err);
    if (!code) code = kl_cuda_check(cudaStreamWaitEvent(f->compute, s->sent, 0), what, err);
    if (!code) code = kl_resnet_batch(f, s, err);
    if (!code) code = kl_cuda_check(cudaEventRecord(s->computed, f->compute), what, err);
    if (!code) code = kl_cuda_check(cudaStreamWaitEvent(f->fetch, s->computed, 0), what, err);
    if (!code)
        code = kl_cuda_check(cudaMemcpyAsync(s->values + to, s->gpu_values + to, values,
                                             cudaMemcpyDeviceToHost, f->fetch),
                             what, err);
    return code ? code : kl_cuda_check(cudaEventRecord(s->fetched, f->fetch), what, err);
}

static int resnet_start(struct kl_cuda_resnet *f, int slot, size_t first, size_t n, struct kl_error *err)
{
    int code = kl_cuda_check(cudaSetDevice(f->device), "taking the GPU", err); /* of this thread */
    if (code) return code;
    pthread_mutex_lock(&f->order);
    code = enqueue(f, &f->slots[slot], first, n, err);
    pthread_mutex_unlock(&f->order);
    return code;
}

static int resnet_wait(struct kl_cuda_resnet *f, int slot, const float **values, struct kl_error *err)
{
    *values = f->slots[slot].values;
    return kl_cuda_check(cudaEventSynchronize(f->slots[slot].fetched), "features", err);
}

static int resnet_seconds(struct kl_cuda_resnet *f, double *seconds, int repeats, struct kl_error *err)
{
    int code = KL_OK;
    for (int i = 0; i < repeats && !code; i++) {
        float ms = 0;
        code = kl_cuda_check(cudaEventRecord(f->begin, f->compute), "features", err);
        if (!code) code = kl_resnet_batch(f, &f->slots[0], err);
        if (!code) code = kl_cuda_check(cudaEventRecord(f->end, f->compute), "features", err);
        if (!code) code = kl_cuda_check(cudaStreamSynchronize(f->compute), "features", err);
        if (!code) code = kl_cuda_check(cudaEventElapsedTime(&ms, f->begin, f->end), "features", err);
        seconds[i] = ms * 1e-3;
    }
    return code;
}

static void resnet_say(char *text, size_t size, const struct kl_cuda_resnet *f, int number)
{
    if (number < f->net.n_convs) f->by->say(text, size, f->convs, number);
    else
        snprintf(text, size, "batches of %zu images, %s", f->net.batch,
                 f->graph ? "as one graph" : "launched one by one, which is slow");
}

const struct kl_cuda_resnet_calls kl_cuda_resnet_calls = { resnet_prepare, resnet_open, resnet_pixels,
                                                           resnet_start,   resnet_wait, resnet_seconds,
                                                           resnet_say,     resnet_close };
