/* SPDX-License-Identifier: MIT
   A circuit's options out of a head file's configuration. */
#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "circuit/circuit.h"

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
