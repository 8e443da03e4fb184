/* SPDX-License-Identifier: MIT
   Convolutions at points against the plain sum, pooling and ReLU against their definitions: each
   instruction set, maps of 1 to 9 pixels a side, 16 to 64 images, random and extreme values. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/conv.h"

static int failures;

static void fail(const char *isa, const char *what, size_t h, size_t w, double found, double expected)
{
    fprintf(stderr, "%s: %s at %zu x %zu: found %.9g, expected %.9g\n", isa, what, h, w, found,
            expected);
    failures++;
}

static float random_value(void)
{
    return (float)(rand() % 20001 - 10000) / 10000;
}

/* Rows of G in U = G g G^T: Lavin & Gray 2015, appendix, for F(4x4,3x3); b, c - b and a - b for a 2x2
   Toeplitz product; b alone. */
static const double g_4[6][3] = { { 1. / 4, 0, 0 },
                                  { -1. / 6, -1. / 6, -1. / 6 },
                                  { -1. / 6, 1. / 6, -1. / 6 },
                                  { 1. / 24, 1. / 12, 1. / 6 },
                                  { 1. / 24, -1. / 12, 1. / 6 },
                                  { 0, 0, 1 } };
static const double g_2[3][3] = { { 0, 1, 0 }, { 0, -1, 1 }, { 1, -1, 0 } };
static const double g_1[1][3] = { { 0, 1, 0 } };

static void kernel_points(double *u, const float g[9], enum kl_conv_kind kind)
{
    const double(*m)[3] = kind == KL_CONV_4 ? g_4 : kind == KL_CONV_2 ? g_2 : g_1;
    size_t n = kind == KL_CONV_4 ? 6 : kind == KL_CONV_2 ? 3 : 1;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            u[i * n + j] = 0;
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++) u[i * n + j] += m[i][a] * (double)g[3 * a + b] * m[j][b];
        }
}

static double plain(const float *map, const float g[9], struct kl_conv_map s, size_t y, size_t x,
                    size_t image)
{
    double sum = 0;
    for (size_t a = 0; a < 3; a++)
        for (size_t b = 0; b < 3; b++) {
            size_t row = y + a - 1, column = x + b - 1;
            if (row < s.h && column < s.w)
                sum += (double)g[3 * a + b] * (double)map[(row * s.w + column) * s.n + image];
        }
    return sum;
}

static void check_conv(enum kl_isa k, struct kl_conv_map s, float scale)
{
    enum kl_conv_kind kind = s.h == 1 && s.w == 1   ? KL_CONV_1
                             : s.h == 2 && s.w == 2 ? KL_CONV_2
                                                    : KL_CONV_4;
    size_t values = s.h * s.w * s.n, points = kl_conv_points(kind), tile = kl_conv_tile(kind);
    float *map = malloc(values * 4), *out = malloc(values * 4), *residual = malloc(values * 4),
          *v = malloc(36 * s.n * 4);
    float g[9];
    double u[36];
    for (size_t i = 0; i < values; i++)
        map[i] = scale * random_value(), residual[i] = scale * random_value(), out[i] = NAN;
    for (int i = 0; i < 9; i++) g[i] = random_value();
    kernel_points(u, g, kind);
    for (size_t y = 0; y < s.h; y += tile)
        for (size_t x = 0; x < s.w; x += tile) {
            kl_isa_conv_f32(k)->in(v, s.n, map, s, y, x, kind);
            for (size_t p = 0; p < points; p++)
                for (size_t i = 0; i < s.n; i++) v[p * s.n + i] *= (float)u[p];
            kl_isa_conv_f32(k)->out(out, v, s.n, 0.5f * scale, residual, s, y, x, kind, true);
        }
    for (size_t i = 0; i < values; i++) {
        size_t pixel = i / s.n;
        double sum = plain(map, g, s, pixel / s.w, pixel % s.w, i % s.n) + 0.5 * (double)scale +
                     (double)residual[i];
        double expected = sum > 0 ? sum : 0;
        if (!(fabs((double)out[i] - expected) <= 3e-5 * (double)scale)) {
            fail(kl_isa_name(k), "convolution", s.h, s.w, (double)out[i], expected);
            break;
        }
    }
    free(map), free(out), free(residual), free(v);
}

static void check_pool(enum kl_isa k, size_t w, size_t n)
{
    float *rows = malloc(3 * w * n * 4), *out = malloc((w + 1) / 2 * n * 4);
    for (size_t i = 0; i < 3 * w * n; i++) rows[i] = fabsf(random_value());
    for (int absent = -1; absent < 3; absent += 3) { /* all three rows, or all but the last */
        const float *r[3] = { rows, rows + w * n, absent == 2 ? NULL : rows + 2 * w * n };
        kl_isa_conv_f32(k)->pool(out, r, w, n);
        for (size_t i = 0; i < (w + 1) / 2 * n; i++) {
            float most = 0;
            for (int a = 0; a < 3; a++)
                for (size_t b = 0; r[a] && b < 3; b++) {
                    size_t column = 2 * (i / n) + b - 1;
                    if (column < w) most = fmaxf(most, r[a][column * n + i % n]);
                }
            if (out[i] != most) {
                fail(kl_isa_name(k), "pooling", 3, w, (double)out[i], (double)most);
                break;
            }
        }
    }
    free(rows), free(out);
}

static void check_relu(enum kl_isa k)
{
    for (size_t n = 0; n < 70; n++) {
        float a[70], b[70], residual[70];
        for (size_t i = 0; i < n; i++) a[i] = b[i] = random_value(), residual[i] = random_value();
        kl_isa_conv_f32(k)->relu(a, n % 2 ? residual : NULL, n);
        for (size_t i = 0; i < n; i++) {
            float sum = n % 2 ? b[i] + residual[i] : b[i];
            if (a[i] != (sum > 0 ? sum : 0))
                fail(kl_isa_name(k), "relu", 1, n, (double)a[i], (double)sum);
        }
    }
}

int main(void)
{
    static const size_t images[] = { 16, 32, 48, 64 };
    enum kl_isa k;
    for (int isa = 0; isa < 3; isa++) {
        if (!kl_isa_is_here(k = isa)) continue;
        for (size_t h = 1; h <= 9; h++)
            for (size_t w = 1; w <= 9; w++)
                for (int n = 0; n < 4; n++)
                    check_conv(k, (struct kl_conv_map){ h, w, images[n] }, n == 3 ? 1e30f : 1);
        for (size_t w = 1; w < 20; w++) check_pool(k, w, 16);
        check_relu(k);
    }
    return failures != 0;
}
