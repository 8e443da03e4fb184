/* SPDX-License-Identifier: MIT
   Eigenvalues of a small complex matrix: reflections to Hessenberg form, then QR steps with Wilkinson's
   shift (Golub and Van Loan, Matrix Computations, 7.4 and 7.5). The library needs those of Hermitian
   matrices alone; generators and the plants of control theory have others. */
#ifndef KL_TESTS_EIGENVALUES_H
#define KL_TESTS_EIGENVALUES_H

#include <complex.h>
#include <float.h>
#include <math.h>

#include "golden.h"

enum { EIGENVALUES_MOST = 64 };

/* Column k below its diagonal becomes a multiple of one vector: h = (1 - 2 v v^+) h (1 - 2 v v^+). */
static inline void eigenvalues_reflect(double complex *h, int n, int k)
{
    double complex v[EIGENVALUES_MOST];
    double norm = 0, length = 0;
    for (int i = k + 1; i < n; i++) norm = hypot(norm, cabs(h[i * n + k]));
    if (norm == 0) return;
    const double complex first = h[(k + 1) * n + k];
    const double complex phase = cabs(first) > 0 ? first / cabs(first) : 1;
    for (int i = k + 1; i < n; i++) v[i] = h[i * n + k] + (i == k + 1 ? phase * norm : 0);
    for (int i = k + 1; i < n; i++) length = hypot(length, cabs(v[i]));
    for (int i = k + 1; i < n; i++) v[i] /= length;
    for (int j = 0; j < n; j++) {
        double complex sum = 0;
        for (int i = k + 1; i < n; i++) sum += conj(v[i]) * h[i * n + j];
        for (int i = k + 1; i < n; i++) h[i * n + j] -= 2 * v[i] * sum;
    }
    for (int i = 0; i < n; i++) {
        double complex sum = 0;
        for (int j = k + 1; j < n; j++) sum += h[i * n + j] * v[j];
        for (int j = k + 1; j < n; j++) h[i * n + j] -= 2 * sum * conj(v[j]);
    }
}

/* The eigenvalue of the last 2 x 2 block that is nearer to its last entry. */
static inline double complex eigenvalues_shift_of(const double complex *h, int n, int last)
{
    const double complex a = h[(last - 1) * n + last - 1], b = h[(last - 1) * n + last],
                         c = h[last * n + last - 1], d = h[last * n + last];
    const double complex middle = (a + d) / 2, root = csqrt((a - d) * (a - d) / 4 + b * c);
    const double complex one = middle + root, other = middle - root;
    return cabs(one - d) < cabs(other - d) ? one : other;
}

/* h - shift = Q R, then R Q + shift, of rows and columns first to last. */
static inline void eigenvalues_qr_step(double complex *h, int n, int first, int last,
                                       double complex shift)
{
    double cosine[EIGENVALUES_MOST];
    double complex sine[EIGENVALUES_MOST];
    for (int i = first; i <= last; i++) h[i * n + i] -= shift;
    for (int i = first; i < last; i++) {
        const double complex a = h[i * n + i], b = h[(i + 1) * n + i];
        const double size = hypot(cabs(a), cabs(b));
        const double complex phase = cabs(a) > 0 ? a / cabs(a) : 1;
        cosine[i] = size > 0 ? cabs(a) / size : 1;
        sine[i] = size > 0 ? phase * conj(b) / size : 0;
        for (int j = i; j <= last; j++) {
            const double complex upper = h[i * n + j], lower = h[(i + 1) * n + j];
            h[i * n + j] = cosine[i] * upper + sine[i] * lower;
            h[(i + 1) * n + j] = cosine[i] * lower - conj(sine[i]) * upper;
        }
    }
    for (int i = first; i < last; i++)
        for (int j = first; j <= i + 1; j++) {
            const double complex left = h[j * n + i], right = h[j * n + i + 1];
            h[j * n + i] = cosine[i] * left + conj(sine[i]) * right;
            h[j * n + i + 1] = cosine[i] * right - sine[i] * left;
        }
    for (int i = first; i <= last; i++) h[i * n + i] += shift;
}

/* Of h [n][n], n at most EIGENVALUES_MOST, in no order; h is overwritten. */
static inline void golden_eigenvalues(double complex *values, double complex *h, int n)
{
    double norm = 0;
    for (int i = 0; i < n * n; i++) norm = hypot(norm, cabs(h[i]));
    golden_need(isfinite(norm) && n <= EIGENVALUES_MOST, "eigenvalues");
    for (int k = 0; k + 2 < n; k++) eigenvalues_reflect(h, n, k);
    for (int last = n - 1, steps = 0; last >= 0;) {
        int first = last;
        for (; first > 0; first--) {
            const double beside = cabs(h[(first - 1) * n + first - 1]) + cabs(h[first * n + first]);
            if (cabs(h[first * n + first - 1]) <= DBL_EPSILON * (beside > 0 ? beside : norm)) break;
        }
        if (first == last) {
            values[last] = h[last * n + last];
            last--, steps = 0;
            continue;
        }
        golden_need(++steps <= 200, "eigenvalues");
        /* Now and then another shift, as the usual one may run in a circle. */
        const double complex shift = steps % 10 ? eigenvalues_shift_of(h, n, last)
                                                : h[last * n + last] + cabs(h[last * n + last - 1]);
        eigenvalues_qr_step(h, n, first, last, shift);
    }
}

#endif
