/* SPDX-License-Identifier: MIT
   Covariances of windows: how they are estimated, and their geometry. */
#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/gemm.h"
#include "kernels/spd.h"
#include "sequence/covariance/covariance.h"

/* ---- covariances of windows: products with themselves, and their shrinkage ---- */

enum { BAND = 16 };

void kl_sequence_unpack(double *square, const double *triangle, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            square[i * n + j] = square[j * n + i] = triangle[KL_SPD_TRIANGLE(i) + j];
}
static void pack(double *triangle, const double *square, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) triangle[KL_SPD_TRIANGLE(i) + j] = square[i * n + j];
}
/* The lower triangle (and a little more) of c (n, n) = a b, a by its strides as in kernels/gemm.h, b (k,
   n). */
static void half_product(double *c, const double *a, size_t am, size_t ak, const double *b, size_t n,
                         size_t k)
{
    for (size_t from = 0; from < n; from += BAND) {
        const size_t to = from + BAND < n ? from + BAND : n;
        kl_kernel_gemm_f64()(c + from * n, n, a + from * am, am, ak, b, n, to - from, to, k, 0);
    }
}

/* Of C channels: c = (1 - s) c + s m 1, m the mean of the diagonal. */
static void shrink(double *c, size_t channels, size_t steps)
{
    const double p = (double)channels, t = (double)steps;
    double trace = 0, squares = 0;
    for (size_t i = 0; i < channels; i++) {
        trace += c[KL_SPD_TRIANGLE(i) + i];
        for (size_t j = 0; j <= i; j++) {
            const double x = c[KL_SPD_TRIANGLE(i) + j];
            squares += (i == j ? 1 : 2) * x * x;
        }
    }
    const double mean = trace / p, alpha = squares / (p * p), more = alpha + mean * mean,
                 all = (t + 1) * (alpha - mean * mean / p), by = all == 0 ? 1 : fmin(1, more / all);
    for (size_t i = 0; i < KL_SPD_TRIANGLE(channels); i++) c[i] *= 1 - by;
    for (size_t i = 0; i < channels; i++) c[KL_SPD_TRIANGLE(i) + i] += by * mean;
}

struct estimation {
    double *c;
    const struct kl_sequence_window_source *source;
    const int64_t *rows;
    enum kl_sequence_estimator estimator;
    const double *align;
    double *work; /* (threads, room) */
    size_t room;
    struct kl_error *errors; /* (threads) */
    size_t *failed;          /* (threads): the first window with its error */
};

/* x (T, C): the window, time outermost, less its mean over time unless it is to be a moment. False: a
   value is not finite. */
static bool centre(double *x, const float *single, const double *twice, size_t channels, size_t steps,
                   bool less_mean)
{
    bool finite = true;
    for (size_t c = 0; c < channels; c++) {
        double mean = 0;
        for (size_t t = 0; t < steps; t++) mean += single ? single[c * steps + t] : twice[c * steps + t];
        finite = finite && isfinite(mean);
        mean = less_mean ? mean / (double)steps : 0;
        for (size_t t = 0; t < steps; t++)
            x[t * channels + c] = (single ? (double)single[c * steps + t] : twice[c * steps + t]) - mean;
    }
    return finite;
}

static int estimate(double *c, const struct estimation *job, size_t row, double *work,
                    struct kl_error *err)
{
    const size_t channels = job->source->channels, steps = job->source->steps,
                 square = channels * channels;
    double *const x = work, *const product = x + steps * channels, *const other = product + square;
    const float *const single =
        job->source->single ? job->source->single(job->source->context, row, err) : NULL;
    const double *const twice =
        job->source->single ? NULL : job->source->twice(job->source->context, row, err);
    if (!single && !twice) return err->code ? err->code : KL_EIO;
    if (!centre(x, single, twice, channels, steps, job->estimator != KL_SEQUENCE_MOMENT))
        return kl_fail(err, KL_EDATA, "window %zu: a value is not finite", row);
    half_product(product, x, 1, channels, x, channels, steps);
    if (job->align) {
        for (size_t i = 0; i < channels; i++)
            for (size_t j = 0; j < i; j++) product[j * channels + i] = product[i * channels + j];
        kl_kernel_gemm_f64()(other, channels, job->align, channels, 1, product, channels, channels,
                             channels, channels, 0);
        half_product(product, other, channels, 1, job->align, channels, channels);
    }
    pack(c, product, channels);
    for (size_t i = 0; i < KL_SPD_TRIANGLE(channels); i++) c[i] /= (double)steps;
    if (job->estimator == KL_SEQUENCE_OAS) shrink(c, channels, steps);
    return KL_OK;
}

