/* SPDX-License-Identifier: MIT
   Euclidean alignment: windows times the inverse root of the mean moment of some of them. */
#include <stdlib.h>
#include <string.h>

#include "kernels/gemm.h"
#include "kernels/spd.h"
#include "sequence/covariance/covariance.h"
#include "sequence/covariance/covariance_int.h"

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
