/* SPDX-License-Identifier: MIT
   Templates: patterns that do not overlap themselves (section 2.7), and runs of ones that do (2.8). */
#include <string.h>

#include "qrng/nist/nist22_int.h"

bool kl_nist22_aperiodic(unsigned pattern, int m)
{
    for (int shift = 1; shift < m; shift++)
        if (pattern >> shift == (pattern & ((1u << (m - shift)) - 1))) return false;
    return true;
}

void kl_nist22_nonoverlapping(struct kl_nist22_value *values, const uint8_t *bits, size_t n, int m,
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
        values[p] = (struct kl_nist22_value){ statistic, kl_nist22_igamc(blocks / 2., statistic / 2) };
    }
}

/* The walk over (ones at the end, up to m; occurrences, up to 5), bit by bit. */
void kl_nist22_overlapping_law(double law[6], int m, size_t block)
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

struct kl_nist22_value kl_nist22_overlapping(size_t counts[6], const uint8_t *bits, size_t n, int m,
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
    const double statistic = kl_nist22_chi_square(counts, law, 6, blocks);
    return (struct kl_nist22_value){ statistic, kl_nist22_igamc(2.5, statistic / 2) };
}
