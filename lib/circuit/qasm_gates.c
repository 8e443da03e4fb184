/* SPDX-License-Identifier: MIT
   Calls of the gates of stdgates.inc. Gates equal up to a global phase are taken for each other; a sum
   of angles becomes as many gates of one kind, which commute. */
#include <math.h>
#include <string.h>

#include "circuit/qasm_int.h"

struct call {
    struct kl_qasm_sum angle[3];
    int n_angles, wire[3], n_wires;
};

static void put(struct kl_qasm_reader *r, const struct kl_op *op)
{
    if (!r->code) r->code = kl_circuit_append(r->circuit, op, r->err);
}

/* One kind of gate, once for every term of the angle, times scale. */
static void put_sum(struct kl_qasm_reader *r, enum kl_gate gate, const struct kl_qasm_sum *angle,
                    double scale, int w0, int w1)
{
    for (int i = 0; i < angle->n; i++) {
        const struct kl_qasm_term *t = &angle->terms[i];
        put(r, &(struct kl_op){
                   .gate = gate,
                   .wire = { w0, gate == KL_MULTIRZ ? 0 : w1 },
                   .mask = gate == KL_MULTIRZ ? 1u << w0 | 1u << w1 : 0,
                   .angle = { { t->source, t->index, t->index2, scale * t->scale, t->factor + 1 } } });
    }
}

static void put_fixed(struct kl_qasm_reader *r, enum kl_gate gate, int w0, int w1)
{
    put(r, &(struct kl_op){ .gate = gate, .wire = { w0, w1 } });
}

enum kind { PLAIN, TURN, PHASE, U, CPHASE, RZZ, Y, SWAP, NOTHING };
static const struct gate {
    const char *name;
    int n_angles, n_wires;
    enum kind kind;
    enum kl_gate gate;
    double angle; /* PHASE, TURN without an angle of its own: this one */
} gates[] = {
    { "x", 0, 1, PLAIN, KL_X, 0 },
    { "h", 0, 1, PLAIN, KL_H, 0 },
    { "cx", 0, 2, PLAIN, KL_CNOT, 0 },
    { "CX", 0, 2, PLAIN, KL_CNOT, 0 },
    { "cz", 0, 2, PLAIN, KL_CZ, 0 },
    { "rx", 1, 1, TURN, KL_RX, 0 },
    { "ry", 1, 1, TURN, KL_RY, 0 },
    { "rz", 1, 1, TURN, KL_RZ, 0 },
    { "crx", 1, 2, TURN, KL_CRX, 0 },
    { "cry", 1, 2, TURN, KL_CRY, 0 },
    { "crz", 1, 2, TURN, KL_CRZ, 0 },
    { "p", 1, 1, TURN, KL_RZ, 0 },
    { "phase", 1, 1, TURN, KL_RZ, 0 },
    { "u1", 1, 1, TURN, KL_RZ, 0 },
    { "z", 0, 1, PHASE, KL_RZ, M_PI },
    { "s", 0, 1, PHASE, KL_RZ, M_PI_2 },
    { "sdg", 0, 1, PHASE, KL_RZ, -M_PI_2 },
    { "t", 0, 1, PHASE, KL_RZ, M_PI_4 },
    { "tdg", 0, 1, PHASE, KL_RZ, -M_PI_4 },
    { "sx", 0, 1, PHASE, KL_RX, M_PI_2 },
    { "y", 0, 1, Y, KL_X, 0 },
    { "u", 3, 1, U, KL_ROT, 0 },
    { "U", 3, 1, U, KL_ROT, 0 },
    { "u3", 3, 1, U, KL_ROT, 0 },
    { "cp", 1, 2, CPHASE, KL_RZ, 0 },
    { "cphase", 1, 2, CPHASE, KL_RZ, 0 },
    { "rzz", 1, 2, RZZ, KL_MULTIRZ, 0 },
    { "swap", 0, 2, SWAP, KL_CNOT, 0 },
    { "id", 0, 1, NOTHING, KL_X, 0 },
};

