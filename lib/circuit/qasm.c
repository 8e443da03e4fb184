/* SPDX-License-Identifier: MIT
   OpenQASM 3 (arXiv:2104.14722) of a circuit: inputs x_i and weights w_i are its `input` parameters; no
   measurement is added. Gates are those of stdgates.inc. */
#include <string.h>

#include "circuit/circuit.h"

static void angle(FILE *to, const struct kl_angle *a, double sign)
{
    const double scale = sign * a->scale;
    if (a->source == KL_CONSTANT) {
        fprintf(to, "(%.17g)", scale);
        return;
    }
    fputc('(', to);
    if (scale != 1) fprintf(to, "%.17g * ", scale);
    if (a->source == KL_INPUT && a->scaled) fprintf(to, "w_%d * ", a->scaled - 1);
    fprintf(to, "%c_%d", a->source == KL_WEIGHT ? 'w' : 'x', a->index);
    if (a->source == KL_INPUT && a->index2 >= 0) fprintf(to, " * x_%d", a->index2);
    fputc(')', to);
}

static void rotation(FILE *to, const char *name, const struct kl_angle *a, int wire)
{
    fputs(name, to);
    angle(to, a, 1);
    fprintf(to, " q[%d];\n", wire);
}

static void pair(FILE *to, const char *name, const struct kl_op *op, bool has_angle)
{
    fputs(name, to);
    if (has_angle) angle(to, &op->angle[0], 1);
    fprintf(to, " q[%d], q[%d];\n", op->wire[0], op->wire[1]);
}

/* exp(-i t/2 Z..Z): the parity is gathered on the last wire, turned there, and given back. */
static void multi_rz(FILE *to, const struct kl_op *op)
{
    int wires[KL_MAX_QUBITS], n = 0;
    for (int q = 0; q < KL_MAX_QUBITS; q++)
        if (op->mask >> q & 1) wires[n++] = q;
    for (int i = 0; i + 1 < n; i++) fprintf(to, "cx q[%d], q[%d];\n", wires[i], wires[i + 1]);
    rotation(to, "rz", &op->angle[0], wires[n - 1]);
    for (int i = n - 2; i >= 0; i--) fprintf(to, "cx q[%d], q[%d];\n", wires[i], wires[i + 1]);
}

static void gate(FILE *to, const struct kl_op *op)
{
    switch (op->gate) {
    case KL_RX: rotation(to, "rx", &op->angle[0], op->wire[0]); break;
    case KL_RY: rotation(to, "ry", &op->angle[0], op->wire[0]); break;
    case KL_RZ: rotation(to, "rz", &op->angle[0], op->wire[0]); break;
    case KL_ROT:
        rotation(to, "rz", &op->angle[0], op->wire[0]);
        rotation(to, "ry", &op->angle[1], op->wire[0]);
        rotation(to, "rz", &op->angle[2], op->wire[0]);
        break;
    case KL_H: fprintf(to, "h q[%d];\n", op->wire[0]); break;
    case KL_X: fprintf(to, "x q[%d];\n", op->wire[0]); break;
    case KL_CNOT: pair(to, "cx", op, false); break;
    case KL_CZ: pair(to, "cz", op, false); break;
    case KL_CRX: pair(to, "crx", op, true); break;
    case KL_CRY: pair(to, "cry", op, true); break;
    case KL_CRZ: pair(to, "crz", op, true); break;
    case KL_MULTIRZ: multi_rz(to, op); break;
    }
}

int kl_circuit_qasm(FILE *to, const struct kl_circuit *c, struct kl_error *err)
{
    if (c->amplitude_inputs)
        return kl_fail(err, KL_EUSAGE, "OpenQASM has no gate for an amplitude embedding");
    fputs("OPENQASM 3.0;\ninclude \"stdgates.inc\";\n", to);
    for (size_t i = 0; i < c->n_inputs; i++) fprintf(to, "input float[64] x_%zu;\n", i);
    for (size_t i = 0; i < c->n_weights; i++) fprintf(to, "input float[64] w_%zu;\n", i);
    fprintf(to, "qubit[%d] q;\n", c->n_qubits);
    for (size_t i = 0; i < c->n_ops; i++) gate(to, &c->ops[i]);
    return ferror(to) ? kl_fail(err, KL_EIO, "writing the circuit failed") : KL_OK;
}
