/* SPDX-License-Identifier: MIT
   A circuit's OpenQASM text from a file. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "circuit/circuit.h"

int kl_circuit_options_file(struct kl_circuit_options *o, char **text, struct kl_error *err)
{
    const size_t most = 1 << 20;
    *text = NULL;
    if (!o->file || !*o->file) return KL_OK;
    int code = kl_no_folder(o->file, err);
    if (code) return code;
    FILE *file = fopen(o->file, "re");
    if (!file) return kl_fail_errno(err, KL_ENOINPUT, "%s: cannot be opened", o->file);
    *text = malloc(most + 1);
    size_t n = *text ? fread(*text, 1, most + 1, file) : 0;
    if (!*text) code = kl_fail_memory(err, most);
    else if (ferror(file)) code = kl_fail_errno(err, KL_EIO, "%s", o->file);
    else if (n > most)
        code = kl_fail(err, KL_EDATA, "%s: more than 1 MiB; expected a circuit in OpenQASM 3", o->file);
    else if (!n)
        code = kl_fail(err, KL_EDATA, "%s: is empty; expected a circuit in OpenQASM 3", o->file);
    else if (memchr(*text, 0, n))
        code = kl_fail(err, KL_EDATA, "%s: no text; expected a circuit in OpenQASM 3", o->file);
    fclose(file);
    if (code) {
        free(*text);
        *text = NULL;
        return code;
    }
    (*text)[n] = 0;
    o->qasm = *text;
    return KL_OK;
}
