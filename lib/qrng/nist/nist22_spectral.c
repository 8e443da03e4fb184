/* SPDX-License-Identifier: MIT
   SP 800-22: the spectral test (section 2.6). Peaks of the discrete Fourier transform that 95 %
   should stay below. */
#include "qrng/nist/nist_int.h"

#include <math.h>
#include <stdlib.h>

/* ---- the transform ---- */

struct complex_number {
    double re, im;
};

static inline struct complex_number times(struct complex_number a, struct complex_number b)
{
    return (struct complex_number){ a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re };
}

/* exp(-i pi k / n), k below 2 n. */
static struct complex_number root(uint64_t k, size_t n)
{
    const double angle = M_PI * (double)k / (double)n;
    return (struct complex_number){ cos(angle), -sin(angle) };
}

/* n a power of two; roots [n / 2]. The result lies in the order of reversed bits. */
static void forward(struct complex_number *x, size_t n, const struct complex_number *roots)
{
    for (size_t half = n / 2, step = 1; half; half /= 2, step *= 2)
        for (size_t start = 0; start < n; start += 2 * half)
            for (size_t k = 0; k < half; k++) {
                struct complex_number *a = x + start + k, *b = a + half;
                const struct complex_number d = { a->re - b->re, a->im - b->im };
                *a = (struct complex_number){ a->re + b->re, a->im + b->im };
                *b = times(d, roots[k * step]);
            }
}

/* The inverse of forward, times n. */
static void backward(struct complex_number *x, size_t n, const struct complex_number *roots)
{
    for (size_t half = 1, step = n / 2; half < n; half *= 2, step /= 2)
        for (size_t start = 0; start < n; start += 2 * half)
            for (size_t k = 0; k < half; k++) {
                struct complex_number *a = x + start + k, *b = a + half, w = roots[k * step];
                w.im = -w.im;
                const struct complex_number t = times(*b, w);
                *b = (struct complex_number){ a->re - t.re, a->im - t.im };
                *a = (struct complex_number){ a->re + t.re, a->im + t.im };
            }
}

/* j k = (j^2 + k^2 - (j - k)^2) / 2 makes the transform a convolution with chirps. */
/* x_j becomes sum_k x_k exp(-2 pi i j k / n), for any n > 0, by Bluestein's chirps
   (1970, doi:10.1109/TAU.1970.1162132). KL_ENOMEM. */
static int dft(struct complex_number *x, size_t n, struct kl_error *err)
{
    size_t size = 1;
    while (size < 2 * n - 1) size *= 2;
    struct complex_number *block = calloc(2 * size + size / 2 + n + 1, sizeof *block);
    if (!block) return kl_fail_memory(err, (2 * size + size / 2 + n + 1) * sizeof *block);
    struct complex_number *a = block, *b = a + size, *roots = b + size, *chirp = roots + size / 2;
    for (size_t k = 0; k < size / 2; k++) roots[k] = root(2 * k, size);
    for (uint64_t k = 0; k < n; k++) {
        chirp[k] = root(k * k % (2 * n), n);
        a[k] = times(x[k], chirp[k]);
        b[k] = (struct complex_number){ chirp[k].re, -chirp[k].im };
        if (k) b[size - k] = b[k];
    }
    forward(a, size, roots);
    forward(b, size, roots);
    for (size_t k = 0; k < size; k++) a[k] = times(a[k], b[k]);
    backward(a, size, roots);
    for (size_t k = 0; k < n; k++) {
        x[k] = times(a[k], chirp[k]);
        x[k].re /= (double)size, x[k].im /= (double)size;
    }
    free(block);
    return KL_OK;
}

/* ---- the test ---- */

/* |sum_k x_k exp(-2 pi i j k / n)|^2 of real x from the transform of x_2k + i x_2k+1. */
static double power(const struct complex_number *z, size_t half, size_t j)
{
    const struct complex_number a = z[j], b = z[j ? half - j : 0];
    const double angle = M_PI * (double)j / (double)half, c = cos(angle), s = sin(angle);
    const double even_re = (a.re + b.re) / 2, even_im = (a.im - b.im) / 2;
    const double odd_re = (a.im + b.im) / 2, odd_im = (b.re - a.re) / 2;
    const double re = even_re + c * odd_re + s * odd_im, im = even_im + c * odd_im - s * odd_re;
    return re * re + im * im;
}

int kl_nist_sp22_spectral(struct kl_nist22_value *value, const uint8_t *bits, size_t n,
                          struct kl_error *err)
{
    const bool even = n % 2 == 0;
    const size_t points = even ? n / 2 : n;
    struct complex_number *z = malloc(points * sizeof *z);
    if (!z) return kl_fail_memory(err, points * sizeof *z);
    for (size_t k = 0; k < points; k++)
        z[k] = even ? (struct complex_number){ 2. * bits[2 * k] - 1, 2. * bits[2 * k + 1] - 1 }
                    : (struct complex_number){ 2. * bits[k] - 1, 0 };
    const int code = dft(z, points, err);
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
