/* SPDX-License-Identifier: MIT
   Windows of one part that are those of another, or nearly; and what a split promises of that. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/gemm.h"
#include "sequence/learn/fitted.h"
#include "sequence/windows/windows.h"

/* ---- windows that stand in two parts, under whatever names: found by digests of their numbers ---- */

static const char *const part_names[] = { "training", "validation", "test" };

static bool is_flat(const float *x, size_t channels, size_t steps)
{
    for (size_t c = 0; c < channels; c++, x += steps)
        for (size_t t = 1; t < steps; t++)
            if (x[t] != x[0]) return false;
    return true;
}

int64_t kl_sequence_window_digest(const float *x, size_t channels, size_t steps)
{
    unsigned char bytes[16];
    int64_t digest;
    if (steps > 1 && is_flat(x, channels, steps)) return 0;
    kl_xxh128(bytes, x, channels * steps * sizeof *x);
    memcpy(&digest, bytes, sizeof digest);
    return digest;
}

int kl_sequence_split_digest(struct kl_sequence_split *s, const struct kl_sequence_set *set,
                             struct kl_error *err)
{
    free(s->digests);
    if (!(s->digests = calloc(set->n + 1, sizeof *s->digests)))
        return kl_fail_memory(err, set->n * sizeof *s->digests);
    for (int k = 0; k < KL_SEQUENCE_PARTS; k++)
        for (size_t i = 0; i < s->n[k]; i++) {
            const size_t w = (size_t)s->part[k][i];
            const float *x = kl_sequence_set_window(set, w, err);
            if (!x) return err->code;
            s->digests[w] = kl_sequence_window_digest(x, set->channels, set->steps);
        }
    return KL_OK;
}

struct digest {
    int64_t digest;
    int part;
    size_t window;
};

static int by_digest(const void *a, const void *b)
{
    const struct digest *x = a, *y = b;
    if (x->digest != y->digest) return x->digest < y->digest ? -1 : 1;
    return x->part - y->part;
}

enum { WHERE = 160 };
/* "recording 'S001R04' of 'S001' at 2.5 s" */
static void tell_window(char text[WHERE], const struct kl_sequence_set *set, size_t i)
{
    const int n = snprintf(text, WHERE, "recording '%.50s' of '%.50s'",
                           set->recording_names[set->recording[i]], set->subject_names[set->subject[i]]);
    if (!isnan(set->onset[i])) snprintf(text + n, (size_t)(WHERE - n), " at %g s", set->onset[i]);
}

/* Two windows of one digest, whose numbers decide. */
static int compare_digests(const struct digest *a, const struct digest *b,
                           const struct kl_sequence_set *set, struct kl_error *err)
{
    char one[WHERE], other[WHERE];
    const float *x = kl_sequence_set_window(set, a->window, err),
                *y = x ? kl_sequence_set_window(set, b->window, err) : NULL;
    if (!y) return err->code;
    if (memcmp(x, y, set->channels * set->steps * sizeof *x)) return KL_OK;
    tell_window(one, set, a->window), tell_window(other, set, b->window);
    return kl_fail(
        err, KL_EDATA,
        "a window of %s, in the %s part, is that of %s, in the %s part: a copy, and so a leak; "
        "leave one of the two out",
        one, part_names[a->part], other, part_names[b->part]);
}

int kl_sequence_split_check_copies(const struct kl_sequence_split *s, const struct kl_sequence_set *set,
                                   struct kl_error *err)
{
    const size_t n = s->n[0] + s->n[1] + s->n[2];
    struct digest *all = malloc((n + 1) * sizeof *all);
    size_t used = 0;
    int code = KL_OK;
    if (!all) return kl_fail_memory(err, n * sizeof *all);
    for (int k = 0; k < KL_SEQUENCE_PARTS; k++)
        for (size_t i = 0; i < s->n[k]; i++) {
            const size_t w = (size_t)s->part[k][i];
            if (s->digests[w]) all[used++] = (struct digest){ s->digests[w], k, w };
        }
    qsort(all, used, sizeof *all, by_digest);
    for (size_t i = 1; i < used && !code; i++)
        if (all[i].digest == all[i - 1].digest && all[i].part != all[i - 1].part)
            code = compare_digests(&all[i - 1], &all[i], set, err);
    free(all);
    return code;
}

