/* SPDX-License-Identifier: MIT */
#include "qrng/nist/stream.h"

#include <stdlib.h>

#include "qrng/nist/report.h"

static size_t part(size_t n)
{
    return n < KL_NIST_PART ? n : KL_NIST_PART;
}

int kl_nist_stream(struct kl_nist_stream *s, const struct kl_bits *bits, size_t device,
                   struct kl_error *err)
{
    size_t n = 0;
    for (size_t r = 0; r < bits->n_rows; r++) n += bits->device[r] == (int32_t)device;
    const size_t n_bits = part(n * bits->n_bits),
                 n_symbols = part(n * (bits->n_bits / (size_t)bits->symbol_bits));
    *s = (struct kl_nist_stream){ .bits = bits,
                                  .rows = malloc((n + 1) * sizeof *s->rows),
                                  .part = malloc(n_bits + 1),
                                  .symbols = malloc(n_symbols + 1) };
    if (!s->rows || !s->part || !s->symbols)
        return kl_fail_memory(err, n * sizeof *s->rows + n_bits + n_symbols);
    for (size_t r = 0; r < bits->n_rows; r++)
        if (bits->device[r] == (int32_t)device) s->rows[s->n_rows++] = r;
    kl_nist_stream_bits(s->part, s, 0, n_bits);
    kl_nist_stream_symbols(s->symbols, s, 0, n_symbols);
    return KL_OK;
}

void kl_nist_stream_free(struct kl_nist_stream *s)
{
    free(s->rows), free(s->part), free(s->symbols);
    *s = (struct kl_nist_stream){ 0 };
}

void kl_nist_stream_bits(uint8_t *out, const struct kl_nist_stream *s, size_t first, size_t n)
{
    const size_t per_row = s->bits->n_bits;
    size_t r = first / per_row, j = first % per_row;
    for (size_t i = 0; i < n; r++, j = 0) {
        const uint64_t *row = kl_bits_row(s->bits, s->rows[r]);
        for (; j < per_row && i < n; j++) out[i++] = row[j / 64] >> (j % 64) & 1;
    }
}

void kl_nist_stream_symbols(uint8_t *out, const struct kl_nist_stream *s, size_t first, size_t n)
{
    const int width = s->bits->symbol_bits;
    const size_t per_row = s->bits->n_bits / (size_t)width;
    size_t r = first / per_row, k = first % per_row;
    for (size_t i = 0; i < n; r++, k = 0) {
        const uint64_t *row = kl_bits_row(s->bits, s->rows[r]);
        for (; k < per_row && i < n; k++) out[i++] = (uint8_t)kl_bits_symbol(row, k, width);
    }
}
