/* SPDX-License-Identifier: MIT
   SP 800-90B: tests of independence with known distributions (section 5.2), and of restarts (section
   3.1.4). */
#include "qrng/nist/nist_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/stats.h"

/* ---- known distributions ---- */
/* Chi-squared tests of independence and of equal distribution, and the longest repeat. */

enum { PARTS = 10 };

/* A cell of a table, and the bin that it falls in. */
struct cell {
    double expected;
    uint32_t at, bin;
};

static int compare(const void *a, const void *b)
{
    const struct cell *x = a, *y = b;
    if (x->expected != y->expected) return x->expected < y->expected ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

/* Cells in the order of what is expected of them, in bins of at least five; the rest joins the last bin.
   bin [n] by cell, expected [n] by bin; returns how many bins. */
static size_t make_bins(uint32_t *bin, double *expected, struct cell *cells, size_t n)
{
    size_t bins = 0;
    double sum = 0;
    qsort(cells, n, sizeof *cells, compare);
    for (size_t i = 0; i < n; i++) {
        bin[cells[i].at] = (uint32_t)bins;
        sum += cells[i].expected;
        if (sum < 5) continue;
        expected[bins++] = sum;
        sum = 0;
    }
    if (sum > 0 && bins) {
        for (size_t i = 0; i < n; i++)
            if (bin[i] == bins) bin[i]--;
        expected[bins - 1] += sum;
    }
    return bins;
}

static double chi_square(const size_t *counts, const double *expected, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += ((double)counts[i] - expected[i]) * ((double)counts[i] - expected[i]) / expected[i];
    return sum;
}

static void finish(struct kl_iid_test *test, double statistic, double df)
{
    *test =
        (struct kl_iid_test){ statistic, df, df > 0 ? kl_stats_chi_square_log10_p(statistic, df) : NAN };
}

/* counts [k] of the k symbols; pairs do not overlap. */
static int of_symbols(struct kl_iid_tests *tests, const struct kl_symbols *s, const size_t *counts,
                      struct kl_error *err)
{
    const size_t k = (size_t)s->k, cells = k * k;
    const size_t bytes = cells * (sizeof(struct cell) + sizeof(double) + sizeof(size_t) + 4);
    const double n = (double)s->n, pairs = (double)(s->n / 2);
    unsigned char *block = malloc(bytes);
    if (!block) return kl_fail_memory(err, bytes);
    struct cell *list = (struct cell *)block;
    double *expected = (double *)(list + cells);
    size_t *seen = (size_t *)(expected + cells);
    uint32_t *bin = (uint32_t *)(seen + cells);
    for (size_t i = 0; i < cells; i++) /* whole products: what is equally likely is so to the last bit */
        list[i] = (struct cell){ (double)counts[i / k] * (double)counts[i % k] * (pairs / (n * n)),
                                 (uint32_t)i, 0 };
    size_t bins = make_bins(bin, expected, list, cells);
    memset(seen, 0, cells * sizeof *seen);
    for (size_t i = 0; bins && i + 1 < s->n; i += 2) seen[bin[s->s[i] * k + s->s[i + 1]]]++;
    finish(&tests->independence, chi_square(seen, expected, bins), (double)bins - (double)k);
    for (size_t i = 0; i < k; i++) list[i] = (struct cell){ (double)counts[i] / PARTS, (uint32_t)i, 0 };
    bins = make_bins(bin, expected, list, k);
    double sum = 0;
    for (size_t part = 0; bins && part < PARTS; part++) {
        const uint8_t *from = s->s + part * (s->n / PARTS);
        memset(seen, 0, k * sizeof *seen);
        for (size_t i = 0; i < s->n / PARTS; i++) seen[bin[from[i]]]++;
        sum += chi_square(seen, expected, bins);
    }
    finish(&tests->fit, sum, bins ? (double)(PARTS - 1) * ((double)bins - 1) : 0);
    free(block);
    return KL_OK;
}

/* Patterns of m bits, the longest m <= 11 of which the rarest is expected five times. */
static void of_bits(struct kl_iid_tests *tests, const struct kl_symbols *s, const size_t counts[2])
{
    enum { MOST = 11 };
    const double p[2] = { (double)counts[0] / (double)s->n, (double)counts[1] / (double)s->n };
    size_t seen[1 << MOST] = { 0 }, part = s->n / PARTS;
    int m = MOST;
    while (m > 1 && pow(fmin(p[0], p[1]), m) * (double)(s->n / (size_t)m) < 5) m--;
    const size_t blocks = s->n / (size_t)m;
    for (size_t i = 0; i < blocks; i++) {
        size_t pattern = 0;
        for (int j = 0; j < m; j++) pattern = pattern << 1 | s->s[i * (size_t)m + (size_t)j];
        seen[pattern]++;
    }
    double sum = 0;
    for (size_t i = 0; i < (size_t)1 << m; i++) {
        const int ones = __builtin_popcountll(i);
        const double expected = pow(p[1], ones) * pow(p[0], m - ones) * (double)blocks;
        sum += ((double)seen[i] - expected) * ((double)seen[i] - expected) / expected;
    }
    finish(&tests->independence, sum, m > 1 ? exp2(m) - 2 : 0);
    sum = 0;
    for (size_t d = 0; d < PARTS; d++) {
        size_t ones = 0;
        for (size_t i = 0; i < part; i++) ones += s->s[d * part + i];
        const double off = (double)ones - p[1] * (double)part; /* of the zeros it is the same */
        sum += off * off / (p[1] * (double)part) + off * off / (p[0] * (double)part);
    }
    finish(&tests->fit, sum, part ? PARTS - 1 : 0);
}

int kl_nist_iid_tests(struct kl_iid_tests *tests, const uint8_t *s, size_t n, struct kl_error *err)
{
    const struct kl_iid_test none = { NAN, 0, NAN };
    struct kl_repeats r;
    size_t counts[256] = { 0 };
    uint8_t *closed = malloc(n + 1);
    if (!closed) return kl_fail_memory(err, n + 1);
    memcpy(closed, s, n);
    const struct kl_symbols symbols = { closed, n, kl_nist_symbols_close(closed, n) };
    *tests = (struct kl_iid_tests){ none, none, 0, 1, symbols.k };
    double collide = 0;
    int code = KL_OK;
    for (size_t i = 0; i < n; i++) counts[closed[i]]++;
    for (int v = 0; v < symbols.k; v++) collide += pow((double)counts[v] / (double)n, 2);
    if (symbols.k == 2) of_bits(tests, &symbols, counts);
    if (symbols.k > 2) code = of_symbols(tests, &symbols, counts, err);
    if (!code) code = kl_nist_repeats(&r, closed, n, err);
    if (!code) {
        const double places = (double)(n - r.longest + 1);
        tests->longest_repeat = r.longest;
        tests->repeat_p = -expm1(places * (places - 1) / 2 * log1p(-pow(collide, (double)r.longest)));
        kl_nist_repeats_free(&r);
    }
    free(closed);
    return code;
}

/* ---- restarts ---- */
/* Tests of a source's output after each of many starts. */

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

int kl_nist_restart_cutoff(size_t *cutoff, double h, int k, size_t n, double alpha, struct kl_error *err)
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

int kl_nist_restart(struct kl_restart *result, const uint8_t *s, double h, struct kl_error *err)
{
    const size_t n = (size_t)KL_RESTARTS * KL_RESTARTS;
    const double alpha = -expm1(log(0.99) / (2 * KL_RESTARTS));
    double estimates[KL_NIST90B_ESTIMATES];
    uint8_t *rows = malloc(2 * n), *columns = rows ? rows + n : NULL;
    *result = (struct kl_restart){ 0 };
    if (!rows) return kl_fail_memory(err, 2 * n);
    memcpy(rows, s, n);
    const int k = kl_nist_symbols_close(rows, n);
    for (size_t i = 0; i < n; i++) columns[i % KL_RESTARTS * KL_RESTARTS + i / KL_RESTARTS] = rows[i];
    const size_t by_row = most_in_rows(rows), by_column = most_in_rows(columns);
    result->most = by_row > by_column ? by_row : by_column;
    int code = kl_nist_restart_cutoff(&result->cutoff, h, k, KL_RESTARTS, alpha, err);
    if (!code) code = kl_nist_sp90b(estimates, &(struct kl_symbols){ rows, n, k }, err);
    if (!code) {
        result->rows_h = kl_nist_sp90b_least(estimates);
        code = kl_nist_sp90b(estimates, &(struct kl_symbols){ columns, n, k }, err);
    }
    free(rows);
    if (code) return code;
    result->columns_h = kl_nist_sp90b_least(estimates);
    const double least = fmin(result->rows_h, result->columns_h);
    result->h = result->most > result->cutoff || least < h / 2 ? 0 : fmin(least, h);
    return KL_OK;
}
