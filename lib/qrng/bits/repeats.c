/* SPDX-License-Identifier: MIT
   Rows that came before: copies of a file, or of a part of it, which no test by rows may meet. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "qrng/bits/bits.h"

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

/* Of each device the rows that occur more than once, among those of all. */
static int count_repeated(size_t *repeated, const struct kl_bits *bits, struct kl_error *err)
{
    const size_t n = bits->n_rows;
    struct hashed *rows = malloc(n * sizeof *rows);
    if (!rows) return kl_fail_memory(err, n * sizeof *rows);
    for (size_t r = 0; r < n; r++) rows[r] = (struct hashed){ hash_row(bits, r), r };
    qsort(rows, n, sizeof *rows, by_hash);
    for (size_t i = 0; i < n; i++)
        repeated[bits->device[rows[i].row]] += (i && equal(bits, rows + i - 1, rows + i)) ||
                                               (i + 1 < n && equal(bits, rows + i, rows + i + 1));
    free(rows);
    return KL_OK;
}

/* Counts at one place over a device's rows: of ones, and of ones that follow a one and a zero. */
struct place {
    uint32_t ones, after_one, after_zero;
};

static void add_row(struct place *places, const uint64_t *row, size_t n_bits)
{
    uint32_t before = 0;
    for (size_t j = 0; j < n_bits; j++) {
        const uint32_t bit = row[j / 64] >> (j % 64) & 1;
        places[j].ones += bit;
        places[j].after_one += bit & before;
        places[j].after_zero += bit & ~before;
        before = bit;
    }
}

static double square(uint64_t part, uint64_t of)
{
    const double share = of ? (double)part / (double)of : 0;
    return share * share;
}

/* Probability that two rows of a chain with these steps are equal: the sum of squares over all its
   paths. */
static double coincidence(const struct place *places, uint64_t rows, size_t n_bits)
{
    double zero = square(rows - places[0].ones, rows), one = square(places[0].ones, rows);
    for (size_t j = 1; j < n_bits; j++) {
        const uint64_t ones = places[j - 1].ones, zeros = rows - ones;
        const double before = zero;
        zero = before * square(zeros - places[j].after_zero, zeros) +
               one * square(ones - places[j].after_one, ones);
        one = before * square(places[j].after_zero, zeros) + one * square(places[j].after_one, ones);
    }
    return zero + one;
}

/* Rows of one device after those of another, in `order`; device d's end before ends[d]. */
static void order_rows(size_t *order, size_t *ends, const struct kl_bits *bits)
{
    size_t at = 0;
    kl_bits_count_rows(ends, bits);
    for (int d = 0; d < bits->n_devices; d++) {
        const size_t n = ends[d];
        ends[d] = at;
        at += n;
    }
    for (size_t r = 0; r < bits->n_rows; r++) order[ends[bits->device[r]]++] = r;
}

/* q of each device, and how many rows it has. */
static int coincidences(double *q, size_t *rows, const struct kl_bits *bits, struct kl_error *err)
{
    const size_t n = (size_t)bits->n_devices;
    struct place *places = malloc(bits->n_bits * sizeof *places);
    size_t *order = malloc((bits->n_rows + n) * sizeof *order),
           *ends = order ? order + bits->n_rows : NULL;
    int code = places && order ? KL_OK : kl_fail_memory(err, bits->n_bits * sizeof *places);
    if (!code) order_rows(order, ends, bits);
    for (size_t d = 0, r = 0; !code && d < n; d++) {
        memset(places, 0, bits->n_bits * sizeof *places);
        for (rows[d] = ends[d] - r; r < ends[d]; r++)
            add_row(places, kl_bits_row(bits, order[r]), bits->n_bits);
        q[d] = coincidence(places, rows[d], bits->n_bits);
        if (kl_signals_pending()) code = kl_fail(err, KL_ESIGNAL, "stopped");
    }
    free(places), free(order);
    return code;
}

/* Of device d: pairs of its rows with others, each as likely equal as q allows. Rows of two devices a, b
   are so less often than either's own, as sum ab <= sqrt(sum aa sum bb). */
static double expect(const double *q, const size_t *rows, size_t n, size_t d)
{
    double partners = -sqrt(q[d]);
    for (size_t e = 0; e < n; e++) partners += (double)rows[e] * sqrt(q[e]);
    return (double)rows[d] * fmin(1, sqrt(q[d]) * partners);
}

int kl_bits_repeats(struct kl_bits_repeats *r, const struct kl_bits *bits, struct kl_error *err)
{
    const size_t n = (size_t)bits->n_devices;
    size_t *repeated = calloc(2 * n, sizeof *repeated), *rows = repeated ? repeated + n : NULL;
    double *q = calloc(n, sizeof *q);
    *r = (struct kl_bits_repeats){ .n_rows = bits->n_rows };
    int code = repeated && q ? KL_OK : kl_fail_memory(err, 3 * n * sizeof *q);
    if (!code) code = count_repeated(repeated, bits, err);
    for (size_t d = 0; !code && d < n; d++) r->n += repeated[d];
    if (!code && r->n) code = coincidences(q, rows, bits, err);
    for (size_t d = 0; !code && r->n && d < n; d++) {
        const double expected = expect(q, rows, n, d);
        r->expected += expected;
        r->copies |= (double)repeated[d] > 100 * (double)n * expected;
    }
    free(repeated), free(q);
    return code;
}

int kl_bits_note_repeats(const struct kl_log *log, const struct kl_bits *bits, bool all,
                         struct kl_error *err)
{
    struct kl_bits_repeats r;
    const int code = kl_bits_repeats(&r, bits, err);
    if (code || !r.copies) return code;
    kl_caution(
        log,
        "%zu of %s%zu rows occur more than once, where chance makes at most %.1f do so if a bit "
        "depends on its place and the bit before; where copies of a row train and judge, accuracies "
        "and tests by rows are worthless",
        r.n, all ? "" : "the first ", r.n_rows, r.expected);
    return KL_OK;
}
