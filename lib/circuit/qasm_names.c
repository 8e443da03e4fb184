/* SPDX-License-Identifier: MIT
   The words of an OpenQASM text and what they name: parameters and constants, qubits and bits. */
#include "circuit/qasm_int.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

/* ---- letters: white space, comments, words, and where the reader stands when it fails ---- */
void kl_circuit_qasm_fail(struct kl_qasm_reader *r, const char *at, const char *format, ...)
{
    char text[256];
    int line = 1, column = 1;
    va_list list;
    if (r->code) return;
    if (at < r->begin || at > r->end) at = r->site; /* in a definition of the standard */
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    kl_make_printable(text); /* what was found may be anything */
    for (const char *c = r->begin; c < at; c++)
        if (*c == '\n') line++, column = 1;
        else column += ((unsigned char)*c & 0xc0) != 0x80; /* letters, not bytes */
    r->code = kl_fail(r->err, KL_EDATA, "OpenQASM, line %d, column %d: %s", line, column, text);
}

void kl_circuit_qasm_skip(struct kl_qasm_reader *r)
{
    for (;;) {
        while (isspace((unsigned char)*r->at)) r->at++;
        if (r->at[0] == '/' && r->at[1] == '/') {
            r->at += strcspn(r->at, "\r\n");
        } else if (r->at[0] == '/' && r->at[1] == '*') {
            const char *end = strstr(r->at + 2, "*/");
            if (!end) {
                kl_circuit_qasm_fail(r, r->at, "a comment without end");
                return;
            }
            r->at = end + 2;
        } else {
            return;
        }
    }
}

bool kl_circuit_qasm_take(struct kl_qasm_reader *r, char c)
{
    kl_circuit_qasm_skip(r);
    if (r->code || *r->at != c) return false;
    r->at++;
    return true;
}

bool kl_circuit_qasm_take_two(struct kl_qasm_reader *r, const char *letters)
{
    kl_circuit_qasm_skip(r);
    if (r->code || r->at[0] != letters[0] || r->at[1] != letters[1]) return false;
    r->at += 2;
    return true;
}

void kl_circuit_qasm_expect(struct kl_qasm_reader *r, char c)
{
    kl_circuit_qasm_skip(r);
    if (!kl_circuit_qasm_take(r, c)) kl_circuit_qasm_unexpected(r, (char[]){ '\'', c, '\'', 0 });
}

/* Bytes of the letter at text: of UTF-8, one and those that follow it. */
static int letter_bytes(const char *text)
{
    int n = 1;
    while (((unsigned char)text[n] & 0xc0) == 0x80 && n < 4) n++;
    return n;
}

void kl_circuit_qasm_unexpected(struct kl_qasm_reader *r, const char *expected)
{
    kl_circuit_qasm_fail(r, r->at, "found '%.*s', expected %s", *r->at ? letter_bytes(r->at) : 1,
                         *r->at ? r->at : " ", expected);
}

/* Letters beyond ASCII are any of UTF-8: Qiskit names parameters in Greek. */
static bool begins_word(const char *at)
{
    return isalpha((unsigned char)*at) || *at == '_' || (unsigned char)*at > 127;
}

void kl_circuit_qasm_word(struct kl_qasm_reader *r, char text[KL_QASM_WORD])
{
    size_t n = 0;
    kl_circuit_qasm_skip(r);
    r->token = r->at;
    text[0] = 0;
    if (!begins_word(r->at)) return;
    while (begins_word(r->at + n) || isdigit((unsigned char)r->at[n])) n++;
    if (n >= KL_QASM_WORD) {
        kl_circuit_qasm_fail(r, r->token, "a name of more than %d letters", KL_QASM_WORD - 1);
        return;
    }
    memcpy(text, r->at, n);
    text[n] = 0;
    kl_compose(text); /* a letter with its mark is one, however it is written */
    r->at += n;
}

/* Of `for i in {0, 2}`: the brace begins a set, no block. */
static bool begins_set(const char *begin, const char *at)
{
    while (at > begin && isspace((unsigned char)at[-1])) at--;
    return at - begin >= 3 && at[-1] == 'n' && at[-2] == 'i' && !begins_word(at - 3);
}

void kl_circuit_qasm_pass(struct kl_qasm_reader *r)
{
    int depth = 0;
    for (const char *begin = r->at; !r->code;) {
        kl_circuit_qasm_skip(r);
        const char c = *r->at;
        if (!c) kl_circuit_qasm_fail(r, begin, "a block without end");
        else if (c == '{' && begins_set(begin, r->at)) r->at += strcspn(r->at, "}");
        else depth += (c == '{') - (c == '}');
        if (*r->at) r->at++;
        if ((c == '}' || c == ';') && depth <= 0) return;
    }
}

/* ---- parameters and constants ----
   Those that a text has declared are found by name: a hash table, since it may declare each of many
   thousand weights by itself and use it once. What holds in a body. */

