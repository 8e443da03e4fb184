/* SPDX-License-Identifier: MIT
   Two devices' rows as planes of bits, and the numbers that tests count in each row. */
#include "qrng/pairs/tournament.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/bits.h"

/* ---- numbers of each row ---- */

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
    *bin = (uint8_t)kl_bits_ones_bin(ones, bits->n_bits);
}

int kl_pairs_row_features(struct kl_row_features *f, const struct kl_bits *bits, struct kl_error *err)
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

void kl_pairs_row_features_free(struct kl_row_features *f)
{
    free(f->values), free(f->bin);
    *f = (struct kl_row_features){ 0 };
}

/* ---- planes ---- */
/* A square of 64 x 64 bits turned about its diagonal (Warren, Hacker's Delight, 7-3). */

void kl_pairs_transpose_bits(uint64_t m[64])
{
    uint64_t mask = 0x00000000ffffffffu;
    for (int half = 32; half; half >>= 1, mask ^= mask << half)
        for (int r = 0; r < 64; r = (r + half + 1) & ~half) {
            const uint64_t swap = ((m[r] >> half) ^ m[r + half]) & mask;
            m[r] ^= swap << half;
            m[r + half] ^= swap;
        }
}

/* Two devices' rows as planes. Row i of a device goes to fold i mod KL_CROSSFIT_FOLDS, and a fold begins
   at a whole word, so that counts within folds are counts within ranges of words. */

/* Twice: to know how much, then to hand it out. */
static size_t lay_out(struct kl_planes *p, char *block)
{
    size_t at = 0;
    const size_t classified = p->chain ? p->n_symbols * p->n_symbols : p->n_symbols;
    p->valid = kl_pairs_take(block, &at, p->words, 8);
    p->first = kl_pairs_take(block, &at, p->words, 8);
    p->columns = kl_pairs_take(block, &at, p->n_bits * p->words, 8);
    p->bins = kl_pairs_take(block, &at, KL_BINS * p->words, 8);
    p->counts = kl_pairs_take(block, &at, p->n_counts * p->feature_bits * p->words, 8);
    p->classified = kl_pairs_take(block, &at, classified * p->words * 64, sizeof *p->classified);
    p->all = kl_pairs_take(block, &at, p->n_bits + KL_BINS, sizeof *p->all);
    p->both = kl_pairs_take(block, &at, p->n_wide * p->n_wide, sizeof *p->both);
    p->folds = kl_pairs_take(block, &at, p->n_counts * KL_CROSSFIT_FOLDS, sizeof *p->folds);
    p->scratch = kl_pairs_take(block, &at, p->n_counts * p->feature_bits, sizeof *p->scratch);
    return at;
}

/* Bit b of 64 numbers' bytes as a word: eight bytes at a time, whose lowest bits one product gathers. */
static uint64_t gather(const uint8_t bytes[64], size_t b)
{
    uint64_t word = 0;
    for (int k = 0; k < 8; k++) {
        uint64_t eight;
        memcpy(&eight, bytes + 8 * k, 8);
        word |= ((eight >> b & 0x0101010101010101u) * 0x0102040810204080u >> 56) << (8 * k);
    }
    return word;
}

/* Number i of the 64 rows of word w; absent rows have 0. */
static void put_number(struct kl_planes *p, size_t w, size_t i, const struct kl_row_features *f,
                       const size_t *at_place)
{
    const size_t skipped = p->chain ? p->n_symbols : 0;
    uint64_t *plane = p->counts + i * p->feature_bits * p->words + w;
    uint16_t values[64];
    uint8_t bytes[2][64];
    for (size_t r = 0; r < 64; r++) {
        const bool there = p->valid[w] >> r & 1;
        values[r] = there ? f->values[at_place[64 * w + r] * f->n + i] : 0;
        bytes[0][r] = (uint8_t)values[r], bytes[1][r] = (uint8_t)(values[r] >> 8);
    }
    for (size_t b = 0; b < p->feature_bits; b++) plane[b * p->words] = gather(bytes[b / 8], b % 8);
    if (i < skipped) return;
    float *numbers = p->classified + ((i - skipped) * p->words + w) * 64;
    for (size_t r = 0; r < 64; r++) numbers[r] = values[r];
}

static void put_numbers(struct kl_planes *p, const struct kl_row_features *f, const size_t *at_place)
{
    for (size_t w = 0; w < p->words; w++) {
        for (size_t i = 0; i < p->n_counts; i++) put_number(p, w, i, f, at_place);
        for (size_t r = 0; r < 64; r++)
            if (p->valid[w] >> r & 1) p->bins[f->bin[at_place[64 * w + r]] * p->words + w] |= 1ull << r;
    }
}

