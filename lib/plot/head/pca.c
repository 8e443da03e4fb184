/* SPDX-License-Identifier: MIT
   Principal components of features, projected to two dimensions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/plot.h"

static void covariance(double *c, double *mean, const float *x, size_t n, size_t d)
{
    /* from the first sample on: the mean of equal numbers is that number, not one beside it */
    for (size_t i = 1; i < n; i++)
        for (size_t j = 0; j < d; j++) mean[j] += ((double)x[i * d + j] - (double)x[j]) / (double)n;
    for (size_t j = 0; j < d; j++) mean[j] += (double)x[j];
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < d; j++) {
            double a = ((double)x[i * d + j] - mean[j]) / (double)n;
            const float *row = x + i * d;
            for (size_t k = j; k < d; k++) c[j * d + k] += a * ((double)row[k] - mean[k]);
        }
    for (size_t j = 0; j < d; j++)
        for (size_t k = 0; k < j; k++) c[j * d + k] = c[k * d + j];
}

static double dot(const double *a, const double *b, size_t d)
{
    double sum = 0;
    for (size_t j = 0; j < d; j++) sum += a[j] * b[j];
    return sum;
}

static double normalise(double *v, size_t d)
{
    const double length = sqrt(dot(v, v, d));
    for (size_t j = 0; j < d && length > 0; j++) v[j] /= length;
    return length;
}

static void remove_part(double *own, const double *v, size_t d)
{
    const double overlap = dot(v, own, d);
    for (size_t j = 0; j < d; j++) own[j] -= overlap * v[j];
}

/* Unit length, the second orthogonal to the first: in two steps, as the first leaves rounding alone of
   vectors that are nearly parallel. Data on a line, or of no extent, leave a component open. */
static void orthonormalise(double *v, size_t d)
{
    double *second = v + d;
    if (normalise(v, d) == 0) v[0] = 1;
    for (int step = 0; step < 2; step++) {
        remove_part(second, v, d);
        if (normalise(second, d) > 0) continue;
        size_t least = 0;
        for (size_t j = 1; j < d; j++)
            if (fabs(v[j]) < fabs(v[least])) least = j;
        second[least] = 1;
    }
    if (d == 1) *second = 0;
}

static void iterate(double *v, double *next, const double *c, size_t d)
{
    enum { STEPS = 500 };
    for (int step = 0; step < STEPS; step++) {
        for (size_t k = 0; k < 2; k++)
            for (size_t j = 0; j < d; j++) next[k * d + j] = dot(c + j * d, v + k * d, d);
        orthonormalise(next, d);
        double change = 0;
        for (size_t j = 0; j < 2 * d; j++) change = fmax(change, fabs(next[j] - v[j]));
        memcpy(v, next, 2 * d * sizeof *v);
        if (change < 1e-12) break;
    }
}

static void fix_sign(double *v, size_t d)
{
    size_t largest = 0;
    for (size_t j = 1; j < d; j++)
        if (fabs(v[j]) > fabs(v[largest])) largest = j;
    if (v[largest] < 0)
        for (size_t j = 0; j < d; j++) v[j] = -v[j];
}

int kl_plot_pca_project(double *scores, double explained[2], const float *x, size_t n, size_t d,
                        struct kl_error *err)
{
    size_t values = d * d + 5 * d + 1;
    double *c = calloc(values, sizeof *c);
    if (!c) return kl_fail_memory(err, values * sizeof *c);
    double *mean = c + d * d, *v = mean + d, *next = v + 2 * d, trace = 0;
    covariance(c, mean, x, n, d);
    for (size_t j = 0; j < d;
         j++) { /* a start that no symmetry of the data can make orthogonal to the answer */
        trace += c[j * d + j];
        v[j] = 1 + 0.5 * sin((double)j + 1);
        v[d + j] = cos(2.5 * (double)j);
    }
    orthonormalise(v, d);
    iterate(v, next, c, d);
    for (size_t k = 0; k < 2; k++) {
        fix_sign(v + k * d, d);
        double variance = 0;
        for (size_t j = 0; j < d; j++) variance += v[k * d + j] * dot(c + j * d, v + k * d, d);
        explained[k] = trace > 0 ? variance / trace : 0;
        for (size_t i = 0; i < n; i++) {
            double sum = 0;
            for (size_t j = 0; j < d; j++) sum += ((double)x[i * d + j] - mean[j]) * v[k * d + j];
            scores[2 * i + k] = sum;
        }
    }
    free(c);
    return KL_OK;
}
