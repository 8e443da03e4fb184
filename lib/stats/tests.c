/* SPDX-License-Identifier: MIT
   Tests: McNemar, Mann and Whitney, Wilcoxon's signed ranks, Friedman, randomisation of signs;
   correlations of Pearson and Spearman; p-values after Holm and after Benjamini and Hochberg. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "stats/stats.h"
#include "kernels/inline/philox.h"

struct ranked {
    double value;
    size_t i;
};

static int by_value(const void *a, const void *b)
{
    const double x = ((const struct ranked *)a)->value, y = ((const struct ranked *)b)->value;
    return (x > y) - (x < y);
}

int kl_stats_ranks(double *ranks, double *ties, const double *values, size_t n, struct kl_error *err)
{
    struct ranked *sorted = malloc((n + 1) * sizeof *sorted);
    if (!sorted) return kl_fail_memory(err, n * sizeof *sorted);
    for (size_t i = 0; i < n; i++) sorted[i] = (struct ranked){ values[i], i };
    qsort(sorted, n, sizeof *sorted, by_value);
    if (ties) *ties = 0;
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && sorted[end].value == sorted[i].value;) end++;
        const double t = (double)(end - i);
        for (size_t k = i; k < end; k++) ranks[sorted[k].i] = 0.5 * (double)(i + 1 + end);
        if (ties) *ties += t * t * t - t;
    }
    free(sorted);
    return KL_OK;
}

/* ---- The test of McNemar ---- */

struct kl_mcnemar kl_stats_mcnemar(int64_t only_first, int64_t only_second)
{
    int64_t n = only_first + only_second, less = only_first < only_second ? only_first : only_second;
    struct kl_mcnemar m = { only_first, only_second, n < 25, (double)less, 1 };
    if (m.exact) { /* twice the lower tail of Binomial(n, 1/2) */
        double tail = 0;
        for (int64_t k = 0; k <= less; k++)
            tail += exp(kl_stats_log_factorial((double)n) - kl_stats_log_factorial((double)k) -
                        kl_stats_log_factorial((double)(n - k)) - (double)n * M_LN2);
        m.p = fmin(1, 2 * tail);
        return m;
    }
    double gap = fmax(0, fabs((double)(only_first - only_second)) - 1);
    m.statistic = gap * gap / (double)n;
    m.p = erfc(sqrt(m.statistic / 2)); /* one degree of freedom */
    return m;
}

/* ---- The test of Mann and Whitney ---- */

/* Twice a rank is a whole number; their sum is at most n (n + 1). */
enum { SUMS = KL_MANN_WHITNEY_EXACT * (KL_MANN_WHITNEY_EXACT + 1) + 1 };

/* The share of all choices of na of the ranks whose sum is as large: in how many ways k of those looked
   at so far have a sum is counted for all k and sums (Streitberg & Roehmel 1986). At most C(36, 18), so
   that doubles count exactly. */
static int exact_log10_p(double *log10_p, const double *ranks, size_t na, size_t n, double sum,
                         struct kl_error *err)
{
    const size_t least = (size_t)llround(2 * sum);
    double *ways = calloc((na + 1) * SUMS, sizeof *ways), all = 0, as_large = 0;
    if (!ways) return kl_fail_memory(err, (na + 1) * SUMS * sizeof *ways);
    ways[0] = 1;
    for (size_t i = 0; i < n; i++) {
        const size_t rank = (size_t)llround(2 * ranks[i]);
        for (size_t k = na; k > 0; k--)
            for (size_t s = SUMS; s-- > rank;) ways[k * SUMS + s] += ways[(k - 1) * SUMS + s - rank];
    }
    for (size_t s = 0; s < SUMS; s++) {
        all += ways[na * SUMS + s];
        if (s >= least) as_large += ways[na * SUMS + s];
    }
    free(ways);
    *log10_p = log10(as_large / all);
    return KL_OK;
}

