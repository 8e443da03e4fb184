/* SPDX-License-Identifier: MIT
   The fifteen tests against the results that SP 800-22 rev. 1a publishes: the small examples of sections
   2.1 to 2.15, and of its appendix B the first 1,000,000 binary digits of e (nist_e.bin, written by
   make_nist.py from integers alone). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden.h"
#include "qrng/nist/nist.h"

enum { DIGITS = 1000000 };
static int failures;
static uint8_t e[DIGITS];
static struct kl_error err;
/* The first hundred digits of pi: the second example of many sections. */
static const char pi[] = "11001001000011111101101010100010001000010110100011"
                         "00001000110100110001001100011001100010100010111000";

static void expect(const char *what, double found, double expected, double bound)
{
    if (fabs(found - expected) <= bound) return;
    fprintf(stderr, "%s: found %.9g, expected %.9g\n", what, found, expected);
    failures++;
}

/* Published with six digits. */
static void expect_p(const char *what, struct kl_nist22_value value, double p)
{
    expect(what, pow(10, value.log10_p), p, 1.5e-6);
}

static const uint8_t *bits_of(const char *text)
{
    static uint8_t bits[256];
    for (size_t i = 0; text[i]; i++) bits[i] = text[i] == '1';
    return bits;
}

static void check_counts(const char *what, const size_t *found, const size_t *expected, size_t n)
{
    for (size_t i = 0; i < n; i++) expect(what, (double)found[i], (double)expected[i], 0);
}

static void small_examples(void)
{
    struct kl_nist22_value v, two[2], many[512];
    size_t counts[7];
    expect_p("2.1.4", kl_nist_sp22_frequency(bits_of("1011010101"), 10), 0.527089);
    expect_p("2.1.8", kl_nist_sp22_frequency(bits_of(pi), 100), 0.109599);
    expect_p("2.2.4", kl_nist_sp22_block_frequency(bits_of("0110011010"), 10, 3), 0.801252);
    expect_p("2.2.8", kl_nist_sp22_block_frequency(bits_of(pi), 100, 10), 0.706438);
    expect_p("2.3.4", kl_nist_sp22_runs(bits_of("1001101011"), 10), 0.147232);
    expect_p("2.3.8", kl_nist_sp22_runs(bits_of(pi), 100), 0.500798);
    v = kl_nist_sp22_longest_run(bits_of("11001100000101010110110001001100111000000000001001"
                                         "00110101010001000100111101011010000000110101111100"
                                         "1100111001101101100010110010"),
                                 128);
    expect("2.4.8 chi-squared", v.statistic, 4.882605, 3e-4); /* its probabilities have four digits */
    expect("2.4.8", pow(10, v.log10_p), 0.180609, 3e-5);
    /* Published: 4 peaks of 5 and 46 of 50 below the threshold; NumPy's transform has 5 and 48. */
    must(kl_nist_sp22_spectral(&v, bits_of("1001010011"), 10, &err), &err);
    expect("2.6.4 d", v.statistic, 0.7254762501100116, 1e-12);
    must(kl_nist_sp22_spectral(&v, bits_of(pi), 100, &err), &err);
    expect("2.6.8 d", v.statistic, 0.4588314677411235, 1e-12);
    kl_nist_sp22_nonoverlapping(many, bits_of("10100100101110010110"), 20, 3, 2);
    expect_p("2.7.4", many[1], 0.344154);
    must(kl_nist_sp22_universal(&v, bits_of("01011010011101010111"), 20, 2, 4, &err), &err);
    expect("2.9.4 f", v.statistic, 1.1949875, 1e-7);
    expect("2.10.4", (double)kl_nist_sp22_complexity(bits_of("1101011110001"), 13), 4, 0);
    must(kl_nist_sp22_serial(two, bits_of("0011011101"), 10, 3, &err), &err);
    expect("2.11.4 first difference", two[0].statistic, 1.6, 1e-12);
    expect("2.11.4 second difference", two[1].statistic, 0.8, 1e-12);
    expect_p("2.11.6 first", two[0], 0.808792);
    expect_p("2.11.6 second", two[1], 0.670320);
    must(kl_nist_sp22_approximate_entropy(&v, bits_of("0100110101"), 10, 3, &err), &err);
    expect_p("2.12.6", v, 0.261961);
    must(kl_nist_sp22_approximate_entropy(&v, bits_of(pi), 100, 2, &err), &err);
    expect_p("2.12.8", v, 0.235301);
    expect_p("2.13.4", kl_nist_sp22_cumulative_sums(bits_of("1011010111"), 10, false), 0.4116588);
    expect_p("2.13.8 forward", kl_nist_sp22_cumulative_sums(bits_of(pi), 100, false), 0.219194);
    expect_p("2.13.8 backward", kl_nist_sp22_cumulative_sums(bits_of(pi), 100, true), 0.114866);
    expect("2.14.4 J", (double)kl_nist_sp22_excursions(many, bits_of("0110110101"), 10), 3, 0);
    expect("2.14.4", pow(10, many[4].log10_p), 0.502529, 5e-5);
    expect("2.14.4 chi-squared", many[4].statistic, 4.333033, 5e-4); /* its pi have four digits */
    expect("2.15.4 J", (double)kl_nist_sp22_variants(many, bits_of("0110110101"), 10), 3, 0);
    expect_p("2.15.4", many[9], 0.683091);
    static const double law[6] = { .324652, .182617, .142670, .106645, .077147, .166269 };
    kl_nist_sp22_overlapping(counts, bits_of("10111011110010110100011100101110111110000101101001"), 50,
                             2, 10, law);
    /* The section's text counts 0, 1, 1, 1, 1, 1; its five blocks have these. */
    check_counts("2.8.4", counts, (const size_t[]){ 0, 2, 0, 1, 1, 1 }, 6);
}

