/* SPDX-License-Identifier: MIT
   nist: the standards SP 800-22 and SP 800-90B, and what they say of devices that deliver bits. */
#ifndef KL_QRNG_NIST_NIST_H
#define KL_QRNG_NIST_NIST_H

#include "qrng/bits/bits.h"

/* ==== SP 800-22 ==== */
/* The fifteen tests of NIST SP 800-22 rev. 1a (Rukhin et al. 2010, doi:10.6028/NIST.SP.800-22r1a)
   that a bit sequence is random. First the whole suite, then its tests one by one. Sections are the
   publication's. Bits are bytes 0 or 1, n of them. The tests ask whether bits look uniform and
   independent: a p is no measure of entropy, and what passes may be a generator without any. */

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
/* The name of one of a test's values: "000000001", "-4", "forward"; "" if it has one. value: of all. */
enum { KL_NIST22_PART = 16 };
void kl_nist_sp22_part(char part[KL_NIST22_PART], int value);

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
int kl_nist_sp22(struct kl_nist22 *result, const uint8_t *bits, size_t n, struct kl_error *err);

/* Section 4.2 over m sequences, of one p-value: [m] log10_p, NaN: not applicable. */
struct kl_nist22_many {
    size_t sequences, passed; /* to which the test was applicable; with p >= 0.01 */
    double low, high;    /* the proportion that passes should lie within: .99 -+ 3 standard errors */
    double uniformity_p; /* chi-squared over ten bins; NaN of fewer than 55 sequences */
};
void kl_nist_sp22_many(struct kl_nist22_many *result, const double *log10_p, size_t m);

/* ---- the tests: sections 2.1 to 2.15 ---- */
struct kl_nist22_value kl_nist_sp22_frequency(const uint8_t *bits, size_t n);
struct kl_nist22_value kl_nist_sp22_block_frequency(const uint8_t *bits, size_t n, size_t block);
struct kl_nist22_value kl_nist_sp22_runs(const uint8_t *bits, size_t n);
/* Blocks of 8, 128 or 10,000 bits, as n says; n >= 128. */
struct kl_nist22_value kl_nist_sp22_longest_run(const uint8_t *bits, size_t n);
/* 32 x 32 matrices. */
struct kl_nist22_value kl_nist_sp22_rank(const uint8_t *bits, size_t n);
/* The statistic is d. KL_ENOMEM. */
int kl_nist_sp22_spectral(struct kl_nist22_value *value, const uint8_t *bits, size_t n,
                          struct kl_error *err);
/* Of all 2^m patterns in `blocks` (at most 8) blocks, m <= 9: values [2^m], pattern's first bit the most
   significant. Right only for aperiodic ones, which cannot overlap themselves. */
void kl_nist_sp22_nonoverlapping(struct kl_nist22_value *values, const uint8_t *bits, size_t n, int m,
                                 int blocks);
bool kl_nist_sp22_aperiodic(unsigned pattern, int m);
/* Runs of m ones in blocks; law [6]: probabilities of 0 .. 4, and of more, occurrences in a block.
   counts [6] is set. */
struct kl_nist22_value kl_nist_sp22_overlapping(size_t counts[6], const uint8_t *bits, size_t n, int m,
                                                size_t block, const double law[6]);
/* The exact law, m <= 16. */
void kl_nist_sp22_overlapping_law(double law[6], int m, size_t block);
/* The statistic is f_n; L = `length` <= 16 bits a block, `warm` (Q) of them to begin with. KL_ENOMEM. */
int kl_nist_sp22_universal(struct kl_nist22_value *value, const uint8_t *bits, size_t n, int length,
                           size_t warm, struct kl_error *err);
/* counts [7] is set. block <= 5000. */
struct kl_nist22_value kl_nist_sp22_linear_complexity(size_t counts[7], const uint8_t *bits, size_t n,
                                                      size_t block);
