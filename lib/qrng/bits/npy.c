/* SPDX-License-Identifier: MIT
   Bits in NumPy's .npy: texts of characters 0 and 1, one a row, or bytes (rows, bits) of 0 and 1. */
#include <stdlib.h>
#include <string.h>

#include "qrng/bits/bits_int.h"
#include "weights/weights.h"

struct npy {
    uint64_t begin; /* of the rows in the file */
    size_t n_rows, row_size;
    int width; /* bytes of a character or number */
    bool text;
    unsigned char *buffer; /* a block of rows */
};

static bool knows(const unsigned char *first, size_t n, const struct kl_bits_how *how)
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

const struct kl_bits_format kl_bits_npy = { "npy", knows, npy_open, npy_next, npy_close };
