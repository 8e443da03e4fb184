/* SPDX-License-Identifier: MIT
   See kernels/conv.h. Each transform is one-dimensional code over vectors of images, run along
   columns, then along rows. */
#include "kernels/conv.h"

#include "kernels/inline/real.h"

#if !KL_F64

#define INLINE static inline __attribute__((always_inline))

static const float zeros[KL_CONV_IMAGES] = { 0 };

enum { PREFETCH = 4096 /* values of a channel's map */ };

INLINE kl_lane load(const float *from)
{
    return *(const kl_lane *)from;
}

INLINE void store(float *to, kl_lane value)
{
    *(kl_lane *)to = value;
}

/* kl_lane may lie anywhere; whole vectors on the stack must not straddle cache lines. */
#define ON_STACK __attribute__((aligned(KL_VECTOR_BYTES)))

typedef int bits __attribute__((vector_size(KL_VECTOR_BYTES)));

INLINE kl_lane positive(kl_lane value)
{
    return (kl_lane)((bits)(value > 0) & (bits)value);
}

/* B^T d for the points 0, 1, -1, 2, -2, infinity. */
INLINE void in_6(kl_lane t[6], kl_lane d0, kl_lane d1, kl_lane d2, kl_lane d3, kl_lane d4, kl_lane d5)
{
    kl_lane even = d4 - 4 * d2, odd = d3 - 4 * d1, even2 = d4 - d2, odd2 = 2 * (d3 - d1);
    t[0] = 4 * d0 - 5 * d2 + d4;
    t[1] = even + odd;
    t[2] = even - odd;
    t[3] = even2 + odd2;
    t[4] = even2 - odd2;
    t[5] = 4 * d1 - 5 * d3 + d5;
}

/* A^T m. */
INLINE void out_6(kl_lane y[4], kl_lane m0, kl_lane m1, kl_lane m2, kl_lane m3, kl_lane m4, kl_lane m5)
{
    kl_lane sum = m1 + m2, difference = m1 - m2, sum2 = m3 + m4, difference2 = m3 - m4;
    y[0] = m0 + sum + sum2;
    y[1] = difference + 2 * difference2;
    y[2] = sum + 4 * sum2;
    y[3] = difference + 8 * difference2 + m5;
}

/* The six rows of a tile that lies inside the map start at d0 + r * row_step; of one at its edge,
   pixel[36] says where each is. */
INLINE void in_tile_4(float *v, size_t stride, const float *d0, size_t row_step, const float *const *pixel,
                      size_t n, size_t next)
{
    for (size_t i = 0; i < n; i += KL_LANES) {
        ON_STACK kl_lane column[6][6];
        kl_lane t[6];
#pragma GCC unroll 6
        for (size_t c = 0; c < 6; c++) {
            kl_lane d[6];
#pragma GCC unroll 6
            for (size_t r = 0; r < 6; r++) {
                d[r] = load((pixel ? pixel[6 * r + c] : d0 + r * row_step + c * n) + i);
                if (next && c < 4) __builtin_prefetch(d0 + r * row_step + (c + 1) * n + i + next);
            }
            in_6(t, d[0], d[1], d[2], d[3], d[4], d[5]);
            for (int r = 0; r < 6; r++) column[r][c] = t[r];
        }
        for (int r = 0; r < 6; r++) {
            const kl_lane *d = column[r];
            in_6(t, d[0], d[1], d[2], d[3], d[4], d[5]);
            for (int c = 0; c < 6; c++) store(v + (size_t)(6 * r + c) * stride + i, t[c]);
        }
    }
}

static void in_tile_2(float *v, size_t stride, const float *map, size_t n)
{
    for (size_t i = 0; i < n; i += KL_LANES) {
        kl_lane a = load(map + i), b = load(map + n + i);
        kl_lane c = load(map + 2 * n + i), d = load(map + 3 * n + i);
        kl_lane rows[3][2] = { { a + c, b + d }, { c, d }, { a, b } };
        for (size_t r = 0; r < 3; r++) {
            store(v + (3 * r) * stride + i, rows[r][0] + rows[r][1]);
            store(v + (3 * r + 1) * stride + i, rows[r][1]);
            store(v + (3 * r + 2) * stride + i, rows[r][0]);
        }
    }
}

static void in_tile(float *v, size_t stride, const float *map, struct kl_conv_map size, size_t y, size_t x,
                    enum kl_conv_kind kind)
{
    const float *pixel[36];
    size_t n = size.n;
    if (kind == KL_CONV_1) {
        for (size_t i = 0; i < n; i += KL_LANES) store(v + i, load(map + i));
        return;
    }
    if (kind == KL_CONV_2) {
        in_tile_2(v, stride, map, n);
        return;
    }
    if (y > 0 && x > 0 && y + 5 <= size.h && x + 5 <= size.w) {
        const float *d0 = map + ((y - 1) * size.w + x - 1) * n;
        size_t pixels = size.h * size.w * n; /* a large map comes from far: ask for the next channel's now */
        if (pixels > PREFETCH) in_tile_4(v, stride, d0, size.w * n, NULL, n, pixels);
        else in_tile_4(v, stride, d0, size.w * n, NULL, n, 0);
        return;
    }
    for (size_t r = 0; r < 6; r++)
        for (size_t c = 0; c < 6; c++) { /* row y + r - 1; below 0 it wraps and is outside too */
            size_t row = y + r - 1, column = x + c - 1;
            pixel[6 * r + c] = row < size.h && column < size.w ? map + (row * size.w + column) * n : zeros;
        }
    in_tile_4(v, stride, NULL, 0, pixel, n, 0);
}

