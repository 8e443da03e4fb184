/* SPDX-License-Identifier: MIT
   Tests of independence and of restarts against the examples of SP 800-90B, sections 5.1 and 5.2, and
   against an implementation of its formulas in Python, with its bzip2 (nist.h5, written by make_nist.py
   beside it). */
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
    if (fabs(found - expected) <= bound) return;
    fprintf(stderr, "%s: %s: found %.12g, expected %.12g\n", group, what, found, expected);
    failures++;
}

static void statistics(double t[KL_IID_STATISTICS], const uint8_t *s, size_t n)
{
    void *work = malloc(kl_nist_iid_work(n));
    must(kl_nist_iid_statistics(t, NULL, s, n, work, &err), &err);
    free(work);
}

#define OF(...)                                               \
    (const uint8_t[]){ __VA_ARGS__ }, sizeof(const uint8_t[]) \
    {                                                         \
        __VA_ARGS__                                           \
    }
static void examples(void)
{
    double t[KL_IID_STATISTICS];
    statistics(t, OF(2, 15, 4, 10, 9));
    expect("5.1.1", kl_iid_names[0], t[0], 6, 0);
    statistics(t, OF(2, 2, 2, 5, 7, 7, 9, 3, 1, 4, 4));
    expect("5.1.2", kl_iid_names[1], t[1], 3, 0);
    expect("5.1.3", kl_iid_names[2], t[2], 6, 0);
    expect("5.1.4", kl_iid_names[3], t[3], 8, 0);
    statistics(t, OF(5, 15, 12, 1, 13, 9, 4));
    expect("5.1.5", kl_iid_names[4], t[4], 5, 0);
    expect("5.1.6", kl_iid_names[5], t[5], 2, 0);
    statistics(t, OF(2, 1, 1, 2, 0, 1, 0, 1, 1, 2));
    expect("5.1.7", kl_iid_names[6], t[6], 3, 0);
    expect("5.1.8", kl_iid_names[7], t[7], 4, 0);
    statistics(t, OF(2, 1, 2, 1, 0, 1, 0, 1, 1, 2));
    expect("5.1.9", kl_iid_names[9], t[9], 5, 0);
    statistics(t, OF(5, 2, 6, 10, 12, 3, 1));
    expect("5.1.10", kl_iid_names[14], t[14], 164, 0);
    statistics(t, OF(144, 21, 139, 0, 0, 15));
    expect("5.1.11", kl_iid_names[18], t[18], 49, 0);
    struct kl_iid_tests tests;
    const char *text = "22313232131123112223323231223322213332321323122311"
                       "32323122332221333232122333232122213332321323122311";
    uint8_t s[128];
    const size_t n = strlen(text);
    for (size_t i = 0; i < n; i++) s[i] = (uint8_t)(text[i] - '0');
    must(kl_nist_iid_tests(&tests, s, n, &err), &err);
    expect("5.2.1", "statistic", tests.independence.statistic, 3.46, 6e-3);
    expect("5.2.1", "df", tests.independence.df, 3, 0);
}

/* The verdict of the permutation test does not depend on the threads, and sees a chain but no fair
   bits. */
static void permutations(const char *name, const uint8_t *s, size_t n)
{
    struct kl_iid one, two;
    struct kl_pool *pool = NULL;
    must(kl_nist_iid_begin(&one, s, n, &err), &err);
    two = one;
    must(kl_nist_iid_go_on(&one, s, n, 2000, 2000, 7, NULL, NULL, &err), &err);
    must(kl_pool_create(&pool, 2, &err), &err);
    must(kl_nist_iid_go_on(&two, s, n, 2000, 2000, 7, pool, NULL, &err), &err);
    kl_pool_destroy(&pool);
    if (memcmp(&one, &two, sizeof one)) fprintf(stderr, "%s: threads matter\n", name), failures++;
    const bool iid = strcmp(name, "chain") && strcmp(name, "period");
    if (iid != (one.n_failed == 0)) {
        fprintf(stderr, "%s: %d statistics failed\n", name, one.n_failed);
        failures++;
    }
}

