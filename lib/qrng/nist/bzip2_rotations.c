/* SPDX-License-Identifier: MIT
   The order of the rotations of a block of bzip2's, of words of digits. */
#include "qrng/nist/nist_int.h"

#include <string.h>

/* By keys of as many words as fit 24 bits; those alike by the next as many, and so on. Keys are made
   for a block as it mostly is, of ordinary words and one odd one, where it begins and ends: ordinary
   words alone are counted in the bits of a key. */

enum {
    DEEPEST = 48,
    FEW = 12,
    MANY = 1024,
    BITS = 24, /* of a key's ordinary words; below them TAG bits */
    TOP = 10,
    MIDDLE = 8,
    TAG = 5,
    ORDINARY = (1 << TAG) - 1, /* no odd word is within a key's words; those that have one come before */
    PLACE = (1 << KL_TEXT_PLACE_BITS) - 1
};

struct order {
    const struct kl_text_block *b;
    size_t step; /* words in a key */
    size_t left; /* entries that may still be sorted again */
};

/* ---- keys ---- */

/* A word's number among the ordinary ones. */
static uint32_t number_of(const struct kl_text_block *b, size_t at)
{
    return b->rank[at] - (uint32_t)(b->rank[at] > b->odd);
}

/* A rotation whose odd word is the t-th lies just before the first one with ordinary words that is
   larger. Of several there the one whose odd word comes first is the least, unless odd words are larger
   than all others. */
static void make_odd_keys(const struct order *o, int width)
{
    const struct kl_text_block *b = o->b;
    const uint32_t among = b->odd;
    for (size_t t = 0; t < o->step; t++) {
        const size_t from = b->m - 1 - t;
        uint32_t next = 0;
        for (size_t i = 0; i < t; i++) next = next << width | number_of(b, from + i);
        next = ((next << width) + among) << width * (int)(o->step - 1 - t);
        b->key[from] = next << TAG | (uint32_t)(among ? o->step - t : t);
    }
}

/* key [m]. */
static void make_keys(const struct order *o, int width)
{
    const struct kl_text_block *b = o->b;
    const uint32_t mask = ((uint32_t)1 << width * (int)o->step) - 1;
    uint32_t key = 0;
    for (size_t i = 0; i < o->step; i++) key = key << width | number_of(b, i);
    for (size_t i = 0, next = o->step % b->m; i < b->m; i++, next = next + 1 < b->m ? next + 1 : 0) {
        b->key[i] = key << TAG | ORDINARY;
        key = (key << width | number_of(b, next)) & mask;
    }
    if (b->odd < KL_TEXT_WORDS) make_odd_keys(o, width);
}

/* ---- entries: a key, what precedes the place, the place ---- */

static void put_in_order(uint64_t *a, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const uint64_t kept = a[i];
        size_t j = i;
        for (; j && a[j - 1] > kept; j--) a[j] = a[j - 1];
        a[j] = kept;
    }
}

/* Sort b into a by the upper halves, stably. */
static void sort_many(uint64_t *a, uint64_t *b, size_t n)
{
    enum { WIDE = 11, PASSES = 3 };
    size_t starts[PASSES][1 << WIDE] = { { 0 } };
    for (size_t i = 0; i < n; i++)
        for (int p = 0; p < PASSES; p++) starts[p][b[i] >> (32 + p * WIDE) & ((1 << WIDE) - 1)]++;
    for (int p = 0; p < PASSES; p++) {
        size_t start = 0;
        for (size_t d = 0; d < 1 << WIDE; d++) {
            const size_t count = starts[p][d];
            starts[p][d] = start;
            start += count;
        }
        for (size_t i = 0; i < n; i++)
            a[starts[p][b[i] >> (32 + p * WIDE) & ((1 << WIDE) - 1)]++] = b[i];
        uint64_t *const other = a; /* an odd number of passes ends where it should */
        a = b;
        b = other;
    }
}

/* Shell's. */
static void sort_some(uint64_t *a, size_t n)
{
    static const size_t gaps[] = { 301, 132, 57, 23, 10, 4, 1 };
    for (int g = 0; g < 7; g++)
        for (size_t gap = gaps[g], i = gap; i < n; i++) {
            const uint64_t kept = a[i];
            size_t j = i;
            for (; j >= gap && a[j - gap] > kept; j -= gap) a[j] = a[j - gap];
            a[j] = kept;
        }
}

