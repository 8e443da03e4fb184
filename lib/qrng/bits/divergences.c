/* SPDX-License-Identifier: MIT
   How far two devices are apart: the test of their symbol counts, divergences of symbols, positions
   and histograms, and how well a divergence is known. */
#include "qrng/bits/bits.h"

#include <math.h>
#include <string.h>

#include "kernels/bits.h"
#include "kernels/inline/philox.h"
#include "qrng/bits/bits_int.h"
#include "stats/stats.h"

/* ---- test of two symbol counts ---- */
/* Pearson's chi-squared and the likelihood ratio (G) of two devices' symbol counts. */

double kl_bits_symbol_chi_square(const int64_t *a, const int64_t *b, size_t n)
{
    double na = 0, nb = 0, sum = 0;
    for (size_t s = 0; s < n; s++) na += (double)a[s], nb += (double)b[s];
    for (size_t s = 0; s < n; s++) {
        const double column = (double)(a[s] + b[s]);
        if (column <= 0) continue;
        const double ea = na * column / (na + nb), eb = nb * column / (na + nb), off = (double)a[s] - ea;
        sum += off * off * (1 / ea + 1 / eb);
    }
    return sum;
}

struct kl_symbol_test kl_bits_symbol_test(const int64_t *a, const int64_t *b, size_t n)
{
    struct kl_symbol_test t = { .df = -1, .least = INFINITY };
    double na = 0, nb = 0;
    for (size_t s = 0; s < n; s++) {
        na += (double)a[s], nb += (double)b[s];
        t.df += a[s] + b[s] > 0;
    }
    if (t.df < 1) return (struct kl_symbol_test){ .least = INFINITY };
    for (size_t s = 0; s < n; s++) {
        const double each = (double)(a[s] + b[s]) / (na + nb);
        if (each > 0) t.least = fmin(t.least, fmin(na, nb) * each);
        if (a[s]) t.g += 2 * (double)a[s] * log((double)a[s] / (na * each));
        if (b[s]) t.g += 2 * (double)b[s] * log((double)b[s] / (nb * each));
    }
    t.g = fmax(t.g, 0);
    t.chi_square = kl_bits_symbol_chi_square(a, b, n);
    t.log10_p = kl_stats_chi_square_log10_p(t.chi_square, t.df);
    t.log10_p_g = kl_stats_chi_square_log10_p(t.g, t.df);
    return t;
}

/* ---- divergences of symbols ---- */

/* d JS / d p_s = ln(p_s / mixture_s) / 2: the rest is constant or cancels. */
double kl_bits_jensen_shannon(double *error, const int64_t *a, const int64_t *b, size_t n)
{
    double na = 0, nb = 0, js = 0, first[2] = { 0 },
           second[2] = { 0 }; /* means of ln(p / mixture), squared */
    for (size_t s = 0; s < n; s++) na += (double)a[s], nb += (double)b[s];
    for (size_t s = 0; s < n; s++) {
        const double p = (double)a[s] / na, q = (double)b[s] / nb, mixture = 0.5 * (p + q);
        const double x = p > 0 ? log(p / mixture) : 0, y = q > 0 ? log(q / mixture) : 0;
        js += 0.5 * p * x;
        js += 0.5 * q * y;
        first[0] += p * x, second[0] += p * x * x;
        first[1] += q * y, second[1] += q * y * y;
    }
    if (error)
        *error = sqrt(fmax(0, second[0] - first[0] * first[0]) / na +
                      fmax(0, second[1] - first[1] * first[1]) / nb) /
                 2;
    return fmax(js, 0);
}

/* How far the laws of two devices' symbols are apart. */

const char *const kl_divergence_names[KL_N_DIVERGENCES] = { "kl_ab", "kl_ba", "js", "total_variation",
                                                            "chernoff" };

enum { MOST = 1 << KL_BITS_SYMBOL };

/* Of ln sum p^s q^(1 - s) over the symbols that both have (logarithms lp, lq [n]), its derivative by s.
 *value: the logarithm itself. */
static double slope(double *value, double s, const double *lp, const double *lq, size_t n)
{
    double sum = 0, along = 0;
    for (size_t i = 0; i < n; i++) {
        const double w = exp(s * lp[i] + (1 - s) * lq[i]);
        sum += w;
        along += w * (lp[i] - lq[i]);
    }
    *value = log(sum);
    return along / sum;
}

