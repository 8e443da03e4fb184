/* SPDX-License-Identifier: MIT
   ResNet-18 on a GPU: what the library of kernels/cuda/ is told, how large a batch is. */
#include <pthread.h>
#include <stdlib.h>

#include "backbone/gpu_int.h"
#include "kernels/device.h"

struct kl_backbone_gpu {
    const struct kl_cuda *cuda;
    struct kl_cuda_resnet *resnet;
    size_t batch;
    int n_convs;
    int device;
    enum kl_precision precision;
    bool preparing; /* the thread has not been waited for; what it says, then: */
    pthread_t thread;
    int code;
    struct kl_error error;
};

enum {
    MOST = 2048,              /* images of a batch; */
    PIXELS = 256 * 224 * 224, /* and pixels, about */
};

/* By the images alone, not by what is free on the GPU: a batch decides which of cuDNN's kernels run. No
   larger than all n images need. */
static size_t batch_of(size_t n, size_t pixels)
{
    size_t batch = MOST;
    while (batch > 1 && (batch * pixels > PIXELS || batch / 2 >= n)) batch /= 2;
    return batch;
}

static int open_batch(struct kl_backbone_gpu *gpu, const struct kl_resnet18 *net,
                      const struct kl_backbone_gpu_convs *convs, int slots, struct kl_error *err)
{
    const struct kl_folded *last = &net->blocks[net->n_blocks - 1].conv2;
    const struct kl_cuda_backbone backbone = {
        .precision = (int32_t)gpu->precision, /* as enum kl_cuda_precision */
        .height = (int32_t)net->options.height,
        .width = (int32_t)net->options.width,
        .channels = (int32_t)net->channels,
        .h = (int32_t)last->out_h,
        .w = (int32_t)last->out_w,
        .c = (int32_t)last->out,
        .mean = net->options.tap == KL_TAP_AVGPOOL,
        .n_convs = (int32_t)convs->n,
        .convs = convs->conv,
        .batch = gpu->batch,
        .slots = slots,
    };
    return gpu->cuda->resnet->open(&gpu->resnet, &backbone, gpu->device, err);
}

static void *prepare(void *argument)
{
    struct kl_backbone_gpu *gpu = argument;
    gpu->code = gpu->cuda->resnet->prepare(gpu->device, (int)gpu->precision, &gpu->error);
    return NULL;
}

int kl_backbone_gpu_prepare(struct kl_backbone_gpu **out, const struct kl_device *device,
                            enum kl_precision precision, struct kl_error *err)
{
    struct kl_backbone_gpu *gpu = *out = calloc(1, sizeof *gpu);
    if (!gpu) return kl_fail_memory(err, sizeof *gpu);
    gpu->cuda = device->cuda;
    gpu->device = device->number;
    gpu->precision = precision;
    gpu->preparing = pthread_create(&gpu->thread, NULL, prepare, gpu) == 0;
    return gpu->preparing ? KL_OK : kl_fail(err, KL_ENOMEM, "a thread cannot be started");
}

static int wait_until_prepared(struct kl_backbone_gpu *gpu, struct kl_error *err)
{
    if (gpu->preparing) pthread_join(gpu->thread, NULL);
    gpu->preparing = false;
    if (gpu->code && err) *err = gpu->error;
    return gpu->code;
}

int kl_backbone_gpu_open(struct kl_backbone_gpu *gpu, const struct kl_resnet18 *net,
                         const struct kl_weights *weights, size_t images, int slots,
                         const struct kl_log *log, struct kl_error *err)
{
    struct kl_backbone_gpu_convs convs;
    const size_t wanted = gpu->batch = batch_of(images, net->options.height * net->options.width);
    int code = kl_backbone_gpu_convs_make(&convs, net, weights, err);
    if (!code) code = wait_until_prepared(gpu, err);
    bool full = !code;
    while (full) {
        code = open_batch(gpu, net, &convs, slots, err);
        full = code == KL_ENOMEM && gpu->batch > 1;
        if (full) gpu->batch /= 2;
    }
    gpu->n_convs = (int)convs.n;
    kl_backbone_gpu_convs_free(&convs);
    if (!code && gpu->batch < wanted)
        kl_note(log, 1, "the GPU's memory is too small for batches of %zu images: batches of %zu",
                wanted, gpu->batch);
    return code;
}

size_t kl_backbone_gpu_batch(const struct kl_backbone_gpu *gpu)
{
    return gpu->batch;
}

uint8_t *kl_backbone_gpu_pixels(struct kl_backbone_gpu *gpu, int slot)
{
    return gpu->cuda->resnet->pixels(gpu->resnet, slot);
}

int kl_backbone_gpu_run(struct kl_backbone_gpu *gpu, int slot, size_t first, size_t n,
                        const float **features, struct kl_error *err)
{
    int code = gpu->cuda->resnet->start(gpu->resnet, slot, first, n, err);
    return code ? code : gpu->cuda->resnet->wait(gpu->resnet, slot, features, err);
}

int kl_backbone_gpu_seconds(struct kl_backbone_gpu *gpu, double *seconds, int repeats,
                            struct kl_error *err)
{
    return gpu->cuda->resnet->seconds(gpu->resnet, seconds, repeats, err);
}

bool kl_backbone_gpu_say(char *text, size_t size, const struct kl_backbone_gpu *gpu, int number)
{
    if (number > gpu->n_convs) return false;
    gpu->cuda->resnet->say(text, size, gpu->resnet, number);
    return true;
}

void kl_backbone_gpu_close(struct kl_backbone_gpu **out)
{
    struct kl_backbone_gpu *gpu = *out;
    *out = NULL;
    if (!gpu) return;
    wait_until_prepared(gpu, NULL);
    if (gpu->resnet) gpu->cuda->resnet->close(&gpu->resnet);
    free(gpu);
}