int kl_stats_mann_whitney(struct kl_mann_whitney *m, const double *a, size_t na, const double *b,
                          size_t nb, struct kl_error *err)
{
    const size_t n = na + nb;
    const double x = (double)na, y = (double)nb;
    double *values = malloc(2 * n * sizeof *values), ties, sum = 0;
    if (!values) return kl_fail_memory(err, 2 * n * sizeof *values);
    double *const ranks = values + n;
    memcpy(values, a, na * sizeof *a);
    memcpy(values + na, b, nb * sizeof *b);
    int code = kl_stats_ranks(ranks, &ties, values, n, err);
    for (size_t i = 0; i < na && !code; i++) sum += ranks[i];
    m->u = sum - x * (x + 1) / 2;
    if (!code && n <= KL_MANN_WHITNEY_EXACT) code = exact_log10_p(&m->log10_p, ranks, na, n, sum, err);
    free(values);
    if (code || n <= KL_MANN_WHITNEY_EXACT) return code;
    const double total = x + y, variance = x * y / 12 * (total + 1 - ties / (total * (total - 1)));
    m->log10_p =
        variance > 0 ? kl_stats_normal_log10_upper((m->u - x * y / 2 - 0.5) / sqrt(variance)) : 0;
    return KL_OK;
}

/* ---- Wilcoxon's signed ranks ---- */

/* Sizes in rising order that are the same but for rounding become the same. */
static void join(double *size, const double *d, size_t n, double within)
{
    double *const sorted = size + n;
    for (size_t i = 0; i < n; i++) sorted[i] = fabs(d[i]);
    kl_stats_sort(sorted, n);
    for (size_t i = 0; i < n; i++) {
        const double mine = fabs(d[i]);
        size_t k = 0;
        while (sorted[k] < mine) k++;
        while (k > 0 && sorted[k] - sorted[k - 1] <= within) k--;
        size[i] = sorted[k];
    }
}

/* Rank the differences that are not 0: ranks [m], signed by their differences. */
static int signed_ranks(double *ranks, size_t *m, double *ties, double *above, const double *d, size_t n,
                        double rounding, struct kl_error *err)
{
    double *const kept = malloc((3 * n + 1) * sizeof *kept), most = 0;
    if (!kept) return kl_fail_memory(err, (3 * n + 1) * sizeof *kept);
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(d[i]));
    *m = 0, *above = 0;
    for (size_t i = 0; i < n; i++)
        if (fabs(d[i]) > rounding * most) kept[(*m)++] = d[i];
    join(kept + *m, kept, *m, rounding * most);
    const int code = kl_stats_ranks(ranks, ties, kept + *m, *m, err);
    for (size_t i = 0; i < *m && !code; i++)
        if (kept[i] > 0) *above += ranks[i];
    free(kept);
    return code;
}

static void normal(struct kl_tested *t, double ties)
{
    const double m = (double)t->n, mean = m * (m + 1) / 4,
                 variance = (m * (m + 1) * (2 * m + 1) - ties / 2) / 24,
                 z = (t->statistic - mean) / sqrt(variance);
    t->greater = pow(10, kl_stats_normal_log10_upper(z));
    t->less = pow(10, kl_stats_normal_log10_upper(-z));
    t->both = pow(10, kl_stats_normal_log10_p(z));
}

/* Twice a rank is a whole number: how the sum of those with a sign above 0 is distributed (Streitberg &
   Roehmel 1986). */
static int exact_ranks(struct kl_tested *t, const double *ranks, struct kl_error *err)
{
    const size_t most = t->n * (t->n + 1), at = (size_t)llround(2 * t->statistic);
    double *const share = calloc(most + 1, sizeof *share);
    size_t reached = 0;
    if (!share) return kl_fail_memory(err, (most + 1) * sizeof *share);
    share[0] = 1;
    for (size_t i = 0; i < t->n; i++) {
        const size_t rank = (size_t)llround(2 * ranks[i]);
        reached += rank;
        for (size_t s = reached + 1; s-- > 0;)
            share[s] = (share[s] + (s >= rank ? share[s - rank] : 0)) / 2;
    }
    t->greater = t->less = 0;
    for (size_t s = 0; s <= most; s++) {
        if (s >= at) t->greater += share[s];
        if (s <= at) t->less += share[s];
    }
    t->greater = fmin(1, t->greater), t->less = fmin(1, t->less);
    t->both = fmin(1, 2 * fmin(t->greater, t->less));
    t->exact = true;
    free(share);
    return KL_OK;
}

