/* SPDX-License-Identifier: MIT
   OpenQASM 3 (arXiv:2104.14722) and 2 (arXiv:1707.03429), the part that describes a circuit of gates:
   statements and definitions of gates (here), names of parameters and qubits (qasm_names.c), calls of
   gates (qasm_gates.c), by angles that are sums (qasm_angle.c). docs/circuits.md says what that is. */
#include "circuit/qasm_int.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void qasm_statement(struct kl_qasm_reader *r);
/* Statements up to the brace that closes them. */
static void qasm_block(struct kl_qasm_reader *r);

/* ---- what other programs write and is not read: each is refused with what to do about it ---- */
#define WRITTEN_OUT \
    "in Qiskit with transpile(c, basis_gates=['rx', 'ry', 'rz', 'h', 'cx'], optimization_level=1)"

static const char steered[] =
    "a circuit has no statements that depend on what was measured; take them out",
                  timed[] = "a circuit has gates and no times; take it out",
                  program[] = "a circuit has gates alone; write what it does out, " WRITTEN_OUT;
static const struct {
    const char *word, *why;
} unread[] = {
    { "if", steered },     { "while", steered },         { "switch", steered },
    { "else", steered },   { "break", steered },         { "continue", steered },
    { "end", steered },    { "def", program },           { "extern", program },
    { "return", program }, { "opaque", program },        { "cal", program },
    { "defcal", program }, { "defcalgrammar", program }, { "pragma", program },
    { "output", program }, { "delay", timed },           { "box", timed },
    { "stretch", timed },  { "duration", timed },        { "bool", program },
    { "array", program },  { "complex", program },
};

void kl_circuit_qasm_unread(struct kl_qasm_reader *r, const char *word)
{
    for (size_t i = 0; i < sizeof unread / sizeof *unread; i++)
        if (strcmp(unread[i].word, word) == 0)
            kl_circuit_qasm_fail(r, r->token, "'%s' is not read: %s", word, unread[i].why);
    kl_circuit_qasm_skip(r);
    const bool called = *r->at == '(' || *r->at == '_' || isalpha((unsigned char)*r->at);
    kl_circuit_qasm_fail(r, r->token, "'%s' is no gate or statement that is read here%s", word,
                         called ? "; a gate needs a definition, or is written out, " WRITTEN_OUT : "");
}

/* ---- definitions ----
   Those of a text, and those of the standard that are several gates
   here. A call runs the statements of the body on its own angles and wires; so does a loop with its
   number. */

/* Of stdgates.inc, of qelib1.inc of version 2, and what gates are under a control. ccp(t) is exp(i t
   |111><111|) by strings of Z, but for a global phase, which a control would make one of states: cccp is
   written out by the phase's half (Barenco et al. 1995, lemma 7.5). A control of a turn turns half of
   it, and half of it back unless X is applied before and behind. CH is CZ between turns from Z to (X +
   Z) / sqrt(2). */
