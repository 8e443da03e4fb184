/* SPDX-License-Identifier: MIT
   The lists that span a grid: numbers with ranges, names of observables. */
#include <stdlib.h>
#include <string.h>

#include "plateau/plateau_int.h"

/* A whole number at *at, which moves behind it; negative: there is none. */
static long number_at(const char **at)
{
    char *end;
    if (**at < '0' || **at > '9') return -1;
    long value = strtol(*at, &end, 10);
    *at = end;
    return value;
}

int kl_plateau_numbers(int *numbers, size_t *n, const char *name, const char *text, int least, int most,
                       struct kl_error *err)
{
    const char *at = text;
    *n = 0;
    for (;; at++) {
        long from = number_at(&at), to = from;
        if (*at == '-') at++, to = number_at(&at);
        if (from < 0 || to < from || (*at && *at != ','))
            return kl_fail(err, KL_EUSAGE,
                           "--%s: found '%s', expected numbers and ranges, as in 2-6,8,10", name, text);
        if (from < least || to > most)
            return kl_fail(err, KL_EUSAGE, "--%s: found '%s', expected numbers from %d to %d", name,
                           text, least, most);
        if (*n && from <= numbers[*n - 1])
            return kl_fail(err, KL_EUSAGE, "--%s: found %ld after %d, expected rising numbers", name,
                           from, numbers[*n - 1]);
        for (long value = from; value <= to; value++) {
            if (*n == KL_PLATEAU_LIST)
                return kl_fail(err, KL_EUSAGE, "--%s: more than %d numbers", name, KL_PLATEAU_LIST);
            numbers[(*n)++] = (int)value;
        }
        if (!*at) return KL_OK;
    }
}

int kl_plateau_names(char (*names)[KL_PLATEAU_NAME], size_t *n, const char *text, struct kl_error *err)
{
    *n = 0;
    for (const char *at = text;; at++) {
        const size_t length = strcspn(at, ",");
        const bool known = (length == 5 && strncmp(at, "local", 5) == 0) ||
                           (length == 6 && strncmp(at, "global", 6) == 0);
        if (!length || length >= KL_PLATEAU_NAME || (!known && strspn(at, "IXYZ") != length))
            return kl_fail(
                err, KL_EUSAGE,
                "--observables: found '%.*s', expected local, global or a string of I, X, Y, Z",
                (int)length, at);
        if (*n == KL_PLATEAU_LIST)
            return kl_fail(err, KL_EUSAGE, "--observables: more than %d", KL_PLATEAU_LIST);
        for (size_t i = 0; i < *n; i++)
            if (strncmp(names[i], at, length) == 0 && !names[i][length])
                return kl_fail(err, KL_EUSAGE, "--observables: '%s' is there twice", names[i]);
        memcpy(names[*n], at, length);
        names[(*n)++][length] = '\0';
        at += length;
        if (!*at) return KL_OK;
    }
}

int kl_plateau_strings(char *text, size_t size, char (*names)[KL_PLATEAU_NAME], size_t n_names,
                       int n_qubits, struct kl_error *err)
{
    const size_t wires = (size_t)n_qubits;
    if (n_names * (wires + 1) > size) return kl_fail(err, KL_EINTERNAL, "observables: no room");
    for (size_t i = 0; i < n_names; i++, text += wires + 1) {
        const char *name = names[i];
        const size_t length = *name == 'l' ? 1 : *name == 'g' ? wires : strlen(name);
        if (length > wires)
            return kl_fail(err, KL_EUSAGE, "--observables: '%s' has more letters than %d qubits", name,
                           n_qubits);
        memset(text, 'I', wires);
        if (*name == 'l' || *name == 'g') memset(text, 'Z', length);
        else memcpy(text, name, length);
        text[wires] = i + 1 < n_names ? ',' : '\0';
    }
    return KL_OK;
}