/* Linear complexity of n <= 5000 bits by Berlekamp and Massey (1969, doi:10.1109/TIT.1969.1054260). */
size_t kl_nist_sp22_complexity(const uint8_t *bits, size_t n);
/* values [2]: of the first and second difference of psi squared, 2 <= m <= 24. KL_ENOMEM. */
int kl_nist_sp22_serial(struct kl_nist22_value values[2], const uint8_t *bits, size_t n, int m,
                        struct kl_error *err);
/* The statistic is chi-squared, m <= 23. KL_ENOMEM. */
int kl_nist_sp22_approximate_entropy(struct kl_nist22_value *value, const uint8_t *bits, size_t n, int m,
                                     struct kl_error *err);
/* The statistic is z, the largest partial sum. */
struct kl_nist22_value kl_nist_sp22_cumulative_sums(const uint8_t *bits, size_t n, bool backward);
/* J, the number of cycles of the walk; values [8] and [18] by state. The variant's statistic is xi. */
size_t kl_nist_sp22_excursions(struct kl_nist22_value values[KL_NIST22_EXCURSIONS], const uint8_t *bits,
                               size_t n);
size_t kl_nist_sp22_variants(struct kl_nist22_value values[KL_NIST22_VARIANTS], const uint8_t *bits,
                             size_t n);

/* ==== SP 800-90B: min-entropy ==== */
/* Min-entropy of a noise source by NIST SP 800-90B (Turan et al. 2018, doi:10.6028/NIST.SP.800-90B),
   sections 3.1.4, 5 and 6.3 of it. First all estimates of a source at once, then each. Every
   estimate is a lower one only if the source is as its estimator supposes; the assessed entropy is
   the least of them, and even that holds for no source that was built to deceive them. */

/* The data of an estimate: n symbols below k, each of which occurs; k <= 256. */
struct kl_symbols {
    const uint8_t *s;
    size_t n;
    int k;
};
/* The symbols' numbers without gaps, in place, and how many there are: k. */
int kl_nist_symbols_close(uint8_t *s, size_t n);

/* ---- all estimates (nist90b.c) ---- */
enum {
    KL_NIST90B_MOST_COMMON,
    KL_NIST90B_COLLISION, /* the first four but one are of bits alone */
    KL_NIST90B_MARKOV,
    KL_NIST90B_COMPRESSION,
    KL_NIST90B_TUPLE,
    KL_NIST90B_REPEAT,
    KL_NIST90B_WINDOWS,
    KL_NIST90B_LAG,
    KL_NIST90B_MODELS,
    KL_NIST90B_DICTIONARY,
    KL_NIST90B_ESTIMATES
};
extern const char *const kl_nist90b_names[KL_NIST90B_ESTIMATES];
/* h [KL_NIST90B_ESTIMATES], set: bits a symbol; NaN where one is not applicable (symbols that are no
   bits; too few). Linear in n, but for the sorting of repeats. KL_ENOMEM. */
int kl_nist_sp90b(double *h, const struct kl_symbols *symbols, struct kl_error *err);
/* The least of them that is a number; NaN: none. */
double kl_nist_sp90b_least(const double *h);

/* ---- the estimates: bits a symbol ---- */
/* 6.3.1, from the count of the most common value; n >= 2. */
double kl_nist_sp90b_most_common(size_t count, size_t n);
/* 6.3.2 and 6.3.3, of bits. */
double kl_nist_sp90b_collision(const struct kl_symbols *bits);
double kl_nist_sp90b_markov(const struct kl_symbols *bits);
/* 6.3.4, of bits, the first `warm` (1000) blocks of six only seen. KL_ENOMEM. */
int kl_nist_sp90b_compression(double *h, const struct kl_symbols *bits, size_t warm,
                              struct kl_error *err);
