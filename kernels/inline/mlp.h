/* SPDX-License-Identifier: MIT
   Layers of a small dense network for a batch of eight samples; see kernels/mlp.h.
   Of eight samples an input bit has one of 256 patterns. So the weights of the inputs with the same
   pattern (of four samples: 2 * 16 patterns) are added first, and a sample's sum is that of the patterns
   it takes part in: two additions an input in place of eight. On the way back the gradient of an input's
   weights is the sum of its pattern.
   The layers are not marked inline: how often each is copied into its callers is left to the compiler.
 */
#ifndef KL_INLINE_MLP_H
#define KL_INLINE_MLP_H

#include <string.h>

#include "kernels/inline/real.h"
#include "kernels/mlp.h"

enum { KL_MLP_HALF = KL_MLP_BATCH / 2, KL_MLP_PATTERNS = 1 << KL_MLP_HALF };

static inline kl_lane *kl_mlp_at(kl_real *p)
{
    return (kl_lane *)p;
}
static inline kl_lane kl_mlp_get(const kl_real *p)
{
    return *(const kl_lane *)p;
}

/* pattern[j]: bit i is input j of sample i. */
static void kl_mlp_transpose_bits(uint8_t *pattern, const struct kl_mlp_batch *batch, size_t n_inputs)
{
    for (size_t j = 0; j < n_inputs; j += 8) {
        uint64_t x = 0, t;
        for (size_t i = 0; i < batch->n; i++)
            x |= (((const uint64_t *)batch->row[i])[j / 64] >> j % 64 & 0xff) << 8 * i;
        t = (x ^ x >> 7) & 0x00aa00aa00aa00aa, x ^= t ^ t << 7;
        t = (x ^ x >> 14) & 0x0000cccc0000cccc, x ^= t ^ t << 14;
        t = (x ^ x >> 28) & 0x00000000f0f0f0f0, x ^= t ^ t << 28;
        memcpy(pattern + j, &x, 8);
    }
}

/* y (batch, width) = biases + the rows of weights whose bits are set. */
static void kl_mlp_sum_patterns(kl_real *restrict y, kl_real *restrict table,
                                const kl_real *restrict weights, const uint8_t *pattern, size_t n_inputs,
                                size_t width)
{
    const kl_real *biases = weights + n_inputs * width;
    memset(table, 0, 2 * KL_MLP_PATTERNS * width * sizeof *table);
    for (size_t j = 0; j < n_inputs; j++) {
        kl_real *low = table + (pattern[j] % KL_MLP_PATTERNS) * width;
        kl_real *high = table + (KL_MLP_PATTERNS + pattern[j] / KL_MLP_PATTERNS) * width;
        for (size_t c = 0; c < width; c += KL_LANES) {
            const kl_lane row = kl_mlp_get(weights + j * width + c);
            *kl_mlp_at(low + c) += row, *kl_mlp_at(high + c) += row;
        }
    }
    for (size_t i = 0; i < KL_MLP_BATCH; i++)
        for (size_t c = 0; c < width; c += KL_LANES) {
            const kl_real *sums = table + i / KL_MLP_HALF * KL_MLP_PATTERNS * width + c;
            kl_lane sum = kl_mlp_get(biases + c);
            for (size_t p = 0; p < KL_MLP_PATTERNS; p++)
                if (p >> i % KL_MLP_HALF & 1) sum += kl_mlp_get(sums + p * width);
            *kl_mlp_at(y + i * width + c) = sum;
        }
}

