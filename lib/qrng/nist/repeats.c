/* SPDX-License-Identifier: MIT
   Repeats by a suffix array. Suffixes are ordered by their first seven symbols, then by twice as many
   in each round (Manber & Myers 1993, doi:10.1137/0222058); common prefixes of neighbours after Kasai et
   al. (2001, doi:10.1007/3-540-48194-X_17). */
#include <stdlib.h>

#include "qrng/nist/nist_int.h"

struct entry {
    uint64_t key;
    uint32_t at;
};

/* Stable, by the lowest `bits` bits of the keys; the result is in a. */
static void sort(struct entry *a, struct entry *b, size_t n, int bits)
{
    enum { DIGIT = 11 };
    for (int shift = 0; shift < bits; shift += 2 * DIGIT)
        for (int half = 0; half < 2; half++) {
            struct entry *from = half ? b : a, *to = half ? a : b;
            size_t starts[1 << DIGIT] = { 0 }, start = 0;
            const int by = shift + half * DIGIT;
            const uint64_t mask = by < 64 ? (1u << DIGIT) - 1 : 0;
            for (size_t i = 0; i < n; i++) starts[from[i].key >> (by & 63) & mask]++;
            for (size_t d = 0; d < 1u << DIGIT; d++) {
                const size_t count = starts[d];
                starts[d] = start;
                start += count;
            }
            for (size_t i = 0; i < n; i++) to[starts[from[i].key >> (by & 63) & mask]++] = from[i];
        }
}

/* rank [n]: how many suffixes are smaller, by the keys so far; returns whether all differ. */
static bool number(uint32_t *rank, const struct entry *a, size_t n)
{
    uint32_t last = 0;
    bool all = true;
    for (size_t i = 0; i < n; i++) {
        const bool same = i && a[i].key == a[i - 1].key;
        all = all && !same;
        if (!same) last = (uint32_t)i;
        rank[a[i].at] = last;
    }
    return all;
}

/* a [n], ordered; rank [n]; b [n] is workspace. */
static void order(struct entry *a, struct entry *b, uint32_t *rank, const uint8_t *s, size_t n)
{
    for (size_t i = 0; i < n; i++) { /* symbols from 1, so that an end is less than any */
        uint64_t key = 0;
        for (size_t j = 0; j < 7; j++) key = key << 9 | (i + j < n ? s[i + j] + 1u : 0);
        a[i] = (struct entry){ key, (uint32_t)i };
    }
    sort(a, b, n, 63);
    const int width = 64 - __builtin_clzll(n + 1);
    for (size_t length = 7; !number(rank, a, n) && length < n; length *= 2) {
        for (size_t i = 0; i < n; i++) {
            const uint64_t next = i + length < n ? rank[i + length] + 1u : 0;
            a[i] = (struct entry){ (uint64_t)rank[i] << width | next, (uint32_t)i };
        }
        sort(a, b, n, 2 * width);
    }
}

/* common [n]: symbols that suffix i of the order shares with suffix i - 1. */
static void prefixes(uint32_t *common, const struct entry *a, const uint32_t *rank, const uint8_t *s,
                     size_t n)
{
    size_t h = 0;
    common[0] = 0;
    for (size_t i = 0; i < n; i++) {
        if (!rank[i]) {
            h = 0;
            continue;
        }
        const size_t j = a[rank[i] - 1].at;
        while (i + h < n && j + h < n && s[i + h] == s[j + h]) h++;
        common[rank[i]] = (uint32_t)h;
        if (h) h--;
    }
}

/* common[at] is the least of those from left + 1 to i - 1: suffixes left .. i - 1 share so many symbols,
   and (at - left) (i - at) pairs of them share just so many. The stack holds what rises. */
static void tally(struct kl_repeats *r, const uint32_t *common, uint32_t *stack, size_t n)
{
    size_t depth = 0;
    for (size_t i = 0; i <= n; i++) {
        const uint32_t now = i < n ? common[i] : 0;
        while (depth && common[stack[depth - 1]] >= now) {
            const uint32_t at = stack[--depth], left = depth ? stack[depth - 1] : 0;
            const uint32_t length = common[at], wide = (uint32_t)i - left;
            if (wide > r->most[length]) r->most[length] = wide;
            r->pairs[length] += (uint64_t)(at - left) * (i - at);
        }
        if (i < n) stack[depth++] = (uint32_t)i;
    }
}

int kl_nist_repeats(struct kl_repeats *r, const uint8_t *s, size_t n, struct kl_error *err)
{
    const size_t bytes = n * (2 * sizeof(struct entry) + 3 * sizeof(uint32_t));
    int code = KL_OK;
    *r = (struct kl_repeats){ 0 };
    if (n > UINT32_MAX - 1)
        return kl_fail(err, KL_EUSAGE, "%zu symbols, expected at most %u for repeats", n,
                       UINT32_MAX - 1);
    struct entry *a = malloc(bytes);
    if (!a) return kl_fail_memory(err, bytes);
    uint32_t *rank = (uint32_t *)(a + 2 * n), *common = rank + n, *stack = common + n;
    order(a, a + n, rank, s, n);
    prefixes(common, a, rank, s, n);
    for (size_t i = 0; i < n; i++)
        if (common[i] > r->longest) r->longest = common[i];
    r->most = calloc(r->longest + 1, sizeof *r->most);
    r->pairs = calloc(r->longest + 1, sizeof *r->pairs);
    if (!r->most || !r->pairs) code = kl_fail_memory(err, (r->longest + 1) * sizeof *r->pairs);
    if (!code) {
        tally(r, common, stack, n);
        for (size_t i = r->longest; i-- > 1;) { /* what is shared at length i + 1 is at i */
            if (r->most[i + 1] > r->most[i]) r->most[i] = r->most[i + 1];
            r->pairs[i] += r->pairs[i + 1];
        }
        r->most[0] = (uint32_t)n;
        r->pairs[0] = (uint64_t)n * (n - 1) / 2;
    }
    free(a);
    if (code) kl_nist_repeats_free(r);
    return code;
}

void kl_nist_repeats_free(struct kl_repeats *r)
{
    free(r->most);
    free(r->pairs);
    *r = (struct kl_repeats){ 0 };
}
