/* SPDX-License-Identifier: MIT
   Rotations by as many ranks as fit 32 bits, those alike by the next as many, and so on. */
#include "qrng/text_size_int.h"

enum { DEEPEST = 48, FEW = 12, MANY = 1024 };

struct order {
    const uint32_t *key;
    size_t m, step; /* ranks in a key */
    uint64_t *spare;
    size_t left; /* entries that may still be sorted again */
};

/* What is in b, stable, by the upper halves, to a. */
static void sort_many(uint64_t *a, uint64_t *b, size_t n)
{
    enum { DIGIT = 11, PASSES = 3 };
    size_t starts[PASSES][1 << DIGIT] = { { 0 } };
    for (size_t i = 0; i < n; i++)
        for (int p = 0; p < PASSES; p++) starts[p][b[i] >> (32 + p * DIGIT) & ((1 << DIGIT) - 1)]++;
    for (int p = 0; p < PASSES; p++) {
        size_t start = 0;
        for (size_t d = 0; d < 1 << DIGIT; d++) {
            const size_t count = starts[p][d];
            starts[p][d] = start;
            start += count;
        }
        for (size_t i = 0; i < n; i++)
            a[starts[p][b[i] >> (32 + p * DIGIT) & ((1 << DIGIT) - 1)]++] = b[i];
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

static uint32_t key_at(const struct order *o, uint64_t entry, size_t ahead)
{
    const size_t at = (uint32_t)entry + ahead;
    return o->key[at < o->m ? at : at - o->m];
}

/* Entries whose first `depth` keys are equal. */
static bool sort_alike(struct order *o, uint64_t *a, size_t n, int depth)
{
    const size_t ahead = (size_t)depth * o->step % o->m;
    if (depth == DEEPEST || n > o->left) return false;
    o->left -= n;
    uint64_t *const out = n > MANY ? o->spare : a;
    for (size_t i = 0; i < n; i++) out[i] = (uint64_t)key_at(o, a[i], ahead) << 32 | (uint32_t)a[i];
    if (n > MANY) sort_many(a, o->spare, n);
    else if (n > FEW) sort_some(a, n);
    else
        for (size_t i = 1; i < n; i++) {
            const uint64_t kept = a[i];
            size_t j = i;
            for (; j && a[j - 1] > kept; j--) a[j] = a[j - 1];
            a[j] = kept;
        }
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && a[end] >> 32 == a[i] >> 32;) end++;
        if (end - i > 1 && !sort_alike(o, a + i, end - i, depth + 1)) return false;
    }
    return true;
}

bool kl_text_order(uint64_t *a, uint64_t *b, uint32_t *key, const uint16_t *rank, size_t m, size_t k)
{
    struct order o = { .key = key, .m = m, .spare = b, .left = 12 * m };
    uint64_t most = 1;
    if (k < 2) return false;
    for (; o.step < m && most * k <= UINT32_MAX; most *= k) o.step++;
    most /= k; /* weight of a key's first rank */
    uint64_t first = 0;
    for (size_t i = 0; i < o.step; i++) first = first * k + rank[i];
    for (size_t i = 0, next = o.step % m; i < m; i++, next = next + 1 < m ? next + 1 : 0) {
        key[i] = (uint32_t)first;
        first = (first - rank[i] * most) * k + rank[next];
        a[i] = i;
    }
    return sort_alike(&o, a, m, 0);
}