/* 6.3.5 and 6.3.6: tuples that occur at least `cutoff` (35) times, and all longer ones. KL_ENOMEM. */
struct kl_nist90b_tuples {
    double tuple, repeat;  /* NaN: no tuple occurs so often; none occurs twice */
    size_t longest_common; /* t */
    size_t longest_repeat; /* v */
};
int kl_nist_sp90b_tuples(struct kl_nist90b_tuples *result, const struct kl_symbols *symbols,
                         size_t cutoff, struct kl_error *err);

/* Predictors: how often each was right, and what that says (section 6.3.7, steps 4 to 8). */
struct kl_nist90b_prediction {
    size_t predicted, correct, longest; /* longest run of correct ones */
    double global, local;               /* upper bounds of the probability of a correct one */
    double h;
};
/* 6.3.7: the most common value of the last w symbols, four w in rising order (63, 255, 1023, 4095). */
int kl_nist_sp90b_windows(struct kl_nist90b_prediction *p, const struct kl_symbols *symbols,
                          const size_t w[4], struct kl_error *err);
/* 6.3.8: the symbol `lags` (at most 128) places ago. */
void kl_nist_sp90b_lag(struct kl_nist90b_prediction *p, const struct kl_symbols *symbols, int lags);
/* 6.3.9 and 6.3.10: Markov models of up to `depth` (at most 16) symbols before; KL_ENOMEM. */
int kl_nist_sp90b_models(struct kl_nist90b_prediction *p, const struct kl_symbols *symbols, int depth,
                         struct kl_error *err);
int kl_nist_sp90b_dictionary(struct kl_nist90b_prediction *p, const struct kl_symbols *symbols,
                             int depth, struct kl_error *err);

/* ---- what min-entropy is good for ---- */
/* How many bits within 2^-security of uniform (statistical distance) a universal hash makes of bits that
   hold `entropy` bits of min-entropy in all: entropy + 2 - 2 security, rounded down, or 0 (leftover hash
   lemma: Impagliazzo, Levin & Luby 1989, doi:10.1145/73007.73009). The hash must be drawn at random, and
   not from the source. */
size_t kl_nist_leftover_bits(double entropy, double security);

/* ==== SP 800-90B: independence and restarts ==== */
/* Are a source's symbols independent and identically distributed, by NIST SP 800-90B, section 5, and
   does it start alike each time, by section 3.1.4? Symbols are bytes with the values that were
   measured, n of them; bits are symbols without values above 1. */

/* ---- 5.1: permutations (iid.c) ---- */
enum {
    KL_IID_STATISTICS = 19,
    KL_IID_COMPRESSION = KL_IID_STATISTICS - 1, /* the last, which takes most of the time */
    KL_IID_PERMUTATIONS = 2000 /* with fewer 0.05 % is less than one of them: no verdict */
};
extern const char *const kl_iid_names[KL_IID_STATISTICS];
struct kl_iid {
    int64_t taken; /* permutations, so far */
    double statistic[KL_IID_STATISTICS];
    /* How many permutations had a larger, an equal, a smaller one. A statistic is dropped as soon as it
       can no longer fail, so these seldom add up to all permutations. */
    int64_t above[KL_IID_STATISTICS], equal[KL_IID_STATISTICS], below[KL_IID_STATISTICS];
    bool judged;                    /* there is a verdict: what follows */
    bool passed[KL_IID_STATISTICS]; /* not among the 0.05 % largest or smallest */
    int n_failed;
};
/* Permutation i has Philox's numbers of (seed, i) alone. With 10,000 permutations the verdicts are those
   of section 5.1. KL_ENOMEM, KL_ESIGNAL. The source's own statistics; then permutations until `until` of
   them are taken, or none of the statistics can fail any more. watch is told how many are taken and how
   many it will be, by kl_nist_iid_needed. The verdict is there when all are taken. */
