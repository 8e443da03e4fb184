/* SPDX-License-Identifier: MIT
   Autocovariances by Fourier transforms. Two real series are one complex one, and the powers of all add
   up before the one transform back: the power's order is left as the transform leaves it, for the way
   back undoes it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/diagnose/diagnose_int.h"

struct kl_sampling_spectrum {
    size_t n, size; /* of a series; of a transform: 2^k or 3 2^k, at least 2 n */
    double *re, *im, *power;
    double *turn;  /* of each level's size s: cos and sin of 2 pi j / s, 2 j, 3 j, s / 4 of each */
    double *third; /* of a size 3 2^k: cos and sin of 2 pi j / size and 2 j, size / 3 of each */
    double *memory;
};

static size_t best_size(size_t n)
{
    size_t two = 4;
    while (two < 2 * n) two *= 2;
    return two >= 16 && two / 4 * 3 >= 2 * n ? two / 4 * 3 : two;
}

static double *fill(double *to, size_t count, size_t times, size_t size)
{
    for (size_t j = 0; j < count; j++) {
        const double angle = 2 * M_PI * (double)(j * times) / (double)size;
        to[j] = cos(angle), to[count + j] = sin(angle);
    }
    return to + 2 * count;
}

int kl_sampling_spectrum_open(struct kl_sampling_spectrum **spectrum, size_t n, struct kl_error *err)
{
    struct kl_sampling_spectrum *s = *spectrum = calloc(1, sizeof *s);
    if (!s) return kl_fail_memory(err, sizeof *s);
    const size_t size = best_size(n), odd = size % 3 ? 1 : 3, power_of_two = size / odd;
    const size_t room = 3 * size + 2 * power_of_two + (odd == 3 ? 4 * power_of_two : 0) + 8;
    s->n = n, s->size = size;
    s->memory = malloc(room * sizeof *s->memory);
    if (!s->memory) {
        kl_sampling_spectrum_close(spectrum);
        return kl_fail_memory(err, room * sizeof *s->memory);
    }
    s->re = s->memory, s->im = s->re + size, s->power = s->im + size, s->turn = s->power + size;
    double *to = s->turn;
    for (size_t level = power_of_two; level > 4; level /= 4)
        for (size_t times = 1; times <= 3; times++) to = fill(to, level / 4, times, level);
    s->third = to;
    for (size_t times = 1; times <= 2 && odd == 3; times++) to = fill(to, power_of_two, times, size);
    return KL_OK;
}

void kl_sampling_spectrum_close(struct kl_sampling_spectrum **spectrum)
{
    if (!*spectrum) return;
    free((*spectrum)->memory);
    free(*spectrum);
    *spectrum = NULL;
}

/* Two numbers at once; a quarter of a transform of eight or more is a whole number of them. */
typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));

/* The butterflies of four quarters of a transform of n, decimated in frequency. */
static void quarters(double *re, double *im, size_t n, const double *turn)
{
    const size_t q = n / 8; /* in pairs */
    pair *r0 = (pair *)re, *r1 = r0 + q, *r2 = r1 + q, *r3 = r2 + q;
    pair *i0 = (pair *)im, *i1 = i0 + q, *i2 = i1 + q, *i3 = i2 + q;
    const pair *c1 = (const pair *)turn, *s1 = c1 + q, *c2 = s1 + q, *s2 = c2 + q, *c3 = s2 + q,
               *s3 = c3 + q;
    for (size_t j = 0; j < q; j++) {
        const pair ar = r0[j] + r2[j], ai = i0[j] + i2[j], br = r0[j] - r2[j], bi = i0[j] - i2[j];
        const pair cr = r1[j] + r3[j], ci = i1[j] + i3[j], dr = i1[j] - i3[j], di = r3[j] - r1[j];
        const pair xr = br + dr, xi = bi + di, yr = ar - cr, yi = ai - ci, zr = br - dr, zi = bi - di;
        r0[j] = ar + cr, i0[j] = ai + ci;
        r1[j] = xr * c1[j] + xi * s1[j], i1[j] = xi * c1[j] - xr * s1[j];
        r2[j] = yr * c2[j] + yi * s2[j], i2[j] = yi * c2[j] - yr * s2[j];
        r3[j] = zr * c3[j] + zi * s3[j], i3[j] = zi * c3[j] - zr * s3[j];
    }
}

/* The same backwards. */
static void quarters_back(double *re, double *im, size_t n, const double *turn)
{
    const size_t q = n / 8;
    pair *r0 = (pair *)re, *r1 = r0 + q, *r2 = r1 + q, *r3 = r2 + q;
    pair *i0 = (pair *)im, *i1 = i0 + q, *i2 = i1 + q, *i3 = i2 + q;
    const pair *c1 = (const pair *)turn, *s1 = c1 + q, *c2 = s1 + q, *s2 = c2 + q, *c3 = s2 + q,
               *s3 = c3 + q;
    for (size_t j = 0; j < q; j++) {
        const pair xr = r1[j] * c1[j] - i1[j] * s1[j], xi = i1[j] * c1[j] + r1[j] * s1[j];
        const pair yr = r2[j] * c2[j] - i2[j] * s2[j], yi = i2[j] * c2[j] + r2[j] * s2[j];
        const pair zr = r3[j] * c3[j] - i3[j] * s3[j], zi = i3[j] * c3[j] + r3[j] * s3[j];
        const pair ar = r0[j] + yr, ai = i0[j] + yi, br = r0[j] - yr, bi = i0[j] - yi;
        const pair cr = xr + zr, ci = xi + zi, dr = xi - zi, di = zr - xr;
        r0[j] = ar + cr, i0[j] = ai + ci, r2[j] = ar - cr, i2[j] = ai - ci;
        r1[j] = br - dr, i1[j] = bi - di, r3[j] = br + dr, i3[j] = bi + di;
    }
}

