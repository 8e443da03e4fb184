/* SPDX-License-Identifier: MIT
   A tournament: every pair of devices, by tests, divergences, the reference's scores and what those
   are worth; then p-values corrected for the number of pairs, and the ranking. */
#include "qrng/pairs/tournament.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qrng/bits/bits.h"
#include "stats/stats.h"

/* ---- scores by name ---- */

const char *const kl_score_names[KL_N_SCORES] = { "bits",      "patterns",  "differences", "composite",
                                                  "positions", "histogram", "chi_square",  "accuracy" };

int kl_pairs_scores_read(uint32_t *wanted, const char *text, struct kl_error *err)
{
    const bool all = strcmp(text, "all") == 0;
    *wanted = all ? KL_ALL_SCORES : 0;
    for (const char *at = text; !all;) {
        const size_t n = strcspn(at, ",");
        uint32_t s = 0;
        while (s < KL_N_SCORES &&
               !(strlen(kl_score_names[s]) == n && strncmp(kl_score_names[s], at, n) == 0))
            s++;
        if (s == KL_N_SCORES)
            return kl_fail(
                err, KL_EUSAGE,
                "--scores: found '%.*s', expected all or some of bits, patterns, differences, "
                "composite, positions, histogram, chi_square, accuracy",
                (int)n, at);
        *wanted |= 1u << s;
        if (!at[n]) break;
        at += n + 1;
    }
    return KL_OK;
}

void kl_pairs_scores_write(char *text, size_t size, uint32_t wanted)
{
    size_t n = 0;
    if (wanted == KL_ALL_SCORES) {
        snprintf(text, size, "all");
        return;
    }
    for (uint32_t s = 0; s < KL_N_SCORES; s++)
        if (wanted >> s & 1 && n < size)
            n += (size_t)snprintf(text + n, size - n, "%s%s", n ? "," : "", kl_score_names[s]);
}

/* ---- once all pairs are known ---- */

/* log10 of p-values of all pairs, after Holm. A score is permuted for all of them or for none. */
static int correct(double *p, size_t n, struct kl_error *err)
{
    return isnan(p[0]) ? KL_OK : kl_stats_holm(p, p, n, err);
}

static int correct_all(struct kl_tournament *t, struct kl_error *err)
{
    const size_t n = t->n_pairs;
    double *p = calloc(n, sizeof *p);
    if (!p) return kl_fail_memory(err, n * sizeof *p);
    for (size_t i = 0; i < n; i++) p[i] = t->pairs[i].test.log10_p;
    int code = correct(p, n, err);
    for (size_t i = 0; i < n; i++) t->pairs[i].log10_p_holm = p[i];
    for (int s = 0; s < KL_N_SCORES && !code; s++) {
        for (size_t i = 0; i < n; i++) p[i] = log10(t->pairs[i].p[s]);
        code = correct(p, n, err);
        for (size_t i = 0; i < n; i++) t->pairs[i].p_holm[s] = pow(10, p[i]);
    }
    free(p);
    return code;
}

/* By divergence, not by p, which speaks of the number of rows as well; the study by its composite. */
static double rank_value(const struct kl_tournament *t, size_t i)
{
    return t->reference ? t->pairs[i].score[KL_SCORE_COMPOSITE] : t->pairs[i].divergence[KL_DIV_JS];
}

struct ranked {
    double value;
    size_t i;
};

static int by_value(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->value != y->value) return x->value > y->value ? -1 : 1;
    return x->i < y->i ? -1 : 1;
}

/* log10_p_holm of all pairs, and order. */
static int rank_pairs(struct kl_tournament *t, struct kl_error *err)
{
    const int code = correct_all(t, err);
    if (code) return code;
    struct ranked *sorted = malloc(t->n_pairs * sizeof *sorted);
    if (!sorted) return kl_fail_memory(err, t->n_pairs * sizeof *sorted);
    for (size_t i = 0; i < t->n_pairs; i++) sorted[i] = (struct ranked){ rank_value(t, i), i };
    qsort(sorted, t->n_pairs, sizeof *sorted, by_value);
    for (size_t i = 0; i < t->n_pairs; i++) t->order[i] = sorted[i].i;
    free(sorted);
    return KL_OK;
}

struct kl_differ kl_pairs_tournament_differ(const struct kl_tournament *t)
{
    struct kl_differ d = { .permutations = t->permutations,
                           .dependent = kl_bits_depends(&t->dependence) };
    for (size_t i = 0; i < t->n_devices; i++) kl_stats_differ_device(&d, (size_t)t->rows[i]);
    for (size_t i = 0; i < t->n_pairs; i++)
        kl_stats_differ_add(&d, t->pairs[i].log10_p_holm, t->pairs[i].p_holm[KL_SCORE_ACCURACY]);
    return d;
}

