/* SPDX-License-Identifier: MIT
   Definitions of gates in OpenQASM: those of a text, and those of the standard that are several gates
   here. A call runs the statements of the body on its own angles and wires; so does a loop with its
   number. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "circuit/qasm_int.h"

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

void kl_circuit_qasm_define(struct kl_qasm_reader *r)
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
    if (enter(r)) kl_circuit_qasm_block(r);
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
    if (kl_circuit_qasm_take(r, '{')) kl_circuit_qasm_block(r);
    else kl_circuit_qasm_statement(r);
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

void kl_circuit_qasm_loop(struct kl_qasm_reader *r)
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
