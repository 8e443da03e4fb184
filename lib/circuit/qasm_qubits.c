/* SPDX-License-Identifier: MIT
   Qubits and bits of an OpenQASM text: their declarations, parts of registers, what is measured. A head
   measures by itself, so that measurements at the end are passed over, with a line. */
#include <stdio.h>
#include <string.h>

#include "circuit/qasm_int.h"

static const struct kl_qasm_qubits *find(const struct kl_qasm_reader *r, const char *text, bool bits)
{
    for (int i = 0; i < r->n_registers; i++)
        if (strcmp(r->registers[i].text, text) == 0 && r->registers[i].bits == bits)
            return &r->registers[i];
    return NULL;
}

void kl_circuit_qasm_check_new(struct kl_qasm_reader *r, const char *text)
{
    bool known = strcmp(text, "pi") == 0 || strcmp(text, "tau") == 0 || kl_circuit_qasm_find(r, text);
    for (int i = 0; i < r->n_registers; i++) known |= strcmp(r->registers[i].text, text) == 0;
    if (!text[0]) kl_circuit_qasm_unexpected(r, "a name");
    if (known) kl_circuit_qasm_fail(r, r->token, "'%s' is declared twice", text);
}

static void keep(struct kl_qasm_reader *r, const struct kl_qasm_qubits *q)
{
    if (r->n_registers == KL_QASM_REGISTERS)
        kl_circuit_qasm_fail(r, r->token, "more than %d registers", KL_QASM_REGISTERS);
    if (!r->code) r->registers[r->n_registers++] = *q;
}

/* [n] NAME, or of version 2 NAME[n]; *count 0: a single one. */
static void declare(struct kl_qasm_reader *r, struct kl_qasm_qubits *q, bool old, int most)
{
    if (old) kl_circuit_qasm_word(r, q->text), kl_circuit_qasm_check_new(r, q->text);
    if (kl_circuit_qasm_take(r, '[')) {
        q->count = kl_circuit_qasm_number(r, 0, most);
        kl_circuit_qasm_expect(r, ']');
        if (!q->count)
            kl_circuit_qasm_fail(r, r->token, "a register of 0 %s", q->bits ? "bits" : "qubits");
    }
    if (!old) kl_circuit_qasm_word(r, q->text), kl_circuit_qasm_check_new(r, q->text);
}

void kl_circuit_qasm_qubits(struct kl_qasm_reader *r, bool old)
{
    struct kl_qasm_qubits q = { .count = 0 };
    declare(r, &q, old, KL_MAX_QUBITS);
    kl_circuit_qasm_expect(r, ';');
    const int n = q.count ? q.count : 1;
    if (r->n_qubits + n > KL_MAX_QUBITS)
        kl_circuit_qasm_fail(r, r->token, "more than %d qubits", KL_MAX_QUBITS);
    for (int i = 0; i < n && !r->code; i++) q.wires[i] = r->n_qubits++;
    keep(r, &q);
}

/* ---- operands ---- */
/* Place of a register of n: negative ones count from its end. */
static int place(struct kl_qasm_reader *r, int n)
{
    const int i = kl_circuit_qasm_number(r, -n, n - 1);
    return i < 0 ? i + n : i;
}

/* first:last, first:step:last, both ends included; behind the first colon. */
static void range(struct kl_qasm_reader *r, struct kl_qasm_operand *o, const struct kl_qasm_qubits *q,
                  int first)
{
    int step = 1, last = kl_circuit_qasm_number(r, -q->count, q->count - 1);
    if (kl_circuit_qasm_take(r, ':')) {
        step = last;
        last = place(r, q->count);
    } else if (last < 0) last += q->count;
    if (!step) kl_circuit_qasm_fail(r, r->token, "a range by steps of 0");
    for (int i = first; !r->code && (step > 0 ? i <= last : i >= last); i += step)
        o->wires[o->count++] = q->wires[i];
    if (!o->count) kl_circuit_qasm_fail(r, r->token, "a range without a qubit");
}

/* The rest of `q[0]`, `q[0:2]`, `q[{0, 2}]`, behind the bracket. */
static void elements(struct kl_qasm_reader *r, struct kl_qasm_operand *o, const struct kl_qasm_qubits *q)
{
    if (kl_circuit_qasm_take(r, '{')) {
        do {
            const int i = place(r, q->count);
            if (o->count == KL_MAX_QUBITS)
                kl_circuit_qasm_fail(r, r->token, "more than %d qubits", KL_MAX_QUBITS);
            if (!r->code) o->wires[o->count++] = q->wires[i];
        } while (kl_circuit_qasm_take(r, ','));
        kl_circuit_qasm_expect(r, '}');
    } else {
        const int first = place(r, q->count);
        if (kl_circuit_qasm_take(r, ':')) range(r, o, q, first);
        else o->wires[0] = r->code ? 0 : q->wires[first];
    }
    kl_circuit_qasm_expect(r, ']');
}

/* In a definition qubits are single ones, by the names that it gives them. */
static struct kl_qasm_operand own_qubit(struct kl_qasm_reader *r, const struct kl_qasm_scope *body)
{
    char text[KL_QASM_WORD];
    kl_circuit_qasm_word(r, text);
    for (int i = 0; i < body->n_qubits; i++)
        if (strcmp(body->qubits[i], text) == 0)
            return (struct kl_qasm_operand){ .wires = { body->wires[i] } };
    if (text[0]) kl_circuit_qasm_fail(r, r->token, "'%s' is no qubit of this gate", text);
    else kl_circuit_qasm_unexpected(r, "a qubit");
    return (struct kl_qasm_operand){ .count = 0 };
}