/* ---- every pair ---- */

enum { MOST_SELF = 200 }; /* samples of each device with itself */

void kl_pairs_tournament_options_default(struct kl_tournament_options *o)
{
    *o = (struct kl_tournament_options){ .permutations = 1000,
                                         .resamples = 1000,
                                         .wanted = KL_ALL_SCORES };
}

/* State shared by the parts of one run. */
struct work {
    const struct kl_bits *bits;
    const struct kl_tournament_options *options;
    struct kl_row_features features;
    size_t *rows, *first_row; /* [rows] sorted by device; [d + 1]: where each device's begin */
    int64_t *resampled;       /* [d, resamples, S] */
    double *values;           /* [threads, KL_N_DIVERGENCES, resamples] */
    struct kl_tournament *t;
    struct kl_pool *pool;
    struct kl_course course; /* a step: a permutation of a pair */
    size_t device, first;    /* whose samples are drawn, and the first one of some */
    uint16_t *row_symbols;   /* [rows of that device, S] */
};

static int make_room(struct kl_tournament *t, struct work *w, struct kl_error *err)
{
    const size_t d = t->n_devices, s = t->n_symbols, p = t->n_pairs, b = t->resamples;
    t->names = calloc(d, sizeof *t->names);
    t->rows = calloc(d, sizeof *t->rows);
    t->counts = calloc(d * s, sizeof *t->counts);
    t->rates = calloc(d * t->n_bits, sizeof *t->rates);
    t->pairs = calloc(p, sizeof *t->pairs);
    t->order = calloc(p, sizeof *t->order);
    t->self_mean = malloc(d * KL_N_LEGACY * sizeof *t->self_mean);
    t->self_q95 = malloc(d * KL_N_LEGACY * sizeof *t->self_q95);
    w->rows = malloc(w->bits->n_rows * sizeof *w->rows);
    w->first_row = calloc(d + 1, sizeof *w->first_row);
    w->resampled = malloc(d * b * s * sizeof *w->resampled);
    w->values = malloc((size_t)kl_pool_size(w->pool) * KL_N_DIVERGENCES * b * sizeof *w->values);
    if (t->names && t->rows && t->counts && t->rates && t->pairs && t->order && t->self_mean &&
        t->self_q95 && w->rows && w->first_row && w->resampled && w->values)
        return KL_OK;
    return kl_fail_memory(err, d * b * s * sizeof *w->resampled);
}

/* Rows by device, in their order; the study lost the first one of every device but the first. */
static int sort_rows(struct work *w, struct kl_error *err)
{
    const struct kl_bits *bits = w->bits;
    size_t n = 0;
    for (int d = 0; d < bits->n_devices; d++) {
        bool skip = w->options->reference && d > 0;
        w->first_row[d] = n;
        for (size_t r = 0; r < bits->n_rows; r++) {
            if (bits->device[r] != d) continue;
            if (!skip) w->rows[n++] = r;
            skip = false;
        }
        w->t->rows[d] = (int64_t)(n - w->first_row[d]);
        if (w->t->rows[d] < KL_CROSSFIT_FOLDS)
            return kl_fail(err, KL_EDATA, "device %s: %lld row%s, expected at least %d", bits->names[d],
                           (long long)w->t->rows[d], kl_s((unsigned long long)w->t->rows[d]),
                           KL_CROSSFIT_FOLDS);
    }
    w->first_row[bits->n_devices] = n;
    return KL_OK;
}

static void describe_device(struct work *w, size_t d)
{
    struct kl_tournament *t = w->t;
    const struct kl_row_features *f = &w->features;
    double *rates = t->rates + d * t->n_bits;
    memcpy(t->names[d], w->bits->names[d], sizeof *t->names);
    for (size_t i = w->first_row[d]; i < w->first_row[d + 1]; i++) {
        const uint64_t *row = kl_bits_row(w->bits, w->rows[i]);
        for (size_t s = 0; s < t->n_symbols; s++)
            t->counts[d * t->n_symbols + s] += f->values[w->rows[i] * f->n + s];
        for (size_t j = 0; j < t->n_bits; j++) rates[j] += (double)(row[j / 64] >> (j % 64) & 1);
    }
    for (size_t j = 0; j < t->n_bits; j++) rates[j] /= (double)t->rows[d];
}

