/* SPDX-License-Identifier: MIT
   Traces: read from a file of kind chains, and made ready: one sorting serves ranks, quantiles, medians
   and the distances from them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/diagnose/diagnose.h"
#include "sampling/diagnose/diagnose_int.h"
#include "store/kind.h"
#include "store/store.h"

/* ---- a file of kind `chains`, read: its ladder and its traces ---- */

/* The room that writes the kind stands above this one. */
static const struct kl_kind chains_kind = { .name = "chains", .maker = "sgld sample" };

static int check_ladder(const struct kl_sampling_chains *c, struct kl_error *err)
{
    for (size_t b = 0; b < c->n_betas; b++) {
        if (!isfinite(c->beta[b]) || c->beta[b] < 0)
            return kl_fail(err, KL_EDATA,
                           "%s: ladder/beta: %g of temperature %zu is no inverse temperature",
                           kl_store_file_path(c->file), c->beta[b], b);
        if (c->draws[b] < 0 || (size_t)c->draws[b] > c->most_draws)
            return kl_fail(
                err, KL_EDATA,
                "%s: ladder/draws: %lld at beta %g, but posterior/train_loss has places for %zu",
                kl_store_file_path(c->file), (long long)c->draws[b], c->beta[b], c->most_draws);
    }
    return KL_OK;
}

int kl_sampling_chains_open(struct kl_sampling_chains *c, const char *path, struct kl_error *err)
{
    const struct kl_dataset *loss, *beta;
    *c = (struct kl_sampling_chains){ 0 };
    int code = kl_store_file_open_kind(&c->file, path, &chains_kind, err);
    if (!code) code = kl_store_file_check_once(c->file, err);
    if (!code) code = kl_store_file_expect(&loss, c->file, "posterior/train_loss", KL_TYPE_F32, 3, err);
    if (!code) code = kl_store_file_expect(&beta, c->file, "ladder/beta", KL_TYPE_F64, 1, err);
    if (code) return code;
    c->chains = loss->dims[0], c->most_draws = loss->dims[1], c->n_betas = beta->dims[0];
    if (loss->dims[2] != c->n_betas || !c->chains || !c->n_betas)
        return kl_fail(
            err, KL_EDATA,
            "%s: posterior/train_loss is of %zu chains and %zu temperatures, expected some and as many "
            "as ladder/beta has, %zu",
            path, c->chains, loss->dims[2], c->n_betas);
    code = kl_store_file_load((void **)&c->beta, c->file, beta, err);
    if (!code)
        code = kl_store_file_load_shape((void **)&c->draws, c->file, "ladder/draws", KL_TYPE_I64, 1,
                                        &c->n_betas, err);
    return code ? code : check_ladder(c, err);
}

void kl_sampling_chains_close(struct kl_sampling_chains *c)
{
    kl_store_file_close(&c->file);
    free(c->beta), free(c->draws);
    c->beta = NULL, c->draws = NULL;
}

int kl_sampling_chains_load(float **all, const struct kl_sampling_chains *c, const char *name,
                            struct kl_error *err)
{
    const size_t dims[3] = { c->chains, c->most_draws, c->n_betas };
    *all = NULL;
    if (!kl_store_file_find(c->file, name)) return KL_OK;
    return kl_store_file_load_shape((void **)all, c->file, name, KL_TYPE_F32, 3, dims, err);
}

size_t kl_sampling_chains_trace(double *x, const float *all, const struct kl_sampling_chains *c,
                                size_t b)
{
    const size_t most = (size_t)c->draws[b], step = c->n_betas, chain = c->most_draws * step;
    size_t kept = 0;
    for (size_t t = 0; t < most; t++) {
        bool there = false;
        for (size_t i = 0; i < c->chains; i++) there |= !isnan(all[i * chain + t * step + b]);
        if (!there) continue;
        for (size_t i = 0; i < c->chains; i++) x[i * most + kept] = all[i * chain + t * step + b];
        kept++;
    }
    for (size_t i = 1; i < c->chains && kept < most; i++)
        memmove(x + i * kept, x + i * most, kept * sizeof *x);
    return kept;
}

/* ---- normal scores by Wichura's rational functions ---- */

/* (a[7] r^7 + ... + a[0]) / (b[7] r^7 + ... + b[0]) */
static double ratio(const double a[8], const double b[8], double r)
{
    double above = a[7], below = b[7];
    for (int i = 6; i >= 0; i--) above = above * r + a[i], below = below * r + b[i];
    return above / below;
}

/* clang-format off */
static const double middle[2][8] = {
    { 3.3871328727963666080e0, 1.3314166789178437745e+2, 1.9715909503065514427e+3, 1.3731693765509461125e+4,
      4.5921953931549871457e+4, 6.7265770927008700853e+4, 3.3430575583588128105e+4, 2.5090809287301226727e+3 },
    { 1, 4.2313330701600911252e+1, 6.8718700749205790830e+2, 5.3941960214247511077e+3,
      2.1213794301586595867e+4, 3.9307895800092710610e+4, 2.8729085735721942674e+4, 5.2264952788528545610e+3 },
};
static const double tail[2][8] = {
    { 1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
      1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4 },
    { 1, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
      1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9 },
};
static const double far[2][8] = {
    { 6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
      2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7 },
    { 1, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
      7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15 },
};
/* clang-format on */

double kl_sampling_normal_score(double p)
{
    const double q = p - 0.5;
    if (fabs(q) <= 0.425) return q * ratio(middle[0], middle[1], 0.180625 - q * q);
    const double r = sqrt(-log(q <= 0 ? p : 1 - p));
    const double z = r <= 5 ? ratio(tail[0], tail[1], r - 1.6) : ratio(far[0], far[1], r - 5);
    return q < 0 ? -z : z;
}

/* ---- traces ----
   Traces of one quantity made ready: one sorting serves ranks, quantiles, medians and the distances from
   them. */

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
