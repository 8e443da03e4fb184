/* SPDX-License-Identifier: MIT
   A circuit's options: out of a head file's configuration, its OpenQASM text from a file, --shots as a
   number. */
#include "circuit/circuit.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "circuit/estimate.h"

int kl_circuit_config(struct kl_circuit_options *o, const struct json_t *config, const char *path,
                      struct kl_error *err)
{
    json_int_t qubits, layers, mirror = 0;
    int reupload = 0, learn_scale = 0;
    kl_circuit_options_default(o);
    errno = 0; /* unpacking allocates */
    if (json_unpack((json_t *)config, "{s:I,s:I,s?:s,s?:s,s?:s,s?:s,s?:s,s?:b,s?:I,s?:b}", "qubits",
                    &qubits, "layers", &layers, "ansatz", &o->ansatz, "embedding", &o->embedding,
                    "entanglement", &o->entanglement, "observables", &o->observables, "qasm", &o->qasm,
                    "reupload", &reupload, "mirror", &mirror, "learn-scale", &learn_scale)) {
        if (errno == ENOMEM) return kl_fail_memory(err, 256);
        return kl_fail(
            err, KL_EDATA,
            "%s: attribute config: expected numbers qubits and layers, texts ansatz, embedding, "
            "entanglement and observables",
            path);
    }
    o->n_qubits = qubits;
    o->n_layers = layers;
    o->reupload = reupload;
    o->mirror = mirror;
    o->learn_scale = learn_scale;
    return KL_OK;
}

const char *kl_circuit_absent(const struct json_t *config)
{
    /* heads from before there was a choice have no name of a core */
    const char *core = json_string_value(json_object_get(config, "core"));
    return core && strcmp(core, "circuit") != 0 && strcmp(core, "frozen") != 0 ? core : NULL;
}

/* ---- A circuit's OpenQASM text from a file ---- */

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

/* ---- --shots as a number ---- */

int kl_circuit_shots_number(size_t *n, const char *text, struct kl_error *err)
{
    char *end = NULL;
    const long long number = isdigit((unsigned char)*text) ? strtoll(text, &end, 10) : 0;
    if (!end || *end || number < 1 || number > 1000000000)
        return kl_fail(err, KL_EUSAGE,
                       "--shots: found '%s', expected a whole number from 1 to 1000000000", text);
    *n = (size_t)number;
    return KL_OK;
}