/* grad (n_inputs, width), then that of the biases (width), from d (batch, width). */
static void kl_mlp_spread_patterns(kl_real *restrict grad, kl_real *restrict table,
                                   const kl_real *restrict d, const uint8_t *pattern, size_t n_inputs,
                                   size_t width)
{
    for (size_t half = 0; half < 2; half++) {
        kl_real *sums = table + half * KL_MLP_PATTERNS * width;
        memset(sums, 0, width * sizeof *sums);
        for (size_t p = 1; p < KL_MLP_PATTERNS; p++) {
            const kl_real *rest = sums + (p & (p - 1)) * width;
            const kl_real *one = d + (half * KL_MLP_HALF + (size_t)__builtin_ctzll(p)) * width;
            for (size_t c = 0; c < width; c += KL_LANES)
                *kl_mlp_at(sums + p * width + c) = kl_mlp_get(rest + c) + kl_mlp_get(one + c);
        }
    }
    for (size_t j = 0; j <= n_inputs; j++) {
        const uint8_t own = j < n_inputs ? pattern[j] : 0xff;
        const kl_real *low = table + (own % KL_MLP_PATTERNS) * width;
        const kl_real *high = table + (KL_MLP_PATTERNS + own / KL_MLP_PATTERNS) * width;
        for (size_t c = 0; c < width; c += KL_LANES)
            *kl_mlp_at(grad + j * width + c) = kl_mlp_get(low + c) + kl_mlp_get(high + c);
    }
}

/* m <= KL_MLP_BATCH rows of out (m, width) = start (width; NULL: 0) + a(i, k) b (n, width), with a(i, k)
 * = a[i by_row + k * by_sum]. */
static inline __attribute__((always_inline)) void
kl_mlp_products(kl_real *restrict out, const kl_real *start, const kl_real *restrict a, size_t by_row,
                size_t by_sum, const kl_real *restrict b, size_t n, size_t width, const int m)
{
    for (size_t c = 0; c < width; c += KL_LANES) {
        kl_lane sum[KL_MLP_BATCH];
        for (int i = 0; i < m; i++) sum[i] = start ? kl_mlp_get(start + c) : (kl_lane){ 0 };
        for (size_t k = 0; k < n; k++) {
            const kl_lane row = kl_mlp_get(b + k * width + c);
            for (int i = 0; i < m; i++) sum[i] += a[(size_t)i * by_row + k * by_sum] * row;
        }
        for (int i = 0; i < m; i++) *kl_mlp_at(out + (size_t)i * width + c) = sum[i];
    }
}

/* y (batch, outputs) = x (batch, inputs) W + b */
static void kl_mlp_dense(kl_real *y, const kl_real *x, const kl_real *weights, int inputs, int outputs)
{
    const size_t width = kl_mlp_width(outputs), n = (size_t)inputs;
    kl_mlp_products(y, weights + n * width, x, kl_mlp_width(inputs), 1, weights, n, width, KL_MLP_BATCH);
}

/* grad = x^T d, and of the biases the sum of d. */
static void kl_mlp_dense_weights(kl_real *grad, const kl_real *x, const kl_real *d, int inputs,
                                 int outputs)
{
    static const kl_real one = 1;
    const size_t width = kl_mlp_width(outputs), n = (size_t)inputs, across = kl_mlp_width(inputs);
    size_t k = 0;
    for (; k + KL_MLP_BATCH <= n; k += KL_MLP_BATCH)
        kl_mlp_products(grad + k * width, NULL, x + k, 1, across, d, KL_MLP_BATCH, width, KL_MLP_BATCH);
    for (; k < n; k++)
        kl_mlp_products(grad + k * width, NULL, x + k, 1, across, d, KL_MLP_BATCH, width, 1);
    kl_mlp_products(grad + n * width, NULL, &one, 0, 0, d, KL_MLP_BATCH, width, 1);
}

/* dx (batch, inputs) = d W^T */
static void kl_mlp_dense_inputs(kl_real *restrict dx, kl_real *restrict turned,
                                const kl_real *restrict d, const kl_real *restrict weights, int inputs,
                                int outputs)
{
    const size_t width = kl_mlp_width(outputs), across = kl_mlp_width(inputs);
    for (size_t j = 0; j < (size_t)outputs; j++) {
        for (size_t k = 0; k < (size_t)inputs; k++) turned[j * across + k] = weights[k * width + j];
        for (size_t k = (size_t)inputs; k < across; k++) turned[j * across + k] = 0;
    }
    kl_mlp_products(dx, NULL, d, width, 1, turned, (size_t)outputs, across, KL_MLP_BATCH);
}

#endif
