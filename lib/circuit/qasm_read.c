/* SPDX-License-Identifier: MIT
   OpenQASM 3 (arXiv:2104.14722) and 2 (arXiv:1707.03429), the part that describes a circuit of gates:
   statements and declarations of parameters and constants (here), qubits (qasm_qubits.c), calls of gates
   (qasm_calls.c) and their definitions (qasm_define.c), by angles that are sums (qasm_angle.c).
   docs/circuits.md says what that is. */
#include <stdlib.h>
#include <string.h>

#include "circuit/qasm_int.h"

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static bool is_one_of(const char *text, const char *words)
{
    const size_t n = strlen(text);
    for (const char *at = words; n && (at = strstr(at, text)); at += n)
        if ((at == words || at[-1] == ' ') && (at[n] == ' ' || !at[n])) return true;
    return false;
}

/* [bits] */
static void width(struct kl_qasm_reader *r)
{
    if (kl_circuit_qasm_take(r, '[')) kl_circuit_qasm_number(r, 0, 64), kl_circuit_qasm_expect(r, ']');
}

/* input TYPE NAME; TYPE: float, angle, with [bits] or not, or array[TYPE, n]. */
static void input(struct kl_qasm_reader *r)
{
    char type[KL_QASM_WORD], text[KL_QASM_WORD];
    int count = 0;
    kl_circuit_qasm_word(r, type);
    bool array = strcmp(type, "array") == 0;
    if (array) kl_circuit_qasm_expect(r, '['), kl_circuit_qasm_word(r, type);
    if (!is_one_of(type, "float angle"))
        kl_circuit_qasm_fail(r, r->token, "found type '%s', expected float or angle", type);
    width(r);
    if (array) {
        kl_circuit_qasm_expect(r, ',');
        count = kl_circuit_qasm_number(r, 0, KL_QASM_VALUES);
        if (!count) kl_circuit_qasm_fail(r, r->token, "an array of 0 values");
        kl_circuit_qasm_expect(r, ']');
    }
    kl_circuit_qasm_word(r, text);
    kl_circuit_qasm_check_new(r, text);
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

/* [const] TYPE NAME = VALUE; a variable that nothing changes is a constant, too. */
static void constant(struct kl_qasm_reader *r, const char *type)
{
    struct kl_qasm_name n = { .source = KL_CONSTANT };
    char word[KL_QASM_WORD];
    memcpy(word, type, sizeof word);
    if (strcmp(word, "const") == 0) kl_circuit_qasm_word(r, word);
    if (!is_one_of(word, "int uint float angle"))
        kl_circuit_qasm_fail(r, r->token, "found type '%s', expected int, uint, float or angle", word);
    width(r);
    kl_circuit_qasm_word(r, n.text);
    kl_circuit_qasm_check_new(r, n.text);
    if (kl_circuit_qasm_take(r, ';'))
        kl_circuit_qasm_fail(r, r->token, "'%s': a variable without a value is not read: take it out",
                             n.text);
    kl_circuit_qasm_expect(r, '=');
    n.value = kl_circuit_qasm_value(r, &n.whole);
    const bool whole = is_one_of(word, "int uint");
    if (whole && !n.whole)
        kl_circuit_qasm_fail(r, r->token, "'%s': found %g, expected a whole number", n.text, n.value);
    n.whole = whole;
    kl_circuit_qasm_expect(r, ';');
    if (!r->code) kl_circuit_qasm_declare(r, &n);
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
    kl_circuit_qasm_skip(r);
    const char *at = r->at;
    char *end;
    const long found = strtol(at, &end, 10), minor = *end == '.' ? strtol(end + 1, &end, 10) : 0;
    r->at = end;
    if (found != 2 && found != 3)
        kl_circuit_qasm_fail(r, at, "found version '%.*s', expected OPENQASM 3 or 2",
                             (int)strcspn(at, " ;\r\n"), at);
    if (minor < 0 || minor > (found == 3))
        kl_circuit_qasm_fail(r, at, "found version %ld.%ld, expected 2.0, 3, 3.0 or 3.1", found, minor);
    r->version = (int)found;
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

static const struct {
    const char *word;
    void (*read)(struct kl_qasm_reader *r);
} statements[] = {
    { "OPENQASM", version },
    { "include", include },
    { "barrier", kl_circuit_qasm_barrier },
    { "let", kl_circuit_qasm_alias },
    { "measure", kl_circuit_qasm_measure },
    { "reset", kl_circuit_qasm_reset },
    { "gate", kl_circuit_qasm_define },
    { "for", kl_circuit_qasm_loop },
};

void kl_circuit_qasm_statement(struct kl_qasm_reader *r)
{
    char text[KL_QASM_WORD];
    if (r->scope && !kl_circuit_qasm_step(r)) return;
    if (kl_circuit_qasm_take(r, ';')) return;
    if (kl_circuit_qasm_take(r, '@')) annotation(r);
    kl_circuit_qasm_word(r, text);
    const bool called = kl_circuit_qasm_is_gate(r, text) || kl_circuit_qasm_is_modifier(text);
    if ((r->joins || r->joined) && !called)
        kl_circuit_qasm_fail(
            r, r->token, "@ketline.with_next: found '%s', expected the two gates that are one", text);
    if (is_one_of(text, "input qubit qreg") && r->circuit)
        kl_circuit_qasm_fail(r, r->token, "%s is declared after the first gate", text);
    for (size_t i = 0; i < sizeof statements / sizeof *statements && !r->code; i++)
        if (strcmp(statements[i].word, text) == 0) {
            statements[i].read(r);
            return;
        }
    if (r->code) return;
    if (!text[0]) kl_circuit_qasm_unexpected(r, "a statement");
    else if (strcmp(text, "input") == 0) input(r);
    else if (is_one_of(text, "qubit qreg")) kl_circuit_qasm_qubits(r, *text == 'q' && text[1] == 'r');
    else if (is_one_of(text, "bit creg")) kl_circuit_qasm_bits(r, *text == 'c');
    else if (is_one_of(text, "const int uint float angle")) constant(r, text);
    else if (called || strcmp(text, "gphase") == 0) kl_circuit_qasm_call(r, text);
    else if (!kl_circuit_qasm_assigns(r, text)) kl_circuit_qasm_unread(r, text);
}

void kl_circuit_qasm_block(struct kl_qasm_reader *r)
{
    const char *begin = r->at;
    while (!r->code && !kl_circuit_qasm_take(r, '}')) {
        if (!*r->at) kl_circuit_qasm_fail(r, begin, "a block without end");
        else kl_circuit_qasm_statement(r);
    }
}

/* ---- what is said of a text ---- */
void kl_circuit_qasm_say(struct kl_qasm_reader *r, char **lines, const char *line)
{
    const size_t used = *lines ? strlen(*lines) : 0, n = strlen(line);
    if (*lines && strstr(*lines, line)) return;
    char *more = realloc(*lines, used + n + 2);
    if (!more) {
        r->code = kl_fail_memory(r->err, used + n + 2);
        return;
    }
    memcpy(more + used, line, n);
    memcpy(more + used + n, "\n", 2);
    *lines = more;
}

static void say(const struct kl_log *log, void (*of)(const struct kl_log *, const char *),
                const char *lines)
{
    char line[512];
    for (size_t n; lines && *lines; lines += n + 1) {
        n = strcspn(lines, "\n");
        snprintf(line, sizeof line, "%.*s", (int)n, lines);
        of(log, line);
    }
}

static void note(const struct kl_log *log, const char *line)
{
    kl_note(log, 1, "%s", line);
}

static void caution(const struct kl_log *log, const char *line)
{
    kl_caution(log, "%s", line);
}

void kl_circuit_say(const struct kl_log *log, const struct kl_circuit *c)
{
    say(log, note, c->notes);
    say(log, caution, c->cautions);
}

/* ---- all of it ---- */
static void finish(struct kl_qasm_reader *r)
{
    r->token = r->at;
    if (r->joined)
        kl_circuit_qasm_fail(r, r->at, "@ketline.with_next: the text ends before the next gate");
    kl_circuit_qasm_begin(r);
    if (r->code) return;
    if (r->measured)
        kl_circuit_qasm_say(
            r, &r->circuit->notes,
            "the text's measurements, all at its end, are passed over: --observables says "
            "what is measured");
    kl_circuit_qasm_order(r);
}

int kl_circuit_from_qasm(struct kl_circuit **circuit, const char *text, struct kl_error *err)
{
    struct kl_qasm_reader *r = calloc(1, sizeof *r);
    *circuit = NULL;
    if (!r) return kl_fail_memory(err, sizeof *r);
    r->begin = r->at = r->token = r->site = r->called = text;
    r->end = text + strlen(text);
    r->version = 3, r->err = err;
    for (kl_circuit_qasm_skip(r); *r->at && !r->code; kl_circuit_qasm_skip(r))
        kl_circuit_qasm_statement(r);
    finish(r);
    if (r->code) kl_circuit_free(&r->circuit);
    *circuit = r->circuit;
    const int code = r->code;
    free(r->names);
    free(r->places);
    free(r->definitions);
    free(r);
    return code;
}
