/* SPDX-License-Identifier: MIT
   Features of ResNet-18 on the GPU against the CPU's, which the golden tests hold against torchvision's:
   sizes from one pixel to what fills maps of several tiles, grey and colour, every tap, every precision
   within its stated error (docs/cuda.md); an image alone in its batch, and in another slot, to the bit.
 */
#include <math.h>

#include "backbone/backbone.h"
#include "gpu.h"
#include "kernels/inline/philox.h"
#include "tests/unit/check.h"

enum { MOST = 5, SLOTS = 3, BOTH = 1 << KL_FP32 | 1 << KL_TF32 /* our kernel and cuDNN */, ALL = 15 };
static struct kl_weights *weights;
static struct kl_arena work;

static void must_not(int code, const struct kl_error *err)
{
    if (!code) return;
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

/* Smooth patches with noise on them, full range. */
static void draw(uint8_t *pixels, size_t n, size_t height, size_t width, size_t channels)
{
    for (uint32_t i = 0; i < n * height * width * channels; i++) {
        uint32_t words[4];
        kl_philox(words, 3, i, 1000, (uint32_t)height, (uint32_t)channels);
        const size_t p = i / channels, x = p % width, y = p / width % height;
        const double wave = 100 * sin(0.37 * (double)x + 0.2 * (double)(y * (i % channels + 1)));
        pixels[i] = (uint8_t)(128 + wave + (words[0] % 55 - 27.0));
    }
}

/* The largest difference, in parts of the largest value. */
static double compare(const float *a, const float *b, size_t n)
{
    double worst = 0, most = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs((double)b[i]));
    for (size_t i = 0; i < n; i++) worst = worse(worst, (double)a[i] - (double)b[i]);
    return worst / most;
}

static const double bounds[] = {
    [KL_FP32] = 2e-5, [KL_TF32] = 5e-3, [KL_BF16] = 3e-2, [KL_FP16] = 5e-3
};
/* In emulation, where it is found what the arithmetic itself leaves: tf32 with weights cut off in place
   of rounded, for one, is seen. */
static const double emulated_bounds[] = {
    [KL_FP32] = 5e-6, [KL_TF32] = 3e-3, [KL_BF16] = 1e-2, [KL_FP16] = 1.5e-3
};
static const char *const names[] = { "fp32", "tf32", "bf16", "fp16" };
static double worst_of[4];

/* The library's switches for tests, which no option reaches: a cuDNN on a GPU can be told nothing. */
static const struct kl_cuda *own;
static bool apart, uncaptured;
static int open_switched(struct kl_cuda_resnet **resnet, const struct kl_cuda_backbone *net, int number,
                         struct kl_error *err)
{
    struct kl_cuda_backbone switched = *net;
    switched.apart = apart, switched.uncaptured = uncaptured;
    return own->resnet->open(resnet, &switched, number, err);
}
static void take_switches(void)
{
    static struct kl_cuda_resnet_calls calls;
    static struct kl_cuda table;
    own = device.cuda, table = *own, calls = *own->resnet;
    calls.open = open_switched, table.resnet = &calls, device.cuda = &table;
}

/* Images 0 to n - 1 at their places in slot 0; the first place apart, image 1 in slot 2, must be the
   same. */
