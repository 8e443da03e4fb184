/* SPDX-License-Identifier: MIT
   ResNet-18's shape: which convolutions there are, at which sizes. The run is in resnet18_run.c. */
#include <stdio.h>
#include <stdlib.h>

#include "backbone/backbone_int.h"

void kl_backbone_resnet18_options_default(struct kl_resnet18_options *options)
{
    *options = (struct kl_resnet18_options){ .height = 28,
                                             .width = 28,
                                             .pixels = KL_PIXELS_GREY,
                                             .tap = KL_TAP_AVGPOOL,
                                             .mean = { 0.485f, 0.456f, 0.406f },
                                             .std = { 0.229f, 0.224f, 0.225f } };
}

/* Named "layer1.0" (or "", the stem) "." conv and norm. */
static struct kl_folded conv_of(size_t in, size_t out, size_t size, size_t stride, size_t h, size_t w,
                                const char *prefix, const char *name, const char *norm)
{
    struct kl_folded conv = { .in = in,
                              .out = out,
                              .size = size,
                              .stride = stride,
                              .in_h = h,
                              .in_w = w,
                              .out_h = (h - 1) / stride + 1,
                              .out_w = (w - 1) / stride + 1,
                              .kind = KL_CONV_4 };
    snprintf(conv.name, sizeof conv.name, "%s%s", prefix, name);
    snprintf(conv.norm, sizeof conv.norm, "%s%s", prefix, norm);
    if (h == 1 && w == 1) conv.kind = KL_CONV_1;
    if (h == 2 && w == 2) conv.kind = KL_CONV_2;
    return conv;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static void plan_block(struct kl_resnet18 *net, size_t b, size_t in, size_t h, size_t w)
{
    struct kl_basic_block *block = &net->blocks[b];
    size_t layer = b / 2, out = (size_t)64 << layer, stride = layer > 0 && b % 2 == 0 ? 2 : 1;
    char prefix[16];
    snprintf(prefix, sizeof prefix, "layer%d.%d.", (int)(layer + 1), (int)(b % 2));
    block->conv1 = conv_of(in, out, 3, stride, h, w, prefix, "conv1", "bn1");
    block->conv2 =
        conv_of(out, out, 3, 1, block->conv1.out_h, block->conv1.out_w, prefix, "conv2", "bn2");
    if (stride == 2)
        block->shortcut = conv_of(in, out, 1, 2, h, w, prefix, "downsample.0", "downsample.1");
    net->largest = larger(net->largest,
                          larger(in * (h + 1) * (w + 1), out * block->conv1.out_h * block->conv1.out_w));
    net->points = larger(net->points, kl_conv_points(block->conv2.kind) * out);
    if (stride == 1) net->points = larger(net->points, kl_conv_points(block->conv1.kind) * in);
}

static int fold_block(struct kl_basic_block *block, const struct kl_weights *weights,
                      struct kl_error *err)
{
    int code = kl_backbone_fold(&block->conv1, weights, err);
    if (!code) code = kl_backbone_fold(&block->conv2, weights, err);
    return !code && block->shortcut.size ? kl_backbone_fold(&block->shortcut, weights, err) : code;
}

static int check_options(const struct kl_resnet18_options *o, struct kl_error *err)
{
    if (o->height < 1 || o->width < 1 || o->height > 4096 || o->width > 4096)
        return kl_fail(err, KL_EUSAGE,
                       "resnet18: found images of %zu x %zu, expected 1 x 1 to 4096 x 4096", o->height,
                       o->width);
    for (int c = 0; c < 3; c++)
        if (!(o->std[c] > 0))
            return kl_fail(err, KL_EUSAGE, "resnet18: found std %g, expected more than 0",
                           (double)o->std[c]);
    return KL_OK;
}

/* Wide enough for the products at small maps; narrow where a map of many images would leave the caches.
 */
static size_t images_of(size_t pixels)
{
    return pixels <= 48 * 48 ? 64 : pixels <= 96 * 96 ? 32 : 16;
}

int kl_backbone_resnet18_create(struct kl_resnet18 **out, const struct kl_weights *weights,
                                const struct kl_resnet18_options *options, struct kl_error *err)
{
    int code = check_options(options, err);
    *out = NULL;
    if (code) return code;
    struct kl_resnet18 *net = calloc(1, sizeof *net);
    if (!net) return kl_fail_memory(err, sizeof *net);
    net->options = *options;
    net->images = images_of(options->height * options->width);
    net->channels = options->pixels == KL_PIXELS_GREY ? 1 : 3;
    net->stem = conv_of(net->channels, 64, 7, 2, options->height, options->width, "", "conv1", "bn1");
    net->pool_h = (net->stem.out_h - 1) / 2 + 1;
    net->pool_w = (net->stem.out_w - 1) / 2 + 1;
    net->n_blocks = options->tap == KL_TAP_AVGPOOL ? 8 : 2 * ((size_t)options->tap + 1);
    size_t in = 64, h = net->pool_h, w = net->pool_w;
    for (size_t b = 0; b < net->n_blocks; b++) {
        plan_block(net, b, in, h, w);
        in = net->blocks[b].conv2.out;
        h = net->blocks[b].conv2.out_h;
        w = net->blocks[b].conv2.out_w;
    }
    if (weights) code = kl_backbone_fold_stem(net, weights, err);
    for (size_t b = 0; weights && !code && b < net->n_blocks; b++)
        code = fold_block(&net->blocks[b], weights, err);
    if (code) kl_backbone_resnet18_free(&net);
    *out = net;
    return code;
}

int kl_backbone_resnet18_shape(const struct kl_resnet18 *net, size_t dims[3])
{
    const struct kl_folded *last = &net->blocks[net->n_blocks - 1].conv2;
    dims[0] = last->out;
    dims[1] = dims[2] = 1;
    if (net->options.tap == KL_TAP_AVGPOOL) return 1;
    dims[1] = last->out_h;
    dims[2] = last->out_w;
    return 3;
}

size_t kl_backbone_resnet18_block(const struct kl_resnet18 *net)
{
    return net->images;
}

void kl_backbone_resnet18_free(struct kl_resnet18 **out)
{
    struct kl_resnet18 *net = *out;
    *out = NULL;
    if (!net) return;
    free(net->stem.weights);
    free(net->stem_bias);
    for (size_t b = 0; b < 8; b++) {
        struct kl_folded *convs[] = { &net->blocks[b].conv1, &net->blocks[b].conv2,
                                      &net->blocks[b].shortcut };
        for (int c = 0; c < 3; c++) {
            free(convs[c]->weights);
            free(convs[c]->bias);
        }
    }
    free(net);
}