static const struct kl_qasm_definition standard[] = {
    { "u0", "(t) q { id q; }" },
    { "u2", "(f, l) q { U(pi/2, f, l) q; }" },
    { "cy", "a, b { sdg b; cx a, b; s b; }" },
    { "ch", "a, b { ry(-pi/4) b; cz a, b; ry(pi/4) b; }" },
    { "cu", "(t, f, l, g) a, b { p(g + 0.5*f + 0.5*l) a; crz(l) a, b; cry(t) a, b; crz(f) a, b; }" },
    { "cu3", "(t, f, l) a, b { cu(t, f, l, 0) a, b; }" },
    { "cs", "a, b { cp(pi/2) a, b; }" },
    { "csdg", "a, b { cp(-pi/2) a, b; }" },
    { "ct", "a, b { cp(pi/4) a, b; }" },
    { "ctdg", "a, b { cp(-pi/4) a, b; }" },
    { "csx", "a, b { h b; cs a, b; h b; }" },
    { "sxdg", "a { h a; sdg a; h a; }" },
    { "ccp", "(t) a, b, c { rz(0.25*t) a; rz(0.25*t) b; rz(0.25*t) c; rzz(-0.25*t) a, b;"
             " rzz(-0.25*t) a, c; rzz(-0.25*t) b, c; rzzz(0.25*t) a, b, c; }" },
    { "cccp", "(t) a, b, c, d { cp(0.5*t) c, d; ccx a, b, c; cp(-0.5*t) c, d; ccx a, b, c;"
              " ccp(0.5*t) a, b, d; }" },
    { "ccrx", "(t) a, b, c { crx(0.5*t) b, c; cz a, c; crx(-0.5*t) b, c; cz a, c; }" },
    { "ccry", "(t) a, b, c { cry(0.5*t) b, c; cx a, c; cry(-0.5*t) b, c; cx a, c; }" },
    { "ccrz", "(t) a, b, c { crz(0.5*t) b, c; cx a, c; crz(-0.5*t) b, c; cx a, c; }" },
    { "crzz", "(t) a, b, c { cx b, c; crz(t) a, c; cx b, c; }" },
    { "crzzz", "(t) a, b, c, d { cx b, c; crzz(t) a, c, d; cx b, c; }" },
    { "ccz", "a, b, c { ccp(pi) a, b, c; }" },
    { "ccx", "a, b, c { h c; ccz a, b, c; h c; }" },
    { "c3x", "a, b, c, d { h d; cccp(pi) a, b, c, d; h d; }" },
    { "c4x", "a, b, c, d, e { h e; ctrl @ cccp(pi) a, b, c, d, e; h e; }" },
    { "c3sqrtx", "a, b, c, d { h d; cccp(pi/2) a, b, c, d; h d; }" },
    { "rccx", "a, b, c { h c; t c; cx b, c; tdg c; cx a, c; t c; cx b, c; tdg c; h c; }" },
    { "rc3x", "a, b, c, d { h d; t d; cx c, d; tdg d; h d; cx a, d; t d; cx b, d; tdg d; cx a, d; t d;"
              " cx b, d; tdg d; h d; t d; cx c, d; tdg d; h d; }" },
    { "cswap", "a, b, c { cx c, b; ccx a, b, c; cx c, b; }" },
    { "rxx", "(t) a, b { h a; h b; rzz(t) a, b; h a; h b; }" },
    { "ryy", "(t) a, b { rx(pi/2) a; rx(pi/2) b; rzz(t) a, b; rx(-pi/2) a; rx(-pi/2) b; }" },
    { "rzx", "(t) a, b { h b; rzz(t) a, b; h b; }" },
};

static bool is_standard(const struct kl_qasm_definition *d)
{
    return d >= standard && d < standard + sizeof standard / sizeof *standard;
}

const struct kl_qasm_definition *kl_circuit_qasm_definition(const struct kl_qasm_reader *r,
                                                            const char *name, bool own)
{
    const struct kl_qasm_scope *body = kl_circuit_qasm_body(r);
    for (int i = (body ? body->n_visible : r->n_definitions) - 1; i >= 0 && own; i--)
        if (strcmp(r->definitions[i].text, name) == 0) return &r->definitions[i];
    for (size_t i = 0; i < sizeof standard / sizeof *standard && !own; i++)
        if (strcmp(standard[i].text, name) == 0) return &standard[i];
    return NULL;
}

/* The rest of gate. */
static void qasm_define(struct kl_qasm_reader *r)
{
    struct kl_qasm_definition d;
    const int n = r->n_definitions;
    if (r->scope) kl_circuit_qasm_fail(r, r->token, "a definition within a block");
    kl_circuit_qasm_word(r, d.text);
    if (!d.text[0]) kl_circuit_qasm_unexpected(r, "a name");
    if (kl_circuit_qasm_definition(r, d.text, true))
        kl_circuit_qasm_fail(r, r->token, "'%s' is defined twice", d.text);
    const char *at = r->token;
    d.at = r->at;
    kl_circuit_qasm_pass(r);
    if (!r->code && r->at[-1] != '}')
        kl_circuit_qasm_fail(r, at, "'%s': a definition without a block", d.text);
    if (r->code) return;
    if ((n & (n - 1)) == 0) { /* full at each power of two */
        const size_t room = n ? 2 * (size_t)n : 1;
        struct kl_qasm_definition *more = realloc(r->definitions, room * sizeof *more);
        if (!more) {
            r->code = kl_fail_memory(r->err, room * sizeof *more);
            return;
        }
        r->definitions = more;
    }
    r->definitions[r->n_definitions++] = d;
}

/* ---- what is run again and again ---- */
bool kl_circuit_qasm_step(struct kl_qasm_reader *r)
{
    if (++r->steps > KL_QASM_STEPS)
        kl_circuit_qasm_fail(
            r, r->at, "more than %d statements of definitions and loops, as often as they are run",
            (int)KL_QASM_STEPS);
    return !r->code;
}

static bool enter(struct kl_qasm_reader *r)
{
    if (++r->nested > KL_QASM_DEPTH)
        kl_circuit_qasm_fail(r, r->at, "more than %d definitions and blocks within each other",
                             (int)KL_QASM_DEPTH);
    return !r->code;
}