static int test(struct kl_tested *t, const double *d, size_t n, double rounding, size_t most,
                struct kl_error *err)
{
    double ties = 0, *const ranks = malloc((n + 1) * sizeof *ranks);
    *t = (struct kl_tested){ .both = NAN, .greater = NAN, .less = NAN };
    if (!ranks) return kl_fail_memory(err, (n + 1) * sizeof *ranks);
    int code = signed_ranks(ranks, &t->n, &ties, &t->statistic, d, n, rounding, err);
    if (!code && t->n && t->n <= most) code = exact_ranks(t, ranks, err);
    else if (!code && t->n) normal(t, ties);
    free(ranks);
    return code;
}

int kl_stats_wilcoxon(struct kl_tested *t, const double *d, size_t n, double rounding,
                      struct kl_error *err)
{
    return test(t, d, n, rounding, KL_WILCOXON_EXACT, err);
}

int kl_stats_wilcoxon_normal(struct kl_tested *t, const double *d, size_t n, double rounding,
                             struct kl_error *err)
{
    return test(t, d, n, rounding, 0, err);
}

/* ---- The randomisation test of paired differences: all signs, or many of them ---- */

/* All sums of signs times n sizes: 2^n of them, rising. */
static void all_sums(double *sums, const double *size, size_t n)
{
    size_t count = 1;
    sums[0] = 0;
    for (size_t i = 0; i < n; i++, count *= 2)
        for (size_t k = 0; k < count; k++) {
            sums[count + k] = sums[k] + size[i];
            sums[k] -= size[i];
        }
    kl_stats_sort(sums, count);
}

/* The share of all signs whose sum is at least `least`: pairs of a sum of one half, rising, and one of
   the other, falling. */
static double share_above(const double *first, size_t n_first, const double *second, size_t n_second,
                          double least)
{
    double count = 0;
    size_t from = n_second;
    for (size_t i = 0; i < n_first; i++) {
        while (from > 0 && first[i] + second[from - 1] >= least) from--;
        count += (double)(n_second - from);
    }
    return count / ((double)n_first * (double)n_second);
}

static int exact_signs(struct kl_tested *t, const double *d, size_t n, double rounding,
                       struct kl_error *err)
{
    const size_t half = n / 2, n_first = (size_t)1 << half, n_second = (size_t)1 << (n - half);
    double *const first = malloc((n_first + n_second) * sizeof *first);
    if (!first) return kl_fail_memory(err, (n_first + n_second) * sizeof *first);
    double *const second = first + n_first;
    all_sums(first, d, half);
    all_sums(second, d + half, n - half);
    t->greater = share_above(first, n_first, second, n_second, t->statistic - rounding);
    /* The law is symmetric. */
    t->less = share_above(first, n_first, second, n_second, -t->statistic - rounding);
    t->both = fabs(t->statistic) <= rounding
                  ? 1
                  : 2 * share_above(first, n_first, second, n_second, fabs(t->statistic) - rounding);
    t->exact = true;
    free(first);
    return KL_OK;
}

static void drawn(struct kl_tested *t, const double *d, size_t n, double rounding, size_t draws,
                  uint64_t seed, uint32_t purpose)
{
    size_t above = 0, below = 0, far = 0;
    for (size_t k = 0; k < draws; k++) {
        uint32_t word[4] = { 0 };
        double sum = 0;
        for (size_t i = 0; i < n; i++) {
            if (i % 128 == 0) kl_philox(word, seed, (uint32_t)(i / 128), purpose, (uint32_t)k, 0);
            sum += word[i % 128 / 32] >> (i % 32) & 1 ? d[i] : -d[i];
        }
        above += sum >= t->statistic - rounding;
        below += sum <= t->statistic + rounding;
        far += fabs(sum) >= fabs(t->statistic) - rounding;
    }
    const double all = 1 + (double)draws;
    t->greater = (1 + (double)above) / all;
    t->less = (1 + (double)below) / all;
    t->both = (1 + (double)far) / all;
    t->error = sqrt(t->both * (1 - t->both) / all);
}

int kl_stats_sign_flip(struct kl_tested *t, const double *d, size_t n, size_t draws, uint64_t seed,
                       uint32_t purpose, struct kl_error *err)
{
    double sizes = 0;
    *t = (struct kl_tested){ .both = NAN, .greater = NAN, .less = NAN, .n = n };
    if (!n) return KL_OK;
    for (size_t i = 0; i < n; i++) {
        t->statistic += d[i];
        sizes += fabs(d[i]);
    }
    if (n <= KL_SIGN_FLIP_EXACT) return exact_signs(t, d, n, 1e-12 * sizes, err);
    drawn(t, d, n, 1e-12 * sizes, draws, seed, purpose);
    return KL_OK;
}

