/* SPDX-License-Identifier: MIT
   The gates of OpenQASM that are one or a few ops here, and what they become under a control. Gates
   equal up to a global phase are taken for each other; a sum of angles becomes as many ops of one kind,
   which commute. */
#include <math.h>
#include <string.h>

#include "circuit/qasm_int.h"

static void put(struct kl_qasm_reader *r, const struct kl_op *op)
{
    if (!r->code) r->code = kl_circuit_append(r->circuit, op, r->err);
}

static struct kl_angle angle_of(const struct kl_qasm_term *t, double scale)
{
    return (struct kl_angle){ t->source, t->index, t->index2, scale * t->scale, t->factor + 1 };
}

/* One kind of gate, once for every term of the angle, times scale; MultiRZ on n wires. */
static void put_sum(struct kl_qasm_reader *r, enum kl_gate gate, const struct kl_qasm_sum *angle,
                    double scale, const int *wires, int n)
{
    struct kl_op op = { .gate = gate, .wire = { wires[0] } };
    if (gate == KL_MULTIRZ)
        for (int i = 0; i < n; i++) op.mask |= 1u << wires[i];
    else if (n > 1) op.wire[1] = wires[1];
    for (int i = 0; i < angle->n; i++) {
        op.angle[0] = angle_of(&angle->terms[i], scale);
        put(r, &op);
    }
}

static void put_fixed(struct kl_qasm_reader *r, enum kl_gate gate, int w0, int w1)
{
    put(r, &(struct kl_op){ .gate = gate, .wire = { w0, w1 } });
}

static const struct gate {
    const char *name;
    int n_angles, n_wires;
    enum { PLAIN, TURN, PHASE, U, CPHASE, Y, SWAP } kind;
    enum kl_gate gate;
    double angle;           /* PHASE, TURN without an angle of its own: this one */
    const char *controlled; /* by one qubit more: the gate of this name; NULL: it is not read */
} gates[] = {
    { "x", 0, 1, PLAIN, KL_X, 0, "cx" },
    { "h", 0, 1, PLAIN, KL_H, 0, "ch" },
    { "cx", 0, 2, PLAIN, KL_CNOT, 0, "ccx" },
    { "CX", 0, 2, PLAIN, KL_CNOT, 0, "ccx" },
    { "cz", 0, 2, PLAIN, KL_CZ, 0, "ccz" },
    { "rx", 1, 1, TURN, KL_RX, 0, "crx" },
    { "ry", 1, 1, TURN, KL_RY, 0, "cry" },
    { "rz", 1, 1, TURN, KL_RZ, 0, "crz" },
    { "crx", 1, 2, TURN, KL_CRX, 0, "ccrx" },
    { "cry", 1, 2, TURN, KL_CRY, 0, "ccry" },
    { "crz", 1, 2, TURN, KL_CRZ, 0, "ccrz" },
    { "p", 1, 1, TURN, KL_RZ, 0, "cp" },
    { "phase", 1, 1, TURN, KL_RZ, 0, "cp" },
    { "u1", 1, 1, TURN, KL_RZ, 0, "cp" },
    { "z", 0, 1, PHASE, KL_RZ, M_PI, "cz" },
    { "s", 0, 1, PHASE, KL_RZ, M_PI_2, "cs" },
    { "sdg", 0, 1, PHASE, KL_RZ, -M_PI_2, "csdg" },
    { "t", 0, 1, PHASE, KL_RZ, M_PI_4, "ct" },
    { "tdg", 0, 1, PHASE, KL_RZ, -M_PI_4, "ctdg" },
    { "sx", 0, 1, PHASE, KL_RX, M_PI_2, "csx" },
    { "y", 0, 1, Y, KL_X, 0, "cy" },
    { "u", 3, 1, U, KL_ROT, 0, "cu3" },
    { "U", 3, 1, U, KL_ROT, 0, "cu3" },
    { "u3", 3, 1, U, KL_ROT, 0, "cu3" },
    { "cp", 1, 2, CPHASE, KL_RZ, 0, "ccp" },
    { "cphase", 1, 2, CPHASE, KL_RZ, 0, "ccp" },
    { "cu1", 1, 2, CPHASE, KL_RZ, 0, "ccp" },
    { "rzz", 1, 2, TURN, KL_MULTIRZ, 0, "crzz" },
    { "rzzz", 1, 3, TURN, KL_MULTIRZ, 0, "crzzz" },
    { "swap", 0, 2, SWAP, KL_CNOT, 0, "cswap" },
    { "id", 0, 1, PLAIN, KL_ID, 0, NULL },
};

