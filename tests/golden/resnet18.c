/* SPDX-License-Identifier: MIT
   ResNet-18 against torchvision in double (reference/hybrid/resnet18.h5): the largest difference is at
   most 1e-4 of the largest value, for every size and tap; grey and RGB bytes; and an image's features do
   not depend on its place in a block. */
#include "backbone/backbone.h"
#include "golden.h"
#include "tests/worse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int failures;
static struct kl_arena work;
static struct kl_weights *weights;

static void *read_golden(hid_t file, const char *name, hid_t type, size_t size, size_t *n)
{
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT), space = set < 0 ? -1 : H5Dget_space(set);
    if (space < 0) {
        fprintf(stderr, "%s is absent\n", name);
        exit(1);
    }
    *n = (size_t)H5Sget_simple_extent_npoints(space);
    void *values = malloc(*n * size);
    H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Sclose(space);
    H5Dclose(set);
    return values;
}

static void compare(const char *what, const float *a, const double *b, size_t n)
{
    double worst = 0, scale = 0;
    for (size_t i = 0; i < n; i++) scale = fmax(scale, fabs(b[i]));
    for (size_t i = 0; i < n; i++) {
        double d = fabs((double)a[i] - b[i]) / scale;
        worst = worse(worst, d);
    }
    printf("%s: %.2g\n", what, worst);
    if (worst <= 1e-4) return;
    fprintf(stderr, "%s:%d: %s: relative difference %.3g, bound 1e-4\n", __FILE__, __LINE__, what,
            worst);
    failures++;
}

static struct kl_resnet18 *create(size_t size, enum kl_pixels pixels, enum kl_tap tap)
{
    struct kl_resnet18_options o;
    struct kl_resnet18 *net;
    struct kl_error err;
    kl_backbone_resnet18_options_default(&o);
    o.height = o.width = size;
    o.pixels = pixels;
    o.tap = tap;
    must(kl_backbone_resnet18_create(&net, weights, &o, &err), &err);
    return net;
}

static float *run(const struct kl_resnet18 *net, const void *images, size_t n)
{
    size_t dims[3];
    struct kl_error err;
    kl_backbone_resnet18_shape(net, dims);
    float *features = malloc(n * dims[0] * dims[1] * dims[2] * sizeof *features);
    must(kl_backbone_resnet18_run(net, features, images, n, &work, &err), &err);
    return features;
}

static void check_tap(hid_t file, size_t size, size_t n, enum kl_tap tap, const char *name)
{
    char path[64];
    size_t count;
    snprintf(path, sizeof path, "%zu/x", size);
    float *x = read_golden(file, path, H5T_NATIVE_FLOAT, sizeof *x, &count);
    snprintf(path, sizeof path, "%zu/%s", size, name);
    double *want = read_golden(file, path, H5T_NATIVE_DOUBLE, sizeof *want, &count);
    struct kl_resnet18 *net = create(size, KL_PIXELS_NORMALISED, tap);
    float *got = run(net, x, n);
    compare(path, got, want, count);
    kl_backbone_resnet18_free(&net);
    free(x), free(want), free(got);
}

static void check_bytes(hid_t file, size_t size)
{
    char path[64];
    size_t count, pixels = size * size;
    snprintf(path, sizeof path, "mnist16_%zu/resized_uint8", size);
    uint8_t *grey = read_golden(file, path, H5T_NATIVE_UINT8, 1, &count);
    snprintf(path, sizeof path, "mnist16_%zu/features", size);
    double *want = read_golden(file, path, H5T_NATIVE_DOUBLE, sizeof *want, &count);
    struct kl_resnet18 *net = create(size, KL_PIXELS_GREY, KL_TAP_AVGPOOL);
    float *got = run(net, grey, 16);
    compare(path, got, want, count);
    for (size_t i = 0; i < 16; i++) { /* alone, at the first place */
        float *alone = run(net, grey + i * pixels, 1);
        if (memcmp(alone, got + i * 512, 512 * sizeof *got) != 0) {
            fprintf(stderr, "%s:%d: %s: image %zu depends on its place\n", __FILE__, __LINE__, path, i);
            failures++;
        }
        free(alone);
    }
    kl_backbone_resnet18_free(&net);
    free(got);
    uint8_t *rgb = malloc(16 * pixels * 3);
    for (size_t i = 0; i < 16 * pixels * 3; i++) rgb[i] = grey[i / 3];
    net = create(size, KL_PIXELS_RGB, KL_TAP_AVGPOOL);
    got = run(net, rgb, 16);
    compare("the same as RGB", got, want, count);
    kl_backbone_resnet18_free(&net);
    free(grey), free(rgb), free(want), free(got);
}

int main(void)
{
    const char *shared = getenv("KETLINE_SHARED");
    char golden[4096], path[4096];
    struct kl_error err;
    if (!shared) shared = "../shared";
    snprintf(golden, sizeof golden, "%s/reference/hybrid/resnet18.h5", shared);
    snprintf(path, sizeof path, "%s/weights/resnet18-gray28-f16.safetensors", shared);
    if (access(golden, R_OK) != 0 || access(path, R_OK) != 0) {
        printf("skipped: %s or %s is absent\n", golden, path);
        return 77;
    }
    must(kl_arena_init(&work, 0, &err), &err);
    must(kl_weights_read(&weights, path, &err), &err);
    hid_t file = H5Fopen(golden, H5F_ACC_RDONLY, H5P_DEFAULT);
    static const struct {
        size_t size, n;
    } sizes[] = { { 28, 4 }, { 29, 2 }, { 32, 4 }, { 50, 2 }, { 64, 2 }, { 224, 1 } };
    static const char *const taps[] = { "layer1", "layer2", "layer3", "layer4" };
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        check_tap(file, sizes[s].size, sizes[s].n, KL_TAP_AVGPOOL, "avgpool");
    for (size_t s = 0; s < 3; s++)
        for (int t = 0; t < 4; t++) check_tap(file, sizes[s].size, sizes[s].n, (enum kl_tap)t, taps[t]);
    check_bytes(file, 28);
    check_bytes(file, 64);
    H5Fclose(file);
    kl_weights_free(&weights);
    kl_arena_free(&work);
    return failures != 0;
}
