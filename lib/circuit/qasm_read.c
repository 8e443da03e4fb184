/* SPDX-License-Identifier: MIT
   OpenQASM 3 (arXiv:2104.14722), the part that describes a circuit of gates: declarations of qubits and
   of `input` parameters, and calls of the gates of stdgates.inc. Gates equal up to a global phase are
   taken for each other. An angle is a sum of terms, each a constant, c * parameter or c * input * input;
   a sum becomes as many gates of one kind, which commute. */
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "circuit/circuit.h"

enum { MOST_NAMES = 4096, MOST_TERMS = 16, MOST_REGISTERS = 16, MOST_DEPTH = 32, MOST_VALUES = 1 << 16 };

/* Name of a parameter, or of an array of them. */
struct name {
    char text[48];
    enum kl_source source;
    int first, count; /* count 0: one value, no array */
};
struct qubits {
    char text[48];
    int first, count;
};
/* A sum of terms; factors -1: none. */
struct term {
    enum kl_source source;
    int index, index2;
    double scale;
};
struct sum {
    struct term terms[MOST_TERMS];
    int n;
};

struct reader {
    const char *begin, *at;
    struct kl_circuit *circuit;
    struct name *names;
    int n_names, n_inputs, n_weights;
    struct qubits registers[MOST_REGISTERS];
    int n_registers, n_qubits, depth;
    struct kl_error *err;
    int code;
};

__attribute__((format(printf, 2, 3))) static void fail(struct reader *r, const char *format, ...)
{
    char text[200];
    int line = 1, column = 1;
    va_list list;
    if (r->code) return;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    for (const char *c = r->begin; c < r->at; c++)
        if (*c == '\n') line++, column = 1;
        else column++;
    r->code = kl_fail(r->err, KL_EDATA, "OpenQASM, line %d, column %d: %s", line, column, text);
}

/* White space and comments. */
static void skip(struct reader *r)
{
    for (;;) {
        while (isspace((unsigned char)*r->at)) r->at++;
        if (r->at[0] == '/' && r->at[1] == '/') {
            while (*r->at && *r->at != '\n') r->at++;
        } else if (r->at[0] == '/' && r->at[1] == '*') {
            const char *end = strstr(r->at + 2, "*/");
            if (!end) {
                fail(r, "a comment without end");
                return;
            }
            r->at = end + 2;
        } else {
            return;
        }
    }
}

static bool take(struct reader *r, char c)
{
    skip(r);
    if (r->code || *r->at != c) return false;
    r->at++;
    return true;
}

static void expect(struct reader *r, char c)
{
    skip(r);
    if (!take(r, c)) fail(r, "found '%.1s', expected '%c'", *r->at ? r->at : " ", c);
}

/* A word, "" if there is none; r->at stays behind it. */
static void word(struct reader *r, char text[48])
{
    size_t n = 0;
    skip(r);
    text[0] = 0;
    if (!isalpha((unsigned char)*r->at) && *r->at != '_') return;
    while (isalnum((unsigned char)r->at[n]) || r->at[n] == '_') n++;
    if (n >= 48) {
        fail(r, "a name of more than 47 letters");
        return;
    }
    memcpy(text, r->at, n);
    text[n] = 0;
    r->at += n;
}

static int whole_number(struct reader *r, int most)
{
    char *end;
    skip(r);
    long n = isdigit((unsigned char)*r->at) ? strtol(r->at, &end, 10) : -1;
    if (n < 0 || n > most) {
        fail(r, "found '%.*s', expected a whole number from 0 to %d", (int)strcspn(r->at, " ];,\n"),
             r->at, most);
        return 0;
    }
    r->at = end;
    return (int)n;
}

/* ---- angles ---- */
static struct sum expression(struct reader *r);

static struct sum constant(double value)
{
    return (struct sum){ .terms = { { KL_CONSTANT, 0, -1, value } }, .n = 1 };
}

static bool is_constant(const struct sum *s)
{
    return s->n == 1 && s->terms[0].source == KL_CONSTANT;
}

static struct sum product(struct reader *r, struct sum a, const struct sum *b)
{
    if (is_constant(&a)) {
        struct sum swapped = *b;
        for (int i = 0; i < swapped.n; i++) swapped.terms[i].scale *= a.terms[0].scale;
        return swapped;
    }
    if (is_constant(b)) {
        for (int i = 0; i < a.n; i++) a.terms[i].scale *= b->terms[0].scale;
        return a;
    }
    struct term *x = &a.terms[0];
    const struct term *y = &b->terms[0];
    if (a.n > 1 || b->n > 1 || x->source != KL_INPUT || y->source != KL_INPUT || x->index2 >= 0 ||
        y->index2 >= 0)
        fail(r, "a product of parameters that is not input * input");
    x->index2 = y->index;
    x->scale *= y->scale;
    return a;
}

static struct sum parameter(struct reader *r, const char *text)
{
    for (int i = 0; i < r->n_names; i++) {
        const struct name *n = &r->names[i];
        if (strcmp(n->text, text) != 0) continue;
        int index = 0;
        if (n->count) {
            expect(r, '[');
            index = whole_number(r, n->count - 1);
            expect(r, ']');
        }
        return (struct sum){ .terms = { { n->source, n->first + index, -1, 1 } }, .n = 1 };
    }
    fail(r, "\"%s\" is no parameter", text);
    return constant(0);
}

