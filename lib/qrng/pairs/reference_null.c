/* SPDX-License-Identifier: MIT
   What the reference's scores make of two samples of one and the same device. */
#include "qrng/pairs/tournament.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/bits.h"
#include "kernels/inline/philox.h"
#include "stats/stats.h"

/* A source of independent symbols is sampled twice, again and again. Samples are drawn as planes: 64
   rows a word, a random binary fraction compared with the probability of a one digit by digit until
   every row is decided. */

enum { MOST_WIDTH = KL_SELF_WIDTH, CONTEXTS = 1 << (MOST_WIDTH - 1), DIGITS = 32, PART = 16 };

struct source {
    int width;                             /* bits of a symbol */
    uint32_t chance[MOST_WIDTH][CONTEXTS]; /* of a one at bit k after the bits before it, times 2^32 */
    size_t n_bits, n_wide, rows, words;
    struct kl_shares shares;
    uint8_t *bin_of; /* [n_bits + 1] */
    uint64_t seed;
    uint32_t device;
    double *scores;         /* [samples, KL_N_LEGACY] */
    size_t first;           /* sample of the part that is drawn at a time */
    struct sample *samples; /* one a thread */
};

/* Workspace of one thread. */
struct sample {
    uint64_t *columns, *context, *valid;
    uint32_t *ones[2], *both[2], *bins[2];
    void *block;
};

static size_t lay_out(struct sample *s, const struct source *o, char *block)
{
    size_t at = 0;
    s->columns = kl_pairs_take(block, &at, o->n_bits * o->words, 8);
    s->valid = kl_pairs_take(block, &at, o->words, 8);
    s->context = kl_pairs_take(block, &at, CONTEXTS * o->words, 8);
    for (int side = 0; side < 2; side++) {
        s->ones[side] = kl_pairs_take(block, &at, o->n_bits, sizeof *s->ones[0]);
        s->both[side] = kl_pairs_take(block, &at, o->n_wide * o->n_wide, sizeof *s->both[0]);
        s->bins[side] = kl_pairs_take(block, &at, KL_BINS, sizeof *s->bins[0]);
    }
    return at;
}

/* p [S] as chances of each bit given those before it, the most significant bit first. */
static void chances(struct source *o, const double *p)
{
    for (int k = 0; k < o->width; k++)
        for (size_t context = 0; context < (size_t)1 << k; context++) {
            const size_t each = (size_t)1 << (o->width - k), from = context * each;
            double sum = 0, ones = 0;
            for (size_t s = 0; s < each; s++) {
                sum += p[from + s];
                if (s >= each / 2) ones += p[from + s];
            }
            const double scaled = sum > 0 ? ones / sum * 0x1p32 : 0;
            o->chance[k][context] = scaled >= 0x1p32 ? UINT32_MAX : (uint32_t)scaled;
        }
}

/* context [2^k, words]: which rows have which bits before bit k of symbol t. */
static void find_contexts(struct sample *s, const struct source *o, size_t t, int k)
{
    for (size_t c = 0; c < (size_t)1 << k; c++) {
        uint64_t *rows = s->context + c * o->words;
        memcpy(rows, s->valid, o->words * sizeof *rows);
        for (int b = 0; b < k; b++) {
            const uint64_t *bits = s->columns + (t * (size_t)o->width + (size_t)b) * o->words;
            const uint64_t turned = c >> (k - 1 - b) & 1 ? 0 : ~0ull;
            for (size_t w = 0; w < o->words; w++) rows[w] &= bits[w] ^ turned;
        }
    }
}

/* Digit d of the probability that belongs to each row of n words from word `from` on. */
static void find_digits(uint64_t digit[PART], const struct sample *s, const struct source *o,
                        size_t from, size_t n, int k, uint32_t d)
{
    const uint64_t *rows = s->context + from;
    for (size_t c = 0; c < (size_t)1 << k; c++, rows += o->words) {
        const uint64_t one = -(uint64_t)(o->chance[k][c] >> (DIGITS - 1 - d) & 1);
        if (c == 0)
            for (size_t w = 0; w < n; w++) digit[w] = rows[w] & one;
        else if (one)
            for (size_t w = 0; w < n; w++) digit[w] |= rows[w];
    }
}

/* Bit k of symbol t of the rows of some words: most of few rows are decided long before the last of
   all is. first: number of the column's random words. */