static void put_call(struct kl_qasm_reader *r, const struct gate *g, const struct call *c)
{
    const int a = c->wire[0], b = c->wire[1];
    const struct kl_qasm_sum fixed = kl_qasm_constant(g->angle), pi = kl_qasm_constant(M_PI);
    switch (g->kind) {
    case PLAIN: put_fixed(r, g->gate, a, b); break;
    case TURN: put_sum(r, g->gate, &c->angle[0], 1, a, b); break;
    case PHASE: put_sum(r, g->gate, &fixed, 1, a, b); break;
    case U: /* U(theta, phi, lambda) = RZ(phi) RY(theta) RZ(lambda) */
        put_sum(r, KL_RZ, &c->angle[2], 1, a, b);
        put_sum(r, KL_RY, &c->angle[0], 1, a, b);
        put_sum(r, KL_RZ, &c->angle[1], 1, a, b);
        break;
    case CPHASE:
        put_sum(r, KL_RZ, &c->angle[0], 0.5, a, 0);
        put_sum(r, KL_RZ, &c->angle[0], 0.5, b, 0);
        put_sum(r, KL_MULTIRZ, &c->angle[0], -0.5, a, b);
        break;
    case RZZ: put_sum(r, KL_MULTIRZ, &c->angle[0], 1, a, b); break;
    case Y:
        put_sum(r, KL_RZ, &pi, 1, a, b);
        put_fixed(r, KL_X, a, 0);
        break;
    case SWAP:
        put_fixed(r, KL_CNOT, a, b);
        put_fixed(r, KL_CNOT, b, a);
        put_fixed(r, KL_CNOT, a, b);
        break;
    case NOTHING: break;
    }
}

/* The declaration of the qubits whose name stands here; NULL: there is none, and that is the failure. */
static const struct kl_qasm_qubits *qubits(struct kl_qasm_reader *r)
{
    char text[KL_QASM_WORD];
    kl_qasm_word(r, text);
    for (int i = 0; i < r->n_registers; i++)
        if (strcmp(r->registers[i].text, text) == 0) return &r->registers[i];
    if (text[0]) kl_qasm_fail(r, r->token, "'%s' is no qubit", text);
    else kl_qasm_unexpected(r, "a qubit");
    return NULL;
}

/* The rest of `q[0]`, behind its bracket. */
static int element(struct kl_qasm_reader *r, const struct kl_qasm_qubits *q)
{
    const int index = kl_qasm_number(r, q->count - 1);
    kl_qasm_expect(r, ']');
    return q->first + index;
}

static int wire(struct kl_qasm_reader *r)
{
    const struct kl_qasm_qubits *q = qubits(r);
    if (!q || q->count == 0) return q ? q->first : 0;
    if (!kl_qasm_take(r, '['))
        kl_qasm_fail(r, r->token,
                     "'%s' is a register of %d qubits: write the gate once for each, as %s[0]", q->text,
                     q->count, q->text);
    return element(r, q);
}

void kl_qasm_barrier(struct kl_qasm_reader *r)
{
    if (kl_qasm_take(r, ';')) return;
    do {
        const struct kl_qasm_qubits *q = qubits(r);
        if (q && q->count && kl_qasm_take(r, '[')) element(r, q);
    } while (kl_qasm_take(r, ','));
    kl_qasm_expect(r, ';');
}

void kl_qasm_gate(struct kl_qasm_reader *r, const char *name)
{
    struct call c = { 0 };
    const struct gate *g = NULL;
    for (size_t i = 0; i < sizeof gates / sizeof *gates; i++)
        if (strcmp(gates[i].name, name) == 0) g = &gates[i];
    if (!g) {
        kl_qasm_unread(r, name);
        return;
    }
    kl_qasm_begin(r);
    for (; g->n_angles && c.n_angles < g->n_angles && !r->code; c.n_angles++) {
        kl_qasm_expect(r, c.n_angles ? ',' : '(');
        c.angle[c.n_angles] = kl_qasm_angle(r);
    }
    if (g->n_angles) kl_qasm_expect(r, ')');
    for (; c.n_wires < g->n_wires && !r->code; c.n_wires++) {
        if (c.n_wires) kl_qasm_expect(r, ',');
        kl_qasm_skip(r);
        const char *at = r->at;
        c.wire[c.n_wires] = wire(r);
        if (c.n_wires && c.wire[0] == c.wire[1]) kl_qasm_fail(r, at, "%s on the same qubit twice", name);
    }
    kl_qasm_expect(r, ';');
    if (!r->code) put_call(r, g, &c);
}
