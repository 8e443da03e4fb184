/* SPDX-License-Identifier: MIT
   Resizing against PyTorch's images (reference/hybrid/resnet18.h5) and simple cases. */
#include <stdlib.h>

#include "ingest_test.h"

static int resize(uint8_t *out, size_t height, size_t width, const struct kl_picture *p,
                  struct kl_arena *arena, struct kl_error *err)
{
    const struct kl_ingest_span rows = { height, 0, height }, columns = { width, 0, width };
    return kl_ingest_resize(out, &rows, &columns, p, arena, err);
}

static void simple(struct kl_arena *arena)
{
    static const uint8_t in[] = { 0, 255, 10, 20 }; /* 2 x 2 */
    const struct kl_picture p = { 2, 2, 1, in };
    uint8_t out[16];
    struct kl_error err;
    CHECK(resize(out, 2, 2, &p, arena, &err) == 0 && memcmp(out, in, 4) == 0, "same size");
    CHECK(resize(out, 1, 1, &p, arena, &err) == 0 && out[0] == 71, "the mean 71.25, not %d", out[0]);
    /* doubled: weights 1, 3/4 + 1/4, 1/4 + 3/4, 1; 63.75 -> 64, 191.25 -> 191 */
    static const uint8_t first_row[] = { 0, 64, 191, 255 };
    CHECK(resize(out, 4, 4, &p, arena, &err) == 0 && memcmp(out, first_row, 4) == 0, "doubled");
    uint8_t flat[7 * 5 * 3], large[9 * 2 * 3];
    memset(flat, 200, sizeof flat);
    const struct kl_picture q = { 7, 5, 3, flat };
    CHECK(resize(large, 2, 9, &q, arena, &err) == 0, "colour");
    for (size_t i = 0; i < sizeof large; i++)
        CHECK(large[i] == 200, "a flat image stays flat: %d", large[i]);
}

/* A part of what a picture becomes is the same as in the whole. */
static void part(struct kl_arena *arena)
{
    enum { H = 23, W = 31 };
    static uint8_t in[H * W * 3], whole[40 * 50 * 3], found[40 * 50 * 3];
    static const size_t sizes[][2] = { { 40, 50 }, { 7, 9 }, { H, W }, { 30, 12 } };
    const struct kl_picture p = { H, W, 3, in };
    for (size_t i = 0; i < sizeof in; i++) in[i] = (uint8_t)(i * i * 7 + i / 5);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const size_t h = sizes[s][0], w = sizes[s][1];
        const struct kl_ingest_span rows = { h, 3, h - 5 }, columns = { w, 4, w - 7 };
        kl_arena_reset(arena);
        CHECK(resize(whole, h, w, &p, arena, NULL) == 0, "whole");
        CHECK(kl_ingest_resize(found, &rows, &columns, &p, arena, NULL) == 0, "part");
        for (size_t y = 0; y < rows.n; y++)
            CHECK(memcmp(found + y * columns.n * 3, whole + ((y + 3) * w + 4) * 3, columns.n * 3) == 0,
                  "%zu x %zu, row %zu", h, w, y);
    }
}

/* Weights of output i of `out` over `in` inputs, in whole numbers: a triangle about (2i+1) in / (2 out),
   as wide as the larger of two pixels; returns their sum. */
static int64_t exact_weights(int64_t *w, int64_t in, int64_t out, int64_t i)
{
    const int64_t wide = in > out ? in : out;
    int64_t sum = 0;
    for (int64_t k = 0; k < in; k++) {
        const int64_t away = llabs((2 * k + 1) * out - (2 * i + 1) * in);
        sum += w[k] = away < 2 * wide ? 2 * wide - away : 0;
    }
    return sum;
}

/* In exact arithmetic: apart from values halfway between two whole ones every pixel is the nearest;
   there it is one of the two, and the even one but for at most `most` in 10,000 of noise. */
