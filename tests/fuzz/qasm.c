/* SPDX-License-Identifier: MIT
   Any bytes as OpenQASM. What is refused names line and column; what is read can be written and read
   again, to the same circuit, whose text then is the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "circuit/circuit.h"
#include "tests/fuzz/frame/fuzz.h"

const int fuzz_corpus = 61;

/* "OpenQASM, line 3, column 7: words", on one line. */
static void check_refusal(int code, const struct kl_error *err)
{
    int line = 0, column = 0, from = 0;
    need_refusal(code, KL_EDATA, KL_EDATA, err);
    sscanf(err->text, "OpenQASM, line %d, column %d: %n", &line, &column, &from);
    need(from > 0 && line > 0 && column > 0 && err->text[from], "no line and column", err->text);
}

static char *written(const struct kl_circuit *c)
{
    struct kl_error err = { 0 };
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    need(kl_circuit_qasm(to, c, &err) == KL_OK, "cannot be written", err.text);
    fclose(to);
    return text;
}

/* True: it was read. */
static bool check(const char *text)
{
    struct kl_circuit *c, *again;
    struct kl_error err = { 0 };
    const int code = kl_circuit_from_qasm(&c, text, &err);
    if (code) {
        need(c == NULL, "refused, and a circuit left", text);
        check_refusal(code, &err);
        return false;
    }
    char *first = written(c);
    if (kl_circuit_from_qasm(&again, first, &err)) need(false, err.text, first);
    need(again->n_qubits == c->n_qubits && again->n_inputs == c->n_inputs &&
             again->n_weights == c->n_weights,
         "another circuit", first);
    char *second = written(again);
    need(strcmp(first, second) == 0, "another text", second);
    kl_circuit_free(&c);
    kl_circuit_free(&again);
    free(first);
    free(second);
    return true;
}

bool fuzz(const unsigned char *data, size_t n)
{
    char *text = fuzz_text(data, n);
    const bool read = check(text);
    free(text);
    return read;
}
