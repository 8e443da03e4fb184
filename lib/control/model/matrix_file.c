/* SPDX-License-Identifier: MIT
   Small matrices from files: an array of NumPy (.npy), a dataset of HDF5, whoever wrote it; targets and
   states from them. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/model/model_int.h"
#include "store/numbers.h"
#include "weights/weights.h"

enum { LARGEST_FILE = 1 << 20 };

/* Does a file's name end so, whatever dataset follows it, as in "a.h5:b/c"? */
static bool is_file_of(const char *text, const char *ending)
{
    const char *at = text;
    const size_t n = strlen(ending);
    while ((at = strstr(at, ending)) && at[n] && at[n] != ':') at++;
    return at && at > text;
}

static bool is_hdf5(const char *text)
{
    static const char *const endings[] = { ".h5", ".hdf5", ".mat", ".jld2" };
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (is_file_of(text, endings[i])) return true;
    return false;
}

/* Files of numbers that are not read, and what loads the second argument; qutip names them without their
   ending, an array of an archive is the third. */
static const struct {
    const char *ending, *import, *load;
    bool is_stem, is_archive;
} others[] = {
    { ".npz", "", "n.load(sys.argv[2])[sys.argv[3]]", false, true },
    { ".csv", "", "n.loadtxt(sys.argv[2], complex, delimiter=chr(44))", false, false },
    { ".txt", "", "n.loadtxt(sys.argv[2], complex)", false, false },
    { ".dat", "", "n.loadtxt(sys.argv[2], complex)", false, false },
    { ".tsv", "", "n.loadtxt(sys.argv[2], complex)", false, false },
    { ".mtx", ", scipy.io, scipy.sparse",
      "scipy.sparse.coo_matrix(scipy.io.mmread(sys.argv[2])).toarray()", false, false },
    { ".qu", ", qutip", "qutip.qload(sys.argv[2]).full()", true, false },
};

static int find_other(const char *text)
{
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (is_file_of(text, others[i].ending)) return (int)i;
    return -1;
}

bool kl_control_is_matrix_file(const char *text)
{
    return is_file_of(text, ".npy") || is_hdf5(text) || find_other(text) >= 0;
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

/* Element i of an array of NumPy, of `size` bytes; false: a type that is not read. */
static bool element(double complex *value, const char *descr, const unsigned char *data, size_t size,
                    size_t i)
{
    union {
        unsigned char bytes[16];
        float f[2];
        double d[2];
        int8_t i1;
        int16_t i2;
        int32_t i4;
        int64_t i8;
        uint8_t u1;
        uint16_t u2;
        uint32_t u4;
    } v;
    const char *type = descr + 1;
    const size_t part = *type == 'c' ? size / 2 : size;
    if (size > sizeof v) return false;
    for (size_t b = 0; b < size; b++) /* big-endian ones, byte by byte */
        v.bytes[*descr == '>' ? b / part * part + part - 1 - b % part : b] = data[i * size + b];
    if (strcmp(type, "c16") == 0) *value = v.d[0] + I * v.d[1];
    else if (strcmp(type, "c8") == 0) *value = v.f[0] + I * (double)v.f[1];
    else if (strcmp(type, "f8") == 0) *value = v.d[0];
    else if (strcmp(type, "f4") == 0) *value = v.f[0];
    else if (strcmp(type, "i8") == 0) *value = (double)v.i8;
    else if (strcmp(type, "i4") == 0) *value = v.i4;
    else if (strcmp(type, "i2") == 0) *value = v.i2;
    else if (strcmp(type, "i1") == 0) *value = v.i1;
    else if (strcmp(type, "u4") == 0) *value = v.u4;
    else if (strcmp(type, "u2") == 0) *value = v.u2;
    else if (strcmp(type, "u1") == 0 || strcmp(type, "b1") == 0) *value = v.u1;
    else return false;
    return true;
}

/* Bytes of an element: what stands behind the letter of its type. */
static size_t size_of(const char *descr)
{
    return strlen(descr) > 2 ? strtoul(descr + 2, NULL, 10) : 0;
}

static int read_npy(double complex *matrix, int rows, int cols, const char *path, char *how,
                    struct kl_error *err)
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
    const size_t size = size_of(a.descr), all = (size_t)rows * (size_t)cols;
    if (!element(&first, a.descr, zeros, size, 0)) {
        code =
            kl_fail(err, KL_EDATA,
                    "%s: dtype %s, expected complex128, complex64, float64, float32 or whole numbers: "
                    "python3 -c 'import sys, numpy as n; n.save(sys.argv[1], "
                    "n.load(sys.argv[1]).astype(complex))' %s",
                    path, a.descr, path);
        goto out;
    }
    if (!fits(a.rank, a.dims, rows, cols)) {
        code = wrong_shape(path, a.rank, a.dims, rows, cols, err);
        goto out;
    }
    if (n - a.begin != all * size) {
        code = kl_fail(err, KL_EDATA, "%s: %zu bytes of data, its shape and dtype need %zu", path,
                       n - a.begin, all * size);
        goto out;
    }
    for (size_t i = 0; i < all; i++) {
        const size_t r = i / (size_t)cols, c = i % (size_t)cols;
        element(&matrix[i], a.descr, data + a.begin, size, a.fortran ? c * (size_t)rows + r : i);
    }
    if (cols > 1) snprintf(how, KL_CONTROL_HOW, "%s order", a.fortran ? "Fortran" : "C");
out:
    free(bytes);
    return code;
}