static void against_exact(struct kl_arena *arena, int64_t in, int64_t out, double most)
{
    enum { SIDE = 100, IMAGES = 20 };
    static uint8_t x[SIDE * SIDE], y[SIDE * SIDE];
    static int64_t w[SIDE][SIDE], sum[SIDE];
    uint64_t state = 88172645463325252u;
    size_t off = 0, odd = 0;
    for (int64_t i = 0; i < out; i++) sum[i] = exact_weights(w[i], in, out, i);
    for (int image = 0; image < IMAGES; image++) {
        for (int64_t k = 0; k < in * in; k++) {
            state ^= state << 13, state ^= state >> 7, state ^= state << 17;
            x[k] = (uint8_t)(state >> 33);
        }
        const struct kl_picture p = { (size_t)in, (size_t)in, 1, x };
        kl_arena_reset(arena);
        CHECK(resize(y, (size_t)out, (size_t)out, &p, arena, NULL) == 0);
        for (int64_t i = 0; i < out; i++)
            for (int64_t j = 0; j < out; j++) {
                int64_t value = 0;
                for (int64_t k = 0; k < in; k++)
                    for (int64_t l = 0; l < in && w[i][k]; l++)
                        value += w[i][k] * w[j][l] * x[k * in + l];
                const int64_t unit = sum[i] * sum[j], twice = 2 * (y[i * out + j] * unit - value);
                off += llabs(twice) > unit;
                odd += llabs(twice) == unit && y[i * out + j] % 2;
            }
    }
    CHECK(off == 0, "%d to %d: %zu pixels are not the nearest", (int)in, (int)out, off);
    const double share = 1e4 * (double)odd / (double)(IMAGES * out * out);
    CHECK(share <= most, "%d to %d: %.1f ties in 10,000 went to the odd number", (int)in, (int)out,
          share);
}

/* The golden file is not ours, so it is read through h5dump's binary output. */
static uint8_t *golden(const char *file, const char *dataset, size_t n)
{
    char command[900];
    size_t got;
    snprintf(command, sizeof command, "h5dump -d /%s -b LE -o %s '%s' >/dev/null 2>&1", dataset,
             path_of("g"), file);
    uint8_t *data = system(command) == 0 ? get_file(path_of("g"), &got) : NULL;
    if (data && got == n) return data;
    free(data);
    return NULL;
}

static void against_golden(struct kl_arena *arena, const char *shared)
{
    char file[512], name[64];
    snprintf(file, sizeof file, "%s/reference/hybrid/resnet18.h5", shared);
    if (access(file, R_OK) != 0 || system("h5dump --version >/dev/null 2>&1") != 0) {
        printf("skipped: %s or h5dump is not there\n", file);
        return;
    }
    for (size_t side = 64; side <= 224; side += 160) {
        snprintf(name, sizeof name, "mnist16_%zu/images", side);
        uint8_t *in = golden(file, name, 16 * 784), *out = malloc(side * side);
        snprintf(name, sizeof name, "mnist16_%zu/resized_uint8", side);
        uint8_t *want = golden(file, name, 16 * side * side);
        CHECK(in && want, "%s has no %s", file, name);
        for (size_t i = 0; in && want && i < 16; i++) {
            const struct kl_picture p = { 28, 28, 1, in + 784 * i };
            kl_arena_reset(arena);
            CHECK(resize(out, side, side, &p, arena, NULL) == 0 &&
                      memcmp(out, want + i * side * side, side * side) == 0,
                  "image %zu at %zu", i, side);
        }
        free(in);
        free(want);
        free(out);
    }
}

int main(void)
{
    const char *shared = getenv("KETLINE_SHARED") ? getenv("KETLINE_SHARED") : "../shared";
    struct kl_arena arena;
    make_test_folder();
    if (kl_arena_init(&arena, 1 << 16, NULL)) return 1;
    simple(&arena);
    part(&arena);
    against_exact(&arena, 8, 28, 200);
    against_exact(&arena, 16, 28, 200);
    against_exact(&arena, 14, 28, 0); /* doubled: sums in float32 are exact */
    against_exact(&arena, 28, 32, 0);
    against_exact(&arena, 32, 28, 200);
    against_exact(&arena, 64, 28, 200);
    against_exact(&arena, 100, 28, 200);
    against_golden(&arena, shared);
    kl_arena_free(&arena);
    return failures != 0;
}
