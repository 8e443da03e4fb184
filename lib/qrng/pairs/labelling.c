/* SPDX-License-Identifier: MIT
   All scores of a pair if the rows of a mask were the first device's: counts within the mask, and the
   rest by subtraction. */
#include <math.h>
#include <stdlib.h>

#include "kernels/select.h"
#include "qrng/pairs/planes.h"

static size_t lay_out(struct kl_labelling *l, const struct kl_planes *p, char *block)
{
    size_t at = 0;
    l->mask = kl_take(block, &at, p->words, 8);
    l->noise = kl_take(block, &at, 8 * p->words + KL_LABELS_SPARE, 8);
    l->masked = kl_take(block, &at, p->words, 8);
    for (int side = 0; side < 2; side++) {
        l->ones[side] = kl_take(block, &at, p->n_bits, sizeof *l->ones[0]);
        l->both[side] = kl_take(block, &at, p->n_wide * p->n_wide, sizeof *l->both[0]);
        l->bins[side] = kl_take(block, &at, KL_BINS, sizeof *l->bins[0]);
        l->symbols[side] = kl_take(block, &at, p->n_symbols, sizeof *l->symbols[0]);
    }
    l->folds = kl_take(block, &at, p->n_counts * KL_CROSSFIT_FOLDS, sizeof *l->folds);
    l->planes = kl_take(block, &at, p->n_counts * p->feature_bits, sizeof *l->planes);
    l->weights = kl_take(block, &at, p->n_counts, sizeof *l->weights);
    l->sides[0] = kl_take(block, &at, p->fold_words, 8);
    l->sides[1] = kl_take(block, &at, p->fold_words, 8);
    return at;
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

/* Sum of number i over rows whose planes have so many ones. */
static uint32_t weigh(const uint32_t *planes, size_t i, const struct kl_planes *p)
{
    uint32_t sum = 0;
    for (size_t b = 0; b < p->feature_bits; b++) sum += planes[i * p->feature_bits + b] << b;
    return sum;
}

static void count_symbols(struct kl_labelling *l, const struct kl_planes *p)
{
    kl_kernels()->bit_counts(l->planes, l->mask, p->counts, p->words, p->n_symbols * p->feature_bits,
                             p->words);
    for (size_t s = 0; s < p->n_symbols; s++) {
        const int64_t part = weigh(l->planes, s, p);
        l->symbols[0][s] = part, l->symbols[1][s] = -part;
        for (size_t fold = 0; fold < KL_CROSSFIT_FOLDS; fold++)
            l->symbols[1][s] += p->folds[s * KL_CROSSFIT_FOLDS + fold];
    }
}

void kl_labelling_count(struct kl_labelling *l, const struct kl_planes *p)
{
    for (size_t fold = 0; fold < KL_CROSSFIT_FOLDS; fold++) {
        const size_t from = fold * p->fold_words;
        kl_kernels()->bit_counts(l->planes, l->mask + from, p->counts + from, p->words,
                                 p->n_counts * p->feature_bits, p->fold_words);
        for (size_t i = 0; i < p->n_counts; i++)
            l->folds[i * KL_CROSSFIT_FOLDS + fold] = weigh(l->planes, i, p);
    }
}

enum { LEGACY = (1 << KL_N_LEGACY) - 1 };

void kl_labelling_scores(double scores[KL_N_SCORES], uint32_t wanted, struct kl_labelling *l,
                         const struct kl_planes *p, const struct kl_shares shares[2])
{
    for (int s = 0; s < KL_N_SCORES; s++) scores[s] = NAN;
    if (wanted & LEGACY) {
        const struct kl_side a = { &shares[0], l->ones[0], l->both[0], l->bins[0] },
                             b = { &shares[1], l->ones[1], l->both[1], l->bins[1] };
        count_bits(l, p);
        kl_legacy_scores(scores, &a, &b, p->n_bits, p->n_wide);
    }
    if (wanted & 1 << KL_SCORE_CHI_SQUARE) {
        count_symbols(l, p);
        scores[KL_SCORE_CHI_SQUARE] = kl_symbol_chi_square(l->symbols[0], l->symbols[1], p->n_symbols);
    }
    if (wanted & 1 << KL_SCORE_ACCURACY) {
        kl_labelling_count(l, p);
        scores[KL_SCORE_ACCURACY] = kl_crossfit_accuracy(l, p);
    }
}
