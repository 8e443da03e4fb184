/* SPDX-License-Identifier: MIT
   The tables that bzip2 chooses for a block: up to six, made better in four rounds, each group of codes
   with the one that takes least. */
#include <string.h>

#include "qrng/nist/text_size_int.h"

enum { TABLES = 6, ROUNDS = 4, LONGEST = 17, NODES = 2 * KL_TEXT_CODES };

/* ---- lengths of a code ---- */

/* Nodes by weight, the lightest on top: in the upper 24 bits counts, in the lower 8 the height. */
struct heap {
    uint32_t weight[NODES];
    int at[NODES], n;
};

static void put(struct heap *h, int node)
{
    int i = ++h->n;
    for (; i > 1 && h->weight[node] < h->weight[h->at[i / 2]]; i /= 2) h->at[i] = h->at[i / 2];
    h->at[i] = node;
}

static int take(struct heap *h)
{
    const int top = h->at[1], moved = h->at[h->n--];
    int i = 1;
    for (int child; (child = 2 * i) <= h->n; i = child) {
        if (child < h->n && h->weight[h->at[child + 1]] < h->weight[h->at[child]]) child++;
        if (h->weight[moved] < h->weight[h->at[child]]) break;
        h->at[i] = h->at[child];
    }
    h->at[i] = moved;
    return top;
}

static uint32_t joined(uint32_t a, uint32_t b)
{
    const uint32_t height = (a & 255) > (b & 255) ? a & 255 : b & 255;
    return (a & ~255u) + (b & ~255u) + height + 1;
}

/* Huffman's; the order of equal weights, too, is bzip2's. No code of so few kinds is LONGEST. */
static void make_lengths(uint8_t *length, const uint32_t *counts, int kinds)
{
    struct heap h = { .n = 0 };
    int above[NODES] = { 0 }, nodes = kinds;
    for (int i = 1; i <= kinds; i++) {
        h.weight[i] = (counts[i - 1] ? counts[i - 1] : 1) << 8;
        put(&h, i);
    }
    while (h.n > 1) {
        const int one = take(&h), two = take(&h);
        above[one] = above[two] = ++nodes;
        h.weight[nodes] = joined(h.weight[one], h.weight[two]);
        put(&h, nodes);
    }
    for (int i = 1; i <= kinds; i++) {
        length[i - 1] = 0;
        for (int node = i; above[node]; node = above[node]) length[i - 1]++;
    }
}
_Static_assert((int)KL_TEXT_CODES <= (int)LONGEST, "a code may have to be shortened");

/* ---- tables ---- */

struct tables {
    int n, kinds;
    uint8_t length[TABLES][KL_TEXT_CODES];
    uint32_t used[TABLES][KL_TEXT_CODES]; /* what each is used for */
};

/* To begin with each table is for some kinds, about as frequent together as those of each other. */
static void begin(struct tables *t, const uint32_t *total, size_t codes)
{
    enum { CHEAP = 0, DEAR = 15 };
    int64_t rest = (int64_t)codes;
    for (int part = t->n, first = 0; part > 0; part--) {
        int64_t sum = 0;
        int last = first - 1;
        while (sum < rest / part && last < t->kinds - 1) sum += total[++last];
        if (last > first && part != t->n && part != 1 && (t->n - part) % 2 == 1) sum -= total[last--];
        for (int v = 0; v < t->kinds; v++)
            t->length[part - 1][v] = v >= first && v <= last ? CHEAP : DEAR;
        first = last + 1;
        rest -= sum;
    }
}

/* Of a code in all tables: its lengths in 16 bits each, so that the sums of all tables grow at once. No
   sum passes 50 codes of 17 bits. */
static void pack(uint64_t packed[KL_TEXT_CODES][2], const struct tables *t)
{
    for (int v = 0; v < t->kinds; v++) {
        packed[v][0] = packed[v][1] = 0;
        for (int i = 0; i < TABLES; i++) packed[v][i / 4] |= (uint64_t)t->length[i][v] << 16 * (i % 4);
    }
}

/* A table for each group, and from what they are used for better tables. */
static void choose(struct tables *t, uint8_t (*counts)[KL_TEXT_CODES], uint8_t *table, size_t groups)
{
    uint64_t packed[KL_TEXT_CODES][2];
    pack(packed, t);
    memset(t->used, 0, sizeof t->used);
    for (size_t g = 0; g < groups; g++) {
        uint64_t bits[2] = { 0, 0 };
        for (int v = 0; v < t->kinds; v++)
            bits[0] += counts[g][v] * packed[v][0], bits[1] += counts[g][v] * packed[v][1];
        unsigned least = UINT32_MAX, best = 0;
        for (int i = 0; i < t->n; i++) {
            const unsigned own = (unsigned)(bits[i / 4] >> 16 * (i % 4) & 0xffff);
            best = own < least ? (unsigned)i : best;
            least = own < least ? own : least;
        }
        table[g] = (uint8_t)best;
        for (int v = 0; v < KL_TEXT_CODES; v++) t->used[best][v] += counts[g][v];
    }
    for (int i = 0; i < t->n; i++) make_lengths(t->length[i], t->used[i], t->kinds);
}

/* Which table, by how long ago it was the last one. */
static uint64_t selector_bits(const uint8_t *table, size_t groups)
{
    uint8_t recent[TABLES] = { 0, 1, 2, 3, 4, 5 };
    uint64_t bits = 0;
    for (size_t g = 0; g < groups; g++) {
        int place = 0;
        while (recent[place] != table[g]) place++;
        memmove(recent + 1, recent, (size_t)place);
        recent[0] = table[g];
        bits += (uint64_t)place + 1;
    }
    return bits;
}

static uint64_t table_bits(const uint8_t *length, int kinds)
{
    uint64_t bits = 5;
    for (int v = 0; v < kinds; v++) {
        const int step = v ? length[v] - length[v - 1] : 0;
        bits += 1 + 2 * (uint64_t)(step < 0 ? -step : step);
    }
    return bits;
}

uint64_t kl_text_codes(uint8_t (*counts)[KL_TEXT_CODES], uint8_t *table, size_t codes, int kinds)
{
    const size_t groups = (codes + KL_TEXT_GROUP - 1) / KL_TEXT_GROUP;
    struct tables t = { .n = codes < 200    ? 2
                             : codes < 600  ? 3
                             : codes < 1200 ? 4
                             : codes < 2400 ? 5
                                            : 6,
                        .kinds = kinds };
    uint32_t total[KL_TEXT_CODES] = { 0 };
    for (size_t g = 0; g < groups; g++)
        for (int v = 0; v < KL_TEXT_CODES; v++) total[v] += counts[g][v];
    begin(&t, total, codes);
    for (int round = 0; round < ROUNDS; round++) choose(&t, counts, table, groups);
    uint64_t bits = 3 + 15 + selector_bits(table, groups);
    for (int i = 0; i < t.n; i++) bits += table_bits(t.length[i], kinds);
    for (int i = 0; i < t.n; i++)
        for (int v = 0; v < kinds; v++) bits += (uint64_t)t.used[i][v] * t.length[i][v];
    return bits;
}