/* ---- a call ---- */
/* "(a, b) q, r" into the names of the scope; how many there are is checked by who called. */
static void read_head(struct kl_qasm_reader *r, struct kl_qasm_scope *s, const char *name, int n_angles,
                      int n_wires)
{
    char text[KL_QASM_WORD];
    int angles = 0, wires = 0;
    if (kl_circuit_qasm_take(r, '(') && !kl_circuit_qasm_take(r, ')')) {
        do {
            kl_circuit_qasm_word(r, text);
            if (!text[0]) kl_circuit_qasm_unexpected(r, "the name of a parameter");
            if (angles < n_angles) memcpy(s->locals[angles].text, text, sizeof text);
            angles++;
        } while (kl_circuit_qasm_take(r, ','));
        kl_circuit_qasm_expect(r, ')');
    }
    do {
        kl_circuit_qasm_word(r, text);
        if (!text[0]) kl_circuit_qasm_unexpected(r, "the name of a qubit");
        if (wires < n_wires) memcpy(s->qubits[wires], text, sizeof text);
        wires++;
    } while (kl_circuit_qasm_take(r, ','));
    kl_circuit_qasm_expect(r, '{');
    if (angles != n_angles || wires != n_wires)
        kl_circuit_qasm_fail(r, r->called, "'%s' takes %d angle%s and %d qubit%s, found %d and %d", name,
                             angles, kl_s((unsigned)angles), wires, kl_s((unsigned)wires), n_angles,
                             n_wires);
}

static bool is_name(const struct kl_qasm_sum *s, const struct kl_qasm_name *n)
{
    const struct kl_qasm_term *t = &s->terms[0];
    return s->n == 1 && t->source == n->source && t->index == n->first && t->scale == 1 &&
           t->factor < 0 && (t->source != KL_INPUT || t->index2 < 0);
}

/* Parameters of the text that a definition calls by the same names are given to it, but in another
   order: Qiskit sorts those of the definition, and not always those of the call. */
static void check_order(struct kl_qasm_reader *r, const struct kl_qasm_scope *s, const char *name)
{
    char line[400];
    for (int i = 0; i < s->n_locals && !r->code; i++) {
        const struct kl_qasm_name *n = kl_circuit_qasm_find(r, s->locals[i].text);
        if (!n || n->count || n->source == KL_CONSTANT || is_name(&s->locals[i].value, n)) continue;
        for (int k = 0; k < s->n_locals; k++) {
            if (!is_name(&s->locals[k].value, n)) continue;
            snprintf(line, sizeof line,
                     "gate %s has its parameter '%s' as number %d, and is given it as number %d: it is "
                     "read as "
                     "it is written; Qiskit exchanges parameters so in some circuits that are one gate: "
                     "decompose() takes the gate apart",
                     name, n->text, i + 1, k + 1);
            kl_circuit_qasm_say(r, &r->circuit->cautions, line);
            return;
        }
    }
}

/* The gates of a definition of the standard are one. */
static void join(struct kl_circuit *c, size_t from)
{
    for (size_t i = from; i + 1 < c->n_ops; i++)
        if (c->ops[i].next == KL_OTHER_GATE) c->ops[i].next = KL_NEXT_PART;
}

static void run(struct kl_qasm_reader *r, const struct kl_qasm_definition *d, struct kl_qasm_scope *s)
{
    const char *const at = r->at, *const called = r->called, *const site = r->site;
    const struct kl_qasm_scope *const outer = r->scope;
    const size_t before = r->circuit->n_ops;
    if (is_standard(d) && called >= r->begin && called <= r->end) r->site = called;
    r->at = d->at;
    read_head(r, s, d->text, s->n_locals, s->n_qubits);
    if (!outer && !is_standard(d)) check_order(r, s, d->text);
    r->scope = s;
    if (enter(r)) qasm_block(r);
    r->nested--;
    r->scope = outer, r->at = at, r->called = called, r->site = site;
    if (!r->code && is_standard(d)) join(r->circuit, before);
}

void kl_circuit_qasm_expand(struct kl_qasm_reader *r, const struct kl_qasm_definition *d,
                            const struct kl_qasm_sum *angles, int n_angles, const int *wires,
                            int n_wires)
{
    const struct kl_qasm_definition copy = *d; /* the list of them may move */
    struct kl_qasm_scope s = { .body = true,
                               .n_visible = is_standard(d) ? -1 : (int)(d - r->definitions),
                               .n_locals = n_angles,
                               .n_qubits = n_wires };
    char qubits[KL_MAX_QUBITS][KL_QASM_WORD];
    s.locals = calloc((size_t)n_angles + 1, sizeof *s.locals);
    if (!s.locals) r->code = kl_fail_memory(r->err, (size_t)n_angles * sizeof *s.locals);
    for (int i = 0; i < n_angles && !r->code; i++) s.locals[i].value = angles[i];
    for (int i = 0; i < n_wires; i++) s.wires[i] = wires[i];
    s.qubits = qubits;
    if (!r->code) run(r, is_standard(d) ? d : &copy, &s);
    free(s.locals);
}

