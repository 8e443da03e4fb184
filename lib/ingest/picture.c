/* SPDX-License-Identifier: MIT
   A single picture of any format, which its first bytes tell, whatever its name says. */
#include <string.h>

#include "ingest/ingest_int.h"

static const struct kl_picture_format *const formats[] = { &kl_format_png, &kl_format_jpeg };

/* NULL: of none. */
static const struct kl_picture_format *find_format(const unsigned char *magic, size_t n)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (n >= formats[i]->n_magic && memcmp(magic, formats[i]->magic, formats[i]->n_magic) == 0)
            return formats[i];
    return NULL;
}

bool kl_ingest_is_picture(const unsigned char *magic, size_t n)
{
    return find_format(magic, n) != NULL;
}

/* Marks of other formats, each at byte `at`. */
static const struct {
    const char *name, *mark;
    size_t at, n;
} others[] = {
    { "GIF", "GIF8", 0, 4 },
    { "WebP", "WEBP", 8, 4 },
    { "TIFF", "II*\0", 0, 4 },
    { "TIFF", "MM\0*", 0, 4 },
    { "HEIF or AVIF", "ftyp", 4, 4 },
    { "JPEG 2000", "jP  ", 4, 4 },
    { "JPEG XL", "\xff\x0a", 0, 2 },
    { "Photoshop", "8BPS", 0, 4 },
    { "PNM", "P5", 0, 2 },
    { "PNM", "P6", 0, 2 },
    { "BMP", "BM", 0, 2 },
};

static int refuse(const unsigned char *magic, size_t n, const char *path, struct kl_error *err)
{
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (n >= others[i].at + others[i].n &&
            memcmp(magic + others[i].at, others[i].mark, others[i].n) == 0)
            return kl_fail(
                err, KL_EDATA,
                "%s: a %s image, whatever its name says, expected PNG or JPEG; convert it, in "
                "Python Image.open(F).convert('RGB').save('G.png')",
                path, others[i].name);
    return kl_fail(err, KL_EDATA, "%s: neither a PNG nor a JPEG file", path);
}

/* *file: at its beginning; NULL if this fails. */
static int open_picture(FILE **file, const struct kl_picture_format **format, const char *path,
                        struct kl_error *err)
{
    unsigned char magic[KL_STAND_IN];
    *file = fopen(path, "rbe");
    if (!*file) return kl_fail_errno(err, KL_ENOINPUT, "%s: cannot open", path);
    const size_t n = fread(magic, 1, sizeof magic, *file);
    *format = find_format(magic, n);
    if (!ferror(*file) && *format && fseek(*file, 0, SEEK_SET) == 0) return KL_OK;
    int code = ferror(*file) || *format ? kl_fail_errno(err, KL_EIO, "%s: reading", path)
                                        : kl_no_stand_in(magic, n, path, err);
    if (!code) code = refuse(magic, n, path, err);
    fclose(*file);
    *file = NULL;
    return code;
}

static int check_size(const struct kl_picture_header *h, const char *path, size_t max_bytes,
                      struct kl_error *err)
{
    const size_t most = max_bytes / 4;
    if (h->width && h->height && h->width <= KL_PICTURE_SIDE && h->height <= KL_PICTURE_SIDE &&
        h->width * h->height <= most)
        return KL_OK;
    return kl_fail(err, KL_EDATA, "%s: %zu x %zu pixels, the limit is %zu pixels and %d a side", path,
                   h->width, h->height, most, (int)KL_PICTURE_SIDE);
}

/* The header, and the file, at its beginning again. */
static int look(struct kl_picture_header *h, FILE **file, const struct kl_picture_format **format,
                const char *path, size_t max_bytes, struct kl_error *err)
{
    int code = open_picture(file, format, path, err);
    if (code) return code;
    code = (*format)->header(h, *file, path, err);
    if (!code) code = check_size(h, path, max_bytes, err);
    if (!code && fseek(*file, 0, SEEK_SET)) code = kl_fail_errno(err, KL_EIO, "%s: reading", path);
    return code;
}

int kl_ingest_picture_header(struct kl_picture_header *header, const char *path, size_t max_bytes,
                             struct kl_error *err)
{
    const struct kl_picture_format *format;
    FILE *file;
    const int code = look(header, &file, &format, path, max_bytes, err);
    if (file) fclose(file);
    return code;
}

int kl_ingest_picture_decode(struct kl_picture *picture, const char *path, size_t max_bytes,
                             struct kl_arena *arena, struct kl_error *err)
{
    const struct kl_picture_format *format;
    struct kl_picture_header header;
    FILE *file;
    int code = look(&header, &file, &format, path, max_bytes, err);
    if (!code) picture->height = header.height, picture->width = header.width;
    if (!code) code = format->decode(picture, file, path, arena, err);
    if (file) fclose(file);
    return code;
}
