/* SPDX-License-Identifier: MIT
   ResNet-18 on a GPU: its weights folded for it, its convolutions, features. */
#include "backbone/backbone_int.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cuda.h"
#include "kernels/device.h"

/* For a GPU (gpu.c): to (out, size, size, in) and bias (out), folded likewise. */
static int fold_gpu(float *to, float *bias, const struct kl_folded *conv,
                    const struct kl_weights *weights, struct kl_error *err)
{
    const struct kl_weight *w;
    const size_t taps = conv->size * conv->size, in = conv->in, out = conv->out;
    double *scale = malloc(2 * out * sizeof *scale);
    int code = scale ? kl_backbone_fold_find(&w, scale, scale + out, conv, in, weights, err)
                     : kl_fail_memory(err, 2 * out * sizeof *scale);
    for (size_t o = 0; !code && o < out; o++) {
        bias[o] = (float)scale[out + o];
        for (size_t i = 0; i < in; i++)
            for (size_t t = 0; t < taps; t++)
                to[(o * taps + t) * in + i] =
                    (float)(scale[o] * (double)w->data[(o * in + i) * taps + t]);
    }
    free(scale);
    return code;
}

/* The place of tap t of 7x7 among 4x4 blocks of 2x2, of `planes` values a pixel; the first row and
   column of pixels belong to no tap. */
static size_t block_of(size_t o, size_t t, size_t planes)
{
    const size_t v = t / 7 + 1, u = t % 7 + 1, n = KL_CUDA_STEM_BLOCKS;
    return (((o * n + v / 2) * n + u / 2) * 4 + v % 2 * 2 + u % 2) * planes;
}

/* to (64, 4, 4, 4 (channels + 1)), set to 0 before: the stem on blocks of 2x2 pixels as struct
   kl_cuda_backbone has them, each pixel's channels as (p - 128) / 128 and a one, whose weights are those
   of the mean. */
static int fold_gpu_stem(float *to, float *bias, const struct kl_resnet18 *net,
                         const struct kl_weights *weights, struct kl_error *err)
{
    const struct kl_resnet18_options *options = &net->options;
    const struct kl_weight *w;
    const size_t planes = net->channels + 1;
    double scale[128];
    int code = kl_backbone_fold_find(&w, scale, scale + 64, &net->stem, 3, weights, err);
    if (code) return code;
    for (size_t o = 0; o < 64; o++) {
        bias[o] = (float)scale[64 + o];
        for (size_t t = 0; t < 49; t++) {
            double sums[4] = { 0 };
            for (size_t c = 0; c < 3; c++) {
                const double factor =
                    scale[o] * (double)w->data[(o * 3 + c) * 49 + t] / (double)options->std[c];
                sums[net->channels == 1 ? 0 : c] += factor * 128 / 255;
                sums[net->channels] += factor * (128.0 / 255 - (double)options->mean[c]);
            }
            for (size_t p = 0; p < planes; p++) to[block_of(o, t, planes) + p] = (float)sums[p];
        }
    }
    return code;
}

/* ---- ResNet-18 as a list of convolutions between three maps, for kernels/cuda.h ---- */

static float *values(size_t n)
{
    return calloc(n, sizeof(float));
}

/* Folded weights, from which `conv` is made as it is. */
static int plain(struct kl_cuda_conv *conv, const struct kl_folded *c, size_t in, struct kl_error *err)
{
    const size_t n = c->out * c->size * c->size * in;
    float *weights = values(n), *bias = values(c->out);
    *conv = (struct kl_cuda_conv){ .in = (int32_t)in,
                                   .out = (int32_t)c->out,
                                   .size = (int32_t)c->size,
                                   .stride = (int32_t)c->stride,
                                   .pad = (int32_t)(c->size / 2),
                                   .in_h = (int32_t)c->in_h,
                                   .in_w = (int32_t)c->in_w,
                                   .out_h = (int32_t)c->out_h,
                                   .out_w = (int32_t)c->out_w,
                                   .weights = weights,
                                   .bias = bias };
    return weights && bias ? KL_OK : kl_fail_memory(err, (n + c->out) * sizeof(float));
}

/* One pixel's row of the matrix for every channel: where tap (v, u) of output pixel (y, x) lies inside.
 */
static void spread(float *to, const struct kl_cuda_conv *c, int y, int x)
{
    const size_t in = (size_t)c->in, columns = (size_t)(c->in_h * c->in_w) * in,
                 taps = (size_t)(c->size * c->size);
    for (int v = 0; v < c->size; v++)
        for (int u = 0; u < c->size; u++) {
            const int row = y * c->stride + v - c->pad, column = x * c->stride + u - c->pad;
            if (row < 0 || row >= c->in_h || column < 0 || column >= c->in_w) continue;
            for (size_t o = 0; o < (size_t)c->out; o++)
                memcpy(to + o * columns + (size_t)(row * c->in_w + column) * in,
                       c->weights + (o * taps + (size_t)(v * c->size + u)) * in, in * sizeof *to);
        }
}