/* Chernoff's information (1952, doi:10.1214/aoms/1177729330): the largest of -ln sum p^s q^(1 - s) for s
   in [0, 1]. It is concave in s, so the derivative is bisected; its error is of second order. */
static double chernoff(const double *lp, const double *lq, size_t n)
{
    double low = 0, high = 1, value;
    if (!n) return INFINITY;
    for (int i = 0; i < 32; i++) {
        const double middle = 0.5 * (low + high);
        if (slope(&value, middle, lp, lq, n) > 0) high = middle;
        else low = middle;
    }
    return fmax(-value, 0);
}

void kl_bits_symbol_divergences(double d[KL_N_DIVERGENCES], const int64_t *a, const int64_t *b, size_t n)
{
    double na = 0, nb = 0, lp[MOST], lq[MOST];
    size_t common = 0;
    for (int i = 0; i < KL_N_DIVERGENCES; i++) d[i] = 0;
    for (size_t s = 0; s < n; s++) na += (double)a[s], nb += (double)b[s];
    for (size_t s = 0; s < n; s++) {
        const double p = (double)a[s] / na, q = (double)b[s] / nb;
        d[KL_DIV_TV] += 0.5 * fabs(p - q);
        if (p > 0) d[KL_DIV_AB] += q > 0 ? p * log(p / q) : INFINITY;
        if (q > 0) d[KL_DIV_BA] += p > 0 ? q * log(q / p) : INFINITY;
        if (p > 0 && q > 0) lp[common] = log(p), lq[common++] = log(q);
    }
    d[KL_DIV_JS] = kl_bits_jensen_shannon(NULL, a, b, n);
    d[KL_DIV_CHERNOFF] = chernoff(lp, lq, common);
    for (int i = 0; i < KL_N_DIVERGENCES; i++) d[i] = fmax(d[i], 0);
}

/* ---- the reference's divergences of positions and histograms ---- */

static const double LEAST = 1e-10;

/* Its edges are multiples of 1/20 in doubles, as numpy.histogram compares with them. */
int kl_bits_ones_bin(size_t ones, size_t n_bits)
{
    const double share = (double)ones / (double)n_bits, width = 1.0 / KL_BINS;
    int bin = (int)(share * KL_BINS);
    if (bin >= KL_BINS) bin = KL_BINS - 1;
    if (share < bin * width) bin--;
    else if (bin < KL_BINS - 1 && share >= (bin + 1) * width) bin++;
    return bin;
}

double kl_bits_histogram_divergence(const double a[KL_BINS], double rows_a, const double b[KL_BINS],
                                    double rows_b)
{
    const double width = 1.0 / KL_BINS;
    double d = 0;
    for (int i = 0; i < KL_BINS; i++) {
        const double p = a[i] / width / rows_a / (1 / width + LEAST) + LEAST,
                     q = b[i] / width / rows_b / (1 / width + LEAST) + LEAST;
        d += (p - q) * log(p / q);
    }
    return 0.5 * d;
}

double kl_bits_position_part(double a, double sum_a, double b, double sum_b)
{
    const double p = a / sum_a, q = b / sum_b, mixture = (a + b) / (sum_a + sum_b);
    return 0.5 * ((p > 0 ? p * log(p / mixture) : 0) + (q > 0 ? q * log(q / mixture) : 0));
}

/* Of weight_a and weight_b times the counts of ones at each position. */
static double positions(const struct kl_tally *a, double weight_a, const struct kl_tally *b,
                        double weight_b)
{
    double sums[2] = { 0 }, d = 0;
    for (size_t j = 0; j < a->n_bits; j++) {
        sums[0] += weight_a * (double)a->ones_at[j];
        sums[1] += weight_b * (double)b->ones_at[j];
    }
    for (size_t j = 0; j < a->n_bits; j++)
        d += kl_bits_position_part(weight_a * (double)a->ones_at[j], sums[0],
                                   weight_b * (double)b->ones_at[j], sums[1]);
    return d;
}

double kl_bits_reference_position_divergence(const struct kl_tally *a, const struct kl_tally *b)
{
    return positions(a, 1 / (double)a->rows, b, 1 / (double)b->rows);
}

