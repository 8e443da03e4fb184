/* SPDX-License-Identifier: MIT
   Bits in arrays: NumPy's .npy, and files of kind device-bits. */
#include "qrng/bits/bits_int.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/kind.h"
#include "weights/weights.h"

/* ---- .npy ---- */
/* Texts of characters 0 and 1, one a row, or bytes (rows, bits) of 0 and 1. */

struct npy {
    uint64_t begin; /* of the rows in the file */
    size_t n_rows, row_size;
    int width; /* bytes of a character or number */
    bool text;
    unsigned char *buffer; /* a block of rows */
};

static bool npy_knows(const unsigned char *first, size_t n, const struct kl_bits_how *how)
{
    (void)how;
    return n >= 6 && memcmp(first, "\x93NUMPY", 6) == 0;
}

/* NumPy's words that make of an array one that is taken; "": there are none for its type. */
static void remedy(char words[80], const struct kl_npy *a, bool text)
{
    const bool byte = strcmp(a->descr, "|u1") == 0 || strcmp(a->descr, "|b1") == 0;
    words[0] = 0;
    if (text) snprintf(words, 80, "; save a.ravel()");
    else if (strchr("biuf", a->descr[1])) /* whole numbers and real ones */
        snprintf(words, 80, "; %ssave a%s%s%s", byte ? "" : "if it holds 0 and 1 alone, ",
                 byte ? "" : ".astype('u1')", a->rank == 2 ? "" : ".reshape(-1, N)",
                 a->fortran ? ".copy()" : "");
}

static int refuse(const struct kl_bits_source *s, const struct kl_npy *a, bool text,
                  struct kl_error *err)
{
    char words[80];
    remedy(words, a, text);
    return kl_fail(
        err, KL_EDATA,
        "%s: array of %s%s and rank %d, expected texts (<U or |S) of rank 1, or numbers (|u1, "
        "|b1) of rank 2 in C order%s",
        s->path, a->descr, a->fortran ? " in Fortran order" : "", a->rank, words);
}

/* The 12 of "<U12", as NumPy writes it: digits alone, the first not 0; 0: another form. */
static size_t characters(const char *descr)
{
    const size_t n = strspn(descr + 2, "0123456789");
    return n && n < 10 && !descr[2 + n] && descr[2] != '0' ? strtoul(descr + 2, NULL, 10) : 0;
}

static int read_shape(struct kl_bits_source *s, size_t *n_bits, struct kl_error *err)
{
    struct npy *f = s->state;
    struct kl_npy a;
    const size_t n = s->size < KL_NPY_HEADER ? (size_t)s->size : KL_NPY_HEADER;
    unsigned char *head = malloc(n);
    int rc = head ? kl_store_pread_all(s->fd, head, n, 0, s->path, err) : kl_fail_memory(err, n);
    if (!rc) rc = kl_weights_npy_header(&a, s->path, "of bits", head, n, err);
    free(head);
    if (rc) return rc;
    f->text = strncmp(a.descr, "<U", 2) == 0 || strncmp(a.descr, "|S", 2) == 0;
    f->width = a.descr[0] == '<' ? 4 : 1;
    if (a.rank != (f->text ? 1 : 2) || (a.fortran && !f->text) ||
        (!f->text && strcmp(a.descr, "|u1") != 0 && strcmp(a.descr, "|b1") != 0))
        return refuse(s, &a, f->text, err);
    *n_bits = f->text ? characters(a.descr) : a.dims[1];
    f->n_rows = a.dims[0];
    f->begin = a.begin;
    if (f->n_rows == 0) return kl_fail(err, KL_EDATA, "%s: holds no rows", s->path);
    s->expected_rows = f->n_rows;
    if (*n_bits == 0 || *n_bits > KL_BITS_ROW || f->n_rows > UINT64_MAX / KL_BITS_ROW / 4)
        return kl_fail(err, KL_EDATA, "%s: %zu rows of %zu bits, expected 1 to %d bits", s->path,
                       f->n_rows, *n_bits, (int)KL_BITS_ROW);
    f->row_size = *n_bits * (size_t)f->width;
    if (s->size - f->begin != (uint64_t)f->n_rows * f->row_size)
        return kl_fail(err, KL_EDATA, "%s: %llu bytes of rows, its header says %zu rows of %zu bytes",
                       s->path, (unsigned long long)(s->size - f->begin), f->n_rows, f->row_size);
    return KL_OK;
}

