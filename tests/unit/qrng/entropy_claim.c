/* SPDX-License-Identifier: MIT
   Min-entropy that is vouched for against the commonest words. Thresholds and estimates: SciPy's
   binom.logsf over 278 words (2 + 4 + 16 + 256) and the formula of SP 800-90B, 6.3.1. */
#include "qrng/extractor/extractor.h"

#include <math.h>
#include <stdlib.h>

#include "../check.h"
#include "kernels/inline/philox.h"
#include "qrng/bits/bits.h"

enum { ROWS = 20000 };
static uint64_t words[2 * ROWS];
static int32_t device[ROWS];

static struct kl_entropy_verdict judge(double entropy, size_t n_rows, size_t n_bits, int symbol_bits)
{
    const struct kl_bits block = { .n_rows = n_rows,
                                   .n_bits = n_bits,
                                   .words_per_row = (n_bits + 63) / 64,
                                   .words = words,
                                   .device = device,
                                   .symbol_bits = symbol_bits };
    struct kl_entropy_claim c = { .entropy = entropy };
    struct kl_error err = { 0 };
    CHECK(kl_extractor_entropy_claim_take(&c, &block, &err) == 0, "%s", err.text);
    const struct kl_entropy_verdict of = kl_extractor_entropy_claim_judge(&c);
    kl_extractor_entropy_claim_free(&c);
    return of;
}

static void near(const char *what, double found, double want)
{
    CHECK(fabs(found - want) < 1e-12, "%s: found %.17g, expected %.17g", what, found, want);
}

static void expect(struct kl_entropy_verdict of, bool refuted, int width, unsigned word, uint64_t count,
                   uint64_t n)
{
    CHECK(of.refuted == refuted && of.width == width && of.word == word && of.count == count &&
              of.words == n,
          "refuted %d, width %d, word %u, %llu of %llu", of.refuted, of.width, of.word,
          (unsigned long long)of.count, (unsigned long long)of.words);
}

/* Rows of one bit have no wider words: 10,000 of them of which so many are 0. */
static struct kl_entropy_verdict of_bits(size_t zeros, double entropy)
{
    for (size_t r = 0; r < 10000; r++) words[r] = r >= zeros;
    return judge(entropy, 10000, 1, 1);
}

static void check_bits(void)
{
    expect(of_bits(5700, 0.9), false, 1, 0, 5700, 10000);
    expect(of_bits(5701, 0.9), true, 1, 0, 5701, 10000);
    expect(of_bits(4299, 0.9), true, 1, 1, 5701, 10000);
    near("6.3.1", of_bits(5701, 0.9).most, 0.7787949734628347);
    near("6.3.1 of fair bits", of_bits(5000, 0.9).most, 0.9633049693948109);
    expect(of_bits(5701, 0.77), false, 1, 0, 5701, 10000);
    near("6.3.1 of none", of_bits(10000, 0.01).most, 0);
}

/* 1,250 bytes, all alike but for one that comes so often. */
static struct kl_entropy_verdict of_bytes(size_t common)
{
    for (size_t r = 0; r < 1250; r++) words[r] = r < common ? 0x5a : 0x5b + r % 255;
    for (size_t r = 0; r < 1250; r++) words[r] &= 255;
    return judge(0.9, 1250, 8, 1);
}

static void check_words(void)
{
    expect(of_bytes(36), true, 8, 0x5a, 36, 1250);
    near("6.3.1 of bytes", of_bytes(36).most, 0.5760716030395236);
    const struct kl_entropy_verdict of = of_bytes(35); /* of single bits */
    CHECK(!of.refuted && of.width == 1 && of.most > 0.9, "width %d, %g", of.width, of.most);
}

/* Three of four symbols, each a third: 0.79 bits a bit, and of single bits 0.58, as a bit is 1 in a
   third. */
static void check_symbols(void)
{
    for (size_t r = 0; r < 3000; r++) {
        uint32_t drawn[4];
        words[r] = 0;
        for (size_t k = 0; k < 8; k++) {
            kl_philox(drawn, 5, (uint32_t)r, (uint32_t)k, 0, 0);
            words[r] |= (uint64_t)(drawn[0] % 3) << (2 * k);
        }
    }
    CHECK(!judge(0.78, 3000, 16, 2).refuted);
    CHECK(judge(0.78, 3000, 16, 1).refuted);
    CHECK(judge(0.85, 3000, 16, 2).refuted);
}

