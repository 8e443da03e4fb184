/* SPDX-License-Identifier: MIT
   All overlapping patterns of m bits, the sequence closed to a ring: the serial test (section 2.11) and
   approximate entropy (2.12). */
#include <stdlib.h>

#include "qrng/nist/nist22_int.h"

/* counts [2^m], malloc'ed; by halve() they become those of m - 1. */
static int count(uint32_t **counts, const uint8_t *bits, size_t n, int m, struct kl_error *err)
{
    const size_t patterns = (size_t)1 << m;
    size_t pattern = 0;
    if (!(*counts = calloc(patterns, sizeof **counts)))
        return kl_fail_memory(err, patterns * sizeof **counts);
    for (size_t i = 0; i < n + (size_t)m - 1; i++) {
        pattern = (pattern << 1 | bits[i % n]) & (patterns - 1);
        if (i + 1 >= (size_t)m) (*counts)[pattern]++;
    }
    return KL_OK;
}

static void halve(uint32_t *counts, int m)
{
    for (size_t i = 0; i < (size_t)1 << (m - 1); i++) counts[i] = counts[2 * i] + counts[2 * i + 1];
}

static double psi_squared(const uint32_t *counts, size_t n, int m)
{
    uint64_t squares = 0; /* exact: at most n^2 */
    if (m == 0) return 0;
    for (size_t i = 0; i < (size_t)1 << m; i++) squares += (uint64_t)counts[i] * counts[i];
    return ldexp((double)squares, m) / (double)n - (double)n;
}

int kl_nist22_serial(struct kl_nist22_value values[2], const uint8_t *bits, size_t n, int m,
                     struct kl_error *err)
{
    uint32_t *counts = NULL;
    double psi[3];
    const int code = count(&counts, bits, n, m, err);
    if (code) return code;
    for (int i = 0; i < 3; i++) {
        psi[i] = psi_squared(counts, n, m - i);
        if (i < 2) halve(counts, m - i);
    }
    free(counts);
    const double first = psi[0] - psi[1], second = psi[0] - 2 * psi[1] + psi[2];
    values[0] = (struct kl_nist22_value){ first, kl_nist22_igamc(exp2(m - 2), first / 2) };
    values[1] = (struct kl_nist22_value){ second, kl_nist22_igamc(exp2(m - 3), second / 2) };
    return KL_OK;
}

static double phi(const uint32_t *counts, size_t n, int m)
{
    double sum = 0;
    for (size_t i = 0; i < (size_t)1 << m; i++)
        if (counts[i]) sum += counts[i] * log(counts[i] / (double)n);
    return sum / (double)n;
}

int kl_nist22_approximate_entropy(struct kl_nist22_value *value, const uint8_t *bits, size_t n, int m,
                                  struct kl_error *err)
{
    uint32_t *counts = NULL;
    const int code = count(&counts, bits, n, m + 1, err);
    if (code) return code;
    const double longer = phi(counts, n, m + 1);
    halve(counts, m + 1);
    const double entropy = phi(counts, n, m) - longer;
    free(counts);
    const double statistic = 2 * (double)n * (M_LN2 - entropy);
    *value = (struct kl_nist22_value){ statistic, kl_nist22_igamc(exp2(m - 1), statistic / 2) };
    return KL_OK;
}
