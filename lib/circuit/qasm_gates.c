/* SPDX-License-Identifier: MIT
   Calls of the gates of stdgates.inc. Gates equal up to a global phase are taken for each other; a sum
   of angles becomes as many ops of one kind, which commute. A call is one gate, of however many ops. */
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

static struct kl_angle angle_of(const struct kl_qasm_term *t, double scale)
{
    return (struct kl_angle){ t->source, t->index, t->index2, scale * t->scale, t->factor + 1 };
}

/* One kind of gate, once for every term of the angle, times scale. */
static void put_sum(struct kl_qasm_reader *r, enum kl_gate gate, const struct kl_qasm_sum *angle,
                    double scale, int w0, int w1)
{
    for (int i = 0; i < angle->n; i++)
        put(r, &(struct kl_op){ .gate = gate,
                                .wire = { w0, gate == KL_MULTIRZ ? 0 : w1 },
                                .mask = gate == KL_MULTIRZ ? 1u << w0 | 1u << w1 : 0,
                                .angle = { angle_of(&angle->terms[i], scale) } });
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
    { "rzz", 1, 2, TURN, KL_MULTIRZ, 0 },
    { "swap", 0, 2, SWAP, KL_CNOT, 0 },
    { "id", 0, 1, PLAIN, KL_ID, 0 },
};

/* U(theta, phi, lambda) = RZ(phi) RY(theta) RZ(lambda): of single terms a Rot. */
static void put_u(struct kl_qasm_reader *r, const struct call *c)
{
    const struct kl_qasm_sum *in_time[] = { &c->angle[2], &c->angle[0], &c->angle[1] };
    struct kl_op rot = { .gate = KL_ROT, .wire = { c->wire[0] } };
    bool single = true;
    for (int i = 0; i < 3; i++) {
        rot.angle[i] = angle_of(&in_time[i]->terms[0], 1);
        single = single && in_time[i]->n == 1;
    }
    if (single) put(r, &rot);
    for (int i = 0; i < 3 && !single; i++)
        put_sum(r, i == 1 ? KL_RY : KL_RZ, in_time[i], 1, c->wire[0], 0);
}

static void put_ops(struct kl_qasm_reader *r, const struct gate *g, const struct call *c)
{
    const int a = c->wire[0], b = c->wire[1];
    const struct kl_qasm_sum fixed = kl_circuit_qasm_constant(g->angle),
                             pi = kl_circuit_qasm_constant(M_PI);
    switch (g->kind) {
    case PLAIN: put_fixed(r, g->gate, a, b); break;
    case TURN: put_sum(r, g->gate, &c->angle[0], 1, a, b); break;
    case PHASE: put_sum(r, g->gate, &fixed, 1, a, b); break;
    case U: put_u(r, c); break;
    case CPHASE:
        put_sum(r, KL_RZ, &c->angle[0], 0.5, a, 0);
        put_sum(r, KL_RZ, &c->angle[0], 0.5, b, 0);
        put_sum(r, KL_MULTIRZ, &c->angle[0], -0.5, a, b);
        break;
    case Y:
        put_sum(r, KL_RZ, &pi, 1, a, b);
        put_fixed(r, KL_X, a, 0);
        break;
    case SWAP:
        put_fixed(r, KL_CNOT, a, b);
        put_fixed(r, KL_CNOT, b, a);
        put_fixed(r, KL_CNOT, a, b);
        break;
    }
}

/* The ops of a call are one gate; so are those of calls that the text says are one. */
static void put_call(struct kl_qasm_reader *r, const struct gate *g, const struct call *c)
{
    static const enum kl_composite composites[] = {
        [PLAIN] = KL_ITSELF, [TURN] = KL_SUM, [PHASE] = KL_SUM, [U] = KL_U,
        [CPHASE] = KL_CP,    [Y] = KL_Y,      [SWAP] = KL_SWAP
    };
    const size_t before = r->circuit->n_ops;
    put_ops(r, g, c);
    if (r->code) return;
    const size_t end = r->circuit->n_ops;
    const bool itself = end == before + 1 && composites[g->kind] == KL_SUM;
    for (size_t i = before; i < end; i++) {
        struct kl_op *op = &r->circuit->ops[i];
        op->whole = itself ? KL_ITSELF : composites[g->kind];
        op->next = i + 1 < end ? KL_SAME_PART : r->joins ? KL_NEXT_PART : KL_OTHER_GATE;
    }
    r->joined = r->joins;
    r->joins = false;
}