/* A transform of 4, whose turns are right angles, or of 2; `sign` is -1 for the way back. */
static inline void leaf(double *re, double *im, size_t n, double sign)
{
    const double ar = re[0] + re[n / 2], ai = im[0] + im[n / 2], br = re[0] - re[n / 2],
                 bi = im[0] - im[n / 2];
    if (n == 2) {
        re[0] = ar, im[0] = ai, re[1] = br, im[1] = bi;
        return;
    }
    const double cr = re[1] + re[3], ci = im[1] + im[3];
    const double dr = sign * (im[1] - im[3]), di = sign * (re[3] - re[1]);
    re[0] = ar + cr, im[0] = ai + ci, re[1] = br + dr, im[1] = bi + di;
    re[2] = ar - cr, im[2] = ai - ci, re[3] = br - dr, im[3] = bi - di;
}

/* Depth first, so that the parts fit a cache. */
static void forward(double *re, double *im, size_t n, const double *turn)
{
    if (n <= 4) return leaf(re, im, n, 1);
    quarters(re, im, n, turn);
    if (n == 16) {
        for (size_t k = 0; k < 16; k += 4) leaf(re + k, im + k, 4, 1);
        return;
    }
    for (size_t k = 0; k < 4; k++) forward(re + k * n / 4, im + k * n / 4, n / 4, turn + 6 * (n / 4));
}

static void backward(double *re, double *im, size_t n, const double *turn)
{
    if (n <= 4) return leaf(re, im, n, -1);
    for (size_t k = 0; k < 4; k++) backward(re + k * n / 4, im + k * n / 4, n / 4, turn + 6 * (n / 4));
    quarters_back(re, im, n, turn);
}

/* A size of 3 2^k begins with three thirds: the j-th of each, by the transform of three. */
static void thirds(const struct kl_sampling_spectrum *s, bool back)
{
    const size_t q = s->size / 3;
    const double half = 0.5 * sqrt(3.0);
    const double *c1 = s->third, *s1 = c1 + q, *c2 = s1 + q, *s2 = c2 + q;
    for (size_t j = 0; j < q; j++) {
        double *a = s->re + j, *b = s->im + j, xr = a[q], xi = b[q], yr = a[2 * q], yi = b[2 * q], t;
        if (back) {
            t = xr * c1[j] - xi * s1[j], xi = xi * c1[j] + xr * s1[j], xr = t;
            t = yr * c2[j] - yi * s2[j], yi = yi * c2[j] + yr * s2[j], yr = t;
        }
        const double sign = back ? -half : half, sr = xr + yr, si = xi + yi;
        const double mr = a[0] - 0.5 * sr, mi = b[0] - 0.5 * si, dr = sign * (xi - yi),
                     di = sign * (yr - xr);
        a[0] += sr, b[0] += si;
        xr = mr + dr, xi = mi + di, yr = mr - dr, yi = mi - di;
        if (!back) {
            t = xr * c1[j] + xi * s1[j], xi = xi * c1[j] - xr * s1[j], xr = t;
            t = yr * c2[j] + yi * s2[j], yi = yi * c2[j] - yr * s2[j], yr = t;
        }
        a[q] = xr, b[q] = xi, a[2 * q] = yr, b[2 * q] = yi;
    }
}

static void transform(struct kl_sampling_spectrum *s, bool back)
{
    const size_t parts = s->size % 3 ? 1 : 3, part = s->size / parts;
    if (parts == 3 && !back) thirds(s, false);
    for (size_t k = 0; k < parts; k++)
        (back ? backward : forward)(s->re + k * part, s->im + k * part, part, s->turn);
    if (parts == 3 && back) thirds(s, true);
}

const double *kl_sampling_autocovariances(struct kl_sampling_spectrum *s, const double *y, size_t series)
{
    const size_t rest = s->size - s->n;
    const double scale = 1 / ((double)series * (double)s->n * (double)s->size);
    memset(s->power, 0, s->size * sizeof *s->power);
    for (size_t k = 0; k < series; k += 2) {
        memcpy(s->re, y + k * s->n, s->n * sizeof *y);
        memset(s->re + s->n, 0, rest * sizeof *y);
        if (k + 1 < series) memcpy(s->im, y + (k + 1) * s->n, s->n * sizeof *y);
        else memset(s->im, 0, s->n * sizeof *y);
        memset(s->im + s->n, 0, rest * sizeof *y);
        transform(s, false);
        for (size_t i = 0; i < s->size; i++) s->power[i] += s->re[i] * s->re[i] + s->im[i] * s->im[i];
    }
    memcpy(s->re, s->power, s->size * sizeof *s->re);
    memset(s->im, 0, s->size * sizeof *s->im);
    transform(s, true);
    for (size_t i = 0; i < s->n; i++) s->re[i] *= scale;
    return s->re;
}
