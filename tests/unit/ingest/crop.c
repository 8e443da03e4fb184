/* SPDX-License-Identifier: MIT
   The middle of a picture: which pixels it has, by torchvision's CenterCrop, whose offset is Python's
   round(left / 2), halves to even; and of which size the picture is before, by its Resize of the shorter
   side, int(size * long / short). */
#include "ingest_test.h"

static struct kl_images_options options(size_t resize, size_t crop)
{
    struct kl_images_options o;
    kl_ingest_images_options_default(&o);
    o.resize = resize, o.crop = crop, o.labels = "none";
    return o;
}

/* One image of h rows and w columns whose pixels count, read. */
static void read_one(uint8_t *pixels, size_t h, size_t w, size_t resize, size_t crop,
                     struct kl_arena *arena)
{
    static uint8_t file[16 + 4096];
    const char *path = path_of("x-images-idx3-ubyte");
    const struct kl_images_options o = options(resize, crop);
    struct kl_images *im = NULL;
    struct kl_error err = { 0 };
    memcpy(file, "\0\0\10\3\0\0\0\1\0\0\0\0\0\0\0\0", 16);
    file[11] = (uint8_t)h, file[15] = (uint8_t)w;
    for (size_t i = 0; i < h * w; i++) file[16 + i] = (uint8_t)i;
    put(path, file, 16 + h * w);
    CHECK(kl_ingest_images_open(&im, &path, 1, &o, &err) == 0, "%s", err.text);
    if (!im) return;
    CHECK(im->height == crop && im->width == crop && im->shorter == resize, "%zu x %zu", im->height,
          im->width);
    CHECK(kl_ingest_images_read(im, 0, 1, pixels, arena, &err) == 0, "%s", err.text);
    kl_ingest_images_close(&im);
}

/* Not resized: rows from `top` on, columns from `left` on. */
static void offsets(struct kl_arena *arena)
{
    static const struct {
        size_t height, width, crop, top, left;
    } cases[] = { { 4, 4, 4, 0, 0 },  { 4, 4, 2, 1, 1 }, { 4, 9, 2, 1, 4 }, { 4, 5, 2, 1, 2 },
                  { 5, 4, 2, 2, 1 },  { 5, 5, 4, 0, 0 }, { 9, 9, 4, 2, 2 }, { 7, 8, 4, 2, 2 },
                  { 6, 11, 6, 0, 2 }, { 15, 6, 6, 4, 0 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const size_t h = cases[i].height, w = cases[i].width, n = cases[i].crop;
        uint8_t pixels[256];
        read_one(pixels, h, w, h < w ? h : w, n, arena);
        for (size_t y = 0; y < n; y++)
            for (size_t x = 0; x < n; x++)
                CHECK(pixels[y * n + x] == (cases[i].top + y) * w + cases[i].left + x,
                      "%zu x %zu, crop %zu: row %zu, column %zu", h, w, n, y, x);
    }
}

/* 6 x 10 with a shorter side of 4 is 4 x 6 (6.67), of which 3 x 3 begin at row 0 (0.5) and column 2
   (1.5). */
static void resized(struct kl_arena *arena)
{
    uint8_t in[60], whole[24], found[9];
    for (size_t i = 0; i < 60; i++) in[i] = (uint8_t)i;
    const struct kl_picture p = { 6, 10, 1, in };
    const struct kl_ingest_span rows = { 4, 0, 4 }, columns = { 6, 0, 6 };
    CHECK(kl_ingest_resize(whole, &rows, &columns, &p, arena, NULL) == 0, "whole");
    read_one(found, 6, 10, 4, 3, arena);
    for (size_t y = 0; y < 3; y++) CHECK(memcmp(found + 3 * y, whole + 6 * y + 2, 3) == 0, "row %zu", y);
}

/* A picture that has the crop's size already is resized all the same, if its shorter side is to be
   another. */
static void of_its_size(struct kl_arena *arena)
{
    uint8_t in[28 * 28], whole[32 * 32], found[28 * 28];
    for (size_t i = 0; i < sizeof in; i++) in[i] = (uint8_t)i;
    const struct kl_picture p = { 28, 28, 1, in };
    for (size_t side = 29; side <= 32; side += 3) {
        const struct kl_ingest_span all = { side, 0, side };
        const size_t from = side == 32 ? 2 : 0;
        CHECK(kl_ingest_resize(whole, &all, &all, &p, arena, NULL) == 0, "whole");
        read_one(found, 28, 28, side, 28, arena);
        for (size_t y = 0; y < 28; y++)
            CHECK(memcmp(found + 28 * y, whole + side * (y + from) + from, 28) == 0, "%zu: row %zu",
                  side, y);
    }
}

int main(void)
{
    struct kl_arena arena;
    make_test_folder();
    if (kl_arena_init(&arena, 1 << 16, NULL)) return 1;
    offsets(&arena);
    resized(&arena);
    of_its_size(&arena);
    kl_arena_free(&arena);
    return failures != 0;
}
