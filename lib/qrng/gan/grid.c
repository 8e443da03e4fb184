/* SPDX-License-Identifier: MIT
   The table that the study's generators learn: differences of rates. */
#include "qrng/gan/gan.h"

#include <math.h>

#include "kernels/inline/gan.h"
#include "kernels/select.h"

double kl_gan_grid(double g[KL_GRID_CELLS], const double a[KL_GRID_BITS], const double b[KL_GRID_BITS])
{
    double least = INFINITY, sum = 0;
    for (size_t k = 0; k < KL_GRID_CELLS; k++) {
        g[k] = b[k % KL_GRID_BITS] - a[k / KL_GRID_BITS];
        least = fmin(least, g[k]);
    }
    for (size_t k = 0; k < KL_GRID_CELLS; k++) sum += g[k] -= least;
    return sum;
}

/* With R and P the sums of what was clipped: sum r / R ln((r / R) / (p / P)). */
double kl_gan_divergence(const double *target, const double *law, size_t n)
{
    double sums[3] = { 0 };
    const size_t whole = law ? n / KL_GAN_COLUMNS * KL_GAN_COLUMNS : 0;
    if (whole) kl_kernels()->gan_divergence(sums, target, law, whole);
    for (size_t k = whole; k < n; k++) {
        const double r = kl_clipped(target[k]), p = law ? kl_clipped(law[k]) : 1;
        sums[0] += r, sums[1] += p;
        sums[2] += r * log(r / p);
    }
    return sums[2] / sums[0] + log(sums[1] / sums[0]);
}
