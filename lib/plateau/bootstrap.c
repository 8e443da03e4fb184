/* SPDX-License-Identifier: MIT
   Variances, their bootstrap intervals, and the slope of their logarithm. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/inline/philox.h"
#include "stats/ranks.h"
#include "plateau/plateau_int.h"

void kl_plateau_resample(uint8_t *counts, size_t resample, size_t draws, uint64_t seed)
{
    uint32_t words[4] = { 0 };
    memset(counts, 0, draws);
    for (size_t i = 0; i < draws; i++) {
        if (i % 4 == 0)
            kl_philox(words, seed, (uint32_t)(i / 4), KL_RANDOM_BOOTSTRAP, (uint32_t)resample, 0);
        uint8_t *count = &counts[(uint64_t)words[i % 4] * draws >> 32];
        if (*count < UINT8_MAX) ++*count; /* one draw 255 times: never in the life of the sun */
    }
}

/* Sums over the draws for each parameter; a single parameter in four chains, since memory would be slow.
 */
static void add_up(double *sum, double *squares, const double *gradients, size_t draws,
                   size_t n_gradients, const uint8_t *counts)
{
    double chain[4] = { 0 }, chain2[4] = { 0 };
    memset(sum, 0, n_gradients * sizeof *sum);
    memset(squares, 0, n_gradients * sizeof *squares);
    for (size_t i = 0; n_gradients == 1 && i < draws; i++) {
        const double g = gradients[i], cg = counts ? counts[i] * g : g;
        chain[i % 4] += cg;
        chain2[i % 4] += cg * g;
    }
    for (size_t i = 0; n_gradients > 1 && i < draws; i++) {
        const double count = counts ? counts[i] : 1, *g = gradients + i * n_gradients;
        if (count == 0) continue;
        for (size_t k = 0; k < n_gradients; k++) {
            sum[k] += count * g[k];
            squares[k] += count * g[k] * g[k];
        }
    }
    if (n_gradients > 1) return;
    *sum = (chain[0] + chain[1]) + (chain[2] + chain[3]);
    *squares = (chain2[0] + chain2[1]) + (chain2[2] + chain2[3]);
}

void kl_plateau_moments(double *mean, double *variance, const double *gradients, size_t draws,
                        size_t n_gradients, const uint8_t *counts, double *scratch)
{
    double *sum = scratch, *squares = scratch + n_gradients;
    const double n = (double)draws;
    add_up(sum, squares, gradients, draws, n_gradients, counts);
    *mean = *variance = 0;
    for (size_t k = 0; k < n_gradients; k++) {
        *mean += sum[k] / n;
        *variance += fmax(squares[k] - sum[k] * sum[k] / n, 0) / (n - 1);
    }
    *mean /= (double)n_gradients;
    *variance /= (double)n_gradients;
}

/* Between the two values around it. */
void kl_plateau_interval(double *low, double *high, double *values, size_t n)
{
    size_t known = 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(values[i])) values[known++] = values[i];
    *low = *high = NAN;
    if (!known) return;
    kl_stats_sort(values, known);
    *low = kl_stats_sorted_quantile(values, known, 0.025);
    *high = kl_stats_sorted_quantile(values, known, 0.975);
}

double kl_plateau_slope(const double *variance, size_t stride, const int *qubits, size_t n)
{
    double count = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (size_t i = 0; i < n; i++) {
        if (!(variance[i * stride] > KL_PLATEAU_ROUNDING)) continue;
        const double q = qubits[i], v = log(variance[i * stride]);
        count++, x += q, y += v, xx += q * q, xy += q * v;
    }
    return count < 2 ? NAN : (count * xy - x * y) / (count * xx - x * x);
}