/* The same as a product of matrices: (out_h out_w out, in_h in_w in). */
static int make_dense(struct kl_cuda_conv *c, struct kl_error *err)
{
    const size_t out_pixels = (size_t)(c->out_h * c->out_w), out = (size_t)c->out,
                 columns = (size_t)(c->in_h * c->in_w * c->in);
    float *weights = values(out_pixels * out * columns), *bias = values(out_pixels * out);
    if (!weights || !bias) {
        free(weights), free(bias);
        return kl_fail_memory(err, out_pixels * out * (columns + 1) * sizeof(float));
    }
    for (size_t p = 0; p < out_pixels; p++) {
        spread(weights + p * out * columns, c, (int)p / c->out_w, (int)p % c->out_w);
        memcpy(bias + p * out, c->bias, out * sizeof *bias);
    }
    free((float *)c->weights), free((float *)c->bias);
    *c = (struct kl_cuda_conv){ .in = (int32_t)columns,
                                .out = (int32_t)(out_pixels * out),
                                .size = 1,
                                .stride = 1,
                                .in_h = 1,
                                .in_w = 1,
                                .out_h = 1,
                                .out_w = 1,
                                .weights = weights,
                                .bias = bias };
    return KL_OK;
}

static int add(struct kl_backbone_gpu_convs *convs, const struct kl_folded *c, int from, int to,
               int residual, bool relu, const struct kl_weights *weights, struct kl_error *err)
{
    struct kl_cuda_conv *conv = &convs->conv[convs->n++];
    int code = plain(conv, c, c->in, err);
    if (!code) code = fold_gpu((float *)conv->weights, (float *)conv->bias, c, weights, err);
    if (!code && c->in_h * c->in_w < c->size * c->size) code = make_dense(conv, err);
    conv->from = from, conv->to = to, conv->residual = residual, conv->relu = relu;
    return code;
}

/* The block's input lies in *map, its output as well. */
static int add_block(struct kl_backbone_gpu_convs *convs, const struct kl_basic_block *b, int *map,
                     const struct kl_weights *weights, struct kl_error *err)
{
    const int in = *map, mid = (in + 1) % KL_CUDA_MAPS, other = (in + 2) % KL_CUDA_MAPS;
    const bool shortcut = b->shortcut.size > 0;
    int code = add(convs, &b->conv1, in, mid, -1, true, weights, err);
    if (!code && shortcut) code = add(convs, &b->shortcut, in, other, -1, false, weights, err);
    *map = shortcut ? in : other;
    return code ? code : add(convs, &b->conv2, mid, *map, shortcut ? other : in, true, weights, err);
}

static int gpu_convs_make(struct kl_backbone_gpu_convs *convs, const struct kl_resnet18 *net,
                          const struct kl_weights *weights, struct kl_error *err)
{
    struct kl_cuda_conv *stem = &convs->conv[0];
    struct kl_folded blocks = net->stem;
    int map = 0;
    *convs = (struct kl_backbone_gpu_convs){ .n = 1 };
    blocks.size = KL_CUDA_STEM_BLOCKS, blocks.stride = 1;
    blocks.in_h = blocks.out_h + blocks.size - 1, blocks.in_w = blocks.out_w + blocks.size - 1;
    int code = plain(stem, &blocks, 4 * (net->channels + 1), err);
    stem->pad = 0;
    if (!code) code = fold_gpu_stem((float *)stem->weights, (float *)stem->bias, net, weights, err);
    stem->from = 0, stem->to = 1, stem->residual = -1, stem->relu = 1;
    for (size_t b = 0; b < net->n_blocks && !code; b++)
        code = add_block(convs, &net->blocks[b], &map, weights, err);
    return code;
}

static void gpu_convs_free(struct kl_backbone_gpu_convs *convs)
{
    for (size_t i = 0; i < convs->n; i++) {
        free((float *)convs->conv[i].weights);
        free((float *)convs->conv[i].bias);
    }
    convs->n = 0;
}

/* ---- ResNet-18 on a GPU: what the library of kernels/cuda/ is told, how large a batch is ---- */

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
    int code = gpu_convs_make(&convs, net, weights, err);
    if (!code) code = wait_until_prepared(gpu, err);
    bool full = !code;
    while (full) {
        code = open_batch(gpu, net, &convs, slots, err);
        full = code == KL_ENOMEM && gpu->batch > 1;
        if (full) gpu->batch /= 2;
    }
    gpu->n_convs = (int)convs.n;
    gpu_convs_free(&convs);
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