struct output {
    float *map;
    const float *residual;
    struct kl_conv_map size;
    float bias;
    bool relu;
};

INLINE void put(const struct output *o, size_t y, size_t x, size_t i, kl_lane value)
{
    if (y >= o->size.h || x >= o->size.w) return;
    size_t at = (y * o->size.w + x) * o->size.n + i;
    value += o->bias;
    if (o->residual) value += load(o->residual + at);
    store(o->map + at, o->relu ? positive(value) : value);
}

static void out_tile_4(const struct output *o, const float *m, size_t stride, size_t y, size_t x)
{
    size_t pixels = o->size.h * o->size.w * o->size.n; /* to the next channel's map */
    for (size_t i = 0; i < o->size.n; i += KL_LANES) {
        ON_STACK kl_lane column[4][6];
        kl_lane t[4];
        for (size_t c = 0; c < 6; c++) {
            const float *at = m + c * stride + i;
            out_6(t, load(at), load(at + 6 * stride), load(at + 12 * stride), load(at + 18 * stride),
                  load(at + 24 * stride), load(at + 30 * stride));
            for (int r = 0; r < 4; r++) column[r][c] = t[r];
        }
        for (size_t r = 0; r < 4; r++) {
            const kl_lane *d = column[r];
            out_6(t, d[0], d[1], d[2], d[3], d[4], d[5]);
            for (size_t c = 0; c < 4; c++) put(o, y + r, x + c, i, t[c]);
            if (pixels <= PREFETCH) continue;
            for (size_t c = 0; c < 4; c++) {
                size_t at = pixels + ((y + r) * o->size.w + x + c) * o->size.n + i;
                __builtin_prefetch(o->map + at, 1);
                if (o->residual) __builtin_prefetch(o->residual + at);
            }
        }
    }
}

static void out_tile_2(const struct output *o, const float *m, size_t stride)
{
    for (size_t i = 0; i < o->size.n; i += KL_LANES) {
        kl_lane column[2][3];
        for (size_t c = 0; c < 3; c++) {
            kl_lane first = load(m + c * stride + i);
            column[0][c] = first + load(m + (3 + c) * stride + i);
            column[1][c] = first + load(m + (6 + c) * stride + i);
        }
        for (size_t r = 0; r < 2; r++) {
            put(o, r, 0, i, column[r][0] + column[r][1]);
            put(o, r, 1, i, column[r][0] + column[r][2]);
        }
    }
}

static void out_tile(float *map, const float *m, size_t stride, float bias, const float *residual,
                     struct kl_conv_map size, size_t y, size_t x, enum kl_conv_kind kind, bool relu)
{
    struct output o = { map, residual, size, bias, relu };
    if (kind == KL_CONV_4) out_tile_4(&o, m, stride, y, x);
    else if (kind == KL_CONV_2) out_tile_2(&o, m, stride);
    else
        for (size_t i = 0; i < size.n; i += KL_LANES) put(&o, 0, 0, i, load(m + i));
}

INLINE kl_lane larger(kl_lane a, kl_lane b)
{
    bits which = (bits)(a > b);
    return (kl_lane)((which & (bits)a) | (~which & (bits)b));
}

static void pool(float *out, const float *const rows[3], size_t w, size_t n)
{
    size_t out_w = (w + 1) / 2;
    for (size_t x = 0; x < out_w; x++)
        for (size_t i = 0; i < n; i += KL_LANES) {
            kl_lane most = { 0 };
            for (int r = 0; r < 3; r++) {
                if (!rows[r]) continue;
                for (size_t c = x ? 2 * x - 1 : 0; c <= 2 * x + 1 && c < w; c++)
                    most = larger(most, load(rows[r] + c * n + i));
            }
            store(out + x * n + i, most);
        }
}

static void relu(float *values, const float *residual, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        float value = residual ? values[i] + residual[i] : values[i];
        values[i] = value > 0 ? value : 0;
    }
}

void KL_ISA_NAME(kl_conv_product)(float *c, size_t ldc, const float *weights, const float *b, size_t ldb,
                                  size_t m, size_t n, size_t k, bool accumulate);

const struct kl_conv KL_ISA_NAME(kl_conv) = { in_tile, out_tile, KL_ISA_NAME(kl_conv_product), pool, relu };

#endif
