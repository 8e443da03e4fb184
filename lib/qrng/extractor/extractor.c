/* SPDX-License-Identifier: MIT
   Extractors of nearly uniform bits: Toeplitz hashing and von Neumann's rule, by blocks of rows as they
   come; the checks of what they rely on: the claimed min-entropy and the file that draws the hash. */
#include "qrng/extractor/extractor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "qrng/bits/bits.h"
#include "qrng/nist/nist.h"
#include "stats/stats.h"
#include "store/store.h"

/* ---- Toeplitz hashing ---- */
/* Each half byte of the input adds one of 16 shifted sums of the diagonal to the output, from a byte on
   that its place says: tables that fit in the first cache, so that any processor is fast. */

enum { CHUNK = 64 }; /* bytes of the output that are summed in registers */
typedef uint64_t chunk __attribute__((vector_size(CHUNK)));

struct kl_toeplitz {
    size_t in, out, stride; /* bytes; of one sum, with a chunk behind it */
    uint8_t *sums;          /* [2, 16, stride]: of the lower and the upper half */
};

/* to ^= diagonal, `by` bits further on. */
static void add_shifted(uint8_t *to, const uint8_t *diagonal, size_t bytes, int by)
{
    for (size_t i = 0; i < bytes; i++) {
        const unsigned next = i + 1 < bytes ? diagonal[i + 1] : 0;
        to[i] ^= (uint8_t)((diagonal[i] | next << 8) >> by);
    }
}

/* Row i, column j is bit i - j + n_in - 1 of the diagonal: of input byte p, bit k it is bit
   8 (in - 1 - p) + i + 7 - k. */
int kl_extractor_toeplitz_create(struct kl_toeplitz **hash, const uint8_t *diagonal, size_t n_in,
                                 size_t n_out, struct kl_error *err)
{
    const size_t bytes = (n_in + n_out) / 8, stride = bytes + CHUNK;
    struct kl_toeplitz *h = *hash = calloc(1, sizeof *h);
    if (h) *h = (struct kl_toeplitz){ n_in / 8, n_out / 8, stride, calloc(32, stride) };
    if (!h || !h->sums) {
        kl_extractor_toeplitz_free(hash);
        return kl_fail_memory(err, 32 * stride);
    }
    for (unsigned entry = 0; entry < 32; entry++)
        for (unsigned k = 0; k < 4; k++)
            if (entry >> k & 1)
                add_shifted(h->sums + entry * stride, diagonal, bytes,
                            7 - (int)(k + (entry < 16 ? 0 : 4)));
    return KL_OK;
}

void kl_extractor_toeplitz_free(struct kl_toeplitz **hash)
{
    if (*hash) free((*hash)->sums);
    free(*hash);
    *hash = NULL;
}

void kl_extractor_toeplitz_apply(const struct kl_toeplitz *hash, uint8_t *out, const uint8_t *in)
{
    for (size_t at = 0; at < hash->out; at += CHUNK) {
        const size_t left = hash->out - at;
        chunk sum = { 0 }, low, high;
        for (size_t p = 0; p < hash->in; p++) {
            const uint8_t *from = hash->sums + hash->in - 1 - p + at;
            memcpy(&low, from + (in[p] & 15) * hash->stride, CHUNK);
            memcpy(&high, from + (16 + (in[p] >> 4)) * hash->stride, CHUNK);
            sum ^= low ^ high;
        }
        memcpy(out + at, &sum, left < CHUNK ? left : CHUNK);
    }
}

/* ---- von Neumann's rule ---- */

size_t kl_extractor_von_neumann(uint8_t *bits, const uint8_t *s, size_t n)
{
    size_t found = 0;
    for (size_t i = 0; i + 1 < n; i += 2) {
        bits[found] = s[i] > s[i + 1];
        found += s[i] != s[i + 1];
    }
    return found;
}

/* ---- rows through an extractor ---- */
/* Blocks for the hash, pairs of symbols for von Neumann's rule. */

/* ---- rows through an extractor: Toeplitz ---- */

static void append(struct kl_extraction *e, const uint64_t *row, size_t n)
{
    for (size_t i = 0; 64 * i < n; i++) {
        const size_t at = (e->n_waiting + 64 * i) / 64, shift = (e->n_waiting + 64 * i) % 64;
        if (shift == 0) e->waiting[at] = row[i];
        else {
            e->waiting[at] = (e->waiting[at] & (((uint64_t)1 << shift) - 1)) | row[i] << shift;
            e->waiting[at + 1] = row[i] >> (64 - shift);
        }
    }
    e->n_waiting += n;
}

