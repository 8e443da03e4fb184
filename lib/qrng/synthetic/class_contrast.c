/* SPDX-License-Identifier: MIT
   Are devices of different classes further apart than those of one class? Divergences of all pairs,
   by class; the reference's test, which takes the pairs for independent; the interval of the ratio;
   permutations of the classes. */
#include "qrng/synthetic/synthetic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/inline/philox.h"
#include "qrng/bits/bits.h"
#include "stats/stats.h"

/* ---- interval of the ratio ---- */
/* How well between / within is known, of devices drawn anew from the same classes: each device is left
   out in turn (stratified jackknife of the logarithm; Jones 1974, Biometrika 61, 343). Pairs of devices
   are dependent, devices are not. */

enum { MOST = KL_SYNTHETIC_CLASSES };

/* Sums over pairs of devices, by their classes [c, c], the smaller one first. */
struct sums {
    double sum[MOST][MOST], n[MOST][MOST];
};

static void add(struct sums *to, const struct sums *from, double times, size_t classes)
{
    for (size_t a = 0; a < classes; a++)
        for (size_t b = a; b < classes; b++) {
            to->sum[a][b] += times * from->sum[a][b];
            to->n[a][b] += times * from->n[a][b];
        }
}

/* Of the pairs that device i is in. */
static struct sums of_device(const struct kl_contrast *c, const struct kl_synthetic *s, size_t i)
{
    struct sums of = { 0 };
    for (size_t k = 0; k < s->n_devices; k++) {
        if (k == i) continue;
        const int x = s->devices[i].class, y = s->devices[k].class, a = x < y ? x : y, b = x < y ? y : x;
        of.sum[a][b] += c->divergence[i * s->n_devices + k];
        of.n[a][b]++;
    }
    return of;
}

/* ln of the mean of the means between classes over that of those within; NaN where a class has no pair.
 */
static double log_ratio(const struct sums *of, size_t classes)
{
    double means[2] = { 0 };
    for (size_t a = 0; a < classes; a++)
        for (size_t b = a; b < classes; b++) {
            if (!(of->n[a][b] > 0.5)) return NAN;
            means[a != b] += of->sum[a][b] / of->n[a][b];
        }
    const double within = means[0] / (double)classes, pairs = (double)(classes * (classes - 1) / 2);
    return log(means[1] / pairs / within);
}

/* ratio_low and ratio_high of a contrast whose divergences are there. */
static void jackknife(struct kl_contrast *c, const struct kl_synthetic *s)
{
    const size_t classes = s->n_classes;
    struct sums all = { 0 };
    double n[MOST] = { 0 }, first[MOST] = { 0 }, second[MOST] = { 0 }, variance = 0;
    c->ratio_low = c->ratio_high = NAN;
    if (s->n_devices <= classes) return;
    for (size_t i = 0; i < s->n_devices; i++) {
        const struct sums of = of_device(c, s, i);
        add(&all, &of, 0.5, classes);
    }
    const double whole = log_ratio(&all, classes);
    for (size_t i = 0; i < s->n_devices; i++) {
        const struct sums of = of_device(c, s, i);
        struct sums rest = all;
        add(&rest, &of, -1, classes);
        const double off = log_ratio(&rest, classes) - whole;
        const int x = s->devices[i].class;
        if (isnan(off)) return;
        n[x]++, first[x] += off, second[x] += off * off;
    }
    for (size_t x = 0; x < classes; x++)
        variance += (n[x] - 1) / n[x] * fmax(0, second[x] - first[x] * first[x] / n[x]);
    const double half = kl_stats_student_quantile(0.95, s->n_devices - classes) * sqrt(variance);
    c->ratio_low = exp(whole - half), c->ratio_high = exp(whole + half);
}

/* ---- permutations of the classes ---- */
/* By the sum of the ranks of the pairs between classes, for the devices' classes in other orders: in
   every one there is if there are few, else in random ones. */

struct job {
    const struct kl_synthetic *s;
    const double *ranks; /* [d, d]: of the pairs' divergences */
    double *sums;        /* [permutations]: of the ranks of pairs between classes */
};

/* With as many pairs between classes in every order, it stands for Mann and Whitney's u. */
static double sum_between(const double *ranks, const int *classes, size_t d)
{
    double sum = 0;
    for (size_t i = 0; i < d; i++)
        for (size_t k = i + 1; k < d; k++)
            if (classes[i] != classes[k]) sum += ranks[i * d + k];
    return sum;
}

static void permute_once(void *context, size_t i, int thread)
{
    if (kl_signals_pending()) return; /* what calls this asks as well */
    const struct job *job = context;
    const size_t d = job->s->n_devices;
    int classes[KL_BITS_DEVICES] = { 0 };
    uint32_t words[4] = { 0 };
    (void)thread;
    for (size_t k = 0; k < d; k++) classes[k] = job->s->devices[k].class;
    for (size_t k = d - 1; k > 0; k--) {
        const size_t drawn = d - 1 - k;
        if (drawn % 4 == 0)
            kl_philox(words, (uint64_t)job->s->plan.options->seed, (uint32_t)(drawn / 4),
                      KL_RANDOM_CLASSES, (uint32_t)i, 0);
        const size_t j = (uint64_t)words[drawn % 4] * (k + 1) >> 32;
        const int class = classes[k];
        classes[k] = classes[j], classes[j] = class;
    }
    job->sums[i] = sum_between(job->ranks, classes, d);
}

