/* SPDX-License-Identifier: MIT
   Maurer's statistic of blocks of six bits, solved for the probability of the likeliest block. */
#include <float.h>
#include <stdlib.h>

#include "qrng/nist/nist90b_int.h"

enum { LENGTH = 6, BLOCKS = 1 << LENGTH };

/* What one block of probability z adds to the mean: the distances of blocks warm + 1 .. n (section
   6.3.4, step 7). logs [n + 1]. */
static double expected(double z, const double *logs, size_t n, size_t warm)
{
    double all = 0, shorter = 0, rest = 1; /* rest: (1 - z)^(t - 1) */
    for (size_t t = 1; t <= n; t++) {
        if (t > warm) all += shorter + logs[t] * z * rest;
        shorter += logs[t] * z * z * rest;
        rest *= 1 - z;
        if (rest > DBL_MIN) continue;
        all += shorter * (double)(n - (t > warm ? t : warm)); /* nothing more is added to shorter */
        break;
    }
    return all / (double)(n - warm);
}

static double solve(double mean, const double *logs, size_t n, size_t warm)
{
    double low = 1. / BLOCKS, high = 1;
    for (int step = 0; step < 60; step++) {
        const double p = (low + high) / 2, q = (1 - p) / (BLOCKS - 1);
        const double found = expected(p, logs, n, warm) + (BLOCKS - 1) * expected(q, logs, n, warm);
        if (found > mean) low = p;
        else high = p;
    }
    return (low + high) / 2;
}

int kl_nist90b_compression(double *h, const struct kl_symbols *bits, size_t warm, struct kl_error *err)
{
    const double c = 0.5907;
    const size_t n = bits->n / LENGTH;
    size_t seen[BLOCKS] = { 0 };
    double sum = 0, squares = 0;
    *h = NAN;
    if (n < warm + 2) return KL_OK;
    double *logs = malloc((n + 1) * sizeof *logs);
    if (!logs) return kl_fail_memory(err, (n + 1) * sizeof *logs);
    logs[0] = 0;
    for (size_t i = 1; i <= n; i++) {
        size_t block = 0;
        for (size_t j = 0; j < LENGTH; j++) block = block << 1 | bits->s[(i - 1) * LENGTH + j];
        logs[i] = log2((double)i);
        if (i > warm) {
            const double log = logs[i - seen[block]];
            sum += log;
            squares += log * log;
        }
        seen[block] = i;
    }
    const double v = (double)(n - warm), mean = sum / v;
    const double deviation = c * sqrt(fmax(0, squares / (v - 1) - mean * mean));
    const double p = solve(mean - KL_NIST90B_Z * deviation / sqrt(v), logs, n, warm);
    *h = fabs(log2(p)) / LENGTH;
    free(logs);
    return KL_OK;
}