/* All whole blocks that wait. */
static int hash_blocks(struct kl_extraction *e, struct kl_error *err)
{
    const size_t words = e->n_in / 64, blocks = e->n_waiting / e->n_in;
    int code = KL_OK;
    for (size_t b = 0; !code && b < blocks; b++) {
        kl_extractor_toeplitz_apply(e->hash, e->out, (const uint8_t *)(e->waiting + b * words));
        for (size_t i = 0; i < e->n_out / 8; i++) e->out[i] = (uint8_t)kl_bits_reverse(e->out[i]);
        code = kl_store_raw_write(e->raw, e->out, e->n_out / 8, err);
        e->written += e->n_out;
    }
    e->n_waiting -= blocks * e->n_in;
    memmove(e->waiting, e->waiting + blocks * words, (e->n_waiting + 63) / 64 * sizeof *e->waiting);
    return code;
}

/* ---- rows through an extractor: von Neumann: symbols are paired within rows, so never those of two
 * devices ---- */

static int keep_bits(struct kl_extraction *e, size_t n, struct kl_error *err)
{
    size_t bytes = 0;
    for (size_t i = 0; i < n; i++) {
        e->byte = (unsigned char)(e->byte << 1 | e->out[i]);
        if (++e->filled < 8) continue;
        e->out[bytes++] = e->byte; /* overtakes nothing: eight bits were read for it */
        e->filled = 0;
    }
    e->written += 8 * bytes;
    return bytes ? kl_store_raw_write(e->raw, e->out, bytes, err) : KL_OK;
}

/* Whole bytes of a block of rows at once. */
static int pair_rows(struct kl_extraction *e, const struct kl_bits *block, struct kl_error *err)
{
    const size_t n = block->n_bits / (size_t)block->symbol_bits;
    int code = KL_OK;
    e->counts.symbol_bits = block->symbol_bits;
    for (size_t r = 0; !code && r < block->n_rows; r++) {
        const uint64_t *row = kl_bits_row(block, r);
        for (size_t k = 0; k < n; k++)
            e->symbols[k] = (uint8_t)kl_bits_symbol(row, k, block->symbol_bits);
        code = kl_bits_dependence_count(&e->counts, block->device[r], e->symbols, n, err);
        if (!code) code = keep_bits(e, kl_extractor_von_neumann(e->out, e->symbols, n), err);
    }
    return code;
}

/* ---- rows through an extractor: both ---- */

int kl_extractor_begin(struct kl_extraction *e, size_t n_bits, struct kl_error *err)
{
    const size_t words = (n_bits + e->n_in) / 64 + 2; /* what waits is less than a block before a row */
    e->out = malloc(n_bits + e->n_out + 1);
    e->symbols = malloc(n_bits + 1);
    e->waiting = malloc(words * sizeof *e->waiting);
    return e->out && e->symbols && e->waiting ? KL_OK : kl_fail_memory(err, words * sizeof *e->waiting);
}

int kl_extractor_take(struct kl_extraction *e, const struct kl_bits *block, struct kl_error *err)
{
    int code = KL_OK;
    e->read += (uint64_t)block->n_rows * block->n_bits;
    if (!e->hash) return pair_rows(e, block, err);
    for (size_t r = 0; !code && r < block->n_rows; r++) {
        append(e, kl_bits_row(block, r), block->n_bits);
        if (e->n_waiting >= e->n_in) code = hash_blocks(e, err);
    }
    return code;
}

void kl_extractor_end(struct kl_extraction *e)
{
    free(e->out), free(e->symbols), free(e->waiting);
    e->out = e->symbols = NULL;
    e->waiting = NULL;
    kl_bits_dependence_counts_free(&e->counts);
}

/* ---- the claimed min-entropy ---- */
/* Words of all widths are counted at once: the widest ones, which are made of the others, and of a row's
   rest what fits. */

static unsigned word_at(const uint64_t *row, size_t at, int width)
{
    const size_t shift = at % 64;
    uint64_t bits = row[at / 64] >> shift;
    if (shift + (size_t)width > 64) bits |= row[at / 64 + 1] << (64 - shift);
    return (unsigned)bits & ((1U << width) - 1);
}

static int widest(int symbol_bits)
{
    int level = 0;
    while (symbol_bits << (level + 1) <= KL_BITS_SYMBOL) level++;
    return level;
}

static void count_row(kl_word_counts counts, const uint64_t *row, size_t n_bits, int symbol_bits)
{
    size_t at = 0;
    for (int level = widest(symbol_bits); level >= 0; level--) {
        const int width = symbol_bits << level;
        for (; at + (size_t)width <= n_bits; at += (size_t)width)
            counts[level][word_at(row, at, width)]++;
    }
}

static int make_room(struct kl_entropy_claim *c, size_t devices, struct kl_error *err)
{
    if (devices <= c->n_devices) return KL_OK;
    kl_word_counts *more = realloc(c->counts, devices * sizeof *more);
    if (!more) return kl_fail_memory(err, devices * sizeof *more);
    memset(more + c->n_devices, 0, (devices - c->n_devices) * sizeof *more);
    c->counts = more, c->n_devices = devices;
    return KL_OK;
}

