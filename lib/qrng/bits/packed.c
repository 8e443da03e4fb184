/* SPDX-License-Identifier: MIT
   Bits as a generator delivers them: bytes, the most significant bit first, row after row without a
   gap. */
#include <stdlib.h>
#include <string.h>

#include "qrng/bits/bits_int.h"

struct packed {
    size_t n_rows;
    uint64_t *buffer; /* a block of rows as one stream of bits, and a word */
};

static bool knows(const unsigned char *first, size_t n, const struct kl_bits_how *how)
{
    (void)first, (void)n;
    return how->packed;
}

static int packed_open(struct kl_bits_source *s, struct kl_error *err)
{
    const size_t n = s->how.row_bits;
    if (s->state) return KL_OK; /* rewound: rows are found by their number */
    if (n > KL_BITS_ROW)
        return kl_fail(err, KL_EUSAGE, "%s: packed rows of %zu bits; expected at most %d", s->path, n,
                       (int)KL_BITS_ROW);
    if (s->size > UINT64_MAX / 8)
        return kl_fail(err, KL_EDATA, "%s: %llu bytes are too many", s->path,
                       (unsigned long long)s->size);
    struct packed *f = s->state = calloc(1, sizeof *f);
    if (!f) return kl_fail_memory(err, sizeof *f);
    f->n_rows = (size_t)(8 * s->size / n);
    s->block.n_dropped = (size_t)(8 * s->size % n);
    if (s->how.max_rows && f->n_rows >= s->how.max_rows) s->block.n_dropped = 0;
    if (f->n_rows == 0)
        return kl_fail(err, KL_EDATA, "%s: %llu byte%s hold no row of %zu bits", s->path,
                       (unsigned long long)s->size, kl_s(s->size), n);
    s->expected_rows = f->n_rows;
    int rc = kl_bits_check(s, err);
    if (!rc) rc = kl_bits_make_block(s, n, err);
    const size_t bytes = (s->block_rows * n / 64 + 2) * sizeof *f->buffer;
    if (!rc && !(f->buffer = calloc(1, bytes))) rc = kl_fail_memory(err, bytes);
    return rc;
}

/* A block begins with a whole byte, because the rows before it are a multiple of eight. */
static int packed_next(struct kl_bits_source *s, size_t max_rows, struct kl_error *err)
{
    const struct packed *f = s->state;
    struct kl_bits *b = &s->block;
    const size_t left = f->n_rows - s->row, n = max_rows < left ? max_rows : left;
    const size_t bytes = (n * b->n_bits + 7) / 8;
    int rc = kl_store_pread_all(s->fd, f->buffer, bytes, (uint64_t)s->row / 8 * b->n_bits, s->path, err);
    if (rc) return rc;
    for (size_t w = 0; w < (bytes + 7) / 8; w++) f->buffer[w] = kl_bits_reverse(f->buffer[w]);
    for (size_t r = 0; r < n; r++)
        kl_bits_cut(b->words + r * b->words_per_row, f->buffer, r * b->n_bits, b->n_bits);
    memset(b->device, 0, n * sizeof *b->device);
    b->n_rows = n;
    return KL_OK;
}

static void packed_close(struct kl_bits_source *s)
{
    struct packed *f = s->state;
    if (f) free(f->buffer);
}

const struct kl_bits_format kl_bits_packed = { "packed", knows, packed_open, packed_next, packed_close };
