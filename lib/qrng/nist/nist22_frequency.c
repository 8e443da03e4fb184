/* SPDX-License-Identifier: MIT
   SP 800-22: tests of how many ones there are, of runs, and of the walk +-1 (sections 2.1 to 2.4,
   2.13 to 2.15). */
#include "qrng/nist/nist_int.h"

#include <stdlib.h>
#include <string.h>

/* ---- ones ---- */
/* How many ones: in all (section 2.1), in blocks (2.2), and how far their sum strays (2.13). */

static size_t ones(const uint8_t *bits, size_t n)
{
    size_t sum = 0;
    for (size_t i = 0; i < n; i++) sum += bits[i];
    return sum;
}

struct kl_nist22_value kl_nist_sp22_frequency(const uint8_t *bits, size_t n)
{
    const double sum = 2 * (double)ones(bits, n) - (double)n, s = fabs(sum) / sqrt((double)n);
    return (struct kl_nist22_value){ s, kl_stats_normal_log10_p(s) };
}

struct kl_nist22_value kl_nist_sp22_block_frequency(const uint8_t *bits, size_t n, size_t block)
{
    const size_t blocks = n / block;
    double sum = 0;
    for (size_t i = 0; i < blocks; i++) {
        const double off = (double)ones(bits + i * block, block) / (double)block - 0.5;
        sum += off * off;
    }
    const double statistic = 4 * (double)block * sum;
    return (struct kl_nist22_value){ statistic, kl_nist_sp22_igamc((double)blocks / 2, statistic / 2) };
}

static double upper(double z)
{
    return 0.5 * erfc(z * M_SQRT1_2);
}

/* Probability that the walk of n steps reaches z: the two sums of section 2.13.5, their bounds cut
   towards zero as its example has them. Differences are those of upper tails, which keep their digits.
 */
static double reached(size_t n, size_t z)
{
    const double ratio = (double)n / (double)z, u = (double)z / sqrt((double)n);
    double p = 2 * upper(u);
    for (long k = 1; k <= (long)((ratio - 1) / 4); k++)
        p -= 2 * (upper((double)(4 * k - 1) * u) - upper((double)(4 * k + 1) * u));
    for (long k = 0; k <= (long)((ratio - 1) / 4); k++)
        p += upper((double)(4 * k + 1) * u) - upper((double)(4 * k + 3) * u);
    for (long k = 0; k < (long)((ratio + 3) / 4); k++)
        p += upper((double)(4 * k + 1) * u) - upper((double)(4 * k + 3) * u);
    return fmin(1, p);
}

struct kl_nist22_value kl_nist_sp22_cumulative_sums(const uint8_t *bits, size_t n, bool backward)
{
    const double far = 6; /* standard deviations, from where on all terms but the first are rounding */
    long sum = 0, most = 0;
    for (size_t i = 0; i < n; i++) {
        sum += bits[backward ? n - 1 - i : i] ? 1 : -1;
        if (labs(sum) > most) most = labs(sum);
    }
    const double u = (double)most / sqrt((double)n);
    const double log10_p =
        u > far ? log10(4) + kl_stats_normal_log10_upper(u) : log10(reached(n, (size_t)most));
    return (struct kl_nist22_value){ (double)most, log10_p };
}

/* ---- runs ---- */
/* Runs: how many (section 2.3), and the longest one of ones in each block (2.4). */

struct kl_nist22_value kl_nist_sp22_runs(const uint8_t *bits, size_t n)
{
    size_t ones = bits[0], runs = 1;
    for (size_t i = 1; i < n; i++) {
        ones += bits[i];
        runs += bits[i] != bits[i - 1];
    }
    const double p = (double)ones / (double)n, size = (double)n;
    const double off = fabs((double)runs - 2 * size * p * (1 - p));
    if (ones == 0 || ones == n) return (struct kl_nist22_value){ 1, -INFINITY };
    return (struct kl_nist22_value){ (double)runs,
                                     kl_stats_normal_log10_p(off / (sqrt(size) * 2 * p * (1 - p))) };
}

/* Section 2.4.4: the longest run falls in one of k + 1 classes, up to `least`, ..., from `least` + k on.
 */
