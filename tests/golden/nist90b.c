/* SPDX-License-Identifier: MIT
   Min-entropy estimates against the worked examples of SP 800-90B, section 6.3, and against an
   implementation of its formulas in Python (nist.h5, written by make_nist.py beside it). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden.h"
#include "qrng/nist/nist.h"

enum { MOST = 32768 };
static int failures;
static struct kl_error err;

static void expect(const char *group, const char *what, double found, double expected, double bound)
{
    if (fabs(found - expected) <= bound || (isnan(found) && isnan(expected))) return;
    fprintf(stderr, "%s: %s: found %.12g, expected %.12g\n", group, what, found, expected);
    failures++;
}

static struct kl_symbols symbols_of(const char *text)
{
    static uint8_t s[256];
    const size_t n = strlen(text);
    for (size_t i = 0; i < n; i++) s[i] = (uint8_t)(text[i] - '0');
    return (struct kl_symbols){ s, n, kl_nist_symbols_close(s, n) };
}

/* Published with three or four digits. */
static void examples(void)
{
    const char *bits = "1000111001010101110011000111001010101110";
    struct kl_symbols s = symbols_of(bits);
    struct kl_nist90b_prediction p;
    struct kl_nist90b_tuples t;
    double h;
    expect("6.3.1", "h", kl_nist_sp90b_most_common(8, 20), 0.5363, 6e-5);
    expect("6.3.2", "h", kl_nist_sp90b_collision(&s), 0.4483, 6e-5);
    expect("6.3.3", "h", kl_nist_sp90b_markov(&s), 0.761, 6e-4);
    s = symbols_of("100011100101010111001100011100101010111011100011");
    must(kl_nist_sp90b_compression(&h, &s, 4, &err), &err);
    expect("6.3.4", "h", h, 0.1345, 6e-5);
    s = symbols_of("220102012120121001000");
    must(kl_nist_sp90b_tuples(&t, &s, 3, &err), &err);
    expect("6.3.5", "h", t.tuple, 0.273, 6e-4);
    expect("6.3.6", "h", t.repeat, 0.6146, 6e-5);
    s = symbols_of("121021122000");
    must(kl_nist_sp90b_windows(&p, &s, (const size_t[]){ 3, 5, 7, 9 }, &err), &err);
    expect("6.3.7", "h", p.h, 0.3908, 1e-4); /* printed without rounding */
    s = symbols_of("2132131312");
    kl_nist_sp90b_lag(&p, &s, 3);
    expect("6.3.8", "h", p.h, 0.735, 6e-4);
    s = symbols_of("213213131");
    must(kl_nist_sp90b_models(&p, &s, 3, &err), &err);
    expect("6.3.9", "h", p.h, 0.0755, 6e-5);
    s = symbols_of("2132131312132");
    must(kl_nist_sp90b_dictionary(&p, &s, 4, &err), &err);
    expect("6.3.10", "h", p.h, 0.0191, 6e-5);
}

static void predictions(const char *name, const struct kl_symbols *s, const double *expected)
{
    struct kl_nist90b_prediction p[4];
    must(kl_nist_sp90b_windows(&p[0], s, (const size_t[]){ 63, 255, 1023, 4095 }, &err), &err);
    kl_nist_sp90b_lag(&p[1], s, 128);
    must(kl_nist_sp90b_models(&p[2], s, 16, &err), &err);
    must(kl_nist_sp90b_dictionary(&p[3], s, 16, &err), &err);
    for (int i = 0; i < 4; i++) {
        const char *what = kl_nist90b_names[KL_NIST90B_WINDOWS + i];
        expect(name, what, (double)p[i].predicted, expected[4 * i], 0);
        expect(name, what, (double)p[i].correct, expected[4 * i + 1], 0);
        expect(name, what, (double)p[i].longest, expected[4 * i + 2], 0);
    }
}

static herr_t check(hid_t file, const char *name, const H5L_info_t *info, void *context)
{
    static double values[MOST];
    static uint8_t s[MOST];
    double expected[16], h[KL_NIST90B_ESTIMATES];
    const hid_t group = H5Gopen2(file, name, H5P_DEFAULT);
    (void)info;
    const size_t n = golden_values(values, MOST, group, "symbols");
    for (size_t i = 0; i < n; i++) s[i] = (uint8_t)values[i];
    const struct kl_symbols symbols = { s, n, kl_nist_symbols_close(s, n) };
    must(kl_nist_sp90b(h, &symbols, &err), &err);
    golden_values(expected, 16, group, "estimates");
    for (int e = 0; e < KL_NIST90B_ESTIMATES; e++)
        expect(name, kl_nist90b_names[e], h[e], expected[e], 1e-9);
    golden_values(expected, 16, group, "predictions");
    predictions(name, &symbols, expected);
    H5Gclose(group);
    return (*(int *)context)++, 0;
}

/* NIST's ea_non_iid (the C++ in PyPI's sp800-90b 0.1.1, its quantile set to the standard's 2.576) on a
   million digits of e. */
static void program(void)
{
    static const double expected[KL_NIST90B_ESTIMATES] = { 0.99620493532169085, 0.91908226294631146,
                                                           0.99908644192876683, 0.85057643564703245,
                                                           0.92162233154100648, 0.96721012877560442,
                                                           0.99745584385818642, 0.99642510287382746,
                                                           0.99479836745796602, 0.99598188565646972 };
    enum { DIGITS = 1000000 };
    static uint8_t e[DIGITS];
    double h[KL_NIST90B_ESTIMATES];
    golden_digits(e, DIGITS);
    must(kl_nist_sp90b(h, &(struct kl_symbols){ e, DIGITS, 2 }, &err), &err);
    for (int i = 0; i < KL_NIST90B_ESTIMATES; i++)
        expect("ea_non_iid", kl_nist90b_names[i], h[i], expected[i], 1e-9);
}

int main(void)
{
    examples();
    program();
    if (golden_groups("tests/golden/nist.h5", check) != 7) {
        fprintf(stderr, "nist.h5: expected 7 groups\n");
        failures++;
    }
    return failures != 0;
}