static struct sum factor(struct reader *r)
{
    char text[48], *end;
    if (r->depth > MOST_DEPTH)
        fail(r, "more than %d parentheses and signs within each other", MOST_DEPTH);
    if (r->code) return constant(0);
    r->depth++;
    struct sum s;
    if (take(r, '-')) {
        const struct sum minus = constant(-1);
        s = product(r, factor(r), &minus);
    } else if (take(r, '(')) {
        s = expression(r);
        expect(r, ')');
    } else if (isdigit((unsigned char)*r->at) || *r->at == '.') {
        s = constant(strtod(r->at, &end));
        if (!isfinite(s.terms[0].scale)) fail(r, "a number too large");
        r->at = end;
    } else {
        word(r, text);
        if (!text[0]) fail(r, "found '%.1s', expected an angle", *r->at ? r->at : " ");
        s = strcmp(text, "pi") == 0    ? constant(M_PI)
            : strcmp(text, "tau") == 0 ? constant(2 * M_PI)
                                       : parameter(r, text);
    }
    r->depth--;
    return s;
}

static struct sum product_chain(struct reader *r)
{
    struct sum s = factor(r);
    while (!r->code) {
        if (take(r, '*')) {
            struct sum next = factor(r);
            s = product(r, s, &next);
        } else if (take(r, '/')) {
            struct sum next = factor(r);
            if (!is_constant(&next) || next.terms[0].scale == 0)
                fail(r, "division by what is no constant, or 0");
            next.terms[0].scale = 1 / next.terms[0].scale;
            s = product(r, s, &next);
        } else {
            return s;
        }
    }
    return s;
}

static struct sum expression(struct reader *r)
{
    struct sum s = product_chain(r);
    while (!r->code) {
        double sign = take(r, '+') ? 1 : take(r, '-') ? -1 : 0;
        if (sign == 0) return s;
        const struct sum next = product_chain(r);
        for (int i = 0; i < next.n; i++) {
            struct term t = next.terms[i];
            t.scale *= sign;
            if (s.n && t.source == KL_CONSTANT && s.terms[0].source == KL_CONSTANT) {
                s.terms[0].scale += t.scale;
            } else if (s.n == MOST_TERMS) {
                fail(r, "an angle of more than %d terms", MOST_TERMS);
            } else {
                s.terms[s.n++] = t;
            }
        }
    }
    return s;
}

/* ---- gates ---- */
struct call {
    struct sum angle[3];
    int n_angles, wire[3], n_wires;
};

static void put(struct reader *r, const struct kl_op *op)
{
    struct kl_error refused = { 0 };
    int code = r->code ? KL_OK : kl_circuit_append(r->circuit, op, &refused);
    if (code == KL_EUSAGE) fail(r, "%.150s", refused.text);
    if (code && !r->code) r->code = kl_fail(r->err, code, "%s", refused.text);
}

/* One kind of gate, once for every term of the angle, times scale. */
static void put_sum(struct reader *r, enum kl_gate gate, const struct sum *angle, double scale, int w0,
                    int w1)
{
    for (int i = 0; i < angle->n; i++) {
        const struct term *t = &angle->terms[i];
        put(r, &(struct kl_op){ .gate = gate,
                                .wire = { w0, gate == KL_MULTIRZ ? 0 : w1 },
                                .mask = gate == KL_MULTIRZ ? 1u << w0 | 1u << w1 : 0,
                                .angle = { { t->source, t->index, t->index2, scale * t->scale } } });
    }
}

static void put_fixed(struct reader *r, enum kl_gate gate, int w0, int w1)
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