static herr_t check(hid_t file, const char *name, const H5L_info_t *info, void *context)
{
    static double values[MOST];
    static uint8_t s[MOST];
    double expected[KL_IID_STATISTICS], t[KL_IID_STATISTICS], log10_p[2];
    struct kl_iid_tests tests;
    const hid_t group = H5Gopen2(file, name, H5P_DEFAULT);
    (void)info;
    const size_t n = golden_values(values, MOST, group, "symbols");
    for (size_t i = 0; i < n; i++) s[i] = (uint8_t)values[i];
    statistics(t, s, n);
    golden_values(expected, KL_IID_STATISTICS, group, "statistics");
    for (int i = 0; i < KL_IID_STATISTICS; i++)
        expect(name, kl_iid_names[i], t[i], expected[i], i == 0 || i == 6 ? 1e-9 * expected[i] : 0);
    must(kl_nist_iid_tests(&tests, s, n, &err), &err);
    golden_values(expected, KL_IID_STATISTICS, group, "tests");
    golden_values(log10_p, 2, group, "log10_p");
    expect(name, "independence", tests.independence.statistic, expected[0], 1e-9 * expected[0]);
    expect(name, "independence df", tests.independence.df, expected[1], 0);
    expect(name, "independence p", tests.independence.log10_p, log10_p[0], 1e-8 * fabs(log10_p[0]));
    expect(name, "fit", tests.fit.statistic, expected[2], 1e-9 * expected[2]);
    expect(name, "fit df", tests.fit.df, expected[3], 0);
    expect(name, "fit p", tests.fit.log10_p, log10_p[1], 1e-8 * fabs(log10_p[1]));
    expect(name, "longest repeat", (double)tests.longest_repeat, expected[4], 0);
    expect(name, "repeat p", tests.repeat_p, expected[5], 1e-9);
    permutations(name, s, 3000);
    H5Gclose(group);
    return (*(int *)context)++, 0;
}

static void restarts(void)
{
    double cases[32][3];
    const hid_t file = H5Fopen("tests/golden/nist.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t attribute = H5Aopen(file, "restart", H5P_DEFAULT), space = H5Aget_space(attribute);
    const size_t n = (size_t)H5Sget_simple_extent_npoints(space) / 3;
    golden_need(n > 0 && n <= 32 && H5Aread(attribute, H5T_NATIVE_DOUBLE, cases) >= 0, "restart");
    H5Sclose(space), H5Aclose(attribute), H5Fclose(file);
    for (size_t i = 0; i < n; i++) {
        size_t cutoff;
        const double alpha = 1 - pow(0.99, 1. / 2000);
        must(kl_nist_restart_cutoff(&cutoff, cases[i][0], (int)cases[i][1], 1000, alpha, &err), &err);
        expect("restart", "cutoff", (double)cutoff, cases[i][2], 0);
    }
}

/* NIST's ea_iid (the C++ in PyPI's sp800-90b 0.1.1) on a million digits of e. Its collisions leave out
   the symbol that collides, which the standard's example counts. */
static void program(void)
{
    static const double expected[KL_IID_STATISTICS] = {
        472.49087, 79649,   10,      74794,   499710, 21,    19.9219953130231 + 1,
        58 + 1,    24605,   24481,   24702,   24462,  24468, 2000704,
        2000464,   2000690, 2000391, 1999705, 155908
    };
    enum { DIGITS = 1000000 };
    static uint8_t e[DIGITS];
    double t[KL_IID_STATISTICS];
    struct kl_iid_tests tests;
    golden_digits(e, DIGITS);
    statistics(t, e, DIGITS);
    for (int i = 0; i < KL_IID_STATISTICS; i++)
        expect("ea_iid", kl_iid_names[i], t[i], expected[i], i == 0 || i == 6 ? 1e-9 : 0);
    must(kl_nist_iid_tests(&tests, e, DIGITS, &err), &err);
    expect("ea_iid", "independence", tests.independence.statistic, 2079.4630661938136, 1e-6);
    expect("ea_iid", "independence p", pow(10, tests.independence.log10_p), 0.29781377365377737, 1e-9);
    expect("ea_iid", "fit", tests.fit.statistic, 18.133396061000745, 1e-9);
    expect("ea_iid", "fit p", pow(10, tests.fit.log10_p), 0.033657073586041295, 1e-9);
    expect("ea_iid", "longest repeat", (double)tests.longest_repeat, 40, 0);
    expect("ea_iid", "repeat p", tests.repeat_p, 0.36536895932926758, 1e-8);
}

int main(void)
{
    examples();
    program();
    restarts();
    if (golden_groups("tests/golden/nist.h5", check) != 7) {
        fprintf(stderr, "nist.h5: expected 7 groups\n");
        failures++;
    }
    return failures != 0;
}