/* Sections 2.5.8 (the first 100,000 digits), 2.8.8, 2.10.8, 2.11.8, 3.14 and 3.15. */
static void larger_examples(void)
{
    struct kl_nist22_value v = kl_nist_sp22_rank(e, 100000), two[2], states[KL_NIST22_VARIANTS];
    size_t counts[7];
    double law[6];
    expect("2.5.8 chi-squared", v.statistic, 1.2619656, 1e-6);
    expect_p("2.5.8", v, 0.532069);
    kl_nist_sp22_overlapping_law(law, 9, 1032);
    static const double corrected[6] = { .364091, .185659, .139381, .100571, .0704323, .139865 };
    for (int i = 0; i < 6; i++) expect("2.8.4 pi", law[i], corrected[i], 6e-7);
    /* The published p comes from probabilities that the same publication corrects. */
    static const double old[6] = { .367879, .183940, .137955, .099634, .069935, .140657 };
    v = kl_nist_sp22_overlapping(counts, e, DIGITS, 9, 1032, old);
    check_counts("2.8.8", counts, (const size_t[]){ 329, 164, 150, 111, 78, 136 }, 6);
    expect("2.8.8", pow(10, v.log10_p), 0.110434, 5e-6);
    /* Here, too: .01047 is printed for 1/96. */
    kl_nist_sp22_linear_complexity(counts, e, DIGITS, 1000);
    check_counts("2.10.8", counts, (const size_t[]){ 11, 31, 116, 501, 258, 57, 26 }, 7);
    must(kl_nist_sp22_serial(two, e, DIGITS, 2, &err), &err);
    expect("2.11.8 first difference", two[0].statistic, 0.339764, 1e-6);
    expect("2.11.8 second difference", two[1].statistic, 0.336400, 1e-6);
    expect_p("2.11.8 first", two[0], 0.843764);
    expect_p("2.11.8 second", two[1], 0.561915);
    expect("3.14 J", (double)kl_nist_sp22_excursions(states, e, DIGITS), 1490, 0);
    static const double negative[4] = { 0.573306, 0.197996, 0.164011, 0.007779 };
    for (int i = 0; i < 4; i++) expect_p("3.14", states[i], negative[i]);
    static const double xi[KL_NIST22_VARIANTS] = {
        1450, 1435, 1380, 1366, 1412, 1475, 1480, 1468, 1502,
        1409, 1369, 1396, 1479, 1599, 1628, 1619, 1620, 1610
    };
    static const double p[KL_NIST22_VARIANTS] = { 0.858946, 0.794755, 0.576249, 0.493417, 0.633873,
                                                  0.917283, 0.934708, 0.816012, 0.826009, 0.137861,
                                                  0.200642, 0.441254, 0.939291, 0.505683, 0.445935,
                                                  0.512207, 0.538635, 0.593930 };
    kl_nist_sp22_variants(states, e, DIGITS);
    for (int i = 0; i < KL_NIST22_VARIANTS; i++) {
        expect("3.15 xi", states[i].statistic, xi[i], 0);
        expect_p("3.15", states[i], p[i]);
    }
}