static void estimate_one(void *context, size_t i, int thread)
{
    struct estimation *job = context;
    struct kl_error err = { 0 };
    const size_t size = KL_SPD_TRIANGLE(job->source->channels),
                 row = job->rows ? (size_t)job->rows[i] : i;
    if (!estimate(job->c + i * size, job, row, job->work + (size_t)thread * job->room, &err)) return;
    if (i < job->failed[thread]) job->failed[thread] = i, job->errors[thread] = err;
}

/* Of several threads, each with the number of the first item that failed (SIZE_MAX: none). */
static int first_error(const struct kl_error *errors, const size_t *failed, size_t threads,
                       struct kl_error *err)
{
    size_t first = 0;
    for (size_t t = 1; t < threads; t++)
        if (failed[t] < failed[first]) first = t;
    if (failed[first] == SIZE_MAX) return KL_OK;
    if (err) *err = errors[first];
    return errors[first].code;
}

int kl_sequence_covariances(double *c, const struct kl_sequence_window_source *source,
                            const int64_t *rows, size_t n, enum kl_sequence_estimator estimator,
                            const double *align, struct kl_pool *pool, struct kl_error *err)
{
    const size_t threads = pool ? (size_t)kl_pool_size(pool) : 1, channels = source->channels;
    struct kl_arena arena;
    struct estimation job = { c, source, rows, estimator, align, .room = 0 };
    job.room = (channels * source->steps + 2 * channels * channels + 15) / 8 * 8;
    int code = kl_arena_init(&arena, threads * (job.room * 8 + sizeof(struct kl_error) + 8) + 256, err);
    if (code) return code;
    job.work = kl_arena_take(&arena, threads * job.room, sizeof *job.work);
    job.errors = kl_arena_take(&arena, threads, sizeof *job.errors);
    job.failed = kl_arena_take(&arena, threads, sizeof *job.failed);
    if (!job.work || !job.errors || !job.failed) code = kl_fail_memory(err, threads * job.room * 8);
    else {
        for (size_t t = 0; t < threads; t++) job.failed[t] = SIZE_MAX;
        kl_pool_for(pool, n, estimate_one, &job);
        code = first_error(job.errors, job.failed, threads, err);
    }
    kl_arena_free(&arena);
    return code;
}

void kl_sequence_mean_of(double *mean, const double *c, const int64_t *rows, size_t n, size_t channels)
{
    const size_t size = KL_SPD_TRIANGLE(channels);
    memset(mean, 0, channels * channels * sizeof *mean);
    for (size_t r = 0; r < n; r++) {
        const double *const one = c + (rows ? (size_t)rows[r] : r) * size;
        for (size_t i = 0; i < channels; i++)
            for (size_t j = 0; j <= i; j++) mean[i * channels + j] += one[KL_SPD_TRIANGLE(i) + j];
    }
    for (size_t i = 0; i < channels; i++)
        for (size_t j = 0; j <= i; j++) mean[j * channels + i] = mean[i * channels + j] /= (double)n;
}

/* ---- riemann ----
   The geometry of covariances: logarithms of many side by side, means, distances, tangent vectors. */

enum { LANES = KL_SPD_LANES };
/* Takes the logarithms of a group: lane l of a (triangle, LANES) is that of matrix first + l. */
struct job;
typedef void (*take_fn)(struct job *job, const double *a, size_t first, size_t lanes);
struct job {
    const double *c, *w;
    const int64_t *rows;
    size_t n, channels, size; /* size: of a triangle */
    double *out;
    size_t stride;
    take_fn take;
    double *work; /* (threads, room) */
    size_t room, *failed;
};

