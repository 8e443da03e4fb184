/* SPDX-License-Identifier: MIT
   Periods (section 2.6): peaks of the discrete Fourier transform that 95 % should stay below. */
#include <stdlib.h>

#include "qrng/nist/dft.h"
#include "qrng/nist/nist22_int.h"

/* |sum_k x_k exp(-2 pi i j k / n)|^2 of real x from the transform of x_2k + i x_2k+1. */
static double power(const struct kl_complex *z, size_t half, size_t j)
{
    const struct kl_complex a = z[j], b = z[j ? half - j : 0];
    const double angle = M_PI * (double)j / (double)half, c = cos(angle), s = sin(angle);
    const double even_re = (a.re + b.re) / 2, even_im = (a.im - b.im) / 2;
    const double odd_re = (a.im + b.im) / 2, odd_im = (b.re - a.re) / 2;
    const double re = even_re + c * odd_re + s * odd_im, im = even_im + c * odd_im - s * odd_re;
    return re * re + im * im;
}

int kl_nist22_spectral(struct kl_nist22_value *value, const uint8_t *bits, size_t n,
                       struct kl_error *err)
{
    const bool even = n % 2 == 0;
    const size_t points = even ? n / 2 : n;
    struct kl_complex *z = malloc(points * sizeof *z);
    if (!z) return kl_fail_memory(err, points * sizeof *z);
    for (size_t k = 0; k < points; k++)
        z[k] = even ? (struct kl_complex){ 2. * bits[2 * k] - 1, 2. * bits[2 * k + 1] - 1 }
                    : (struct kl_complex){ 2. * bits[k] - 1, 0 };
    const int code = kl_dft(z, points, err);
    const double threshold = (double)n * log(1 / 0.05);
    size_t below = 0;
    for (size_t j = 0; !code && j < n / 2; j++)
        below += (even ? power(z, points, j) : z[j].re * z[j].re + z[j].im * z[j].im) < threshold;
    free(z);
    if (code) return code;
    const double expected = 0.95 * (double)n / 2;
    const double d = ((double)below - expected) / sqrt((double)n * 0.95 * 0.05 / 4);
    *value = (struct kl_nist22_value){ d, kl_stats_normal_log10_p(d) };
    return KL_OK;
}