/* Appendix B, e, by place of the value; the overlapping templates and the linear complexity as above, so
   with a wider bound. */
static void appendix(void)
{
    static const struct {
        int value;
        double p, bound;
    } published[] = {
        { 0, 0.953749, 1.5e-6 },   { 1, 0.211072, 1.5e-6 },   { 2, 0.669887, 1.5e-6 },
        { 3, 0.724266, 1.5e-6 },   { 4, 0.561917, 1.5e-6 },   { 5, 0.718945, 1.5e-6 },
        { 6, 0.306156, 1.5e-6 },   { 7, 0.847187, 1.5e-6 },   { 8, 0.078790, 1.5e-6 },
        { 157, 0.282568, 1.5e-6 }, { 158, 0.700073, 1.5e-6 }, { 163, 0.786868, 1.5e-6 },
        { 175, 0.826009, 1.5e-6 }, { 185, 0.766182, 1.5e-6 }, { 187, 0.826335, 2e-4 },
    };
    struct kl_nist22 r;
    char what[64], part[KL_NIST22_PART];
    must(kl_nist_sp22(&r, e, DIGITS, &err), &err);
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        snprintf(what, sizeof what, "appendix B, value %d", published[i].value);
        expect(what, pow(10, r.values[published[i].value].log10_p), published[i].p, published[i].bound);
    }
    for (int t = 0; t < KL_NIST22_TESTS; t++)
        if (r.why[t][0]) fprintf(stderr, "%s: %s\n", kl_nist22_tests[t].name, r.why[t]), failures++;
    kl_nist_sp22_part(part, 8);
    if (strcmp(part, "000000001")) fprintf(stderr, "first template is %s\n", part), failures++;
    kl_nist_sp22_part(part, 155);
    if (strcmp(part, "111111110")) fprintf(stderr, "last template is %s\n", part), failures++;
}

/* Values of NIST's own programs for these digits: sts in C, as PyPI's sp80022suite 0.0.8 has it. Each
   p-value by its place; the two tests with other laws by their counts. */
static void programs(void)
{
    struct kl_nist22 r;
    size_t counts[7];
    double law[6], p;
    char what[64];
    int value, n = 0;
    FILE *file = fopen("tests/golden/nist_sts.txt", "r");
    golden_need(file != NULL, "nist_sts.txt");
    must(kl_nist_sp22(&r, e, DIGITS, &err), &err);
    for (; fscanf(file, "%d %lf", &value, &p) == 2; n++) {
        golden_need(value >= 0 && value < KL_NIST22_VALUES, "nist_sts.txt");
        snprintf(what, sizeof what, "sts, value %d", value);
        /* Its probabilities of the excursions have ten digits. */
        expect(what, pow(10, r.values[value].log10_p), p, value >= 159 && value < 167 ? 1e-8 : 1e-10);
    }
    fclose(file);
    expect("sts, values", n, 186, 0);
    kl_nist_sp22_overlapping_law(law, 9, 1032);
    kl_nist_sp22_overlapping(counts, e, DIGITS, 9, 1032, law);
    check_counts("sts, overlapping", counts, (const size_t[]){ 329, 164, 150, 111, 78, 136 }, 6);
    kl_nist_sp22_linear_complexity(counts, e, DIGITS, 500);
    check_counts("sts, complexity", counts, (const size_t[]){ 21, 52, 250, 1006, 492, 135, 44 }, 7);
}

int main(void)
{
    unsigned char packed[DIGITS / 8];
    FILE *file = fopen("tests/golden/nist_e.bin", "rb");
    golden_need(file && fread(packed, 1, sizeof packed, file) == sizeof packed, "nist_e.bin");
    fclose(file);
    for (size_t i = 0; i < DIGITS; i++) e[i] = packed[i / 8] >> (7 - i % 8) & 1;
    small_examples();
    larger_examples();
    appendix();
    programs();
    return failures != 0;
}
