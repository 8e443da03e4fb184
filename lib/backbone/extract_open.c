/* SPDX-License-Identifier: MIT
   What an extraction needs, opened: the device, its threads, images, weights, the network of the images'
   size. */
#include <stdio.h>
#include <string.h>

#include "backbone/extract_int.h"
#include "store/store.h"

/* On a GPU a thread holds a batch on its way, waiting included: three at least, so that reading,
   computing and writing overlap, and no more than memory should hold. */
static int threads_of(const struct kl_device *device, int asked)
{
    const int n = asked > 0 ? asked : kl_threads_available();
    if (!device->cuda) return asked;
    return n < 3 ? 3 : n > 16 ? 16 : n;
}

static int open_images(struct kl_extract *e, const struct kl_extract_options *o, struct kl_error *err)
{
    struct kl_images_options how = o->images;
    how.pool = e->pool;
    how.log = o->log;
    int code = kl_ingest_images_open(&e->images, o->inputs, o->n_inputs, &how, err);
    if (!code) code = kl_weights_read_named(&e->weights, o->weights, err);
    if (!code && e->images->skipped)
        kl_caution(o->log, "%zu file%s left out, which cannot be read", e->images->skipped,
                   kl_s(e->images->skipped));
    return code;
}

/* The network computes at any size, and what comes out looks like features: nothing else tells. */
static void remark_size(const struct kl_extract *e)
{
    const size_t side = e->options.trained_side;
    if (!side || (e->images->height == side && e->images->width == side)) return;
    kl_caution(
        e->options.log,
        "images of %zu x %zu pixels: the shipped weights were trained at %zu x %zu, at other sizes "
        "their features are worse; give %s %zu, or --weights FILE of a network for this size",
        e->images->height, e->images->width, side, side, e->images->shorter ? "--crop" : "--resize",
        side);
}

/* Whether colour tells classes apart, only the user knows; the shipped weights have seen none. */
static void remark_colour(const struct kl_extract *e)
{
    const struct kl_extract_options *o = &e->options;
    if (!o->trained_side || o->images.channels != KL_CHANNELS_AUTO || e->images->channels == 1) return;
    kl_caution(
        o->log,
        "images in colour: the shipped weights were trained on grey ones; compare with --channels grey, "
        "or give --weights FILE of a network for colour");
}

static void describe(struct kl_extract *e)
{
    const struct kl_extract_options *o = &e->options;
    char middle[64] = "";
    if (e->images->shorter)
        snprintf(middle, sizeof middle, "in the middle, the shorter side %zu ", e->images->shorter);
    snprintf(e->preprocess, sizeof e->preprocess,
             "%s, %zu x %zu %s%s, /255, minus (%s), divided by (%s)",
             e->images->channels == 1 ? "grey" : "rgb", e->images->height, e->images->width, middle,
             o->images.resize ? "(bilinear, antialias)" : "(not resized)", o->mean, o->std);
}

static void remark_unused(const struct kl_extract *e, size_t n, const char *first)
{
    if (n)
        kl_caution(e->options.log, "%s: %zu tensor%s of no ResNet-18 %s not used (first: %s)",
                   e->options.weights, n, kl_s(n), n == 1 ? "is" : "are", first);
}

static int open_net(struct kl_extract *e, struct kl_error *err)
{
    struct kl_resnet18_options net = e->options.net;
    size_t n_unused;
    const char *unused;
    net.height = e->images->height;
    net.width = e->images->width;
    net.pixels = e->images->channels == 1 ? KL_PIXELS_GREY : KL_PIXELS_RGB;
    int code = kl_backbone_resnet18_expect(e->weights, net.tap, &n_unused, &unused, err);
    if (!code)
        code = kl_backbone_resnet18_create(&e->net, e->device.cuda ? NULL : e->weights, &net, err);
    if (!code && e->device.cuda)
        code = kl_backbone_gpu_open(e->gpu, e->net, e->weights, e->images->n, kl_pool_size(e->pool),
                                    e->options.log, err);
    if (!code) kl_weights_say(e->weights, e->options.log);
    if (!code) remark_unused(e, n_unused, unused);
    return code;
}

static int prepare_gpu(struct kl_extract *e, struct kl_error *err)
{
    const char *precision = e->options.precision ? e->options.precision : "fp32";
    return kl_backbone_gpu_prepare(&e->gpu, &e->device,
                                   (enum kl_precision)kl_choice(KL_PRECISIONS, precision), err);
}

/* What the CPU takes a thread for images of 28x28 (docs/benchmarks.md), and the H100 in fp32. */
static struct kl_device_work work_of(const struct kl_extract *e)
{
    const double shards = e->options.shards ? (double)e->options.shards : 1;
    const double images =
        (double)e->images->n / shards * (double)(e->images->height * e->images->width) / (28 * 28);
    return (struct kl_device_work){ .thread = images / 7900, .gpu = 0.7 + images / 800000 };
}

int kl_backbone_extract_open(struct kl_extract *e, const struct kl_extract_options *o,
                             struct kl_error *err)
{
    *e = (struct kl_extract){ .options = *o };
    int code = kl_device_choose(&e->device, o->device, err);
    if (!code && e->device.cuda) code = prepare_gpu(e, err);
    if (!code) code = kl_pool_create(&e->pool, threads_of(&e->device, o->threads), err);
    if (!code) code = open_images(e, o, err);
    if (!code && strcmp(o->device, "auto") == 0) {
        const struct kl_device_work work = work_of(e);
        kl_device_auto(&e->device, &work, kl_pool_size(e->pool), o->log);
        if (e->device.cuda) code = prepare_gpu(e, err);
    }
    if (!code) code = kl_backbone_look_open(&e->look, o->weights, err);
    if (code) return code;
    describe(e);
    e->n = e->images->n;
    code = open_net(e, err);
    if (!code) remark_size(e);
    if (!code) remark_colour(e);
    return code;
}

void kl_backbone_extract_close(struct kl_extract *e)
{
    kl_backbone_gpu_close(&e->gpu);
    kl_backbone_resnet18_free(&e->net);
    kl_weights_free(&e->weights);
    kl_ingest_images_close(&e->images);
    kl_backbone_look_close(&e->look);
    kl_pool_destroy(&e->pool);
}