/* ---- near copies ----
   Windows of one part that are nearly those of another: saved in another format, cut some steps later,
   at another rate, with another gain. Every pair of windows is compared: first one signal of each, a sum
   of its standardised channels, at some lags, all pairs as products of matrices; then, of pairs that are
   alike there, all channels, one being predicted from the other by a filter of five taps, so that a
   shift by a part of a step is none. */

enum { ROWS = 64, COLUMNS = 512, TAPS = 5, LEAST = 24, FEW = 8, ALIKE = 3 };
static const double NEAR = 0.99, LOOK = 0.8, GLANCE = 0.6, MOST_FLOPS = 4e11;
/* How closely it is looked, so that it takes seconds: points of a signal, lags on either side. */
static const struct {
    size_t points, lags;
} levels[] = { { 512, 8 }, { 256, 6 }, { 128, 3 }, { 64, 1 } };

struct match {
    size_t a, b; /* windows of the set */
};
struct search {
    const struct kl_sequence_set *set;
    struct kl_error *err;
    size_t points, each, lags; /* of a signal; steps that a point is the mean of */
    const int64_t *rows, *columns;
    size_t n_rows, n_columns;
    float *left, *right;      /* (ROWS, points); (points, n_columns) */
    float *product[2], *best; /* (ROWS, COLUMNS): of this lag and the one before */
    int *lag;                 /* (ROWS, COLUMNS), of the best */
    double *sum, *square;
    struct match *matches;
    size_t n, room;
};

/* ---- one signal of a window ---- */
static void moments(double *mean, double *deviation, const float *x, size_t n)
{
    double sum = 0, square = 0;
    for (size_t t = 0; t < n; t++) sum += (double)x[t];
    *mean = sum / (double)n;
    for (size_t t = 0; t < n; t++) square += ((double)x[t] - *mean) * ((double)x[t] - *mean);
    *deviation = sqrt(square / (double)n);
}

/* Each channel over its own deviation, times 1.5 or -0.5: neither what all channels share cancels, nor
   what is left of an average reference. Point p at to[p * stride]. */
static void take_signal(float *to, size_t stride, const struct search *s, const float *x)
{
    const size_t channels = s->set->channels, steps = s->set->steps;
    for (size_t p = 0; p < s->points; p++) to[p * stride] = 0;
    for (size_t c = 0; c < channels; c++, x += steps) {
        double mean, deviation;
        const double weight = ((uint32_t)c * 2654435761u) >> 31 ? 1.5 : -0.5;
        moments(&mean, &deviation, x, steps);
        if (!(deviation > 0)) continue;
        for (size_t p = 0; p < s->points; p++) {
            double sum = 0;
            for (size_t t = 0; t < s->each; t++) sum += (double)x[p * s->each + t] - mean;
            to[p * stride] += (float)(weight * sum / deviation);
        }
    }
}

/* Its middle, which is compared at all lags: less its mean, of norm 1. */
static void take_middle(float *to, size_t n)
{
    double mean, deviation;
    moments(&mean, &deviation, to, n);
    const double norm = deviation * sqrt((double)n);
    for (size_t p = 0; p < n; p++) to[p] = norm > 0 ? (float)(((double)to[p] - mean) / norm) : 0;
}

/* ---- all channels of two windows ---- */
/* Steps t of a that meet t + lag of b, TAPS / 2 being left at the ends of a; false: too few. */
static bool overlap(size_t *from, size_t *to, size_t steps, long lag)
{
    const long half = TAPS / 2, first = half > -lag ? half : -lag,
               last = (long)steps - (half > lag ? half : lag);
    *from = (size_t)first, *to = last > first ? (size_t)last : (size_t)first;
    return *to - *from >= LEAST / 2;
}

static double product(const float *x, const float *y, size_t n)
{
    double sum = 0, x_sum = 0, y_sum = 0;
    for (size_t t = 0; t < n; t++)
        sum += (double)x[t] * (double)y[t], x_sum += (double)x[t], y_sum += (double)y[t];
    return sum - x_sum * y_sum / (double)n;
}