static void logarithms_of(void *context, size_t group, int thread)
{
    struct job *job = context;
    const size_t n = job->channels, first = group * LANES,
                 lanes = job->n - first < LANES ? job->n - first : LANES;
    double *const a = job->work + (size_t)thread * job->room, *const space = a + job->size * LANES,
                  *const square = space + KL_SPD_WORK(n), *const other = square + n * n;
    for (size_t l = 0; l < LANES; l++) {
        const size_t i = first + (l < lanes ? l : 0);
        const double *const c = job->c + (job->rows ? (size_t)job->rows[i] : i) * job->size;
        if (!job->w) {
            for (size_t t = 0; t < job->size; t++) a[t * LANES + l] = c[t];
            continue;
        }
        if (l < lanes) {
            kl_sequence_unpack(square, c, n);
            kl_kernel_gemm_f64()(other, n, job->w, n, 1, square, n, n, n, n, 0);
            half_product(square, other, n, 1, job->w, n, n);
        }
        for (size_t i2 = 0, t = 0; i2 < n; i2++)
            for (size_t j = 0; j <= i2; j++, t++) a[t * LANES + l] = square[i2 * n + j];
    }
    kl_kernel_spd_log_f64()(a, n, kl_spd_rules(), space);
    for (size_t l = 0; l < lanes; l++)
        if (!isfinite(a[l]) && first + l < job->failed[thread]) job->failed[thread] = first + l;
    job->take(job, a, first, lanes);
}

static int run(struct job *job, struct kl_pool *pool, struct kl_error *err)
{
    const size_t threads = pool ? (size_t)kl_pool_size(pool) : 1, n = job->channels;
    struct kl_arena arena;
    job->size = KL_SPD_TRIANGLE(n);
    job->room = (job->size * LANES + KL_SPD_WORK(n) + 2 * n * n + 7) / 8 * 8;
    int code = kl_arena_init(&arena, threads * (job->room + 1) * 8 + 192, err);
    if (code) return code;
    job->work = kl_arena_take(&arena, threads * job->room, sizeof *job->work);
    job->failed = kl_arena_take(&arena, threads, sizeof *job->failed);
    if (!job->work || !job->failed) code = kl_fail_memory(err, threads * job->room * 8);
    else {
        size_t first = SIZE_MAX;
        for (size_t t = 0; t < threads; t++) job->failed[t] = SIZE_MAX;
        kl_pool_for(pool, (job->n + LANES - 1) / LANES, logarithms_of, job);
        for (size_t t = 0; t < threads; t++) first = job->failed[t] < first ? job->failed[t] : first;
        if (first < SIZE_MAX)
            code = kl_fail(
                err, KL_EDATA,
                "covariance %zu is singular or nearly so (eigenvalues further apart than 10^10); is a "
                "channel a sum of others? The estimator oas, which shrinks, would do",
                job->rows ? (size_t)job->rows[first] : first);
    }
    kl_arena_free(&arena);
    return code;
}

/* Upper triangle by rows, which is the lower one by columns. */
static void take_vectors(struct job *job, const double *a, size_t first, size_t lanes)
{
    for (size_t l = 0; l < lanes; l++) {
        double *const x = job->out + (first + l) * job->size;
        for (size_t i = 0; i < job->channels; i++) {
            for (size_t j = 0; j <= i; j++) {
                const size_t place = j * job->channels - KL_SPD_TRIANGLE(j) + i;
                x[place] = a[(KL_SPD_TRIANGLE(i) + j) * LANES + l] * (i == j ? 1 : M_SQRT2);
            }
        }
    }
}
static void take_norms(struct job *job, const double *a, size_t first, size_t lanes)
{
    for (size_t l = 0; l < lanes; l++) {
        double squares = 0;
        for (size_t i = 0; i < job->channels; i++)
            for (size_t j = 0; j <= i; j++) {
                const double x = a[(KL_SPD_TRIANGLE(i) + j) * LANES + l];
                squares += (i == j ? 1 : 2) * x * x;
            }
        job->out[(first + l) * job->stride] = sqrt(squares);
    }
}
/* A group's sum; groups are added in their order afterwards. */
static void take_sums(struct job *job, const double *a, size_t first, size_t lanes)
{
    double *const sum = job->out + first / LANES * job->size;
    for (size_t t = 0; t < job->size; t++) {
        sum[t] = a[t * LANES];
        for (size_t l = 1; l < lanes; l++) sum[t] += a[t * LANES + l];
    }
}

