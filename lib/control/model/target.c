/* SPDX-License-Identifier: MIT
   What a pulse should do: gates and states by their names, or from files of arrays. */
#include "control/model/model_int.h"

#include <complex.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/model/model.h"
#include "weights/array.h"

/* An angle: products and quotients of numbers and pi, "-3*pi/4". */
static bool take_angle(double *angle, const char *text, const char *end)
{
    char *after;
    double value = 1;
    char joined = '*';
    if (*text == '-') value = -1, text++;
    for (;;) {
        double factor = M_PI;
        if (strncmp(text, "pi", 2) == 0) text += 2;
        else if (isdigit((unsigned char)*text) || *text == '.') {
            factor = strtod(text, &after);
            if (after == text) return false;
            text = after;
        } else return false;
        value = joined == '*' ? value * factor : value / factor;
        if (text >= end) break;
        joined = *text++;
        if (joined != '*' && joined != '/') return false;
    }
    *angle = value;
    return text == end && isfinite(value);
}

static void one_qubit(double complex *u, double complex a, double complex b, double complex c,
                      double complex d)
{
    u[0] = a, u[1] = b, u[2] = c, u[3] = d;
}

static bool fixed_gate(double complex *u, const char *name, size_t n)
{
    static const struct {
        const char *name;
        double complex m[4];
    } gates[] = { { "i", { 1, 0, 0, 1 } },
                  { "x", { 0, 1, 1, 0 } },
                  { "pauli_x", { 0, 1, 1, 0 } },
                  { "y", { 0, -I, I, 0 } },
                  { "pauli_y", { 0, -I, I, 0 } },
                  { "z", { 1, 0, 0, -1 } },
                  { "pauli_z", { 1, 0, 0, -1 } },
                  { "h", { M_SQRT1_2, M_SQRT1_2, M_SQRT1_2, -M_SQRT1_2 } },
                  { "hadamard", { M_SQRT1_2, M_SQRT1_2, M_SQRT1_2, -M_SQRT1_2 } },
                  { "s", { 1, 0, 0, I } },
                  { "sdg", { 1, 0, 0, -I } },
                  { "t", { 1, 0, 0, M_SQRT1_2 + I * M_SQRT1_2 } },
                  { "tdg", { 1, 0, 0, M_SQRT1_2 - I * M_SQRT1_2 } },
                  { "sx", { (1 + I) / 2, (1 - I) / 2, (1 - I) / 2, (1 + I) / 2 } } };
    for (size_t i = 0; i < sizeof gates / sizeof *gates; i++)
        if (strlen(gates[i].name) == n && strncasecmp(gates[i].name, name, n) == 0) {
            memcpy(u, gates[i].m, sizeof gates[i].m);
            return true;
        }
    return false;
}

/* cz, cnot, swap, iswap: where each of |00>, |01>, |10>, |11> goes, with its factor. */
static bool two_qubit_gate(double complex *u, const char *name, size_t n)
{
    static const struct {
        const char *name;
        int to[4];
        double complex factor[4];
    } gates[] = { { "cz", { 0, 1, 2, 3 }, { 1, 1, 1, -1 } },
                  { "cnot", { 0, 1, 3, 2 }, { 1, 1, 1, 1 } },
                  { "cx", { 0, 1, 3, 2 }, { 1, 1, 1, 1 } },
                  { "swap", { 0, 2, 1, 3 }, { 1, 1, 1, 1 } },
                  { "iswap", { 0, 2, 1, 3 }, { 1, I, I, 1 } } };
    for (size_t i = 0; i < sizeof gates / sizeof *gates; i++)
        if (strlen(gates[i].name) == n && strncasecmp(gates[i].name, name, n) == 0) {
            memset(u, 0, 16 * sizeof *u);
            for (int k = 0; k < 4; k++) u[gates[i].to[k] * 4 + k] = gates[i].factor[k];
            return true;
        }
    return false;
}

/* NAME(ANGLE); returns rows, 0: it is none. */
static int turned_gate(double complex *u, const char *name, size_t n)
{
    static const char *const names[] = { "rx", "ry", "rz", "p", "cp", "rzz" };
    const char *const open = memchr(name, '(', n);
    double a;
    if (!open || name[n - 1] != ')' || !take_angle(&a, open + 1, name + n - 1)) return 0;
    size_t i = 0;
    const size_t length = (size_t)(open - name);
    while (i < 6 && (strlen(names[i]) != length || strncasecmp(names[i], name, length) != 0)) i++;
    const double c = cos(a / 2), s = sin(a / 2);
    const double complex phase = cos(a) + I * sin(a), minus = c - I * s, plus = c + I * s;
    switch (i) {
    case 0: one_qubit(u, c, -I * s, -I * s, c); return 2;
    case 1: one_qubit(u, c, -s, s, c); return 2;
    case 2: one_qubit(u, minus, 0, 0, plus); return 2;
    case 3: one_qubit(u, 1, 0, 0, phase); return 2;
    case 4:
    case 5: break;
    default: return 0;
    }
    memset(u, 0, 16 * sizeof *u);
    for (int k = 0; k < 4; k++)
        u[5 * k] = i == 4 ? (k == 3 ? phase : 1) : k == 0 || k == 3 ? minus : plus;
    return 4;
}

