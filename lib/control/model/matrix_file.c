/* SPDX-License-Identifier: MIT
   Small matrices from files: an array of NumPy (.npy), a dataset of HDF5; targets and states from them.
 */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/model/model_int.h"
#include "store/numbers.h"
#include "weights/weights.h"

enum { LARGEST_FILE = 1 << 20 };

static bool ends_with(const char *text, const char *ending)
{
    const size_t n = strlen(text), m = strlen(ending);
    return n > m && strcmp(text + n - m, ending) == 0;
}

/* FILE.h5:DATASET, or without a dataset, of which the reader then asks for one. */
static bool is_hdf5(const char *text)
{
    return strstr(text, ".h5:") || strstr(text, ".hdf5:") || strstr(text, ".mat:") ||
           ends_with(text, ".h5") || ends_with(text, ".hdf5");
}

bool kl_control_is_matrix_file(const char *text)
{
    return ends_with(text, ".npy") || is_hdf5(text);
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

/* Element i of an array of NumPy; false: a type that is not read. */
static bool element(double complex *value, const char *descr, const unsigned char *data, size_t i)
{
    float f[2];
    double d[2];
    int32_t i4;
    int64_t i8;
    if (strcmp(descr, "<c16") == 0) memcpy(d, data + 16 * i, 16), *value = d[0] + I * d[1];
    else if (strcmp(descr, "<c8") == 0) memcpy(f, data + 8 * i, 8), *value = f[0] + I * (double)f[1];
    else if (strcmp(descr, "<f8") == 0) memcpy(d, data + 8 * i, 8), *value = d[0];
    else if (strcmp(descr, "<f4") == 0) memcpy(f, data + 4 * i, 4), *value = f[0];
    else if (strcmp(descr, "<i8") == 0) memcpy(&i8, data + 8 * i, 8), *value = (double)i8;
    else if (strcmp(descr, "<i4") == 0) memcpy(&i4, data + 4 * i, 4), *value = i4;
    else return false;
    return true;
}

static int read_npy(double complex *matrix, int rows, int cols, const char *path, struct kl_error *err)
{
    char *bytes = NULL;
    size_t n;
    struct kl_npy a;
    int code = kl_read_text(&bytes, &n, path, LARGEST_FILE, "a small array of NumPy", err);
    if (code) return code;
    const unsigned char *data = (const unsigned char *)bytes;
    code = kl_weights_npy_header(&a, path, "data", data, n, err);
    double complex first;
    static const unsigned char zeros[16];
    if (code) goto out;
    if (!element(&first, a.descr, zeros, 0)) {
        code = kl_fail(err, KL_EDATA,
                       "%s: dtype %s, expected complex128, complex64, float64, float32, int64 or int32",
                       path, a.descr);
        goto out;
    }
    if (!fits(a.rank, a.dims, rows, cols)) {
        code = wrong_shape(path, a.rank, a.dims, rows, cols, err);
        goto out;
    }
    const size_t size = strcmp(a.descr, "<c16") == 0 ? 16
                        : a.descr[2] == '4'          ? 4
                                                     : 8,
                 all = (size_t)rows * (size_t)cols;
    if (n - a.begin != all * size) {
        code = kl_fail(err, KL_EDATA, "%s: %zu bytes of data, its shape and dtype need %zu", path,
                       n - a.begin, all * size);
        goto out;
    }
    for (size_t i = 0; i < all; i++) {
        const size_t r = i / (size_t)cols, c = i % (size_t)cols;
        element(&matrix[i], a.descr, data + a.begin, a.fortran ? c * (size_t)rows + r : i);
    }
out:
    free(bytes);
    return code;
}

static int read_hdf5(double complex *matrix, int rows, int cols, const char *path, struct kl_error *err)
{
    struct kl_numbers a;
    const size_t all = (size_t)rows * (size_t)cols;
    int code = kl_store_foreign_numbers(&a, path, 2 * all, err);
    if (code) return code;
    const bool pairs =
        !a.pairs && a.rank >= 1 && a.dims[a.rank - 1] == 2 && fits(a.rank - 1, a.dims, rows, cols);
    if (!pairs && !fits(a.rank, a.dims, rows, cols))
        code = wrong_shape(path, a.rank, a.dims, rows, cols, err);
    for (size_t i = 0; i < all && !code; i++)
        matrix[i] = pairs || a.pairs ? a.values[2 * i] + I * a.values[2 * i + 1] : a.values[i];
    free(a.values);
    return code;
}

int kl_control_matrix_read(double complex *matrix, int rows, int cols, const char *path,
                           const char *beside, struct kl_error *err)
{
    char *where = resolve(path, beside);
    if (!where) return kl_fail_memory(err, strlen(path));
    int code = is_hdf5(where) ? read_hdf5(matrix, rows, cols, where, err)
                              : read_npy(matrix, rows, cols, where, err);
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
