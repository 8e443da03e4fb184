/* SPDX-License-Identifier: MIT
   Are devices of different classes further apart than those of one class? Divergences of all pairs, by
   class, and the study's test, which takes the pairs for independent. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "qrng/bits/histogram.h"
#include "qrng/synthetic/synthetic.h"

/* heights [d, KL_BINS], normalised, of histograms of the rows' shares of ones. */
static void histograms(double *heights, const struct kl_synthetic *s, bool smoothed)
{
    const struct kl_bits *b = &s->bits;
    const double rows = (double)s->plan.options->rows;
    memset(heights, 0, s->n_devices * KL_BINS * sizeof *heights);
    for (size_t r = 0; r < b->n_rows; r++) {
        size_t ones = 0;
        for (size_t w = 0; w < b->words_per_row; w++)
            ones += (size_t)__builtin_popcountll(kl_bits_row(b, r)[w]);
        heights[(size_t)b->device[r] * KL_BINS + (size_t)kl_ones_bin(ones, b->n_bits)]++;
    }
    for (size_t d = 0; d < s->n_devices; d++, heights += KL_BINS) {
        double sum = 0;
        for (int i = 0; i < KL_BINS; i++)
            sum += heights[i] = smoothed ? heights[i] + 0.5 : heights[i] * KL_BINS / rows + 1e-10;
        for (int i = 0; i < KL_BINS; i++) heights[i] /= sum;
    }
}

static void diverge(struct kl_contrast *c, const double *heights, size_t d)
{
    for (size_t a = 0; a < d; a++)
        for (size_t b = a + 1; b < d; b++) {
            const double *p = heights + a * KL_BINS, *q = heights + b * KL_BINS;
            double sum = 0;
            for (int i = 0; i < KL_BINS; i++) sum += 0.5 * (p[i] - q[i]) * log(p[i] / q[i]);
            c->divergence[a * d + b] = c->divergence[b * d + a] = sum;
        }
    for (size_t a = 0; a < d; a++) {
        c->mean[a] = 0;
        for (size_t b = 0; b < d; b++) c->mean[a] += c->divergence[a * d + b] / (double)(d - 1);
    }
}

/* Place of the class pair a <= b. */
static size_t pair_of(size_t a, size_t b, size_t classes)
{
    return a * classes - a * (a + 1) / 2 + b;
}

static void describe(struct kl_class_pair *p, double *values, size_t n)
{
    p->n = n;
    p->mean = p->deviation = p->median = p->least = p->most = NAN;
    if (!n) return;
    double squares = 0, sum = 0;
    for (size_t i = 0; i < n; i++) sum += values[i];
    p->mean = sum / (double)n;
    for (size_t i = 0; i < n; i++) squares += (values[i] - p->mean) * (values[i] - p->mean);
    kl_stats_sort(values, n);
    p->deviation = sqrt(squares / (double)n);
    p->median = kl_stats_sorted_quantile(values, n, 0.5);
    p->least = values[0], p->most = values[n - 1];
}

/* values: room for all pairs of devices. Means of class pairs without a pair of devices do not count. */
static void by_class(struct kl_contrast *c, const struct kl_synthetic *s, double *values)
{
    double sums[2] = { 0 }, counts[2] = { 0 };
    for (size_t x = 0; x < s->n_classes; x++)
        for (size_t y = x; y < s->n_classes; y++) {
            struct kl_class_pair *p = &c->pairs[pair_of(x, y, s->n_classes)];
            size_t n = 0;
            *p = (struct kl_class_pair){ .a = (int)x, .b = (int)y };
            for (size_t i = 0; i < s->n_devices; i++)
                for (size_t k = i + 1; k < s->n_devices; k++)
                    if ((size_t)s->devices[i].class == x && (size_t)s->devices[k].class == y)
                        values[n++] = c->divergence[i * s->n_devices + k];
            describe(p, values, n);
            if (n) sums[x != y] += p->mean, counts[x != y]++;
        }
    c->within = sums[0] / counts[0], c->between = sums[1] / counts[1];
}

/* ---- tests ---- */

/* Pairs between classes first, then those within. */
static int test_by_ranks(struct kl_contrast *c, const struct kl_synthetic *s, double *values,
                         struct kl_error *err)
{
    const size_t d = s->n_devices;
    size_t n[2] = { 0 };
    for (int within = 0; within < 2; within++)
        for (size_t i = 0; i < d; i++)
            for (size_t k = i + 1; k < d; k++)
                if ((s->devices[i].class == s->devices[k].class) == within)
                    values[n[0] + n[1]] = c->divergence[i * d + k], n[within]++;
    c->test = (struct kl_mann_whitney){ NAN, NAN };
    if (!n[0] || !n[1]) return KL_OK;
    return kl_stats_mann_whitney(&c->test, values, n[0], values + n[0], n[1], err);
}

int kl_contrast_make(struct kl_contrast *c, const struct kl_synthetic *s, bool smoothed,
                     struct kl_pool *pool, struct kl_error *err)
{
    const size_t d = s->n_devices;
    double *heights = malloc(d * KL_BINS * sizeof *heights), *values = malloc(d * d * sizeof *values);
    *c = (struct kl_contrast){ .divergence = calloc(d * d, sizeof *c->divergence),
                               .mean = calloc(d, sizeof *c->mean),
                               .pairs = calloc(s->n_pairs, sizeof *c->pairs) };
    int code = heights && values && c->divergence && c->mean && c->pairs
                   ? KL_OK
                   : kl_fail_memory(err, d * d * sizeof *values);
    if (!code) {
        histograms(heights, s, smoothed);
        diverge(c, heights, d);
        by_class(c, s, values);
        kl_contrast_jackknife(c, s);
        code = test_by_ranks(c, s, values, err);
    }
    if (!code) code = kl_contrast_permute(c, s, pool, err);
    free(heights), free(values);
    return code;
}

void kl_contrast_free(struct kl_contrast *c)
{
    free(c->divergence), free(c->mean), free(c->pairs);
    *c = (struct kl_contrast){ 0 };
}
