/* SPDX-License-Identifier: MIT
   The exponential of a small dense matrix: Taylor's series of a part of it, squared until it is whole.
 */
#include "control/noise_int.h"

#include <math.h>
#include <string.h>

enum { TERMS = 16 };

/* to = a b. */
static void product(double *restrict to, const double *restrict a, const double *restrict b, size_t n)
{
    memset(to, 0, n * n * sizeof *to);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            const double x = a[i * n + k];
            if (x == 0) continue;
            for (size_t j = 0; j < n; j++) to[i * n + j] += x * b[k * n + j];
        }
}

void kl_control_noise_exponential(double *a, int n, double *work)
{
    const size_t rows = (size_t)n, size = rows * rows;
    double *sum = work, *term = sum + size, *next = term + size, largest = 0;
    int squarings = 0;
    for (size_t i = 0; i < rows; i++) {
        double row = 0;
        for (size_t j = 0; j < rows; j++) row += fabs(a[i * rows + j]);
        largest = fmax(largest, row);
    }
    for (; largest > 0.5; largest /= 2) squarings++;
    for (size_t i = 0; i < size; i++) sum[i] = term[i] = ldexp(a[i], -squarings);
    memcpy(a, sum, size * sizeof *a);
    for (int k = 2; k <= TERMS; k++) {
        product(next, a, term, rows);
        for (size_t i = 0; i < size; i++) sum[i] += term[i] = next[i] / k;
    }
    /* exp - 1 is squared, (1 + x)^2 - 1 = 2x + x^2, which keeps the small part. */
    for (int k = 0; k < squarings; k++) {
        product(next, sum, sum, rows);
        for (size_t i = 0; i < size; i++) sum[i] = 2 * sum[i] + next[i];
    }
    memcpy(a, sum, size * sizeof *a);
    for (size_t i = 0; i < rows; i++) a[i * rows + i] += 1;
}
