/* SPDX-License-Identifier: MIT
   IDX files (Y. LeCun's format of MNIST): 0, 0, type, rank, then rank big-endian 32-bit sizes, then the
   data. Read as they are by pread, or through gzip in order. Images: unsigned bytes of rank 3 (n, h, w)
   or 4 (n, h, w, 3); labels: whole numbers of rank 1, or of rank 2 (QMNIST), of which the first column
   is the class. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "ingest/ingest_int.h"
#include "store/store.h"

enum { MAX_RANK = 4, BUFFER = 1 << 17 };
static const uint64_t MAX_RATIO = 1032; /* deflate cannot expand more */

struct idx {
    const char *path;
    int fd;
    gzFile gz; /* NULL: not compressed */
    uint64_t file_size, header;
    int rank, type;
    size_t dims[MAX_RANK];
    size_t size;     /* bytes of a number */
    size_t item;     /* of one image or label */
    size_t position; /* in order: the next item */
};

static void idx_close(struct idx *f)
{
    if (f->gz) gzclose(f->gz); /* closes fd */
    else if (f->fd >= 0) close(f->fd);
    f->gz = NULL;
    f->fd = -1;
}

/* 0 where the data just end. */
static int gz_problem(const struct idx *f, const char *where, struct kl_error *err)
{
    int which = Z_OK;
    const char *why = gzerror(f->gz, &which);
    if (which == Z_OK || which == Z_BUF_ERROR) return 0;
    if (which == Z_ERRNO) return kl_fail_errno(err, KL_EIO, "%s: reading", f->path);
    if (which == Z_MEM_ERROR) return kl_fail(err, KL_ENOMEM, "%s: no memory to decompress", f->path);
    return kl_fail(err, KL_EDATA, "%s: the gzip data is damaged%s: %s", f->path, where, why);
}

static int cut(const struct idx *f, size_t missing, struct kl_error *err)
{
    return kl_fail(err, KL_EDATA, "%s: truncated: the file ends %zu bytes early", f->path, missing);
}

