/* SPDX-License-Identifier: MIT */
#include "circuit/circuit.h"

static int append_layer(struct kl_circuit *c, int layer, struct kl_error *err)
{
    int n = c->n_qubits, code = KL_OK;
    for (int q = 0; !code && q < n; q++) {
        struct kl_op ry = { .gate = KL_RY,
                            .wire = { q },
                            .angle = { { KL_WEIGHT, layer * n + q, -1, 1 } } };
        code = kl_circuit_append(c, &ry, err);
    }
    for (int q = 0; !code && n > 1 && q < n; q++) {
        struct kl_op cnot = { .gate = KL_CNOT, .wire = { q, (q + 1) % n } };
        code = kl_circuit_append(c, &cnot, err);
    }
    return code;
}

int kl_circuit_ry_ring(struct kl_circuit **circuit, int n_qubits, int n_layers, struct kl_error *err)
{
    *circuit = NULL;
    if (n_layers < 0 || n_layers > 10000)
        return kl_fail(err, KL_EUSAGE, "ry-ring: found %d layers, expected 0 to 10000", n_layers);
    int code = kl_circuit_begin(circuit, n_qubits, (size_t)(n_qubits > 0 ? n_qubits : 0),
                                (size_t)(n_qubits > 0 ? n_qubits : 0) * (size_t)n_layers, err);
    for (int q = 0; !code && q < n_qubits; q++) {
        struct kl_op ry = { .gate = KL_RY, .wire = { q }, .angle = { { KL_INPUT, q, -1, 1 } } };
        code = kl_circuit_append(*circuit, &ry, err);
    }
    for (int l = 0; !code && l < n_layers; l++) code = append_layer(*circuit, l, err);
    for (int q = 0; !code && q < n_qubits; q++)
        code = kl_circuit_observe(*circuit, (struct kl_pauli){ .z = 1u << q }, err);
    if (!code) code = kl_circuit_finish(*circuit, err);
    if (code) kl_circuit_free(circuit);
    return code;
}