static void put_call(struct reader *r, const struct gate *g, const struct call *c)
{
    const int a = c->wire[0], b = c->wire[1];
    const struct sum fixed = constant(g->angle), pi = constant(M_PI);
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

static int wire(struct reader *r)
{
    char text[48];
    word(r, text);
    for (int i = 0; i < r->n_registers; i++) {
        const struct qubits *q = &r->registers[i];
        if (strcmp(q->text, text) != 0) continue;
        if (q->count == 0) return q->first;
        expect(r, '[');
        int index = whole_number(r, q->count - 1);
        expect(r, ']');
        return q->first + index;
    }
    fail(r, "\"%s\" is no qubit", text);
    return 0;
}

static void gate_call(struct reader *r, const char *name)
{
    struct call c = { 0 };
    const struct gate *g = NULL;
    for (size_t i = 0; i < sizeof gates / sizeof *gates; i++)
        if (strcmp(gates[i].name, name) == 0) g = &gates[i];
    if (!g) {
        fail(r, "\"%s\" is no gate or statement that is read here", name);
        return;
    }
    for (; g->n_angles && c.n_angles < g->n_angles && !r->code; c.n_angles++) {
        expect(r, c.n_angles ? ',' : '(');
        c.angle[c.n_angles] = expression(r);
    }
    if (g->n_angles) expect(r, ')');
    for (; c.n_wires < g->n_wires && !r->code; c.n_wires++) {
        if (c.n_wires) expect(r, ',');
        c.wire[c.n_wires] = wire(r);
    }
    expect(r, ';');
    if (!r->code) put_call(r, g, &c);
}

/* ---- declarations ---- */
static void check_new(struct reader *r, const char *text)
{
    bool known = strcmp(text, "pi") == 0 || strcmp(text, "tau") == 0;
    for (int i = 0; i < r->n_names; i++) known |= strcmp(r->names[i].text, text) == 0;
    for (int i = 0; i < r->n_registers; i++) known |= strcmp(r->registers[i].text, text) == 0;
    if (!text[0]) fail(r, "found '%.1s', expected a name", *r->at ? r->at : " ");
    if (known) fail(r, "\"%s\" is declared twice", text);
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* input TYPE NAME; TYPE: float, angle, with [bits] or not, or array[TYPE, n]. */
static void input(struct reader *r)
{
    char type[48], text[48];
    int count = 0;
    word(r, type);
    bool array = strcmp(type, "array") == 0;
    if (array) expect(r, '['), word(r, type);
    if (strcmp(type, "float") != 0 && strcmp(type, "angle") != 0)
        fail(r, "found type \"%s\", expected float or angle", type);
    if (take(r, '[')) whole_number(r, 64), expect(r, ']');
    if (array) {
        expect(r, ',');
        count = whole_number(r, MOST_VALUES);
        if (!count) fail(r, "an array of 0 values");
        expect(r, ']');
    }
    word(r, text);
    check_new(r, text);
    expect(r, ';');
    if (!r->code && (r->n_names == MOST_NAMES || r->n_inputs + r->n_weights + count >= MOST_VALUES))
        fail(r, "more than %d parameters", r->n_names == MOST_NAMES ? MOST_NAMES : MOST_VALUES);
    if (r->code) return;
    const char *letter = text + strspn(text, "_");
    struct name *n = &r->names[r->n_names++];
    *n = (struct name){ .source = *letter == 'x' || begins(letter, "input") ? KL_INPUT : KL_WEIGHT,
                        .count = count };
    memcpy(n->text, text, sizeof n->text);
    int *total = n->source == KL_INPUT ? &r->n_inputs : &r->n_weights;
    n->first = *total;
    *total += count ? count : 1;
}

static void qubit(struct reader *r)
{
    struct qubits q = { .first = r->n_qubits };
    if (take(r, '[')) {
        q.count = whole_number(r, KL_MAX_QUBITS);
        expect(r, ']');
        if (!q.count) fail(r, "a register of 0 qubits");
    }
    word(r, q.text);
    check_new(r, q.text);
    expect(r, ';');
    r->n_qubits += q.count ? q.count : 1;
    if (r->n_qubits > KL_MAX_QUBITS) fail(r, "more than %d qubits", KL_MAX_QUBITS);
    if (r->n_registers == MOST_REGISTERS) fail(r, "more than %d registers", MOST_REGISTERS);
    if (!r->code) r->registers[r->n_registers++] = q;
}

static void to_semicolon(struct reader *r)
{
    while (*r->at && *r->at != ';') r->at++;
    expect(r, ';');
}

/* The circuit begins with its first gate: declarations come before. */
static void begin_gates(struct reader *r)
{
    if (r->circuit || r->code) return;
    if (!r->n_qubits) fail(r, "a gate before any qubit is declared");
    if (!r->code)
        r->code = kl_circuit_begin(&r->circuit, r->n_qubits, (size_t)r->n_inputs, (size_t)r->n_weights,
                                   r->err);
}

static void statement(struct reader *r)
{
    char text[48];
    word(r, text);
    bool declares = strcmp(text, "input") == 0 || strcmp(text, "qubit") == 0;
    if (declares && r->circuit) fail(r, "%s is declared after the first gate", text);
    else if (strcmp(text, "OPENQASM") == 0) {
        if (whole_number(r, 1000) != 3) fail(r, "found another version, expected OPENQASM 3");
        to_semicolon(r);
    } else if (strcmp(text, "include") == 0 || strcmp(text, "barrier") == 0) to_semicolon(r);
    else if (strcmp(text, "input") == 0) input(r);
    else if (strcmp(text, "qubit") == 0) qubit(r);
    else if (!text[0]) fail(r, "found '%.1s', expected a statement", r->at);
    else begin_gates(r), gate_call(r, text);
}

int kl_circuit_from_qasm(struct kl_circuit **circuit, const char *text, struct kl_error *err)
{
    struct reader r = { .begin = text, .at = text, .err = err };
    *circuit = NULL;
    r.names = calloc(MOST_NAMES, sizeof *r.names);
    if (!r.names) return kl_fail_memory(err, MOST_NAMES * sizeof *r.names);
    for (skip(&r); *r.at && !r.code; skip(&r)) statement(&r);
    begin_gates(&r);
    free(r.names);
    if (r.code) kl_circuit_free(&r.circuit);
    *circuit = r.circuit;
    return r.code;
}