/* U(theta, phi, lambda) = RZ(phi) RY(theta) RZ(lambda): of single terms a Rot. */
static void put_u(struct kl_qasm_reader *r, const struct kl_qasm_sum *angles, const int *wires)
{
    const struct kl_qasm_sum *in_time[] = { &angles[2], &angles[0], &angles[1] };
    struct kl_op rot = { .gate = KL_ROT, .wire = { wires[0] } };
    bool single = true;
    for (int i = 0; i < 3; i++) {
        rot.angle[i] = angle_of(&in_time[i]->terms[0], 1);
        single = single && in_time[i]->n == 1;
    }
    if (single) put(r, &rot);
    for (int i = 0; i < 3 && !single; i++) put_sum(r, i == 1 ? KL_RY : KL_RZ, in_time[i], 1, wires, 1);
}

static void put_ops(struct kl_qasm_reader *r, const struct gate *g, const struct kl_qasm_sum *angles,
                    const int *wires)
{
    const struct kl_qasm_sum fixed = kl_circuit_qasm_constant(g->angle),
                             pi = kl_circuit_qasm_constant(M_PI);
    const int a = wires[0], b = g->n_wires > 1 ? wires[1] : 0;
    switch (g->kind) {
    case PLAIN: put_fixed(r, g->gate, a, b); break;
    case TURN: put_sum(r, g->gate, &angles[0], 1, wires, g->n_wires); break;
    case PHASE: put_sum(r, g->gate, &fixed, 1, wires, 1); break;
    case U: put_u(r, angles, wires); break;
    case CPHASE:
        put_sum(r, KL_RZ, &angles[0], 0.5, &wires[0], 1);
        put_sum(r, KL_RZ, &angles[0], 0.5, &wires[1], 1);
        put_sum(r, KL_MULTIRZ, &angles[0], -0.5, wires, 2);
        break;
    case Y:
        put_sum(r, KL_RZ, &pi, 1, wires, 1);
        put_fixed(r, KL_X, a, 0);
        break;
    case SWAP:
        put_fixed(r, KL_CNOT, a, b);
        put_fixed(r, KL_CNOT, b, a);
        put_fixed(r, KL_CNOT, a, b);
        break;
    }
}

static const struct gate *find(const char *name)
{
    for (size_t i = 0; i < sizeof gates / sizeof *gates; i++)
        if (strcmp(gates[i].name, name) == 0) return &gates[i];
    return NULL;
}

bool kl_circuit_qasm_known(struct kl_qasm_gate *gate, const char *name)
{
    const struct gate *g = find(name);
    if (g) *gate = (struct kl_qasm_gate){ g->n_angles, g->n_wires, g->controlled };
    return g;
}

/* The ops of a call are one gate. */
void kl_circuit_qasm_put(struct kl_qasm_reader *r, const char *name, const struct kl_qasm_sum *angles,
                         const int *wires)
{
    static const enum kl_composite composites[] = {
        [PLAIN] = KL_ITSELF, [TURN] = KL_SUM, [PHASE] = KL_SUM, [U] = KL_U,
        [CPHASE] = KL_CP,    [Y] = KL_Y,      [SWAP] = KL_SWAP
    };
    const struct gate *g = find(name);
    const size_t before = r->circuit->n_ops;
    put_ops(r, g, angles, wires);
    if (r->code) return;
    const size_t end = r->circuit->n_ops;
    const bool itself = end == before + 1 && composites[g->kind] == KL_SUM;
    for (size_t i = before; i < end; i++) {
        struct kl_op *op = &r->circuit->ops[i];
        op->whole = itself ? KL_ITSELF : composites[g->kind];
        op->next = i + 1 < end ? KL_SAME_PART : KL_OTHER_GATE;
    }
}