static bool is_symmetric(const double complex *m, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (m[i * n + j] != m[j * n + i]) return false;
    return true;
}

/* Sizes as the program that wrote it has them: columns first where it stores these. */
static void turn_sizes(struct kl_numbers *a, bool pairs)
{
    if (a->rank - pairs != 2) return;
    const size_t rows = a->dims[0];
    a->dims[0] = a->dims[1], a->dims[1] = rows;
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

static int read_hdf5(double complex *matrix, int rows, int cols, const char *path, char *how,
                     struct kl_error *err)
{
    struct kl_numbers a;
    const size_t all = (size_t)rows * (size_t)cols;
    int code = refuse_old_matlab(path, err);
    if (!code) code = kl_store_foreign_numbers(&a, path, 2 * all, err);
    if (code) return code;
    const bool columns = *a.mark;
    if (columns) turn_sizes(&a, false);
    const bool pairs = !columns && !a.pairs && a.rank >= 1 && a.dims[a.rank - 1] == 2 &&
                       fits(a.rank - 1, a.dims, rows, cols);
    if (!pairs && !fits(a.rank, a.dims, rows, cols))
        code = wrong_shape(path, a.rank, a.dims, rows, cols, err);
    for (size_t i = 0; i < all && !code; i++) {
        const size_t at = columns ? i % (size_t)cols * (size_t)rows + i / (size_t)cols : i;
        matrix[i] = pairs || a.pairs ? a.values[2 * at] + I * a.values[2 * at + 1] : a.values[at];
    }
    free(a.values);
    if (code || cols == 1) return code;
    if (columns) snprintf(how, KL_CONTROL_HOW, "column by column: %s", a.mark);
    else if (!is_symmetric(matrix, rows))
        snprintf(how, KL_CONTROL_HOW,
                 "row by row, as h5py shows it; from Julia, MATLAB or Fortran give its transpose");
    return code;
}

/* A kind of file that is not read. */
static int refuse_other(const char *path, int other, struct kl_error *err)
{
    const char *colon = strrchr(path, ':'), *name = colon ? colon + 1 : "NAME",
               *kind = others[other].ending;
    const int length = (int)(colon ? colon - path : (ptrdiff_t)strlen(path)),
              stem = length - (int)strlen(kind);
    return kl_fail(
        err, KL_EDATA,
        "%s: is not read, expected .npy or FILE.h5:DATASET: python3 -c 'import sys, numpy as n%s; "
        "n.save(sys.argv[1], %s)' %.*s.npy %.*s%s%s",
        path, others[other].import, others[other].load, stem, path,
        others[other].is_stem ? stem : length, path, others[other].is_archive ? " " : "",
        others[other].is_archive ? name : "");
}

int kl_control_matrix_read(double complex *matrix, int rows, int cols, const char *path,
                           const char *beside, char how[KL_CONTROL_HOW], struct kl_error *err)
{
    char own[KL_CONTROL_HOW], *where = resolve(path, beside);
    if (!where) return kl_fail_memory(err, strlen(path));
    const int other = find_other(where);
    char *const to = how ? how : own;
    *to = 0;
    int code = other >= 0       ? refuse_other(where, other, err)
               : is_hdf5(where) ? read_hdf5(matrix, rows, cols, where, to, err)
                                : read_npy(matrix, rows, cols, where, to, err);
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
