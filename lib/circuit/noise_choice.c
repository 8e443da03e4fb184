/* SPDX-License-Identifier: MIT
   Which qubits of a calibration a circuit's wires are: those that were chosen, else the first ones. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "circuit/noise_int.h"

int kl_circuit_noise_choice_read(struct kl_noise_choice *choice, const char *list, struct kl_error *err)
{
    choice->n = 0;
    for (;; list++) {
        char *end;
        const long number = *list >= '0' && *list <= '9' ? strtol(list, &end, 10) : -1;
        if (number < 0 || number > 99999 || (*end && *end != ','))
            return kl_fail(err, KL_EUSAGE,
                           "--noise: qubits: found '%.40s', expected numbers, wire 0 first, as in "
                           "FILE.json,qubits=0,3,5",
                           list);
        for (int i = 0; i < choice->n; i++)
            if (choice->qubit[i] == number)
                return kl_fail(err, KL_EUSAGE, "--noise: qubits: %ld is given twice", number);
        if (choice->n == KL_MAX_QUBITS)
            return kl_fail(err, KL_EUSAGE, "--noise: qubits: expected at most %d", KL_MAX_QUBITS);
        choice->qubit[choice->n++] = (int)number;
        if (!*(list = end)) return KL_OK;
    }
}

int kl_circuit_noise_choice_check(const struct kl_noise_choice *choice, size_t n, const char *what,
                                  struct kl_error *err)
{
    for (int i = 0; i < choice->n; i++)
        if ((size_t)choice->qubit[i] >= n)
            return kl_fail(err, KL_EUSAGE,
                           "--noise: qubits: found %d, %s describes %zu qubit%s, numbered from 0",
                           choice->qubit[i], what, n, kl_s(n));
    return KL_OK;
}

int kl_circuit_noise_pick(json_t *root, struct kl_noise_source *source,
                          const struct kl_noise_choice *choice, const char *what, struct kl_error *err)
{
    json_t *list = json_object_get(root, "qubits");
    const size_t n = json_array_size(list), most = KL_MAX_QUBITS;
    if (!choice->n && n <= most) {
        source->n_taken = (int)n;
        for (int i = 0; i < source->n_taken; i++) source->taken[i] = i;
        return KL_OK;
    }
    if (!n) return kl_fail(err, KL_EUSAGE, "--noise: %s has no list 'qubits' to choose from", what);
    int code = kl_circuit_noise_choice_check(choice, n, what, err);
    if (code) return code;
    source->n_taken = choice->n ? choice->n : (int)most;
    json_t *picked = json_array();
    for (int i = 0; i < source->n_taken && !code; i++) {
        source->taken[i] = choice->n ? choice->qubit[i] : i;
        if (json_array_append(picked, json_array_get(list, (size_t)source->taken[i])))
            code = kl_fail_memory(err, 64);
    }
    if (!code && json_object_set(root, "qubits", picked)) code = kl_fail_memory(err, 64);
    json_decref(picked);
    return code;
}

/* `readout` is readout-0 and readout-1. */
static bool has_own(const json_t *qubit, const char *name)
{
    if (json_object_get(qubit, name)) return true;
    if (strcmp(name, "readout") == 0)
        return json_object_get(qubit, "readout-0") && json_object_get(qubit, "readout-1");
    return strncmp(name, "readout-", 8) == 0 && json_object_get(qubit, "readout");
}

void kl_circuit_noise_find_idle(struct kl_noise_source *source, const json_t *root)
{
    json_t *all = json_object_get(root, "all"), *list = json_object_get(root, "qubits");
    const char *name;
    json_t *value;
    if (!json_array_size(list)) return;
    json_object_foreach(all, name, value)
    {
        bool idle = true;
        for (size_t q = 0; q < json_array_size(list); q++)
            idle &= has_own(json_array_get(list, q), name);
        const size_t n = strlen(source->idle);
        if (idle && n + strlen(name) + 3 < sizeof source->idle)
            snprintf(source->idle + n, sizeof source->idle - n, "%s%s", n ? ", " : "", name);
    }
}
