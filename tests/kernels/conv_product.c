/* SPDX-License-Identifier: MIT
   checkkernels, family conv, its products: each instruction set against the definition, bit for bit.
   Then a convolution over several channels, as transform, products and transform back, against the sum
   over taps in double; the max-pool exactly. Float only, as the family. */
#include "kernels/conv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isas.h"
#include "numbers.h"
#include "tests/worse.h"

static float *random_values(size_t n)
{
    float *values = aligned_alloc(64, (n * sizeof *values + 63) / 64 * 64);
    if (!values) exit(75);
    for (size_t i = 0; i < n; i++) values[i] = uniform();
    return values;
}

/* (out, in) to panels of twelve rows, as kernels/conv.h says it */
static float *panels(const float *w, size_t m, size_t k)
{
    float *to = random_values((m + 11) / 12 * 12 * k); /* what fills up must not matter */
    for (size_t i = 0; i < m; i++)
        for (size_t p = 0; p < k; p++) to[i / 12 * 12 * k + 12 * p + i % 12] = w[i * k + p];
    return to;
}

static int check_product(enum kl_isa table, size_t m, size_t n, size_t k, bool accumulate)
{
    size_t ldb = n + 16, ldc = n + 7, bad = 0;
    float *w = random_values(m * k), *b = random_values(k * ldb), *c = random_values(m * ldc),
          *laid = panels(w, m, k);
    float *want = random_values(m * ldc);
    int has_fma = strcmp(kl_isa_name(table), "base") != 0;
    memcpy(want, c, m * ldc * sizeof *c);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            float sum = accumulate ? c[i * ldc + j] : 0;
            for (size_t p = 0; p < k; p++) {
                volatile float product = w[i * k + p] * b[p * ldb + j];
                sum = has_fma ? fmaf(w[i * k + p], b[p * ldb + j], sum) : sum + product;
            }
            want[i * ldc + j] = sum;
        }
    kl_isa_conv_f32(table)->product(c, ldc, laid, b, ldb, m, n, k, accumulate);
    for (size_t i = 0; i < m * ldc; i++) bad += c[i] != want[i];
    if (bad)
        printf("%s:%d: product %s m=%zu n=%zu k=%zu: %zu values differ\n", __FILE__, __LINE__,
               kl_isa_name(table), m, n, k, bad);
    free(w), free(b), free(c), free(laid), free(want);
    return bad != 0;
}

/* A kernel's values at the points, one dimension (P, 3): Lavin & Gray's G for F(4,3); the Toeplitz
   identity; the centre. */
static const double g6[6][3] = { { 1. / 4, 0, 0 },
                                 { -1. / 6, -1. / 6, -1. / 6 },
                                 { -1. / 6, 1. / 6, -1. / 6 },
                                 { 1. / 24, 1. / 12, 1. / 6 },
                                 { 1. / 24, -1. / 12, 1. / 6 },
                                 { 0, 0, 1 } };
static const double g3[3][3] = { { 0, 1, 0 }, { 0, -1, 1 }, { 1, -1, 0 } };
static const double g1[1][3] = { { 0, 1, 0 } };

static float *points_of(const float *w, size_t out, size_t in, enum kl_conv_kind kind)
{
    const double(*g)[3] = kind == KL_CONV_4 ? g6 : kind == KL_CONV_2 ? g3 : g1;
    size_t side = kind == KL_CONV_4 ? 6 : kind == KL_CONV_2 ? 3 : 1, matrix = (out + 11) / 12 * 12 * in;
    float *all = random_values(side * side * matrix), *one = random_values(out * in);
    for (size_t p = 0; p < side * side; p++) {
        for (size_t i = 0; i < out * in; i++) {
            double sum = 0;
            for (size_t t = 0; t < 9; t++)
                sum += g[p / side][t / 3] * g[p % side][t % 3] * (double)w[i * 9 + t];
            one[i] = (float)sum;
        }
        float *laid = panels(one, out, in);
        memcpy(all + p * matrix, laid, matrix * sizeof *laid);
        free(laid);
    }
    free(one);
    return all;
}

enum { IN = 5, OUT = 8 };

/* The definition: 3x3, padding 1, at one output of one image. */
static double plain(const float *x, const float *w, size_t o, struct kl_conv_map s, size_t y,
                    size_t column, size_t image)
{
    double sum = 0;
    for (size_t i = 0; i < IN; i++)
        for (size_t t = 0; t < 9; t++) {
            long r = (long)(y + t / 3) - 1, c = (long)(column + t % 3) - 1;
            if (r < 0 || c < 0 || r >= (long)s.h || c >= (long)s.w) continue;
            sum += (double)w[(o * IN + i) * 9 + t] *
                   (double)x[((i * s.h + (size_t)r) * s.w + (size_t)c) * s.n + image];
        }
    return sum;
}