/* The place of the name, or the free one where it would be. FNV-1a. */
static int *place(const struct kl_qasm_reader *r, const char *text)
{
    uint32_t hash = 2166136261u;
    for (const char *c = text; *c; c++) hash = (hash ^ (unsigned char)*c) * 16777619u;
    const uint32_t mask = (uint32_t)r->n_places - 1;
    uint32_t i = hash & mask;
    while (r->places[i] && strcmp(r->names[r->places[i] - 1].text, text) != 0) i = (i + 1) & mask;
    return &r->places[i];
}

const struct kl_qasm_name *kl_circuit_qasm_find(const struct kl_qasm_reader *r, const char *text)
{
    const int number = r->n_places ? *place(r, text) : 0;
    return number ? &r->names[number - 1] : NULL;
}

/* Twice as many places as names, at least. */
static bool grow(struct kl_qasm_reader *r)
{
    const int n = r->n_places ? 2 * r->n_places : 64;
    struct kl_qasm_name *names = realloc(r->names, (size_t)n / 2 * sizeof *names);
    if (names) r->names = names;
    int *places = names ? calloc((size_t)n, sizeof *places) : NULL;
    if (!places) {
        r->code = kl_fail_memory(r->err, (size_t)n * sizeof *names);
        return false;
    }
    free(r->places);
    r->places = places;
    r->n_places = n;
    for (int i = 0; i < r->n_names; i++) *place(r, r->names[i].text) = i + 1;
    return true;
}

void kl_circuit_qasm_declare(struct kl_qasm_reader *r, const struct kl_qasm_name *name)
{
    if (2 * r->n_names == r->n_places && !grow(r)) return;
    r->names[r->n_names++] = *name;
    *place(r, name->text) = r->n_names;
}

const struct kl_qasm_scope *kl_circuit_qasm_body(const struct kl_qasm_reader *r)
{
    const struct kl_qasm_scope *s = r->scope;
    while (s && !s->body) s = s->outer;
    return s;
}

const struct kl_qasm_sum *kl_circuit_qasm_local(const struct kl_qasm_reader *r, const char *text)
{
    for (const struct kl_qasm_scope *s = r->scope; s; s = s->body ? NULL : s->outer)
        for (int i = 0; i < s->n_locals; i++)
            if (strcmp(s->locals[i].text, text) == 0) return &s->locals[i].value;
    return NULL;
}

/* ---- the order of declarations ---- */
/* The number in w10 or _w_10_, and its first place; false: it has none. */
static bool number_of(size_t *begin, long *number, const char *text)
{
    size_t n = strlen(text);
    while (n && text[n - 1] == '_') n--;
    *begin = n;
    while (*begin && isdigit((unsigned char)text[*begin - 1])) --*begin;
    *number = strtol(text + *begin, NULL, 10);
    return *begin < n && n - *begin < 10;
}

/* Single parameters come by the alphabet from Qiskit, w10 before w2: as they are declared they are
   numbered, whatever their names. */
void kl_circuit_qasm_order(struct kl_qasm_reader *r)
{
    char line[400];
    const struct kl_qasm_name *last[2] = { NULL, NULL };
    for (int i = 0; i < r->n_names && !r->code; i++) {
        const struct kl_qasm_name *n = &r->names[i];
        size_t begin, before;
        long number, smaller;
        if (n->source == KL_CONSTANT || n->count || !number_of(&begin, &number, n->text)) continue;
        const struct kl_qasm_name **l = &last[n->source == KL_WEIGHT];
        const bool same = *l && number_of(&before, &smaller, (*l)->text) && before == begin &&
                          strncmp((*l)->text, n->text, begin) == 0;
        if (same && number < smaller) {
            const char *kind = n->source == KL_WEIGHT ? "weight" : "input";
            snprintf(
                line, sizeof line,
                "%ss are numbered as they are declared, not as they are called: '%s' is %s %d, '%s', "
                "declared behind it, %s %d (Qiskit declares single parameters by the alphabet; of a "
                "ParameterVector it keeps the order)",
                kind, (*l)->text, kind, (*l)->first, n->text, kind, n->first);
            kl_circuit_qasm_say(r, &r->circuit->cautions, line);
            return;
        }
        *l = n;
    }
}

/* ---- qubits and bits ----
   Their declarations, parts of registers, what is measured. A head measures by itself, so that
   measurements at the end are passed over, with a line. */

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
static int index_below(struct kl_qasm_reader *r, int n)
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
        last = index_below(r, q->count);
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
            const int i = index_below(r, q->count);
            if (o->count == KL_MAX_QUBITS)
                kl_circuit_qasm_fail(r, r->token, "more than %d qubits", KL_MAX_QUBITS);
            if (!r->code) o->wires[o->count++] = q->wires[i];
        } while (kl_circuit_qasm_take(r, ','));
        kl_circuit_qasm_expect(r, '}');
    } else {
        const int first = index_below(r, q->count);
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