/* ---- several ----
   Student's t of paired differences, Friedman's test of several classifiers, the exact interval of a
   proportion. */

struct kl_t_test kl_stats_t_test(const double *d, size_t n, double ratio)
{
    struct kl_t_test t = { 0, NAN, NAN, NAN, NAN };
    double squares = 0, most = 0;
    for (size_t i = 0; i < n; i++) {
        t.mean += d[i] / (double)n;
        most = fmax(most, fabs(d[i]));
    }
    for (size_t i = 0; i < n; i++) squares += (d[i] - t.mean) * (d[i] - t.mean);
    if (n < 2) return t;
    const double free = (double)(n - 1), deviation = sqrt(squares / free),
                 error = deviation * sqrt(1 / (double)n + ratio);
    /* Equal differences say nothing of how far others would lie from them. */
    if (!(deviation > 1e-12 * most)) return t;
    const double half = kl_stats_student_quantile(0.95, n - 1) * error;
    t.t = t.mean / error;
    t.p = pow(10, kl_stats_student_log10_p(t.t, free));
    t.low = t.mean - half, t.high = t.mean + half;
    return t;
}

/* t with P(|T| >= t) = 0.05, for any degrees of freedom from 1/2 on: bisected. */
static double student_quantile(double degrees)
{
    double low = 0, high = 1e4;
    for (int i = 0; i < 80; i++) {
        const double middle = (low + high) / 2;
        if (kl_stats_student_log10_p(middle, fmax(degrees, 0.5)) > log10(0.05)) low = middle;
        else high = middle;
    }
    return high;
}

struct kl_interval kl_stats_crossed_interval(const double *x, size_t n, size_t m)
{
    struct kl_interval i = { NAN, NAN };
    double mean = 0, rows = 0, columns = 0, all = 0;
    if (n < 2 || m < 2) return i;
    for (size_t k = 0; k < n * m; k++) mean += x[k] / (double)(n * m);
    for (size_t k = 0; k < n * m; k++) all += (x[k] - mean) * (x[k] - mean);
    for (size_t r = 0; r < n; r++) {
        double own = 0;
        for (size_t c = 0; c < m; c++) own += x[r * m + c] / (double)m;
        rows += (own - mean) * (own - mean) * (double)m;
    }
    for (size_t c = 0; c < m; c++) {
        double own = 0;
        for (size_t r = 0; r < n; r++) own += x[r * m + c] / (double)n;
        columns += (own - mean) * (own - mean) * (double)n;
    }
    const double free_rows = (double)(n - 1), free_columns = (double)(m - 1),
                 rest = fmax(all - rows - columns, 0) / (free_rows * free_columns);
    rows /= free_rows, columns /= free_columns;
    const double sum = fmax(rows + columns - rest, rows);
    if (!(sum > 1e-24 * fmax(mean * mean, 1))) return i;
    const double degrees = sum * sum /
                           (rows * rows / free_rows + columns * columns / free_columns +
                            rest * rest / (free_rows * free_columns)),
                 half = student_quantile(degrees) * sqrt(sum / (double)(n * m));
    return (struct kl_interval){ mean - half, mean + half };
}

int kl_stats_friedman(struct kl_friedman *f, double *rank, const double *x, size_t n, size_t k,
                      struct kl_error *err)
{
    double ties = 0, squares = 0, *const sums = calloc(2 * k + 1, sizeof *sums);
    *f = (struct kl_friedman){ NAN, NAN };
    if (!sums) return kl_fail_memory(err, (2 * k + 1) * sizeof *sums);
    double *const ranks = sums + k, blocks = (double)n, treatments = (double)k;
    int code = KL_OK;
    for (size_t i = 0; i < n && !code; i++) {
        double mine;
        code = kl_stats_ranks(ranks, &mine, x + i * k, k, err);
        for (size_t j = 0; j < k && !code; j++) sums[j] += ranks[j];
        if (!code) ties += mine;
    }
    for (size_t j = 0; j < k; j++) {
        squares += sums[j] * sums[j];
        if (rank) rank[j] = sums[j] / blocks;
    }
    free(sums);
    const double whole = blocks * treatments * (treatments * treatments - 1), share = 1 - ties / whole;
    if (code || n < 2 || k < 3 || !(share > 0)) return code;
    f->statistic =
        (12 / (treatments * blocks * (treatments + 1)) * squares - 3 * blocks * (treatments + 1)) /
        share;
    f->p = pow(10, kl_stats_chi_square_log10_p(fmax(0, f->statistic), treatments - 1));
    return KL_OK;
}

