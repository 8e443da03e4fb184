/* SPDX-License-Identifier: MIT
   Two devices' rows as planes. Row i of a device goes to fold i mod KL_FOLDS, and a fold begins at a
   whole word, so that counts within folds are counts within ranges of words. */
#include <stdlib.h>
#include <string.h>

#include "kernels/select.h"
#include "qrng/tournament_int.h"

static void *take(char **at, size_t count, size_t size)
{
    void *block = *at;
    *at += (count * size + 63) / 64 * 64;
    return block;
}

/* Twice: to know how much, then to hand it out. */
static size_t lay_out(struct kl_planes *p, char *block)
{
    char *at = block;
    const size_t classified = p->chain ? p->n_symbols * p->n_symbols : p->n_symbols;
    p->valid = take(&at, p->words, 8);
    p->first = take(&at, p->words, 8);
    p->columns = take(&at, p->n_bits * p->words, 8);
    p->bins = take(&at, KL_BINS * p->words, 8);
    p->counts = take(&at, p->n_counts * p->feature_bits * p->words, 8);
    p->classified = take(&at, classified * p->words * 64, sizeof *p->classified);
    p->all = take(&at, p->n_bits + KL_BINS, sizeof *p->all);
    p->both = take(&at, p->n_wide * p->n_wide, sizeof *p->both);
    p->folds = take(&at, p->n_counts * KL_FOLDS, sizeof *p->folds);
    return (size_t)(at - block);
}

static void put_row(struct kl_planes *p, size_t place, const struct kl_row_features *f, size_t row)
{
    const uint64_t bit = 1ull << (place % 64);
    const size_t w = place / 64, skipped = p->chain ? p->n_symbols : 0;
    p->valid[w] |= bit;
    p->bins[f->bin[row] * p->words + w] |= bit;
    for (size_t i = 0; i < p->n_counts; i++) {
        const uint16_t value = f->values[row * f->n + i];
        if (i >= skipped) p->classified[(i - skipped) * p->words * 64 + place] = value;
        for (size_t b = 0; value >> b; b++)
            if (value >> b & 1) p->counts[(i * p->feature_bits + b) * p->words + w] |= bit;
    }
}

/* places[i]: of row i of the pair. Gathers 64 places at a time and turns each word of their rows. */
static void put_columns(struct kl_planes *p, const struct kl_bits *bits, const size_t *at_place)
{
    uint64_t square[64];
    for (size_t w = 0; w < p->words; w++)
        for (size_t k = 0; k < bits->words_per_row; k++) {
            const size_t n = bits->n_bits - 64 * k < 64 ? bits->n_bits - 64 * k : 64;
            for (size_t r = 0; r < 64; r++)
                square[r] = p->valid[w] >> r & 1 ? kl_bits_row(bits, at_place[64 * w + r])[k] : 0;
            kl_turn_bits(square);
            for (size_t c = 0; c < n; c++) p->columns[(64 * k + c) * p->words + w] = square[c];
        }
}

static void add_up(struct kl_planes *p)
{
    const struct kl_kernels *k = kl_kernels();
    k->bit_counts(p->all, p->valid, p->columns, p->words, p->n_bits, p->words);
    k->bit_counts(p->all + p->n_bits, p->valid, p->bins, p->words, KL_BINS, p->words);
    for (size_t i = 0; i < p->n_wide; i++)
        k->bit_counts(p->both + i * p->n_wide + i, p->columns + i * p->words, p->columns + i * p->words,
                      p->words, p->n_wide - i, p->words);
    for (size_t i = 0; i < p->n_counts; i++)
        for (size_t fold = 0; fold < KL_FOLDS; fold++) {
            uint32_t ones[16];
            const uint64_t *planes = p->counts + i * p->feature_bits * p->words + fold * p->fold_words;
            k->bit_counts(ones, p->valid + fold * p->fold_words, planes, p->words, p->feature_bits,
                          p->fold_words);
            p->folds[i * KL_FOLDS + fold] = 0;
            for (size_t b = 0; b < p->feature_bits; b++) p->folds[i * KL_FOLDS + fold] += ones[b] << b;
        }
}

int kl_planes_make(struct kl_planes *p, const struct kl_bits *bits, const struct kl_row_features *f,
                   const size_t *rows_a, size_t n_a, const size_t *rows_b, size_t n_b,
                   struct kl_error *err)
{
    const size_t rows = n_a + n_b;
    *p = (struct kl_planes){
        .rows = rows,
        .rows_a = n_a,
        .fold_words = ((n_a + KL_FOLDS - 1) / KL_FOLDS + (n_b + KL_FOLDS - 1) / KL_FOLDS + 63) / 64,
        .n_bits = bits->n_bits,
        .n_wide = bits->n_bits < KL_WIDE ? bits->n_bits : KL_WIDE,
        .n_symbols = f->n_symbols,
        .n_counts = f->n,
        .chain = f->n_transitions > 0
    };
    p->words = p->fold_words * KL_FOLDS;
    while (f->most >> p->feature_bits) p->feature_bits++;
    const size_t bytes = lay_out(p, NULL);
    size_t *at_place = malloc(p->words * 64 * sizeof *at_place), used[KL_FOLDS] = { 0 };
    p->block = aligned_alloc(64, bytes);
    if (!p->block || !at_place) {
        free(at_place);
        return kl_fail_memory(err, bytes);
    }
    memset(p->block, 0, bytes);
    lay_out(p, p->block);
    for (size_t i = 0; i < rows; i++) {
        const bool first = i < n_a;
        const size_t fold = (first ? i : i - n_a) % KL_FOLDS, row = first ? rows_a[i] : rows_b[i - n_a];
        const size_t place = fold * p->fold_words * 64 + used[fold]++;
        at_place[place] = row;
        put_row(p, place, f, row);
        if (first) p->first[place / 64] |= 1ull << (place % 64);
    }
    put_columns(p, bits, at_place);
    add_up(p);
    free(at_place);
    return KL_OK;
}

void kl_planes_free(struct kl_planes *p)
{
    free(p->block);
    *p = (struct kl_planes){ 0 };
}
