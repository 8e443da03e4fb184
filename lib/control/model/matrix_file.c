/* SPDX-License-Identifier: MIT
   Small matrices from files of arrays; targets and states from them. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/model/model_int.h"
#include "weights/array.h"

enum { MOST_NUMBERS = 1 << 16 }; /* of a shape that is then refused, too */

bool kl_control_is_matrix_file(const char *text)
{
    return kl_weights_is_array(text);
}

/* malloc'ed */
static char *resolve(const char *path, const char *beside)
{
    char *all = NULL;
    const char *slash = beside && *path != '/' ? strrchr(beside, '/') : NULL;
    if (!slash) return strdup(path);
    return asprintf(&all, "%.*s/%s", (int)(slash - beside), beside, path) < 0 ? NULL : all;
}

static int wrong_shape(const char *path, int rank, const size_t *dims, int rows, int cols,
                       struct kl_error *err)
{
    char found[100] = "", expected[40];
    for (int i = 0, n = 0; i < rank && i < 4 && n < 80; i++)
        n += snprintf(found + n, sizeof found - (size_t)n, "%s%zu", i ? ", " : "", dims[i]);
    if (cols > 1) snprintf(expected, sizeof expected, "(%d, %d)", rows, cols);
    else snprintf(expected, sizeof expected, "(%d)", rows);
    return kl_fail(err, KL_EDATA, "%s: found an array of shape (%s), expected %s", path, found,
                   expected);
}

/* Is the shape rows x cols, a vector where cols is 1? */
static bool fits(int rank, const size_t *dims, int rows, int cols)
{
    return (rank == 2 && dims[0] == (size_t)rows && dims[1] == (size_t)cols) ||
           (rank == 1 && cols == 1 && dims[0] == (size_t)rows);
}

static int read_array(double complex *matrix, int rows, int cols, const char *path, struct kl_error *err)
{
    struct kl_numbers a;
    const size_t all = (size_t)rows * (size_t)cols;
    int code = kl_weights_array_read(&a, path, MOST_NUMBERS, false, err);
    if (code) return code;
    const bool pairs = kl_weights_is_hdf5(path) && !a.pairs && a.rank >= 1 && a.dims[a.rank - 1] == 2 &&
                       fits(a.rank - 1, a.dims, rows, cols);
    if (!pairs && !fits(a.rank, a.dims, rows, cols))
        code = wrong_shape(path, a.rank, a.dims, rows, cols, err);
    for (size_t i = 0; i < all && !code; i++)
        matrix[i] = pairs || a.pairs ? a.values[2 * i] + I * a.values[2 * i + 1] : a.values[i];
    kl_store_numbers_free(&a);
    return code;
}

int kl_control_matrix_read(double complex *matrix, int rows, int cols, const char *path,
                           const char *beside, struct kl_error *err)
{
    char *where = resolve(path, beside);
    if (!where) return kl_fail_memory(err, strlen(path));
    int code = read_array(matrix, rows, cols, where, err);
    for (int i = 0; i < rows * cols && !code; i++)
        if (!isfinite(creal(matrix[i])) || !isfinite(cimag(matrix[i])))
            code = kl_fail(err, KL_EDATA, "%s: entry (%d, %d) is not finite", where, i / cols, i % cols);
    free(where);
    return code;
}

int kl_control_target_beside(struct kl_control_target *target, const char *text, int d,
                             const char *beside, struct kl_error *err)
{
    double complex matrix[KL_CONTROL_MATRIX];
    if (*text == '{') return kl_control_target_parse(target, text, d, err);
    if (!kl_control_is_matrix_file(text)) return kl_control_target_gate(target, text, d, err);
    const int code = kl_control_matrix_read(matrix, d, d, text, beside, err);
    return code ? code : kl_control_target_matrix(target, text, matrix, d, err);
}

int kl_control_target_make(struct kl_control_target *target, const char *text, int d,
                           struct kl_error *err)
{
    return kl_control_target_beside(target, text, d, NULL, err);
}

int kl_control_state_beside(double complex *amplitudes, const char *text, int d, int n_qubits,
                            const char *beside, struct kl_error *err)
{
    double norm = 0;
    if (!kl_control_is_matrix_file(text))
        return kl_control_state_text(amplitudes, text, d, n_qubits, err);
    const int code = kl_control_matrix_read(amplitudes, d, 1, text, beside, err);
    if (code) return code;
    for (int i = 0; i < d; i++) norm = hypot(norm, cabs(amplitudes[i]));
    if (!(norm > 0) || !isfinite(norm))
        return kl_fail(err, KL_EDATA, "%s: the state has norm %g", text, norm);
    for (int i = 0; i < d; i++) amplitudes[i] /= norm;
    return KL_OK;
}

int kl_control_state_make(double complex *amplitudes, const char *text, int d, int n_qubits,
                          struct kl_error *err)
{
    return kl_control_state_beside(amplitudes, text, d, n_qubits, NULL, err);
}
