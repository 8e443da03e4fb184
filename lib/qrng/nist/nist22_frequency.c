/* SPDX-License-Identifier: MIT
   How many ones: in all (section 2.1), in blocks (2.2), and how far their sum strays (2.13). */
#include <stdlib.h>

#include "qrng/nist/nist22_int.h"

static size_t ones(const uint8_t *bits, size_t n)
{
    size_t sum = 0;
    for (size_t i = 0; i < n; i++) sum += bits[i];
    return sum;
}

struct kl_nist22_value kl_nist22_frequency(const uint8_t *bits, size_t n)
{
    const double sum = 2 * (double)ones(bits, n) - (double)n, s = fabs(sum) / sqrt((double)n);
    return (struct kl_nist22_value){ s, kl_stats_normal_log10_p(s) };
}

struct kl_nist22_value kl_nist22_block_frequency(const uint8_t *bits, size_t n, size_t block)
{
    const size_t blocks = n / block;
    double sum = 0;
    for (size_t i = 0; i < blocks; i++) {
        const double off = (double)ones(bits + i * block, block) / (double)block - 0.5;
        sum += off * off;
    }
    const double statistic = 4 * (double)block * sum;
    return (struct kl_nist22_value){ statistic, kl_nist22_igamc((double)blocks / 2, statistic / 2) };
}

static double upper(double z)
{
    return 0.5 * erfc(z * M_SQRT1_2);
}

/* Probability that the walk of n steps reaches z: the two sums of section 2.13.5, their bounds cut
   towards zero as its example has them. Differences are those of upper tails, which keep their digits.
 */
static double reached(size_t n, size_t z)
{
    const double ratio = (double)n / (double)z, u = (double)z / sqrt((double)n);
    double p = 2 * upper(u);
    for (long k = 1; k <= (long)((ratio - 1) / 4); k++)
        p -= 2 * (upper((double)(4 * k - 1) * u) - upper((double)(4 * k + 1) * u));
    for (long k = 0; k <= (long)((ratio - 1) / 4); k++)
        p += upper((double)(4 * k + 1) * u) - upper((double)(4 * k + 3) * u);
    for (long k = 0; k < (long)((ratio + 3) / 4); k++)
        p += upper((double)(4 * k + 1) * u) - upper((double)(4 * k + 3) * u);
    return fmin(1, p);
}

struct kl_nist22_value kl_nist22_cumulative_sums(const uint8_t *bits, size_t n, bool backward)
{
    const double far = 6; /* standard deviations, from where on all terms but the first are rounding */
    long sum = 0, most = 0;
    for (size_t i = 0; i < n; i++) {
        sum += bits[backward ? n - 1 - i : i] ? 1 : -1;
        if (labs(sum) > most) most = labs(sum);
    }
    const double u = (double)most / sqrt((double)n);
    const double log10_p =
        u > far ? log10(4) + kl_stats_normal_log10_upper(u) : log10(reached(n, (size_t)most));
    return (struct kl_nist22_value){ (double)most, log10_p };
}
