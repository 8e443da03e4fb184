/* SPDX-License-Identifier: MIT
   One block of images through the network. Every value is the same whatever its neighbours:
   products are chains over the channels, transforms work lane by lane. */
#include <string.h>

#include "backbone/backbone_int.h"

struct run {
    const struct kl_resnet18 *net;
    size_t n;                       /* images side by side, the block's width */
    float *planes, *patches, *rows; /* the stem's: pixels; (taps, out_w, n); three rows of its map */
    float *maps[3], *phases; /* maps of a block; an input split into even and odd rows and columns */
    float *points_in, *points_out; /* (points, channels, KL_CONV_COLUMNS) */
};

static int take(float **block, size_t values, struct kl_arena *work, struct kl_error *err)
{
    *block = kl_arena_take(work, values, sizeof **block);
    return *block ? KL_OK : kl_fail_memory(err, values * sizeof **block);
}

static int begin(struct run *r, const struct kl_resnet18 *net, struct kl_arena *work,
                 struct kl_error *err)
{
    const struct kl_folded *stem = &net->stem;
    size_t n = net->images, points = net->points * KL_CONV_COLUMNS + 36 * KL_CONV_APART;
    *r = (struct run){ .net = net, .n = n };
    kl_arena_reset(work);
    int code = take(&r->planes, net->channels * stem->in_h * stem->in_w * n, work, err);
    if (!code) code = take(&r->patches, net->channels * 49 * stem->out_w * n, work, err);
    if (!code) code = take(&r->rows, 3 * 64 * stem->out_w * n, work, err);
    for (int m = 0; !code && m < 3; m++) code = take(&r->maps[m], net->largest * n, work, err);
    if (!code) code = take(&r->phases, net->largest * n, work, err);
    if (!code) code = take(&r->points_in, points, work, err);
    if (!code) code = take(&r->points_out, points, work, err);
    return code;
}

size_t kl_backbone_resnet18_workspace(const struct kl_resnet18 *net)
{
    const struct kl_folded *stem = &net->stem;
    size_t a_block = net->channels * stem->in_h * stem->in_w + net->channels * 49 * stem->out_w +
                     3 * 64 * stem->out_w;
    size_t points = net->points * KL_CONV_COLUMNS + 36 * KL_CONV_APART;
    return ((a_block + 4 * net->largest) * net->images + 2 * points) * sizeof(float) + 16 * 64;
}

/* Images to planes [channel][y][x][n]; missing images are zeros. */
static void spread_images(struct run *r, const void *images, size_t count)
{
    const struct kl_resnet18 *net = r->net;
    size_t pixels = net->stem.in_h * net->stem.in_w, channels = net->channels, n = r->n;
    bool floats = net->options.pixels == KL_PIXELS_NORMALISED;
    if (count < n) memset(r->planes, 0, channels * pixels * n * sizeof(float));
    for (size_t i = 0; i < count; i++) {
        const uint8_t *u8 = (const uint8_t *)images + i * pixels * channels;
        const float *f32 = (const float *)images + i * pixels * channels;
        for (size_t c = 0; c < channels; c++)
            for (size_t p = 0; p < pixels; p++)
                r->planes[(c * pixels + p) * n + i] =
                    floats ? f32[c * pixels + p] : (float)u8[p * channels + c];
    }
}

/* patches[(channel, tap)][x][n] of one row of the stem's map. */
static void gather_patches(struct run *r, size_t y)
{
    const struct kl_folded *stem = &r->net->stem;
    size_t n = r->n;
    float *to = r->patches;
    for (size_t c = 0; c < r->net->channels; c++)
        for (size_t t = 0; t < 49; t++) {
            size_t row = 2 * y + t / 7 - 3;
            for (size_t x = 0; x < stem->out_w; x++, to += n) {
                size_t column = 2 * x + t % 7 - 3;
                if (row < stem->in_h && column < stem->in_w)
                    memcpy(to, r->planes + ((c * stem->in_h + row) * stem->in_w + column) * n,
                           n * sizeof(float));
                else memset(to, 0, n * sizeof(float));
            }
        }
}

