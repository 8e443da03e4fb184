/* SPDX-License-Identifier: MIT
   Runs: how many (section 2.3), and the longest one of ones in each block (2.4). */
#include "qrng/nist/nist22_int.h"

struct kl_nist22_value kl_nist22_runs(const uint8_t *bits, size_t n)
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

struct kl_nist22_value kl_nist22_longest_run(const uint8_t *bits, size_t n)
{
    size_t counts[7] = { 0 }, t = 0;
    while (n < tables[t].from) t++;
    const size_t blocks = n / tables[t].block, least = tables[t].least, k = tables[t].k;
    for (size_t i = 0; i < blocks; i++) {
        const size_t run = longest(bits + i * tables[t].block, tables[t].block);
        counts[run <= least ? 0 : run >= least + k ? k : run - least]++;
    }
    const double statistic = kl_nist22_chi_square(counts, tables[t].law, k + 1, blocks);
    return (struct kl_nist22_value){ statistic, kl_nist22_igamc((double)k / 2, statistic / 2) };
}