static int npy_open(struct kl_bits_source *s, struct kl_error *err)
{
    size_t n_bits = 0;
    if (s->state) return KL_OK; /* rewound: rows are found by their number */
    struct npy *f = s->state = calloc(1, sizeof *f);
    if (!f) return kl_fail_memory(err, sizeof *f);
    int rc = read_shape(s, &n_bits, err);
    if (!rc) rc = kl_bits_make_block(s, n_bits, err);
    if (rc) return rc;
    const size_t rows = f->n_rows < s->block_rows ? f->n_rows : s->block_rows;
    f->buffer = malloc(rows * f->row_size);
    return f->buffer ? KL_OK : kl_fail_memory(err, rows * f->row_size);
}

/* NumPy's words that make bits of an array in which a byte c stands. */
static const char *number_remedy(uint32_t c)
{
    if (c == 255) return "; of -1 and 1 save a == 1";
    if (c == '0' || c == '1') return "; of characters save a - 48";
    return c >= 16 ? "; of packed bits save numpy.unpackbits(a, axis=1)" : "";
}

static int read_row(struct kl_bits_source *s, const unsigned char *from, struct kl_error *err)
{
    const struct npy *f = s->state;
    struct kl_bits *b = &s->block;
    const size_t row = s->row + b->n_rows + 1;
    uint64_t *words = b->words + b->n_rows * b->words_per_row;
    const uint32_t zero = f->text ? '0' : 0;
    memset(words, 0, b->words_per_row * sizeof *words);
    for (size_t j = 0; j < b->n_bits; j++, from += f->width) {
        uint32_t c = from[0];
        if (f->width == 4) memcpy(&c, from, 4);
        if (f->text && c == 0)
            return kl_fail(err, KL_EDATA, "%s: row %zu has %zu bits, expected %zu", s->path, row, j,
                           b->n_bits);
        if (f->text && c - zero > 1) return kl_bits_wrong(s, row, j + 1, c, err);
        if (c - zero > 1)
            return kl_fail(err, KL_EDATA, "%s: row %zu, column %zu: found %u, expected 0 or 1%s",
                           s->path, row, j + 1, c, number_remedy(c));
        words[j / 64] |= (uint64_t)(c - zero) << j % 64;
    }
    b->device[b->n_rows++] = 0;
    return KL_OK;
}

static int npy_next(struct kl_bits_source *s, size_t max_rows, struct kl_error *err)
{
    const struct npy *f = s->state;
    const size_t left = f->n_rows - s->row, n = max_rows < left ? max_rows : left;
    int rc = kl_store_pread_all(s->fd, f->buffer, n * f->row_size, f->begin + s->row * f->row_size,
                                s->path, err);
    for (size_t r = 0; r < n && !rc; r++) rc = read_row(s, f->buffer + r * f->row_size, err);
    return rc;
}

static void npy_close(struct kl_bits_source *s)
{
    struct npy *f = s->state;
    if (f) free(f->buffer);
}

const struct kl_bits_format kl_bits_npy = { "npy", npy_knows, npy_open, npy_next, npy_close };

/* ---- device-bits ---- */
/* Bits as extract-features --qrng keeps them. */

struct h5 {
    const struct kl_dataset *bits, *labels, *names;
    uint8_t *bytes; /* a block of rows */
};

static bool h5_knows(const unsigned char *first, size_t n, const struct kl_bits_how *how)
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

const struct kl_bits_format kl_bits_h5 = { "device-bits", h5_knows, h5_open, h5_next, h5_close };
