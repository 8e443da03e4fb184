/* SPDX-License-Identifier: MIT
   OpenQASM 3 (arXiv:2104.14722), the part that describes a circuit of gates: declarations of qubits and
   of `input` parameters (here), and calls of the gates of stdgates.inc (qasm_gates.c) by angles that are
   sums (qasm_angle.c). docs/circuits.md says what that is. */
#include <stdlib.h>
#include <string.h>

#include "circuit/qasm_int.h"

static void check_new(struct kl_qasm_reader *r, const char *text)
{
    bool known = strcmp(text, "pi") == 0 || strcmp(text, "tau") == 0 || kl_circuit_qasm_find(r, text);
    for (int i = 0; i < r->n_registers; i++) known |= strcmp(r->registers[i].text, text) == 0;
    if (!text[0]) kl_circuit_qasm_unexpected(r, "a name");
    if (known) kl_circuit_qasm_fail(r, r->token, "'%s' is declared twice", text);
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* input TYPE NAME; TYPE: float, angle, with [bits] or not, or array[TYPE, n]. */
static void input(struct kl_qasm_reader *r)
{
    char type[KL_QASM_WORD], text[KL_QASM_WORD];
    int count = 0;
    kl_circuit_qasm_word(r, type);
    bool array = strcmp(type, "array") == 0;
    if (array) kl_circuit_qasm_expect(r, '['), kl_circuit_qasm_word(r, type);
    if (strcmp(type, "float") != 0 && strcmp(type, "angle") != 0)
        kl_circuit_qasm_fail(r, r->token, "found type '%s', expected float or angle", type);
    if (kl_circuit_qasm_take(r, '[')) kl_circuit_qasm_number(r, 64), kl_circuit_qasm_expect(r, ']');
    if (array) {
        kl_circuit_qasm_expect(r, ',');
        count = kl_circuit_qasm_number(r, KL_QASM_VALUES);
        if (!count) kl_circuit_qasm_fail(r, r->token, "an array of 0 values");
        kl_circuit_qasm_expect(r, ']');
    }
    kl_circuit_qasm_word(r, text);
    check_new(r, text);
    kl_circuit_qasm_expect(r, ';');
    if (!r->code && r->n_inputs + r->n_weights + (count ? count : 1) > KL_QASM_VALUES)
        kl_circuit_qasm_fail(r, r->token, "more than %d parameters", KL_QASM_VALUES);
    if (r->code) return;
    const char *letter = text + strspn(text, "_");
    struct kl_qasm_name n = { .source = *letter == 'x' || begins(letter, "input") ? KL_INPUT : KL_WEIGHT,
                              .count = count };
    int *total = n.source == KL_INPUT ? &r->n_inputs : &r->n_weights;
    memcpy(n.text, text, sizeof n.text);
    n.first = *total;
    *total += count ? count : 1;
    kl_circuit_qasm_declare(r, &n);
}

static void qubit(struct kl_qasm_reader *r)
{
    struct kl_qasm_qubits q = { .first = r->n_qubits };
    if (kl_circuit_qasm_take(r, '[')) {
        q.count = kl_circuit_qasm_number(r, KL_MAX_QUBITS);
        kl_circuit_qasm_expect(r, ']');
        if (!q.count) kl_circuit_qasm_fail(r, r->token, "a register of 0 qubits");
    }
    kl_circuit_qasm_word(r, q.text);
    check_new(r, q.text);
    kl_circuit_qasm_expect(r, ';');
    r->n_qubits += q.count ? q.count : 1;
    if (r->n_qubits > KL_MAX_QUBITS)
        kl_circuit_qasm_fail(r, r->token, "more than %d qubits", KL_MAX_QUBITS);
    if (r->n_registers == KL_QASM_REGISTERS)
        kl_circuit_qasm_fail(r, r->token, "more than %d registers", KL_QASM_REGISTERS);
    if (!r->code) r->registers[r->n_registers++] = q;
}

/* Any file: it is not opened. */
static void include(struct kl_qasm_reader *r)
{
    kl_circuit_qasm_skip(r);
    const char quote = *r->at == '\'' ? '\'' : '"';
    kl_circuit_qasm_expect(r, quote);
    while (*r->at && *r->at != '\n' && *r->at != quote) r->at++;
    kl_circuit_qasm_expect(r, quote);
    kl_circuit_qasm_expect(r, ';');
}

static void version(struct kl_qasm_reader *r)
{
    const int found = kl_circuit_qasm_number(r, 1000);
    const char *at = r->token;
    if (found != 3)
        kl_circuit_qasm_fail(r, at,
                             "found version %d, expected OPENQASM 3; convert it, in Qiskit with "
                             "qasm3.dumps(qasm2.load(FILE))",
                             found);
    const int minor = kl_circuit_qasm_take(r, '.') ? kl_circuit_qasm_number(r, 1000) : 0;
    if (minor > 1) kl_circuit_qasm_fail(r, at, "found version 3.%d, expected 3, 3.0 or 3.1", minor);
    kl_circuit_qasm_expect(r, ';');
}

void kl_circuit_qasm_begin(struct kl_qasm_reader *r)
{
    if (r->circuit || r->code) return;
    if (!r->n_qubits) kl_circuit_qasm_fail(r, r->token, "a gate before any qubit is declared");
    if (!r->code)
        r->code = kl_circuit_begin(&r->circuit, r->n_qubits, (size_t)r->n_inputs, (size_t)r->n_weights,
                                   r->err);
}

/* @ketline.with_next: the call of a gate that follows, and the next one, are one gate. kl_circuit_qasm
   writes so what stdgates.inc has no gate for; others may leave annotations unread, and see the gates.
 */
static void annotation(struct kl_qasm_reader *r)
{
    char text[2][KL_QASM_WORD];
    kl_circuit_qasm_word(r, text[0]);
    const char *at = r->token;
    kl_circuit_qasm_expect(r, '.');
    kl_circuit_qasm_word(r, text[1]);
    if (strcmp(text[0], "ketline") != 0 || strcmp(text[1], "with_next") != 0)
        kl_circuit_qasm_fail(r, at, "an annotation that is not read; @ketline.with_next is");
    r->at += strspn(r->at, " \t\r");
    if (*r->at != '\n') kl_circuit_qasm_fail(r, r->at, "an annotation has a line of its own");
    r->joins = true;
}

static void statement(struct kl_qasm_reader *r)
{
    char text[KL_QASM_WORD];
    if (kl_circuit_qasm_take(r, '@')) annotation(r);
    kl_circuit_qasm_word(r, text);
    bool declares = strcmp(text, "input") == 0 || strcmp(text, "qubit") == 0;
    if ((r->joins || r->joined) && !kl_circuit_qasm_is_gate(text))
        kl_circuit_qasm_fail(
            r, r->token, "@ketline.with_next: found '%s', expected the two gates that are one", text);
    if (declares && r->circuit)
        kl_circuit_qasm_fail(r, r->token, "%s is declared after the first gate", text);
    else if (strcmp(text, "OPENQASM") == 0) version(r);
    else if (strcmp(text, "include") == 0) include(r);
    else if (strcmp(text, "barrier") == 0) kl_circuit_qasm_barrier(r);
    else if (strcmp(text, "input") == 0) input(r);
    else if (strcmp(text, "qubit") == 0) qubit(r);
    else if (!text[0]) kl_circuit_qasm_unexpected(r, "a statement");
    else kl_circuit_qasm_gate(r, text);
}

int kl_circuit_from_qasm(struct kl_circuit **circuit, const char *text, struct kl_error *err)
{
    struct kl_qasm_reader r = { .begin = text, .at = text, .err = err };
    *circuit = NULL;
    for (kl_circuit_qasm_skip(&r); *r.at && !r.code; kl_circuit_qasm_skip(&r)) statement(&r);
    r.token = r.at;
    if (r.joined)
        kl_circuit_qasm_fail(&r, r.at, "@ketline.with_next: the text ends before the next gate");
    kl_circuit_qasm_begin(&r);
    free(r.names);
    free(r.places);
    if (r.code) kl_circuit_free(&r.circuit);
    *circuit = r.circuit;
    return r.code;
}
