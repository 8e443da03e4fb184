/* SPDX-License-Identifier: MIT
   Circuits by name against PennyLane's templates and Qiskit's circuit library
   (tests/golden/ansaetze.h5), and against PennyLane's sums, marginals and fidelities, with and without
   noise (observables.h5); written by make_ansaetze.py and make_observables.py beside them. Outputs to
   1e-10, gradients to what their own method allows. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "circuit/circuit.h"
#include "golden.h"

enum { MOST = 4096 };
static int failures;

static void compare(const char *group, const char *what, const double *found, hid_t file, size_t n,
                    double bound)
{
    static double expected[MOST];
    if (golden_values(expected, MOST, file, what) != n) {
        fprintf(stderr, "%s: %s: another size than %zu\n", group, what, n);
        failures++;
        return;
    }
    for (size_t i = 0; i < n; i++) {
        if (fabs(found[i] - expected[i]) <= bound) continue;
        fprintf(stderr, "%s: %s[%zu]: found %.15g, expected %.15g\n", group, what, i, found[i],
                expected[i]);
        failures++;
        return;
    }
}

static void run(const char *name, hid_t group, const struct kl_circuit *c)
{
    static double x[MOST], w[MOST], cot[MOST], out[MOST], dx[MOST], dw[MOST];
    struct kl_arena work;
    struct kl_error err;
    size_t n_x = golden_values(x, MOST, group, "x"), n_w = golden_values(w, MOST, group, "w"),
           n_cot = golden_values(cot, MOST, group, "cot");
    size_t n = n_x / c->n_inputs;
    double bound = golden_number(group, "gradient_tolerance");
    if (n_w != c->n_weights || n_cot != n * c->n_obs) {
        fprintf(stderr, "%s: found %zu weights and %zu outputs, expected %zu and %zu\n", name,
                c->n_weights, n * c->n_obs, n_w, n_cot);
        failures++;
        return;
    }
    memset(dw, 0, sizeof dw);
    if (kl_arena_init(&work, 0, &err) ||
        kl_circuit_forward_f64(out, NULL, c, x, w, n, NULL, &work, &err) ||
        kl_circuit_adjoint_f64(dx, dw, NULL, c, x, w, cot, n, NULL, &work, &err)) {
        fprintf(stderr, "%s: %s\n", name, err.text);
        exit(1);
    }
    compare(name, "out", out, group, n_cot, 1e-10);
    compare(name, "grad_x", dx, group, n_x, bound);
    compare(name, "grad_w", dw, group, n_w, bound);
    kl_arena_free(&work);
}

static herr_t check(hid_t file, const char *name, const H5L_info_t *info, void *context)
{
    char embedding[32], ansatz[32], entanglement[32], observables[256], noise[512] = "";
    struct kl_circuit *c;
    struct kl_error err;
    hid_t group = H5Gopen2(file, name, H5P_DEFAULT);
    (void)info;
    golden_text(embedding, sizeof embedding, group, "embedding");
    golden_text(ansatz, sizeof ansatz, group, "ansatz");
    golden_text(entanglement, sizeof entanglement, group, "entanglement");
    golden_text(observables, sizeof observables, group, "observables");
    if (H5Aexists(group, "noise") > 0) golden_text(noise, sizeof noise, group, "noise");
    const struct kl_circuit_options o = {
        .n_qubits = (int)golden_number(group, "n_qubits"),
        .n_layers = (int)golden_number(group, "n_layers"),
        .embedding = embedding,
        .ansatz = ansatz,
        .entanglement = entanglement,
        .observables = observables,
        .noise = noise,
        .mirror = H5Aexists(group, "mirror") > 0 ? (int)golden_number(group, "mirror") : 0,
        .reupload = golden_number(group, "reupload") != 0,
        .learn_scale = H5Aexists(group, "learn_scale") > 0 && golden_number(group, "learn_scale") != 0
    };
    if (kl_circuit_build(&c, &o, &err)) {
        fprintf(stderr, "%s: %s\n", name, err.text);
        failures++;
    } else {
        run(name, group, c);
        kl_circuit_free(&c);
    }
    H5Gclose(group);
    ++*(int *)context;
    return 0;
}

static int check_file(const char *path, int least)
{
    const int groups = golden_groups(path, check);
    printf("%s: %d circuits\n", path, groups);
    return groups < least;
}

int main(void)
{
    failures += check_file("tests/golden/ansaetze.h5", 10);
    failures += check_file("tests/golden/observables.h5", 23);
    return failures != 0;
}