/* Words of all widths and what is left of a row; symbols of three bits lie across two words. */
static void check_rows(void)
{
    for (size_t r = 0; r < 2 * ROWS; r++) words[r] = UINT64_MAX;
    expect(judge(0.5, 100, 13, 1), true, 1, 1, 1300, 1300);
    for (size_t i = 0; i < 200 * 64; i++) /* rows of 128 bits: 1, 0, 1 up to bit 66 */
        if (i % 128 % 3 == 1) words[i / 64] &= ~(UINT64_C(1) << (i % 64));
    expect(judge(0.5, 100, 66, 3), true, 3, 5, 2200, 2200);
    for (size_t r = 0; r < 100; r++) words[r] = r % 2 ? 0x0fff : 0x1000; /* 8 + 4 + 1 bits */
    expect(judge(0.9, 100, 13, 1), true, 8, 0, 50, 100);
}

/* The worse of two devices. */
static void check_devices(void)
{
    for (size_t r = 0; r < 10000; r++) words[r] = r % 4 < 2, device[r] = r % 2;
    CHECK(!judge(0.9, 10000, 1, 1).refuted);
    for (size_t r = 1; r < 10000; r += 2) words[r] = 1;
    const struct kl_entropy_verdict of = judge(0.9, 10000, 1, 1);
    expect(of, true, 1, 1, 5000, 5000);
    CHECK(of.device == 1);
    /* Of twice as many comparisons 5,701 are too few; of few bits nothing is known, nor refuted. */
    for (size_t r = 0; r < 10020; r++) words[r] = r >= 5701 && r % 2, device[r] = r >= 10000;
    for (size_t r = 5701; r < 10000; r++) words[r] = 1;
    CHECK(!judge(0.9, 10020, 1, 1).refuted);
    for (size_t r = 5701; r < 5800; r++) words[r] = 0;
    const struct kl_entropy_verdict first = judge(0.9, 10020, 1, 1);
    expect(first, true, 1, 0, 5800, 10000);
    near("6.3.1 of 20 bits", first.most, -log2(0.5 + 2.576 * 0.5 / sqrt(19)));
    for (size_t r = 0; r < ROWS; r++) device[r] = 0;
}

/* 2^14 words of a device, and one row at least. */
static void check_first_rows(void)
{
    struct kl_first_rows f = { 0 };
    struct kl_bits block = { .n_rows = ROWS,
                             .n_bits = 64,
                             .words_per_row = 1,
                             .words = words,
                             .device = device,
                             .symbol_bits = 1 };
    struct kl_error err = { 0 };
    for (size_t r = 0; r < ROWS; r++) words[r] = r, device[r] = r >= ROWS - 10;
    CHECK(kl_bits_first_rows_take(&f, &block, &err) == 0, "%s", err.text);
    CHECK(f.bits.n_rows == 16394 && f.bits.n_devices == 2 && !f.all, "%zu rows", f.bits.n_rows);
    CHECK(f.bits.words[16383] == 16383 && f.bits.words[16384] == ROWS - 10 && f.bits.device[16384] == 1);
    kl_bits_first_rows_free(&f);
    block.n_rows = 10;
    CHECK(kl_bits_first_rows_take(&f, &block, &err) == 0 && f.bits.n_rows == 10 && f.all);
    kl_bits_first_rows_free(&f);
    block.n_rows = 2, block.n_bits = 64 * ROWS, block.words_per_row = ROWS; /* more than the first may */
    CHECK(kl_bits_first_rows_take(&f, &block, &err) == 0 && f.bits.n_rows == 1 && !f.all);
    kl_bits_first_rows_free(&f);
    for (size_t r = 0; r < ROWS; r++) device[r] = 0;
}

int main(void)
{
    check_bits();
    check_words();
    check_symbols();
    check_rows();
    check_devices();
    check_first_rows();
    return failures != 0;
}
