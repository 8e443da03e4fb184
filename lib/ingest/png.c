/* SPDX-License-Identifier: MIT
   PNG files through libpng's low-level interface: only pixels, with limits on everything that a file may
   claim. */
#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/ingest_int.h"

enum { MAX_CHUNK = 8 << 20, MAX_CHUNKS = 1000 };

static uint32_t big_endian(const unsigned char *b)
{
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static int header(struct kl_picture_header *h, FILE *file, const char *path, struct kl_error *err)
{
    unsigned char b[33];
    const size_t n = fread(b, 1, sizeof b, file);
    if (ferror(file)) return kl_fail_errno(err, KL_EIO, "%s: reading", path);
    if (n < 33 || big_endian(b + 8) != 13 || memcmp(b + 12, "IHDR", 4) != 0)
        return kl_fail(err, KL_EDATA, "%s: %s", path,
                       n < 33 ? "truncated in its header" : "does not begin with IHDR");
    *h = (struct kl_picture_header){ .height = big_endian(b + 20), .width = big_endian(b + 16) };
    h->colour = b[25] & 2; /* colour types 2, 3 (palette) and 6 */
    h->alpha = b[25] & 4;  /* 4 and 6 */
    return KL_OK;
}

/* The context of libpng's callbacks; the text is kept for the message. */
struct reader {
    FILE *file;
    char why[128];
    bool failed;    /* reading, not the data */
    bool no_memory; /* nor is it the data */
    jmp_buf jump;
};

static void on_error(png_structp png, png_const_charp why)
{
    struct reader *r = png_get_error_ptr(png);
    snprintf(r->why, sizeof r->why, "%s", why);
    longjmp(r->jump, 1);
}

static void on_warning(png_structp png, png_const_charp why)
{
    (void)png;
    (void)why;
}

static void on_read(png_structp png, png_bytep out, size_t n)
{
    struct reader *r = png_get_io_ptr(png);
    if (fread(out, 1, n, r->file) == n) return;
    r->failed = ferror(r->file);
    png_error(png, "truncated");
}

/* A chunk's length is asked for before its bytes are seen to be there: png_set_chunk_malloc_max only
   warns of it (libpng 1.6.39). */
static png_voidp allocate(png_structp png, png_alloc_size_t bytes)
{
    struct reader *r = png_get_mem_ptr(png);
    if (bytes > MAX_CHUNK) return NULL;
    void *memory = malloc(bytes);
    if (!memory) r->no_memory = true;
    return memory;
}

static void release(png_structp png, png_voidp memory)
{
    (void)png;
    free(memory);
}

/* 8-bit grey or RGB whatever the file has. */
static size_t set_transforms(png_structp png, png_infop info)
{
    const int type = png_get_color_type(png, info), depth = png_get_bit_depth(png, info);
    if (type == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png);
    if (type == PNG_COLOR_TYPE_GRAY && depth < 8) png_set_expand_gray_1_2_4_to_8(png);
    if (depth == 16) png_set_scale_16(png);
    png_set_strip_alpha(png);
    png_set_interlace_handling(png);
    png_read_update_info(png, info);
    return type & PNG_COLOR_MASK_COLOR ? 3 : 1;
}

/* All work under setjmp; nothing here owns memory but libpng and the arena. */
static int read_pixels(struct kl_picture *picture, png_structp png, png_infop info, struct reader *r,
                       const char *path, struct kl_arena *arena, struct kl_error *err)
{
    if (setjmp(r->jump)) {
        if (r->no_memory) return kl_fail(err, KL_ENOMEM, "%s: no memory to decode", path);
        if (r->failed) return kl_fail(err, KL_EIO, "%s: reading failed", path);
        return kl_fail(err, KL_EDATA, "%s: damaged PNG: %s", path, r->why);
    }
    png_set_read_fn(png, r, on_read);
    png_set_user_limits(png, KL_PICTURE_SIDE, KL_PICTURE_SIDE);
    png_set_chunk_cache_max(png, MAX_CHUNKS);
    png_set_chunk_malloc_max(png, MAX_CHUNK);
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, 0);
    png_read_info(png, info);
    const size_t channels = set_transforms(png, info);
    const size_t height = picture->height, row = picture->width * channels;
    if (png_get_image_height(png, info) != height || png_get_rowbytes(png, info) != row)
        return kl_fail(err, KL_EINTERNAL, "%s: libpng gives rows of %zu bytes, expected %zu", path,
                       (size_t)png_get_rowbytes(png, info), row);
    uint8_t *pixels = kl_arena_take(arena, height, row);
    png_bytep *rows = kl_arena_take(arena, height, sizeof *rows);
    if (!pixels || !rows) return kl_fail_memory(err, height * row);
    for (size_t y = 0; y < height; y++) rows[y] = pixels + y * row;
    png_read_image(png, rows);
    png_read_end(png, NULL);
    picture->channels = channels;
    picture->pixels = pixels;
    return 0;
}

static int decode(struct kl_picture *picture, FILE *file, const char *path, struct kl_arena *arena,
                  struct kl_error *err)
{
    struct reader r = { .file = file };
    int code;
    png_structp png = NULL;
    png_infop info = NULL;
    if (!(png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &r, on_error, on_warning, &r, allocate,
                                         release)) ||
        !(info = png_create_info_struct(png)))
        code = kl_fail(err, KL_ENOMEM, "%s: no memory to decode", path);
    else code = read_pixels(picture, png, info, &r, path, arena, err);
    png_destroy_read_struct(&png, &info, NULL);
    return code;
}

const struct kl_picture_format kl_format_png = {
    .magic = "\211PNG\r\n\032\n", .n_magic = 8, .header = header, .decode = decode
};
