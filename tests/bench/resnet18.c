/* SPDX-License-Identifier: MIT
   ResNet-18 from pixels to features in memory, on one and two threads, at 28 and 224 pixels, and
   how the time of one thread divides among the stages. GFLOP/s count the multiply-adds of live taps
   (those of a direct convolution that meet a pixel), so they may exceed the processor's peak where
   Winograd or Toeplitz products do less. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backbone/backbone.h"
#include "kernels/isa.h"
#include "device/device.h"

struct job {
    const struct kl_resnet18 *net;
    struct kl_arena *work; /* one a thread */
    const uint8_t *images;
    float *features;
    size_t block, pixels, values;
};

static void die(const struct kl_error *err)
{
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

static void run_block(void *context, size_t i, int thread)
{
    const struct job *j = context;
    struct kl_error err;
    if (kl_backbone_resnet18_run(j->net, j->features + i * j->block * j->values,
                                 j->images + i * j->block * j->pixels, j->block, &j->work[thread], &err))
        die(&err);
}

/* Images a second; the best of the rounds that fit in the time. */
static double rate(const struct kl_resnet18 *net, size_t side, int threads, size_t blocks,
                   double seconds)
{
    struct job j = { .net = net, .block = kl_backbone_resnet18_block(net), .pixels = side * side };
    size_t dims[3], n = blocks * j.block;
    struct kl_arena work[2] = { { 0 } };
    struct kl_pool *pool;
    struct kl_error err;
    int rank = kl_backbone_resnet18_shape(net, dims);
    j.values = rank == 1 ? dims[0] : dims[0] * dims[1] * dims[2];
    uint8_t *images = malloc(n * j.pixels);
    if (!images || !(j.features = malloc(n * j.values * sizeof(float)))) exit(75);
    for (size_t i = 0; i < n * j.pixels; i++) images[i] = (uint8_t)(i * 2654435761u >> 13);
    j.images = images;
    j.work = work;
    for (int t = 0; t < threads; t++)
        if (kl_arena_init(&work[t], kl_backbone_resnet18_workspace(net), &err)) die(&err);
    if (kl_pool_create(&pool, threads, &err)) die(&err);
    double best = 0, start = kl_clock();
    for (int round = 0; round < 2 || kl_clock() - start < seconds; round++) {
        double before = kl_clock();
        kl_pool_for(pool, blocks, run_block, &j);
        double found = (double)n / (kl_clock() - before);
        if (found > best) best = found;
    }
    kl_pool_destroy(&pool);
    for (int t = 0; t < threads; t++) kl_arena_free(&work[t]);
    free(images);
    free(j.features);
    return best;
}

/* Taps of a kernel of `size` that meet a pixel, over all outputs of one dimension. */
static double live(size_t in, size_t size, size_t stride)
{
    size_t count = 0, pad = size / 2;
    for (size_t o = 0; o * stride + size <= in + 2 * pad; o++)
        for (size_t t = 0; t < size; t++) count += o * stride + t >= pad && o * stride + t - pad < in;
    return (double)count;
}

static double live_2d(size_t in, size_t size, size_t stride)
{
    return live(in, size, stride) * live(in, size, stride);
}

/* Multiply-adds of an image up to and including stage s (0: the stem and layer1). */
static double multiply_adds(size_t side, int s)
{
    size_t map = ((side - 1) / 2) / 2 + 1;
    double sum = 64 * live_2d(side, 7, 2) + 4 * 64 * 64 * live_2d(map, 3, 1);
    for (int stage = 1; stage <= s; stage++) {
        double in = 32 << stage, out = 64 << stage;
        sum += in * out * (live_2d(map, 3, 2) + live_2d(map, 1, 2));
        map = (map - 1) / 2 + 1;
        sum += 3 * out * out * live_2d(map, 3, 1);
    }
    return sum;
}

static void bench(const struct kl_weights *weights, size_t side, double seconds, double peak)
{
    static const char *const stages[] = { "stem, layer1", "layer2", "layer3", "layer4" };
    struct kl_resnet18_options o;
    struct kl_error err;
    struct kl_resnet18 *net;
    double before = 0, done = 0;
    kl_backbone_resnet18_options_default(&o);
    o.height = o.width = side;
    for (int s = 0; s < 4; s++) {
        o.tap = s < 3 ? (enum kl_tap)s : KL_TAP_AVGPOOL;
        if (kl_backbone_resnet18_create(&net, weights, &o, &err)) die(&err);
        double r = rate(net, side, 1, side < 100 ? 4 : 1, seconds / 3), all = multiply_adds(side, s);
        double gflops = 2e-9 * (all - done) / (1 / r - before);
        printf("# %zu pixels, %-12s: %6.1f us an image, %6.1f GFLOP/s, %3.0f %% of peak %.0f\n", side,
               stages[s], 1e6 * (1 / r - before), gflops, 100 * gflops / peak, peak);
        before = 1 / r;
        done = all;
        if (s < 3) {
            kl_backbone_resnet18_free(&net);
            continue;
        }
        printf("bench resnet18-%zu-1-thread/ketline %.1f images/s\n", side, r);
        r = rate(net, side, 2, side < 100 ? 8 : 2, seconds);
        printf("bench resnet18-%zu/ketline %.1f images/s\n", side, r);
        kl_backbone_resnet18_free(&net);
    }
}

int main(int argc, char **argv)
{
    const char *shared = getenv("KETLINE_SHARED");
    double seconds = argc > 1 && strcmp(argv[1], "--quick") == 0 ? 0.3 : 3;
    char path[4096];
    struct kl_weights *weights;
    struct kl_error err;
    snprintf(path, sizeof path, "%s/weights/resnet18-gray28-f16.safetensors",
             shared ? shared : "../shared");
    if (access(path, R_OK) != 0) {
        printf("skipped: %s is absent\n", path);
        return 77;
    }
    if (kl_weights_read(&weights, path, &err)) die(&err);
    double peak = kl_device_peak_gflops(kl_isa_name(kl_isa()));
    bench(weights, 28, seconds, peak);
    bench(weights, 224, seconds, peak);
    kl_weights_free(&weights);
    return 0;
}
