/* SPDX-License-Identifier: MIT
   Counts of a row, 64 bits at a time, against a loop over its bits: every length up to several words,
   rows of chance and of long runs. */
#include "qrng/bits/bits_int.h"

#include <stdlib.h>
#include <string.h>

#include "../check.h"

enum { MOST = 330, WORDS = (MOST + 63) / 64 };

static unsigned long long state = 88172645463325252ull;
static unsigned draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 33);
}

static void slow(struct kl_row_counts *c, const int *b, size_t n, int w)
{
    size_t run = 1;
    memset(c, 0, sizeof *c);
    for (size_t j = 0; j < n; j++) {
        c->ones += (unsigned)b[j];
        for (size_t k = 1; k <= KL_LAGS && k < n; k++) {
            c->head[k - 1] += j + k < n ? (unsigned)b[j] : 0;
            c->tail[k - 1] += j >= k ? (unsigned)b[j] : 0;
            c->both[k - 1] += j + k < n ? (unsigned)(b[j] & b[j + k]) : 0;
        }
        if (j + 1 == n || b[j] != b[j + 1]) {
            c->runs[(run < KL_RUN_LENGTHS ? run : KL_RUN_LENGTHS) - 1]++;
            run = 0;
        }
        run++;
        if (j + 1 == n) break;
        c->transitions[2 * b[j] + b[j + 1]]++;
        if (j % (size_t)w != (size_t)w - 1) c->inside[2 * b[j] + b[j + 1]]++;
    }
}

/* stay: of 8, how often a bit is that before it. */
static void check(size_t n, int w, unsigned stay)
{
    int bits[MOST];
    uint64_t row[WORDS] = { 0 }, inside[WORDS] = { 0 }, work[2 * WORDS];
    struct kl_row_counts found, expected;
    for (size_t j = 0; j < n; j++) {
        bits[j] = j && draw() % 8 < stay ? bits[j - 1] : (int)(draw() % 2);
        row[j / 64] |= (uint64_t)bits[j] << j % 64;
        if (j % (size_t)w != (size_t)w - 1) inside[j / 64] |= (uint64_t)1 << j % 64;
    }
    memset(work, 255, sizeof work);
    kl_bits_row_counts(&found, row, n, inside, work);
    slow(&expected, bits, n, w);
    CHECK(memcmp(&found, &expected, sizeof found) == 0, "%zu bits, symbols of %d, stay %u", n, w, stay);
}

int main(void)
{
    for (size_t n = 1; n <= MOST; n++)
        for (int w = 1; w <= KL_BITS_SYMBOL; w++)
            for (unsigned stay = 0; stay <= 8; stay += 2) check(n, w, stay);
    return failures != 0;
}
