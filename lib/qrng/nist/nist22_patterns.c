/* SPDX-License-Identifier: MIT
   SP 800-22: tests of patterns of bits: templates, Maurer's statistic, the serial test, approximate
   entropy (sections 2.7 to 2.9, 2.11, 2.12). */
#include "qrng/nist/nist_int.h"

#include <stdlib.h>
#include <string.h>

/* ---- templates ---- */
/* Templates: patterns that do not overlap themselves (section 2.7), and runs of ones that do (2.8). */

bool kl_nist_sp22_aperiodic(unsigned pattern, int m)
{
    for (int shift = 1; shift < m; shift++)
        if (pattern >> shift == (pattern & ((1u << (m - shift)) - 1))) return false;
    return true;
}

void kl_nist_sp22_nonoverlapping(struct kl_nist22_value *values, const uint8_t *bits, size_t n, int m,
                                 int blocks)
{
    enum { PATTERNS = 512, BLOCKS = 8 };
    static const size_t none[PATTERNS] = { 0 };
    size_t counts[BLOCKS][PATTERNS];
    const size_t block = n / (size_t)blocks, patterns = (size_t)1 << m;
    const double all = (double)patterns, size = (double)block;
    const double mean = (size - m + 1) / all, variance = size * (1 / all - (2 * m - 1) / (all * all));
    for (int i = 0; i < blocks; i++) {
        unsigned pattern = 0;
        memcpy(counts[i], none, sizeof none);
        for (size_t k = 0; k < block; k++) {
            pattern = (pattern << 1 | bits[(size_t)i * block + k]) & (unsigned)(patterns - 1);
            if (k + 1 >= (size_t)m) counts[i][pattern]++;
        }
    }
    for (size_t p = 0; p < patterns; p++) {
        double statistic = 0;
        for (int i = 0; i < blocks; i++) {
            const double off = (double)counts[i][p] - mean;
            statistic += off * off / variance;
        }
        values[p] =
            (struct kl_nist22_value){ statistic, kl_nist_sp22_igamc(blocks / 2., statistic / 2) };
    }
}

/* The walk over (ones at the end, up to m; occurrences, up to 5), bit by bit. */
void kl_nist_sp22_overlapping_law(double law[6], int m, size_t block)
{
    double now[17][6] = { { 1 } }, next[17][6];
    for (size_t i = 0; i < block; i++) {
        memset(next, 0, sizeof next);
        for (int run = 0; run <= m; run++)
            for (int found = 0; found < 6; found++) {
                const double half = now[run][found] / 2;
                const int longer = run < m ? run + 1 : m;
                const int more = longer == m && found < 5 ? found + 1 : found;
                next[0][found] += half;
                next[longer][more] += half;
            }
        memcpy(now, next, sizeof now);
    }
    for (int found = 0; found < 6; found++) {
        law[found] = 0;
        for (int run = 0; run <= m; run++) law[found] += now[run][found];
    }
}

struct kl_nist22_value kl_nist_sp22_overlapping(size_t counts[6], const uint8_t *bits, size_t n, int m,
                                                size_t block, const double law[6])
{
    const size_t blocks = n / block;
    memset(counts, 0, 6 * sizeof *counts);
    for (size_t i = 0; i < blocks; i++) {
        size_t found = 0;
        int run = 0;
        for (size_t k = 0; k < block; k++) {
            run = bits[i * block + k] ? run + 1 : 0;
            found += run >= m;
        }
        counts[found < 5 ? found : 5]++;
    }
    const double statistic = kl_nist_sp22_chi_square(counts, law, 6, blocks);
    return (struct kl_nist22_value){ statistic, kl_nist_sp22_igamc(2.5, statistic / 2) };
}

/* ---- Maurer's universal statistic ---- */
/* Maurer's universal statistic (section 2.9): how long ago each block was seen last. */

/* Section 2.9.4, by bits a block. */
static const double means[17] = { 0,         0.7326495, 1.5374383, 2.4016068, 3.3112247, 4.2534266,
                                  5.2177052, 6.1962507, 7.1836656, 8.1764248, 9.1723243, 10.170032,
                                  11.168765, 12.168070, 13.167693, 14.167488, 15.167379 };
static const double variances[17] = { 0,     0.690, 1.338, 1.901, 2.358, 2.705, 2.954, 3.125, 3.238,
                                      3.311, 3.356, 3.384, 3.401, 3.410, 3.416, 3.419, 3.421 };