/* ---- Correlations of Pearson and Spearman ---- */

/* Exactly; about a rounded mean equal values would scatter. */
static bool all_equal(const double *x, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (x[i] != x[0]) return false;
    return true;
}

struct kl_correlation kl_stats_pearson(const double *x, const double *y, size_t n)
{
    const double mx = kl_stats_mean(x, n), my = kl_stats_mean(y, n);
    double xx = 0, yy = 0, xy = 0;
    for (size_t i = 0; i < n; i++) {
        xx += (x[i] - mx) * (x[i] - mx);
        yy += (y[i] - my) * (y[i] - my);
        xy += (x[i] - mx) * (y[i] - my);
    }
    if (!(xx > 0 && yy > 0) || all_equal(x, n) || all_equal(y, n))
        return (struct kl_correlation){ NAN, 0 };
    const double r = fmax(-1, fmin(1, xy / sqrt(xx * yy))), df = (double)n - 2;
    const double t = r * sqrt(df / ((1 - r) * (1 + r)));
    return (struct kl_correlation){ r, df > 0 ? kl_stats_student_log10_p(t, df) : NAN };
}

/* For ranks in n! orders, which are tried one after another (Heap 1963, doi:10.1093/comjnl/6.3.293);
   twice a rank is a whole number, so that what is equally far from none counts as such. */
static double spearman_exact(const double *x, const double *y, size_t n)
{
    int64_t a[KL_SPEARMAN_EXACT], b[KL_SPEARMAN_EXACT], sums[2] = { 0 }, products = 0;
    size_t turn[KL_SPEARMAN_EXACT] = { 0 }, orders = 1, as_far = 1;
    for (size_t i = 0; i < n; i++) {
        a[i] = llround(2 * x[i]), b[i] = llround(2 * y[i]);
        sums[0] += a[i], sums[1] += b[i], products += a[i] * b[i];
    }
    const int64_t count = (int64_t)n, middle = sums[0] * sums[1], far = llabs(count * products - middle);
    for (size_t i = 1; i < n;) {
        if (turn[i] == i) {
            turn[i++] = 0;
            continue;
        }
        const size_t k = i % 2 ? turn[i] : 0;
        const int64_t moved = b[i];
        products += (a[k] - a[i]) * (b[i] - b[k]);
        b[i] = b[k], b[k] = moved;
        orders++, as_far += llabs(count * products - middle) >= far;
        turn[i]++;
        i = 1;
    }
    return log10((double)as_far / (double)orders);
}

int kl_stats_spearman(struct kl_correlation *c, const double *x, const double *y, size_t n,
                      struct kl_error *err)
{
    double *ranks = malloc(2 * n * sizeof *ranks);
    if (!ranks) return kl_fail_memory(err, 2 * n * sizeof *ranks);
    int code = kl_stats_ranks(ranks, NULL, x, n, err);
    if (!code) code = kl_stats_ranks(ranks + n, NULL, y, n, err);
    if (!code) *c = kl_stats_pearson(ranks, ranks + n, n);
    if (!code && !isnan(c->r) && n <= KL_SPEARMAN_EXACT)
        c->log10_p = spearman_exact(ranks, ranks + n, n);
    free(ranks);
    return code;
}

/* ---- p-values after the procedures of Holm, and of Benjamini and Hochberg ---- */

struct sorted_p {
    double log10_p;
    size_t i;
};

static int by_p(const void *a, const void *b)
{
    const struct sorted_p *x = a, *y = b;
    if (x->log10_p != y->log10_p) return x->log10_p < y->log10_p ? -1 : 1;
    return x->i < y->i ? -1 : x->i > y->i;
}

/* Rising. NULL: no memory. */
static struct sorted_p *sort_p(const double *log10_p, size_t n)
{
    struct sorted_p *sorted = malloc((n + 1) * sizeof *sorted);
    for (size_t i = 0; sorted && i < n; i++) sorted[i] = (struct sorted_p){ log10_p[i], i };
    if (sorted) qsort(sorted, n, sizeof *sorted, by_p);
    return sorted;
}

