/* SPDX-License-Identifier: MIT
   Rows counted, device by device, in memory that does not grow with the rows. */
#include "qrng/bits/bits_int.h"

#include <stdlib.h>
#include <string.h>

/* ---- one row ---- */
/* 64 bits at a time. */

static inline uint32_t ones_of(uint64_t w)
{
    return (uint32_t)__builtin_popcountll(w);
}

/* The word of a row moved down by k < 64 bits. */
static inline uint64_t ahead(const uint64_t *row, size_t w, size_t words, int k)
{
    return row[w] >> k | (w + 1 < words ? row[w + 1] << (64 - k) : 0);
}

/* Bits below n of word w. */
static inline uint64_t below(size_t w, size_t n)
{
    return n >= 64 * (w + 1) ? UINT64_MAX : n <= 64 * w ? 0 : UINT64_MAX >> (64 * (w + 1) - n);
}

/* work[w]: places whose bit is that of the next one. */
static void count_steps(struct kl_row_counts *c, const uint64_t *row, size_t n, const uint64_t *inside,
                        uint64_t *same)
{
    const size_t words = (n + 63) / 64;
    uint32_t in[3] = { 0 };
    for (size_t w = 0; w < words; w++) {
        const uint64_t x = row[w], y = ahead(row, w, words, 1), mask = below(w, n - 1);
        const uint64_t up = ~x & y & mask, down = x & ~y & mask, high = x & y & mask;
        same[w] = ~(x ^ y) & mask;
        c->ones += ones_of(x);
        c->transitions[1] += ones_of(up);
        c->transitions[2] += ones_of(down);
        c->transitions[3] += ones_of(high);
        in[0] += ones_of(up & inside[w]);
        in[1] += ones_of(down & inside[w]);
        in[2] += ones_of(high & inside[w]);
        c->inside[0] += ones_of(~x & ~y & mask & inside[w]);
    }
    c->transitions[0] = (uint32_t)(n - 1) - c->transitions[1] - c->transitions[2] - c->transitions[3];
    memcpy(c->inside + 1, in, sizeof in);
}

static void count_lags(struct kl_row_counts *c, const uint64_t *row, size_t n)
{
    const size_t words = (n + 63) / 64;
    uint32_t first = 0, last = 0; /* ones among the first and the last k */
    for (int k = 1; k <= KL_LAGS && (size_t)k < n; k++) {
        uint32_t both = 0;
        for (size_t w = 0; w < words; w++) both += ones_of(row[w] & ahead(row, w, words, k));
        first += (uint32_t)(row[(size_t)(k - 1) / 64] >> (k - 1) % 64 & 1);
        last += (uint32_t)(row[(n - (size_t)k) / 64] >> (n - (size_t)k) % 64 & 1);
        c->both[k - 1] = both;
        c->head[k - 1] = c->ones - last;
        c->tail[k - 1] = c->ones - first;
    }
}

/* begins: first places of runs of length bits and more, which thin out as length grows; same moves down
   with it. */
static void count_runs(struct kl_row_counts *c, size_t n, uint64_t *same, uint64_t *begins)
{
    const size_t words = (n + 63) / 64;
    uint32_t longer = c->transitions[1] + c->transitions[2] + 1;
    for (size_t w = 0; w < words; w++)
        begins[w] = ~(same[w] << 1 | (w ? same[w - 1] >> 63 : 0)) & below(w, n);
    for (int length = 1; length < KL_RUN_LENGTHS && longer; length++) {
        uint32_t left = 0;
        for (size_t w = 0; w < words; w++) {
            begins[w] &= same[w];
            left += ones_of(begins[w]);
            same[w] = ahead(same, w, words, 1);
        }
        c->runs[length - 1] = longer - left;
        longer = left;
    }
    c->runs[KL_RUN_LENGTHS - 1] = longer;
}

void kl_bits_row_counts(struct kl_row_counts *counts, const uint64_t *row, size_t n,
                        const uint64_t *inside, uint64_t *work)
{
    memset(counts, 0, sizeof *counts);
    count_steps(counts, row, n, inside, work);
    count_lags(counts, row, n);
    count_runs(counts, n, work, work + (n + 63) / 64);
}

/* ---- devices ---- */

enum { PLANES = 16, FLUSH = (1 << PLANES) - 1 };

static size_t words_of(const struct kl_tallies *t)
{
    return (t->n_bits + 63) / 64;
}

int kl_bits_tallies_begin(struct kl_tallies *t, size_t n_bits, int symbol_bits, struct kl_error *err)
{
    *t = (struct kl_tallies){ .n_bits = n_bits, .symbol_bits = symbol_bits };
    const size_t words = words_of(t), symbols = (size_t)1 << symbol_bits;
    t->inside = calloc(3 * words, sizeof *t->inside);
    t->row_symbols = malloc(symbols * sizeof *t->row_symbols);
    if (!t->inside || !t->row_symbols) return kl_fail_memory(err, 3 * words * sizeof *t->inside);
    t->work = t->inside + words;
    for (size_t j = 0; j < n_bits; j++)
        if (j % (size_t)symbol_bits != (size_t)symbol_bits - 1)
            t->inside[j / 64] |= (uint64_t)1 << j % 64;
    return KL_OK;
}

static void release(struct kl_tally *d)
{
    free(d->ones_at);
    free(d->planes);
    free(d->symbol_squares);
}

