/* SPDX-License-Identifier: MIT
   Kernel distance of two laws over words of bits: a product over the bits, so that the kernel is applied
   bit after bit, as a Walsh-Hadamard transform is. Gretton et al. 2012, JMLR 13; for Born machines Liu &
   Wang 2018, arXiv:1804.04168. */
#include <math.h>
#include <string.h>

#include "qrng/gan/study.h"

enum { SCALES = 3 };

static void apply(double *x, int n_bits, double off)
{
    const size_t n = (size_t)1 << n_bits;
    for (size_t half = 1; half < n; half *= 2)
        for (size_t i = 0; i < n; i++) {
            if (i & half) continue;
            const double a = x[i], b = x[i | half];
            x[i] = a + off * b;
            x[i | half] = b + off * a;
        }
}

double kl_gan_mmd(double *k, const float *p, const float *r, int n_bits, double *scratch)
{
    const size_t n = (size_t)1 << n_bits;
    double *difference = scratch, *x = scratch + n, sum = 0;
    for (size_t i = 0; i < n; i++) difference[i] = (double)p[i] - (double)r[i];
    memset(k, 0, n * sizeof *k);
    for (int s = 0; s < SCALES; s++) {
        const double variance = n_bits * pow(4, s) / 16;
        memcpy(x, difference, n * sizeof *x);
        apply(x, n_bits, exp(-1 / (2 * variance)));
        for (size_t i = 0; i < n; i++) k[i] += x[i] / SCALES;
    }
    for (size_t i = 0; i < n; i++) sum += difference[i] * k[i];
    return sum;
}
