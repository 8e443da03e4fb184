/* SPDX-License-Identifier: MIT
   A random subset of a given size without a permutation: every row joins with a probability near
   want / rows, independently, then rows that are drawn anew join or leave until the size is right. Given
   its size the first set is any of that size with equal probability, and stays so when a row taken at
   random leaves or joins. */
#include <string.h>

#include "kernels/select.h"
#include "qrng/planes.h"

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
}

static size_t size_of(uint64_t *mask, const struct kl_planes *p)
{
    uint32_t size;
    for (size_t w = 0; w < p->words; w++) mask[w] &= p->valid[w];
    kl_kernels()->bit_counts(&size, mask, mask, p->words, 1, p->words);
    return size;
}

/* Rows of `drawn` (two in each of n words) join or leave until there are `want`. Without branches, since
   half the rows are of the wrong kind. */
static size_t mend(uint64_t *mask, const struct kl_planes *p, const uint64_t *drawn, size_t n,
                   size_t size, size_t want)
{
    const uint64_t leaves = size > want;
    for (size_t i = 0; i < 2 * n && size != want; i++) {
        const uint32_t u = (uint32_t)(drawn[i / 2] >> (32 * (i % 2)));
        const size_t place = (size_t)((uint64_t)u * (p->words * 64) >> 32), w = place / 64;
        const uint64_t valid = p->valid[w] >> (place % 64), held = mask[w] >> (place % 64);
        const uint64_t turns = valid & ~(held ^ leaves) & 1;
        mask[w] ^= turns << (place % 64);
        size = leaves ? size - turns : size + turns;
    }
    return size;
}

void kl_draw_subset(uint64_t *mask, uint64_t *noise, const struct kl_planes *p, size_t want,
                    uint64_t seed, uint32_t purpose, uint32_t step, uint32_t replica)
{
    const double share = (double)want / (double)p->rows;
    const int near = (int)(share * (1 << LEVELS) + 0.5), top = (1 << LEVELS) - 1;
    const unsigned m = (unsigned)(near < 1 ? 1 : near > top ? top : near);
    const int digits = LEVELS - __builtin_ctz(m);
    const size_t words = (size_t)digits * p->words;
    kl_kernels()->bit_noise(noise, words + KL_SUBSET_SPARE, seed, 0, purpose, step, replica);
    join(mask, noise, p, m, digits);
    size_t size = mend(mask, p, noise + words, KL_SUBSET_SPARE, size_of(mask, p), want);
    uint32_t index = (uint32_t)(words + KL_SUBSET_SPARE) / 2 + 1;
    for (; size != want; index += KL_SUBSET_SPARE / 2) {
        kl_kernels()->bit_noise(noise, KL_SUBSET_SPARE, seed, index, purpose, step, replica);
        size = mend(mask, p, noise, KL_SUBSET_SPARE, size, want);
    }
}
