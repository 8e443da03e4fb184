/* SPDX-License-Identifier: MIT
   SP 800-90B, sections 5.1.1 to 5.1.11: nineteen numbers that depend on the order of symbols. */
#include "qrng/nist/nist_int.h"

#include <stdlib.h>
#include <string.h>

/* ---- runs ---- */
/* Runs by words of 64 signs: where a sign is not the one before it, a run starts. */

/* Eight bytes at a time, whose lowest bits one product gathers. */
static uint64_t pack(const bool signs[64])
{
    uint64_t word = 0;
    for (int k = 0; k < 8; k++) {
        uint64_t eight;
        memcpy(&eight, signs + 8 * k, 8);
        word |= (eight * 0x0102040810204080u >> 56) << 8 * k;
    }
    return word;
}

/* Are as many bits in a row, at least one, 0? */
static bool gap(uint64_t word, size_t bits)
{
    uint64_t zeros = ~word;
    if (bits > 64) return false;
    for (size_t length = 1, more; length < bits; length += more) {
        more = bits - length < length ? bits - length : length;
        zeros &= zeros >> more;
    }
    return zeros != 0;
}

struct runs {
    size_t found, longest, run; /* run: length of the one that may go on */
    uint64_t last;              /* the sign before */
};

/* start: bits at which runs start. */
static void add_word(struct runs *r, uint64_t start)
{
    if (!start) {
        r->run += 64;
        return;
    }
    r->found += (size_t)__builtin_popcountll(start);
    r->run += (size_t)__builtin_ctzll(start);
    if (r->run > r->longest) r->longest = r->run;
    r->run = 1 + (size_t)__builtin_clzll(start);
    if (r->longest && !gap(start, r->longest)) return;
    for (uint64_t left = start, next; (next = left & (left - 1)); left = next) {
        const size_t length = (size_t)(__builtin_ctzll(next) - __builtin_ctzll(left));
        if (length > r->longest) r->longest = length;
    }
}

void kl_nist_iid_runs(double *count, double *longest, const bool *signs, size_t n)
{
    struct runs r = { .last = n && !signs[0] };
    size_t i = 0;
    for (; i + 64 <= n; i += 64) {
        const uint64_t word = pack(signs + i);
        add_word(&r, word ^ (word << 1 | r.last));
        r.last = word >> 63;
    }
    for (; i < n; i++) {
        const bool starts = signs[i] != r.last;
        if (starts && r.run > r.longest) r.longest = r.run;
        r.found += starts;
        r.run = starts ? 1 : r.run + 1;
        r.last = signs[i];
    }
    *count = (double)r.found;
    *longest = (double)(r.run > r.longest ? r.run : r.longest);
}

/* ---- statistics ---- */
/* Sums stay whole, so that equal ones are equal. */

enum statistic {
    EXCURSION,
    DIRECTIONAL_RUNS,
    LONGEST_DIRECTIONAL,
    INCREASES,
    MEDIAN_RUNS,
    LONGEST_MEDIAN,
    MEAN_COLLISION,
    LONGEST_COLLISION,
    PERIODICITY,
    COVARIANCE = PERIODICITY + 5,
    COMPRESSION = COVARIANCE + 5
};
const char *const kl_iid_names[KL_IID_STATISTICS] = { "excursion",
                                                      "directional runs",
                                                      "longest directional run",
                                                      "increases or decreases",
                                                      "median runs",
                                                      "longest median run",
                                                      "mean collision",
                                                      "longest collision",
                                                      "periodicity 1",
                                                      "periodicity 2",
                                                      "periodicity 8",
                                                      "periodicity 16",
                                                      "periodicity 32",
                                                      "covariance 1",
                                                      "covariance 2",
                                                      "covariance 8",
                                                      "covariance 16",
                                                      "covariance 32",
                                                      "compression" };

/* Within a block sums lie between those at its ends: most blocks need no look at each of them. */
static double excursion(const uint8_t *s, size_t n)
{
    enum { BLOCK = 64 };
    int64_t total = 0, sum = 0, most = 0;
    const int64_t all = (int64_t)n;
    for (size_t i = 0; i < n; i++) total += s[i];
    for (size_t from = 0, end; from < n; from = end) {
        uint32_t inside = 0;
        end = n - from < BLOCK ? n : from + BLOCK;
        for (size_t i = from; i < end; i++) inside += s[i];
        if ((sum + inside) * all - (int64_t)(from + 1) * total > most ||
            (int64_t)end * total - sum * all > most)
            for (size_t i = from, at = 0; i < end; i++) {
                at += s[i];
                const int64_t off = llabs((sum + (int64_t)at) * all - (int64_t)(i + 1) * total);
                if (off > most) most = off;
            }
        sum += inside;
    }
    return (double)most / (double)n;
}

static void directional(double *t, const uint8_t *s, size_t n, bool *signs)
{
    size_t rising = 0;
    for (size_t i = 0; i + 1 < n; i++) rising += signs[i] = s[i] <= s[i + 1];
    const size_t steps = n ? n - 1 : 0;
    kl_nist_iid_runs(&t[DIRECTIONAL_RUNS], &t[LONGEST_DIRECTIONAL], signs, steps);
    t[INCREASES] = (double)(rising > steps - rising ? rising : steps - rising);
}

