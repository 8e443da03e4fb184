/* SPDX-License-Identifier: MIT
   Maurer's universal statistic (section 2.9): how long ago each block was seen last. */
#include <stdlib.h>

#include "qrng/nist/nist22_int.h"

/* Section 2.9.4, by bits a block. */
static const double means[17] = { 0,         0.7326495, 1.5374383, 2.4016068, 3.3112247, 4.2534266,
                                  5.2177052, 6.1962507, 7.1836656, 8.1764248, 9.1723243, 10.170032,
                                  11.168765, 12.168070, 13.167693, 14.167488, 15.167379 };
static const double variances[17] = { 0,     0.690, 1.338, 1.901, 2.358, 2.705, 2.954, 3.125, 3.238,
                                      3.311, 3.356, 3.384, 3.401, 3.410, 3.416, 3.419, 3.421 };

int kl_nist22_universal(struct kl_nist22_value *value, const uint8_t *bits, size_t n, int length,
                        size_t warm, struct kl_error *err)
{
    const size_t blocks = n / (size_t)length, tested = blocks - warm, patterns = (size_t)1 << length;
    double sum = 0;
    size_t *seen = calloc(patterns, sizeof *seen); /* from 1; 0: never */
    if (!seen) return kl_fail_memory(err, patterns * sizeof *seen);
    for (size_t i = 0; i < blocks; i++) {
        size_t pattern = 0;
        for (int k = 0; k < length; k++) pattern = pattern << 1 | bits[i * (size_t)length + (size_t)k];
        if (i >= warm) sum += log2((double)(i + 1 - seen[pattern]));
        seen[pattern] = i + 1;
    }
    free(seen);
    const double f = sum / (double)tested, l = length;
    const double c = 0.7 - 0.8 / l + (4 + 32 / l) * pow((double)tested, -3 / l) / 15;
    const double sigma = c * sqrt(variances[length] / (double)tested);
    *value = (struct kl_nist22_value){ f, kl_stats_normal_log10_p((f - means[length]) / sigma) };
    return KL_OK;
}