int kl_extractor_entropy_claim_take(struct kl_entropy_claim *c, const struct kl_bits *block,
                                    struct kl_error *err)
{
    int code = KL_OK;
    c->symbol_bits = block->symbol_bits;
    for (size_t r = 0; r < block->n_rows && !code; r++) {
        code = make_room(c, (size_t)block->device[r] + 1, err);
        if (!code)
            count_row(c->counts[block->device[r]], kl_bits_row(block, r), block->n_bits, c->symbol_bits);
    }
    return code;
}

/* Each word is two of half its width as well. */
static void halve(kl_word_counts counts, int symbol_bits)
{
    for (int level = widest(symbol_bits); level > 0; level--) {
        const int half = symbol_bits << (level - 1);
        for (unsigned v = 0; v >> (2 * half) == 0; v++) {
            counts[level - 1][v & ((1U << half) - 1)] += counts[level][v];
            counts[level - 1][v >> half] += counts[level][v];
        }
    }
}

/* ln of the probability that a word of probability 2^-(entropy width) comes `count` times or more. */
static double log_tail(double entropy, const struct kl_entropy_verdict *of)
{
    const double bits = entropy * of->width, p = exp2(-bits), other = -expm1(-bits * M_LN2);
    if ((double)of->count <= p * (double)of->words) return 0;
    return kl_stats_log_beta_lower((double)of->count, (double)(of->words - of->count) + 1, p, other);
}

/* The commonest word of a width. */
static struct kl_entropy_verdict commonest(const uint64_t counts[KL_CLAIM_VALUES], int width)
{
    struct kl_entropy_verdict of = { .width = width, .most = width };
    for (unsigned v = 0; v >> width == 0; v++) {
        of.words += counts[v];
        if (counts[v] > of.count) of.count = counts[v], of.word = v;
    }
    if (of.words > 1) of.most = kl_nist_sp90b_most_common(of.count, of.words);
    of.most /= width;
    return of;
}

/* A refuted one before any other. */
static bool is_worse(const struct kl_entropy_verdict *a, const struct kl_entropy_verdict *b)
{
    return a->refuted != b->refuted ? a->refuted : a->most < b->most;
}

struct kl_entropy_verdict kl_extractor_entropy_claim_judge(struct kl_entropy_claim *c)
{
    struct kl_entropy_verdict worst = { .most = INFINITY };
    const int levels = c->n_devices ? widest(c->symbol_bits) + 1 : 0;
    double compared = 0, most = INFINITY;
    for (int level = 0; level < levels; level++)
        compared += exp2(c->symbol_bits << level) * (double)c->n_devices;
    for (size_t d = 0; d < c->n_devices; d++) {
        halve(c->counts[d], c->symbol_bits);
        for (int level = 0; level < levels; level++) {
            struct kl_entropy_verdict of = commonest(c->counts[d][level], c->symbol_bits << level);
            of.refuted = log(compared) + log_tail(c->entropy, &of) < log(1e-9);
            of.device = (int)d;
            if (level > 0 && !of.refuted) continue;
            most = fmin(most, of.most);
            if (is_worse(&of, &worst)) worst = of;
        }
    }
    worst.most = most;
    return worst;
}

void kl_extractor_entropy_claim_free(struct kl_entropy_claim *c)
{
    free(c->counts);
    *c = (struct kl_entropy_claim){ 0 };
}

/* ---- the file that draws the hash ---- */
/* Each of the ten tests of counts below refuses random bytes with a probability of at most 10^-11; bytes
   with a period have one of at most 256^(n / 2 - n) sum 1 / 256^i < 10^-12 for n >= 9, and the first
   ones of one of 4096 inputs 4096 / 256^9 < 10^-18. So together they do less than once in 10^9 times. */

enum { BYTES = 256 };

#define REMEDY "expected random ones, independent of the devices (head -c %zu /dev/random > FILE)"

/* Would one of `kinds` events, each of probability p in each of n trials, come to `count` so seldom? */
static bool too_common(size_t count, size_t n, double p, double kinds)
{
    const double c = (double)count;
    if (c <= (double)n * p) return false;
    return log(kinds) + kl_stats_log_beta_lower(c, (double)n - c + 1, p, 1 - p) < log(1e-11);
}

/* Whichever of a bit's two values is the commoner one. */
static bool is_one_sided(size_t ones, size_t n)
{
    return too_common(ones > n - ones ? ones : n - ones, n, 0.5, 2);
}

