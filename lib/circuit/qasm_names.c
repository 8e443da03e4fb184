/* SPDX-License-Identifier: MIT
   The parameters that an OpenQASM text has declared, found by name: a hash table, since a text may
   declare each of many thousand weights by itself and use it once. */
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
