/* SPDX-License-Identifier: MIT
   The resampling of PIL (Pillow, src/libImaging/Resample.c), bilinear, 8 bits a channel: a horizontal, then a vertical pass with
   weights of 22 fractional bits; the triangle widens when an image shrinks (antialias). */
#include <math.h>
#include <string.h>

#include "ingest/ingest.h"

enum { PRECISION = 32 - 8 - 2 };

struct taps {
    size_t most;   /* weights reserved for an output */
    size_t *first; /* [out] first input that counts */
    size_t *n;     /* [out] how many */
    int32_t *weights; /* [out][most] */
};

static double triangle(double x)
{
    x = fabs(x);
    return x < 1 ? 1 - x : 0;
}

static int make_taps(struct taps *t, size_t in, size_t out, struct kl_arena *work, struct kl_error *err)
{
    const double scale = (double)in / (double)out, wide = scale < 1 ? 1 : scale;
    t->most = (size_t)ceil(wide) * 2 + 1;
    t->first = kl_arena_take(work, out, sizeof *t->first);
    t->n = kl_arena_take(work, out, sizeof *t->n);
    t->weights = kl_arena_take(work, out * t->most, sizeof *t->weights);
    double *w = kl_arena_take(work, t->most, sizeof *w);
    if (!t->first || !t->n || !t->weights || !w)
        return kl_fail_memory(err, out * t->most * sizeof *t->weights);
    for (size_t i = 0; i < out; i++) {
        const double centre = ((double)i + 0.5) * scale, low = centre - wide + 0.5, high = centre + wide + 0.5;
        const size_t begin = low > 0 ? (size_t)low : 0, end = high < (double)in ? (size_t)high : in;
        const double inverse = 1 / wide;
        double sum = 0;
        for (size_t k = 0; k < end - begin; k++)
            sum += w[k] = triangle(((double)(k + begin) - centre + 0.5) * inverse);
        for (size_t k = 0; k < end - begin; k++) {
            const double share = sum != 0 ? w[k] / sum : w[k];
            t->weights[i * t->most + k] = (int32_t)(0.5 + share * (1 << PRECISION));
        }
        t->first[i] = begin;
        t->n[i] = end - begin;
    }
    return 0;
}

/* out[c] = sum of weights[k] * in[k * stride + c], for c < n, rounded; the weights are not negative and sum to about 1. */
static void blend(uint8_t *out, const uint8_t *in, size_t n, size_t stride, const int32_t *weights, size_t taps)
{
    for (size_t c = 0; c < n; c++) {
        int32_t sum = 1 << (PRECISION - 1);
        for (size_t k = 0; k < taps; k++)
            sum += in[k * stride + c] * weights[k];
        sum >>= PRECISION;
        out[c] = (uint8_t)(sum > 255 ? 255 : sum);
    }
}

int kl_resize(uint8_t *out, size_t height, size_t width, const struct kl_picture *in, struct kl_arena *work,
              struct kl_error *err)
{
    const size_t c = in->channels;
    const uint8_t *rows = in->pixels;
    struct taps t;
    int rc;
    if (width != in->width) {
        uint8_t *narrow = kl_arena_take(work, in->height * width, c);
        if (!narrow)
            return kl_fail_memory(err, in->height * width * c);
        if ((rc = make_taps(&t, in->width, width, work, err)))
            return rc;
        for (size_t y = 0; y < in->height; y++)
            for (size_t x = 0; x < width; x++)
                blend(narrow + (y * width + x) * c, in->pixels + (y * in->width + t.first[x]) * c, c, c,
                      t.weights + x * t.most, t.n[x]);
        rows = narrow;
    }
    if (height == in->height) {
        memcpy(out, rows, height * width * c);
        return 0;
    }
    if ((rc = make_taps(&t, in->height, height, work, err)))
        return rc;
    for (size_t y = 0; y < height; y++)
        blend(out + y * width * c, rows + t.first[y] * width * c, width * c, width * c, t.weights + y * t.most, t.n[y]);
    return 0;
}
