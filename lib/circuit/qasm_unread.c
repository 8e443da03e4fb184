/* SPDX-License-Identifier: MIT
   Statements of OpenQASM that other programs write as a matter of course and that are not read here:
   each is refused with what to do about it. */
#include <ctype.h>
#include <string.h>

#include "circuit/qasm_int.h"

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
