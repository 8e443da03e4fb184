/* SPDX-License-Identifier: MIT
   The randomisation test of paired differences: all signs, or many of them. */
#include <math.h>
#include <stdlib.h>

#include "kernels/inline/philox.h"
#include "stats/ranks.h"
#include "stats/tests.h"

/* All sums of signs times n sizes: 2^n of them, rising. */
static void all_sums(double *sums, const double *size, size_t n)
{
    size_t count = 1;
    sums[0] = 0;
    for (size_t i = 0; i < n; i++, count *= 2)
        for (size_t k = 0; k < count; k++) {
            sums[count + k] = sums[k] + size[i];
            sums[k] -= size[i];
        }
    kl_stats_sort(sums, count);
}

/* The share of all signs whose sum is at least `least`: pairs of a sum of one half, rising, and one of
   the other, falling. */
static double share_above(const double *first, size_t n_first, const double *second, size_t n_second,
                          double least)
{
    double count = 0;
    size_t from = n_second;
    for (size_t i = 0; i < n_first; i++) {
        while (from > 0 && first[i] + second[from - 1] >= least) from--;
        count += (double)(n_second - from);
    }
    return count / ((double)n_first * (double)n_second);
}

static int exact(struct kl_tested *t, const double *d, size_t n, double rounding, struct kl_error *err)
{
    const size_t half = n / 2, n_first = (size_t)1 << half, n_second = (size_t)1 << (n - half);
    double *const first = malloc((n_first + n_second) * sizeof *first);
    if (!first) return kl_fail_memory(err, (n_first + n_second) * sizeof *first);
    double *const second = first + n_first;
    all_sums(first, d, half);
    all_sums(second, d + half, n - half);
    t->greater = share_above(first, n_first, second, n_second, t->statistic - rounding);
    /* The law is symmetric. */
    t->less = share_above(first, n_first, second, n_second, -t->statistic - rounding);
    t->both = fabs(t->statistic) <= rounding
                  ? 1
                  : 2 * share_above(first, n_first, second, n_second, fabs(t->statistic) - rounding);
    t->exact = true;
    free(first);
    return KL_OK;
}

static void drawn(struct kl_tested *t, const double *d, size_t n, double rounding, size_t draws,
                  uint64_t seed, uint32_t purpose)
{
    size_t above = 0, below = 0, far = 0;
    for (size_t k = 0; k < draws; k++) {
        uint32_t word[4] = { 0 };
        double sum = 0;
        for (size_t i = 0; i < n; i++) {
            if (i % 128 == 0) kl_philox(word, seed, (uint32_t)(i / 128), purpose, (uint32_t)k, 0);
            sum += word[i % 128 / 32] >> (i % 32) & 1 ? d[i] : -d[i];
        }
        above += sum >= t->statistic - rounding;
        below += sum <= t->statistic + rounding;
        far += fabs(sum) >= fabs(t->statistic) - rounding;
    }
    const double all = 1 + (double)draws;
    t->greater = (1 + (double)above) / all;
    t->less = (1 + (double)below) / all;
    t->both = (1 + (double)far) / all;
    t->error = sqrt(t->both * (1 - t->both) / all);
}

int kl_stats_sign_flip(struct kl_tested *t, const double *d, size_t n, size_t draws, uint64_t seed,
                       uint32_t purpose, struct kl_error *err)
{
    double sizes = 0;
    *t = (struct kl_tested){ .both = NAN, .greater = NAN, .less = NAN, .n = n };
    if (!n) return KL_OK;
    for (size_t i = 0; i < n; i++) {
        t->statistic += d[i];
        sizes += fabs(d[i]);
    }
    if (n <= KL_SIGN_FLIP_EXACT) return exact(t, d, n, 1e-12 * sizes, err);
    drawn(t, d, n, 1e-12 * sizes, draws, seed, purpose);
    return KL_OK;
}
