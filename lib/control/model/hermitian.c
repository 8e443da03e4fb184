/* SPDX-License-Identifier: MIT
   Eigenvalues and eigenvectors of small Hermitian matrices, by Jacobi's rotations (Golub and Van Loan,
   Matrix Computations, 8.5). */
#include <complex.h>
#include <math.h>

#include "control/model/model.h"

enum { SWEEPS = 60 };

/* A rotation of rows and columns p, q makes a[p][q] 0. */
static void rotate(double complex *a, double complex *v, int n, int p, int q)
{
    const double size = cabs(a[p * n + q]);
    if (size < 1e-300) return;
    const double complex phase = a[p * n + q] / size;
    const double tau = creal(a[q * n + q] - a[p * n + p]) / (2 * size),
                 t = (tau < 0 ? -1 : 1) / (fabs(tau) + hypot(1, tau)), c = 1 / hypot(1, t), s = t * c;
    for (int k = 0; k < n; k++) {
        const double complex x = a[k * n + p], y = a[k * n + q];
        a[k * n + p] = c * x - s * conj(phase) * y, a[k * n + q] = s * phase * x + c * y;
        if (!v) continue;
        const double complex g = v[k * n + p], h = v[k * n + q];
        v[k * n + p] = c * g - s * conj(phase) * h, v[k * n + q] = s * phase * g + c * h;
    }
    for (int k = 0; k < n; k++) {
        const double complex x = a[p * n + k], y = a[q * n + k];
        a[p * n + k] = c * x - s * phase * y, a[q * n + k] = s * conj(phase) * x + c * y;
    }
}

void kl_control_diagonalise(double complex *a, double complex *v, int n)
{
    for (int i = 0; v && i < n * n; i++) v[i] = i % (n + 1) == 0;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double off = 0, all = 0;
        for (int i = 0; i < n * n; i++) {
            const double square = creal(a[i] * conj(a[i]));
            all += square, off += i % (n + 1) ? square : 0;
        }
        if (off <= 1e-30 * all) return;
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) rotate(a, v, n, p, q);
    }
}

int kl_control_smallest_eigenvalue(double *value, double complex *a, int n, struct kl_error *err)
{
    for (int i = 0; i < n * n; i++)
        if (!isfinite(creal(a[i])) || !isfinite(cimag(a[i])))
            return kl_fail(err, KL_EDATA, "eigenvalues: the matrix holds a value that is not finite");
    kl_control_diagonalise(a, NULL, n);
    *value = INFINITY;
    for (int i = 0; i < n; i++) *value = fmin(*value, creal(a[i * n + i]));
    return KL_OK;
}
