/* SPDX-License-Identifier: MIT
   Definition of the family; see kernels/filter.h. Sixteen frequencies at a time go forwards over the
   pieces, which sums the transform up, and backwards, which adds to the derivatives of each. The phase
   of a piece follows from its neighbour's by one product. */
#include "kernels/filter.h"

#include "kernels/inline/lanes.h"

#if KL_F64
enum { GROUPS = KL_FILTER_LANES / KL_LANES, N = KL_FILTER_COEFFICIENTS };
#define ALWAYS static inline __attribute__((always_inline))

struct block {
    kl_lane cosine[GROUPS], sine[GROUPS]; /* of the piece that is being looked at */
    kl_lane turn[2][GROUPS];              /* from one to the next */
    kl_lane y[6][GROUPS];                 /* real and imaginary parts, axis by axis */
    kl_lane moments[1 + 2 * KL_FILTER_MAX_ORDER][GROUPS];
};

ALWAYS kl_lane at(const double *x)
{
    return *(const kl_lane *)x;
}

ALWAYS void load(struct block *k, const struct kl_filter *f, size_t from, const int order)
{
    for (size_t g = 0; g < GROUPS; g++) {
        const size_t i = from + g * KL_LANES;
        k->cosine[g] = at(f->first + i), k->sine[g] = at(f->first + f->n + i);
        k->turn[0][g] = at(f->step + i), k->turn[1][g] = at(f->step + f->n + i);
        for (size_t j = 0; j < 6; j++) k->y[j][g] = (kl_lane){ 0 };
        for (size_t m = 0; m < 1 + 2 * (size_t)order; m++)
            k->moments[m][g] = at(f->moments + m * f->n + i);
    }
}

/* One piece forwards (sign 1) or backwards (-1). */
ALWAYS void advance(struct block *k, size_t g, double sign)
{
    const kl_lane c = k->cosine[g], s = k->sine[g], dc = k->turn[0][g], ds = sign * k->turn[1][g];
    k->cosine[g] = c * dc - s * ds;
    k->sine[g] = s * dc + c * ds;
}

ALWAYS void forward(struct block *k, const double *coefficients, int pieces, const int order)
{
    for (int piece = 0; piece < pieces; piece++, coefficients += N) {
        const double *a = coefficients, *b = a + 3, *d = a + 6, z = a[9];
        for (size_t g = 0; g < GROUPS; g++) {
            kl_lane s = k->moments[2 * order - 1][g], c = k->moments[2 * order][g];
            for (int m = 2 * order - 3; m > 0; m -= 2)
                s = s * z + k->moments[m][g], c = c * z + k->moments[m + 1][g];
            const kl_lane x = k->cosine[g], y = k->sine[g];
            for (size_t j = 0; j < 3; j++) {
                const kl_lane even = a[j] * k->moments[0][g] + b[j] * c, odd = d[j] * s;
                k->y[2 * j][g] += even * x - odd * y;
                k->y[2 * j + 1][g] += even * y + odd * x;
            }
            advance(k, g, 1);
        }
    }
}

/* y is now 2 weights times the transform, conjugate to come; phases are those behind the last piece. */
ALWAYS void backward(struct block *k, kl_lane *sums, const double *coefficients, int pieces,
                     const int order)
{
    for (int piece = pieces - 1; piece >= 0; piece--) {
        const double *b = coefficients + piece * N + 3, *d = b + 3, z = b[6];
        kl_lane *to = sums + piece * N, sum[N];
        for (size_t j = 0; j < N; j++) sum[j] = to[j];
        for (size_t g = 0; g < GROUPS; g++) {
            advance(k, g, -1);
            kl_lane s = k->moments[2 * order - 1][g], c = k->moments[2 * order][g], ds = s, dc = c;
            s = s * z + k->moments[2 * order - 3][g], c = c * z + k->moments[2 * order - 2][g];
            for (int m = 2 * order - 5; m > 0; m -= 2) {
                ds = ds * z + s, dc = dc * z + c;
                s = s * z + k->moments[m][g], c = c * z + k->moments[m + 1][g];
            }
            const kl_lane x = k->cosine[g], y = k->sine[g], mean = k->moments[0][g];
            kl_lane along_b = { 0 }, along_d = { 0 };
            for (size_t j = 0; j < 3; j++) {
                const kl_lane re = k->y[2 * j][g] * x + k->y[2 * j + 1][g] * y,
                              im = k->y[2 * j + 1][g] * x - k->y[2 * j][g] * y;
                sum[j] += re * mean, sum[3 + j] += re * c, sum[6 + j] += im * s;
                along_b += b[j] * re, along_d += d[j] * im;
            }
            sum[9] += along_b * dc + along_d * ds;
        }
        for (size_t j = 0; j < N; j++) to[j] = sum[j];
    }
}

ALWAYS void power_of(double *power, double *bar, const double *coefficients, const double *weights,
                     const struct kl_filter *f, double *work, const int order)
{
    struct block k;
    kl_lane *sums = (kl_lane *)work;
    const size_t n_sums = bar ? (size_t)f->pieces * N : 0;
    for (size_t i = 0; i < n_sums; i++) sums[i] = (kl_lane){ 0 };
    for (size_t from = 0; from < f->n; from += KL_FILTER_LANES) {
        load(&k, f, from, order);
        forward(&k, coefficients, f->pieces, order);
        for (size_t g = 0; g < GROUPS; g++) {
            kl_lane square = { 0 };
            for (size_t j = 0; j < 6; j++) square += k.y[j][g] * k.y[j][g];
            *(kl_lane *)(power + from + g * KL_LANES) = square;
            if (!bar) continue;
            const kl_lane weight = 2 * at(weights + from + g * KL_LANES);
            for (size_t j = 0; j < 6; j++) k.y[j][g] *= weight;
        }
        if (bar) backward(&k, sums, coefficients, f->pieces, order);
    }
    for (size_t i = 0; i < n_sums; i++) bar[i] = kl_sum_lanes(sums[i]);
}

void KL_ISA_NAME(kl_filter_power)(double *power, double *bar, const double *coefficients,
                                  const double *weights, const struct kl_filter *f, double *work)
{
    if (f->order <= 3) power_of(power, bar, coefficients, weights, f, work, 3);
    else if (f->order <= 4) power_of(power, bar, coefficients, weights, f, work, 4);
    else if (f->order <= 6) power_of(power, bar, coefficients, weights, f, work, 6);
    else power_of(power, bar, coefficients, weights, f, work, KL_FILTER_MAX_ORDER);
}
#endif