/* Correlation of some channels at a lag, its sign left out. */
static double glance(const struct search *s, const float *a, const float *b, long lag)
{
    const size_t steps = s->set->steps, channels = s->set->channels,
                 each = channels / FEW > 1 ? channels / FEW : 1;
    size_t from, to;
    double ab = 0, aa = 0, bb = 0;
    if (!overlap(&from, &to, steps, lag)) return 0;
    for (size_t c = 0; c < channels; c += each) {
        const float *x = a + c * steps + from, *y = b + c * steps + (size_t)((long)from + lag);
        ab += product(x, y, to - from), aa += product(x, x, to - from), bb += product(y, y, to - from);
    }
    return aa > 0 && bb > 0 ? fabs(ab) / sqrt(aa * bb) : 0;
}

/* g w = h by Cholesky's factors, g being made a little more definite; returns w h. */
static double explained(double g[TAPS][TAPS], const double h[TAPS])
{
    double y[TAPS], sum = 0, trace = 0;
    for (int i = 0; i < TAPS; i++) trace += g[i][i];
    for (int i = 0; i < TAPS; i++) {
        g[i][i] += 1e-9 * trace;
        for (int k = 0; k <= i; k++) {
            double v = g[i][k];
            for (int m = 0; m < k; m++) v -= g[i][m] * g[k][m];
            g[i][k] = k < i ? v / g[k][k] : sqrt(fmax(v, 1e-12 * trace));
        }
        y[i] = h[i];
        for (int m = 0; m < i; m++) y[i] -= g[i][m] * y[m];
        y[i] /= g[i][i], sum += y[i] * y[i];
    }
    return sum;
}

/* Multiple correlation of b with a filter of a around the lag, over all channels. */
static double correlation(const struct search *s, const float *a, const float *b, long lag)
{
    const size_t steps = s->set->steps;
    size_t from, to;
    double g[TAPS][TAPS] = { { 0 } }, h[TAPS] = { 0 }, bb = 0;
    if (!overlap(&from, &to, steps, lag)) return 0;
    const size_t n = to - from;
    for (size_t c = 0; c < s->set->channels; c++) {
        const float *x = a + c * steps + from - TAPS / 2,
                    *y = b + c * steps + (size_t)((long)from + lag);
        for (int i = 0; i < TAPS; i++) {
            for (int k = 0; k <= i; k++) g[i][k] += product(x + i, x + k, n);
            h[i] += product(x + i, y, n);
        }
        bb += product(y, y, n);
    }
    return bb > 0 && g[0][0] > 0 ? sqrt(fmin(explained(g, h) / bb, 1)) : 0;
}

static int add_match(struct search *s, size_t a, size_t b)
{
    if (s->n == s->room) {
        const size_t room = 2 * s->room + 64;
        struct match *more = realloc(s->matches, room * sizeof *more);
        if (!more) return kl_fail_memory(s->err, room * sizeof *more);
        s->matches = more, s->room = room;
    }
    s->matches[s->n++] = (struct match){ a, b };
    return KL_OK;
}

/* Two windows whose signals are alike at a lag, of points. */
static int compare_two(struct search *s, size_t a, size_t b, int lag)
{
    const float *x = kl_sequence_set_window(s->set, a, s->err),
                *y = x ? kl_sequence_set_window(s->set, b, s->err) : NULL;
    if (!y) return s->err->code;
    const long each = (long)s->each, middle = lag * each;
    long best = middle;
    double most = -1;
    for (long at = middle - each; at <= middle + each; at++) {
        const double found = glance(s, x, y, at);
        if (found > most) most = found, best = at;
    }
    if (most < GLANCE || correlation(s, x, y, best) <= NEAR) return KL_OK;
    return add_match(s, a, b);
}