static const struct {
    size_t from, block, least, k;
    double law[7];
} tables[] = {
    { 750000, 10000, 10, 6, { .0882, .2092, .2483, .1933, .1208, .0675, .0727 } },
    { 6272, 128, 4, 5, { .1174035788, .242955959, .249363483, .17517706, .102701071, .112398847 } },
    { 0, 8, 1, 3, { .21484375, .3671875, .23046875, .1875 } },
};

static size_t longest(const uint8_t *bits, size_t n)
{
    size_t most = 0, run = 0;
    for (size_t i = 0; i < n; i++) {
        run = bits[i] ? run + 1 : 0;
        if (run > most) most = run;
    }
    return most;
}

struct kl_nist22_value kl_nist_sp22_longest_run(const uint8_t *bits, size_t n)
{
    size_t counts[7] = { 0 }, t = 0;
    while (n < tables[t].from) t++;
    const size_t blocks = n / tables[t].block, least = tables[t].least, k = tables[t].k;
    for (size_t i = 0; i < blocks; i++) {
        const size_t run = longest(bits + i * tables[t].block, tables[t].block);
        counts[run <= least ? 0 : run >= least + k ? k : run - least]++;
    }
    const double statistic = kl_nist_sp22_chi_square(counts, tables[t].law, k + 1, blocks);
    return (struct kl_nist22_value){ statistic, kl_nist_sp22_igamc((double)k / 2, statistic / 2) };
}

/* ---- excursions ---- */
/* Excursions of the walk +-1 from zero and back: visits in each cycle (section 2.14) and in all (2.15).
   A last cycle that does not come back counts as one. */

enum { FAR = 4, FAR_VARIANT = 9, CLASSES = 6 };

/* Place of state x among -far .. -1, 1 .. far. */
static int place(long x, int far)
{
    return (int)x + far - (x > 0);
}

size_t kl_nist_sp22_excursions(struct kl_nist22_value values[KL_NIST22_EXCURSIONS], const uint8_t *bits,
                               size_t n)
{
    size_t counts[KL_NIST22_EXCURSIONS][CLASSES] = { { 0 } }, visits[KL_NIST22_EXCURSIONS] = { 0 };
    size_t cycles = 0;
    long at = 0;
    for (size_t i = 0; i < n; i++) {
        at += bits[i] ? 1 : -1;
        if (at && at >= -FAR && at <= FAR) visits[place(at, FAR)]++;
        if (at && i + 1 < n) continue;
        cycles++;
        for (int s = 0; s < KL_NIST22_EXCURSIONS; s++)
            counts[s][visits[s] < CLASSES ? visits[s] : CLASSES - 1]++;
        memset(visits, 0, sizeof visits);
    }
    for (int s = 0; s < KL_NIST22_EXCURSIONS; s++) {
        const double x = s < FAR ? FAR - s : s - FAR + 1, stay = 1 - 1 / (2 * x);
        double law[CLASSES] = { stay };
        for (int k = 1; k < CLASSES - 1; k++) law[k] = pow(stay, k - 1) / (4 * x * x);
        law[CLASSES - 1] = pow(stay, CLASSES - 2) / (2 * x);
        const double statistic = kl_nist_sp22_chi_square(counts[s], law, CLASSES, cycles);
        values[s] = (struct kl_nist22_value){ statistic, kl_nist_sp22_igamc(2.5, statistic / 2) };
    }
    return cycles;
}

size_t kl_nist_sp22_variants(struct kl_nist22_value values[KL_NIST22_VARIANTS], const uint8_t *bits,
                             size_t n)
{
    size_t visits[KL_NIST22_VARIANTS] = { 0 }, cycles = 0;
    long at = 0;
    for (size_t i = 0; i < n; i++) {
        at += bits[i] ? 1 : -1;
        if (at && at >= -FAR_VARIANT && at <= FAR_VARIANT) visits[place(at, FAR_VARIANT)]++;
        cycles += !at || i + 1 == n;
    }
    const double j = (double)cycles;
    for (int s = 0; s < KL_NIST22_VARIANTS; s++) {
        const double x = s < FAR_VARIANT ? FAR_VARIANT - s : s - FAR_VARIANT + 1;
        const double xi = (double)visits[s];
        values[s] =
            (struct kl_nist22_value){ xi, kl_stats_normal_log10_p((xi - j) / sqrt(j * (4 * x - 2))) };
    }
    return cycles;
}