/* ---- a loop ---- */
/* The statements behind `for TYPE NAME in ...`, for one value. */
static void round_of(struct kl_qasm_reader *r, struct kl_qasm_scope *s, const char *body, double value)
{
    s->locals[0].value = kl_circuit_qasm_constant(value);
    s->locals[0].value.whole = true;
    r->at = body;
    if (!kl_circuit_qasm_step(r)) return;
    if (kl_circuit_qasm_take(r, '{')) qasm_block(r);
    else qasm_statement(r);
}

/* [first:last], [first:step:last], {a, b, c} */
static int read_values(struct kl_qasm_reader *r, int values[KL_QASM_ARGUMENTS])
{
    enum { MOST = 1 << 30 };
    int n = 0;
    const char *at = r->at;
    if (kl_circuit_qasm_take(r, '{')) {
        do {
            if (n == KL_QASM_ARGUMENTS) kl_circuit_qasm_fail(r, at, "more than %d values", n);
            else values[n++] = kl_circuit_qasm_number(r, -MOST, MOST);
        } while (kl_circuit_qasm_take(r, ','));
        kl_circuit_qasm_expect(r, '}');
        return n;
    }
    kl_circuit_qasm_expect(r, '[');
    const int first = kl_circuit_qasm_number(r, -MOST, MOST);
    kl_circuit_qasm_expect(r, ':');
    int step = 1, last = kl_circuit_qasm_number(r, -MOST, MOST);
    if (kl_circuit_qasm_take(r, ':')) step = last, last = kl_circuit_qasm_number(r, -MOST, MOST);
    kl_circuit_qasm_expect(r, ']');
    if (!step) kl_circuit_qasm_fail(r, at, "a range by steps of 0");
    for (int64_t i = first; !r->code && (step > 0 ? i <= last : i >= last); i += step) {
        if (n == KL_QASM_ARGUMENTS) kl_circuit_qasm_fail(r, at, "more than %d values", n);
        else values[n++] = (int)i;
    }
    return n;
}

/* The rest of for. */
static void qasm_loop(struct kl_qasm_reader *r)
{
    char text[2][KL_QASM_WORD];
    struct kl_qasm_local variable;
    struct kl_qasm_scope s = { .outer = r->scope, .locals = &variable, .n_locals = 1 };
    int *values = malloc(KL_QASM_ARGUMENTS * sizeof *values);
    if (!values) r->code = kl_fail_memory(r->err, KL_QASM_ARGUMENTS * sizeof *values);
    kl_circuit_qasm_word(r, text[0]);
    if (kl_circuit_qasm_take(r, '[')) kl_circuit_qasm_number(r, 1, 64), kl_circuit_qasm_expect(r, ']');
    kl_circuit_qasm_word(r, text[1]);
    const bool typed = strcmp(text[1], "in") != 0; /* the type may be missing */
    memcpy(variable.text, text[typed], sizeof variable.text);
    if (typed) kl_circuit_qasm_word(r, text[1]);
    if (strcmp(text[1], "in") != 0)
        kl_circuit_qasm_fail(r, r->token, "found '%s', expected 'in', as in 'for int i in [0:2]'",
                             text[1]);
    const int n = r->code ? 0 : read_values(r, values);
    const char *body = r->at;
    kl_circuit_qasm_pass(r);
    const char *end = r->at;
    if (!r->code && enter(r)) {
        r->scope = &s;
        for (int i = 0; i < n && !r->code; i++) round_of(r, &s, body, values[i]);
        r->scope = s.outer;
    }
    r->nested -= !r->code;
    if (!r->code) r->at = end;
    free(values);
}

/* ---- statements ---- */
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
    { "gate", qasm_define },
    { "for", qasm_loop },
};

static void qasm_statement(struct kl_qasm_reader *r)
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

static void qasm_block(struct kl_qasm_reader *r)
{
    const char *begin = r->at;
    while (!r->code && !kl_circuit_qasm_take(r, '}')) {
        if (!*r->at) kl_circuit_qasm_fail(r, begin, "a block without end");
        else qasm_statement(r);
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
    for (kl_circuit_qasm_skip(r); *r->at && !r->code; kl_circuit_qasm_skip(r)) qasm_statement(r);
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