/* In how many orders d devices can have their classes; most + 1 if in more than `most`. */
static size_t count_orders(const struct kl_synthetic *s, size_t most)
{
    double orders = 1;
    size_t seen[KL_SYNTHETIC_CLASSES] = { 0 };
    for (size_t i = 0; i < s->n_devices && orders <= (double)most; i++)
        orders *= (double)(i + 1) / (double)++seen[s->devices[i].class];
    return orders <= (double)most ? (size_t)llround(orders) : most + 1;
}

/* The next order of the classes; false after the last one, which falls. */
static bool next_order(int *classes, size_t d)
{
    size_t i = d - 1, k = d - 1;
    while (i > 0 && classes[i - 1] >= classes[i]) i--;
    if (i == 0) return false;
    while (classes[k] <= classes[i - 1]) k--;
    const int class = classes[k];
    classes[k] = classes[i - 1], classes[i - 1] = class;
    for (size_t low = i, high = d - 1; low < high; low++, high--) {
        const int swapped = classes[low];
        classes[low] = classes[high], classes[high] = swapped;
    }
    return true;
}

static double exact(const double *ranks, const struct kl_synthetic *s, double observed)
{
    int classes[KL_BITS_DEVICES] = { 0 };
    size_t n = 0, as_high = 0;
    for (size_t i = 0; i < s->n_devices; i++) classes[i] = s->devices[i].class; /* they rise */
    do n++, as_high += sum_between(ranks, classes, s->n_devices) >= observed;
    while (next_order(classes, s->n_devices));
    return (double)as_high / (double)n;
}

static int drawn(double *p, const double *ranks, const struct kl_synthetic *s, double observed, size_t n,
                 struct kl_pool *pool, struct kl_error *err)
{
    struct job job = { s, ranks, malloc(n * sizeof *job.sums) };
    size_t as_high = 0;
    if (!job.sums) return kl_fail_memory(err, n * sizeof *job.sums);
    kl_pool_for(pool, n, permute_once, &job);
    for (size_t i = 0; i < n; i++) as_high += job.sums[i] >= observed;
    *p = (1 + (double)as_high) / (1 + (double)n);
    free(job.sums);
    return KL_OK;
}

static int test(struct kl_contrast *c, const struct kl_synthetic *s, const double *square,
                struct kl_pool *pool, struct kl_error *err)
{
    const size_t n = (size_t)s->plan.options->permutations, orders = count_orders(s, n);
    int classes[KL_BITS_DEVICES] = { 0 };
    for (size_t i = 0; i < s->n_devices; i++) classes[i] = s->devices[i].class;
    const double observed = sum_between(square, classes, s->n_devices);
    c->orders = orders <= n ? orders : 0;
    if (!c->orders) return drawn(&c->p, square, s, observed, n, pool, err);
    c->p = exact(square, s, observed);
    return KL_OK;
}

/* p and orders of such a contrast. */
static int permute(struct kl_contrast *c, const struct kl_synthetic *s, struct kl_pool *pool,
                   struct kl_error *err)
{
    const size_t d = s->n_devices, pairs = d * (d - 1) / 2;
    c->p = NAN, c->orders = 0;
    if (!s->plan.options->permutations || isnan(c->within) || isnan(c->between)) return KL_OK;
    double *values = calloc(2 * pairs + d * d, sizeof *values);
    double *ranks = values + pairs, *square = ranks + pairs;
    if (!values) return kl_fail_memory(err, (2 * pairs + d * d) * sizeof *values);
    for (size_t i = 0, at = 0; i < d; i++)
        for (size_t k = i + 1; k < d; k++) values[at++] = c->divergence[i * d + k];
    int code = kl_stats_ranks(ranks, NULL, values, pairs, err);
    for (size_t i = 0, at = 0; i < d && !code; i++)
        for (size_t k = i + 1; k < d; k++) square[i * d + k] = ranks[at++];
    if (!code) code = test(c, s, square, pool, err);
    free(values);
    return code;
}

/* ---- divergences by class ---- */

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
        heights[(size_t)b->device[r] * KL_BINS + (size_t)kl_bits_ones_bin(ones, b->n_bits)]++;
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

/* ---- the test by ranks, and all together ---- */

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

int kl_synthetic_contrast_make(struct kl_contrast *c, const struct kl_synthetic *s, bool smoothed,
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
        jackknife(c, s);
        code = test_by_ranks(c, s, values, err);
    }
    if (!code) code = permute(c, s, pool, err);
    free(heights), free(values);
    return code;
}

void kl_synthetic_contrast_free(struct kl_contrast *c)
{
    free(c->divergence), free(c->mean), free(c->pairs);
    *c = (struct kl_contrast){ 0 };
}
