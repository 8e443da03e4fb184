/* SPDX-License-Identifier: MIT
   What the tests count in each row. */
#include <stdlib.h>

#include "qrng/pairs/planes.h"

enum { MOST_BITS = UINT16_MAX, MOST_CHAIN = 4 };

/* kl_bits_symbol, faster for the usual widths. */
static inline unsigned symbol_at(const uint64_t *row, size_t k, int width)
{
    static const unsigned char turned[4] = { 0, 2, 1, 3 };
    if (width == 1) return (unsigned)(row[k / 64] >> (k % 64) & 1);
    if (width == 2) return turned[row[k / 32] >> (2 * (k % 32)) & 3];
    return kl_bits_symbol(row, k, width);
}

static void count_row(uint16_t *values, uint8_t *bin, const uint64_t *row, const struct kl_bits *bits,
                      const struct kl_row_features *f)
{
    size_t ones = 0;
    unsigned last = 0;
    for (size_t k = 0; k < f->most; k++) {
        const unsigned symbol = symbol_at(row, k, bits->symbol_bits);
        values[symbol]++;
        if (k && f->n_transitions) values[f->n_symbols + last * f->n_symbols + symbol]++;
        last = symbol;
    }
    for (size_t w = 0; w < bits->words_per_row; w++) ones += (size_t)__builtin_popcountll(row[w]);
    *bin = (uint8_t)kl_ones_bin(ones, bits->n_bits);
}

int kl_row_features(struct kl_row_features *f, const struct kl_bits *bits, struct kl_error *err)
{
    *f = (struct kl_row_features){ .n_symbols = (size_t)1 << bits->symbol_bits,
                                   .most = bits->n_bits / (size_t)bits->symbol_bits };
    if (bits->n_bits > MOST_BITS)
        return kl_fail(err, KL_EDATA, "rows of %zu bits, expected at most %d; cut them with --bits",
                       bits->n_bits, MOST_BITS);
    if (f->n_symbols <= MOST_CHAIN && f->most > 1) f->n_transitions = f->n_symbols * f->n_symbols;
    f->n = f->n_symbols + f->n_transitions;
    f->values = calloc(bits->n_rows * f->n, sizeof *f->values);
    f->bin = malloc(bits->n_rows);
    if (!f->values || !f->bin) return kl_fail_memory(err, bits->n_rows * f->n * sizeof *f->values);
    for (size_t r = 0; r < bits->n_rows; r++)
        count_row(f->values + r * f->n, f->bin + r, kl_bits_row(bits, r), bits, f);
    return KL_OK;
}

void kl_row_features_free(struct kl_row_features *f)
{
    free(f->values), free(f->bin);
    *f = (struct kl_row_features){ 0 };
}