double kl_bits_position_divergence(const struct kl_tally *a, const struct kl_tally *b)
{
    double ones[2] = { 0 };
    for (size_t j = 0; j < a->n_bits; j++) {
        ones[0] += (double)a->ones_at[j];
        ones[1] += (double)b->ones_at[j];
    }
    return positions(a, 1 / ones[0], b, 1 / ones[1]);
}

static void histogram(double bins[KL_BINS], const struct kl_tally *t)
{
    for (int k = 0; k < KL_BINS; k++) bins[k] = 0;
    for (size_t c = 0; c <= t->n_bits; c++)
        bins[kl_bits_ones_bin(c, t->n_bits)] += (double)t->ones_rows[c];
}

double kl_bits_reference_histogram_divergence(const struct kl_tally *a, const struct kl_tally *b)
{
    double counts[2][KL_BINS];
    histogram(counts[0], a);
    histogram(counts[1], b);
    return kl_bits_histogram_divergence(counts[0], (double)a->rows, counts[1], (double)b->rows);
}

/* ---- how well a divergence is known ---- */
/* Rows drawn with replacement (Efron 1979, doi:10.1214/aos/1176344552): what varies together in a row
   stays together. */

/* Places are drawn some at a time, so that the rows are fetched side by side. */
enum { ABREAST = 1024, FEW = 8 };

static void add_rows(int64_t *counts, const uint16_t *values, size_t n_symbols, const uint32_t *rows,
                     size_t n)
{
    if (n_symbols > FEW) {
        for (size_t i = 0; i < n; i++)
            for (size_t s = 0; s < n_symbols; s++) counts[s] += values[rows[i] * n_symbols + s];
        return;
    }
    for (size_t s = 0; s < n_symbols; s++) {
        uint32_t sum = 0;
        for (size_t i = 0; i < n; i++) sum += values[rows[i] * n_symbols + s];
        counts[s] += sum;
    }
}

void kl_bits_bootstrap_counts(int64_t *counts, const uint16_t *values, size_t n_symbols, size_t n,
                              size_t resample, uint64_t seed, uint32_t device)
{
    uint64_t words[ABREAST / 2];
    uint32_t rows[ABREAST];
    memset(counts, 0, n_symbols * sizeof *counts);
    for (size_t first = 0; first < n; first += ABREAST) {
        const size_t some = n - first < ABREAST ? n - first : ABREAST;
        kl_kernel_bit_noise()(words, (some + 1) / 2, seed, (uint32_t)(first / 4), KL_RANDOM_ROWS,
                              (uint32_t)resample, device);
        for (size_t i = 0; i < some; i++)
            rows[i] = (uint32_t)((words[i / 2] >> 32 * (i % 2) & UINT32_MAX) * n >> 32);
        add_rows(counts, values, n_symbols, rows, some);
    }
}

/* How well a divergence is known. Sampling noise adds to a divergence, whichever way it points: the
   estimate is too large by about as much as its resamples are larger still. So their quantiles are moved
   down by that twice. Near 0, where reflection about the estimate (the basic bootstrap; Davison &
   Hinkley 1997, section 5.2) misses the truth a third of the time, this covers it at least 90 times in
   100, mostly 95. */

/* Of n sorted values, those from `known` on infinite. */
static double quantile(const double *sorted, size_t known, size_t n, double share)
{
    return ceil(share * (double)(n - 1)) < (double)known ? kl_stats_sorted_quantile(sorted, n, share)
                                                         : INFINITY;
}

struct kl_interval kl_bits_divergence_interval(double estimate, double *values, size_t n, bool distance)
{
    size_t known = 0;
    double mean = 0;
    if (!isfinite(estimate)) return (struct kl_interval){ NAN, NAN };
    if (distance) estimate *= estimate;
    for (size_t i = 0; i < n && distance; i++) values[i] *= values[i];
    kl_stats_sort(values, n);
    while (known < n && isfinite(values[known])) mean += values[known++];
    if (!known) return (struct kl_interval){ 0, INFINITY };
    const double twice = 2 * (mean / (double)known - estimate);
    const struct kl_interval of = { fmax(0, quantile(values, known, n, 0.025) - twice),
                                    fmax(0, quantile(values, known, n, 0.975) - twice) };
    return distance ? (struct kl_interval){ sqrt(of.low), sqrt(of.high) } : of;
}
