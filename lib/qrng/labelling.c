/* SPDX-License-Identifier: MIT
   All scores of a pair if the rows of a mask were the first device's: counts within the mask, and the
   rest by subtraction. */
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

static size_t lay_out(struct kl_labelling *l, const struct kl_planes *p, char *block)
{
    char *at = block;
    l->mask = take(&at, p->words, 8);
    l->noise = take(&at, 8 * p->words, 8);
    l->masked = take(&at, p->words, 8);
    for (int side = 0; side < 2; side++) {
        l->ones[side] = take(&at, p->n_bits, sizeof *l->ones[0]);
        l->both[side] = take(&at, p->n_wide * p->n_wide, sizeof *l->both[0]);
        l->bins[side] = take(&at, KL_BINS, sizeof *l->bins[0]);
        l->symbols[side] = take(&at, p->n_symbols, sizeof *l->symbols[0]);
    }
    l->folds = take(&at, p->n_counts * KL_FOLDS, sizeof *l->folds);
    l->weights = take(&at, p->n_counts, sizeof *l->weights);
    return (size_t)(at - block);
}

int kl_labelling_make(struct kl_labelling *l, const struct kl_planes *p, struct kl_error *err)
{
    const size_t bytes = lay_out(l, p, NULL);
    if (!(l->block = aligned_alloc(64, bytes))) return kl_fail_memory(err, bytes);
    lay_out(l, p, l->block);
    return KL_OK;
}

void kl_labelling_free(struct kl_labelling *l)
{
    free(l->block);
    *l = (struct kl_labelling){ 0 };
}

static void subtract(uint32_t *rest, const uint32_t *all, const uint32_t *part, size_t n)
{
    for (size_t i = 0; i < n; i++) rest[i] = all[i] - part[i];
}

static void count_bits(struct kl_labelling *l, const struct kl_planes *p)
{
    const struct kl_kernels *k = kl_kernels();
    k->bit_counts(l->ones[0], l->mask, p->columns, p->words, p->n_bits, p->words);
    k->bit_counts(l->bins[0], l->mask, p->bins, p->words, KL_BINS, p->words);
    for (size_t i = 0; i < p->n_wide; i++) {
        const uint64_t *column = p->columns + i * p->words;
        const size_t at = i * p->n_wide + i;
        for (size_t w = 0; w < p->words; w++) l->masked[w] = column[w] & l->mask[w];
        k->bit_counts(l->both[0] + at, l->masked, column, p->words, p->n_wide - i, p->words);
        subtract(l->both[1] + at, p->both + at, l->both[0] + at, p->n_wide - i);
    }
    subtract(l->ones[1], p->all, l->ones[0], p->n_bits);
    subtract(l->bins[1], p->all + p->n_bits, l->bins[0], KL_BINS);
}

void kl_labelling_count(struct kl_labelling *l, const struct kl_planes *p)
{
    const struct kl_kernels *k = kl_kernels();
    uint32_t ones[16];
    for (size_t i = 0; i < p->n_counts; i++)
        for (size_t fold = 0; fold < KL_FOLDS; fold++) {
            const size_t from = fold * p->fold_words;
            uint32_t *sum = l->folds + i * KL_FOLDS + fold;
            k->bit_counts(ones, l->mask + from, p->counts + i * p->feature_bits * p->words + from,
                          p->words, p->feature_bits, p->fold_words);
            *sum = 0;
            for (size_t b = 0; b < p->feature_bits; b++) *sum += ones[b] << b;
        }
    for (size_t s = 0; s < p->n_symbols; s++) {
        l->symbols[0][s] = l->symbols[1][s] = 0;
        for (size_t fold = 0; fold < KL_FOLDS; fold++) {
            const uint32_t part = l->folds[s * KL_FOLDS + fold];
            l->symbols[0][s] += part;
            l->symbols[1][s] += p->folds[s * KL_FOLDS + fold] - part;
        }
    }
}

void kl_labelling_scores(double scores[KL_N_SCORES], struct kl_labelling *l, const struct kl_planes *p,
                         const struct kl_shares shares[2])
{
    const struct kl_side a = { &shares[0], l->ones[0], l->both[0], l->bins[0] },
                         b = { &shares[1], l->ones[1], l->both[1], l->bins[1] };
    count_bits(l, p);
    kl_legacy_scores(scores, &a, &b, p->n_bits, p->n_wide);
    kl_labelling_count(l, p);
    scores[KL_SCORE_CHI_SQUARE] = kl_symbol_chi_square(l->symbols[0], l->symbols[1], p->n_symbols);
    scores[KL_SCORE_ACCURACY] = kl_crossfit_accuracy(l, p);
}
