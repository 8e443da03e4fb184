/* SPDX-License-Identifier: MIT
   Rows that occur more than once, against all pairs of rows compared; the bound on those that chance
   makes, against closed forms and against rows that were drawn. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../check.h"
#include "kernels/inline/philox.h"
#include "qrng/bits/bits.h"

/* Two devices by turns; a bit is 1, or as the one before it, by `stays`. */
static struct kl_bits draw(size_t rows, size_t n_bits, double one, double stays, uint64_t seed)
{
    struct kl_bits b = { .n_rows = rows, .n_bits = n_bits, .n_devices = 2, .symbol_bits = 1 };
    b.words_per_row = (n_bits + 63) / 64;
    b.words = calloc(rows * b.words_per_row, sizeof *b.words);
    b.device = calloc(rows, sizeof *b.device);
    if (!b.words || !b.device) abort();
    for (size_t r = 0; r < rows; r++) {
        uint64_t bit = 0;
        b.device[r] = (int32_t)(r % 2);
        for (size_t j = 0; j < n_bits; j++) {
            uint32_t w[4];
            kl_philox(w, seed, (uint32_t)j, 999, (uint32_t)r, 0);
            if (j == 0 || kl_philox_unit(w[0]) >= stays) bit = kl_philox_unit(w[1]) < one;
            b.words[r * b.words_per_row + j / 64] |= bit << (j % 64);
        }
    }
    return b;
}

static size_t count_slowly(const struct kl_bits *b)
{
    size_t n = 0;
    for (size_t r = 0; r < b->n_rows; r++) {
        size_t same = 0;
        for (size_t s = 0; s < b->n_rows; s++)
            same += memcmp(kl_bits_row(b, r), kl_bits_row(b, s), b->words_per_row * 8) == 0;
        n += same > 1;
    }
    return n;
}

static struct kl_bits_repeats ask(const struct kl_bits *b)
{
    struct kl_bits_repeats r = { 0 };
    struct kl_error err = { 0 };
    CHECK(kl_bits_repeats(&r, b, &err) == KL_OK, "%s", err.text);
    CHECK(r.n == count_slowly(b) && r.n_rows == b->n_rows, "%zu", r.n);
    return r;
}

/* Chance repeats are no copies, whatever the law: short rows, biased ones, ones that stay as they
   are. */
static void check_chance(void)
{
    static const struct {
        size_t n_bits;
        double one, stays;
    } laws[] = { { 1, 0.5, 0 },  { 9, 0.5, 0 },     { 16, 0.5, 0 },     { 65, 0.9, 0 },
                 { 64, 0, 0 },   { 100, 0.5, 0.9 }, { 129, 0.5, 0.97 }, { 200, 0.02, 0 },
                 { 64, 0.5, 0 }, { 20, 0.7, 0.3 } };
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        struct kl_bits b = draw(300, laws[i].n_bits, laws[i].one, laws[i].stays, i);
        const struct kl_bits_repeats r = ask(&b);
        CHECK(!r.copies, "law %zu: %zu, %g", i, r.n, r.expected);
        if (r.n > 3) CHECK((double)r.n < 1.1 * r.expected, "law %zu: %zu, %g", i, r.n, r.expected);
        kl_bits_free(&b);
    }
}

/* A law that depends on the place: symbols of two bits that are equal; the same bits before a few fair
   ones. */
static void check_places(void)
{
    static const size_t n_bits[] = { 24, 136 };
    for (int fixed = 0; fixed < 2; fixed++) {
        struct kl_bits b = draw(1000, n_bits[fixed], 0.5, 0, 11);
        for (size_t r = 0; r < b.n_rows; r++) {
            uint64_t *w = b.words + r * b.words_per_row;
            if (fixed) w[0] = w[1] = 0xaaaaaaaaaaaaaaaa;
            else w[0] = (w[0] & 0x555555) | (w[0] & 0x555555) << 1;
        }
        const struct kl_bits_repeats r = ask(&b);
        CHECK(r.n > 100 && !r.copies, "%zu, %g", r.n, r.expected);
        CHECK((double)r.n < 1.1 * r.expected, "%zu, %g", r.n, r.expected);
        kl_bits_free(&b);
    }
}

/* Of independent bits, p of them 1: q = (p^2 + (1 - p)^2)^n. */
static void check_expected(void)
{
    for (size_t n_bits = 40; n_bits <= 98; n_bits += 29) {
        struct kl_bits b = draw(2000, n_bits, 0.9, 0, 7);
        memcpy(b.words + b.words_per_row, b.words, b.words_per_row * sizeof *b.words);
        struct kl_bits_repeats r = { 0 };
        struct kl_error err = { 0 };
        CHECK(kl_bits_repeats(&r, &b, &err) == KL_OK, "%s", err.text);
        const double q = pow(0.82, (double)n_bits), of = r.expected / (2000.0 * 1999);
        CHECK(fabs(log(of / q)) < 0.02 * (double)n_bits, "%zu bits: %g, %g", n_bits, of, q);
        CHECK(of >= 0.95 * q, "%zu bits: %g, %g", n_bits, of, q);
        kl_bits_free(&b);
    }
}

/* Two rows of two devices, or of one, are enough where bits are many; a bit apart they are no copies. */
static void check_copies(void)
{
    for (size_t to = 1; to <= 2; to++) {
        struct kl_bits b = draw(300, 100, 0.5, 0, 3);
        CHECK(!ask(&b).copies);
        memcpy(b.words + to * 2, b.words, 2 * sizeof *b.words);
        struct kl_bits_repeats r = ask(&b);
        CHECK(r.copies && r.n == 2 && r.expected < 1e-20, "%zu, %g", r.n, r.expected);
        b.words[to * 2 + 1] ^= (uint64_t)1 << 35;
        CHECK(ask(&b).n == 0);
        kl_bits_free(&b);
    }
}

/* A device whose rows are all equal does not hide the copies of another. */
static void check_stuck(void)
{
    struct kl_bits b = draw(301, 100, 0.5, 0, 5);
    for (size_t r = 1; r < b.n_rows; r += 2)
        memset(b.words + r * b.words_per_row, 0, b.words_per_row * sizeof *b.words);
    struct kl_bits_repeats r = ask(&b);
    CHECK(!r.copies && r.n == 150 && fabs(r.expected - 150) < 1e-9, "%zu, %g", r.n, r.expected);
    memcpy(b.words + 4 * b.words_per_row, b.words, b.words_per_row * sizeof *b.words);
    r = ask(&b);
    CHECK(r.copies && r.n == 152, "%zu, %g", r.n, r.expected);
    kl_bits_free(&b);
}

int main(void)
{
    check_chance();
    check_places();
    check_stuck();
    check_expected();
    check_copies();
    return failures != 0;
}