static void stem_row(struct run *r, float *to, size_t y)
{
    const struct kl_folded *stem = &r->net->stem;
    size_t width = stem->out_w * r->n, taps = r->net->channels * 49;
    gather_patches(r, y);
    for (size_t o = 0; o < 64; o++)
        for (size_t x = 0; x < stem->out_w; x++) {
            float bias = r->net->stem_bias[(o * stem->out_h + y) * stem->out_w + x];
            for (size_t i = 0; i < r->n; i++) to[o * width + x * r->n + i] = bias;
        }
    kl_kernel_conv_f32()->product(to, width, stem->weights, r->patches, width, 64, width, taps, true);
    kl_kernel_conv_f32()->relu(to, NULL, 64 * width);
}

/* The stem and its max-pool, three rows of the stem's map at a time. */
static void stem(struct run *r, float *map)
{
    const struct kl_resnet18 *net = r->net;
    size_t width = net->stem.out_w * r->n, row_size = 64 * width, made = 0;
    for (size_t py = 0; py < net->pool_h; py++) {
        for (; made <= 2 * py + 1 && made < net->stem.out_h; made++)
            stem_row(r, r->rows + made % 3 * row_size, made);
        for (size_t o = 0; o < 64; o++) {
            const float *rows[3];
            for (size_t k = 0; k < 3; k++) {
                size_t y = 2 * py + k - 1; /* below 0: wraps, outside */
                rows[k] = y < net->stem.out_h ? r->rows + y % 3 * row_size + o * width : NULL;
            }
            float *to = map + (o * net->pool_h + py) * net->pool_w * r->n;
            kl_kernel_conv_f32()->pool(to, rows, net->stem.out_w, r->n);
        }
    }
}

/* 3x3, stride 1: transform some tiles, a product a point, transform back. */
static void conv_points(struct run *r, float *out, const struct kl_folded *c, const float *in,
                        const float *residual)
{
    size_t n = r->n, tile = kl_conv_tile(c->kind), points = kl_conv_points(c->kind);
    size_t across = (c->out_w + tile - 1) / tile, tiles = across * ((c->out_h + tile - 1) / tile);
    size_t some = KL_CONV_COLUMNS / n, pixels = c->in_h * c->in_w * n,
           matrix = kl_conv_panels_size(c->out, c->in);
    struct kl_conv_map size = { c->in_h, c->in_w, n };
    for (size_t first = 0; first < tiles; first += some) {
        size_t here = tiles - first < some ? tiles - first : some, columns = here * n;
        size_t step_in = c->in * columns + KL_CONV_APART, step_out = c->out * columns + KL_CONV_APART;
        for (size_t i = 0; i < c->in; i++)
            for (size_t t = 0; t < here; t++)
                kl_kernel_conv_f32()->in(r->points_in + i * columns + t * n, step_in, in + i * pixels,
                                         size, (first + t) / across * tile, (first + t) % across * tile,
                                         c->kind);
        for (size_t p = 0; p < points; p++)
            kl_kernel_conv_f32()->product(r->points_out + p * step_out, columns, c->weights + p * matrix,
                                          r->points_in + p * step_in, columns, c->out, columns, c->in,
                                          false);
        for (size_t o = 0; o < c->out; o++)
            for (size_t t = 0; t < here; t++)
                kl_kernel_conv_f32()->out(out + o * pixels, r->points_out + o * columns + t * n,
                                          step_out, c->bias[o], residual ? residual + o * pixels : NULL,
                                          size, (first + t) / across * tile, (first + t) % across * tile,
                                          c->kind, true);
    }
}

/* Rows and columns by parity: phases[y % 2][x % 2][channel][y / 2][x / 2][n], each phase (h+1)/2 by
   (w+1)/2. */
static void split_phases(struct run *r, const struct kl_folded *c, const float *in)
{
    size_t half_h = (c->in_h + 1) / 2, half_w = (c->in_w + 1) / 2, n = r->n,
           phase = c->in * half_h * half_w * n;
    for (size_t i = 0; i < c->in; i++)
        for (size_t y = 0; y < c->in_h; y++)
            for (size_t x = 0; x < c->in_w; x++) {
                float *to = r->phases + (2 * (y % 2) + x % 2) * phase +
                            ((i * half_h + y / 2) * half_w + x / 2) * n;
                memcpy(to, in + ((i * c->in_h + y) * c->in_w + x) * n, n * sizeof(float));
            }
}

