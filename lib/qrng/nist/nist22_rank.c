/* SPDX-License-Identifier: MIT
   Ranks of 32 x 32 matrices over two elements (section 2.5). */
#include "qrng/nist/nist22_int.h"

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

struct kl_nist22_value kl_nist22_rank(const uint8_t *bits, size_t n)
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
    const double statistic = kl_nist22_chi_square(counts, law, 3, matrices);
    return (struct kl_nist22_value){ statistic, -statistic / 2 / M_LN10 };
}
