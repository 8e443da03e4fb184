/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "qrng/nist/dft.h"

static inline struct kl_complex times(struct kl_complex a, struct kl_complex b)
{
    return (struct kl_complex){ a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re };
}

/* exp(-i pi k / n), k below 2 n. */
static struct kl_complex root(uint64_t k, size_t n)
{
    const double angle = M_PI * (double)k / (double)n;
    return (struct kl_complex){ cos(angle), -sin(angle) };
}

/* n a power of two; roots [n / 2]. The result lies in the order of reversed bits. */
static void forward(struct kl_complex *x, size_t n, const struct kl_complex *roots)
{
    for (size_t half = n / 2, step = 1; half; half /= 2, step *= 2)
        for (size_t start = 0; start < n; start += 2 * half)
            for (size_t k = 0; k < half; k++) {
                struct kl_complex *a = x + start + k, *b = a + half;
                const struct kl_complex d = { a->re - b->re, a->im - b->im };
                *a = (struct kl_complex){ a->re + b->re, a->im + b->im };
                *b = times(d, roots[k * step]);
            }
}

/* The inverse of forward, times n. */
static void backward(struct kl_complex *x, size_t n, const struct kl_complex *roots)
{
    for (size_t half = 1, step = n / 2; half < n; half *= 2, step /= 2)
        for (size_t start = 0; start < n; start += 2 * half)
            for (size_t k = 0; k < half; k++) {
                struct kl_complex *a = x + start + k, *b = a + half, w = roots[k * step];
                w.im = -w.im;
                const struct kl_complex t = times(*b, w);
                *b = (struct kl_complex){ a->re - t.re, a->im - t.im };
                *a = (struct kl_complex){ a->re + t.re, a->im + t.im };
            }
}

/* j k = (j^2 + k^2 - (j - k)^2) / 2 makes the transform a convolution with chirps. */
int kl_dft(struct kl_complex *x, size_t n, struct kl_error *err)
{
    size_t size = 1;
    while (size < 2 * n - 1) size *= 2;
    struct kl_complex *block = calloc(2 * size + size / 2 + n + 1, sizeof *block);
    if (!block) return kl_fail_memory(err, (2 * size + size / 2 + n + 1) * sizeof *block);
    struct kl_complex *a = block, *b = a + size, *roots = b + size, *chirp = roots + size / 2;
    for (size_t k = 0; k < size / 2; k++) roots[k] = root(2 * k, size);
    for (uint64_t k = 0; k < n; k++) {
        chirp[k] = root(k * k % (2 * n), n);
        a[k] = times(x[k], chirp[k]);
        b[k] = (struct kl_complex){ chirp[k].re, -chirp[k].im };
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
