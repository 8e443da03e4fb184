/* SPDX-License-Identifier: MIT
   A 3x3 convolution as extract-features does it: Winograd's points, a product a point, back. */
#include "doctor/doctor_int.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/conv.h"

enum {
    SIDE = 8,
    CHANNELS = 128,
    IMAGES = 16,
    PIXELS = SIDE * SIDE * IMAGES,
    TILES = 4,
    COLUMNS = TILES * IMAGES,
    POINTS = 36,
    MAP = CHANNELS * PIXELS,
    STEP = CHANNELS * COLUMNS +
           16, /* apart, so that the points' columns fall into different sets of a cache */
};

struct layer {
    float *in, *out, *weights, *before, *after; /* maps; (points, panels); (points, STEP) */
};

static void convolve(void *context, size_t thread)
{
    const struct layer *l = (const struct layer *)context + thread;
    const struct kl_conv *conv = kl_kernel_conv_f32();
    const struct kl_conv_map size = { SIDE, SIDE, IMAGES };
    for (size_t c = 0; c < CHANNELS; c++)
        for (size_t t = 0; t < TILES; t++)
            conv->in(l->before + c * COLUMNS + t * IMAGES, STEP, l->in + c * PIXELS, size, t / 2 * 4,
                     t % 2 * 4, KL_CONV_4);
    for (size_t p = 0; p < POINTS; p++)
        conv->product(l->after + p * STEP, COLUMNS,
                      l->weights + p * kl_conv_panels_size(CHANNELS, CHANNELS), l->before + p * STEP,
                      COLUMNS, CHANNELS, COLUMNS, CHANNELS, false);
    for (size_t c = 0; c < CHANNELS; c++)
        for (size_t t = 0; t < TILES; t++)
            conv->out(l->out + c * PIXELS, l->after + c * COLUMNS + t * IMAGES, STEP, 0, NULL, size,
                      t / 2 * 4, t % 2 * 4, KL_CONV_4, true);
}

/* Every channel's own centre tap is 1, all else 0: at a point, the outer product of what a dimension's
   middle tap becomes (Lavin & Gray 2015, arXiv:1509.09308, the matrix G of F(4x4,3x3)). */
static void set_weights(struct layer *l)
{
    static const float middle[6] = { 0, -1.0f / 6, 1.0f / 6, 1.0f / 12, -1.0f / 12, 0 };
    for (size_t p = 0; p < POINTS; p++)
        for (size_t row = 0; row < CHANNELS; row++)
            l->weights[p * kl_conv_panels_size(CHANNELS, CHANNELS) +
                       kl_conv_panels_at(row, row, CHANNELS)] = middle[p / 6] * middle[p % 6];
}

/* Such a layer is ReLU alone. */
static bool is_right(const struct layer *l)
{
    for (size_t i = 0; i < MAP; i += 61)
        if (!(fabsf(l->out[i] - fmaxf(l->in[i], 0)) < 1e-3f)) return false;
    return true;
}

static int make_layer(struct layer *l, struct kl_error *err)
{
    const size_t weights = POINTS * kl_conv_panels_size(CHANNELS, CHANNELS);
    const size_t all = 2 * MAP + weights + 2 * POINTS * STEP;
    float *values = aligned_alloc(64, (all * sizeof *values + 63) / 64 * 64);
    if (!values) return kl_fail_memory(err, all * sizeof *values);
    *l = (struct layer){ values, values + MAP, values + 2 * MAP, NULL, NULL };
    l->before = l->weights + weights;
    l->after = l->before + POINTS * STEP;
    for (size_t i = 0; i < all; i++) values[i] = 0;
    kl_doctor_rates_fill(l->in, MAP, 0.13f);
    set_weights(l);
    return KL_OK;
}

int kl_doctor_rates_convolution(struct kl_rates *rates, struct kl_pool *pool, struct kl_error *err)
{
    const size_t threads = (size_t)kl_pool_size(pool);
    struct layer *layers = calloc(threads, sizeof *layers);
    int code = layers ? KL_OK : kl_fail_memory(err, threads * sizeof *layers);
    for (size_t i = 0; !code && i < threads; i++) code = make_layer(&layers[i], err);
    if (!code) {
        const double plain = 2.0 * 9 * CHANNELS * CHANNELS * PIXELS;
        rates->convolution = plain * kl_doctor_rates_race(convolve, layers, pool, 0.3);
        if (!is_right(&layers[threads - 1]))
            snprintf(rates->problem, sizeof rates->problem, "convolutions (%s) give wrong numbers",
                     kl_isa_name(kl_isa()));
    }
    for (size_t i = 0; layers && i < threads; i++) free(layers[i].in);
    free(layers);
    return code;
}
