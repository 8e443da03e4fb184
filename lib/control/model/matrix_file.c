/* SPDX-License-Identifier: MIT
   Small matrices from files of arrays; targets and states from them. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/model/model_int.h"
#include "weights/array.h"

enum { MOST_NUMBERS = 1 << 16 }; /* of a shape that is then refused, too */

/* Does a file's name end so, whatever dataset follows it, as in "a.h5:b/c"? */
static bool is_file_of(const char *text, const char *ending)
{
    const char *at = text;
    const size_t n = strlen(ending);
    while ((at = strstr(at, ending)) && at[n] && at[n] != ':') at++;
    return at && at > text;
}

/* Files of numbers that are not read, and what loads the second argument; qutip names them without their
   ending. */
static const struct {
    const char *ending, *import, *load;
    bool is_stem;
} others[] = {
    { ".csv", "", "n.loadtxt(sys.argv[2], complex, delimiter=chr(44))", false },
    { ".txt", "", "n.loadtxt(sys.argv[2], complex)", false },
    { ".dat", "", "n.loadtxt(sys.argv[2], complex)", false },
    { ".tsv", "", "n.loadtxt(sys.argv[2], complex)", false },
    { ".mtx", ", scipy.io, scipy.sparse",
      "scipy.sparse.coo_matrix(scipy.io.mmread(sys.argv[2])).toarray()", false },
    { ".qu", ", qutip", "qutip.qload(sys.argv[2]).full()", true },
};

static int find_other(const char *text)
{
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (is_file_of(text, others[i].ending)) return (int)i;
    return -1;
}

bool kl_control_is_matrix_file(const char *text)
{
    return kl_weights_is_array(text) || find_other(text) >= 0;
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

static bool is_symmetric(const double complex *m, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (m[i * n + j] != m[j * n + i]) return false;
    return true;
}

/* MATLAB's files are HDF5 from version 7.3 on. */
static int refuse_old_matlab(const char *path, struct kl_error *err)
{
    char first[11] = "", name[256];
    const char *end = strstr(path, ".mat");
    if (!end) return KL_OK;
    snprintf(name, sizeof name, "%.*s", (int)(end + 4 - path), path);
    FILE *file = fopen(name, "re");
    const size_t n = file ? fread(first, 1, sizeof first - 1, file) : 0;
    if (file) fclose(file);
    if (n < 10 || memcmp(first, "MATLAB 5.0", 10) != 0) return KL_OK;
    return kl_fail(
        err, KL_EDATA,
        "%s: MATLAB's format before 7.3, expected one of HDF5: save(..., '-v7.3'), or python3 -c "
        "'import sys, numpy as n, scipy.io as s; n.save(sys.argv[2], "
        "s.loadmat(sys.argv[1])[sys.argv[3]])' %s %.*s.npy %s",
        name, name, (int)(end - path), path, end[4] == ':' ? end + 5 : "NAME");
}

static void tell_order(char *how, const char *path, const struct kl_numbers *a, bool symmetric)
{
    if (!kl_weights_is_hdf5(path)) snprintf(how, KL_CONTROL_HOW, "%s", *a->mark ? a->mark : "C order");
    else if (*a->mark) snprintf(how, KL_CONTROL_HOW, "column by column: %s", a->mark);
    else if (!symmetric)
        snprintf(how, KL_CONTROL_HOW,
                 "row by row, as h5py shows it; from Julia, MATLAB or Fortran give its transpose");
}

static int read_array(double complex *matrix, int rows, int cols, const char *path, char *how,
                      struct kl_error *err)
{
    struct kl_numbers a;
    const size_t all = (size_t)rows * (size_t)cols;
    int code = refuse_old_matlab(path, err);
    if (!code) code = kl_weights_array_read(&a, path, MOST_NUMBERS, false, err);
    if (code) return code;
    const bool pairs = kl_weights_is_hdf5(path) && !*a.mark && !a.pairs && a.rank >= 1 &&
                       a.dims[a.rank - 1] == 2 && fits(a.rank - 1, a.dims, rows, cols);
    if (!pairs && !fits(a.rank, a.dims, rows, cols))
        code = wrong_shape(path, a.rank, a.dims, rows, cols, err);
    for (size_t i = 0; i < all && !code; i++)
        matrix[i] = pairs || a.pairs ? a.values[2 * i] + I * a.values[2 * i + 1] : a.values[i];
    if (!code && cols > 1) tell_order(how, path, &a, is_symmetric(matrix, rows));
    kl_store_numbers_free(&a);
    return code;
}

/* A kind of file that is not read. */
static int refuse_other(const char *path, int other, struct kl_error *err)
{
    const int length = (int)(strrchr(path, ':') ? strrchr(path, ':') - path : (ptrdiff_t)strlen(path)),
              stem = length - (int)strlen(others[other].ending);
    return kl_fail(
        err, KL_EDATA,
        "%s: is not read, expected .npy or FILE.h5:DATASET: python3 -c 'import sys, numpy as n%s; "
        "n.save(sys.argv[1], %s)' %.*s.npy %.*s",
        path, others[other].import, others[other].load, stem, path,
        others[other].is_stem ? stem : length, path);
}

int kl_control_matrix_read(double complex *matrix, int rows, int cols, const char *path,
                           const char *beside, char how[KL_CONTROL_HOW], struct kl_error *err)
{
    char own[KL_CONTROL_HOW], *where = resolve(path, beside);
    if (!where) return kl_fail_memory(err, strlen(path));
    const int other = find_other(where);
    char *const to = how ? how : own;
    *to = 0;
    int code =
        other >= 0 ? refuse_other(where, other, err) : read_array(matrix, rows, cols, where, to, err);
    for (int i = 0; i < rows * cols && !code; i++)
        if (!isfinite(creal(matrix[i])) || !isfinite(cimag(matrix[i])))
            code = kl_fail(err, KL_EDATA, "%s: entry (%d, %d) is not finite", where, i / cols, i % cols);
    free(where);
    return code;
}

int kl_control_target_beside(struct kl_control_target *target, const char *text, int d,
                             const char *beside, char how[KL_CONTROL_HOW], struct kl_error *err)
{
    double complex matrix[KL_CONTROL_MATRIX];
    if (how) *how = 0;
    if (*text == '{') return kl_control_target_parse(target, text, d, err);
    if (!kl_control_is_matrix_file(text)) return kl_control_target_gate(target, text, d, err);
    const int code = kl_control_matrix_read(matrix, d, d, text, beside, how, err);
    return code ? code : kl_control_target_matrix(target, text, matrix, d, err);
}

int kl_control_target_make(struct kl_control_target *target, const char *text, int d,
                           char how[KL_CONTROL_HOW], struct kl_error *err)
{
    return kl_control_target_beside(target, text, d, NULL, how, err);
}

int kl_control_state_beside(double complex *amplitudes, const char *text, int d, int n_qubits,
                            const char *beside, struct kl_error *err)
{
    double norm = 0;
    if (!kl_control_is_matrix_file(text))
        return kl_control_state_text(amplitudes, text, d, n_qubits, err);
    const int code = kl_control_matrix_read(amplitudes, d, 1, text, beside, NULL, err);
    if (code) return code;
    for (int i = 0; i < d; i++) norm = hypot(norm, cabs(amplitudes[i]));
    if (!(norm > 0) || !isfinite(norm))
        return kl_fail(err, KL_EDATA, "%s: the state has norm %g", text, norm);
    for (int i = 0; i < d; i++) amplitudes[i] /= norm;
    return KL_OK;
}
