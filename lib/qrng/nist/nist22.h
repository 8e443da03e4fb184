/* SPDX-License-Identifier: MIT
   nist22: the fifteen tests of NIST SP 800-22 rev. 1a (Rukhin et al. 2010,
   doi:10.6028/NIST.SP.800-22r1a) that a bit sequence is random. First the whole suite, then its tests
   one by one. Sections are the publication's. Bits are bytes 0 or 1, n of them. The tests ask whether
   bits look uniform and independent: a p is no measure of entropy, and what passes may be a generator
   without any. */
#ifndef KL_QRNG_NIST_NIST22_H
#define KL_QRNG_NIST_NIST22_H

#include "base/base.h"

/* ---- the suite (nist22.c) ---- */
enum {
    KL_NIST22_TESTS = 15,
    KL_NIST22_VALUES = 188, /* p-values of all tests: 148 are those of the templates */
    KL_NIST22_WHY = 96,
    KL_NIST22_TEMPLATES = 148, /* aperiodic ones of 9 bits */
    KL_NIST22_EXCURSIONS = 8,  /* states -4 .. -1, 1 .. 4 */
    KL_NIST22_VARIANTS = 18    /* states -9 .. -1, 1 .. 9 */
};
/* Names of the tests, and where their values lie among all. */
struct kl_nist22_test {
    const char *name;
    int first, n;
};
extern const struct kl_nist22_test kl_nist22_tests[KL_NIST22_TESTS];
/* Which of a test's values one is: "000000001", "-4", "forward"; "" if it has one. value: of all. */
enum { KL_NIST22_PART = 16 };
void kl_nist22_part(char part[KL_NIST22_PART], int value);

struct kl_nist22_value {
    double statistic, log10_p;
};
struct kl_nist22 {
    struct kl_nist22_value values[KL_NIST22_VALUES]; /* NaN where the test is not applicable */
    char why[KL_NIST22_TESTS][KL_NIST22_WHY];        /* "" or why the test is not applicable */
};
/* All tests with the parameters of NIST's own suite, made smaller where n is small: M = 128 of the block
   frequency, 9-bit templates, M = 500 of the linear complexity, m = min(16, floor(log2 n) - 3) of the
   serial test and min(10, floor(log2 n) - 6) of the approximate entropy. A test whose input is shorter
   than the publication recommends is not applicable; so are the runs of a sequence that has failed the
   frequency test (section 2.3.4) and excursions of fewer than max(500, .005 sqrt(n)) cycles (2.14.4).
   KL_ENOMEM. */
int kl_nist22(struct kl_nist22 *result, const uint8_t *bits, size_t n, struct kl_error *err);

/* Section 4.2 over m sequences, of one p-value: [m] log10_p, NaN: not applicable. */
struct kl_nist22_many {
    size_t sequences, passed; /* to which the test was applicable; with p >= 0.01 */
    double low, high;    /* the proportion that passes should lie within: .99 -+ 3 standard errors */
    double uniformity_p; /* chi-squared over ten bins; NaN of fewer than 55 sequences */
};
void kl_nist22_many(struct kl_nist22_many *result, const double *log10_p, size_t m);

/* ---- the tests: sections 2.1 to 2.15 ---- */
struct kl_nist22_value kl_nist22_frequency(const uint8_t *bits, size_t n);
struct kl_nist22_value kl_nist22_block_frequency(const uint8_t *bits, size_t n, size_t block);
struct kl_nist22_value kl_nist22_runs(const uint8_t *bits, size_t n);
/* Blocks of 8, 128 or 10,000 bits, as n says; n >= 128. */
struct kl_nist22_value kl_nist22_longest_run(const uint8_t *bits, size_t n);
/* 32 x 32 matrices. */
struct kl_nist22_value kl_nist22_rank(const uint8_t *bits, size_t n);
/* The statistic is d. KL_ENOMEM. */
int kl_nist22_spectral(struct kl_nist22_value *value, const uint8_t *bits, size_t n,
                       struct kl_error *err);
/* Of all 2^m patterns in `blocks` (at most 8) blocks, m <= 9: values [2^m], pattern's first bit the most
   significant. Right only for aperiodic ones, which cannot overlap themselves. */
void kl_nist22_nonoverlapping(struct kl_nist22_value *values, const uint8_t *bits, size_t n, int m,
                              int blocks);
bool kl_nist22_aperiodic(unsigned pattern, int m);
/* Runs of m ones in blocks; law [6]: probabilities of 0 .. 4, and of more, occurrences in a block.
   counts [6] is set. */
struct kl_nist22_value kl_nist22_overlapping(size_t counts[6], const uint8_t *bits, size_t n, int m,
                                             size_t block, const double law[6]);
/* The exact law, m <= 16. */
void kl_nist22_overlapping_law(double law[6], int m, size_t block);
/* The statistic is f_n; L = `length` <= 16 bits a block, `warm` (Q) of them to begin with. KL_ENOMEM. */
int kl_nist22_universal(struct kl_nist22_value *value, const uint8_t *bits, size_t n, int length,
                        size_t warm, struct kl_error *err);
/* counts [7] is set. block <= 5000. */
struct kl_nist22_value kl_nist22_linear_complexity(size_t counts[7], const uint8_t *bits, size_t n,
                                                   size_t block);
/* Linear complexity of n <= 5000 bits by Berlekamp and Massey (1969, doi:10.1109/TIT.1969.1054260). */
size_t kl_nist22_complexity(const uint8_t *bits, size_t n);
/* values [2]: of the first and second difference of psi squared, 2 <= m <= 24. KL_ENOMEM. */
int kl_nist22_serial(struct kl_nist22_value values[2], const uint8_t *bits, size_t n, int m,
                     struct kl_error *err);
/* The statistic is chi-squared, m <= 23. KL_ENOMEM. */
int kl_nist22_approximate_entropy(struct kl_nist22_value *value, const uint8_t *bits, size_t n, int m,
                                  struct kl_error *err);
/* The statistic is z, the largest partial sum. */
struct kl_nist22_value kl_nist22_cumulative_sums(const uint8_t *bits, size_t n, bool backward);
/* J, the number of cycles of the walk; values [8] and [18] by state. The variant's statistic is xi. */
size_t kl_nist22_excursions(struct kl_nist22_value values[KL_NIST22_EXCURSIONS], const uint8_t *bits,
                            size_t n);
size_t kl_nist22_variants(struct kl_nist22_value values[KL_NIST22_VARIANTS], const uint8_t *bits,
                          size_t n);

#endif
