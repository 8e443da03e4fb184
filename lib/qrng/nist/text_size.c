/* SPDX-License-Identifier: MIT
   What the last characters of a block's ordered rotations come to: since no word begins another,
   rotations that begin with the same end of a word are in the order of the words after it. */
#include "qrng/nist/text_size.h"

#include <bzlib.h>
#include <stdlib.h>
#include <string.h>

#include "qrng/nist/text_size_int.h"

/* What there is room for: the most bytes and words of a block of n symbols. */
static size_t most_bytes(size_t n)
{
    return 4 * n < KL_TEXT_BLOCK ? 4 * n : KL_TEXT_BLOCK + 4;
}

static size_t most_words(size_t n)
{
    const size_t words = (KL_TEXT_BLOCK + 4) / 2 + 2;
    return n + 1 < words ? n + 1 : words;
}

size_t kl_text_size_work(size_t n)
{
    const size_t groups = most_bytes(n) / KL_TEXT_GROUP + 2;
    return most_words(n) * (2 * sizeof(uint64_t) + sizeof(uint32_t) + sizeof(uint16_t)) + most_bytes(n) +
           KL_TEXT_SPARE + groups * (KL_TEXT_CODES + 1);
}

static void take_room(struct kl_text_block *b, void *work, size_t n)
{
    const size_t words = most_words(n);
    b->a = work;
    b->b = b->a + words;
    b->key = (uint32_t *)(b->b + words);
    b->rank = (uint16_t *)(b->key + words);
    b->last = (uint8_t *)(b->rank + words);
    b->table = b->last + most_bytes(n) + KL_TEXT_SPARE;
    b->counts = (uint8_t(*)[KL_TEXT_CODES])(b->table + most_bytes(n) / KL_TEXT_GROUP + 2);
}

/* ---- the last characters of the rotations, in order ---- */

static int rank_before(uint64_t entry)
{
    return (int)(entry >> KL_TEXT_PLACE_BITS & ((1 << KL_TEXT_RANK_BITS) - 1));
}

/* Ends of words, in order; each has its part of `last`. before: the character before an end. That before
   a whole word is a space. The first part is that of the space alone, which every word ends with. */
static void last_characters(struct kl_text_block *b)
{
    uint64_t ends[KL_TEXT_WORDS * KL_TEXT_LENGTH];
    size_t next[KL_TEXT_WORDS * KL_TEXT_LENGTH] = { 0 }, start = 0, counts[KL_TEXT_WORDS] = { 0 };
    uint16_t end_of[KL_TEXT_WORDS][KL_TEXT_LENGTH];
    uint8_t before[KL_TEXT_WORDS][KL_TEXT_LENGTH], final[1 << KL_TEXT_RANK_BITS] = { 0 };
    int n = 0, length[KL_TEXT_WORDS], longest = 0;
    for (int r = 0; r < b->k; r++) {
        length[r] = kl_text_length(b->text[r]);
        for (int j = 0; j <= length[r]; j++) {
            ends[n++] = b->text[r] << 8 * j;
            before[r][j] = j ? kl_text_code(b->text[r], j - 1) : 0;
        }
        final[r] = before[r][length[r]];
        if (length[r] > longest) longest = length[r];
    }
    n = kl_text_sort_unique(ends, n);
    for (size_t i = 0; i < b->m; i++) counts[b->rank[i]]++;
    for (int r = 0; r < b->k; r++)
        for (int j = 0; j <= length[r]; j++) {
            end_of[r][j] = (uint16_t)kl_text_find(ends, n, b->text[r] << 8 * j);
            next[end_of[r][j]] += counts[r];
        }
    for (int e = 0; e < n; e++) {
        const size_t count = next[e];
        next[e] = start;
        start += count;
    }
    for (size_t i = 0; i < b->m; i++) b->last[i] = final[rank_before(b->a[i])];
    memset(b->last + b->m, 0, b->n_bytes - b->m + KL_TEXT_SPARE);
    for (size_t i = 0; longest > 1 && i < b->m; i++) {
        const int r = rank_before(b->a[i]);
        for (int j = 0; j < length[r]; j++) b->last[next[end_of[r][j]]++] = before[r][j];
    }
}

/* ---- all blocks ---- */

int kl_text_size_packed(double *bytes, const uint8_t *s, size_t n, struct kl_error *err)
{
    const size_t room = 4 * n + 4 * n + n / 25 + 601;
    char *text = malloc(room), *at = text;
    if (!text) return kl_fail_memory(err, room);
    for (size_t i = 0; i < n; i++) {
        if (i) *at++ = ' ';
        if (s[i] >= 100) *at++ = (char)('0' + s[i] / 100);
        if (s[i] >= 10) *at++ = (char)('0' + s[i] / 10 % 10);
        *at++ = (char)('0' + s[i] % 10);
    }
    const size_t size = (size_t)(at - text);
    unsigned packed = (unsigned)(room - 4 * n);
    const int code = BZ2_bzBuffToBuffCompress(text + 4 * n, &packed, text, (unsigned)size, 5, 0, 0);
    free(text);
    if (code != BZ_OK) return kl_fail_memory(err, 4 << 20);
    *bytes = packed;
    return KL_OK;
}

int kl_text_size(double *bytes, const uint8_t *s, size_t n, void *work, struct kl_error *err)
{
    /* The file's head and end; a block's mark, checksum, place and which characters it has. */
    enum { ENDS = 32 + 48 + 32, HEAD = 48 + 32 + 1 + 24 + 16 + 2 * 16 };
    struct kl_text_block b;
    struct kl_text_place from = { 0, 0 };
    uint64_t bits = ENDS;
    take_room(&b, work, n);
    while (from.i < n) {
        const struct kl_text_place to = kl_text_end(&b, s, n, from);
        if (!kl_text_words(&b, s, n, from, to) || !kl_text_order(&b))
            return kl_text_size_packed(bytes, s, n, err);
        last_characters(&b);
        const int kinds = kl_text_count_codes(&b);
        bits += HEAD + kl_text_codes(b.counts, b.table, b.codes, kinds);
        from = to;
    }
    *bytes = (double)((bits + 7) / 8);
    return KL_OK;
}