int kl_sequence_tangent(double *x, const double *c, const int64_t *rows, size_t n, size_t channels,
                        const double *inverse_root, struct kl_pool *pool, struct kl_error *err)
{
    struct job job = { c, inverse_root, rows, n, channels, .out = x, .take = take_vectors };
    return run(&job, pool, err);
}

int kl_sequence_distances(double *distance, size_t stride, const double *c, const int64_t *rows,
                          size_t n, size_t channels, const double *inverse_root, struct kl_pool *pool,
                          struct kl_error *err)
{
    struct job job = {
        c, inverse_root, rows, n, channels, .out = distance, .stride = stride, .take = take_norms
    };
    return run(&job, pool, err);
}

/* mean (C, C) of the logarithms whose groups' sums stand in sums; returns its norm. */
static double mean_logarithm(double *mean, const double *sums, size_t n, size_t channels)
{
    const size_t size = KL_SPD_TRIANGLE(channels);
    double squares = 0;
    for (size_t i = 0; i < channels; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = 0;
            for (size_t g = 0; g < (n + LANES - 1) / LANES; g++)
                sum += sums[g * size + KL_SPD_TRIANGLE(i) + j];
            mean[i * channels + j] = mean[j * channels + i] = sum /= (double)n;
            squares += (i == j ? 1 : 2) * sum * sum;
        }
    return sqrt(squares);
}

/* m = root exp(share j) root. */
static int move(double *m, double *j, double share, const double *root, double *room, size_t n,
                struct kl_error *err)
{
    for (size_t i = 0; i < n * n; i++) j[i] *= share;
    const int code = kl_sequence_exponential(room, j, n, err);
    if (code) return code;
    kl_kernel_gemm_f64()(j, n, root, n, 1, room, n, n, n, n, 0);
    half_product(m, j, n, 1, root, n, n);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++) m[k * n + i] = m[i * n + k];
    return KL_OK;
}

int kl_sequence_riemann_mean(double *mean, const double *c, const int64_t *rows, size_t n,
                             size_t channels, const struct kl_sequence_mean_options *o, int *steps,
                             struct kl_pool *pool, struct kl_error *err)
{
    const size_t square = channels * channels, size = KL_SPD_TRIANGLE(channels),
                 bytes = (4 * square + (n + LANES - 1) / LANES * size) * sizeof(double);
    double *const root = malloc(bytes), tolerance = o->tolerance * sqrt((double)channels), share = 1,
                  before = DBL_MAX, norm = DBL_MAX;
    if (!root) return kl_fail_memory(err, bytes);
    double *const inverse = root + square, *const j = inverse + square, *const room = j + square,
                  *const sums = room + square;
    struct job job = { c, inverse, rows, n, channels, .out = sums, .take = take_sums };
    int code = KL_OK, step = 0;
    kl_sequence_mean_of(mean, c, rows, n, channels);
    for (; step < o->most && norm > tolerance && !code; step++) {
        code = kl_sequence_roots(root, inverse, mean, channels, err);
        if (!code) code = run(&job, pool, err);
        if (code) break;
        norm = mean_logarithm(j, sums, n, channels);
        /* Near the end rounding decides: it has fallen as far as it can. */
        if (norm >= before && norm < 1e-8) break;
        if (norm >= before) share /= 2;
        before = norm;
        code = move(mean, j, share, root, room, channels, err);
    }
    if (!code && step == o->most && norm > tolerance)
        code = kl_fail(err, KL_EDATA,
                       "the Riemannian mean of %zu covariances: not found in %d steps (gradient %.3g, "
                       "expected %.3g); are they nearly singular?",
                       n, step, norm, tolerance);
    if (steps) *steps = step;
    free(root);
    return code;
}
