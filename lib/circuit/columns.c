/* SPDX-License-Identifier: MIT
   Which ops are one gate, on which wires; and where they stand in a drawing: each in the first column
   that is free on all wires from its first to its last. */
#include <stdio.h>
#include <string.h>

#include "circuit/circuit.h"

static bool has_two_wires(enum kl_gate g)
{
    return g >= KL_CNOT && g <= KL_CRZ;
}

int kl_circuit_op_angles(const struct kl_op *op)
{
    switch (op->gate) {
    case KL_H:
    case KL_X:
    case KL_CNOT:
    case KL_CZ:
    case KL_ID: return 0;
    default: return op->gate == KL_ROT ? 3 : 1;
    }
}

uint32_t kl_circuit_op_wires(const struct kl_op *op)
{
    if (op->gate == KL_MULTIRZ) return op->mask;
    return UINT32_C(1) << op->wire[0] | (has_two_wires(op->gate) ? UINT32_C(1) << op->wire[1] : 0);
}

size_t kl_circuit_gate_end(const struct kl_op *ops, size_t n, size_t begin)
{
    while (begin + 1 < n && ops[begin].next) begin++;
    return begin + 1;
}

uint32_t kl_circuit_gate_wires(const struct kl_op *ops, size_t begin, size_t end)
{
    uint32_t wires = 0;
    for (; begin < end; begin++) wires |= kl_circuit_op_wires(&ops[begin]);
    return wires;
}

size_t kl_circuit_gates(const struct kl_circuit *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n_ops; i = kl_circuit_gate_end(c->ops, c->n_ops, i)) n++;
    return n;
}

bool kl_circuit_has_composites(const struct kl_circuit *c)
{
    bool found = false;
    for (size_t i = 0; i < c->n_ops; i++)
        found = found || c->ops[i].whole != KL_ITSELF || c->ops[i].next || c->ops[i].gate == KL_ID;
    return found;
}

void kl_circuit_op_span(int *first, int *last, const struct kl_op *op)
{
    *first = __builtin_ctz(kl_circuit_op_wires(op));
    *last = 31 - __builtin_clz(kl_circuit_op_wires(op));
}

int kl_circuit_columns(int *column, const struct kl_circuit *c)
{
    int next[KL_MAX_QUBITS] = { 0 }, columns = 0;
    for (size_t i = 0; i < c->n_ops; i++) {
        int first, last, at = 0;
        kl_circuit_op_span(&first, &last, &c->ops[i]);
        for (int q = first; q <= last; q++) at = next[q] > at ? next[q] : at;
        for (int q = first; q <= last; q++) next[q] = at + 1;
        column[i] = at;
        columns = at + 1 > columns ? at + 1 : columns;
    }
    return columns;
}

void kl_circuit_angle_name(char text[KL_ANGLE_NAME], const struct kl_angle *a)
{
    char scale[24] = "";
    if (a->scale != 1) snprintf(scale, sizeof scale, "%.3g ", a->scale);
    if (a->source == KL_INPUT && a->scaled)
        snprintf(scale + strlen(scale), sizeof scale - strlen(scale), "w%d", a->scaled - 1);
    if (a->source == KL_CONSTANT) snprintf(text, KL_ANGLE_NAME, "%.3g", a->scale);
    else if (a->index2 < 0 || a->source == KL_WEIGHT)
        snprintf(text, KL_ANGLE_NAME, "%s%c%d", scale, a->source == KL_WEIGHT ? 'w' : 'x', a->index);
    else snprintf(text, KL_ANGLE_NAME, "%sx%dx%d", scale, a->index, a->index2);
}
