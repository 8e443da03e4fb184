/* SPDX-License-Identifier: MIT
   A circuit's OpenQASM text from a file. */
#include <stdlib.h>
#include <string.h>

#include "circuit/circuit.h"

int kl_circuit_options_file(struct kl_circuit_options *o, char **text, struct kl_error *err)
{
    static const char expected[] = "a circuit in OpenQASM 3";
    size_t n;
    *text = NULL;
    if (!o->file || !*o->file) return KL_OK;
    int code = kl_read_text(text, &n, o->file, 1 << 20, expected, err);
    if (code) return code;
    if (n == 0 || memchr(*text, 0, n)) {
        free(*text);
        *text = NULL;
        return kl_fail(err, KL_EDATA, "%s: %s; expected %s", o->file, n ? "no text" : "is empty",
                       expected);
    }
    o->qasm = *text;
    return KL_OK;
}