/* Exactly n bytes; from the current place of a gzip stream, from `offset` of a plain file. */
static int get(struct idx *f, void *out, size_t n, uint64_t offset, struct kl_error *err)
{
    size_t done = f->gz ? gzfread(out, 1, n, f->gz) : 0;
    if (f->gz && done < n) {
        const int rc = gz_problem(f, "", err);
        return rc ? rc : cut(f, n - done, err);
    }
    while (done < n) {
        const ssize_t got = pread(f->fd, (char *)out + done, n - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return kl_fail_errno(err, KL_EIO, "%s: reading", f->path);
        if (got == 0) return cut(f, n - done, err);
        done += (size_t)got;
    }
    return 0;
}

enum { U8 = 8, I8, I16 = 11, I32 };
static const struct type {
    const char *words;
    size_t size;
} types[] = { [U8] = { "unsigned bytes", 1 },
              [I8] = { "signed bytes", 1 },
              [I16] = { "whole numbers of 16 bits", 2 },
              [I32] = { "whole numbers of 32 bits", 4 },
              [13] = { "floats of 32 bits", 4 },
              [14] = { "floats of 64 bits", 8 } };

/* Images are unsigned bytes, labels whole numbers. */
static int refuse_kind(const struct idx *f, const unsigned char b[4], bool labels, struct kl_error *err)
{
    const struct type *t = b[2] < sizeof types / sizeof *types ? &types[b[2]] : NULL;
    const bool idx = !b[0] && !b[1] && t && t->words;
    if (!idx)
        return kl_fail(
            err, KL_EDATA,
            "%s: begins with %02x %02x %02x %02x, expected 00 00 08 %02x (IDX, unsigned bytes)", f->path,
            b[0], b[1], b[2], b[3], labels ? 1 : 3);
    return kl_fail(err, KL_EDATA, "%s: IDX of %s in %d dimension%s, expected %s%s", f->path, t->words,
                   b[3], kl_s(b[3]), labels ? "whole numbers in 1 or 2" : "unsigned bytes in 3 or 4",
                   b[2] == U8 && b[3] == 1             ? "; these are labels, not images"
                   : b[2] == U8 && b[3] >= 3 && labels ? "; these are images, not labels"
                   : !labels && b[2] > I32             ? "; write pixels from 0 to 255 as bytes"
                                                       : "");
}

static int read_header(struct idx *f, bool labels, struct kl_error *err)
{
    unsigned char b[4 + 4 * MAX_RANK];
    int rc = get(f, b, 4, 0, err);
    if (rc) return rc;
    const int least = labels ? 1 : 3, most = labels ? 2 : 4;
    const bool whole = b[2] >= U8 && b[2] <= I32 && types[b[2]].size;
    if (b[0] || b[1] || !(labels ? whole : b[2] == U8) || b[3] < least || b[3] > most)
        return refuse_kind(f, b, labels, err);
    f->type = b[2], f->size = types[b[2]].size;
    f->rank = b[3];
    f->header = 4 + 4 * (uint64_t)f->rank;
    if ((rc = get(f, b + 4, 4 * (size_t)f->rank, 4, err))) return rc;
    f->item = f->size;
    for (int i = 0; i < f->rank; i++) {
        const unsigned char *d = b + 4 + 4 * i;
        f->dims[i] = (size_t)d[0] << 24 | (size_t)d[1] << 16 | (size_t)d[2] << 8 | d[3];
        if (i > 0 && __builtin_mul_overflow(f->item, f->dims[i], &f->item))
            return kl_fail(err, KL_EDATA, "%s: the sizes in its header overflow", f->path);
    }
    uint64_t bytes;
    if (__builtin_mul_overflow((uint64_t)f->dims[0], (uint64_t)f->item, &bytes) || bytes > (uint64_t)1
                                                                                               << 60)
        return kl_fail(err, KL_EDATA, "%s: the sizes in its header overflow", f->path);
    if (f->dims[0] == 0 || f->item == 0)
        return kl_fail(err, KL_EDATA, "%s: the header says that it is empty", f->path);
    if (!f->gz && bytes != f->file_size - f->header)
        return kl_fail(err, KL_EDATA,
                       "%s: %llu bytes after the header, expected %llu (%zu items of %zu)%s", f->path,
                       (unsigned long long)(f->file_size - f->header), (unsigned long long)bytes,
                       f->dims[0], f->item,
                       bytes > f->file_size - f->header ? "; cut short: copy or download it again" : "");
    if (f->gz && bytes / MAX_RATIO > f->file_size)
        return kl_fail(
            err, KL_EDATA,
            "%s: the header says %zu items of %zu bytes, more than %llu compressed bytes can hold",
            f->path, f->dims[0], f->item, (unsigned long long)f->file_size);
    return 0;
}

static int idx_open(struct idx *f, const char *path, bool labels, struct kl_error *err)
{
    struct stat st;
    unsigned char magic[KL_STAND_IN] = { 0 };
    *f = (struct idx){ .path = path, .fd = open(path, O_RDONLY | O_CLOEXEC) };
    if (f->fd < 0) return kl_fail_errno(err, KL_ENOINPUT, "%s: cannot open", path);
    if (fstat(f->fd, &st) < 0) return kl_fail_errno(err, KL_EIO, "%s", path);
    int rc = kl_regular(&st, path, err);
    if (rc) return rc;
    f->file_size = (uint64_t)st.st_size;
    const size_t n = f->file_size < KL_STAND_IN ? f->file_size : KL_STAND_IN;
    if ((rc = kl_store_pread_all(f->fd, magic, n, 0, path, err))) return rc;
    if ((rc = kl_no_stand_in(magic, n, path, err))) return rc;
    if (magic[0] == 0x1f && magic[1] == 0x8b) {
        if (!(f->gz = gzdopen(f->fd, "rb")))
            return kl_fail(err, KL_ENOMEM, "%s: no memory to decompress", path);
        gzbuffer(f->gz, BUFFER);
    }
    return read_header(f, labels, err);
}

/* After the last item: nothing may follow. For gzip this also makes zlib check the length and the CRC.
 */
static int check_end(struct idx *f, struct kl_error *err)
{
    unsigned char more;
    if (!f->gz) return 0; /* the size was checked */
    if (gzfread(&more, 1, 1, f->gz) == 1)
        return kl_fail(err, KL_EDATA, "%s: data follows the last of its %zu items", f->path, f->dims[0]);
    int which = Z_OK, rc = gz_problem(f, " at its end", err);
    gzerror(f->gz, &which);
    if (!rc && which == Z_BUF_ERROR)
        rc = kl_fail(err, KL_EDATA, "%s: the gzip data is damaged at its end: truncated", f->path);
    return rc;
}

/* Of images' names the part that says what they are, and what stands for it in those of labels. */
static const struct {
    const char *images, *labels;
} names[] = { { "images-idx3-ubyte", "labels-idx1-ubyte" },
              { "images.idx3-ubyte", "labels.idx1-ubyte" },
              { "images-idx4-ubyte", "labels-idx1-ubyte" },
              { "images-idx3-ubyte", "labels-idx2-int" },
              { "images-idx3-ubyte", "labels-idx1-int" } };

int kl_ingest_idx_labels_path(char **path, const char *images, struct kl_error *err)
{
    const char *base = strrchr(images, '/') ? strrchr(images, '/') + 1 : images;
    *path = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *at = strstr(base, names[i].images);
        if (!at) continue;
        const size_t before = (size_t)(at - images);
        char *found = malloc(strlen(images) + 4);
        if (!found) return kl_fail_memory(err, strlen(images) + 4);
        memcpy(found, images, before);
        strcpy(found + before, names[i].labels);
        strcat(found, at + strlen(names[i].images));
        *path = found;
        if (access(found, F_OK) == 0) return 0;
        char *gz = found + strlen(found) - 3; /* the other of plain and gzip */
        if (strcmp(gz, ".gz") == 0) *gz = 0;
        else strcat(found, ".gz");
        if (access(found, F_OK) == 0) return 0;
        free(found);
        *path = NULL;
    }
    return 0;
}