static void check_gpu(struct kl_backbone_gpu *gpu, const uint8_t *pixels, const float *want, size_t n,
                      size_t image, size_t d, enum kl_precision precision, const char *what)
{
    struct kl_error err = { 0 };
    const float *got, *alone;
    memcpy(kl_backbone_gpu_pixels(gpu, 0), pixels, n * image);
    int code = kl_backbone_gpu_run(gpu, 0, 0, n, &got, &err);
    CHECK(!code, "%s in %s: %s", what, names[precision], err.text);
    if (code) return;
    const double off = compare(got, want, n * d);
    worst_of[precision] = worse(worst_of[precision], off);
    CHECK(off <= (emulated ? emulated_bounds : bounds)[precision],
          "%s in %s: differs by %.3g of the largest feature", what, names[precision], off);
    CHECK(precision == KL_FP32 || off > 1e-6, "%s in %s: as exact as fp32", what, names[precision]);
    digest_of(got, n * d * sizeof *got);
    memset(kl_backbone_gpu_pixels(gpu, 2), 77, n * image);
    memcpy(kl_backbone_gpu_pixels(gpu, 2) + image, pixels + image, image);
    code = kl_backbone_gpu_run(gpu, 2, 1, 1, &alone, &err);
    CHECK(!code, "%s in %s: %s", what, names[precision], err.text);
    if (code) return;
    CHECK(memcmp(alone + d, got + d, d * sizeof *got) == 0, "%s in %s: an image alone has other bits",
          what, names[precision]);
    CHECK(memcmp(got + d, got, d * sizeof *got) != 0, "%s in %s: two images have the same features",
          what, names[precision]);
}

/* A failure in one precision says nothing of the others. */
static void check(size_t height, size_t width, enum kl_pixels kind, enum kl_tap tap, size_t n,
                  unsigned precisions)
{
    const size_t channels = kind == KL_PIXELS_GREY ? 1 : 3, image = height * width * channels;
    struct kl_resnet18_options o;
    struct kl_resnet18 *net, *shape;
    struct kl_backbone_gpu *gpu;
    struct kl_error err;
    char what[64];
    size_t dims[3];
    kl_backbone_resnet18_options_default(&o);
    o.height = height, o.width = width, o.pixels = kind, o.tap = tap;
    must_not(kl_backbone_resnet18_create(&net, weights, &o, &err), &err);
    must_not(kl_backbone_resnet18_create(&shape, NULL, &o, &err), &err);
    kl_backbone_resnet18_shape(net, dims);
    const size_t d = dims[0] * dims[1] * dims[2];
    uint8_t *pixels = malloc(n * image);
    float *want = malloc(n * d * sizeof *want);
    if (!pixels || !want) exit(1);
    draw(pixels, n, height, width, channels);
    must_not(kl_backbone_resnet18_run(net, want, pixels, n, &work, &err), &err);
    snprintf(what, sizeof what, "%zu x %zu, %s, tap %d", height, width, channels == 1 ? "grey" : "rgb",
             (int)tap + 1);
    for (int p = 0; p < 4; p++) {
        if (!(precisions >> p & 1)) continue;
        must_not(kl_backbone_gpu_prepare(&gpu, &device, (enum kl_precision)p, &err), &err);
        const int code = kl_backbone_gpu_open(gpu, shape, weights, n, SLOTS, NULL, &err);
        CHECK(!code, "%s in %s: %s", what, names[p], err.text);
        if (!code) {
            CHECK(kl_backbone_gpu_batch(gpu) >= n && kl_backbone_gpu_batch(gpu) < 2 * n);
            check_gpu(gpu, pixels, want, n, image, d, (enum kl_precision)p, what);
        }
        kl_backbone_gpu_close(&gpu);
    }
    kl_backbone_resnet18_free(&net), kl_backbone_resnet18_free(&shape);
    free(pixels), free(want);
}

/* Other ways than a fused call from a graph: by the library's own switches, which leave the first two
   out; and as cuDNN's answers lead to them, which only the emulated one can be made to give. */
static void check_ways(void)
{
    static const struct {
        bool apart, uncaptured;
        const char *cudnn, *capture; /* as emulated */
    } ways[] = {
        { true, false, "lost-fused", "" },
        { false, true, "", "never" },
        { false, false, "no-fused", "" },
        { false, false, "bad-fused", "" },
        { false, false, "", "0" },
        { false, false, "no-precomp", "" },
        { false, false, "no-fused no-run-precomp", "" },
        { false, false, "broken-fused", "" },
        { false, false, "uncompiled-fused", "" },
        { false, false, "no-nvrtc-fused", "" },
    };
    const size_t n = emulated && !smallest ? sizeof ways / sizeof *ways : 2;
    for (size_t i = 0; i < n; i++) {
        apart = ways[i].apart, uncaptured = ways[i].uncaptured;
        setenv("KETLINE_EMULATED_CUDNN", ways[i].cudnn, 1);
        setenv("KETLINE_EMULATED_CAPTURE", ways[i].capture, 1);
        check(17, 17, KL_PIXELS_GREY, i % 2 ? KL_TAP_LAYER2 : KL_TAP_AVGPOOL, i % 2 ? MOST : 2,
              i ? 1 << KL_TF32 : ALL);
    }
    apart = uncaptured = false;
    unsetenv("KETLINE_EMULATED_CUDNN"), unsetenv("KETLINE_EMULATED_CAPTURE");
}