/* Sort b into a. */
static void sort(uint64_t *a, uint64_t *b, size_t n)
{
    if (n > MANY) {
        sort_many(a, b, n);
        return;
    }
    memcpy(a, b, n * sizeof *a);
    if (n > FEW) sort_some(a, n);
    else put_in_order(a, n);
}

/* ---- all entries, by their own keys ---- */

/* Counts to where each begins. */
static void add_up(uint32_t *counts, size_t n, uint32_t start)
{
    for (size_t d = 0; d < n; d++) {
        const uint32_t count = counts[d];
        counts[d] = start;
        start += count;
    }
}

/* Entries of one upper digit, from b to a, by the middle digit; what is left is near its place. */
static void sort_part(uint64_t *a, uint64_t *b, size_t n)
{
    enum { DOWN = 32 + TAG + BITS - TOP - MIDDLE, MASK = (1 << MIDDLE) - 1 };
    uint32_t ends[1 << MIDDLE] = { 0 }, most = 0;
    if (n <= 1 << (MIDDLE - 2)) {
        sort(a, b, n);
        return;
    }
    for (size_t i = 0; i < n; i++) ends[b[i] >> DOWN & MASK]++;
    for (size_t d = 0; d <= MASK; d++) most = ends[d] > most ? ends[d] : most;
    if (most > 2 * FEW) {
        sort(a, b, n);
        return;
    }
    add_up(ends, 1 << MIDDLE, 0);
    for (size_t i = 0; i < n; i++) a[ends[b[i] >> DOWN & MASK]++] = b[i];
    put_in_order(a, n);
}

static void sort_all(const struct order *o, int width)
{
    enum { DOWN = TAG + BITS - TOP, PARTS = (1 << TOP) + 1 };
    const struct kl_text_block *b = o->b;
    uint32_t ends[PARTS] = { 0 };
    make_keys(o, width);
    for (size_t i = 0; i < b->m; i++) ends[b->key[i] >> DOWN]++;
    add_up(ends, PARTS, 0);
    for (size_t i = 0, before = b->rank[b->m - 1]; i < b->m; i++) {
        b->b[ends[b->key[i] >> DOWN]++] =
            (uint64_t)b->key[i] << 32 | (uint64_t)before << KL_TEXT_PLACE_BITS | i;
        before = b->rank[i];
    }
    for (size_t d = 0, start = 0; d < PARTS; start = ends[d++])
        sort_part(b->a + start, b->b + start, ends[d] - start);
}

/* ---- entries alike, by keys further on ---- */

static bool sort_alike(struct order *o, uint64_t *a, size_t n, int depth);

/* Entries in the order of their keys: those alike are sorted again. */
static bool sort_again(struct order *o, uint64_t *a, size_t n, int depth)
{
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && a[end] >> 32 == a[i] >> 32;) end++;
        if (end - i > 1 && !sort_alike(o, a + i, end - i, depth)) return false;
    }
    return true;
}

/* Entries whose first `depth` keys are equal. */
static bool sort_alike(struct order *o, uint64_t *a, size_t n, int depth)
{
    const struct kl_text_block *b = o->b;
    const size_t ahead = (size_t)depth * o->step % b->m;
    if (depth == DEEPEST || n > o->left) return false;
    o->left -= n;
    for (size_t i = 0; i < n; i++) {
        const size_t at = (a[i] & PLACE) + ahead;
        b->b[i] = (uint64_t)b->key[at < b->m ? at : at - b->m] << 32 | (uint32_t)a[i];
    }
    sort(a, b->b, n);
    return sort_again(o, a, n, depth + 1);
}

bool kl_nist_bzip2_order(struct kl_text_block *b)
{
    struct order o = { .b = b, .left = 12 * b->m };
    const int words = b->k - (b->odd < KL_TEXT_WORDS);
    int width = 1;
    if (words < 2) return false;
    while (1 << width < words) width++;
    o.step = (size_t)(BITS / width) < b->m ? (size_t)(BITS / width) : b->m;
    sort_all(&o, width);
    return sort_again(&o, b->a, b->m, 1);
}