/* Stride 2: for each row of outputs and each tap inside the map, a product over the whole row. */
static void conv_strided(struct run *r, float *out, const struct kl_folded *c)
{
    size_t half_h = (c->in_h + 1) / 2, half_w = (c->in_w + 1) / 2, n = r->n, plane = half_h * half_w * n;
    size_t pixels = c->out_h * c->out_w * n, pad = c->size / 2,
           matrix = kl_conv_panels_size(c->out, c->in);
    for (size_t o = 0; o < c->out; o++)
        for (size_t i = 0; i < pixels; i++) out[o * pixels + i] = c->bias[o];
    for (size_t y = 0; y < c->out_h; y++)
        for (size_t t = 0; t < c->size * c->size; t++) {
            size_t row = 2 * y + t / c->size - pad;
            size_t first = 0, end = c->out_w; /* outputs whose tap is inside */
            if (row >= c->in_h) continue;
            while (first < end && 2 * first + t % c->size < pad) first++;
            while (end > first && 2 * (end - 1) + t % c->size - pad >= c->in_w) end--;
            if (first == end) continue;
            size_t column = 2 * first + t % c->size - pad;
            const float *from = r->phases + (2 * (row % 2) + column % 2) * c->in * plane +
                                (row / 2 * half_w + column / 2) * n;
            kl_kernel_conv_f32()->product(out + (y * c->out_w + first) * n, pixels,
                                          c->weights + t * matrix, from, plane, c->out,
                                          (end - first) * n, c->in, true);
        }
}

/* maps[0] holds the input and receives the output. */
static void basic_block(struct run *r, const struct kl_basic_block *b)
{
    const struct kl_folded *c1 = &b->conv1, *c2 = &b->conv2;
    const float *residual = r->maps[0];
    if (c1->stride == 2) {
        split_phases(r, c1, r->maps[0]);
        conv_strided(r, r->maps[1], c1);
        kl_kernel_conv_f32()->relu(r->maps[1], NULL, c1->out * c1->out_h * c1->out_w * r->n);
        conv_strided(r, r->maps[2], &b->shortcut);
        residual = r->maps[2];
    } else {
        conv_points(r, r->maps[1], c1, r->maps[0], NULL);
    }
    /* The residual may be maps[0]: each pixel is read before it is written. */
    conv_points(r, r->maps[0], c2, r->maps[1], residual);
}

static void write_features(const struct run *r, float *features, size_t count)
{
    const struct kl_folded *last = &r->net->blocks[r->net->n_blocks - 1].conv2;
    size_t pixels = last->out_h * last->out_w, n = r->n;
    bool pooled = r->net->options.tap == KL_TAP_AVGPOOL;
    for (size_t c = 0; c < last->out; c++)
        for (size_t i = 0; i < count; i++) {
            const float *from = r->maps[0] + c * pixels * n + i;
            float sum = 0;
            for (size_t p = 0; pooled && p < pixels; p++) sum += from[p * n];
            if (pooled) features[i * last->out + c] = sum / (float)pixels;
            else
                for (size_t p = 0; p < pixels; p++)
                    features[(i * last->out + c) * pixels + p] = from[p * n];
        }
}

int kl_backbone_resnet18_run(const struct kl_resnet18 *net, float *features, const void *images,
                             size_t n, struct kl_arena *work, struct kl_error *err)
{
    struct run r;
    if (n > net->images)
        return kl_fail(err, KL_EINTERNAL, "resnet18: found %zu images, expected a block of at most %zu",
                       n, net->images);
    int code = begin(&r, net, work, err);
    if (code) return code;
    spread_images(&r, images, n);
    stem(&r, r.maps[0]);
    for (size_t b = 0; b < net->n_blocks; b++) basic_block(&r, &net->blocks[b]);
    write_features(&r, features, n);
    return KL_OK;
}