/* The smallest p <= n / 2 by which the bytes repeat; 0: there is none. */
static size_t period_of(const uint8_t *seed, size_t n)
{
    for (size_t p = 1; p <= n / 2; p++)
        if (memcmp(seed, seed + p, n - p) == 0) return p;
    return 0;
}

static int check_counts(const uint8_t *seed, size_t n, const char *path, struct kl_error *err)
{
    size_t counts[BYTES] = { 0 }, places[8] = { 0 }, ones = 0, most = 0;
    for (size_t i = 0; i < n; i++) {
        counts[seed[i]]++;
        for (int bit = 0; bit < 8; bit++) places[bit] += seed[i] >> bit & 1;
    }
    for (size_t v = 1; v < BYTES; v++)
        if (counts[v] > counts[most]) most = v;
    for (int bit = 0; bit < 8; bit++) ones += places[bit];
    if (too_common(counts[most], n, 1.0 / BYTES, BYTES))
        return kl_fail(err, KL_EDATA,
                       "%s: --hash-seed: found the byte 0x%02zx %zu times in %zu, " REMEDY, path, most,
                       counts[most], n, n);
    for (int bit = 7; bit >= 0; bit--)
        if (is_one_sided(places[bit], n))
            return kl_fail(err, KL_EDATA,
                           "%s: --hash-seed: found bytes whose bit %d is 1 in %zu of %zu, " REMEDY, path,
                           bit, places[bit], n, n);
    if (is_one_sided(ones, 8 * n))
        return kl_fail(err, KL_EDATA, "%s: --hash-seed: found bits of which %zu of %zu are 1, " REMEDY,
                       path, ones, 8 * n, n);
    return KL_OK;
}

static int check_random(const uint8_t *seed, size_t n, const char *path, struct kl_error *err)
{
    const size_t period = period_of(seed, n);
    if (period == 1)
        return kl_fail(err, KL_EDATA, "%s: --hash-seed: found bytes that are all %d, " REMEDY, path,
                       seed[0], n);
    if (period)
        return kl_fail(err, KL_EDATA, "%s: --hash-seed: found %zu bytes again and again, " REMEDY, path,
                       period, n);
    const int code = kl_no_stand_in(seed, n, path, err);
    const struct kl_bits_look look = kl_bits_look(seed, n);
    if (!code && look.form != KL_FORM_NONE)
        return kl_fail(err, KL_EDATA, "%s: --hash-seed: found %s, expected random bytes%s%s", path,
                       look.what, look.remedy ? "; convert it: " : "", look.remedy ? look.remedy : "");
    return code ? code : check_counts(seed, n, path, err);
}

/* Pipes and devices are read once, by who takes their bits. */
static bool begins_as(const uint8_t *seed, size_t n, const char *input, uint8_t *room)
{
    struct stat s;
    FILE *file = stat(input, &s) == 0 && S_ISREG(s.st_mode) ? fopen(input, "rb") : NULL;
    if (!file) return false;
    const bool same = fread(room, 1, n, file) == n && memcmp(room, seed, n) == 0;
    fclose(file);
    return same;
}

/* Not by name alone: a copy depends on the bits as well. */
static int check_inputs(const uint8_t *seed, size_t n, const char *path, const char *const *inputs,
                        size_t n_inputs, struct kl_error *err)
{
    int code = KL_OK;
    uint8_t *room = malloc(n);
    if (!room) return kl_fail_memory(err, n);
    for (size_t i = 0; i < n_inputs && !code; i++)
        if (begins_as(seed, n, inputs[i], room))
            code = kl_fail(err, KL_EUSAGE,
                           "%s: --hash-seed: begins as %s; the seed must not depend on the bits", path,
                           inputs[i]);
    free(room);
    return code;
}

int kl_extractor_hash_seed_read(uint8_t *seed, size_t n, const char *path, const char *const *inputs,
                                size_t n_inputs, struct kl_error *err)
{
    for (size_t i = 0; i < n_inputs; i++)
        if (kl_store_same_place(path, inputs[i]))
            return kl_fail(err, KL_EUSAGE,
                           "%s: --hash-seed: is an input too; the seed must not depend on the bits",
                           path);
    int code = kl_no_folder(path, err);
    if (code) return code;
    FILE *file = fopen(path, "rb");
    if (!file) return kl_fail_errno(err, KL_ENOINPUT, "%s: cannot be opened", path);
    const size_t found = fread(seed, 1, n, file);
    if (ferror(file)) code = kl_fail_errno(err, KL_EIO, "%s", path);
    fclose(file);
    if (code) return code;
    if (found != n)
        return kl_fail(err, KL_EDATA, "%s: %zu bytes, expected at least %zu to draw the matrix", path,
                       found, n);
    code = check_inputs(seed, n, path, inputs, n_inputs, err);
    return code ? code : check_random(seed, n, path, err);
}