static int32_t label_of(const unsigned char *number, int type)
{
    switch (type) {
    case U8: return number[0];
    case I8: return (int8_t)number[0];
    case I16: return (int16_t)(number[0] << 8 | number[1]);
    default:
        return (int32_t)((uint32_t)number[0] << 24 | (uint32_t)number[1] << 16 |
                         (uint32_t)number[2] << 8 | number[3]);
    }
}

static int read_labels(struct kl_image_source *s, const char *path, size_t total,
                       const struct kl_log *log, struct kl_error *err)
{
    struct idx f;
    unsigned char *bytes = NULL;
    int rc = idx_open(&f, path, true, err);
    if (rc) goto out;
    if (f.dims[0] != total) {
        rc =
            kl_fail(err, KL_EDATA, "%s: %zu labels, %s has %zu images", path, f.dims[0], s->path, total);
        goto out;
    }
    bytes = malloc(total * f.item);
    s->labels = malloc(total * sizeof *s->labels);
    if (!bytes || !s->labels) {
        rc = kl_fail_memory(err, total * (sizeof *s->labels + f.item));
        goto out;
    }
    if ((rc = get(&f, bytes, total * f.item, f.header, err)) || (rc = check_end(&f, err))) goto out;
    for (size_t i = 0; i < total; i++) s->labels[i] = label_of(bytes + i * f.item, f.type);
    if (f.item > f.size)
        kl_caution(log, "%s: %zu numbers a label: the first is taken for the class, as of QMNIST", path,
                   f.dims[1]);
out:
    idx_close(&f);
    free(bytes);
    return rc;
}

static bool knows(const char *path, bool is_folder, const unsigned char *magic, size_t n_magic)
{
    (void)path;
    (void)is_folder; /* folders have been asked for before */
    return n_magic >= 2 && ((magic[0] == 0x1f && magic[1] == 0x8b) || (magic[0] == 0 && magic[1] == 0));
}

static void source_close(struct kl_image_source *s)
{
    if (s->state) idx_close(s->state);
    free(s->state);
    s->state = NULL;
}

static int source_open(struct kl_image_source *s, const struct kl_images_options *o,
                       struct kl_error *err)
{
    int rc;
    char *found = NULL;
    struct idx *f = s->state = malloc(sizeof *f);
    if (!f) return kl_fail_memory(err, sizeof *f);
    if ((rc = idx_open(f, s->path, false, err))) goto out;
    if (f->rank == 4 && f->dims[3] != 3) {
        rc = kl_fail(err, KL_EDATA, "%s: last size %zu, expected 3 (red, green, blue)", s->path,
                     f->dims[3]);
        goto out;
    }
    if (f->item > o->max_bytes) {
        rc = kl_fail(err, KL_EDATA,
                     "%s: an image of %zu x %zu pixels is more than the limit of %zu bytes", s->path,
                     f->dims[1], f->dims[2], o->max_bytes);
        goto out;
    }
    s->n = s->total = f->dims[0];
    s->height = f->dims[1];
    s->width = f->dims[2];
    s->channels = f->rank == 4 ? 3 : 1;
    s->in_order = f->gz != NULL;
    if (o->labels && strcmp(o->labels, "none") == 0) goto out;
    if (!o->labels && (rc = kl_ingest_idx_labels_path(&found, s->path, err))) goto out;
    if (!o->labels && !found) {
        rc = kl_fail(err, KL_ENOINPUT,
                     "%s: no file of labels beside it (train-labels-idx1-ubyte for "
                     "train-images-idx3-ubyte); give --labels FILE, or --labels none",
                     s->path);
        goto out;
    }
    if ((rc = read_labels(s, found ? found : o->labels, s->total, o->log, err))) goto out;
    rc = kl_ingest_image_source_number(s, err);
out:
    free(found);
    return rc;
}

static int source_read(struct kl_image_source *s, size_t first, size_t n, struct kl_picture *pictures,
                       struct kl_arena *arena, struct kl_error *err)
{
    struct idx *f = s->state;
    uint8_t *pixels = kl_arena_take(arena, pictures ? n : 1, f->item);
    int rc = 0;
    if (!pixels) return kl_fail_memory(err, n * f->item);
    if (pictures) rc = get(f, pixels, n * f->item, f->header + (uint64_t)first * f->item, err);
    else /* only what is read in order is passed over so: gzip */
        for (size_t i = 0; i < n && !rc; i++) rc = get(f, pixels, f->item, 0, err);
    if (!rc && first + n == f->dims[0]) rc = check_end(f, err);
    for (size_t i = 0; i < n && pictures; i++)
        pictures[i] = (struct kl_picture){ s->height, s->width, s->channels, pixels + i * f->item };
    return rc;
}

const struct kl_driver kl_driver_idx = {
    .name = "IDX", .knows = knows, .open = source_open, .read = source_read, .close = source_close
};
