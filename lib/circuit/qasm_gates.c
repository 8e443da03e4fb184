/* SPDX-License-Identifier: MIT
   The gates of OpenQASM that are one or a few ops here, what they become under a control, and how they
   are called. */
#include "circuit/qasm_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "circuit/circuit_int.h"

/* ---- gates ----
   Those equal up to a global phase are taken for each other; a sum of angles becomes as many ops of one
   kind, which commute. */

struct kl_qasm_gate {
    int n_angles, n_wires;
    const char *controlled; /* by one qubit more: the gate of this name; NULL: it is not read */
};

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

/* One of the table? */
static bool qasm_known(struct kl_qasm_gate *gate, const char *name)
{
    const struct gate *g = find(name);
    if (g) *gate = (struct kl_qasm_gate){ g->n_angles, g->n_wires, g->controlled };
    return g;
}

/* The ops of a call are one gate. */
static void qasm_put(struct kl_qasm_reader *r, const char *name, const struct kl_qasm_sum *angles,
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

/* ---- calls: modifiers, angles and qubits; a register calls the gate for each of its qubits ---- */
enum { OPERANDS = KL_MAX_QUBITS };
struct call {
    const char *name;
    struct kl_qasm_sum *angles;
    int n_angles;
    struct kl_qasm_operand operands[OPERANDS];
    const char *places[OPERANDS]; /* of the operands */
    int n_operands;
    bool negative[OPERANDS]; /* of the first operands, which control */
    int n_controls, power;
    bool inverse;
};

bool kl_circuit_qasm_is_gate(const struct kl_qasm_reader *r, const char *name)
{
    struct kl_qasm_gate g;
    return kl_circuit_qasm_definition(r, name, true) || qasm_known(&g, name) ||
           kl_circuit_qasm_definition(r, name, false);
}

bool kl_circuit_qasm_is_modifier(const char *name)
{
    return strcmp(name, "ctrl") == 0 || strcmp(name, "negctrl") == 0 || strcmp(name, "inv") == 0 ||
           strcmp(name, "pow") == 0;
}

/* ---- one gate ---- */
static void put_known(struct kl_qasm_reader *r, const char *name, const struct kl_qasm_gate *g,
                      const struct kl_qasm_sum *angles, int n_angles, const int *wires, int n_wires)
{
    if (n_angles != g->n_angles || n_wires != g->n_wires)
        kl_circuit_qasm_fail(r, r->called, "'%s' takes %d angle%s and %d qubit%s, found %d and %d", name,
                             g->n_angles, kl_s((unsigned)g->n_angles), g->n_wires,
                             kl_s((unsigned)g->n_wires), n_angles, n_wires);
    for (int i = 0; i < n_wires; i++) {
        if (r->measured >> wires[i] & 1)
            kl_circuit_qasm_fail(r, r->called,
                                 "'%s' on a qubit behind its measurement, which is not read: what is "
                                 "measured at the end alone can be passed over",
                                 name);
        r->turned |= 1u << wires[i];
    }
    if (!r->code) qasm_put(r, name, angles, wires);
}

static void apply_standard(struct kl_qasm_reader *r, const char *name, const struct kl_qasm_sum *angles,
                           int n_angles, const int *wires, int n_wires);

/* The last control and the gate are another gate. */
static void apply_controlled(struct kl_qasm_reader *r, const char *name, const char *controlled,
                             const struct kl_qasm_sum *angles, int n_angles, const int *wires,
                             int n_wires)
{
    int all[KL_MAX_QUBITS + 1];
    if (!controlled || n_wires >= KL_MAX_QUBITS) {
        kl_circuit_qasm_fail(
            r, r->called,
            "'%s' under one control more is not read: have it written out, in Qiskit with "
            "transpile(c, basis_gates=['rx', 'ry', 'rz', 'h', 'cx'], optimization_level=1)",
            name);
        return;
    }
    all[0] = r->controls[--r->n_controls];
    for (int i = 0; i < n_wires; i++) all[i + 1] = wires[i];
    apply_standard(r, controlled, angles, n_angles, all, n_wires + 1);
    r->n_controls++;
}

/* The text may define another gate by this name, or by the name of the gate under a control. */
static void apply_standard(struct kl_qasm_reader *r, const char *name, const struct kl_qasm_sum *angles,
                           int n_angles, const int *wires, int n_wires)
{
    struct kl_qasm_gate g;
    const bool known = qasm_known(&g, name),
               phase = !known && strcmp(name, "ccp") == 0; /* right but for a global one */
    if (r->n_controls && (known || phase))
        apply_controlled(r, name, phase ? "cccp" : g.controlled, angles, n_angles, wires, n_wires);
    else if (known) put_known(r, name, &g, angles, n_angles, wires, n_wires);
    else
        kl_circuit_qasm_expand(r, kl_circuit_qasm_definition(r, name, false), angles, n_angles, wires,
                               n_wires);
}

/* The gate `name` on wires, under r->controls. */
static void qasm_apply(struct kl_qasm_reader *r, const char *name, const struct kl_qasm_sum *angles,
                       int n_angles, const int *wires, int n_wires)
{
    const struct kl_qasm_definition *d = kl_circuit_qasm_definition(r, name, true);
    if (r->code) return;
    if (d) kl_circuit_qasm_expand(r, d, angles, n_angles, wires, n_wires);
    else apply_standard(r, name, angles, n_angles, wires, n_wires);
}

/* ---- modifiers ---- */
/* Ops from `from` on in the other order, each turned back; what an op says of the next one is then said
   by that one. */
static void invert(struct kl_circuit *c, size_t from)
{
    struct kl_op *ops = c->ops + from;
    const size_t n = c->n_ops - from;
    for (size_t i = 0; i < n - i; i++) {
        const struct kl_op a = kl_circuit_inverse(&ops[i]), b = kl_circuit_inverse(&ops[n - 1 - i]);
        ops[i] = b, ops[n - 1 - i] = a;
    }
    for (size_t i = 0; i + 1 < n; i++) ops[i].next = ops[i + 1].next;
    if (n) ops[n - 1].next = KL_OTHER_GATE;
}

static void read_modifier(struct kl_qasm_reader *r, struct call *c, const char *name)
{
    bool whole;
    int n = 1;
    if (strcmp(name, "inv") == 0) c->inverse = !c->inverse;
    else if (strcmp(name, "pow") == 0) {
        kl_circuit_qasm_expect(r, '(');
        const char *at = r->at;
        const double power = kl_circuit_qasm_value(r, &whole);
        if (!whole || power < -1000 || power > 1000)
            kl_circuit_qasm_fail(r, at, "found pow(%g), expected a whole number from -1000 to 1000",
                                 power);
        else c->power *= (int)power;
        kl_circuit_qasm_expect(r, ')');
    } else {
        if (kl_circuit_qasm_take(r, '(')) {
            n = kl_circuit_qasm_number(r, 1, OPERANDS);
            kl_circuit_qasm_expect(r, ')');
        }
        for (int i = 0; i < n && !r->code; i++) {
            if (c->n_controls == OPERANDS)
                kl_circuit_qasm_fail(r, r->token, "more than %d controls", OPERANDS);
            else c->negative[c->n_controls++] = *name == 'n';
        }
    }
    kl_circuit_qasm_expect(r, '@');
}

/* ---- what is called ---- */
/* Qiskit writes pauli(XYZ) of a gate whose definition has these in it, and takes no angle. */
static bool are_paulis(struct kl_qasm_reader *r, const char *name)
{
    kl_circuit_qasm_skip(r);
    const size_t n = strspn(r->at, "IXYZ");
    if (strncmp(name, "pauli", 5) != 0 || !n || r->at[n] != ')') return false;
    r->at += n;
    return true;
}

static void read_angles(struct kl_qasm_reader *r, struct call *c)
{
    if (!kl_circuit_qasm_take(r, '(') || kl_circuit_qasm_take(r, ')')) return;
    do {
        if ((c->n_angles & (c->n_angles - 1)) == 0) { /* full at each power of two */
            const size_t room = c->n_angles ? 2 * (size_t)c->n_angles : 1;
            struct kl_qasm_sum *more = realloc(c->angles, room * sizeof *more);
            if (!more) {
                r->code = kl_fail_memory(r->err, room * sizeof *more);
                return;
            }
            c->angles = more;
        }
        if (c->n_angles == KL_QASM_ARGUMENTS)
            kl_circuit_qasm_fail(r, r->at, "more than %d angles", (int)KL_QASM_ARGUMENTS);
        else
            c->angles[c->n_angles++] =
                are_paulis(r, c->name) ? kl_circuit_qasm_constant(0) : kl_circuit_qasm_angle(r);
    } while (kl_circuit_qasm_take(r, ','));
    kl_circuit_qasm_expect(r, ')');
}

static void read_operands(struct kl_qasm_reader *r, struct call *c)
{
    do {
        kl_circuit_qasm_skip(r);
        if (c->n_operands == OPERANDS)
            kl_circuit_qasm_fail(r, r->at, "more than %d qubits of a gate", OPERANDS);
        if (r->code) return;
        c->places[c->n_operands] = r->at;
        c->operands[c->n_operands++] = kl_circuit_qasm_operand(r);
    } while (kl_circuit_qasm_take(r, ','));
}

/* How often a register calls the gate: each of its qubits with that of the same place, and with single
   ones. */
static int rounds_of(struct kl_qasm_reader *r, const struct call *c)
{
    int n = 0;
    for (int i = 0; i < c->n_operands; i++) {
        const int count = c->operands[i].count;
        if (count && n && count != n)
            kl_circuit_qasm_fail(r, c->places[i], "%d qubits, expected %d as of the register before",
                                 count, n);
        if (count) n = count;
    }
    return n ? n : 1;
}

static void wires_of(struct kl_qasm_reader *r, int wires[OPERANDS], const struct call *c, int round)
{
    uint32_t taken = 0;
    for (int i = 0; i < c->n_operands; i++) {
        const struct kl_qasm_operand *o = &c->operands[i];
        wires[i] = o->wires[o->count ? round : 0];
        if (taken >> wires[i] & 1)
            kl_circuit_qasm_fail(r, c->places[i], "%s on the same qubit twice", c->name);
        taken |= 1u << wires[i];
    }
}

/* Control by |0>: X before, and behind. */
static void turn_negative(struct kl_qasm_reader *r, const struct call *c, const int *wires)
{
    const int n = r->n_controls;
    r->n_controls = 0;
    for (int i = 0; i < c->n_controls && !r->code; i++)
        if (c->negative[i]) qasm_apply(r, "x", NULL, 0, &wires[i], 1);
    r->n_controls = n;
}

/* A global phase under controls is a phase of the last one. */
static void apply_phase(struct kl_qasm_reader *r, const struct call *c, int n_wires)
{
    const int n = r->n_controls;
    if (c->n_angles != 1 || n_wires)
        kl_circuit_qasm_fail(r, r->called, "'gphase' takes 1 angle and no qubit, found %d and %d",
                             c->n_angles, n_wires);
    if (n == 0 || r->code) return;
    r->n_controls--;
    qasm_apply(r, "p", c->angles, 1, &r->controls[n - 1], 1);
    r->n_controls = n;
}

static void run_round(struct kl_qasm_reader *r, const struct call *c, const int wires[OPERANDS])
{
    const int n = c->n_controls, before = r->n_controls;
    if (n > c->n_operands || before + n > KL_MAX_QUBITS)
        kl_circuit_qasm_fail(r, r->called, "%d controls and %d qubits", n, c->n_operands);
    if (r->code) return;
    turn_negative(r, c, wires);
    for (int i = 0; i < n; i++) r->controls[before + i] = wires[i];
    r->n_controls = before + n;
    for (int k = 0; k < abs(c->power) && (k == 0 || kl_circuit_qasm_step(r)); k++)
        if (strcmp(c->name, "gphase") == 0) apply_phase(r, c, c->n_operands - n);
        else qasm_apply(r, c->name, c->angles, c->n_angles, wires + n, c->n_operands - n);
    r->n_controls = before;
    turn_negative(r, c, wires);
}

static void run(struct kl_qasm_reader *r, const struct call *c)
{
    int wires[OPERANDS];
    const int rounds = rounds_of(r, c);
    const bool joins = r->joins;
    r->joins = false;
    const size_t all = r->code ? 0 : r->circuit->n_ops;
    for (int i = 0; i < rounds && !r->code; i++) {
        const size_t before = r->circuit->n_ops;
        wires_of(r, wires, c, i);
        if (!r->code) run_round(r, c, wires);
        if (!r->code && c->inverse != (c->power < 0)) invert(r->circuit, before);
    }
    if (!r->code && joins && r->circuit->n_ops > all)
        r->circuit->ops[r->circuit->n_ops - 1].next = KL_NEXT_PART;
    r->joined = joins;
}

void kl_circuit_qasm_call(struct kl_qasm_reader *r, const char *name)
{
    char text[KL_QASM_WORD];
    struct call c = { .name = text, .power = 1 };
    const char *called = r->token, *const before = r->called;
    memcpy(text, name, sizeof text);
    while (kl_circuit_qasm_is_modifier(text) && !r->code) {
        read_modifier(r, &c, text);
        kl_circuit_qasm_word(r, text);
    }
    const bool phase = strcmp(text, "gphase") == 0;
    if (!phase && !r->code && !kl_circuit_qasm_is_gate(r, text)) kl_circuit_qasm_unread(r, text);
    if (r->at[strcspn(r->at, "$;")] == '$') { /* such a text declares no qubits */
        r->at += strcspn(r->at, "$");
        kl_circuit_qasm_operand(r);
    }
    kl_circuit_qasm_begin(r);
    if (!r->code) read_angles(r, &c);
    kl_circuit_qasm_skip(r);
    if (!r->code && !(phase && *r->at == ';')) read_operands(r, &c);
    kl_circuit_qasm_expect(r, ';');
    r->called = called;
    if (!r->code) run(r, &c);
    r->called = before;
    free(c.angles);
}
