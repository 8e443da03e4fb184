/* SPDX-License-Identifier: MIT
   ResNet-18 as a list of convolutions between three maps, for kernels/cuda.h. */
#include <stdlib.h>
#include <string.h>

#include "backbone/gpu_int.h"

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
    if (!code) code = kl_backbone_fold_gpu((float *)conv->weights, (float *)conv->bias, c, weights, err);
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

int kl_backbone_gpu_convs_make(struct kl_backbone_gpu_convs *convs, const struct kl_resnet18 *net,
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
    if (!code)
        code = kl_backbone_fold_gpu_stem((float *)stem->weights, (float *)stem->bias, net, weights, err);
    stem->from = 0, stem->to = 1, stem->residual = -1, stem->relu = 1;
    for (size_t b = 0; b < net->n_blocks && !code; b++)
        code = add_block(convs, &net->blocks[b], &map, weights, err);
    return code;
}

void kl_backbone_gpu_convs_free(struct kl_backbone_gpu_convs *convs)
{
    for (size_t i = 0; i < convs->n; i++) {
        free((float *)convs->conv[i].weights);
        free((float *)convs->conv[i].bias);
    }
    convs->n = 0;
}