/* to (x) u, in place; false: too large. */
static bool append(struct kl_control_target *to, const double complex *u, int rows)
{
    double complex before[KL_CONTROL_MATRIX];
    const int d = to->d, all = d * rows;
    if (all > KL_CONTROL_MAX_LEVELS) return false;
    memcpy(before, to->u, sizeof before);
    for (int i = 0; i < all; i++)
        for (int j = 0; j < all; j++)
            to->u[i * all + j] = before[i / rows * d + j / rows] * u[i % rows * rows + j % rows];
    to->d = all;
    return true;
}

int kl_control_target_gate(struct kl_control_target *target, const char *text, int d,
                           struct kl_error *err)
{
    *target = (struct kl_control_target){ .d = 1, .u = { 1 } };
    snprintf(target->name, sizeof target->name, "%s", text);
    for (const char *at = text;; at++) {
        double complex u[16];
        const size_t n = strcspn(at, ",");
        int rows = fixed_gate(u, at, n) ? 2 : two_qubit_gate(u, at, n) ? 4 : 0;
        if (!rows) rows = turned_gate(u, at, n);
        if (!rows)
            return kl_fail(err, KL_EUSAGE, "target: found '%.*s', expected one of " KL_CONTROL_GATES,
                           n < 40 ? (int)n : 40, at);
        if (!append(target, u, rows))
            return kl_fail(err, KL_EUSAGE, "target: '%.60s' has more than %d levels", text,
                           (int)KL_CONTROL_MAX_LEVELS);
        at += n;
        if (!*at) break;
    }
    if (target->d == d) return KL_OK;
    return kl_fail(
        err, KL_EUSAGE,
        "target: '%.60s' is a gate of %d levels, the system computes with %d; gates of several "
        "qubits stand between commas: h,i%s",
        text, target->d, d,
        target->d < d ? "; of two oscillators, levels: [3, 3], the lowest levels of each compute" : "");
}

int kl_control_target_matrix(struct kl_control_target *target, const char *name,
                             const double complex *matrix, int d, struct kl_error *err)
{
    double worst = 0;
    *target = (struct kl_control_target){ .d = d };
    snprintf(target->name, sizeof target->name, "%s", name);
    memcpy(target->u, matrix, (size_t)d * (size_t)d * sizeof *matrix);
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++) {
            double complex sum = -(i == j);
            for (int k = 0; k < d; k++) sum += conj(matrix[k * d + i]) * matrix[k * d + j];
            if (!(cabs(sum) <= worst)) worst = cabs(sum); /* NaN too */
        }
    if (worst <= 1e-8) return KL_OK;
    return kl_fail(
        err, KL_EDATA,
        "target %.60s: the matrix is not unitary: U^+ U deviates from 1 by %.3g, expected at most "
        "1e-8",
        name, worst);
}

int kl_control_state_text(double complex *amplitudes, const char *text, int d, int n_qubits,
                          struct kl_error *err)
{
    static const char letters[] = "01+-rl";
    static const double complex states[6][2] = {
        { 1, 0 },
        { 0, 1 },
        { M_SQRT1_2, M_SQRT1_2 },
        { M_SQRT1_2, -M_SQRT1_2 },
        { M_SQRT1_2, M_SQRT1_2 * I },
        { M_SQRT1_2, -M_SQRT1_2 * I },
    };
    const size_t n = strlen(text);
    if (!n_qubits && n == 1 && *text >= '0' && *text < '0' + d) {
        for (int i = 0; i < d; i++) amplitudes[i] = i == *text - '0';
        return KL_OK;
    }
    if (n != (size_t)n_qubits || !n || strspn(text, letters) != n)
        return kl_fail(err, KL_EUSAGE,
                       n_qubits
                           ? "state: found '%.40s', expected %d of the letters 0, 1, +, -, r, l"
                           : "state: found '%.40s', expected the number of one of %d levels, from 0",
                       text, n_qubits ? n_qubits : d);
    for (int i = 0; i < d; i++) {
        amplitudes[i] = 1;
        for (int q = 0; q < n_qubits; q++)
            amplitudes[i] *= states[strchr(letters, text[q]) - letters][i >> (n_qubits - 1 - q) & 1];
    }
    return KL_OK;
}

/* ---- small matrices from files ---- */
enum { MOST_NUMBERS = 1 << 16 }; /* of a shape that is then refused, too */

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
        if (kl_weights_file_length(text, others[i].ending)) return (int)i;
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
