/* SPDX-License-Identifier: MIT
   Any bytes as the one file of a folder of PNG files; and once more with the checksums of its chunks put
   right, so that the search gets behind them. What is read has the size that its header says, alone and
   in the folder. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "ingest/ingest.h"
#include "tests/fuzz/frame/fuzz.h"

const int fuzz_corpus = 20;
enum { MOST_BYTES = 1 << 20 };

static char class[300], path[320];

static void make_folder(void)
{
    snprintf(class, sizeof class, "%s/a", fuzz_folder());
    snprintf(path, sizeof path, "%s/0.png", class);
    need(mkdir(class, 0700) == 0 || errno == EEXIST, "cannot be made", class);
}

static size_t big_endian(const unsigned char *b)
{
    return (size_t)b[0] << 24 | (size_t)b[1] << 16 | (size_t)b[2] << 8 | b[3];
}

/* The one image of the folder, or, with skip_bad, none. */
static bool in_folder(uint8_t **pixels, bool skip_bad, struct kl_images *found, struct kl_error *err)
{
    struct kl_images_options options;
    struct kl_images *im;
    struct kl_arena arena;
    const char *folders = fuzz_folder();
    kl_images_options_default(&options);
    options.max_bytes = MOST_BYTES;
    options.skip_bad = skip_bad;
    need(kl_arena_init(&arena, 0, err) == 0, "no memory", "");
    int code = kl_images_open(&im, &folders, 1, &options, err);
    if (!code) *found = *im;
    *pixels = code ? NULL : malloc(im->height * im->width * im->channels);
    if (!code) code = kl_images_read(im, 0, 1, *pixels, &arena, err);
    kl_images_close(&im);
    kl_arena_free(&arena);
    if (code) need_refusal(code, KL_EDATA, KL_EDATA, err);
    return code == 0;
}

static bool check(const unsigned char *data, size_t n)
{
    struct kl_error err = { 0 }, other = { 0 };
    struct kl_picture picture;
    struct kl_images found;
    struct kl_arena arena;
    uint8_t *pixels, *kept;
    fuzz_write(path, data, n);
    need(kl_arena_init(&arena, 0, &err) == 0, "no memory", "");
    const int code = kl_png_decode(&picture, path, MOST_BYTES, &arena, &err);
    if (code) need_refusal(code, KL_EDATA, KL_EDATA, &err);
    const bool read = in_folder(&pixels, false, &found, &other);
    need(read == !code, "alone it is read otherwise than in a folder", code ? err.text : other.text);
    if (read) {
        const size_t size = picture.height * picture.width * picture.channels;
        need(picture.width == big_endian(data + 16) && picture.height == big_endian(data + 20),
             "another size than in the header", path);
        need(found.height == picture.height && found.width == picture.width && found.n == 1 &&
                 found.channels == picture.channels && memcmp(pixels, picture.pixels, size) == 0,
             "another image in the folder", path);
    }
    need(in_folder(&kept, true, &found, &other) == read, "with skip_bad otherwise", other.text);
    free(kept);
    free(pixels);
    kl_arena_free(&arena);
    return read;
}

bool fuzz(const unsigned char *data, size_t n)
{
    if (!*path) make_folder();
    const bool read = check(data, n);
    unsigned char *mended = (unsigned char *)fuzz_text(data, n);
    for (size_t at = 8, length; n > at + 12; at += 12 + length) {
        length = big_endian(data + at);
        if (length > n - at - 12) break;
        const unsigned long crc = crc32(0, data + at + 4, (unsigned)length + 4);
        for (int i = 0; i < 4; i++)
            mended[at + 8 + length + (size_t)i] = (unsigned char)(crc >> (24 - 8 * i));
    }
    if (n && memcmp(mended, data, n) != 0) check(mended, n);
    free(mended);
    return read;
}