static int begin_device(struct kl_tally *d, size_t n, int symbol_bits, struct kl_error *err)
{
    const size_t s = (size_t)1 << symbol_bits, counts = n + n + 1 + s + s * s;
    *d = (struct kl_tally){ .n_bits = n, .symbol_bits = symbol_bits };
    d->ones_at = calloc(counts, sizeof *d->ones_at);
    d->planes = calloc((n + 63) / 64 * PLANES, sizeof *d->planes);
    d->symbol_squares = calloc(s, sizeof *d->symbol_squares);
    if (!d->ones_at || !d->planes || !d->symbol_squares) {
        release(d);
        return kl_fail_memory(err, counts * sizeof *d->ones_at);
    }
    d->ones_rows = d->ones_at + n;
    d->symbols = d->ones_rows + n + 1;
    d->successive = d->symbols + s;
    return KL_OK;
}

static int more_devices(struct kl_tallies *t, int n, struct kl_error *err)
{
    struct kl_tally *devices = realloc(t->devices, (size_t)n * sizeof *devices);
    if (!devices) return kl_fail_memory(err, (size_t)n * sizeof *devices);
    t->devices = devices;
    for (; t->n_devices < n; t->n_devices++) {
        int rc = begin_device(&devices[t->n_devices], t->n_bits, t->symbol_bits, err);
        if (rc) return rc;
    }
    return KL_OK;
}

/* Ones at each place are counted in planes: bit j of plane p is bit p of the count at place j. */
static void flush_places(struct kl_tally *d)
{
    for (size_t j = 0; j < d->n_bits; j++)
        for (int p = 0; p < PLANES; p++)
            d->ones_at[j] += (int64_t)(d->planes[j / 64 * PLANES + p] >> j % 64 & 1) << p;
    memset(d->planes, 0, (d->n_bits + 63) / 64 * PLANES * sizeof *d->planes);
    d->in_planes = 0;
}

static void add_places(struct kl_tally *d, const uint64_t *row)
{
    for (size_t w = 0; w < (d->n_bits + 63) / 64; w++) {
        uint64_t carry = row[w];
        for (uint64_t *plane = d->planes + w * PLANES; carry; plane++) {
            const uint64_t next = *plane & carry;
            *plane ^= carry;
            carry = next;
        }
    }
    if (++d->in_planes == FLUSH) flush_places(d);
}

static void add_symbols(struct kl_tally *d, const uint64_t *row, uint32_t *counts)
{
    const size_t w = (size_t)d->symbol_bits, s = (size_t)1 << w;
    unsigned before = kl_bits_symbol(row, 0, (int)w);
    memset(counts, 0, s * sizeof *counts);
    counts[before]++;
    for (size_t k = 1; k < d->n_bits / w; k++) {
        const unsigned symbol = kl_bits_symbol(row, k, (int)w);
        counts[symbol]++;
        d->successive[before * s + symbol]++;
        before = symbol;
    }
    for (size_t i = 0; i < s; i++) {
        d->symbols[i] += counts[i];
        d->symbol_squares[i] += (double)counts[i] * counts[i];
    }
}

static void add_correlations(struct kl_tally *d, const struct kl_row_counts *c)
{
    const double n = (double)d->n_bits, p = c->ones / n, variance = p * (1 - p);
    if (c->ones == 0 || c->ones == d->n_bits) return;
    d->varied++;
    for (int k = 1; k <= KL_LAGS && (size_t)k < d->n_bits; k++) {
        const double m = n - k, sum = (double)c->head[k - 1] + c->tail[k - 1];
        const double r = (c->both[k - 1] - p * sum + m * p * p) / m / variance;
        d->lag[k - 1] += r;
        d->lag_squares[k - 1] += r * r;
    }
    const double m = n - 1, x = c->head[0] / m, y = c->tail[0] / m;
    if (!(x * (1 - x) > 0 && y * (1 - y) > 0)) return;
    const double r = (c->both[0] / m - x * y) / __builtin_sqrt(x * (1 - x) * y * (1 - y));
    d->pearson_rows++;
    d->pearson += r;
    d->pearson_squares += r * r;
}

static void add_row(struct kl_tally *d, const struct kl_row_counts *c)
{
    for (int i = 0; i < 4; i++) {
        d->transitions[i] += c->transitions[i];
        d->inside[i] += c->inside[i];
        for (int j = 0; j < 4; j++)
            d->transition_products[i][j] += (double)c->transitions[i] * c->transitions[j];
    }
    for (int i = 0; i < KL_RUN_LENGTHS; i++) {
        d->runs[i] += c->runs[i];
        d->run_squares[i] += (double)c->runs[i] * c->runs[i];
        if (d->rows < KL_REFERENCE_ROWS) d->reference_runs[i] += c->runs[i];
    }
    d->ones_rows[c->ones]++;
    if (d->rows == 0) d->first_row_ones = c->ones;
    d->last_row_ones = c->ones;
    d->rows++;
}

int kl_bits_tallies_add(struct kl_tallies *t, const struct kl_bits *block, struct kl_error *err)
{
    for (size_t r = 0; r < block->n_rows; r++) {
        const uint64_t *row = kl_bits_row(block, r);
        struct kl_row_counts counts;
        int rc = block->device[r] < t->n_devices ? KL_OK : more_devices(t, block->device[r] + 1, err);
        if (rc) return rc;
        struct kl_tally *d = &t->devices[block->device[r]];
        kl_bits_row_counts(&counts, row, t->n_bits, t->inside, t->work);
        add_row(d, &counts);
        add_correlations(d, &counts);
        add_places(d, row);
        add_symbols(d, row, t->row_symbols);
    }
    return KL_OK;
}

void kl_bits_tallies_finish(struct kl_tallies *t)
{
    for (int i = 0; i < t->n_devices; i++) flush_places(&t->devices[i]);
}

void kl_bits_tallies_free(struct kl_tallies *t)
{
    for (int i = 0; i < t->n_devices; i++) release(&t->devices[i]);
    free(t->devices);
    free(t->inside);
    free(t->row_symbols);
    *t = (struct kl_tallies){ 0 };
}