/* ---- blocks of pairs ---- */
/* Over its norm: of n columns of points [0, middle), each, or each plus the one a lag before it. */
static void take_norms(struct search *s, const float *right, const float *before, size_t middle,
                       size_t n)
{
    memset(s->sum, 0, n * sizeof *s->sum), memset(s->square, 0, n * sizeof *s->square);
    for (size_t p = 0; p < middle; p++)
        for (size_t j = 0; j < n; j++) {
            const float v = right[p * s->n_columns + j] + (before ? before[p * s->n_columns + j] : 0);
            s->sum[j] += (double)v, s->square[j] += (double)v * (double)v;
        }
    for (size_t j = 0; j < n; j++) {
        const double v = s->square[j] - s->sum[j] * s->sum[j] / (double)middle;
        s->square[j] = v > 1e-12 * s->square[j] ? 1 / sqrt(v) : 0;
    }
}

static void keep_best(struct search *s, const float *product, const float *before, int lag,
                      size_t n_rows, size_t n)
{
    for (size_t i = 0; i < n_rows * COLUMNS; i += COLUMNS)
        for (size_t j = 0; j < n; j++) {
            const float r = fabsf(product[i + j] + (before ? before[i + j] : 0)) * (float)s->square[j];
            if (r > s->best[i + j]) s->best[i + j] = r, s->lag[i + j] = lag;
        }
}

/* One lag of a block, and the half lag before it, as the mean of both: where it is the best so far. */
static void take_lag(struct search *s, int lag, size_t at, size_t n_rows, size_t n)
{
    const size_t middle = s->points - 2 * s->lags;
    const float *right = s->right + (size_t)((int)s->lags + lag) * s->n_columns + at;
    float *product = s->product[lag & 1], *before = s->product[~lag & 1];
    kl_kernel_gemm_f32()(product, COLUMNS, s->left + s->lags, s->points, 1, right, s->n_columns, n_rows,
                         n, middle, 0);
    take_norms(s, right, NULL, middle, n);
    keep_best(s, product, NULL, lag, n_rows, n);
    if (lag == -(int)s->lags) return;
    take_norms(s, right, right - s->n_columns, middle, n);
    keep_best(s, product, before, lag, n_rows, n);
}

static int compare_block(struct search *s, size_t row, size_t n_rows, size_t at)
{
    const size_t n = s->n_columns - at < COLUMNS ? s->n_columns - at : COLUMNS;
    int code = KL_OK;
    memset(s->best, 0, (size_t)ROWS * COLUMNS * sizeof *s->best);
    for (int lag = -(int)s->lags; lag <= (int)s->lags; lag++) take_lag(s, lag, at, n_rows, n);
    for (size_t i = 0; i < n_rows && !code; i++)
        for (size_t j = 0; j < n && !code; j++)
            if ((double)s->best[i * COLUMNS + j] > LOOK)
                code = compare_two(s, (size_t)s->rows[row + i], (size_t)s->columns[at + j],
                                   s->lag[i * COLUMNS + j]);
    return code;
}

static int take_columns(struct search *s)
{
    for (size_t j = 0; j < s->n_columns; j++) {
        const float *x = kl_sequence_set_window(s->set, (size_t)s->columns[j], s->err);
        if (!x) return s->err->code;
        take_signal(s->right + j, s->n_columns, s, x);
    }
    return KL_OK;
}

static int compare_parts(struct search *s)
{
    s->right = malloc((s->points * s->n_columns + 1) * sizeof *s->right);
    int code = s->right ? take_columns(s) : kl_fail_memory(s->err, s->points * s->n_columns * 4);
    for (size_t row = 0; row < s->n_rows && !code; row += ROWS) {
        const size_t n = s->n_rows - row < ROWS ? s->n_rows - row : ROWS;
        for (size_t i = 0; i < n && !code; i++) {
            const float *x = kl_sequence_set_window(s->set, (size_t)s->rows[row + i], s->err);
            if (!x) code = s->err->code;
            else take_signal(s->left + i * s->points, 1, s, x);
            if (x) take_middle(s->left + i * s->points + s->lags, s->points - 2 * s->lags);
        }
        for (size_t at = 0; at < s->n_columns && !code; at += COLUMNS)
            code = compare_block(s, row, n, at);
    }
    free(s->right);
    s->right = NULL;
    return code;
}