/* How convolutions and batches run is said: a slow way would else be met as a slow GPU. */
static void check_said(void)
{
    static const struct {
        const char *cudnn, *capture, *how, *batch;
        enum kl_precision precision;
    } told[] = {
        { "", "", "our kernel, ", "as one graph", KL_FP32 },
        { "", "", "algorithm 1, fused", "as one graph", KL_TF32 },
        { "no-fused", "0", "algorithm 1, not fused", "one by one", KL_TF32 },
        { "no-precomp", "", "algorithm 0, not fused", "as one graph", KL_TF32 },
        { "no-nvrtc-precomp", "", "algorithm 0, not fused", "as one graph", KL_TF32 },
    };
    struct kl_resnet18_options o;
    struct kl_resnet18 *shape;
    struct kl_backbone_gpu *gpu;
    struct kl_error err;
    char text[256];
    kl_backbone_resnet18_options_default(&o);
    o.height = o.width = 17;
    must_not(kl_backbone_resnet18_create(&shape, NULL, &o, &err), &err);
    for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
        int lines = 0;
        setenv("KETLINE_EMULATED_CUDNN", told[i].cudnn, 1);
        setenv("KETLINE_EMULATED_CAPTURE", told[i].capture, 1);
        must_not(kl_backbone_gpu_prepare(&gpu, &device, told[i].precision, &err), &err);
        must_not(kl_backbone_gpu_open(gpu, shape, weights, 2, SLOTS, NULL, &err), &err);
        for (; kl_backbone_gpu_say(text, sizeof text, gpu, lines); lines++)
            CHECK(strstr(text, lines < 20 ? told[i].how : told[i].batch), "%s: line %d: %s",
                  told[i].cudnn, lines, text);
        CHECK(lines == 21, "%d lines of 20 convolutions and a batch", lines);
        kl_backbone_gpu_close(&gpu);
    }
    unsetenv("KETLINE_EMULATED_CUDNN"), unsetenv("KETLINE_EMULATED_CAPTURE");
    kl_backbone_resnet18_free(&shape);
}

/* A cuDNN that has no algorithm, one that finds a parameter wrong, or the GPU, and a fused call that
   breaks, which is not tried again as a convolution alone. */
static void check_refusals(void)
{
    static const struct {
        const char *cudnn, *why;
        int code;
    } told[] = { { "no-precomp no-implicit", "NOT_SUPPORTED", KL_EDEVICE },
                 { "no-nvrtc-precomp no-implicit", "RUNTIME_PREREQUISITE_MISSING", KL_EDEVICE },
                 { "no-fused no-run-precomp no-implicit", "NOT_SUPPORTED", KL_EDEVICE },
                 { "bad-any", "BAD_PARAM", KL_EDEVICE },
                 { "no-card", "ARCH_MISMATCH", KL_EDEVICE },
                 { "lost-fused", "EXECUTION_FAILED", KL_EDEVICE },
                 { "full-fused", "memory is full", KL_ENOMEM } };
    struct kl_resnet18_options o;
    struct kl_resnet18 *shape;
    struct kl_backbone_gpu *gpu;
    struct kl_error err;
    kl_backbone_resnet18_options_default(&o);
    must_not(kl_backbone_resnet18_create(&shape, NULL, &o, &err), &err);
    for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
        setenv("KETLINE_EMULATED_CUDNN", told[i].cudnn, 1);
        must_not(kl_backbone_gpu_prepare(&gpu, &device, KL_TF32, &err), &err);
        const int code = kl_backbone_gpu_open(gpu, shape, weights, 2, SLOTS, NULL, &err);
        CHECK(code == told[i].code && strstr(err.text, told[i].why), "%s: status %d", told[i].cudnn,
              code);
        kl_backbone_gpu_close(&gpu);
    }
    unsetenv("KETLINE_EMULATED_CUDNN");
    kl_backbone_resnet18_free(&shape);
}

