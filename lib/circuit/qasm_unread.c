/* SPDX-License-Identifier: MIT
   Statements of OpenQASM that other programs write as a matter of course and that are not read here:
   each is refused with what to do about it. */
#include <string.h>

#include "circuit/qasm_int.h"

/* A head measures by itself: what a file measures could only be ignored, or contradict it. */
static const char measures[] = "--observables says what is measured; take bit and measure out",
                  defines[] =
                      "definitions and modifiers of gates have to be written out, in Qiskit with "
                      "transpile(c, basis_gates=['rx', 'ry', 'rz', 'h', 'cx'], optimization_level=1)",
                  of_2[] = "it is OpenQASM 2; write 'qubit[2] q;' for 'qreg q[2];'";
static const struct {
    const char *word, *why;
} unread[] = {
    { "bit", measures },    { "creg", measures }, { "measure", measures }, { "gate", defines },
    { "opaque", defines },  { "def", defines },   { "ctrl", defines },     { "inv", defines },
    { "negctrl", defines }, { "pow", defines },   { "qreg", of_2 },
};

/* The last word of `[0] = measure`, the rest of a statement whose first word is a name; NULL: it is
 * none. */
static const char *takes_measured(const char *rest)
{
    rest += strcspn(rest, "=;");
    if (*rest != '=') return NULL;
    rest++;
    rest += strspn(rest, " \t\r\n");
    return strncmp(rest, "measure", 7) == 0 ? rest : NULL;
}

void kl_circuit_qasm_unread(struct kl_qasm_reader *r, const char *word)
{
    for (size_t i = 0; i < sizeof unread / sizeof *unread; i++)
        if (strcmp(unread[i].word, word) == 0)
            kl_circuit_qasm_fail(r, r->token, "'%s' is not read: %s", word, unread[i].why);
    const char *measure = takes_measured(r->at);
    if (measure) kl_circuit_qasm_fail(r, measure, "'measure' is not read: %s", measures);
    kl_circuit_qasm_fail(r, r->token, "'%s' is no gate or statement that is read here", word);
}