static void draw_part(uint64_t *out, const struct sample *s, const struct source *o, size_t from, int k,
                      uint32_t first, uint32_t step)
{
    const size_t n = o->words - from < PART ? o->words - from : PART, blocks = (o->words + 1) / 2;
    kl_bit_noise_fn *const bit_noise = kl_kernel_bit_noise();
    uint64_t noise[PART], open[PART], drawn[PART], digit[PART], left = 1;
    for (size_t w = 0; w < n; w++) open[w] = s->valid[from + w], drawn[w] = 0;
    for (uint32_t d = 0; d < DIGITS && left; d++) {
        bit_noise(noise, n, o->seed, first + d * (uint32_t)blocks + (uint32_t)(from / 2), KL_RANDOM_SELF,
                  step, o->device);
        find_digits(digit, s, o, from, n, k, d);
        left = 0;
        for (size_t w = 0; w < n; w++) {
            drawn[w] |= open[w] & ~noise[w] & digit[w];
            left |= open[w] &= ~(noise[w] ^ digit[w]);
        }
    }
    memcpy(out + from, drawn, n * sizeof *drawn);
}

static void draw_column(struct sample *s, const struct source *o, size_t t, int k, uint32_t step)
{
    const size_t column = t * (size_t)o->width + (size_t)k;
    const uint32_t blocks = (uint32_t)(o->words + 1) / 2;
    find_contexts(s, o, t, k);
    for (size_t from = 0; from < o->words; from += PART)
        draw_part(s->columns + column * o->words, s, o, from, k, (uint32_t)column * DIGITS * blocks,
                  step);
}

/* sum and twice carry become what sum, a and b were together, bit by bit. */
static inline void add(uint64_t *sum, uint64_t *carry, uint64_t a, uint64_t b)
{
    const uint64_t odd = *sum ^ a;
    *carry = (*sum & a) | (odd & b);
    *sum = odd ^ b;
}

/* Ones of the columns of word w, as planes; eight columns at a time are one carry into the fourth. */
static void add_columns(uint64_t sum[16], const struct sample *s, const struct source *o, size_t w)
{
    for (int b = 0; b < 16; b++) sum[b] = 0;
    for (size_t c = 0; c < o->n_bits; c += 8) {
        uint64_t x[8], twos[4], fours[2], carry;
        for (size_t i = 0; i < 8; i++) x[i] = c + i < o->n_bits ? s->columns[(c + i) * o->words + w] : 0;
        for (int i = 0; i < 4; i++) add(&sum[0], &twos[i], x[2 * i], x[2 * i + 1]);
        for (int i = 0; i < 2; i++) add(&sum[1], &fours[i], twos[2 * i], twos[2 * i + 1]);
        add(&sum[2], &carry, fours[0], fours[1]);
        for (int b = 3; carry; b++) {
            const uint64_t next = sum[b] & carry;
            sum[b] ^= carry;
            carry = next;
        }
    }
}

/* Rows by their number of ones. */
static void count_bins(uint32_t *bins, const struct sample *s, const struct source *o)
{
    memset(bins, 0, KL_BINS * sizeof *bins);
    for (size_t w = 0; w < o->words; w++) {
        uint64_t sum[16];
        add_columns(sum, s, o, w);
        for (int r = 0; r < 64 && s->valid[w] >> r & 1; r++) {
            size_t ones = 0;
            for (int b = 0; b < 16; b++) ones |= (size_t)(sum[b] >> r & 1) << b;
            bins[o->bin_of[ones]]++;
        }
    }
}

static void draw_side(struct sample *s, const struct source *o, int side, uint32_t step)
{
    for (size_t t = 0; t < o->n_bits / (size_t)o->width; t++)
        for (int b = 0; b < o->width; b++) draw_column(s, o, t, b, step);
    kl_kernel_bit_counts()(s->ones[side], s->valid, s->columns, o->words, o->n_bits, o->words);
    for (size_t i = 0; i < o->n_wide; i++)
        kl_kernel_bit_counts()(s->both[side] + i * o->n_wide + i, s->columns + i * o->words,
                               s->columns + i * o->words, o->words, o->n_wide - i, o->words);
    count_bins(s->bins[side], s, o);
}

static void sample_once(void *context, size_t i, int thread)
{
    if (kl_signals_pending()) return; /* what calls this asks as well */
    const struct source *o = context;
    struct sample *s = &o->samples[thread];
    i += o->first;
    for (int side = 0; side < 2; side++) draw_side(s, o, side, (uint32_t)(2 * i) + (uint32_t)side);
    const struct kl_pairs_side a = { &o->shares, s->ones[0], s->both[0], s->bins[0] },
                               b = { &o->shares, s->ones[1], s->both[1], s->bins[1] };
    kl_pairs_reference_scores(o->scores + i * KL_N_LEGACY, &a, &b, o->n_bits, o->n_wide);
}