int kl_nist_sp22_universal(struct kl_nist22_value *value, const uint8_t *bits, size_t n, int length,
                           size_t warm, struct kl_error *err)
{
    const size_t blocks = n / (size_t)length, tested = blocks - warm, patterns = (size_t)1 << length;
    double sum = 0;
    size_t *seen = calloc(patterns, sizeof *seen); /* from 1; 0: never */
    if (!seen) return kl_fail_memory(err, patterns * sizeof *seen);
    for (size_t i = 0; i < blocks; i++) {
        size_t pattern = 0;
        for (int k = 0; k < length; k++) pattern = pattern << 1 | bits[i * (size_t)length + (size_t)k];
        if (i >= warm) sum += log2((double)(i + 1 - seen[pattern]));
        seen[pattern] = i + 1;
    }
    free(seen);
    const double f = sum / (double)tested, l = length;
    const double c = 0.7 - 0.8 / l + (4 + 32 / l) * pow((double)tested, -3 / l) / 15;
    const double sigma = c * sqrt(variances[length] / (double)tested);
    *value = (struct kl_nist22_value){ f, kl_stats_normal_log10_p((f - means[length]) / sigma) };
    return KL_OK;
}

/* ---- serial test and approximate entropy ---- */
/* All overlapping patterns of m bits, the sequence closed to a ring: the serial test (section 2.11) and
   approximate entropy (2.12). */

/* counts [2^m], malloc'ed; by halve() they become those of m - 1. */
static int count(uint32_t **counts, const uint8_t *bits, size_t n, int m, struct kl_error *err)
{
    const size_t patterns = (size_t)1 << m;
    size_t pattern = 0;
    if (!(*counts = calloc(patterns, sizeof **counts)))
        return kl_fail_memory(err, patterns * sizeof **counts);
    for (size_t i = 0; i < n + (size_t)m - 1; i++) {
        pattern = (pattern << 1 | bits[i % n]) & (patterns - 1);
        if (i + 1 >= (size_t)m) (*counts)[pattern]++;
    }
    return KL_OK;
}

static void halve(uint32_t *counts, int m)
{
    for (size_t i = 0; i < (size_t)1 << (m - 1); i++) counts[i] = counts[2 * i] + counts[2 * i + 1];
}

static double psi_squared(const uint32_t *counts, size_t n, int m)
{
    uint64_t squares = 0; /* exact: at most n^2 */
    if (m == 0) return 0;
    for (size_t i = 0; i < (size_t)1 << m; i++) squares += (uint64_t)counts[i] * counts[i];
    return ldexp((double)squares, m) / (double)n - (double)n;
}

int kl_nist_sp22_serial(struct kl_nist22_value values[2], const uint8_t *bits, size_t n, int m,
                        struct kl_error *err)
{
    uint32_t *counts = NULL;
    double psi[3];
    const int code = count(&counts, bits, n, m, err);
    if (code) return code;
    for (int i = 0; i < 3; i++) {
        psi[i] = psi_squared(counts, n, m - i);
        if (i < 2) halve(counts, m - i);
    }
    free(counts);
    const double first = psi[0] - psi[1], second = psi[0] - 2 * psi[1] + psi[2];
    values[0] = (struct kl_nist22_value){ first, kl_nist_sp22_igamc(exp2(m - 2), first / 2) };
    values[1] = (struct kl_nist22_value){ second, kl_nist_sp22_igamc(exp2(m - 3), second / 2) };
    return KL_OK;
}

static double phi(const uint32_t *counts, size_t n, int m)
{
    double sum = 0;
    for (size_t i = 0; i < (size_t)1 << m; i++)
        if (counts[i]) sum += counts[i] * log(counts[i] / (double)n);
    return sum / (double)n;
}

int kl_nist_sp22_approximate_entropy(struct kl_nist22_value *value, const uint8_t *bits, size_t n, int m,
                                     struct kl_error *err)
{
    uint32_t *counts = NULL;
    const int code = count(&counts, bits, n, m + 1, err);
    if (code) return code;
    const double longer = phi(counts, n, m + 1);
    halve(counts, m + 1);
    const double entropy = phi(counts, n, m) - longer;
    free(counts);
    const double statistic = 2 * (double)n * (M_LN2 - entropy);
    *value = (struct kl_nist22_value){ statistic, kl_nist_sp22_igamc(exp2(m - 1), statistic / 2) };
    return KL_OK;
}
