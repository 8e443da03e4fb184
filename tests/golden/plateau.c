/* SPDX-License-Identifier: MIT
   Cells of a plateau scan against PennyLane on the very same parameters (tests/golden/plateau.h5,
   written by make_plateau.py beside it): gradients by shift and by adjoint to 1e-10, variances to 1e-10
   of them. */
#include <hdf5.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plateau/plateau_int.h"

enum { MOST = 4096 };
static int failures;

static void must(int code, const struct kl_error *err)
{
    if (!code) return;
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

static void text_of(char text[64], hid_t group, const char *name)
{
    hid_t attribute = H5Aopen(group, name, H5P_DEFAULT), type = H5Aget_type(attribute);
    memset(text, 0, 64);
    if (H5Tget_size(type) >= 64 || H5Aread(attribute, type, text) < 0) exit(1);
    H5Tclose(type), H5Aclose(attribute);
}

static double number_of(hid_t group, const char *name)
{
    double value = 0;
    hid_t attribute = H5Aopen(group, name, H5P_DEFAULT);
    if (H5Aread(attribute, H5T_NATIVE_DOUBLE, &value) < 0) exit(1);
    H5Aclose(attribute);
    return value;
}

static size_t values_of(double *values, hid_t group, const char *name)
{
    hid_t set = H5Dopen2(group, name, H5P_DEFAULT), space = H5Dget_space(set);
    size_t n = (size_t)H5Sget_simple_extent_npoints(space);
    if (n > MOST || H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) exit(1);
    H5Sclose(space), H5Dclose(set);
    return n;
}

static void compare(const char *group, const char *what, size_t i, double found, double expected,
                    double bound)
{
    if (fabs(found - expected) <= bound) return;
    fprintf(stderr, "%s: %s[%zu]: found %.15g, expected %.15g\n", group, what, i, found, expected);
    failures++;
}

/* Each parameter alone by its shift rule, then all of them at once by the adjoint sweep. */
static void check_gradients(const char *name, const struct kl_plateau_options *options, int n,
                            int layers, const char *strings, const double *expected, size_t n_expected)
{
    struct kl_plateau_options o = *options;
    struct kl_plateau_cell cell;
    struct kl_error err;
    struct kl_arena work;
    char number[16];
    size_t parameters = 1;
    must(kl_arena_init(&work, 0, &err), &err);
    for (size_t k = 0; k <= parameters; k++) {
        snprintf(number, sizeof number, "%zu", k);
        o.parameter = k == parameters ? "all" : number;
        must(kl_plateau_cell_make(&cell, &o, n, layers, strings, &err), &err);
        parameters = cell.n_parameters;
        const size_t n_obs = cell.circuit->n_obs, draws = (size_t)o.draws, n_g = cell.n_gradients;
        if (n_obs * draws * parameters != n_expected || (cell.shifted != 0) != (k < parameters)) {
            fprintf(stderr, "%s: %zu parameters, shift %d\n", name, parameters, cell.shifted);
            exit(1);
        }
        cell.gradients = malloc(n_obs * draws * n_g * sizeof *cell.gradients);
        must(kl_plateau_gradients(&cell, &o, 0, 5, &work, &err), &err);
        must(kl_plateau_gradients(&cell, &o, 5, draws - 5, &work, &err), &err);
        for (size_t i = 0; i < n_obs * draws; i++)
            for (size_t j = 0; j < n_g; j++)
                compare(name, o.parameter, i, cell.gradients[i * n_g + j],
                        expected[i * parameters + cell.first + j], 1e-10);
        kl_plateau_cell_free(&cell);
    }
    kl_arena_free(&work);
}

static void check_variance(const char *name, const struct kl_plateau_options *options,
                           const char *parameter, const double *expected)
{
    struct kl_plateau_options o = *options;
    struct kl_plateau p;
    struct kl_error err;
    o.parameter = parameter;
    must(kl_plateau_scan(&p, &o, NULL, NULL, &err), &err);
    for (size_t k = 0; k < p.n_observables; k++) {
        compare(name, "variance", k, p.variance[k], expected[k], 1e-10 * expected[k] + 1e-20);
        if (p.variance[k] > KL_PLATEAU_ROUNDING &&
            !(p.low[k] < expected[k] && expected[k] < p.high[k])) {
            fprintf(stderr, "%s: interval [%g, %g] without %g\n", name, p.low[k], p.high[k],
                    expected[k]);
            failures++;
        }
    }
    kl_plateau_free(&p);
}

static herr_t check(hid_t file, const char *name, const H5L_info_t *info, void *context)
{
    static double gradients[MOST], variance[MOST];
    char ansatz[64], observables[64], qubits[64], layers[64], strings[256];
    char names[KL_PLATEAU_LIST][KL_PLATEAU_NAME];
    struct kl_plateau_options o;
    struct kl_error err;
    size_t n_names;
    hid_t group = H5Gopen2(file, name, H5P_DEFAULT);
    (void)info;
    text_of(ansatz, group, "ansatz"), text_of(observables, group, "observables");
    text_of(qubits, group, "qubits"), text_of(layers, group, "layers");
    kl_plateau_options_default(&o);
    o.ansatz = ansatz, o.observables = observables, o.qubits = qubits, o.layers = layers;
    o.draws = (int64_t)number_of(group, "draws"), o.seed = (int64_t)number_of(group, "seed");
    o.spread = number_of(group, "spread"), o.initial = number_of(group, "initial");
    must(kl_plateau_names(names, &n_names, observables, &err), &err);
    must(kl_plateau_strings(strings, sizeof strings, names, n_names, atoi(qubits), &err), &err);
    const size_t n = values_of(gradients, group, "gradients");
    check_gradients(name, &o, atoi(qubits), atoi(layers), strings, gradients, n);
    values_of(variance, group, "variance_first");
    check_variance(name, &o, "0", variance);
    values_of(variance, group, "variance_all");
    check_variance(name, &o, "all", variance);
    H5Gclose(group);
    ++*(int *)context;
    return 0;
}

int main(void)
{
    int groups = 0;
    hid_t file = H5Fopen("tests/golden/plateau.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0 || H5Literate(file, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, check, &groups) < 0) return 1;
    H5Fclose(file);
    if (groups < 5) failures++;
    printf("%d cells\n", groups);
    return failures != 0;
}
