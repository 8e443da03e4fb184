/* SPDX-License-Identifier: MIT
   Rows that came before: copies of a file, or of a part of it, which no test by rows may meet. */
#include <stdlib.h>
#include <string.h>

#include "qrng/bits.h"

struct hashed {
    uint64_t hash;
    size_t row;
};

/* Half of it: equal ones are compared. */
static uint64_t hash_row(const struct kl_bits *bits, size_t r)
{
    unsigned char digest[16];
    uint64_t hash;
    kl_xxh128(digest, kl_bits_row(bits, r), bits->words_per_row * sizeof(uint64_t));
    memcpy(&hash, digest, sizeof hash);
    return hash;
}

static int by_hash(const void *a, const void *b)
{
    const struct hashed *x = a, *y = b;
    if (x->hash != y->hash) return x->hash < y->hash ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

static bool equal(const struct kl_bits *bits, const struct hashed *a, const struct hashed *b)
{
    return a->hash == b->hash && memcmp(kl_bits_row(bits, a->row), kl_bits_row(bits, b->row),
                                        bits->words_per_row * sizeof(uint64_t)) == 0;
}

/* Rows of all devices that occur more than once. */
static int count_repeated(size_t *repeated, const struct kl_bits *bits, struct kl_error *err)
{
    const size_t n = bits->n_rows;
    struct hashed *rows = malloc(n * sizeof *rows);
    if (!rows) return kl_fail_memory(err, n * sizeof *rows);
    for (size_t r = 0; r < n; r++) rows[r] = (struct hashed){ hash_row(bits, r), r };
    qsort(rows, n, sizeof *rows, by_hash);
    *repeated = 0;
    for (size_t i = 0; i < n; i++)
        *repeated += (i && equal(bits, rows + i - 1, rows + i)) ||
                     (i + 1 < n && equal(bits, rows + i, rows + i + 1));
    free(rows);
    return KL_OK;
}

struct steps {
    uint64_t rows, first_ones;
    uint64_t from_one, to_one, both; /* of the n_bits - 1 steps of each row */
};

static void add_row(struct steps *s, const uint64_t *row, size_t n_bits)
{
    s->rows++;
    s->first_ones += row[0] & 1;
    for (size_t j = 0; j + 1 < n_bits; j += 64) {
        const size_t left = n_bits - 1 - j;
        const uint64_t mask = left < 64 ? ((uint64_t)1 << left) - 1 : ~(uint64_t)0;
        const uint64_t x = row[j / 64];
        const uint64_t next = x >> 1 | (left >= 64 ? row[j / 64 + 1] << 63 : 0);
        s->from_one += (uint64_t)__builtin_popcountll(x & mask);
        s->to_one += (uint64_t)__builtin_popcountll(next & mask);
        s->both += (uint64_t)__builtin_popcountll(x & next & mask);
    }
}

static double square(uint64_t part, uint64_t of)
{
    const double share = of ? (double)part / (double)of : 0;
    return share * share;
}

/* Probability that two rows of this chain are equal: the sum of squares over all its paths. */
static double coincidence(const struct steps *s, size_t n_bits)
{
    const uint64_t from_zero = s->rows * (n_bits - 1) - s->from_one, zero_one = s->to_one - s->both;
    const double p01 = square(zero_one, from_zero), p00 = square(from_zero - zero_one, from_zero);
    const double p11 = square(s->both, s->from_one), p10 = square(s->from_one - s->both, s->from_one);
    double zero = square(s->rows - s->first_ones, s->rows), one = square(s->first_ones, s->rows);
    for (size_t j = 1; j < n_bits; j++) {
        const double before = zero;
        zero = before * p00 + one * p10;
        one = before * p01 + one * p11;
    }
    return zero + one;
}

/* Of the device whose rows coincide most often. Rows of two devices a, b do so less often than that, as
   sum ab <= sqrt(sum aa sum bb). */
static int most_coincident(double *most, const struct kl_bits *bits, struct kl_error *err)
{
    const size_t n = (size_t)bits->n_devices;
    struct steps *steps = calloc(n, sizeof *steps);
    if (!steps) return kl_fail_memory(err, n * sizeof *steps);
    for (size_t r = 0; r < bits->n_rows; r++)
        add_row(&steps[bits->device[r]], kl_bits_row(bits, r), bits->n_bits);
    *most = 0;
    for (size_t d = 0; d < n; d++) {
        const double p = coincidence(&steps[d], bits->n_bits);
        if (p > *most) *most = p;
    }
    free(steps);
    return KL_OK;
}

int kl_bits_repeats(struct kl_bits_repeats *r, const struct kl_bits *bits, struct kl_error *err)
{
    double most = 0;
    *r = (struct kl_bits_repeats){ .n_rows = bits->n_rows };
    int code = count_repeated(&r->n, bits, err);
    if (!code && r->n) code = most_coincident(&most, bits, err);
    r->expected = most * (double)r->n_rows * (double)(r->n_rows - 1);
    r->copies = r->expected < 0.01 * (double)r->n;
    return code;
}

int kl_bits_note_repeats(const struct kl_log *log, const struct kl_bits *bits, struct kl_error *err)
{
    struct kl_bits_repeats r;
    const int code = kl_bits_repeats(&r, bits, err);
    if (code || !r.copies) return code;
    kl_note(log, 1,
            "%zu of %zu rows occur more than once, where chance makes at most %.1f do so; where copies "
            "of a row train and judge, accuracies and tests by rows are worthless",
            r.n, r.n_rows, r.expected);
    return KL_OK;
}