/* Twice the median. */
static unsigned median(const uint8_t *s, size_t n)
{
    size_t counts[256] = { 0 }, below = 0;
    unsigned middle[2] = { 0 };
    for (size_t i = 0; i < n; i++) counts[s[i]]++;
    for (unsigned v = 0; v < 256; v++) {
        const size_t upto = below + counts[v];
        if (below <= (n - 1) / 2 && (n - 1) / 2 < upto) middle[0] = v;
        if (below <= n / 2 && n / 2 < upto) middle[1] = v;
        below = upto;
    }
    return middle[0] + middle[1];
}

static void by_median(double *t, const uint8_t *s, size_t n, bool binary, bool *signs)
{
    const unsigned twice = binary ? 1 : median(s, n);
    for (size_t i = 0; i < n; i++) signs[i] = 2u * s[i] >= twice;
    kl_nist_iid_runs(&t[MEDIAN_RUNS], &t[LONGEST_MEDIAN], signs, n);
}

/* How many symbols it takes until one comes again. */
static void collisions(double *t, const uint8_t *s, size_t n)
{
    size_t seen[256] = { 0 }, start = 0, times = 0, longest = 0; /* seen: from 1 */
    for (size_t i = 0; i < n; i++) {
        if (seen[s[i]] <= start) {
            seen[s[i]] = i + 1;
            continue;
        }
        if (i + 1 - start > longest) longest = i + 1 - start;
        times++;
        start = i + 1;
    }
    t[MEAN_COLLISION] = times ? (double)start / (double)times : 0;
    t[LONGEST_COLLISION] = (double)longest;
}

/* Equal symbols, and sums of products, at a lag; added up in parts that fit 32 bits. */
static void lagged(double *t, const uint8_t *s, size_t n)
{
    static const size_t lags[5] = { 1, 2, 8, 16, 32 };
    enum { PART = 1 << 16 };
    for (int l = 0; l < 5; l++) {
        size_t equal = 0;
        uint64_t products = 0;
        for (size_t from = lags[l], end; from < n; from = end) {
            const uint8_t *before = s + from - lags[l], *own = s + from;
            uint32_t equal_part = 0, products_part = 0;
            end = n - from < PART ? n : from + PART;
            for (size_t i = 0; i < end - from; i++) equal_part += own[i] == before[i];
            for (size_t i = 0; i < end - from; i++) products_part += (uint32_t)own[i] * before[i];
            equal += equal_part, products += products_part;
        }
        t[PERIODICITY + l] = (double)equal;
        t[COVARIANCE + l] = (double)products;
    }
}

/* Two rows of what bits are converted to, or signs; what the text needs, at a multiple of eight. */
size_t kl_nist_iid_work(size_t n)
{
    return 2 * n + 2 + 8 + kl_nist_bzip2_length_work(n);
}

/* Conversions I and II: of eight bits the ones, and the value, the first bit highest. */
static void convert(uint8_t *ones, uint8_t *values, const uint8_t *s, size_t n)
{
    for (size_t i = 0; i < n; i += 8) {
        uint64_t eight = 0;
        memcpy(&eight, s + i, n - i < 8 ? n - i : 8);
        ones[i / 8] = (uint8_t)(eight * 0x0101010101010101u >> 56);
        values[i / 8] = (uint8_t)(eight * 0x8040201008040201u >> 56);
    }
}

int kl_nist_iid_statistics(double *t, const bool *wanted, const uint8_t *s, size_t n, void *work,
                           struct kl_error *err)
{
    bool all[KL_IID_STATISTICS];
    uint8_t *ones = work, *values = ones + n / 2 + 1;
    bool *signs = (bool *)work + n + 2;
    memset(all, true, sizeof all);
    if (!wanted) wanted = all;
    uint8_t any = 0;
    for (size_t i = 0; i < n; i++) any |= s[i];
    const bool binary = any <= 1;
    const size_t m = binary ? (n + 7) / 8 : n;
    const uint8_t *one = binary ? ones : s, *two = binary ? values : s;
    if (binary) convert(ones, values, s, n);
    if (wanted[EXCURSION]) t[EXCURSION] = excursion(s, n);
    if (wanted[DIRECTIONAL_RUNS] || wanted[LONGEST_DIRECTIONAL] || wanted[INCREASES])
        directional(t, one, m, signs);
    if (wanted[MEDIAN_RUNS] || wanted[LONGEST_MEDIAN]) by_median(t, s, n, binary, signs);
    if (wanted[MEAN_COLLISION] || wanted[LONGEST_COLLISION]) collisions(t, two, m);
    bool lags = false;
    for (int i = PERIODICITY; i < COMPRESSION; i++) lags = lags || wanted[i];
    if (lags) lagged(t, one, m);
    unsigned char *text = (unsigned char *)work + 2 * n + 2;
    text += -(uintptr_t)text & 7;
    return wanted[COMPRESSION] ? kl_nist_bzip2_length(&t[COMPRESSION], s, n, text, err) : KL_OK;
}
