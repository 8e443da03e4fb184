/* SPDX-License-Identifier: MIT
   Rows of k independent symbols from one of two devices: the counts of the symbols are sufficient, so
   sums over all count vectors are exact. */
#include <math.h>

#include "qrng/tournament.h"

enum { MOST_SYMBOLS = 4, MOST = 256 };

struct sums {
    double js, accuracy;
};

/* One count vector: how many rows have it, times their probabilities. */
static void add(struct sums *sums, double rows, double lp, double lq)
{
    const double p = exp(rows + lp), q = exp(rows + lq), m = 0.5 * (p + q);
    sums->accuracy += 0.5 * fmax(p, q);
    if (p > 0) sums->js += 0.5 * p * log(p / m);
    if (q > 0) sums->js += 0.5 * q * log(q / m);
}

/* Logarithm of p^c, with 0^0 = 1. */
static double power(double lp, size_t c)
{
    return c ? lp * (double)c : 0;
}

/* Symbols s .. n - 1 have `left` places between them. */
static void visit(struct sums *sums, const double *lp, const double *lq, const double *factorial,
                  size_t n, size_t s, size_t left, double rows, double p, double q)
{
    if (s + 1 == n) {
        add(sums, rows - factorial[left], p + power(lp[s], left), q + power(lq[s], left));
        return;
    }
    for (size_t c = 0; c <= left; c++)
        visit(sums, lp, lq, factorial, n, s + 1, left - c, rows - factorial[c], p + power(lp[s], c),
              q + power(lq[s], c));
}

void kl_row_law(double *js, double *accuracy, const double *p, const double *q, size_t n, size_t k)
{
    double factorial[MOST + 1] = { 0 }, lp[MOST_SYMBOLS], lq[MOST_SYMBOLS];
    struct sums sums = { 0 };
    *js = *accuracy = NAN;
    if (n > MOST_SYMBOLS || k > MOST || n == 0) return;
    for (size_t i = 2; i <= k; i++) factorial[i] = factorial[i - 1] + log((double)i);
    for (size_t s = 0; s < n; s++) lp[s] = log(p[s]), lq[s] = log(q[s]);
    visit(&sums, lp, lq, factorial, n, 0, k, factorial[k], 0, 0);
    *js = fmax(sums.js, 0);
    *accuracy = sums.accuracy;
}
