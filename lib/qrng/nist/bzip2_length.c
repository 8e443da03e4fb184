/* SPDX-License-Identifier: MIT
   The length that bzip2 packs a text of symbols to, which SP 800-90B, section 5.1.11, asks for,
   without packing it. */
#include "qrng/nist/nist_int.h"

#include <bzlib.h>
#include <stdlib.h>
#include <string.h>

/* ---- blocks and their words ---- */
/* Blocks of a text as bzip2 cuts it, and their words: the digits between two spaces, with the space
   behind them, so that no word begins another. */

/* A place in the text: character `at` of symbol i, behind the digits the space. */
struct place {
    size_t i;
    int at;
};

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

/* In order, each once; how many are left. */
static int sort_unique(uint64_t *a, int n)
{
    int kept = 0;
    qsort(a, (size_t)n, sizeof *a, compare);
    for (int i = 0; i < n; i++)
        if (!i || a[i] != a[i - 1]) a[kept++] = a[i];
    return kept;
}

/* The place of a word that is among them. */
static int find_word(const uint64_t *a, int n, uint64_t wanted)
{
    int low = 0;
    for (int high = n - 1; low < high;) {
        const int middle = (low + high) / 2;
        if (a[middle] < wanted) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Find the end of the block from p; n_bytes is set. Runs of equal digits are never cut, and a last
   character alone is no block. */
static struct place block_end(struct kl_text_block *b, const uint8_t *s, size_t n, struct place p)
{
    b->n_bytes = 0;
    while (p.i < n && b->n_bytes < KL_TEXT_BLOCK) {
        const int end = digits(s[p.i]) + (p.i + 1 < n);
        if (p.at == 0 && b->n_bytes + 4 < KL_TEXT_BLOCK) {
            b->n_bytes += (size_t)end;
            p = (struct place){ p.i + 1, 0 };
            continue;
        }
        int run = 1;
        const uint64_t word = word_of(s[p.i]) << 8 * p.at;
        while (p.at + run < end && (word >> (56 - 8 * run) & 255) == word >> 56) run++;
        b->n_bytes += (size_t)run;
        p.at += run;
        if (p.at == end) p = (struct place){ p.i + 1, 0 };
    }
    if (p.i + 1 != n || digits(s[p.i]) - p.at != 1) return p;
    b->n_bytes++;
    return (struct place){ n, 0 };
}

/* The block's words, in a circle; what it ends and begins with is one word. False: there is no space. */
static bool find_words(struct kl_text_block *b, const uint8_t *s, size_t n, struct place from,
                       struct place to)
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
    b->k = sort_unique(b->text, b->k);
    for (int v = 0; v < 256; v++)
        if (seen[v]) b->value_rank[v] = (uint16_t)find_word(b->text, b->k, word_of((uint8_t)v));
    b->m = 0;
    for (size_t i = first; i < end; i++) b->rank[b->m++] = b->value_rank[s[i]];
    if (split) b->rank[b->m++] = (uint16_t)find_word(b->text, b->k, odd);
    b->odd = b->k > ordinary ? b->rank[b->m - 1] : KL_TEXT_WORDS;
    return true;
}

/* ---- codes ---- */
/* A run of equal characters is one code, how long ago that character was the last one, and for the rest
   the digits of its length. */

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

/* Number the characters that occur, in order; returns how many there are. */
static int number_characters(uint8_t number[KL_TEXT_CHARS], const struct kl_text_block *b)
{
    uint32_t used = 0;
    int n = 0;
    for (int r = 0; r < b->k; r++)
        for (int j = 0; j <= kl_nist_bzip2_word_length(b->text[r]); j++)
            used |= 1u << kl_nist_bzip2_word_code(b->text[r], j);
    for (int c = 0; c < KL_TEXT_CHARS; c++)
        if (used >> c & 1) number[c] = (uint8_t)n++;
    return n;
}

/* The block's codes and counts from last [n_bytes]; returns how many kinds of codes there are. The
   characters seen last are in four bits each, the latest lowest. */
static int count_codes(struct kl_text_block *b)
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

/* ---- what codes take ---- */
/* The tables that bzip2 chooses for a block: up to six, made better in four rounds, each group of codes
   with the one that takes least. */

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

/* Bits of the tables' numbers: each is how long ago that table was the last one. */
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

/* Bits of a block but for its header: selectors, tables and codes. counts [groups]: of each code in each
   group, changed by nothing; codes: how many there are in the block, of `kinds` kinds. table [groups] is
   workspace. */
static uint64_t bits_of_codes(uint8_t (*counts)[KL_TEXT_CODES], uint8_t *table, size_t codes, int kinds)
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

/* ---- the length ---- */
/* The code length of the last characters of a block's ordered rotations: since no word begins another,
   rotations that begin with the same end of a word are in the order of the words after it. */

/* The room needed: the most bytes and words of a block of n symbols. */
static size_t most_bytes(size_t n)
{
    return 4 * n < KL_TEXT_BLOCK ? 4 * n : KL_TEXT_BLOCK + 4;
}

static size_t most_words(size_t n)
{
    const size_t words = (KL_TEXT_BLOCK + 4) / 2 + 2;
    return n + 1 < words ? n + 1 : words;
}

size_t kl_nist_bzip2_length_work(size_t n)
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
        length[r] = kl_nist_bzip2_word_length(b->text[r]);
        for (int j = 0; j <= length[r]; j++) {
            ends[n++] = b->text[r] << 8 * j;
            before[r][j] = j ? kl_nist_bzip2_word_code(b->text[r], j - 1) : 0;
        }
        final[r] = before[r][length[r]];
        if (length[r] > longest) longest = length[r];
    }
    n = sort_unique(ends, n);
    for (size_t i = 0; i < b->m; i++) counts[b->rank[i]]++;
    for (int r = 0; r < b->k; r++)
        for (int j = 0; j <= length[r]; j++) {
            end_of[r][j] = (uint16_t)find_word(ends, n, b->text[r] << 8 * j);
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

int kl_nist_bzip2_length_packed(double *bytes, const uint8_t *s, size_t n, struct kl_error *err)
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

int kl_nist_bzip2_length(double *bytes, const uint8_t *s, size_t n, void *work, struct kl_error *err)
{
    /* The file's head and end; a block's mark, checksum, place and which characters it has. */
    enum { ENDS = 32 + 48 + 32, HEAD = 48 + 32 + 1 + 24 + 16 + 2 * 16 };
    struct kl_text_block b;
    struct place from = { 0, 0 };
    uint64_t bits = ENDS;
    take_room(&b, work, n);
    while (from.i < n) {
        const struct place to = block_end(&b, s, n, from);
        if (!find_words(&b, s, n, from, to) || !kl_nist_bzip2_order(&b))
            return kl_nist_bzip2_length_packed(bytes, s, n, err);
        last_characters(&b);
        const int kinds = count_codes(&b);
        bits += HEAD + bits_of_codes(b.counts, b.table, b.codes, kinds);
        from = to;
    }
    *bytes = (double)((bits + 7) / 8);
    return KL_OK;
}