/* Each word of 64 rows, turned. */
static void put_columns(struct kl_planes *p, const struct kl_bits *bits, const size_t *at_place)
{
    uint64_t square[64];
    for (size_t w = 0; w < p->words; w++)
        for (size_t k = 0; k < bits->words_per_row; k++) {
            const size_t n = bits->n_bits - 64 * k < 64 ? bits->n_bits - 64 * k : 64;
            for (size_t r = 0; r < 64; r++)
                square[r] = p->valid[w] >> r & 1 ? kl_bits_row(bits, at_place[64 * w + r])[k] : 0;
            kl_pairs_transpose_bits(square);
            for (size_t c = 0; c < n; c++) p->columns[(64 * k + c) * p->words + w] = square[c];
        }
}

static void add_up(struct kl_planes *p)
{
    kl_kernel_bit_counts()(p->all, p->valid, p->columns, p->words, p->n_bits, p->words);
    kl_kernel_bit_counts()(p->all + p->n_bits, p->valid, p->bins, p->words, KL_BINS, p->words);
    for (size_t i = 0; i < p->n_wide; i++)
        kl_kernel_bit_counts()(p->both + i * p->n_wide + i, p->columns + i * p->words,
                               p->columns + i * p->words, p->words, p->n_wide - i, p->words);
}

/* Sums of the numbers within folds. scratch: [n_counts, feature_bits]. */
static void add_up_folds(struct kl_planes *p, uint32_t *scratch)
{
    for (size_t fold = 0; fold < KL_CROSSFIT_FOLDS; fold++) {
        const size_t from = fold * p->fold_words;
        kl_kernel_bit_counts()(scratch, p->valid + from, p->counts + from, p->words,
                               p->n_counts * p->feature_bits, p->fold_words);
        for (size_t i = 0; i < p->n_counts; i++) {
            uint32_t *sum = &p->folds[i * KL_CROSSFIT_FOLDS + fold];
            *sum = 0;
            for (size_t b = 0; b < p->feature_bits; b++) *sum += scratch[i * p->feature_bits + b] << b;
        }
    }
}

/* Each device's rows in turn into the folds; at_place: the row at each place. */
static void deal_rows(struct kl_planes *p, size_t *at_place, const size_t *rows_a, const size_t *rows_b)
{
    size_t used[KL_CROSSFIT_FOLDS] = { 0 };
    for (size_t i = 0; i < p->rows; i++) {
        const bool first = i < p->rows_a;
        const size_t own = first ? i : i - p->rows_a, fold = own % KL_CROSSFIT_FOLDS;
        const size_t place = fold * p->fold_words * 64 + used[fold]++;
        at_place[place] = first ? rows_a[own] : rows_b[own];
        p->valid[place / 64] |= 1ull << (place % 64);
        if (!first) continue;
        p->first[place / 64] |= 1ull << (place % 64);
        p->first_of_fold[fold]++;
    }
}

int kl_pairs_planes_make(struct kl_planes *p, const struct kl_bits *bits,
                         const struct kl_row_features *f, const size_t *rows_a, size_t n_a,
                         const size_t *rows_b, size_t n_b, struct kl_error *err)
{
    const size_t rows = n_a + n_b;
    *p = (struct kl_planes){ 0 };
    if (f->most && rows > UINT32_MAX / f->most)
        return kl_fail(err, KL_EDATA,
                       "a pair's %zu rows of %zu symbols: expected fewer than 2^32 symbols", rows,
                       f->most);
    *p = (struct kl_planes){ .rows = rows,
                             .rows_a = n_a,
                             .fold_words = ((n_a + KL_CROSSFIT_FOLDS - 1) / KL_CROSSFIT_FOLDS +
                                            (n_b + KL_CROSSFIT_FOLDS - 1) / KL_CROSSFIT_FOLDS + 63) /
                                           64,
                             .n_bits = bits->n_bits,
                             .n_wide = bits->n_bits < KL_WIDE ? bits->n_bits : KL_WIDE,
                             .n_symbols = f->n_symbols,
                             .n_counts = f->n,
                             .chain = f->n_transitions > 0 };
    p->words = p->fold_words * KL_CROSSFIT_FOLDS;
    while (f->most >> p->feature_bits) p->feature_bits++;
    const size_t bytes = lay_out(p, NULL);
    size_t *at_place = malloc(p->words * 64 * sizeof *at_place);
    p->block = aligned_alloc(64, bytes);
    if (!p->block || !at_place) {
        free(at_place);
        return kl_fail_memory(err, bytes);
    }
    memset(p->block, 0, bytes);
    lay_out(p, p->block);
    deal_rows(p, at_place, rows_a, rows_b);
    put_numbers(p, f, at_place);
    put_columns(p, bits, at_place);
    add_up(p);
    add_up_folds(p, p->scratch);
    free(at_place);
    return KL_OK;
}

void kl_pairs_planes_free(struct kl_planes *p)
{
    free(p->block);
    *p = (struct kl_planes){ 0 };
}
