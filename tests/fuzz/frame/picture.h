/* SPDX-License-Identifier: MIT
   Any bytes as the one picture of a folder, for the targets of its formats: alone, in the folder, and
   there with skip_bad it is read, or not, and is the same. */
#ifndef KL_FUZZ_PICTURE_H
#define KL_FUZZ_PICTURE_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ingest/ingest.h"
#include "tests/fuzz/frame/fuzz.h"

enum { MOST_BYTES = 1 << 20 };

static char picture_path[320];

static inline void make_folder(const char *name)
{
    char class[300];
    if (*picture_path) return;
    snprintf(class, sizeof class, "%s/a", fuzz_folder());
    snprintf(picture_path, sizeof picture_path, "%s/%s", class, name);
    need(mkdir(class, 0700) == 0 || errno == EEXIST, "cannot be made", class);
}

/* The one image of the folder, or, with skip_bad, none. */
static inline bool in_folder(uint8_t **pixels, bool skip_bad, struct kl_images *found,
                             struct kl_error *err)
{
    struct kl_images_options options;
    struct kl_images *im;
    struct kl_arena arena;
    const char *folders = fuzz_folder();
    kl_ingest_images_options_default(&options);
    options.max_bytes = MOST_BYTES;
    options.skip_bad = skip_bad;
    need(kl_arena_init(&arena, 0, err) == 0, "no memory", "");
    int code = kl_ingest_images_open(&im, &folders, 1, &options, err);
    if (!code) *found = *im;
    *pixels = code ? NULL : malloc(im->height * im->width * im->channels);
    if (!code) code = kl_ingest_images_read(im, 0, 1, *pixels, &arena, err);
    kl_ingest_images_close(&im);
    kl_arena_free(&arena);
    if (code) need_refusal(code, KL_EDATA, KL_EDATA, err);
    return code == 0;
}

/* Was it read? Then *header is its header. name: of the file. */
static inline bool fuzz_picture(struct kl_picture_header *header, const char *name,
                                const unsigned char *data, size_t n)
{
    struct kl_error err = { 0 }, other = { 0 };
    struct kl_picture picture;
    struct kl_images found;
    struct kl_arena arena;
    uint8_t *pixels, *kept;
    make_folder(name);
    fuzz_write(picture_path, data, n);
    need(kl_arena_init(&arena, 0, &err) == 0, "no memory", "");
    const int code = kl_ingest_picture_decode(&picture, picture_path, MOST_BYTES, &arena, &err);
    if (code) need_refusal(code, KL_EDATA, KL_EDATA, &err);
    const bool read = in_folder(&pixels, false, &found, &other);
    need(read == !code, "alone it is read otherwise than in a folder", code ? err.text : other.text);
    if (read) {
        const size_t size = picture.height * picture.width * picture.channels;
        need(kl_ingest_picture_header(header, picture_path, MOST_BYTES, &err) == 0 &&
                 header->height == picture.height && header->width == picture.width &&
                 header->colour == (picture.channels == 3),
             "another size than in the header", picture_path);
        need(found.height == picture.height && found.width == picture.width && found.n == 1 &&
                 found.channels == picture.channels && memcmp(pixels, picture.pixels, size) == 0,
             "another image in the folder", picture_path);
    }
    need(in_folder(&kept, true, &found, &other) == read, "with skip_bad otherwise", other.text);
    free(kept);
    free(pixels);
    kl_arena_free(&arena);
    return read;
}

#endif
