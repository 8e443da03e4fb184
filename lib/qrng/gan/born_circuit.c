/* SPDX-License-Identifier: MIT
   The circuit of the study's quantum generator. */
#include "qrng/gan/gan.h"

/* Qubit 0, the least significant bit of an outcome, is the last wire. */
static int wire(int n_qubits, int qubit)
{
    return n_qubits - 1 - qubit;
}

static int rotate_all(struct kl_circuit *c, enum kl_gate gate, int *weight, struct kl_error *err)
{
    int code = KL_OK;
    for (int q = 0; q < c->n_qubits && !code; q++) {
        const struct kl_op op = { .gate = gate,
                                  .wire = { wire(c->n_qubits, q) },
                                  .angle = { { KL_WEIGHT, (*weight)++, -1, 1, 0 } } };
        code = kl_circuit_append(c, &op, err);
    }
    return code;
}

static int entangle(struct kl_circuit *c, struct kl_error *err)
{
    int code = KL_OK;
    for (int q = c->n_qubits - 2; q >= 0 && !code; q--) {
        const struct kl_op op = { .gate = KL_CNOT,
                                  .wire = { wire(c->n_qubits, q), wire(c->n_qubits, q + 1) } };
        code = kl_circuit_append(c, &op, err);
    }
    return code;
}

int kl_born_circuit(struct kl_circuit **circuit, int n_qubits, int repetitions, struct kl_error *err)
{
    int weight = 0;
    int code = kl_circuit_begin(circuit, n_qubits, 0, (size_t)(2 * n_qubits * (repetitions + 1)), err);
    for (int q = 0; q < n_qubits && !code; q++)
        code = kl_circuit_append(*circuit, &(struct kl_op){ .gate = KL_H, .wire = { q } }, err);
    for (int l = 0; l <= repetitions && !code; l++) {
        code = rotate_all(*circuit, KL_RY, &weight, err);
        if (!code) code = rotate_all(*circuit, KL_RZ, &weight, err);
        if (!code && l < repetitions) code = entangle(*circuit, err);
    }
    if (!code) code = kl_circuit_observe_probabilities(*circuit, err);
    if (!code) code = kl_circuit_finish(*circuit, err);
    if (code) kl_circuit_free(circuit);
    return code;
}
