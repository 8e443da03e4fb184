/* SPDX-License-Identifier: MIT
   Binomial numbers against their distribution (chi-squared over all values), its mean and variance for
   many trials, and what is certain. */
#include "circuit/estimate.h"

#include <math.h>

#include "../check.h"

enum { DRAWS = 20000, MOST = 64 };

static uint32_t draw(uint32_t i, uint32_t n, double p)
{
    struct kl_coins coins = { .key = 42, .evaluation = i };
    return kl_circuit_binomial(&coins, n, p);
}

/* Values that are expected less than five times go together. */
static void check_distribution(uint32_t n, double p)
{
    double count[MOST + 1] = { 0 }, chi2 = 0, rest = 0, rest_found = 0, chance = pow(1 - p, n);
    int cells = 0;
    for (uint32_t i = 0; i < DRAWS; i++) count[draw(i, n, p)]++;
    for (uint32_t k = 0; k <= n; k++) {
        const double expected = DRAWS * chance;
        chance *= (n - k) / (k + 1.0) * p / (1 - p);
        if (expected < 5) {
            rest += expected, rest_found += count[k];
            continue;
        }
        chi2 += pow(count[k] - expected, 2) / expected;
        cells++;
    }
    if (rest > 0.5) chi2 += pow(rest_found - rest, 2) / rest, cells++;
    /* mean cells - 1, variance twice that; five standard deviations */
    const double freedom = cells - 1;
    CHECK(chi2 < freedom + 5 * sqrt(2 * freedom) + 5, "n %u, p %g: chi2 %g of %d cells", n, p, chi2,
          cells);
}

static void check_moments(uint32_t n, double p)
{
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < DRAWS; i++) {
        const double off = (draw(i, n, p) - n * p) / sqrt(n * p * (1 - p));
        sum += off, squares += off * off;
    }
    CHECK(fabs(sum / DRAWS) < 5 / sqrt(DRAWS), "n %u, p %g: mean %g", n, p, sum / DRAWS);
    CHECK(fabs(squares / DRAWS - 1) < 5 * sqrt(2.0 / DRAWS), "n %u, p %g: variance %g", n, p,
          squares / DRAWS);
}

int main(void)
{
    static const double p[] = { 0.5, 0.3, 0.05, 0.999, 1e-3, 0.7071067811865476 };
    for (int i = 0; i < 6; i++) {
        for (uint32_t n = 1; n <= MOST; n *= 2) check_distribution(n, p[i]);
        check_distribution(7, p[i]);
        check_moments(100000, p[i]);
    }
    CHECK(draw(0, 1000, 0) == 0 && draw(0, 1000, -1e-9) == 0 && draw(0, 1000, NAN) == 0);
    CHECK(draw(0, 1000, 1) == 1000 && draw(0, 1000, 1.0000001) == 1000);
    CHECK(draw(0, 0, 0.5) == 0 && draw(1, 1000, 0.5) != draw(2, 1000, 0.5));
    return failures != 0;
}
