/* SPDX-License-Identifier: MIT
   Linear maps of the channels of windows: common spatial patterns, Euclidean alignment. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/gemm.h"
#include "kernels/spd.h"
#include "sequence/covariance/covariance.h"

/* ---- common spatial patterns: filters whose variance differs most between classes ---- */

struct found {
    double distance;
    size_t i;
};
static int by_distance(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    if (x->distance != y->distance) return x->distance > y->distance ? -1 : 1;
    return x->i < y->i ? -1 : 1;
}

/* The m filters that tell `one` from the rest, whose sum is `all`. */
static int filters_of(double *filters, size_t m, const double *one, const double *all, size_t channels,
                      struct kl_error *err)
{
    const size_t bytes =
        (channels * channels + channels) * sizeof(double) + channels * sizeof(struct found);
    double *const vectors = malloc(bytes);
    if (!vectors) return kl_fail_memory(err, bytes);
    double *const values = vectors + channels * channels;
    struct found *const found = (struct found *)(values + channels);
    const int code = kl_sequence_eigen(values, vectors, one, all, channels, err);
    if (!code) {
        for (size_t i = 0; i < channels; i++) found[i] = (struct found){ fabs(values[i] - 0.5), i };
        qsort(found, channels, sizeof *found, by_distance);
        for (size_t k = 0; k < m; k++)
            memcpy(filters + k * channels, vectors + found[k].i * channels, channels * sizeof *filters);
    }
    free(vectors);
    return code;
}

/* Mean covariance of class k; KL_EDATA: it has no window. */
static int class_mean(double *mean, int64_t *chosen, int k, const double *c, const int64_t *rows,
                      const int32_t *labels, size_t n, size_t channels, struct kl_error *err)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (labels[i] == k) chosen[count++] = rows ? rows[i] : (int64_t)i;
    if (!count) return kl_fail(err, KL_EDATA, "class %d has no window to fit spatial patterns on", k);
    kl_sequence_mean_of(mean, c, chosen, count, channels);
    return KL_OK;
}

/* The sum of the classes' means has power in every direction, or rounding chooses the filters. */
static int check_rank(const double *means, double *sum, size_t channels, size_t classes,
                      struct kl_error *err)
{
    const size_t square = channels * channels, bytes = (square + channels) * sizeof(double);
    double *const vectors = malloc(bytes);
    if (!vectors) return kl_fail_memory(err, bytes);
    double *const values = vectors + square;
    memset(sum, 0, square * sizeof *sum);
    for (size_t k = 0; k < classes; k++)
        for (size_t i = 0; i < square; i++) sum[i] += means[k * square + i];
    int code = kl_sequence_eigen(values, vectors, sum, NULL, channels, err);
    if (!code && !(values[0] > 1e-10 * values[channels - 1]))
        code = kl_fail(err, KL_EDATA,
                       "the mean covariance is singular or nearly so (eigenvalues %.3g to %.3g, further "
                       "apart than 10^10); is a channel a sum of others? The estimator oas, which "
                       "shrinks, would do",
                       values[0], values[channels - 1]);
    free(vectors);
    return code;
}

int kl_sequence_csp(double *filters, size_t m, const double *c, const int64_t *rows,
                    const int32_t *labels, size_t n, size_t channels, int classes, struct kl_error *err)
{
    const size_t square = channels * channels, k_all = (size_t)classes,
                 bytes = (k_all + 1) * square * sizeof(double) + n * sizeof(int64_t);
    if (classes < 2)
        return kl_fail(err, KL_EDATA, "the windows have %d class, expected at least 2", classes);
    if (m < 1 || (classes == 2 ? m : (m + k_all - 1) / k_all) > channels)
        return kl_fail(err, KL_EDATA, "--filters: found %zu, %zu channel%s and %d classes have 1 to %zu",
                       m, channels, kl_s(channels), classes, classes == 2 ? channels : channels * k_all);
    double *const means = malloc(bytes);
    if (!means) return kl_fail_memory(err, bytes);
    double *const all = means + k_all * square;
    int64_t *const chosen = (int64_t *)(all + square);
    int code = KL_OK;
    for (int k = 0; k < classes && !code; k++)
        code = class_mean(means + (size_t)k * square, chosen, k, c, rows, labels, n, channels, err);
    if (!code) code = check_rank(means, all, channels, k_all, err);
    size_t done = 0;
    for (size_t k = classes == 2 ? 1 : 0; k < k_all && !code; k++) {
        const size_t mine = classes == 2 ? m : m / k_all + (k < m % k_all);
        for (size_t i = 0; i < square; i++) {
            double rest = 0;
            for (size_t other = 0; other < k_all; other++)
                if (other != k) rest += means[other * square + i];
            all[i] = rest / (double)(k_all - 1) + means[k * square + i];
        }
        code = filters_of(filters + done * channels, mine, means + k * square, all, channels, err);
        done += mine;
    }
    free(means);
    return code;
}