static void resample(void *context, size_t i, int thread)
{
    if (kl_signals_pending()) return; /* what calls this asks as well */
    struct work *w = context;
    const size_t d = w->device, k = w->first + i;
    (void)thread;
    kl_bits_bootstrap_counts(w->resampled + (d * w->t->resamples + k) * w->t->n_symbols, w->row_symbols,
                             w->t->n_symbols, (size_t)w->t->rows[d], k, (uint64_t)w->options->seed,
                             (uint32_t)d);
}

/* So many take about as long as a permutation of a pair. */
enum { RESAMPLES = 8 };

/* Some at a time, which take about a tenth of a second. */
static int resample_device(struct work *w, size_t d, struct kl_error *err)
{
    enum { ROWS = 1 << 24 };
    const size_t rows = (size_t)w->t->rows[d], n = w->t->n_symbols, bytes = rows * n * sizeof(uint16_t);
    const size_t most = (size_t)kl_pool_size(w->pool) * (1 + ROWS / rows);
    int code = KL_OK;
    w->device = d, w->first = 0;
    if (!(w->row_symbols = malloc(bytes))) return kl_fail_memory(err, bytes);
    for (size_t i = 0; i < rows; i++)
        memcpy(w->row_symbols + i * n, w->features.values + w->rows[w->first_row[d] + i] * w->features.n,
               n * sizeof(uint16_t));
    for (size_t some; !code && w->first < w->t->resamples; w->first += some) {
        some = w->t->resamples - w->first < most ? w->t->resamples - w->first : most;
        kl_pool_for(w->pool, some, resample, w);
        code =
            kl_course_step(&w->course, (w->first + some) / RESAMPLES - w->first / RESAMPLES, NULL, err);
    }
    free(w->row_symbols);
    return code;
}

/* Of symbol s among those of a device. */
static double share(const struct work *w, size_t d, size_t s)
{
    return (double)w->t->counts[d * w->t->n_symbols + s] /
           ((double)w->t->rows[d] * (double)w->features.most);
}

/* Exact for the laws that the counts suggest. */
static void know_rows(const struct work *w, struct kl_pair_result *r)
{
    const struct kl_tournament *t = w->t;
    const size_t n = t->n_symbols;
    double p[2 * KL_LIMIT_SYMBOLS], symbols[2];
    r->row_js = r->row_accuracy = r->row_js_error = r->row_accuracy_error = NAN;
    if (n > KL_LIMIT_SYMBOLS || w->features.most > KL_LIMIT_ROW) return;
    for (size_t s = 0; s < n; s++) {
        p[s] = share(w, (size_t)r->a, s);
        p[n + s] = share(w, (size_t)r->b, s);
    }
    symbols[0] = (double)t->rows[r->a] * (double)w->features.most;
    symbols[1] = (double)t->rows[r->b] * (double)w->features.most;
    const struct kl_limit limit = kl_bits_bayes_limit(NULL, p, symbols, 2, n, w->features.most);
    r->row_js = limit.information * M_LN2, r->row_js_error = limit.information_error * M_LN2;
    r->row_accuracy = limit.accuracy, r->row_accuracy_error = limit.accuracy_error;
}

static void compare(void *context, size_t i, int thread)
{
    if (kl_signals_pending()) return; /* what calls this asks as well */
    struct work *w = context;
    struct kl_tournament *t = w->t;
    struct kl_pair_result *r = &t->pairs[i];
    const size_t n = t->n_symbols, b = t->resamples;
    const int64_t *a = t->counts + (size_t)r->a * n, *c = t->counts + (size_t)r->b * n;
    double *values = w->values + (size_t)thread * KL_N_DIVERGENCES * b;
    r->test = kl_bits_symbol_test(a, c, n);
    kl_bits_symbol_divergences(r->divergence, a, c, n);
    for (size_t k = 0; k < b; k++) {
        double d[KL_N_DIVERGENCES];
        kl_bits_symbol_divergences(d, w->resampled + ((size_t)r->a * b + k) * n,
                                   w->resampled + ((size_t)r->b * b + k) * n, n);
        for (size_t v = 0; v < KL_N_DIVERGENCES; v++) values[v * b + k] = d[v];
    }
    for (size_t v = 0; v < KL_N_DIVERGENCES; v++) {
        const struct kl_interval of =
            kl_bits_divergence_interval(r->divergence[v], values + v * b, b, v == KL_DIV_TV);
        r->low[v] = of.low, r->high[v] = of.high;
    }
    know_rows(w, r);
}