int kl_stats_holm(double *adjusted, const double *log10_p, size_t n, struct kl_error *err)
{
    double largest = -INFINITY;
    struct sorted_p *sorted = sort_p(log10_p, n);
    if (!sorted) return kl_fail_memory(err, n * sizeof *sorted);
    for (size_t k = 0; k < n; k++) {
        largest = fmax(largest, sorted[k].log10_p + log10((double)(n - k)));
        adjusted[sorted[k].i] = fmin(0, largest);
    }
    free(sorted);
    return KL_OK;
}

int kl_stats_false_discovery(double *adjusted, const double *log10_p, size_t n, struct kl_error *err)
{
    double least = 0;
    struct sorted_p *sorted = sort_p(log10_p, n);
    if (!sorted) return kl_fail_memory(err, n * sizeof *sorted);
    for (size_t k = n; k-- > 0;) {
        least = fmin(least, sorted[k].log10_p + log10((double)n / (double)(k + 1)));
        adjusted[sorted[k].i] = least;
    }
    free(sorted);
    return KL_OK;
}

/* ---- The verdict on pairs in words, for the tool and for the page of its file ---- */

static const double level = 0.05;

void kl_stats_differ_device(struct kl_differ *d, size_t rows)
{
    if (rows > d->rows[0]) d->rows[1] = d->rows[0], d->rows[0] = rows;
    else if (rows > d->rows[1]) d->rows[1] = rows;
}

void kl_stats_differ_add(struct kl_differ *d, double log10_p, double held_out)
{
    d->n++;
    d->symbols += log10_p < log10(level);
    d->held_out += held_out < level;
    if (isnan(held_out)) d->left_out = true;
}

static double log_choose(double n, double k)
{
    return kl_stats_log_factorial(n) - kl_stats_log_factorial(k) - kl_stats_log_factorial(n - k);
}

double kl_stats_least_permuted_p(size_t permutations, size_t a, size_t b)
{
    double ways = 0;
    for (size_t fold = 0; fold < KL_CROSSFIT_FOLDS; fold++) {
        const size_t of_a = (a + KL_CROSSFIT_FOLDS - 1 - fold) / KL_CROSSFIT_FOLDS,
                     of_b = (b + KL_CROSSFIT_FOLDS - 1 - fold) / KL_CROSSFIT_FOLDS;
        ways += log_choose((double)(of_a + of_b), (double)of_a);
    }
    return fmax(1 / (double)(permutations + 1), (a == b ? 2 : 1) * exp(-ways));
}

/* Holm's correction of the least p of all pairs is by their number. */
static bool can_tell(const struct kl_differ *d, size_t permutations)
{
    return (double)d->n * kl_stats_least_permuted_p(permutations, d->rows[0], d->rows[1]) < level;
}

bool kl_stats_differ_by_rows(const struct kl_differ *d)
{
    return d->permutations && !d->left_out && can_tell(d, d->permutations);
}

void kl_stats_differ_text(char text[KL_DIFFER_TEXT], const struct kl_differ *d)
{
    const int at = snprintf(text, KL_DIFFER_TEXT, "%zu of %zu pair%s differ%s by symbols%s", d->symbols,
                            d->n, kl_s(d->n), d->n == 1 ? "s" : "",
                            d->dependent ? ", which depend on each other" : " if independent");
    char *rest = text + at;
    const size_t room = KL_DIFFER_TEXT - (size_t)at;
    if (!d->permutations) snprintf(rest, room, " (Holm, 5 %%)");
    else if (d->left_out) snprintf(rest, room, " (Holm, 5 %%); --scores left held-out rows out");
    else if (!can_tell(d, SIZE_MAX - 1)) /* however many permutations */
        snprintf(rest, room, " (Holm, 5 %%); held-out rows are too few to tell");
    else if (!kl_stats_differ_by_rows(d))
        snprintf(rest, room, " (Holm, 5 %%); by held-out rows %zu permutation%s cannot tell",
                 d->permutations, kl_s(d->permutations));
    else snprintf(rest, room, ", %zu by held-out rows (Holm, 5 %% each)", d->held_out);
}
