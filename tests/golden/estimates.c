/* SPDX-License-Identifier: MIT
   Gradients from outputs at other angles against PennyLane's own (tests/golden/estimates.h5, written by
   make_estimates.py beside it), to 1e-10: the four-term rule alone, for each controlled rotation, and
   simultaneous perturbations along the same random directions. */
#include <math.h>
#include <string.h>

#include "circuit/estimate.h"
#include "golden.h"

enum { SAMPLES = 5, QUBITS = 3, WEIGHTS = 6, OBS = 2 };
static int failures;

static struct kl_circuit *make(enum kl_gate gate)
{
    struct kl_circuit *c;
    struct kl_error err;
    must(kl_circuit_begin(&c, QUBITS, QUBITS, WEIGHTS, &err), &err);
    for (int i = 0; i < 3 * QUBITS + WEIGHTS; i++) {
        const int q = i % QUBITS, k = i - 2 * QUBITS;
        struct kl_op op = { .gate = KL_RY, .wire = { q }, .angle = { { KL_INPUT, q, -1, 1, 0 } } };
        if (i >= QUBITS) op.gate = KL_H;
        if (k >= 0)
            op = (struct kl_op){ .gate = gate,
                                 .wire = { k % QUBITS, (k + 1 + k / QUBITS) % QUBITS },
                                 .angle = { { KL_WEIGHT, k, -1, 1, 0 } } };
        if (k >= WEIGHTS)
            op = (struct kl_op){ .gate = KL_RX, .wire = { q }, .angle = { { KL_INPUT, q, -1, 1, 0 } } };
        must(kl_circuit_append(c, &op, &err), &err);
    }
    must(kl_circuit_observe(c, (struct kl_pauli){ 0, 1 }, &err), &err);
    must(kl_circuit_observe(c, (struct kl_pauli){ 6, 4 }, &err), &err);
    must(kl_circuit_finish(c, &err), &err);
    return c;
}

static void compare(const char *name, hid_t group, const char *what, const double *found, size_t n)
{
    double expected[SAMPLES * WEIGHTS];
    golden_need(golden_values(expected, SAMPLES * WEIGHTS, group, what) == n, what);
    for (size_t i = 0; i < n; i++) {
        if (fabs(found[i] - expected[i]) <= 1e-10) continue;
        fprintf(stderr, "%s: %s[%zu]: found %.15g, expected %.15g\n", name, what, i, found[i],
                expected[i]);
        failures++;
        return;
    }
}

static void check(hid_t file, const char *name, enum kl_gate gate, bool spsa)
{
    struct kl_circuit *c = make(gate);
    struct kl_arena work;
    struct kl_error err;
    double x[SAMPLES * QUBITS], w[WEIGHTS], cot[SAMPLES * OBS], out[SAMPLES * OBS], dx[SAMPLES * QUBITS],
        dw[WEIGHTS] = { 0 };
    const struct kl_estimator e = {
        .circuit = c,
        .shots = { .seed = (uint64_t)7 << 32 | 5, .step = 3, .replica = 2 },
        .step = 0.1,
        .directions = 4,
    };
    hid_t group = H5Gopen2(file, name, H5P_DEFAULT);
    must(kl_arena_init(&work, 0, &err), &err);
    golden_need(golden_values(x, SAMPLES * QUBITS, group, "x") == SAMPLES * QUBITS, "x");
    golden_need(golden_values(w, WEIGHTS, group, "w") == WEIGHTS, "w");
    golden_need(golden_values(cot, SAMPLES * OBS, group, "cot") == SAMPLES * OBS, "cot");
    double *dangles = kl_arena_take(&work, kl_circuit_angles_size(c, SAMPLES), sizeof *dangles);
    must(kl_circuit_outputs_f64(out, &e, x, w, SAMPLES, &work, &err), &err);
    must((spsa ? kl_circuit_spsa_samples_f64 : kl_circuit_shift_samples_f64)(dx, dangles, &e, x, w, cot,
                                                                             SAMPLES, &work, &err),
         &err);
    kl_circuit_weights_f64(dw, dangles, c, SAMPLES);
    compare(name, group, "out", out, SAMPLES * OBS);
    compare(name, group, "grad_x", dx, SAMPLES * QUBITS);
    compare(name, group, "grad_w", dw, WEIGHTS);
    kl_arena_free(&work);
    kl_circuit_free(&c);
    H5Gclose(group);
}

int main(void)
{
    hid_t file = H5Fopen("tests/golden/estimates.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0) return 1;
    check(file, "controlled/CRX", KL_CRX, false);
    check(file, "controlled/CRY", KL_CRY, false);
    check(file, "controlled/CRZ", KL_CRZ, false);
    check(file, "spsa", KL_CRX, true);
    H5Fclose(file);
    return failures != 0;
}
