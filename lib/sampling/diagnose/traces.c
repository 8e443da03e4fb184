/* SPDX-License-Identifier: MIT
   Traces of one quantity made ready: one sorting serves ranks, quantiles, medians and the distances from
   them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/diagnose/diagnose_int.h"

/* ---- sorting: keys whose order as integers is that of the numbers, by eleven bits at a time ---- */
enum { DIGIT = 11, DIGITS = 6, BUCKETS = 1 << DIGIT };
struct item {
    uint64_t key;
    uint32_t i;
};

/* -0 is 0, so that the two are equal. */
static uint64_t key_of(double x)
{
    uint64_t bits;
    x += 0.0;
    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}
static double value_of(uint64_t key)
{
    const uint64_t bits = key >> 63 ? key & ~(UINT64_C(1) << 63) : ~key;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The sorted items, in one of the two. */
static const struct item *sort(struct item *a, struct item *b, const double *x, size_t n)
{
    static _Thread_local uint32_t count[DIGITS][BUCKETS];
    memset(count, 0, sizeof count);
    for (size_t i = 0; i < n; i++) {
        a[i] = (struct item){ key_of(x[i]), (uint32_t)i };
        for (int d = 0; d < DIGITS; d++) count[d][a[i].key >> (DIGIT * d) & (BUCKETS - 1)]++;
    }
    for (int d = 0; d < DIGITS; d++) {
        if (count[d][a[0].key >> (DIGIT * d) & (BUCKETS - 1)] == n) continue; /* all the same */
        for (uint32_t k = 0, sum = 0; k < BUCKETS; k++) {
            const uint32_t here = count[d][k];
            count[d][k] = sum, sum += here;
        }
        for (size_t i = 0; i < n; i++) b[count[d][a[i].key >> (DIGIT * d) & (BUCKETS - 1)]++] = a[i];
        struct item *other = a;
        a = b, b = other;
    }
    return a;
}

/* ---- opening and taking ---- */
static void place_rows(struct kl_sampling_traces *t)
{
    for (size_t c = 0; c < t->chains; c++)
        for (size_t i = 0; i < t->draws; i++) {
            uint32_t *row = &t->row_of[c * t->draws + i];
            const size_t last = t->draws - t->half;
            *row = i < t->half ? (uint32_t)(c * t->half + i)
                   : i < last  ? UINT32_MAX
                               : (uint32_t)((t->chains + c) * t->half + i - last);
        }
}

static void fill_scores(struct kl_sampling_traces *t)
{
    for (size_t i = 0; i < t->m / 2 + 1; i++)
        t->scores[i] = kl_sampling_normal_score(((double)i + 0.625) / ((double)t->m + 0.25));
}

int kl_sampling_traces_open(struct kl_sampling_traces **traces, size_t chains, size_t draws,
                            struct kl_error *err)
{
    *traces = NULL;
    if (!chains || !draws || chains > INT32_MAX / draws)
        return kl_fail(err, KL_EUSAGE, "%zu chains of %zu draws, expected some and at most 2^31 in all",
                       chains, draws);
    struct kl_sampling_traces *t = *traces = calloc(1, sizeof *t);
    if (!t) return kl_fail_memory(err, sizeof *t);
    t->chains = chains, t->draws = draws, t->n = chains * draws;
    t->half = draws / 2, t->rows = 2 * chains, t->m = t->rows * t->half;
    t->sorted = malloc(t->n * sizeof(double));
    t->halves = draws % 2 ? malloc((t->m + 1) * sizeof(double)) : t->sorted;
    t->place = malloc((t->m + 1) * sizeof(uint32_t));
    t->row_of = malloc(t->n * sizeof(uint32_t));
    t->scores = malloc((t->m / 2 + 1) * sizeof(double));
    t->y = malloc((t->m + 1) * sizeof(double));
    t->folded = malloc((t->m + 1) * sizeof(double));
    t->folded_place = malloc((t->m + 1) * sizeof(uint32_t));
    for (int i = 0; i < 2; i++) t->sort[i] = malloc(t->n * sizeof(struct item));
    int code = t->sorted && t->halves && t->place && t->row_of && t->scores && t->y && t->folded &&
                       t->folded_place && t->sort[0] && t->sort[1]
                   ? KL_OK
                   : kl_fail_memory(err, 100 * t->n);
    if (!code && draws >= 4) code = kl_sampling_spectrum_open(&t->spectrum, t->half, err);
    if (code) kl_sampling_traces_close(traces);
    else place_rows(t), fill_scores(t);
    return code;
}

void kl_sampling_traces_close(struct kl_sampling_traces **traces)
{
    struct kl_sampling_traces *t = *traces;
    if (!t) return;
    if (t->halves != t->sorted) free(t->halves);
    free(t->sorted), free(t->place), free(t->row_of), free(t->scores), free(t->y);
    free(t->folded), free(t->folded_place), free(t->sort[0]), free(t->sort[1]);
    kl_sampling_spectrum_close(&t->spectrum);
    free(t);
    *traces = NULL;
}

static void moments(struct kl_sampling_traces *t)
{
    double sum = 0;
    bool number = true;
    for (size_t c = 0; c < t->chains; c++) sum += kl_sampling_sum(t->x + c * t->draws, t->draws);
    t->mean = sum / (double)t->n, t->squares = 0;
    for (size_t i = 0; i < t->n; i++) {
        const double d = t->x[i] - t->mean;
        t->squares += d * d;
        number &= t->x[i] == t->x[i];
    }
    t->valid = number && t->draws >= 4;
}

void kl_sampling_traces_take(struct kl_sampling_traces *t, const double *x)
{
    t->x = x, t->scored = false;
    moments(t);
    if (!t->valid) return;
    const struct item *items = sort(t->sort[0], t->sort[1], x, t->n);
    size_t k = 0;
    for (size_t i = 0; i < t->n; i++) {
        const uint32_t row = t->row_of[items[i].i];
        t->sorted[i] = value_of(items[i].key);
        if (row == UINT32_MAX) continue;
        t->halves[k] = t->sorted[i], t->place[k++] = row;
    }
}

size_t kl_sampling_traces_draws(const struct kl_sampling_traces *t)
{
    return t->draws;
}

size_t kl_sampling_still(const struct kl_sampling_traces *t)
{
    size_t still = 0;
    for (size_t c = 0; c < t->chains && t->draws > 1; c++) {
        const double *x = t->x + c * t->draws;
        size_t i = 1;
        while (i < t->draws && x[i] == x[0]) i++;
        still += i == t->draws;
    }
    return still;
}

double kl_sampling_mean(const struct kl_sampling_traces *t)
{
    return t->mean;
}

double kl_sampling_sd(const struct kl_sampling_traces *t)
{
    return sqrt(t->squares / ((double)t->n - 1));
}

double kl_sampling_median(const double *sorted, size_t n)
{
    return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

/* ---- normal scores of ranks, Blom's (rank - 3/8) / (m + 1/4); equal values share their mean rank ----
 */
static void score(struct kl_sampling_traces *t, const double *sorted, const uint32_t *place)
{
    const size_t m = t->m;
    for (size_t i = 0, end; i < m; i = end) {
        for (end = i + 1; end < m && sorted[end] == sorted[i];) end++;
        const double z =
            end > i + 1
                ? kl_sampling_normal_score((0.5 * (double)(i + 1 + end) - 0.375) / ((double)m + 0.25))
            : i < m / 2 ? t->scores[i]
                        : -t->scores[m - 1 - i];
        for (size_t k = i; k < end; k++) t->y[place[k]] = z;
    }
}

void kl_sampling_rows_scored(struct kl_sampling_traces *t)
{
    if (!t->scored) score(t, t->halves, t->place);
    t->scored = true;
}

/* Outwards from the median on both sides: the distances come in rising order. */
void kl_sampling_rows_folded(struct kl_sampling_traces *t)
{
    const double median = kl_sampling_median(t->halves, t->m);
    size_t up = t->m / 2; /* m is even: half of them lie on each side */
    size_t down = up;     /* the next one below is down - 1 */
    for (size_t k = 0; k < t->m; k++) {
        const double above = up < t->m ? fabs(t->halves[up] - median) : INFINITY;
        const double below = down ? fabs(t->halves[down - 1] - median) : INFINITY;
        const bool takes_up = down == 0 || (up < t->m && above <= below);
        t->folded[k] = takes_up ? above : below;
        t->folded_place[k] = t->place[takes_up ? up++ : --down];
    }
    score(t, t->folded, t->folded_place);
    t->scored = false;
}
