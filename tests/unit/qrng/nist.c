/* SPDX-License-Identifier: MIT
   What the golden tests of the standards leave out: which tests are applicable, many sequences, and the
   corrections (statsmodels 0.14, multipletests). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../check.h"
#include "stats/stats.h"
#include "qrng/nist/nist.h"

static struct kl_error err;

static void check_short(void)
{
    static uint8_t bits[1000];
    struct kl_nist22 r;
    for (size_t i = 0; i < sizeof bits; i++) bits[i] = i * i % 7 < 3;
    CHECK(kl_nist_sp22(&r, bits, 50, &err) == KL_OK);
    for (int t = 0; t < KL_NIST22_TESTS; t++) CHECK(r.why[t][0] != 0, "%s", kl_nist22_tests[t].name);
    CHECK(strcmp(r.why[0], "50 bits, at least 100 are needed") == 0, "%s", r.why[0]);
    CHECK(kl_nist_sp22(&r, bits, 1000, &err) == KL_OK);
    for (int v = 0; v < KL_NIST22_VALUES; v++) {
        int t = KL_NIST22_TESTS - 1;
        while (kl_nist22_tests[t].first > v) t--;
        CHECK((r.why[t][0] != 0) == isnan(r.values[v].log10_p), "value %d", v);
        CHECK(!(r.values[v].log10_p > 0), "value %d: %g", v, r.values[v].log10_p);
    }
    memset(bits, 1, sizeof bits); /* nothing but ones: p-values vanish, nothing breaks */
    CHECK(kl_nist_sp22(&r, bits, 1000, &err) == KL_OK && r.values[0].log10_p < -200);
    CHECK(strncmp(r.why[3], "the ones are too many", 21) == 0, "runs: %s", r.why[3]);
}

/* 60 p-values in the middles of 60 equal cells: uniform beyond chance; one of them is below 0.01. */
static void check_many(void)
{
    double log10_p[62];
    struct kl_nist22_many m;
    for (int i = 0; i < 60; i++) log10_p[i] = log10((i + 0.5) / 60);
    log10_p[60] = log10_p[61] = NAN;
    kl_nist_sp22_many(&m, log10_p, 62);
    CHECK(m.sequences == 60 && m.passed == 59 && fabs(m.uniformity_p - 1) < 1e-12);
    CHECK(fabs(m.low - (0.99 - 3 * sqrt(0.0099 / 60))) < 1e-12 && m.high == 1);
    for (int i = 0; i < 60; i++) log10_p[i] = -3;
    kl_nist_sp22_many(&m, log10_p, 60);
    CHECK(m.passed == 0 && m.uniformity_p < 1e-100);
    kl_nist_sp22_many(&m, log10_p, 54);
    CHECK(isnan(m.uniformity_p));
}

static void check_false_discovery(void)
{
    static const double p[5] = { 0.01, 0.04, 0.03, 0.005, 0.8 },
                        expected[5] = { 0.025, 0.05, 0.05, 0.025, 0.8 };
    double log10_p[5];
    for (int i = 0; i < 5; i++) log10_p[i] = log10(p[i]);
    CHECK(kl_stats_false_discovery(log10_p, log10_p, 5, &err) == KL_OK);
    for (int i = 0; i < 5; i++)
        CHECK(fabs(pow(10, log10_p[i]) - expected[i]) < 1e-12, "%d: %g", i, pow(10, log10_p[i]));
}

/* Sources without entropy, and too short ones. */
static void check_degenerate(void)
{
    static uint8_t s[20000];
    double h[KL_NIST90B_ESTIMATES];
    struct kl_symbols symbols = { s, sizeof s, kl_nist_symbols_close(s, sizeof s) };
    CHECK(symbols.k == 1 && kl_nist_sp90b(h, &symbols, &err) == KL_OK);
    CHECK(kl_nist_sp90b_least(h) == 0, "%g", kl_nist_sp90b_least(h));
    for (size_t i = 0; i < sizeof s; i++) s[i] = i % 2;
    symbols.k = 2;
    CHECK(kl_nist_sp90b(h, &symbols, &err) == KL_OK && kl_nist_sp90b_least(h) < 0.01);
    for (size_t n = 0; n < 80; n++) {
        symbols.n = n;
        CHECK(kl_nist_sp90b(h, &symbols, &err) == KL_OK, "%zu symbols", n);
        for (int e = 0; e < KL_NIST90B_ESTIMATES; e++)
            CHECK(isnan(h[e]) || (h[e] >= 0 && h[e] <= 1), "%zu symbols, %s: %g", n, kl_nist90b_names[e],
                  h[e]);
    }
}

int main(void)
{
    check_short();
    check_many();
    check_false_discovery();
    check_degenerate();
    return failures != 0;
}
