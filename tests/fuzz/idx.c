/* SPDX-License-Identifier: MIT
   Any bytes as IDX, plain or gzip: as images without labels, and as the labels of as many images. What
   is read is what stands behind the header, which here is read a second time. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "ingest/ingest.h"
#include "tests/fuzz/frame/fuzz.h"

const int fuzz_corpus = 20;
enum { MOST_PIXELS = 1 << 20, MOST_LABELS = 4096 };

/* The file's bytes, decompressed if it is gzip (of one member or several): at most `most` of them. */
static unsigned char *plain(size_t *n, const struct fuzz_file *file, size_t most)
{
    unsigned char *bytes = malloc(most);
    lseek(file->fd, 0, SEEK_SET);
    gzFile gz = gzdopen(dup(file->fd), "rb");
    need(bytes && gz, "no memory", "");
    const int got = gzread(gz, bytes, (unsigned)most);
    *n = got > 0 ? (size_t)got : 0;
    gzclose(gz);
    return bytes;
}

static size_t big_endian(const unsigned char *b)
{
    return (size_t)b[0] << 24 | (size_t)b[1] << 16 | (size_t)b[2] << 8 | b[3];
}

static void check_images(const struct kl_images *im, const uint8_t *pixels, const struct fuzz_file *file)
{
    size_t n, size = im->n * im->height * im->width * im->channels;
    unsigned char *bytes = plain(&n, file, size + 64);
    const size_t header = im->channels == 3 ? 20 : 16;
    need(n == header + size && bytes[2] == 8 && bytes[3] == header / 4 - 1, "another length",
         file->path);
    need(big_endian(bytes + 4) == im->n && big_endian(bytes + 8) == im->height &&
             big_endian(bytes + 12) == im->width,
         "other sizes", file->path);
    need(memcmp(bytes + header, pixels, size) == 0, "other pixels", file->path);
    free(bytes);
}

static bool as_images(const struct fuzz_file *file)
{
    struct kl_images_options options;
    struct kl_images *im;
    struct kl_error err = { 0 };
    struct kl_arena arena;
    const char *path = file->path;
    kl_ingest_images_options_default(&options);
    options.labels = "none";
    options.max_bytes = MOST_PIXELS;
    int code = kl_ingest_images_open(&im, &path, 1, &options, &err);
    if (!code && im->n * im->height * im->width * im->channels <= MOST_PIXELS) {
        need(kl_arena_init(&arena, 0, &err) == 0, "no memory", "");
        uint8_t *pixels = malloc(im->n * im->height * im->width * im->channels);
        code = kl_ingest_images_read(im, 0, im->n, pixels, &arena, &err);
        if (!code) check_images(im, pixels, file);
        free(pixels);
        kl_arena_free(&arena);
    }
    kl_ingest_images_close(&im);
    if (code) need_refusal(code, KL_EDATA, KL_EDATA, &err);
    return code == 0;
}

/* Beside images of one pixel, as many as the bytes announce. */
static bool as_labels(const struct fuzz_file *file)
{
    unsigned char images[16 + MOST_LABELS] = { 0, 0, 8, 3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1 };
    struct kl_images_options options;
    struct kl_images *im;
    struct fuzz_file beside;
    struct kl_error err = { 0 };
    size_t n;
    unsigned char *bytes = plain(&n, file, 16 + MOST_LABELS);
    const size_t many = n >= 8 && big_endian(bytes + 4) <= MOST_LABELS ? big_endian(bytes + 4) : 1;
    images[6] = (unsigned char)(many >> 8);
    images[7] = (unsigned char)many;
    fuzz_file_make(&beside, images, 16 + many);
    const char *path = beside.path;
    kl_ingest_images_options_default(&options);
    options.labels = file->path;
    const int code = kl_ingest_images_open(&im, &path, 1, &options, &err);
    if (code) need_refusal(code, KL_EDATA, KL_EDATA, &err);
    else need(n == 8 + many && im->n == many && bytes[3] == 1, "another length", file->path);
    for (size_t i = 0; i < many && !code; i++)
        need(im->labels[i] == bytes[8 + i] && im->labels[i] < (int)im->n_classes, "other labels",
             file->path);
    kl_ingest_images_close(&im);
    fuzz_file_free(&beside);
    free(bytes);
    return code == 0;
}

bool fuzz(const unsigned char *data, size_t n)
{
    struct fuzz_file file;
    fuzz_file_make(&file, data, n);
    const bool images = as_images(&file), read = as_labels(&file);
    fuzz_file_free(&file);
    return images || read;
}