struct kl_qasm_operand kl_circuit_qasm_operand(struct kl_qasm_reader *r)
{
    char text[KL_QASM_WORD];
    struct kl_qasm_operand o = { .count = 0 };
    const struct kl_qasm_scope *body = kl_circuit_qasm_body(r);
    kl_circuit_qasm_skip(r);
    if (*r->at == '$')
        kl_circuit_qasm_fail(
            r, r->at,
            "a qubit of a device: transpile has laid the circuit out, where outputs may have "
            "changed places; give it optimization_level=1, and no device");
    if (body) return own_qubit(r, body);
    kl_circuit_qasm_word(r, text);
    const struct kl_qasm_qubits *q = find(r, text, false);
    if (!q && text[0]) kl_circuit_qasm_fail(r, r->token, "'%s' is no qubit", text);
    else if (!q) kl_circuit_qasm_unexpected(r, "a qubit");
    if (!q || r->code) return o;
    if (q->count && kl_circuit_qasm_take(r, '[')) {
        elements(r, &o, q);
        return o;
    }
    memcpy(o.wires, q->wires, sizeof o.wires);
    o.count = q->count;
    return o;
}

/* NAME = q[0:1] ++ r; */
void kl_circuit_qasm_alias(struct kl_qasm_reader *r)
{
    struct kl_qasm_qubits q = { .count = 0 };
    kl_circuit_qasm_word(r, q.text);
    kl_circuit_qasm_check_new(r, q.text);
    kl_circuit_qasm_expect(r, '=');
    do {
        const struct kl_qasm_operand o = kl_circuit_qasm_operand(r);
        const int n = o.count ? o.count : 1;
        if (q.count + n > KL_MAX_QUBITS)
            kl_circuit_qasm_fail(r, r->token, "more than %d qubits", KL_MAX_QUBITS);
        for (int i = 0; i < n && !r->code; i++) q.wires[q.count++] = o.wires[i];
    } while (kl_circuit_qasm_take_two(r, "++"));
    kl_circuit_qasm_expect(r, ';');
    keep(r, &q);
}

void kl_circuit_qasm_barrier(struct kl_qasm_reader *r)
{
    if (kl_circuit_qasm_take(r, ';')) return;
    do kl_circuit_qasm_operand(r);
    while (kl_circuit_qasm_take(r, ','));
    kl_circuit_qasm_expect(r, ';');
}

/* ---- measurements ---- */
static void measured(struct kl_qasm_reader *r)
{
    const struct kl_qasm_operand o = kl_circuit_qasm_operand(r);
    for (int i = 0; i < (o.count ? o.count : 1) && !r->code; i++) r->measured |= 1u << o.wires[i];
}

/* NAME, NAME[0], NAME[0:2], NAME[{0, 2}]: which ones nobody needs. */
static void bits(struct kl_qasm_reader *r, const char *text)
{
    const struct kl_qasm_qubits *q = find(r, text, true);
    if (!q) kl_circuit_qasm_fail(r, r->token, "'%s' is no bit", text);
    if (r->code || !kl_circuit_qasm_take(r, '[')) return;
    const bool set = kl_circuit_qasm_take(r, '{');
    do kl_circuit_qasm_number(r, -q->count, q->count - 1);
    while (kl_circuit_qasm_take(r, set ? ',' : ':'));
    if (set) kl_circuit_qasm_expect(r, '}');
    kl_circuit_qasm_expect(r, ']');
}

void kl_circuit_qasm_bits(struct kl_qasm_reader *r, bool old)
{
    struct kl_qasm_qubits q = { .bits = true };
    declare(r, &q, old, 1 << 20);
    if (!old && kl_circuit_qasm_take(r, '=')) {
        char text[KL_QASM_WORD];
        kl_circuit_qasm_word(r, text);
        if (strcmp(text, "measure") != 0)
            kl_circuit_qasm_fail(r, r->token, "found '%s', expected measure", text);
        measured(r);
    }
    kl_circuit_qasm_expect(r, ';');
    keep(r, &q);
}

void kl_circuit_qasm_measure(struct kl_qasm_reader *r)
{
    char text[KL_QASM_WORD];
    measured(r);
    if (kl_circuit_qasm_take_two(r, "->")) kl_circuit_qasm_word(r, text), bits(r, text);
    kl_circuit_qasm_expect(r, ';');
}

bool kl_circuit_qasm_assigns(struct kl_qasm_reader *r, const char *name)
{
    char text[KL_QASM_WORD];
    if (!find(r, name, true)) return false;
    bits(r, name);
    kl_circuit_qasm_expect(r, '=');
    kl_circuit_qasm_word(r, text);
    if (strcmp(text, "measure") != 0)
        kl_circuit_qasm_fail(r, r->token, "found '%s', expected measure", text);
    measured(r);
    kl_circuit_qasm_expect(r, ';');
    return true;
}

/* Before any gate a qubit is reset anyway. */
void kl_circuit_qasm_reset(struct kl_qasm_reader *r)
{
    const char *at = r->token;
    const struct kl_qasm_operand o = kl_circuit_qasm_operand(r);
    uint32_t wires = 0;
    for (int i = 0; i < (o.count ? o.count : 1) && !r->code; i++) wires |= 1u << o.wires[i];
    if (wires & (r->turned | r->measured))
        kl_circuit_qasm_fail(r, at,
                             "'reset' of a qubit on which gates were is not read: a circuit has no "
                             "way back to |0>");
    kl_circuit_qasm_expect(r, ';');
}