static int test_pair(struct work *w, size_t i, struct kl_error *err)
{
    struct kl_pair_result *r = &w->t->pairs[i];
    const size_t a = (size_t)r->a, b = (size_t)r->b;
    struct kl_planes planes = { 0 };
    int code = kl_pairs_planes_make(&planes, w->bits, &w->features, w->rows + w->first_row[a],
                                    w->first_row[a + 1] - w->first_row[a], w->rows + w->first_row[b],
                                    w->first_row[b + 1] - w->first_row[b], err);
    if (!code)
        code =
            kl_pairs_permutation_test(r, &planes, w->options->wanted, (size_t)w->options->permutations,
                                      (uint64_t)w->options->seed, (uint32_t)i, w->pool, &w->course, err);
    if (!code)
        kl_pairs_crossfit_bounds(&r->accuracy_low, &r->accuracy_high, r->score[KL_SCORE_ACCURACY],
                                 &planes);
    kl_pairs_planes_free(&planes);
    return code;
}

/* Of a device with itself. */
static size_t count_samples(const struct work *w)
{
    const bool wanted = w->options->wanted & ((1u << KL_N_LEGACY) - 1);
    const size_t most = w->t->permutations < MOST_SELF ? w->t->permutations : MOST_SELF;
    return wanted && w->t->symbol_bits <= KL_SELF_WIDTH ? most : 0;
}

static int test_self(struct work *w, size_t d, struct kl_error *err)
{
    struct kl_tournament *t = w->t;
    double p[1 << KL_BITS_SYMBOL];
    for (size_t s = 0; s < t->n_symbols; s++) p[s] = share(w, d, s);
    return kl_pairs_reference_null(t->self_mean + d * KL_N_LEGACY, t->self_q95 + d * KL_N_LEGACY, p,
                                   t->n_symbols, t->n_bits, (size_t)t->rows[d], count_samples(w),
                                   (uint64_t)w->options->seed, (uint32_t)d, w->pool, &w->course, err);
}

/* Equal steps for all devices and for all pairs, whatever their rows. */
static void plan(struct work *w)
{
    const struct kl_tournament *t = w->t;
    w->course.total = t->n_devices * (t->resamples / RESAMPLES) +
                      t->n_devices * count_samples(w) * kl_pairs_sample_steps(t->n_bits) +
                      t->n_pairs * t->permutations;
}

static int run(struct work *w, struct kl_error *err)
{
    struct kl_tournament *t = w->t;
    int code = make_room(t, w, err);
    if (!code) code = kl_pairs_row_features(&w->features, w->bits, err);
    if (!code) code = sort_rows(w, err);
    if (!code) code = kl_bits_dependence_find(&t->dependence, w->bits, t->symbol_bits, err);
    if (code) return code;
    for (size_t d = 0, i = 0; d < t->n_devices; d++) {
        describe_device(w, d);
        for (size_t e = d + 1; e < t->n_devices; e++, i++)
            t->pairs[i].a = (int)d, t->pairs[i].b = (int)e;
    }
    plan(w);
    for (size_t d = 0; d < t->n_devices && !code; d++) code = resample_device(w, d, err);
    if (!code) kl_pool_for(w->pool, t->n_pairs, compare, w);
    for (size_t d = 0; d < t->n_devices && !code; d++) code = test_self(w, d, err);
    for (size_t i = 0; i < t->n_pairs && !code; i++) code = test_pair(w, i, err);
    if (!code) code = kl_course_step(&w->course, 0, NULL, err);
    return code ? code : rank_pairs(t, err);
}

int kl_pairs_tournament_run(struct kl_tournament *t, const struct kl_bits *bits,
                            const struct kl_tournament_options *o, struct kl_pool *pool,
                            const struct kl_watch *watch, struct kl_error *err)
{
    struct work w = { .bits = bits, .options = o, .t = t, .pool = pool, .course = { .watch = watch } };
    const size_t d = (size_t)bits->n_devices;
    *t = (struct kl_tournament){ .n_devices = d,
                                 .n_pairs = d * (d - 1) / 2,
                                 .n_bits = bits->n_bits,
                                 .n_symbols = (size_t)1 << bits->symbol_bits,
                                 .symbol_bits = bits->symbol_bits,
                                 .permutations = (size_t)o->permutations,
                                 .resamples = (size_t)o->resamples,
                                 .reference = o->reference };
    if (d < 2)
        return kl_fail(err, KL_EDATA,
                       "one device, expected at least two: labels behind the rows, or a file a "
                       "device; one alone is for --nist");
    int code = run(&w, err);
    kl_pairs_row_features_free(&w.features);
    free(w.rows), free(w.first_row), free(w.resampled), free(w.values);
    return code;
}

void kl_pairs_tournament_free(struct kl_tournament *t)
{
    free(t->names), free(t->rows), free(t->counts), free(t->rates), free(t->pairs), free(t->order);
    free(t->self_mean), free(t->self_q95);
    *t = (struct kl_tournament){ 0 };
}
