/* SPDX-License-Identifier: MIT
   Blocks of a text as bzip2 cuts it, and their words: the digits between two spaces, with the space
   behind them, so that no word begins another. */
#include <stdlib.h>

#include "qrng/nist/text_size_int.h"

static int digits(uint8_t value)
{
    return value < 10 ? 1 : value < 100 ? 2 : 3;
}

static uint64_t append(uint64_t word, int *length, uint8_t character)
{
    return word | (uint64_t)character << (56 - 8 * (*length)++);
}

/* Digits `from` to `to` of a value join a word. */
static uint64_t append_digits(uint64_t word, int *length, uint8_t value, int from, int to)
{
    const uint8_t decimal[3] = { value / 100, value / 10 % 10, value % 10 };
    for (int d = from; d < to; d++)
        word = append(word, length, (uint8_t)('0' + decimal[3 - digits(value) + d]));
    return word;
}

static uint64_t word_of(uint8_t value)
{
    int length = 0;
    const uint64_t word = append_digits(0, &length, value, 0, digits(value));
    return append(word, &length, ' ');
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

int kl_text_sort_unique(uint64_t *a, int n)
{
    int kept = 0;
    qsort(a, (size_t)n, sizeof *a, compare);
    for (int i = 0; i < n; i++)
        if (!i || a[i] != a[i - 1]) a[kept++] = a[i];
    return kept;
}

int kl_text_find(const uint64_t *a, int n, uint64_t wanted)
{
    int low = 0;
    for (int high = n - 1; low < high;) {
        const int middle = (low + high) / 2;
        if (a[middle] < wanted) low = middle + 1;
        else high = middle;
    }
    return low;
}

struct kl_text_place kl_text_end(struct kl_text_block *b, const uint8_t *s, size_t n,
                                 struct kl_text_place p)
{
    b->n_bytes = 0;
    while (p.i < n && b->n_bytes < KL_TEXT_BLOCK) {
        const int end = digits(s[p.i]) + (p.i + 1 < n);
        if (p.at == 0 && b->n_bytes + 4 < KL_TEXT_BLOCK) {
            b->n_bytes += (size_t)end;
            p = (struct kl_text_place){ p.i + 1, 0 };
            continue;
        }
        int run = 1;
        const uint64_t word = word_of(s[p.i]) << 8 * p.at;
        while (p.at + run < end && (word >> (56 - 8 * run) & 255) == word >> 56) run++;
        b->n_bytes += (size_t)run;
        p.at += run;
        if (p.at == end) p = (struct kl_text_place){ p.i + 1, 0 };
    }
    if (p.i + 1 != n || digits(s[p.i]) - p.at != 1) return p;
    b->n_bytes++;
    return (struct kl_text_place){ n, 0 };
}

bool kl_text_words(struct kl_text_block *b, const uint8_t *s, size_t n, struct kl_text_place from,
                   struct kl_text_place to)
{
    size_t first = from.i + (from.at > 0), end = to.i;
    bool seen[256] = { false };
    uint64_t odd = 0;
    int length = 0;
    if (end == n) to.at = digits(s[--end]); /* no space follows */
    const bool split = from.at || to.at;
    if (first > end || (first == end && !from.at)) return false;
    odd = append_digits(odd, &length, s[end], 0, to.at);
    if (from.at) odd = append_digits(odd, &length, s[from.i], from.at, digits(s[from.i]));
    else if (split) odd = append_digits(odd, &length, s[first], 0, digits(s[first])), first++;
    odd = append(odd, &length, ' ');
    for (size_t i = first; i < end; i++) seen[s[i]] = true;
    b->k = 0;
    for (int v = 0; v < 256; v++)
        if (seen[v]) b->text[b->k++] = word_of((uint8_t)v);
    const int ordinary = b->k;
    if (split) b->text[b->k++] = odd;
    b->k = kl_text_sort_unique(b->text, b->k);
    for (int v = 0; v < 256; v++)
        if (seen[v]) b->value_rank[v] = (uint16_t)kl_text_find(b->text, b->k, word_of((uint8_t)v));
    b->m = 0;
    for (size_t i = first; i < end; i++) b->rank[b->m++] = b->value_rank[s[i]];
    if (split) b->rank[b->m++] = (uint16_t)kl_text_find(b->text, b->k, odd);
    b->odd = b->k > ordinary ? b->rank[b->m - 1] : KL_TEXT_WORDS;
    return true;
}
