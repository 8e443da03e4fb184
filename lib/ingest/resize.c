/* SPDX-License-Identifier: MIT
   Bilinear resampling as PyTorch's interpolate(mode="bilinear", antialias=True) does it in float32
   (ATen, UpSampleKernel.cpp, after Pillow's Resample.c): a horizontal, then a vertical pass; the
   triangle widens when an image shrinks. One rounding, at the end. */
#include <math.h>

#include "ingest/ingest.h"

struct taps {
    size_t most;    /* weights reserved for an output */
    size_t *first;  /* [out] first input that counts */
    size_t *n;      /* [out] how many */
    float *weights; /* [out][most], sum 1 */
};

static float triangle(float x)
{
    x = fabsf(x);
    return x < 1 ? 1 - x : 0;
}

/* Centres of pixels at halves (align_corners=False). */
static int make_taps(struct taps *t, size_t in, const struct kl_ingest_span *to, struct kl_arena *work,
                     struct kl_error *err)
{
    const size_t out = to->n;
    const float scale = (float)in / (float)to->whole, wide = scale < 1 ? 1 : scale, inverse = 1 / wide;
    t->most = (size_t)ceilf(wide) * 2 + 1;
    t->first = kl_arena_take(work, out, sizeof *t->first);
    t->n = kl_arena_take(work, out, sizeof *t->n);
    t->weights = kl_arena_take(work, out * t->most, sizeof *t->weights);
    if (!t->first || !t->n || !t->weights)
        return kl_fail_memory(err, out * t->most * sizeof *t->weights);
    for (size_t i = 0; i < out; i++) {
        const float centre = scale * ((float)(to->from + i) + 0.5f), low = centre - wide + 0.5f,
                    high = centre + wide + 0.5f;
        const size_t begin = low > 0 ? (size_t)low : 0, end = high < (float)in ? (size_t)high : in;
        float *w = t->weights + i * t->most, sum = 0;
        t->first[i] = begin;
        t->n[i] = end - begin < t->most ? end - begin : t->most;
        for (size_t k = 0; k < t->n[i]; k++)
            sum += w[k] = triangle(((float)(k + begin) - centre + 0.5f) * inverse);
        for (size_t k = 0; k < t->n[i] && sum != 0; k++) w[k] /= sum;
    }
    return 0;
}

/* Rows [first, end) of an 8-bit image to rows of `width` float pixels. */
static void pass_across(float *out, size_t width, const struct kl_picture *in, size_t first, size_t end,
                        const struct taps *t)
{
    const size_t c = in->channels;
    for (size_t y = first; y < end; y++)
        for (size_t x = 0; x < width; x++) {
            const uint8_t *from = in->pixels + (y * in->width + t->first[x]) * c;
            const float *w = t->weights + x * t->most;
            for (size_t i = 0; i < c; i++) {
                float sum = (float)from[i] * w[0];
                for (size_t k = 1; k < t->n[x]; k++) sum += (float)from[k * c + i] * w[k];
                *out++ = sum;
            }
        }
}

/* rows: from row t->first[0] on. Halves go to the even number, as torch.round. */
static void pass_down(uint8_t *out, float *sum, size_t height, const float *rows, size_t row,
                      const struct taps *t)
{
    for (size_t y = 0; y < height; y++, out += row) {
        const float *from = rows + (t->first[y] - t->first[0]) * row, *w = t->weights + y * t->most;
        for (size_t x = 0; x < row; x++) sum[x] = from[x] * w[0];
        for (size_t k = 1; k < t->n[y]; k++)
            for (size_t x = 0; x < row; x++) sum[x] += from[k * row + x] * w[k];
        for (size_t x = 0; x < row; x++) {
            const float v = nearbyintf(sum[x]);
            out[x] = (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
        }
    }
}

int kl_ingest_resize(uint8_t *out, const struct kl_ingest_span *height,
                     const struct kl_ingest_span *width, const struct kl_picture *in,
                     struct kl_arena *work, struct kl_error *err)
{
    const size_t row = width->n * in->channels;
    struct taps across, down;
    int rc = make_taps(&across, in->width, width, work, err);
    if (rc || (rc = make_taps(&down, in->height, height, work, err))) return rc;
    const size_t first = down.first[0], end = down.first[height->n - 1] + down.n[height->n - 1];
    float *rows = kl_arena_take(work, (end - first) * row, sizeof *rows),
          *sum = kl_arena_take(work, row, sizeof *sum);
    if (!rows || !sum) return kl_fail_memory(err, (end - first + 1) * row * sizeof *rows);
    pass_across(rows, width->n, in, first, end, &across);
    pass_down(out, sum, height->n, rows, row, &down);
    return 0;
}
