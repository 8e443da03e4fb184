/* SPDX-License-Identifier: MIT
   SP 800-22: the suite. Which tests are applicable, with which parameters, where their values lie,
   and what many sequences come to. */
#include "qrng/nist/nist_int.h"

/* ---- the suite ---- */

enum { TEMPLATE = 9, BLOCKS = 8, OVERLAPPING_BLOCK = 1032, COMPLEXITY_BLOCK = 500 };
enum test {
    FREQUENCY,
    BLOCK_FREQUENCY,
    CUMULATIVE_SUMS,
    RUNS,
    LONGEST_RUN,
    RANK,
    SPECTRAL,
    NONOVERLAPPING,
    OVERLAPPING,
    UNIVERSAL,
    APPROXIMATE_ENTROPY,
    EXCURSIONS,
    VARIANTS,
    SERIAL,
    LINEAR_COMPLEXITY
};

const struct kl_nist22_test kl_nist22_tests[KL_NIST22_TESTS] = {
    { "frequency", 0, 1 },
    { "block frequency", 1, 1 },
    { "cumulative sums", 2, 2 },
    { "runs", 4, 1 },
    { "longest run", 5, 1 },
    { "rank", 6, 1 },
    { "spectral", 7, 1 },
    { "non-overlapping templates", 8, KL_NIST22_TEMPLATES },
    { "overlapping templates", 156, 1 },
    { "universal", 157, 1 },
    { "approximate entropy", 158, 1 },
    { "random excursions", 159, KL_NIST22_EXCURSIONS },
    { "random excursions variant", 167, KL_NIST22_VARIANTS },
    { "serial", 185, 2 },
    { "linear complexity", 187, 1 },
};

/* Least n that the publication recommends; 0: another condition. */
static const size_t least[KL_NIST22_TESTS] = { 100,     100, 100,     100,    128, 32 * 32 * 38,
                                               1000,    0,   1000000, 387840, 0,   1000000,
                                               1000000, 0,   1000000 };

void kl_nist_sp22_part(char part[KL_NIST22_PART], int value)
{
    int t = KL_NIST22_TESTS - 1;
    while (kl_nist22_tests[t].first > value) t--;
    const int i = value - kl_nist22_tests[t].first, n = kl_nist22_tests[t].n;
    part[0] = 0;
    if (t == CUMULATIVE_SUMS) snprintf(part, KL_NIST22_PART, "%s", i ? "backward" : "forward");
    if (t == SERIAL) snprintf(part, KL_NIST22_PART, "%s", i ? "second" : "first");
    if (t == EXCURSIONS || t == VARIANTS)
        snprintf(part, KL_NIST22_PART, "%+d", i < n / 2 ? i - n / 2 : i - n / 2 + 1);
    if (t != NONOVERLAPPING) return;
    unsigned pattern = 0;
    for (int seen = -1; seen < i; pattern++) seen += kl_nist_sp22_aperiodic(pattern, TEMPLATE);
    pattern--;
    for (int k = 0; k < TEMPLATE; k++) part[k] = (char)('0' + (pattern >> (TEMPLATE - 1 - k) & 1));
    part[TEMPLATE] = 0;
}

static int serial_length(size_t n)
{
    const int m = 63 - __builtin_clzll(n) - 3;
    return m < 16 ? m : 16;
}

static int entropy_length(size_t n)
{
    const int m = 63 - __builtin_clzll(n) - 6;
    return m < 10 ? m : 10;
}

/* Of a template in a block, at least. Of five, counts have a longer tail than chi-squared's: among 148
   templates of a hundred fair sequences some p would be below what Holm's correction asks for. */
enum { EXPECTED = 32 };

/* Conditions on n alone. */
static void check_length(struct kl_nist22 *r, size_t n)
{
    for (int t = 0; t < KL_NIST22_TESTS; t++) {
        size_t needed = least[t];
        if (t == NONOVERLAPPING) needed = EXPECTED * BLOCKS << TEMPLATE;
        if (t == SERIAL) needed = 64;               /* m = 3 */
        if (t == APPROXIMATE_ENTROPY) needed = 256; /* m = 2 */
        r->why[t][0] = 0;
        if (n < needed)
            snprintf(r->why[t], KL_NIST22_WHY, "%zu bits, at least %zu are needed", n, needed);
    }
}

/* How many bits blocks of the universal test have (section 2.9.7). */
static int universal_length(size_t n)
{
    int length = 6;
    while (length < 16 && n >= (size_t)1010 * ((size_t)2 << length) * (size_t)(length + 1)) length++;
    return length;
}

static void templates(struct kl_nist22_value *values, const uint8_t *bits, size_t n)
{
    struct kl_nist22_value all[1 << TEMPLATE];
    kl_nist_sp22_nonoverlapping(all, bits, n, TEMPLATE, BLOCKS);
    for (unsigned p = 0; p < 1u << TEMPLATE; p++)
        if (kl_nist_sp22_aperiodic(p, TEMPLATE)) *values++ = all[p];
}

