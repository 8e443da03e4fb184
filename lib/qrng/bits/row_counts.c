/* SPDX-License-Identifier: MIT
   The counts of one row, 64 bits at a time. */
#include <string.h>

#include "qrng/bits/statistics.h"

static inline uint32_t ones_of(uint64_t w)
{
    return (uint32_t)__builtin_popcountll(w);
}

/* The word of a row moved down by k < 64 bits. */
static inline uint64_t ahead(const uint64_t *row, size_t w, size_t words, int k)
{
    return row[w] >> k | (w + 1 < words ? row[w + 1] << (64 - k) : 0);
}

/* Bits below n of word w. */
static inline uint64_t below(size_t w, size_t n)
{
    return n >= 64 * (w + 1) ? UINT64_MAX : n <= 64 * w ? 0 : UINT64_MAX >> (64 * (w + 1) - n);
}

/* work[w]: places whose bit is that of the next one. */
static void count_steps(struct kl_row_counts *c, const uint64_t *row, size_t n, const uint64_t *inside,
                        uint64_t *same)
{
    const size_t words = (n + 63) / 64;
    uint32_t in[3] = { 0 };
    for (size_t w = 0; w < words; w++) {
        const uint64_t x = row[w], y = ahead(row, w, words, 1), mask = below(w, n - 1);
        const uint64_t up = ~x & y & mask, down = x & ~y & mask, high = x & y & mask;
        same[w] = ~(x ^ y) & mask;
        c->ones += ones_of(x);
        c->transitions[1] += ones_of(up);
        c->transitions[2] += ones_of(down);
        c->transitions[3] += ones_of(high);
        in[0] += ones_of(up & inside[w]);
        in[1] += ones_of(down & inside[w]);
        in[2] += ones_of(high & inside[w]);
        c->inside[0] += ones_of(~x & ~y & mask & inside[w]);
    }
    c->transitions[0] = (uint32_t)(n - 1) - c->transitions[1] - c->transitions[2] - c->transitions[3];
    memcpy(c->inside + 1, in, sizeof in);
}

static void count_lags(struct kl_row_counts *c, const uint64_t *row, size_t n)
{
    const size_t words = (n + 63) / 64;
    uint32_t first = 0, last = 0; /* ones among the first and the last k */
    for (int k = 1; k <= KL_LAGS && (size_t)k < n; k++) {
        uint32_t both = 0;
        for (size_t w = 0; w < words; w++) both += ones_of(row[w] & ahead(row, w, words, k));
        first += (uint32_t)(row[(size_t)(k - 1) / 64] >> (k - 1) % 64 & 1);
        last += (uint32_t)(row[(n - (size_t)k) / 64] >> (n - (size_t)k) % 64 & 1);
        c->both[k - 1] = both;
        c->head[k - 1] = c->ones - last;
        c->tail[k - 1] = c->ones - first;
    }
}

/* begins: first places of runs of length bits and more, which thin out as length grows; same moves down
   with it. */
static void count_runs(struct kl_row_counts *c, size_t n, uint64_t *same, uint64_t *begins)
{
    const size_t words = (n + 63) / 64;
    uint32_t longer = c->transitions[1] + c->transitions[2] + 1;
    for (size_t w = 0; w < words; w++)
        begins[w] = ~(same[w] << 1 | (w ? same[w - 1] >> 63 : 0)) & below(w, n);
    for (int length = 1; length < KL_RUN_LENGTHS && longer; length++) {
        uint32_t left = 0;
        for (size_t w = 0; w < words; w++) {
            begins[w] &= same[w];
            left += ones_of(begins[w]);
            same[w] = ahead(same, w, words, 1);
        }
        c->runs[length - 1] = longer - left;
        longer = left;
    }
    c->runs[KL_RUN_LENGTHS - 1] = longer;
}

void kl_row_count(struct kl_row_counts *counts, const uint64_t *row, size_t n, const uint64_t *inside,
                  uint64_t *work)
{
    memset(counts, 0, sizeof *counts);
    count_steps(counts, row, n, inside, work);
    count_lags(counts, row, n);
    count_runs(counts, n, work, work + (n + 63) / 64);
}
