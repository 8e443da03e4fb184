/* SPDX-License-Identifier: MIT
   Labels of a pair's rows, permuted within each fold. Folds are dealt so that each has the devices'
   shares, and a fit is judged on other folds than it has seen: were labels permuted over all rows, a
   fold with too many rows of a device would be judged by a fit to folds with too few of them. Its
   accuracy would lie below chance for that alone, and the devices' own labels, which never do that,
   would look better than chance.

   A fold's first rows are a random subset of a given size, found without a permutation: every row joins
   with a probability near the share, independently, then rows that are drawn anew join or leave until
   the size is right. Given its size the first set is any of that size with equal probability, and stays
   so when a row taken at random leaves or joins. */
#include <string.h>

#include "kernels/select.h"
#include "qrng/pairs/planes.h"

enum { LEVELS = 8 }; /* the probability is a multiple of 2^-LEVELS */

/* Rows whose random binary fraction is below m / 2^LEVELS, 0 < m < 2^LEVELS; the lowest digits of m that
   are 0 need no random bits. */
static void join(uint64_t *mask, const uint64_t *noise, const struct kl_planes *p, unsigned m,
                 int digits)
{
    memset(mask, 0, p->words * sizeof *mask);
    for (int d = digits - 1; d >= 0; d--) {
        const uint64_t *bits = noise + (size_t)d * p->words;
        const bool one = m >> (LEVELS - 1 - d) & 1;
        for (size_t w = 0; w < p->words; w++) mask[w] = one ? ~bits[w] | mask[w] : ~bits[w] & mask[w];
    }
    for (size_t w = 0; w < p->words; w++) mask[w] &= p->valid[w];
}

/* The stream behind what join() took, KL_LABELS_SPARE words at a time. */
struct spare {
    uint64_t *words, seed;
    size_t used; /* halves of words */
    uint32_t block, purpose, step, replica;
};

static uint32_t draw(struct spare *s)
{
    if (s->used == 2 * KL_LABELS_SPARE) {
        kl_kernels()->bit_noise(s->words, KL_LABELS_SPARE, s->seed, s->block, s->purpose, s->step,
                                s->replica);
        s->block += KL_LABELS_SPARE / 2;
        s->used = 0;
    }
    const size_t i = s->used++;
    return (uint32_t)(s->words[i / 2] >> (32 * (i % 2)));
}

/* Rows of one fold join or leave until there are `want`. Without branches on the row, since half of them
   are of the wrong kind. */
static void mend(uint64_t *mask, const uint64_t *valid, size_t words, size_t want, struct spare *s)
{
    uint32_t found;
    kl_kernels()->bit_counts(&found, mask, mask, words, 1, words);
    size_t size = found;
    const uint64_t leaves = size > want;
    while (size != want) {
        const size_t place = (size_t)((uint64_t)draw(s) * (words * 64) >> 32), w = place / 64;
        const uint64_t there = valid[w] >> (place % 64), held = mask[w] >> (place % 64);
        const uint64_t turns = there & ~(held ^ leaves) & 1;
        mask[w] ^= turns << (place % 64);
        size = leaves ? size - turns : size + turns;
    }
}

void kl_draw_labels(uint64_t *mask, uint64_t *noise, const struct kl_planes *p, uint64_t seed,
                    uint32_t purpose, uint32_t step, uint32_t replica)
{
    const double share = (double)p->rows_a / (double)p->rows;
    const int near = (int)(share * (1 << LEVELS) + 0.5), top = (1 << LEVELS) - 1;
    const unsigned m = (unsigned)(near < 1 ? 1 : near > top ? top : near);
    const int digits = LEVELS - __builtin_ctz(m);
    const size_t words = (size_t)digits * p->words;
    struct spare spare = { .words = noise + words,
                           .seed = seed,
                           .block = (uint32_t)(words + KL_LABELS_SPARE) / 2 + 1,
                           .purpose = purpose,
                           .step = step,
                           .replica = replica };
    kl_kernels()->bit_noise(noise, words + KL_LABELS_SPARE, seed, 0, purpose, step, replica);
    join(mask, noise, p, m, digits);
    for (size_t fold = 0; fold < KL_CROSSFIT_FOLDS; fold++) {
        const size_t from = fold * p->fold_words;
        mend(mask + from, p->valid + from, p->fold_words, p->first_of_fold[fold], &spare);
    }
}