static struct kl_nist22_value overlapping(const uint8_t *bits, size_t n)
{
    size_t counts[6];
    double law[6];
    kl_nist_sp22_overlapping_law(law, TEMPLATE, OVERLAPPING_BLOCK);
    return kl_nist_sp22_overlapping(counts, bits, n, TEMPLATE, OVERLAPPING_BLOCK, law);
}

static void excursions(struct kl_nist22 *r, struct kl_nist22_value *values, enum test t,
                       const uint8_t *bits, size_t n)
{
    const double needed = fmax(500, 0.005 * sqrt((double)n));
    const size_t cycles = t == EXCURSIONS ? kl_nist_sp22_excursions(values, bits, n)
                                          : kl_nist_sp22_variants(values, bits, n);
    if ((double)cycles < needed)
        snprintf(r->why[t], KL_NIST22_WHY, "%zu cycles, at least %.0f are needed", cycles, needed);
}

/* The runs of a sequence whose ones are too many or too few say nothing. */
static struct kl_nist22_value runs(struct kl_nist22 *r, const uint8_t *bits, size_t n)
{
    if (r->values[FREQUENCY].statistic >= 4) /* |share of ones - 1/2| >= 2 / sqrt(n) */
        snprintf(r->why[RUNS], KL_NIST22_WHY, "the ones are too many or too few: see frequency");
    return kl_nist_sp22_runs(bits, n);
}

static int run_test(struct kl_nist22 *r, enum test t, const uint8_t *bits, size_t n,
                    struct kl_error *err)
{
    struct kl_nist22_value *v = r->values + kl_nist22_tests[t].first;
    size_t counts[7];
    const int length = universal_length(n);
    switch (t) {
    case FREQUENCY: *v = kl_nist_sp22_frequency(bits, n); break;
    case BLOCK_FREQUENCY: *v = kl_nist_sp22_block_frequency(bits, n, n < 128 ? 20 : 128); break;
    case CUMULATIVE_SUMS:
        v[0] = kl_nist_sp22_cumulative_sums(bits, n, false);
        v[1] = kl_nist_sp22_cumulative_sums(bits, n, true);
        break;
    case RUNS: *v = runs(r, bits, n); break;
    case LONGEST_RUN: *v = kl_nist_sp22_longest_run(bits, n); break;
    case RANK: *v = kl_nist_sp22_rank(bits, n); break;
    case SPECTRAL: return kl_nist_sp22_spectral(v, bits, n, err);
    case NONOVERLAPPING: templates(v, bits, n); break;
    case OVERLAPPING: *v = overlapping(bits, n); break;
    case UNIVERSAL: return kl_nist_sp22_universal(v, bits, n, length, (size_t)10 << length, err);
    case APPROXIMATE_ENTROPY:
        return kl_nist_sp22_approximate_entropy(v, bits, n, entropy_length(n), err);
    case EXCURSIONS:
    case VARIANTS: excursions(r, v, t, bits, n); break;
    case SERIAL: return kl_nist_sp22_serial(v, bits, n, serial_length(n), err);
    case LINEAR_COMPLEXITY:
        *v = kl_nist_sp22_linear_complexity(counts, bits, n, COMPLEXITY_BLOCK);
        break;
    }
    return KL_OK;
}

int kl_nist_sp22(struct kl_nist22 *result, const uint8_t *bits, size_t n, struct kl_error *err)
{
    int code = KL_OK;
    check_length(result, n);
    for (int t = 0; !code && t < KL_NIST22_TESTS; t++) {
        const struct kl_nist22_test *test = &kl_nist22_tests[t];
        if (!result->why[t][0]) code = run_test(result, (enum test)t, bits, n, err);
        for (int i = 0; result->why[t][0] && i < test->n; i++)
            result->values[test->first + i] = (struct kl_nist22_value){ NAN, NAN };
    }
    return code;
}

/* ---- many sequences ---- */
/* Many sequences of one source (section 4.2): how many pass, and whether the p-values are uniform. */

void kl_nist_sp22_many(struct kl_nist22_many *result, const double *log10_p, size_t m)
{
    enum { BINS = 10, LEAST = 55 };
    static const double uniform[BINS] = { .1, .1, .1, .1, .1, .1, .1, .1, .1, .1 };
    const double pass = 0.99;
    size_t bins[BINS] = { 0 }, n = 0, passed = 0;
    for (size_t i = 0; i < m; i++) {
        if (isnan(log10_p[i])) continue;
        const double p = pow(10, log10_p[i]);
        bins[p < 1 ? (size_t)(BINS * p) : BINS - 1]++;
        passed += p >= 1 - pass;
        n++;
    }
    const double half = 3 * sqrt(pass * (1 - pass) / (double)n);
    const double statistic = kl_nist_sp22_chi_square(bins, uniform, BINS, n);
    *result = (struct kl_nist22_many){ n, passed, pass - half, fmin(1, pass + half), NAN };
    if (n >= LEAST) result->uniformity_p = pow(10, kl_nist_sp22_igamc((BINS - 1) / 2., statistic / 2));
}
