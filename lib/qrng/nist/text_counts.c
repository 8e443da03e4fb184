/* SPDX-License-Identifier: MIT
   A run of equal characters is one code, how long ago that character was the last one, and for the rest
   the digits of its length. */
#include <string.h>

#include "qrng/nist/text_size_int.h"

/* The codes of a run's length: its digits 1 and 2, the lowest first. */
struct digits {
    uint8_t n, each[2];
};
enum { SHORT = 64 };

static struct digits digits_of(size_t run)
{
    struct digits d = { 0 };
    for (; run; run = (run - 1) / 2) d.n++, d.each[run % 2 == 0]++;
    return d;
}

static void count_code(struct kl_text_block *b, int code)
{
    b->counts[b->codes++ / KL_TEXT_GROUP][code]++;
}

static void count_run(struct kl_text_block *b, size_t run)
{
    for (; run; run = (run - 1) / 2) count_code(b, run % 2 == 0);
}

/* A run, then a code: at once where both are in one group. */
static inline void count(struct kl_text_block *b, const struct digits *table, size_t run, int code)
{
    const size_t group = b->codes / KL_TEXT_GROUP, used = b->codes - group * KL_TEXT_GROUP;
    if (run >= SHORT || used + table[run].n >= KL_TEXT_GROUP) {
        count_run(b, run);
        count_code(b, code);
        return;
    }
    uint8_t *counts = b->counts[group];
    counts[0] += table[run].each[0];
    counts[1] += table[run].each[1];
    counts[code]++;
    b->codes += table[run].n + 1u;
}

/* How many of the n characters, at least one, are equal to the first. */
static inline size_t equal(const uint8_t *c, size_t n)
{
    size_t length = 0;
    for (uint64_t eight, off; length < n; length += 8) {
        memcpy(&eight, c + length, 8);
        if ((off = eight ^ c[0] * 0x0101010101010101u) == 0) continue;
        length += (size_t)__builtin_ctzll(off) / 8;
        break;
    }
    return length < n ? length : n;
}

/* Which characters there are, in order. */
static int number_characters(uint8_t number[KL_TEXT_CHARS], const struct kl_text_block *b)
{
    uint32_t used = 0;
    int n = 0;
    for (int r = 0; r < b->k; r++)
        for (int j = 0; j <= kl_text_length(b->text[r]); j++) used |= 1u << kl_text_code(b->text[r], j);
    for (int c = 0; c < KL_TEXT_CHARS; c++)
        if (used >> c & 1) number[c] = (uint8_t)n++;
    return n;
}

/* The characters seen last are in four bits each, the latest lowest. */
int kl_text_count_codes(struct kl_text_block *b)
{
    static const uint64_t ones = 0x1111111111111111;
    struct digits table[SHORT];
    uint64_t recent = UINT64_MAX;
    uint8_t number[KL_TEXT_CHARS];
    const int n = number_characters(number, b);
    size_t run = 0;
    for (size_t i = 0; i < SHORT; i++) table[i] = digits_of(i);
    for (int i = n; i-- > 0;) recent = recent << 4 | (uint64_t)i;
    memset(b->counts, 0, (b->n_bytes / KL_TEXT_GROUP + 2) * sizeof *b->counts);
    b->codes = 0;
    for (size_t i = 0, length; i < b->n_bytes; i += length) {
        const uint64_t c = number[b->last[i]], off = recent ^ c * ones;
        length = equal(b->last + i, b->n_bytes - i);
        if ((recent & 15) == c) { /* the first characters alone: later runs end where another begins */
            run = length;
            continue;
        }
        const int place = __builtin_ctzll((off - ones) & ~off & ones << 3) / 4;
        const uint64_t newer = ((uint64_t)1 << 4 * place) - 1;
        recent = (recent & ~(newer << 4 | 15)) | (recent & newer) << 4 | c;
        count(b, table, run, place + 1);
        run = length - 1;
    }
    count_run(b, run);
    count_code(b, n + 1); /* the end */
    return n + 2;
}
