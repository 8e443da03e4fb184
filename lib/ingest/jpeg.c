/* SPDX-License-Identifier: MIT
   JPEG files through libjpeg-turbo, with its exact integer transform and smooth chroma, which are its
   defaults and PIL's. A format without checksums: what can be seen to be damaged is refused, where
   libjpeg would paint it grey and go on. */
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <jpeglib.h>

#include <jerror.h>

#include "ingest/ingest_int.h"

#ifndef LIBJPEG_TURBO_VERSION
#error "libjpeg-turbo is needed: libjpeg of the Independent JPEG Group gives other pixels"
#endif

/* Scans: a progressive file has some ten, and each goes over all pixels, however few bytes it has.
   EXIF: of such a block so much is looked at; the tag that is looked for stands at its beginning. */
enum { MAX_SCANS = 100, EXIF = JPEG_APP0 + 1, EXIF_BYTES = 1024 };

struct reader {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    struct jpeg_progress_mgr progress;
    jmp_buf jump;
    bool turned;
    char why[JMSG_LENGTH_MAX];
};

static void on_error(j_common_ptr jpeg)
{
    struct reader *r = jpeg->client_data;
    jpeg->err->format_message(jpeg, r->why);
    longjmp(r->jump, 1);
}

/* Warnings, which are below 0, are of damage, but for those that whole photographs give: bytes between
   the segments, numbers of JFIF and Adobe from other times, and limits of a scan that were left 0. */
static void on_message(j_common_ptr jpeg, int level)
{
    switch (jpeg->err->msg_code) {
    case JWRN_ADOBE_XFORM:
    case JWRN_EXTRANEOUS_DATA:
    case JWRN_JFIF_MAJOR:
    case JWRN_NOT_SEQUENTIAL: return;
    }
    if (level < 0) on_error(jpeg);
}

static void on_progress(j_common_ptr jpeg)
{
    struct reader *r = jpeg->client_data;
    if (r->jpeg.input_scan_number <= MAX_SCANS) return;
    snprintf(r->why, sizeof r->why, "more than %d scans", (int)MAX_SCANS);
    longjmp(r->jump, 1);
}

/* Report the error behind a longjmp. */
static int failed(const struct reader *r, FILE *file, const char *path, struct kl_error *err)
{
    if (r->errors.msg_code == JERR_OUT_OF_MEMORY)
        return kl_fail(err, KL_ENOMEM, "%s: no memory to decode", path);
    if (ferror(file)) return kl_fail(err, KL_EIO, "%s: reading failed", path);
    return kl_fail(err, KL_EDATA, "%s: cannot be read as JPEG: %s", path, r->why);
}

static size_t next_byte(j_decompress_ptr jpeg)
{
    struct jpeg_source_mgr *from = jpeg->src;
    if (!from->bytes_in_buffer) from->fill_input_buffer(jpeg);
    from->bytes_in_buffer--;
    return *from->next_input_byte++;
}

/* Not jpeg_save_markers, which for each block goes through all before it. */
static boolean on_exif(j_decompress_ptr jpeg)
{
    struct reader *r = jpeg->client_data;
    unsigned char block[EXIF_BYTES];
    size_t n = 0, left = next_byte(jpeg) << 8;
    left += next_byte(jpeg);
    for (left = left > 2 ? left - 2 : 0; left && n < sizeof block; left--)
        block[n++] = (unsigned char)next_byte(jpeg);
    jpeg->src->skip_input_data(jpeg, (long)left);
    r->turned |= kl_ingest_exif_turned(block, n);
    return TRUE;
}

/* From here on errors jump to r->jump, which is set. */
static void begin(struct reader *r, FILE *file)
{
    jpeg_create_decompress(&r->jpeg);
    r->jpeg.mem->max_memory_to_use = 0; /* whatever JPEGMEM says */
    jpeg_stdio_src(&r->jpeg, file);
    jpeg_set_marker_processor(&r->jpeg, EXIF, on_exif);
    r->progress.progress_monitor = on_progress;
    r->jpeg.progress = &r->progress;
    jpeg_read_header(&r->jpeg, TRUE);
}

/* Before r->jump is set. */
static void prepare(struct reader *r)
{
    memset(r, 0, sizeof *r);
    r->jpeg.err = jpeg_std_error(&r->errors);
    r->jpeg.client_data = r; /* kept by jpeg_create_decompress, as err is */
    r->errors.error_exit = on_error;
    r->errors.emit_message = on_message;
}

