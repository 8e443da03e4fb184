/* SPDX-License-Identifier: MIT
   Any bytes as observables of a circuit of one to five qubits (the first byte says). The canonical text
   of what is read is its own canonical text, and gives the same circuit. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "circuit/circuit.h"
#include "tests/fuzz/frame/fuzz.h"

const int fuzz_corpus = 30;

static int build(struct kl_circuit **c, const char *text, int n_qubits, struct kl_error *err)
{
    struct kl_circuit_options o;
    kl_circuit_options_default(&o);
    o.n_qubits = n_qubits;
    o.n_layers = 1;
    o.observables = text;
    *c = NULL;
    const int code = kl_circuit_build(c, &o, err);
    if (code) need_refusal(code, KL_EUSAGE, KL_EUSAGE, err);
    if (code) need(*c == NULL, "refused, and a circuit left", text);
    return code;
}

static void check_circuit(const struct kl_circuit *c, const char *text)
{
    size_t terms = 0;
    for (size_t o = 0; o < c->n_obs && !c->probabilities; o++) {
        need(c->end[o] >= terms && c->end[o] <= c->n_terms, "terms out of order", text);
        terms = c->end[o];
    }
    for (size_t t = 0; t < c->n_terms; t++)
        need(isfinite(c->terms[t].weight), "a weight that is not finite", text);
    for (size_t s = 0; s < c->n_strings; s++)
        need(!((c->strings[s].x | c->strings[s].z) >> c->n_qubits), "a letter beyond the last wire",
             text);
}

bool fuzz(const unsigned char *data, size_t n)
{
    struct kl_error err = { 0 };
    struct kl_circuit *c, *again;
    char *text, *canonical = NULL, *second = NULL;
    const int n_qubits = n ? data[0] % 5 + 1 : 1;
    text = fuzz_text(data + (n > 0), n - (n > 0));
    const int code = kl_circuit_observables_text(&canonical, text, &err);
    if (code) need_refusal(code, KL_EUSAGE, KL_EUSAGE, &err);
    const int built = build(&c, text, n_qubits, &err);
    if (!code) {
        need(kl_circuit_observables_text(&second, canonical, &err) == 0, err.text, canonical);
        need(strcmp(canonical, second) == 0, "another canonical text", second);
        need(build(&again, canonical, n_qubits, &err) == built, "built otherwise", canonical);
        if (!built)
            need(again->n_obs == c->n_obs && again->n_terms == c->n_terms &&
                     again->n_strings == c->n_strings,
                 "another circuit", canonical);
        kl_circuit_free(&again);
    }
    if (!built) check_circuit(c, text);
    need(built || !code, "built of what has no canonical text", text);
    kl_circuit_free(&c);
    free(canonical);
    free(second);
    free(text);
    return !built;
}