void kl_sequence_csp_features(double *x, const double *filters, size_t m, const double *c,
                              const int64_t *rows, size_t n, size_t channels)
{
    for (size_t r = 0; r < n; r++) {
        const double *const one = c + (rows ? (size_t)rows[r] : r) * KL_SPD_TRIANGLE(channels);
        for (size_t k = 0; k < m; k++) {
            const double *const f = filters + k * channels;
            double sum = 0;
            for (size_t i = 0; i < channels; i++) {
                const double *const row = one + KL_SPD_TRIANGLE(i);
                double inner = row[i] * f[i] / 2;
                for (size_t j = 0; j < i; j++) inner += row[j] * f[j];
                sum += 2 * f[i] * inner;
            }
            x[r * m + k] = log(sum);
        }
    }
}

/* ---- euclidean alignment: windows times the inverse root of the mean moment of some of them ---- */

enum { CHUNK = 128 /* windows whose moments are held at once */ };

/* sum (triangle) of the moments of windows rows[0..n), in their order; c (CHUNK, triangle) is room. */
static int add_moments(double *sum, double *c, const struct kl_sequence_window_source *source,
                       const int64_t *rows, size_t n, struct kl_pool *pool, struct kl_error *err)
{
    const size_t size = KL_SPD_TRIANGLE(source->channels);
    int64_t some[CHUNK];
    memset(sum, 0, size * sizeof *sum);
    for (size_t from = 0; from < n; from += CHUNK) {
        const size_t count = n - from < CHUNK ? n - from : CHUNK;
        for (size_t i = 0; i < count; i++) some[i] = rows ? rows[from + i] : (int64_t)(from + i);
        const int code =
            kl_sequence_covariances(c, source, some, count, KL_SEQUENCE_MOMENT, NULL, pool, err);
        if (code) return code;
        for (size_t r = 0; r < count; r++)
            for (size_t i = 0; i < size; i++) sum[i] += c[r * size + i];
    }
    return KL_OK;
}

int kl_sequence_alignment_fit(double *align, size_t *lost,
                              const struct kl_sequence_window_source *source, const int64_t *rows,
                              size_t n, struct kl_pool *pool, struct kl_error *err)
{
    const size_t channels = source->channels, size = KL_SPD_TRIANGLE(channels),
                 held = n < CHUNK ? n : CHUNK,
                 bytes = ((held + 1) * size + channels * channels) * sizeof(double);
    size_t rank = 0;
    if (!n) return kl_fail(err, KL_EDATA, "there is no window to fit an alignment on");
    double *const sum = malloc(bytes);
    if (!sum) return kl_fail_memory(err, bytes);
    double *const mean = sum + size, *const c = mean + channels * channels;
    int code = add_moments(sum, c, source, rows, n, pool, err);
    for (size_t i = 0; i < size; i++) sum[i] /= (double)n;
    kl_sequence_unpack(mean, sum, channels);
    if (!code) code = kl_sequence_inverse_root(align, &rank, mean, channels, err);
    if (lost) *lost = channels - rank;
    free(sum);
    return code;
}

void kl_sequence_alignment_apply(float *y, size_t stride, const float *align, const float *x,
                                 size_t channels, size_t steps)
{
    kl_kernel_gemm_f32()(y, stride, align, channels, 1, x, steps, channels, steps, channels, 0);
}