static int make_sample(struct sample *s, const struct source *o, struct kl_error *err)
{
    const size_t bytes = lay_out(s, o, NULL);
    if (!(s->block = aligned_alloc(64, bytes))) return kl_fail_memory(err, bytes);
    lay_out(s, o, s->block);
    for (size_t w = 0; w < o->words; w++)
        s->valid[w] = o->rows >= 64 * (w + 1) ? ~0ull : ~0ull >> (64 - o->rows % 64);
    return KL_OK;
}

static void summarise(double *mean, double *q95, const double *scores, double *column, size_t n)
{
    for (size_t s = 0; s < KL_N_LEGACY; s++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++) sum += column[i] = scores[i * KL_N_LEGACY + s];
        kl_stats_sort(column, n);
        mean[s] = sum / (double)n;
        q95[s] = kl_stats_sorted_quantile(column, n, 0.95);
    }
}

/* Some at a time, which take about a tenth of a second. */
static int sample_some(struct source *o, size_t samples, struct kl_pool *pool, struct kl_course *course,
                       struct kl_error *err)
{
    const size_t bits = 1 << 28, threads = (size_t)kl_pool_size(pool);
    const size_t most = threads * (1 + bits / (2 * o->rows * o->n_bits));
    int code = KL_OK;
    for (size_t n; !code && o->first < samples; o->first += n) {
        n = samples - o->first < most ? samples - o->first : most;
        kl_pool_for(pool, n, sample_once, o);
        code = kl_course_step(course, n * kl_pairs_sample_steps(o->n_bits), NULL, err);
    }
    return code;
}

static int sample_all(double *mean, double *q95, struct source *o, size_t samples, struct kl_pool *pool,
                      struct kl_course *course, struct kl_error *err)
{
    int code = KL_OK;
    double *column = malloc(samples * sizeof *column);
    o->bin_of = malloc(o->n_bits + 1);
    o->scores = malloc(samples * KL_N_LEGACY * sizeof *o->scores);
    o->samples = calloc((size_t)kl_pool_size(pool), sizeof *o->samples);
    if (!column || !o->bin_of || !o->scores || !o->samples)
        code = kl_fail_memory(err, samples * KL_N_LEGACY * sizeof *o->scores);
    for (int t = 0; t < kl_pool_size(pool) && !code; t++) code = make_sample(&o->samples[t], o, err);
    if (!code) code = kl_pairs_shares_make(&o->shares, o->rows, err);
    if (!code) {
        for (size_t c = 0; c <= o->n_bits; c++) o->bin_of[c] = (uint8_t)kl_bits_ones_bin(c, o->n_bits);
        code = sample_some(o, samples, pool, course, err);
        if (!code) summarise(mean, q95, o->scores, column, samples);
    }
    for (int t = 0; o->samples && t < kl_pool_size(pool); t++) free(o->samples[t].block);
    kl_pairs_shares_free(&o->shares);
    free(column), free(o->bin_of), free(o->scores), free(o->samples);
    return code;
}

int kl_pairs_reference_null(double *mean, double *q95, const double *p, size_t n_symbols, size_t n_bits,
                            size_t rows, size_t samples, uint64_t seed, uint32_t device,
                            struct kl_pool *pool, struct kl_course *course, struct kl_error *err)
{
    struct source o = { .n_bits = n_bits,
                        .n_wide = n_bits < KL_WIDE ? n_bits : KL_WIDE,
                        .rows = rows,
                        .words = (rows + 63) / 64,
                        .seed = seed,
                        .device = device };
    for (size_t s = 0; s < KL_N_LEGACY; s++) mean[s] = q95[s] = NAN;
    while ((size_t)1 << o.width < n_symbols) o.width++;
    if (o.width > MOST_WIDTH || !samples) return KL_OK;
    if (n_bits * DIGITS > UINT32_MAX / (o.words / 2 + 1))
        return kl_fail(
            err, KL_EDATA,
            "%zu rows of %zu bits are too many for samples of one device, expected about 2^34 bits "
            "at most; leave these out: --scores chi_square,accuracy",
            rows, n_bits);
    chances(&o, p);
    return sample_all(mean, q95, &o, samples, pool, course, err);
}
