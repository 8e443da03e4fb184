/* SPDX-License-Identifier: MIT
   Covariances of windows: products with themselves, and their shrinkage. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/gemm.h"
#include "kernels/spd.h"
#include "sequence/covariance/covariance.h"
#include "sequence/covariance/covariance_int.h"

enum { BAND = 16 };

void kl_sequence_unpack(double *square, const double *triangle, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            square[i * n + j] = square[j * n + i] = triangle[KL_SPD_TRIANGLE(i) + j];
}
void kl_sequence_pack(double *triangle, const double *square, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) triangle[KL_SPD_TRIANGLE(i) + j] = square[i * n + j];
}
void kl_sequence_half_product(double *c, const double *a, size_t am, size_t ak, const double *b,
                              size_t n, size_t k)
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

struct job {
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

static int estimate(double *c, const struct job *job, size_t row, double *work, struct kl_error *err)
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
    kl_sequence_half_product(product, x, 1, channels, x, channels, steps);
    if (job->align) {
        for (size_t i = 0; i < channels; i++)
            for (size_t j = 0; j < i; j++) product[j * channels + i] = product[i * channels + j];
        kl_kernel_gemm_f64()(other, channels, job->align, channels, 1, product, channels, channels,
                             channels, channels, 0);
        kl_sequence_half_product(product, other, channels, 1, job->align, channels, channels);
    }
    kl_sequence_pack(c, product, channels);
    for (size_t i = 0; i < KL_SPD_TRIANGLE(channels); i++) c[i] /= (double)steps;
    if (job->estimator == KL_SEQUENCE_OAS) shrink(c, channels, steps);
    return KL_OK;
}

static void estimate_one(void *context, size_t i, int thread)
{
    struct job *job = context;
    struct kl_error err = { 0 };
    const size_t size = KL_SPD_TRIANGLE(job->source->channels),
                 row = job->rows ? (size_t)job->rows[i] : i;
    if (!estimate(job->c + i * size, job, row, job->work + (size_t)thread * job->room, &err)) return;
    if (i < job->failed[thread]) job->failed[thread] = i, job->errors[thread] = err;
}

int kl_sequence_first_error(const struct kl_error *errors, const size_t *failed, size_t threads,
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
    struct job job = { c, source, rows, estimator, align, .room = 0 };
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
        code = kl_sequence_first_error(job.errors, job.failed, threads, err);
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
