/* SPDX-License-Identifier: MIT
   A circuit drawn in text, folded at a width: which ops are one gate, on which wires, in which column.
 */
#include "circuit/circuit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- A circuit drawn in text, folded at a width ---- */

enum { CELL = 48 };

static const char *const names[] = {
    [KL_RX] = "RX",  [KL_RY] = "RY",     [KL_RZ] = "RZ", [KL_ROT] = "Rot", [KL_H] = "H",
    [KL_X] = "X",    [KL_CNOT] = "X",    [KL_CZ] = "Z",  [KL_CRX] = "RX",  [KL_CRY] = "RY",
    [KL_CRZ] = "RZ", [KL_MULTIRZ] = "Z", [KL_ID] = "I"
};

/* "RY(w3)", "Rot(w0,w1,w2)", "H" */
static void label(char cell[CELL], const struct kl_op *op)
{
    char a[3][KL_ANGLE_NAME];
    const char *name = names[op->gate];
    for (int i = 0; i < kl_circuit_op_angles(op); i++) kl_circuit_angle_name(a[i], &op->angle[i]);
    if (op->gate == KL_ROT) snprintf(cell, CELL, "%s(%.12s,%.12s,%.12s)", name, a[0], a[1], a[2]);
    else if (kl_circuit_op_angles(op)) snprintf(cell, CELL, "%s(%s)", name, a[0]);
    else snprintf(cell, CELL, "%s", name);
}

/* Draw a gate's part on wire q; "": it does not reach this wire. */
static void cell_of(char cell[CELL], const struct kl_op *op, int q)
{
    int first, last;
    kl_circuit_op_span(&first, &last, op);
    cell[0] = 0;
    if (q < first || q > last) return;
    if (op->gate == KL_MULTIRZ) {
        if (q == first) label(cell, op);
        else strcpy(cell, op->mask >> q & 1 ? "Z" : "|");
    } else if (first == last || q == op->wire[1]) {
        label(cell, op);
    } else {
        strcpy(cell, q == op->wire[0] ? "*" : "|");
    }
}

/* Columns [from, to) of all wires, whose widths are in wide. */
static void write_rows(FILE *to, const struct kl_circuit *c, const int *column, const size_t *wide,
                       int from, int end)
{
    char cell[CELL];
    for (int q = 0; q < c->n_qubits; q++) {
        fprintf(to, "%2d: ", q);
        for (int k = from; k < end; k++) {
            cell[0] = 0;
            for (size_t i = 0; i < c->n_ops && !cell[0]; i++)
                if (column[i] == k) cell_of(cell, &c->ops[i], q);
            size_t n = strlen(cell);
            fprintf(to, "-%s", cell);
            for (; n < wide[k]; n++) fputc('-', to);
        }
        fputs("-\n", to);
    }
}

int kl_circuit_text(FILE *to, const struct kl_circuit *c, size_t width, struct kl_error *err)
{
    char cell[CELL];
    int *column = malloc((c->n_ops + 1) * sizeof *column);
    size_t *wide = calloc(c->n_ops + 1, sizeof *wide);
    int code = column && wide ? KL_OK : kl_fail_memory(err, c->n_ops * sizeof *wide);
    if (code) goto out;
    const int columns = kl_circuit_columns(column, c);
    for (size_t i = 0; i < c->n_ops; i++)
        for (int q = 0; q < c->n_qubits; q++) {
            cell_of(cell, &c->ops[i], q);
            if (strlen(cell) > wide[column[i]]) wide[column[i]] = strlen(cell);
        }
    for (int from = 0, end; from < columns; from = end) {
        size_t used = 5;
        for (end = from; end < columns && (end == from || used + wide[end] + 1 <= width); end++)
            used += wide[end] + 1;
        if (from) fputc('\n', to);
        write_rows(to, c, column, wide, from, end);
    }
    if (ferror(to)) code = kl_fail(err, KL_EIO, "writing the drawing failed");
out:
    free(column);
    free(wide);
    return code;
}
