/* SPDX-License-Identifier: MIT
   Operators of a quantum system as complex matrices, and what they are in a Hermitian basis: vectors of
   states, real transfer matrices, real generators. */
#include "control/model/model.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* to = a b, or a b^+ */
static void product(double complex *to, const double complex *a, const double complex *b, int d,
                    bool adjoint)
{
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++) {
            double complex sum = 0;
            for (int k = 0; k < d; k++)
                sum += a[i * d + k] * (adjoint ? conj(b[j * d + k]) : b[k * d + j]);
            to[i * d + j] = sum;
        }
}

/* Re Tr(a b) */
static double trace_of_product(const double complex *a, const double complex *b, int d)
{
    double sum = 0;
    for (int i = 0; i < d; i++)
        for (int k = 0; k < d; k++) sum += creal(a[i * d + k] * b[k * d + i]);
    return sum;
}

/* String number `string`, whose first letter is of the most significant qubit. */
static void pauli_string(double complex *to, int string, int d, int n_qubits)
{
    static const double complex pauli[4][2][2] = {
        { { 1, 0 }, { 0, 1 } }, { { 0, 1 }, { 1, 0 } }, { { 0, -I }, { I, 0 } }, { { 1, 0 }, { 0, -1 } }
    };
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++) {
            double complex value = 1;
            for (int q = 0; q < n_qubits; q++) {
                const int shift = n_qubits - 1 - q;
                value *= pauli[string >> 2 * shift & 3][i >> shift & 1][j >> shift & 1];
            }
            to[i * d + j] = value;
        }
}

static void gell_mann(double complex *basis, int d)
{
    const size_t size = (size_t)d * (size_t)d;
    const double scale = sqrt(d / 2.0);
    double complex *to = basis;
    memset(basis, 0, size * size * sizeof *basis);
    for (int i = 0; i < d; i++) to[i * d + i] = 1;
    to += size;
    for (int j = 0; j < d; j++)
        for (int k = j + 1; k < d; k++) {
            to[j * d + k] = to[k * d + j] = scale;
            to += size;
            to[j * d + k] = -I * scale;
            to[k * d + j] = I * scale;
            to += size;
        }
    for (int l = 1; l < d; l++, to += size) {
        const double entry = scale * sqrt(2.0 / (l * (l + 1)));
        for (int j = 0; j < l; j++) to[j * d + j] = entry;
        to[l * d + l] = -l * entry;
    }
}

void kl_control_basis(double complex *basis, int d, int n_qubits)
{
    const int dim = d * d;
    if (!n_qubits) gell_mann(basis, d);
    else
        for (int a = 0; a < dim; a++) pauli_string(basis + (size_t)a * (size_t)dim, a, d, n_qubits);
}

/* The basis and `more` matrices behind it. */
static double complex *take_basis(int d, int n_qubits, size_t more, struct kl_error *err)
{
    const size_t dim = (size_t)d * (size_t)d, bytes = (dim + more) * dim * sizeof(double complex);
    double complex *basis = malloc(bytes);
    if (basis) kl_control_basis(basis, d, n_qubits);
    else kl_fail_memory(err, bytes);
    return basis;
}

/* to += -i [h, x] */
static void add_commutator(double complex *to, const double complex *h, const double complex *x,
                           double complex *work, int d)
{
    product(work, h, x, d, false);
    for (int i = 0; i < d * d; i++) to[i] -= I * work[i];
    product(work, x, h, d, false);
    for (int i = 0; i < d * d; i++) to[i] += I * work[i];
}

/* to += l x l^+ - (l^+ l x + x l^+ l) / 2; square: l^+ l */
static void add_dissipator(double complex *to, const double complex *l, const double complex *square,
                           const double complex *x, double complex *work, int d)
{
    double complex *lx = work, *result = work + d * d;
    product(lx, l, x, d, false);
    product(result, lx, l, d, true);
    for (int i = 0; i < d * d; i++) to[i] += result[i];
    product(result, square, x, d, false);
    for (int i = 0; i < d * d; i++) to[i] -= result[i] / 2;
    product(result, x, square, d, false);
    for (int i = 0; i < d * d; i++) to[i] -= result[i] / 2;
}

/* Rounding leaves tiny values in place of 0: clear them, so that the generator stays sparse and keeps
   the trace exactly. */
static void clean(double *generator, int dim)
{
    double largest = 0;
    for (int i = 0; i < dim * dim; i++) largest = fmax(largest, fabs(generator[i]));
    for (int i = 0; i < dim * dim; i++)
        if (i < dim || fabs(generator[i]) < 1e-14 * largest) generator[i] = 0;
}

int kl_control_generator(double *generator, const double complex *hamiltonian,
                         const double complex *jumps, int n_jumps, int d, int n_qubits,
                         struct kl_error *err)
{
    const int dim = d * d;
    double complex *basis = take_basis(d, n_qubits, 4, err);
    if (!basis) return KL_ENOMEM;
    double complex *image = basis + (size_t)dim * (size_t)dim, *square = image + dim,
                   *work = square + dim;
    memset(generator, 0, (size_t)dim * (size_t)dim * sizeof *generator);
    for (int b = 0; b < dim; b++) {
        const double complex *x = basis + (size_t)b * (size_t)dim;
        memset(image, 0, (size_t)dim * sizeof *image);
        if (hamiltonian) add_commutator(image, hamiltonian, x, work, d);
        for (int j = 0; j < n_jumps; j++) {
            const double complex *l = jumps + (size_t)j * (size_t)dim;
            for (int i = 0; i < d; i++)
                for (int k = 0; k < d; k++) {
                    square[i * d + k] = 0;
                    for (int m = 0; m < d; m++) square[i * d + k] += conj(l[m * d + i]) * l[m * d + k];
                }
            add_dissipator(image, l, square, x, work, d);
        }
        for (int a = 0; a < dim; a++)
            generator[a * dim + b] = trace_of_product(basis + (size_t)a * (size_t)dim, image, d) / d;
    }
    clean(generator, dim);
    free(basis);
    return KL_OK;
}

int kl_control_transfer_of_unitary(double *transfer, const double complex *unitary, int d, int n_qubits,
                                   struct kl_error *err)
{
    const int dim = d * d;
    double complex *basis = take_basis(d, n_qubits, 2, err);
    if (!basis) return KL_ENOMEM;
    double complex *work = basis + (size_t)dim * (size_t)dim, *image = work + dim;
    for (int b = 0; b < dim; b++) {
        product(work, unitary, basis + (size_t)b * (size_t)dim, d, false);
        product(image, work, unitary, d, true);
        for (int a = 0; a < dim; a++)
            transfer[a * dim + b] = trace_of_product(basis + (size_t)a * (size_t)dim, image, d) / d;
    }
    free(basis);
    return KL_OK;
}

int kl_control_vector_of_state(double *vector, const double complex *rho, int d, int n_qubits,
                               struct kl_error *err)
{
    double complex *basis = take_basis(d, n_qubits, 0, err);
    if (!basis) return KL_ENOMEM;
    for (int a = 0; a < d * d; a++)
        vector[a] = trace_of_product(basis + (size_t)a * (size_t)d * (size_t)d, rho, d);
    free(basis);
    return KL_OK;
}

/* ---- eigenvalues ----
   Eigenvalues and eigenvectors of small Hermitian matrices, by Jacobi's rotations (Golub and Van Loan,
   Matrix Computations, 8.5). */

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