/* All work under setjmp; nothing here owns memory but libjpeg and the arena. */
static int read_header(struct kl_picture_header *h, struct reader *r, FILE *file, const char *path,
                       struct kl_error *err)
{
    if (setjmp(r->jump)) return failed(r, file, path, err);
    begin(r, file);
    const int components = r->jpeg.num_components;
    *h = (struct kl_picture_header){ .height = r->jpeg.image_height,
                                     .width = r->jpeg.image_width,
                                     .colour = components == 3,
                                     .turned = r->turned };
    if (components == 1 || components == 3) return KL_OK;
    return kl_fail(err, KL_EDATA,
                   "%s: a JPEG file of %d components (4: CMYK), expected 1 or 3; convert it to RGB",
                   path, components);
}

static int header(struct kl_picture_header *h, FILE *file, const char *path, struct kl_error *err)
{
    struct reader r;
    prepare(&r);
    const int code = read_header(h, &r, file, path, err);
    jpeg_destroy_decompress(&r.jpeg);
    return code;
}

static int read_pixels(struct kl_picture *picture, struct reader *r, FILE *file, const char *path,
                       struct kl_arena *arena, struct kl_error *err)
{
    if (setjmp(r->jump)) return failed(r, file, path, err);
    begin(r, file);
    picture->channels = r->jpeg.num_components == 1 ? 1 : 3;
    r->jpeg.do_block_smoothing = FALSE; /* of files without their last scans: it changes with versions */
    jpeg_start_decompress(&r->jpeg);
    const size_t row = picture->width * picture->channels;
    if (r->jpeg.output_height != picture->height || r->jpeg.output_width != picture->width)
        return kl_fail(err, KL_EDATA, "%s: changed while it was read", path);
    uint8_t *pixels = kl_arena_take(arena, picture->height, row);
    if (!pixels) return kl_fail_memory(err, picture->height * row);
    picture->pixels = pixels;
    while (r->jpeg.output_scanline < r->jpeg.output_height) {
        JSAMPROW to = pixels + r->jpeg.output_scanline * row;
        jpeg_read_scanlines(&r->jpeg, &to, 1);
    }
    jpeg_finish_decompress(&r->jpeg);
    return KL_OK;
}

static int decode(struct kl_picture *picture, FILE *file, const char *path, struct kl_arena *arena,
                  struct kl_error *err)
{
    struct reader r;
    prepare(&r);
    const int code = read_pixels(picture, &r, file, path, arena, err);
    jpeg_destroy_decompress(&r.jpeg);
    return code;
}

const struct kl_picture_format kl_format_jpeg = {
    .magic = "\377\330\377", .n_magic = 3, .header = header, .decode = decode
};

/* ---- Which way up a photograph is: one tag of the Exif block that cameras write (Exif 2.32,
   section 4.6.4: a TIFF file of little or big endian, whose first directory has the tag)
   ---- */

enum { ORIENTATION = 0x0112, SHORT = 3, UPRIGHT = 1, LAST_WAY = 8, ENTRY = 12 };

struct tiff {
    const unsigned char *bytes;
    size_t n;
    bool little;
};

/* 0 behind the end. */
static uint32_t number(const struct tiff *t, size_t at, size_t bytes)
{
    uint32_t value = 0;
    for (size_t i = 0; i < bytes && at + bytes <= t->n; i++)
        value |= (uint32_t)t->bytes[at + i] << 8 * (t->little ? i : bytes - 1 - i);
    return value;
}

bool kl_ingest_exif_turned(const unsigned char *block, size_t n)
{
    if (n < 14 || memcmp(block, "Exif\0", 6) != 0) return false;
    struct tiff t = { block + 6, n - 6, memcmp(block + 6, "II", 2) == 0 };
    if (!t.little && memcmp(t.bytes, "MM", 2) != 0) return false;
    const size_t directory = number(&t, 4, 4), entries = number(&t, directory, 2);
    for (size_t i = 0; i < entries && directory + 2 + (i + 1) * ENTRY <= t.n; i++) {
        const size_t at = directory + 2 + i * ENTRY;
        if (number(&t, at, 2) != ORIENTATION || number(&t, at + 2, 2) != SHORT) continue;
        const uint32_t way = number(&t, at + 8, 2);
        return way > UPRIGHT && way <= LAST_WAY;
    }
    return false;
}