/* ---- what they are ---- */
static int by_pair(const void *a, const void *b, void *context)
{
    const struct search *s = context;
    const struct match *x = a, *y = b;
    const int32_t *of = s->set->recording;
    if (of[x->a] != of[y->a]) return of[x->a] < of[y->a] ? -1 : 1;
    if (of[x->b] != of[y->b]) return of[x->b] < of[y->b] ? -1 : 1;
    if (x->a != y->a) return x->a < y->a ? -1 : 1;
    return (x->b > y->b) - (x->b < y->b);
}

static int by_window(const void *a, const void *b)
{
    const struct match *x = a, *y = b;
    if (x->a != y->a) return x->a < y->a ? -1 : 1;
    return (x->b > y->b) - (x->b < y->b);
}

/* Those whose window is like more than ALIKE others are no copies but a rhythm that all have; *alike: so
   many windows. The others stay. */
static void drop_alike(struct search *s, size_t *alike)
{
    size_t kept = 0;
    *alike = 0;
    if (s->n) qsort(s->matches, s->n, sizeof *s->matches, by_window);
    for (size_t i = 0, n; i < s->n; i += n) {
        for (n = 1; i + n < s->n && s->matches[i + n].a == s->matches[i].a;) n++;
        if (n > ALIKE) ++*alike;
        else memmove(s->matches + kept, s->matches + i, n * sizeof *s->matches), kept += n;
    }
    s->n = kept;
}

static size_t windows_of(const struct kl_sequence_set *set, int32_t recording)
{
    size_t n = 0;
    for (size_t i = 0; i < set->n; i++) n += set->recording[i] == recording && set->labels[i] >= 0;
    return n;
}

static int fail_copy(const struct search *s, const struct match *m, size_t n, struct kl_error *err)
{
    const struct kl_sequence_set *set = s->set;
    return kl_fail(
        err, KL_EDATA,
        "%zu window%s of recording '%.50s' of '%.50s' %s near cop%s (correlation above 0.99) of "
        "windows of '%.50s' of '%.50s', in another part: one recording under two names, and so a "
        "leak; leave one of the two out",
        n, kl_s(n), set->recording_names[set->recording[m->a]], set->subject_names[set->subject[m->a]],
        n == 1 ? "is a" : "are", n == 1 ? "y" : "ies", set->recording_names[set->recording[m->b]],
        set->subject_names[set->subject[m->b]]);
}

/* Recordings of which half or more of the windows stand in another one, too, are copies. */
static int judge(struct search *s, const struct kl_log *log, struct kl_error *err)
{
    size_t alike, single = 0;
    drop_alike(s, &alike);
    if (s->n) qsort_r(s->matches, s->n, sizeof *s->matches, by_pair, s);
    for (size_t i = 0, n; i < s->n; i += n) {
        const struct match *m = &s->matches[i];
        const int32_t *of = s->set->recording;
        size_t windows = 1;
        for (n = 1; i + n < s->n && of[m[n].a] == of[m->a] && of[m[n].b] == of[m->b]; n++)
            windows += m[n].a != m[n - 1].a;
        const size_t a = windows_of(s->set, of[m->a]), b = windows_of(s->set, of[m->b]);
        if (2 * windows >= (a < b ? a : b)) return fail_copy(s, m, windows, err);
        single += windows;
    }
    if (single)
        kl_caution(
            log,
            "%zu window%s correlate%s above 0.99 with windows of another part, the first of recording "
            "'%.50s' of '%.50s' with one of '%.50s' of '%.50s': near copies?",
            single, kl_s(single), single == 1 ? "s" : "",
            s->set->recording_names[s->set->recording[s->matches[0].a]],
            s->set->subject_names[s->set->subject[s->matches[0].a]],
            s->set->recording_names[s->set->recording[s->matches[0].b]],
            s->set->subject_names[s->set->subject[s->matches[0].b]]);
    if (alike)
        kl_caution(log,
                   "%zu windows correlate above 0.99 with more than %d windows of another part each: "
                   "one rhythm "
                   "in all, in which copies cannot be told",
                   alike, ALIKE);
    return KL_OK;
}