/* The declaration of the qubits whose name stands here; NULL: there is none, and that is the failure. */
static const struct kl_qasm_qubits *qubits(struct kl_qasm_reader *r)
{
    char text[KL_QASM_WORD];
    kl_circuit_qasm_word(r, text);
    for (int i = 0; i < r->n_registers; i++)
        if (strcmp(r->registers[i].text, text) == 0) return &r->registers[i];
    if (text[0]) kl_circuit_qasm_fail(r, r->token, "'%s' is no qubit", text);
    else kl_circuit_qasm_unexpected(r, "a qubit");
    return NULL;
}

/* The rest of `q[0]`, behind its bracket. */
static int element(struct kl_qasm_reader *r, const struct kl_qasm_qubits *q)
{
    const int index = kl_circuit_qasm_number(r, q->count - 1);
    kl_circuit_qasm_expect(r, ']');
    return q->first + index;
}

static int wire(struct kl_qasm_reader *r)
{
    const struct kl_qasm_qubits *q = qubits(r);
    if (!q || q->count == 0) return q ? q->first : 0;
    if (!kl_circuit_qasm_take(r, '['))
        kl_circuit_qasm_fail(r, r->token,
                             "'%s' is a register of %d qubits: write the gate once for each, as %s[0]",
                             q->text, q->count, q->text);
    return element(r, q);
}

void kl_circuit_qasm_barrier(struct kl_qasm_reader *r)
{
    if (kl_circuit_qasm_take(r, ';')) return;
    do {
        const struct kl_qasm_qubits *q = qubits(r);
        if (q && q->count && kl_circuit_qasm_take(r, '[')) element(r, q);
    } while (kl_circuit_qasm_take(r, ','));
    kl_circuit_qasm_expect(r, ';');
}

static const struct gate *find(const char *name)
{
    for (size_t i = 0; i < sizeof gates / sizeof *gates; i++)
        if (strcmp(gates[i].name, name) == 0) return &gates[i];
    return NULL;
}

bool kl_circuit_qasm_is_gate(const char *name)
{
    return find(name) != NULL;
}

void kl_circuit_qasm_gate(struct kl_qasm_reader *r, const char *name)
{
    struct call c = { 0 };
    const struct gate *g = find(name);
    if (!g) {
        kl_circuit_qasm_unread(r, name);
        return;
    }
    if (r->at[strcspn(r->at, "$;")] == '$')
        kl_circuit_qasm_fail(
            r, r->at + strcspn(r->at, "$"),
            "a qubit of a device: transpile has laid the circuit out, where outputs may have "
            "changed places; give it optimization_level=1, and no device");
    kl_circuit_qasm_begin(r);
    for (; g->n_angles && c.n_angles < g->n_angles && !r->code; c.n_angles++) {
        kl_circuit_qasm_expect(r, c.n_angles ? ',' : '(');
        c.angle[c.n_angles] = kl_circuit_qasm_angle(r);
    }
    if (g->n_angles) kl_circuit_qasm_expect(r, ')');
    for (; c.n_wires < g->n_wires && !r->code; c.n_wires++) {
        if (c.n_wires) kl_circuit_qasm_expect(r, ',');
        kl_circuit_qasm_skip(r);
        const char *at = r->at;
        c.wire[c.n_wires] = wire(r);
        if (c.n_wires && c.wire[0] == c.wire[1])
            kl_circuit_qasm_fail(r, at, "%s on the same qubit twice", name);
    }
    kl_circuit_qasm_expect(r, ';');
    if (!r->code) put_call(r, g, &c);
}