int kl_nist_iid_begin(struct kl_iid *result, const uint8_t *s, size_t n, struct kl_error *err);
int kl_nist_iid_go_on(struct kl_iid *result, const uint8_t *s, size_t n, int64_t permutations,
                      int64_t until, int64_t seed, struct kl_pool *pool, const struct kl_watch *watch,
                      struct kl_error *err);
/* How many permutations it will take, by how often each statistic was exceeded on either side so far:
   all of them where one never was. */
int64_t kl_nist_iid_needed(const struct kl_iid *result, int64_t permutations);
/* How many that are on average in independent data, whose statistics lie anywhere among those of
   permutations, and how many of them want the compression. true: several statistics were never exceeded,
   so that the data look dependent: all permutations, at most. */
bool kl_nist_iid_expect(double *taken, double *of_compression, const struct kl_iid *result,
                        int64_t permutations);

/* The statistics of sections 5.1.1 to 5.1.11 (iid_statistics.c); wanted [KL_IID_STATISTICS], NULL:
   all; others keep what is in t. work: kl_nist_iid_work bytes. */
size_t kl_nist_iid_work(size_t n);
int kl_nist_iid_statistics(double *t, const bool *wanted, const uint8_t *s, size_t n, void *work,
                           struct kl_error *err);

/* ---- 5.2: tests with known distributions (iid_tests.c) ---- */
struct kl_iid_test {
    double statistic, df, log10_p; /* NaN: too few symbols */
};
struct kl_iid_tests {
    struct kl_iid_test independence; /* 5.2.1, of bits 5.2.3: of neighbours */
    struct kl_iid_test fit;          /* 5.2.2, of bits 5.2.4: of ten parts of the data with the whole */
    size_t longest_repeat;           /* 5.2.5: W, and the probability of one as long */
    double repeat_p;
    int different; /* symbols that are there; of one alone there is nothing to test */
};
/* Passed where p is at least 0.001. KL_ENOMEM. */
int kl_nist_iid_tests(struct kl_iid_tests *tests, const uint8_t *s, size_t n, struct kl_error *err);

/* ---- 3.1.4: restarts (iid_tests.c) ---- */
enum { KL_RESTARTS = 1000 };
struct kl_restart {
    size_t most, cutoff; /* largest count of one symbol in a row or column, and of what is too large */
    double rows_h, columns_h; /* least estimate of the rows one after another, of the columns */
    double h;                 /* validated: the least of both and of the initial one; 0 if it failed */
};
/* s [KL_RESTARTS, KL_RESTARTS]: row i is what came after start i. h: the initial estimate, bits a
   symbol. The cutoff is exact, for the likeliest symbols that h allows: as many as can have probability
   2^-h. KL_ENOMEM. */
int kl_nist_restart(struct kl_restart *result, const uint8_t *s, double h, struct kl_error *err);
/* Least c such that more than c of n draws fall on one symbol with probability at most alpha. k symbols.
   KL_ENOMEM. */
int kl_nist_restart_cutoff(size_t *cutoff, double h, int k, size_t n, double alpha,
                           struct kl_error *err);

/* ==== the report ==== */
/* The results of the standards for each device: SP 800-22 of its bits in sequences, SP 800-90B of its
   bits and symbols, and how much could be extracted. */

enum {
    KL_NIST_PART = 1000000, /* bits, and symbols, that SP 800-90B is applied to, at most */
    KL_NIST_SEQUENCE = 100  /* bits of a sequence of SP 800-22, at least */
};
struct kl_nist_options {
    int64_t
        sequence_bits;    /* of a sequence of SP 800-22; 0: all of a device's bits, up to KL_NIST_PART */
    int64_t sequences;    /* of them, of each device, at most */
    int64_t permutations; /* of SP 800-90B, section 5.1; 0: none */
    int64_t seed;
    double security; /* extracted bits are within 2^-security of uniform */
    bool restarts;   /* a row is what came after a start */
};
/* 0, 1,000, 10,000, 0, 64, no. */
void kl_nist_options_default(struct kl_nist_options *o);

