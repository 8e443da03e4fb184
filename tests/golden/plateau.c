/* SPDX-License-Identifier: MIT
   Cells of a plateau scan against PennyLane on the very same parameters (tests/golden/plateau.h5,
   written by make_plateau.py beside it): gradients by shift and by adjoint to 1e-10, variances to 1e-10
   of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plateau/plateau_int.h"
#include "golden.h"

enum { MOST = 4096 };
static int failures;

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
    golden_text(ansatz, sizeof ansatz, group, "ansatz"),
        golden_text(observables, sizeof observables, group, "observables");
    golden_text(qubits, sizeof qubits, group, "qubits"),
        golden_text(layers, sizeof layers, group, "layers");
    kl_plateau_options_default(&o);
    o.ansatz = ansatz, o.observables = observables, o.qubits = qubits, o.layers = layers;
    o.draws = (int64_t)golden_number(group, "draws"), o.seed = (int64_t)golden_number(group, "seed");
    o.spread = golden_number(group, "spread"), o.initial = golden_number(group, "initial");
    must(kl_plateau_names(names, &n_names, observables, &err), &err);
    must(kl_plateau_strings(strings, sizeof strings, names, n_names, atoi(qubits), &err), &err);
    const size_t n = golden_values(gradients, MOST, group, "gradients");
    check_gradients(name, &o, atoi(qubits), atoi(layers), strings, gradients, n);
    golden_values(variance, MOST, group, "variance_first");
    check_variance(name, &o, "0", variance);
    golden_values(variance, MOST, group, "variance_all");
    check_variance(name, &o, "all", variance);
    H5Gclose(group);
    ++*(int *)context;
    return 0;
}

int main(void)
{
    const int groups = golden_groups("tests/golden/plateau.h5", check);
    if (groups < 5) failures++;
    printf("%d cells\n", groups);
    return failures != 0;
}
