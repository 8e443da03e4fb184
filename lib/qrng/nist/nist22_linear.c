/* SPDX-License-Identifier: MIT
   SP 800-22: tests of linear dependence over two elements: ranks of matrices and linear complexity
   (sections 2.5, 2.10). */
#include "qrng/nist/nist_int.h"

#include <string.h>

/* ---- ranks ---- */
/* Ranks of 32 x 32 matrices over two elements (section 2.5). */

enum { SIDE = 32 };

static int rank(uint32_t rows[SIDE])
{
    int found = 0;
    for (int column = 0; column < SIDE; column++) {
        const uint32_t bit = 1u << column;
        int pivot = found;
        while (pivot < SIDE && !(rows[pivot] & bit)) pivot++;
        if (pivot == SIDE) continue;
        const uint32_t row = rows[pivot];
        rows[pivot] = rows[found];
        rows[found++] = row;
        for (int i = found; i < SIDE; i++)
            if (rows[i] & bit) rows[i] ^= row;
    }
    return found;
}

/* Probability of rank r of a random square matrix (section 3.5). */
static double probability(int r)
{
    double p = ldexp(1, r * (2 * SIDE - r) - SIDE * SIDE);
    for (int i = 0; i < r; i++) {
        const double one = 1 - ldexp(1, i - SIDE);
        p *= one * one / (1 - ldexp(1, i - r));
    }
    return p;
}

struct kl_nist22_value kl_nist_sp22_rank(const uint8_t *bits, size_t n)
{
    const size_t matrices = n / (SIDE * SIDE);
    size_t counts[3] = { 0 };
    for (size_t m = 0; m < matrices; m++) {
        uint32_t rows[SIDE] = { 0 };
        for (size_t i = 0; i < SIDE * SIDE; i++)
            rows[i / SIDE] |= (uint32_t)bits[m * SIDE * SIDE + i] << i % SIDE;
        const int r = rank(rows);
        counts[r == SIDE ? 0 : r == SIDE - 1 ? 1 : 2]++;
    }
    const double full = probability(SIDE), less = probability(SIDE - 1);
    const double law[3] = { full, less, 1 - full - less };
    const double statistic = kl_nist_sp22_chi_square(counts, law, 3, matrices);
    return (struct kl_nist22_value){ statistic, -statistic / 2 / M_LN10 };
}

/* ---- linear complexity ---- */
/* Linear complexity of blocks (section 2.10). */

enum { WORDS = 5000 / 64 + 2 };

static void shift_in(uint64_t *words, size_t n, uint64_t bit)
{
    for (size_t i = 0; i < n; i++) {
        const uint64_t out = words[i] >> 63;
        words[i] = words[i] << 1 | bit;
        bit = out;
    }
}

/* The register c has bit i for the coefficient of s_{k-i}, the window bit i for s_{k-i} itself, so the
   discrepancy is the parity of both; b is the last register but one, already shifted to where it is
   added. */
size_t kl_nist_sp22_complexity(const uint8_t *bits, size_t n)
{
    uint64_t window[WORDS] = { 0 }, c[WORDS] = { 1 }, b[WORDS] = { 1 }, kept[WORDS];
    const size_t words = n / 64 + 1;
    size_t length = 0;
    for (size_t k = 0; k < n; k++) {
        uint64_t parity = 0;
        shift_in(window, words, bits[k]);
        shift_in(b, words, 0);
        for (size_t i = 0; i < words; i++) parity ^= window[i] & c[i];
        if (!__builtin_parityll(parity)) continue;
        const bool grows = 2 * length <= k;
        if (grows) memcpy(kept, c, words * sizeof *c);
        for (size_t i = 0; i < words; i++) c[i] ^= b[i];
        if (!grows) continue;
        memcpy(b, kept, words * sizeof *b);
        length = k + 1 - length;
    }
    return length;
}

struct kl_nist22_value kl_nist_sp22_linear_complexity(size_t counts[7], const uint8_t *bits, size_t n,
                                                      size_t block)
{
    static const double law[7] = { 1. / 96, 1. / 32, 1. / 8, 1. / 2, 1. / 4, 1. / 16, 1. / 48 };
    const size_t blocks = n / block;
    const double m = (double)block, sign = block % 2 ? -1 : 1;
    const double mean = m / 2 + (9 - sign) / 36 - (m / 3 + 2. / 9) * exp2(-m);
    memset(counts, 0, 7 * sizeof *counts);
    for (size_t i = 0; i < blocks; i++) {
        const double l = (double)kl_nist_sp22_complexity(bits + i * block, block);
        const double t = sign * (l - mean) + 2. / 9;
        counts[t <= -2.5 ? 0 : t > 2.5 ? 6 : (size_t)ceil(t + 2.5)]++;
    }
    const double statistic = kl_nist_sp22_chi_square(counts, law, 7, blocks);
    return (struct kl_nist22_value){ statistic, kl_nist_sp22_igamc(3, statistic / 2) };
}
