/* SPDX-License-Identifier: MIT
   ResNet-18 on a GPU: seconds of 60,000 images in full batches, copies and files apart, at 28x28 and at
   224x224, in TF32, BF16 and FP16. --quick: fewer runs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backbone/backbone.h"
#include "device/device.h"

enum { N = 60000 };

static void must(int code, const struct kl_error *err)
{
    if (!code) return;
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

static void measure(const struct kl_weights *weights, const struct kl_device *device, size_t side,
                    enum kl_pixels pixels, enum kl_precision precision, const char *name, int runs)
{
    struct kl_resnet18_options o;
    struct kl_resnet18 *net;
    struct kl_card *card;
    struct kl_error err;
    double seconds = 0;
    kl_resnet18_options_default(&o);
    o.height = o.width = side, o.pixels = pixels;
    must(kl_resnet18_create(&net, NULL, &o, &err), &err);
    must(kl_card_open(&card, net, weights, precision, N, device, 1, NULL, &err), &err);
    must(kl_card_seconds(card, &seconds, runs, &err), &err);
    const size_t batch = kl_card_batch(card);
    printf("bench gpu-features-60000-%zux%zu-%s/gpu %.6g s\n", side, side, name,
           seconds * N / (double)batch);
    printf("features, %zu x %zu, %s: batches of %zu images\n", side, side, name, batch);
    kl_card_close(&card);
    kl_resnet18_free(&net);
}

int main(int argc, char **argv)
{
    static const char *const names[] = { "fp32", "tf32", "bf16", "fp16" };
    const int runs = argc > 1 && strcmp(argv[1], "--quick") == 0 ? 3 : 20;
    struct kl_device device;
    struct kl_weights *weights;
    struct kl_error err;
    char path[4096];
    if (kl_device_choose(&device, "cuda", &err)) {
        printf("no GPU (%s)\n", err.text);
        return 77;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    must(kl_weights_shipped(path, sizeof path, &err), &err);
    must(kl_weights_read(&weights, path, &err), &err);
    for (int p = KL_TF32; p <= KL_FP16; p++) {
        measure(weights, &device, 28, KL_PIXELS_GREY, (enum kl_precision)p, names[p], runs);
        measure(weights, &device, 224, KL_PIXELS_RGB, (enum kl_precision)p, names[p], runs);
    }
    kl_weights_free(&weights);
    return 0;
}