/* ---- all ---- */
/* false: there are too many pairs. */
static bool choose_level(struct search *s, double pairs)
{
    const size_t steps = s->set->steps;
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        s->each = (steps + levels[i].points - 1) / levels[i].points;
        s->points = steps / s->each;
        s->lags = s->points / 4 < levels[i].lags ? s->points / 4 : levels[i].lags;
        if (pairs * 2 * (double)s->points * (double)(2 * s->lags + 1) <= MOST_FLOPS) return true;
    }
    return false;
}

static int search_parts(struct search *s, const struct kl_sequence_split *split)
{
    const size_t block = (size_t)ROWS * COLUMNS;
    s->left = malloc(ROWS * s->points * sizeof *s->left),
    s->product[0] = malloc(2 * block * sizeof **s->product);
    s->best = malloc(block * sizeof *s->best), s->lag = malloc(block * sizeof *s->lag);
    s->sum = malloc(COLUMNS * sizeof *s->sum), s->square = malloc(COLUMNS * sizeof *s->square);
    int code = s->left && s->product[0] && s->best && s->lag && s->sum && s->square
                   ? KL_OK
                   : kl_fail_memory(s->err, block * 12 + ROWS * s->points * 4);
    if (!code) s->product[1] = s->product[0] + block;
    for (int k = 0; k < KL_SEQUENCE_PARTS; k++)
        for (int l = k + 1; l < KL_SEQUENCE_PARTS && !code; l++) {
            const int few = split->n[k] < split->n[l] ? k : l, many = few == k ? l : k;
            s->rows = split->part[few], s->n_rows = split->n[few];
            s->columns = split->part[many], s->n_columns = split->n[many];
            code = compare_parts(s);
        }
    free(s->left), free(s->product[0]), free(s->best), free(s->lag), free(s->sum), free(s->square);
    return code;
}

int kl_sequence_split_check_near(const struct kl_sequence_split *split,
                                 const struct kl_sequence_set *set, const struct kl_log *log,
                                 struct kl_error *err)
{
    struct search s = { .set = set, .err = err };
    const double a = (double)split->n[0], b = (double)split->n[1], c = (double)split->n[2],
                 pairs = a * b + a * c + b * c;
    /* Images and sequences, each a recording of its own, have no time: they may be alike by chance. */
    if (set->steps < LEAST || (!(set->rate > 0) && set->n_recordings >= set->n)) return KL_OK;
    if (!choose_level(&s, pairs)) {
        kl_caution(log, "%.3g pairs of windows are too many to look for near copies among them", pairs);
        return KL_OK;
    }
    int code = search_parts(&s, split);
    if (!code) code = judge(&s, log, err);
    free(s.matches);
    return code;
}

/* ---- guard ----
   What a split promises beside its parts: that no window of one is a copy of another's, and that people
   are people as far as their names say so. */

/* Sessions of one person that pass for people would stand on both sides. */
void kl_sequence_caution_people(const struct kl_sequence_set *set, const struct kl_log *log)
{
    size_t n = 0;
    const char *first = NULL;
    for (size_t i = 0; i < set->n_subjects; i++) {
        if (!set->unsaid[i]) continue;
        if (!n++ || strcmp(set->subject_names[i], first) < 0) first = set->subject_names[i];
    }
    if (n)
        kl_caution(log,
                   "%zu of %zu people %s named by a file alone, as '%.60s', which does not say whose it "
                   "is: two sessions of one person would stand on both sides of the split; --subject of "
                   "qseq windows says it",
                   n, set->n_subjects, n == 1 ? "is" : "are", first);
}

int kl_sequence_split_guard(struct kl_sequence_split *split, const struct kl_sequence_set *set,
                            enum kl_sequence_split_kind kind, const struct kl_log *log,
                            struct kl_error *err)
{
    int code = kl_sequence_split_digest(split, set, err);
    if (kind == KL_SEQUENCE_SPLIT_LEAK) return code;
    if (!code) code = kl_sequence_split_check_copies(split, set, err);
    if (!code) code = kl_sequence_split_check_near(split, set, log, err);
    if (!code && kl_sequence_split_across(kind)) kl_sequence_caution_people(set, log);
    return code;
}
