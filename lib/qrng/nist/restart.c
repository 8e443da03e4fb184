/* SPDX-License-Identifier: MIT
   What a source delivers after each of many starts. */
#include <stdlib.h>
#include <string.h>

#include "stats/distributions.h"
#include "qrng/nist/iid.h"
#include "qrng/nist/nist90b_int.h"

/* a *= b as polynomials of degree n at most, b of degree x. */
static void multiply(double *a, const double *b, size_t n, size_t x, double *work)
{
    memset(work, 0, (n + 1) * sizeof *work);
    for (size_t i = 0; i <= n; i++)
        for (size_t j = 0; a[i] > 0 && j <= x && i + j <= n; j++) work[i + j] += a[i] * b[j];
    memcpy(a, work, (n + 1) * sizeof *a);
}

/* Probability that a Poisson variable of this mean is j: log j! by Stirling's formula and what it lacks.
 */
static double poisson(double mean, size_t j)
{
    const double m = (double)j;
    if (j == 0 || mean == 0) return j ? 0 : exp(-mean);
    return exp(m * log(mean) - mean - kl_stats_log_factorial(m));
}

/* Probability that none of k counts exceeds x: counts that sum to n are Poisson variables of mean n p,
   given that these sum to n (Levin 1981, doi:10.1214/aos/1176345593). */
static double none_above(size_t x, double p, int likely, int k, size_t n, double *work)
{
    const double rest = k > likely ? fmax(0, 1 - p * likely) / (k - likely) : 0;
    double *all = work, *one = all + n + 1, *other = one + n + 1, *space = other + n + 1;
    memset(all, 0, (n + 1) * sizeof *all);
    all[0] = 1;
    for (size_t j = 0; j <= x; j++) {
        one[j] = poisson((double)n * p, j);
        other[j] = poisson((double)n * rest, j);
    }
    for (int i = 0; i < k; i++) multiply(all, i < likely ? one : other, n, x, space);
    return all[n] / poisson((double)n, n);
}

int kl_restart_cutoff(size_t *cutoff, double h, int k, size_t n, double alpha, struct kl_error *err)
{
    const double p = exp2(-h);
    const int most = (int)fmin(floor(1 / p + 1e-9), k);
    size_t low = 0, high = n;
    double *work = malloc(4 * (n + 1) * sizeof *work);
    if (!work) return kl_fail_memory(err, 4 * (n + 1) * sizeof *work);
    while (low < high) {
        const size_t x = (low + high) / 2;
        if (1 - none_above(x, p, most > 0 ? most : 1, k, n, work) <= alpha) high = x;
        else low = x + 1;
    }
    free(work);
    *cutoff = low;
    return KL_OK;
}

/* Largest count of a symbol in a row, over all rows. */
static size_t most_in_rows(const uint8_t *s)
{
    size_t most = 0;
    for (size_t r = 0; r < KL_RESTARTS; r++) {
        size_t counts[256] = { 0 };
        for (size_t i = 0; i < KL_RESTARTS; i++) {
            const size_t count = ++counts[s[r * KL_RESTARTS + i]];
            if (count > most) most = count;
        }
    }
    return most;
}

int kl_restart(struct kl_restart *result, const uint8_t *s, double h, struct kl_error *err)
{
    const size_t n = (size_t)KL_RESTARTS * KL_RESTARTS;
    const double alpha = -expm1(log(0.99) / (2 * KL_RESTARTS));
    double estimates[KL_NIST90B_ESTIMATES];
    uint8_t *rows = malloc(2 * n), *columns = rows ? rows + n : NULL;
    *result = (struct kl_restart){ 0 };
    if (!rows) return kl_fail_memory(err, 2 * n);
    memcpy(rows, s, n);
    const int k = kl_symbols_close(rows, n);
    for (size_t i = 0; i < n; i++) columns[i % KL_RESTARTS * KL_RESTARTS + i / KL_RESTARTS] = rows[i];
    const size_t by_row = most_in_rows(rows), by_column = most_in_rows(columns);
    result->most = by_row > by_column ? by_row : by_column;
    int code = kl_restart_cutoff(&result->cutoff, h, k, KL_RESTARTS, alpha, err);
    if (!code) code = kl_nist90b(estimates, &(struct kl_symbols){ rows, n, k }, err);
    if (!code) {
        result->rows_h = kl_nist90b_least(estimates);
        code = kl_nist90b(estimates, &(struct kl_symbols){ columns, n, k }, err);
    }
    free(rows);
    if (code) return code;
    result->columns_h = kl_nist90b_least(estimates);
    const double least = fmin(result->rows_h, result->columns_h);
    result->h = result->most > result->cutoff || least < h / 2 ? 0 : fmin(least, h);
    return KL_OK;
}