/* cuDNN loads its engines in the thread that prepares, not at the first convolution. */
static void check_prepared(void)
{
    struct kl_error err;
    setenv("KETLINE_EMULATED_CUDNN", "no-library", 1);
    const int code = own->resnet->prepare(device.number, KL_CUDA_TF32, &err);
    CHECK(code == KL_EDEVICE && strstr(err.text, "LOADING_FAILED"), "no engines: status %d", code);
    setenv("KETLINE_EMULATED_CUDNN", "no-precomp no-implicit", 1);
    CHECK(!own->resnet->prepare(device.number, KL_CUDA_TF32, &err), "nothing for one pixel: %s",
          err.text);
    unsetenv("KETLINE_EMULATED_CUDNN");
}

/* cuDNN's kernels do not run under racecheck, nor are they ours. */
static void check_races(void)
{
    fprintf(stderr, "fp32 alone, by our kernels: cuDNN's do not run under racecheck\n");
    check(17, 17, KL_PIXELS_GREY, KL_TAP_LAYER2, 2, 1 << KL_FP32); /* the long chains of later layers */
    check(37, 2, KL_PIXELS_RGB, KL_TAP_LAYER1, 2, 1 << KL_FP32);   /* are the same code, and minutes */
}

static void check_sizes(void)
{
    check(28, 28, KL_PIXELS_GREY, KL_TAP_AVGPOOL, smallest ? 2 : 3, ALL);
    if (!smallest) check(28, 28, KL_PIXELS_RGB, KL_TAP_LAYER3, 2, ALL);
    if (!smallest) check(41, 41, KL_PIXELS_GREY, KL_TAP_LAYER4, 2, BOTH);
    if (!smallest) check(33, 33, KL_PIXELS_RGB, KL_TAP_LAYER1, 2, BOTH);
    check(17, 17, KL_PIXELS_GREY, KL_TAP_LAYER2, smallest ? 2 : MOST, BOTH);
    check(3, 3, KL_PIXELS_RGB, KL_TAP_AVGPOOL, 2, BOTH);
    check(1, 1, KL_PIXELS_GREY, KL_TAP_LAYER4, 2, BOTH);
    if (!smallest) check(5, 61, KL_PIXELS_GREY, KL_TAP_LAYER3, 3, BOTH);
    check(37, 2, KL_PIXELS_RGB, KL_TAP_LAYER1, 2, BOTH);
    if (!smallest) check(70, 9, KL_PIXELS_RGB, KL_TAP_LAYER4, 2, BOTH);
    check_ways();
    if (emulated && !smallest) check_said();
    if (emulated && !smallest) check_refusals();
    if (emulated && !smallest) check_prepared();
    if (!small) {
        check(28, 28, KL_PIXELS_GREY, KL_TAP_AVGPOOL, 64, ALL);
        check(224, 224, KL_PIXELS_RGB, KL_TAP_AVGPOOL, 16, ALL);
    }
}

int main(void)
{
    struct kl_error err;
    open_gpu();
    take_switches();
    char file[4096];
    must_not(kl_backbone_weights_shipped(file, sizeof file, &err), &err);
    must_not(kl_arena_init(&work, 0, &err), &err);
    must_not(kl_weights_read(&weights, file, &err), &err);
    if (racecheck) check_races();
    else check_sizes();
    for (int p = 0; p < (racecheck ? 1 : 4); p++)
        fprintf(stderr, "%s: %.2g of the largest feature at most\n", names[p], worst_of[p]);
    print_digest();
    kl_weights_free(&weights);
    kl_arena_free(&work);
    return failures != 0;
}
