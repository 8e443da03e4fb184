/* SPDX-License-Identifier: MIT
   ResNet-18 on a GPU: seconds of 60,000 images of noise in full batches, copies and files apart, at
   28x28 and at 224x224, in every precision; the least and the median of the runs. --quick: fewer
   runs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backbone/backbone.h"
#include "kernels/device.h"
#include "kernels/inline/philox.h"
#include "warm.h"

enum { N = 60000, MOST_RUNS = 21 };

static void must(int code, const struct kl_error *err)
{
    if (!code) return;
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

/* Not images of one colour: the less toggles in a GPU, the higher it clocks. */
static void draw(uint8_t *pixels, size_t n)
{
    for (size_t i = 0; i < n; i += 16) {
        uint32_t words[4];
        kl_philox(words, 5, (uint32_t)(i / 16), 1000, 0, 0);
        memcpy(pixels + i, words, n - i < sizeof words ? n - i : sizeof words);
    }
}

/* Median, beside which the peer's mean stands, and least, of full batches. */
static int time_gpu(struct kl_backbone_gpu *gpu, size_t image, const char *name, int runs,
                    struct kl_error *err)
{
    const size_t batch = kl_backbone_gpu_batch(gpu);
    const float *features;
    double seconds[MOST_RUNS];
    char how[256];
    draw(kl_backbone_gpu_pixels(gpu, 0), batch * image);
    int code = kl_backbone_gpu_run(gpu, 0, 0, batch, &features, err);
    for (const double start = kl_clock(); !code && kl_clock() - start < WARM_SECONDS;)
        code = kl_backbone_gpu_seconds(gpu, seconds, runs, err);
    if (!code) code = kl_backbone_gpu_seconds(gpu, seconds, runs, err);
    if (code) return code;
    const double middle = median(seconds, (size_t)runs);
    printf("bench gpu-features-60000-%s/gpu %.6g s\n", name, middle * N / (double)batch);
    printf("bench gpu-features-60000-%s-least/gpu %.6g s\n", name, seconds[0] * N / (double)batch);
    for (int i = 0; kl_backbone_gpu_say(how, sizeof how, gpu, i); i++)
        printf("features, %s: %s\n", name, how);
    return KL_OK;
}

/* Whether it failed, which ends no other. */
static int measure(const struct kl_weights *weights, const struct kl_device *device, size_t side,
                   enum kl_pixels pixels, enum kl_precision precision, int runs)
{
    static const char *const names[] = { "fp32", "tf32", "bf16", "fp16" };
    const size_t image = side * side * (pixels == KL_PIXELS_GREY ? 1 : 3);
    struct kl_resnet18_options o;
    struct kl_resnet18 *net;
    struct kl_backbone_gpu *gpu;
    struct kl_error err;
    char name[64];
    snprintf(name, sizeof name, "%zux%zu-%s", side, side, names[precision]);
    kl_backbone_resnet18_options_default(&o);
    o.height = o.width = side, o.pixels = pixels;
    must(kl_backbone_resnet18_create(&net, NULL, &o, &err), &err);
    int code = kl_backbone_gpu_prepare(&gpu, device, precision, &err);
    if (!code) code = kl_backbone_gpu_open(gpu, net, weights, N, 1, NULL, &err);
    if (!code) code = time_gpu(gpu, image, name, runs, &err);
    if (code) printf("features, %s: %s\n", name, err.text);
    kl_backbone_gpu_close(&gpu);
    kl_backbone_resnet18_free(&net);
    return code != 0;
}

int main(int argc, char **argv)
{
    const int runs = argc > 1 && strcmp(argv[1], "--quick") == 0 ? 3 : MOST_RUNS;
    struct kl_device device;
    struct kl_weights *weights;
    struct kl_error err;
    char path[4096];
    int failed = 0;
    if (kl_device_choose(&device, "cuda", &err)) {
        printf("no GPU (%s)\n", err.text);
        return 77;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("card %s\n", device.name);
    must(kl_backbone_weights_shipped(path, sizeof path, &err), &err);
    must(kl_weights_read(&weights, path, &err), &err);
    for (int p = KL_FP32; p <= KL_FP16; p++) {
        failed |= measure(weights, &device, 28, KL_PIXELS_GREY, (enum kl_precision)p, runs);
        failed |= measure(weights, &device, 224, KL_PIXELS_RGB, (enum kl_precision)p, runs);
    }
    kl_weights_free(&weights);
    return failed;
}
