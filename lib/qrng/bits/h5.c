/* SPDX-License-Identifier: MIT
   Bits as extract-features --qrng keeps them: a file of kind device-bits. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "qrng/bits/bits_int.h"
#include "store/kind.h"

struct h5 {
    const struct kl_dataset *bits, *labels, *names;
    uint8_t *bytes; /* a block of rows */
};

static bool knows(const unsigned char *first, size_t n, const struct kl_bits_how *how)
{
    (void)how;
    return n == 8 && memcmp(first, "\211HDF\r\n\032\n", 8) == 0;
}

static int read_names(struct kl_bits_source *s, struct kl_error *err)
{
    const struct h5 *f = s->state;
    struct kl_bits *b = &s->block;
    void *names = NULL;
    int rc = kl_store_file_load(&names, s->file, f->names, err);
    b->n_devices = (int)f->names->rows;
    if (!rc && !(b->names = calloc(f->names->rows, sizeof *b->names)))
        rc = kl_fail_memory(err, f->names->rows * sizeof *b->names);
    for (size_t d = 0; d < f->names->rows && !rc; d++)
        snprintf(b->names[d], sizeof *b->names, "%.*s", (int)f->names->item_size,
                 (const char *)names + d * f->names->item_size);
    free(names);
    return rc;
}

static int open_file(struct kl_bits_source *s, struct kl_error *err)
{
    const int copy = dup(s->fd);
    if (copy < 0) return kl_fail_errno(err, KL_EIO, "%s", s->path);
    int rc = kl_store_file_open_fd(&s->file, copy, s->path, err);
    if (!rc && strcmp(kl_store_file_kind(s->file), kl_bits_kind.name) != 0)
        rc = kl_store_fail_kind(err, s->path, kl_store_file_kind(s->file), &kl_bits_kind);
    if (!rc && !kl_store_file_find(s->file, "bits"))
        rc = kl_fail(err, KL_EDATA, "%s: holds statistics alone; make it without --only-statistics",
                     s->path);
    return rc;
}

static int h5_open(struct kl_bits_source *s, struct kl_error *err)
{
    double n_bits = 0, symbol_bits = 0;
    if (s->state) return KL_OK; /* rewound: rows are found by their number */
    struct h5 *f = s->state = calloc(1, sizeof *f);
    if (!f) return kl_fail_memory(err, sizeof *f);
    int rc = open_file(s, err);
    if (!rc) rc = kl_store_file_expect(&f->bits, s->file, "bits", KL_TYPE_U8, 2, err);
    if (!rc) rc = kl_store_file_expect(&f->labels, s->file, "labels", KL_TYPE_I32, 1, err);
    if (!rc) rc = kl_store_file_expect(&f->names, s->file, "class_names", KL_TYPE_STRING, 1, err);
    if (!rc) rc = kl_store_file_number(&n_bits, s->file, "", "n_bits", err);
    if (!rc) rc = kl_store_file_number(&symbol_bits, s->file, "", "symbol_bits", err);
    if (rc) return rc;
    if (f->labels->rows != f->bits->rows || f->names->rows < 1 || f->names->rows > KL_BITS_DEVICES ||
        !(n_bits >= 1 && n_bits <= KL_BITS_ROW) ||
        !(symbol_bits >= 1 && symbol_bits <= KL_BITS_SYMBOL) ||
        f->bits->dims[1] != ((size_t)n_bits + 7) / 8)
        return kl_fail(err, KL_EDATA, "%s: bits, labels, class_names, n_bits and symbol_bits disagree",
                       s->path);
    s->expected_rows = f->bits->rows;
    if (!s->how.symbol_bits) s->block.symbol_bits = (int)symbol_bits;
    if ((rc = kl_bits_make_block(s, (size_t)n_bits, err)) || (rc = read_names(s, err))) return rc;
    f->bytes = malloc(s->block_rows * f->bits->row_size);
    return f->bytes ? KL_OK : kl_fail_memory(err, s->block_rows * f->bits->row_size);
}

static int h5_next(struct kl_bits_source *s, size_t max_rows, struct kl_error *err)
{
    const struct h5 *f = s->state;
    struct kl_bits *b = &s->block;
    const size_t left = f->bits->rows - s->row, n = max_rows < left ? max_rows : left;
    int rc = kl_store_file_rows(s->file, f->bits, s->row, n, f->bytes, err);
    if (!rc) rc = kl_store_file_rows(s->file, f->labels, s->row, n, b->device, err);
    for (size_t r = 0; r < n && !rc; r++) {
        kl_bits_unpack(b->words + r * b->words_per_row, f->bytes + r * f->bits->row_size, b->n_bits);
        if (b->device[r] < 0 || b->device[r] >= b->n_devices)
            rc = kl_fail(err, KL_EDATA, "%s: row %zu is of device %d, there are %d", s->path,
                         s->row + r + 1, b->device[r] + 1, b->n_devices);
    }
    b->n_rows = n;
    return rc;
}

static void h5_close(struct kl_bits_source *s)
{
    struct h5 *f = s->state;
    if (f) free(f->bytes);
}

const struct kl_bits_format kl_bits_h5 = { "device-bits", knows, h5_open, h5_next, h5_close };