static int check_conv(enum kl_isa table, struct kl_conv_map s, enum kl_conv_kind kind, bool relu,
                      bool add)
{
    size_t pixels = s.h * s.w * s.n, points = kl_conv_points(kind), tile = kl_conv_tile(kind),
           matrix = 12 * IN;
    size_t step_in = IN * s.n + 16, step_out = OUT * s.n + 16;
    float *x = random_values(IN * pixels), *w = random_values(OUT * IN * 9),
          *residual = random_values(OUT * pixels);
    float *got = random_values(OUT * pixels), bias[OUT], *laid = points_of(w, OUT, IN, kind);
    float *v = random_values(points * step_in), *m = random_values(points * step_out);
    double worst = 0;
    for (size_t o = 0; o < OUT; o++) bias[o] = uniform();
    for (size_t y = 0; y < s.h; y += tile)
        for (size_t c = 0; c < s.w; c += tile) {
            for (size_t i = 0; i < IN; i++)
                kl_isa_conv_f32(table)->in(v + i * s.n, step_in, x + i * pixels, s, y, c, kind);
            for (size_t p = 0; p < points; p++)
                kl_isa_conv_f32(table)->product(m + p * step_out, s.n, laid + p * matrix,
                                                v + p * step_in, s.n, OUT, s.n, IN, false);
            for (size_t o = 0; o < OUT; o++)
                kl_isa_conv_f32(table)->out(got + o * pixels, m + o * s.n, step_out, bias[o],
                                            add ? residual + o * pixels : NULL, s, y, c, kind, relu);
        }
    for (size_t o = 0; o < OUT; o++)
        for (size_t at = 0; at < pixels; at++) {
            double want = plain(x, w, o, s, at / s.n / s.w, at / s.n % s.w, at % s.n) + (double)bias[o];
            if (add) want += (double)residual[o * pixels + at];
            if (relu) want = fmax(want, 0);
            double d = fabs(want - (double)got[o * pixels + at]);
            worst = worse(worst, d);
        }
    free(x), free(w), free(residual), free(got), free(laid), free(v), free(m);
    if (worst <= 2e-5) return 0;
    printf("%s:%d: conv %s %zux%zu n=%zu kind=%d relu=%d residual=%d: difference %.3g, bound 2e-5\n",
           __FILE__, __LINE__, kl_isa_name(table), s.h, s.w, s.n, (int)kind, relu, add, worst);
    return 1;
}

static int check_pool(enum kl_isa table, size_t w, size_t n, int present)
{
    size_t out_w = (w + 1) / 2, bad = 0;
    float *values = random_values(3 * w * n), *got = random_values(out_w * n);
    const float *rows[3];
    for (size_t r = 0; r < 3; r++) rows[r] = present >> r & 1 ? values + r * w * n : NULL;
    kl_isa_conv_f32(table)->relu(values, NULL, 3 * w * n);
    kl_isa_conv_f32(table)->pool(got, rows, w, n);
    for (size_t at = 0; at < out_w * n; at++) {
        float want = 0;
        for (size_t t = 0; t < 9; t++) {
            long c = 2 * (long)(at / n) + (long)(t % 3) - 1;
            if (!rows[t / 3] || c < 0 || c >= (long)w) continue;
            want = fmaxf(want, rows[t / 3][(size_t)c * n + at % n]);
        }
        bad += want != got[at];
    }
    if (bad)
        printf("%s:%d: pool %s w=%zu n=%zu rows=%d: %zu values differ\n", __FILE__, __LINE__,
               kl_isa_name(table), w, n, present, bad);
    free(values), free(got);
    return bad != 0;
}

static int check(enum kl_isa table)
{
    static const size_t shapes[][3] = { { 4, 16, 1 },    { 8, 32, 49 },    { 12, 48, 64 },
                                        { 64, 64, 64 },  { 68, 80, 300 },  { 20, 96, 257 },
                                        { 44, 16, 512 }, { 128, 64, 147 }, { 24, 112, 3 } };
    static const size_t maps[][3] = { { 3, 3, 16 }, { 4, 4, 64 },   { 5, 7, 32 }, { 7, 7, 64 },
                                      { 8, 6, 16 }, { 13, 13, 16 }, { 1, 9, 16 }, { 20, 22, 16 } };
    int failures = 0;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int accumulate = 0; accumulate < 2; accumulate++)
            failures += check_product(table, shapes[s][0], shapes[s][1], shapes[s][2], accumulate);
    for (int flags = 0; flags < 4; flags++) {
        for (size_t s = 0; s < sizeof maps / sizeof *maps; s++)
            failures += check_conv(table, (struct kl_conv_map){ maps[s][0], maps[s][1], maps[s][2] },
                                   KL_CONV_4, flags & 1, flags >> 1);
        failures +=
            check_conv(table, (struct kl_conv_map){ 2, 2, 64 }, KL_CONV_2, flags & 1, flags >> 1);
        failures +=
            check_conv(table, (struct kl_conv_map){ 1, 1, 64 }, KL_CONV_1, flags & 1, flags >> 1);
    }
    for (int present = 1; present < 8; present++)
        for (size_t w = 1; w < 16; w += 2)
            failures += check_pool(table, w + (size_t)(present & 1), 16 * (w % 4), present);
    return failures;
}

int main(int argc, char **argv)
{
    return with_each_isa(argc, argv, check, NULL);
}
