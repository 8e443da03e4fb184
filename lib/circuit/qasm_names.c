/* SPDX-License-Identifier: MIT
   The parameters and constants that an OpenQASM text has declared, found by name: a hash table, since a
   text may declare each of many thousand weights by itself and use it once. What holds in a body. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "circuit/qasm_int.h"

/* Where the name is, or the free place where it would be. FNV-1a. */
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
/* Where the number of w10 or _w_10_ begins, and that; false: it has none. */
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