/* Of each device more bits than these are not looked at: SP 800-22 is applied to so many sequences, SP
   800-90B to the first KL_NIST_PART symbols. Restarts look at 1000 rows whatever their length. */
size_t kl_nist_most_bits(const struct kl_nist_options *o);

struct kl_nist_device {
    size_t n_rows, n_bits, n_symbols; /* in all; of the parts that SP 800-90B is applied to below */
    size_t n_sequences, sequence_bits;
    struct kl_nist22 *suites;      /* [n_sequences] */
    double holm[KL_NIST22_VALUES]; /* log10 p, the least of all sequences, within its test */
    double rate[KL_NIST22_VALUES]; /* log10 false discovery rate, among all values */
    struct kl_nist22_many many[KL_NIST22_VALUES]; /* over the sequences */
    double bit_h[KL_NIST90B_ESTIMATES];           /* bits a bit */
    double symbol_h[KL_NIST90B_ESTIMATES];        /* bits a symbol; as bit_h if symbols are bits */
    double assessed;                              /* bits a symbol: the least of all */
    struct kl_iid iid;                            /* of symbols */
    struct kl_iid_tests tests;
    struct kl_restart restart; /* of options.restarts and 1000 rows of 1000 symbols */
    bool restarted;
    /* Bits within 2^-security of uniform, at the assessed entropy: from one row alone, and for each bit
       of long blocks. */
    double row_extractable, bit_extractable;
};
struct kl_nist_report {
    struct kl_nist_options options;
    size_t n_devices, row_bits, most_sequences;
    int symbol_bits;
    char (*names)[KL_BITS_NAME];
    struct kl_nist_device *devices;
    /* I(device; row) in bits, of independent symbols, and its standard error; NaN: one device, more than
       KL_LIMIT_CLASSES, or more than KL_LIMIT_SYMBOLS symbols or KL_LIMIT_ROW a row. */
    double information, information_error;
};
/* KL_EDATA (sequences longer than a device's bits, too few rows for restarts), KL_ENOMEM, KL_ESIGNAL.
   Free it in every case. */
int kl_nist_report(struct kl_nist_report *report, const struct kl_bits *bits,
                   const struct kl_nist_options *o, struct kl_pool *pool, const struct kl_watch *watch,
                   struct kl_error *err);
/* How long that would take: tests and estimates by the first moments of them, permutations by their rate
   on this data, of as many as are expected of it (kl_nist_iid_expect). report: as above. KL_ENO: a test
   of a sequence takes too long to be tried. */
struct kl_nist_forecast {
    double seconds;
    bool at_most; /* data that look dependent may turn out not to be, and end earlier */
};
int kl_nist_estimate(struct kl_nist_forecast *forecast, struct kl_nist_report *report,
                     const struct kl_bits *bits, const struct kl_nist_options *o, struct kl_pool *pool,
                     struct kl_error *err);
void kl_nist_report_free(struct kl_nist_report *report);

struct kl_writer;
struct json_t;
/* All datasets and attributes of the report (docs/files.md). KL_EIO, KL_ENOMEM. */
int kl_nist_save(struct kl_writer *writer, const struct kl_nist_report *report, struct kl_error *err);
/* A few lines a device; all tests if detailed. */
void kl_nist_table(FILE *to, const struct kl_nist_report *report, bool detailed);
/* "; A fails frequency, runs; B fails runs": the tests of SP 800-22, of the first devices. */
void kl_nist_tell_failed(FILE *to, const struct kl_nist_report *report);
int kl_nist_json(struct json_t **value, const struct kl_nist_report *report, struct kl_error *err);

/* ---- tournament --nist ---- */
struct kl_mode;
struct kl_kind;
extern const struct kl_mode kl_mode_nist;
extern const struct kl_tool kl_nist_tool; /* its table, for tool->parts */
extern const struct kl_kind kl_nist_kind; /* what such a file shows of itself */

#endif
