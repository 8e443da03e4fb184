/* SPDX-License-Identifier: MIT
   A scan as JSON: the rows that `cache show --json` prints of its file, and the means. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "plateau/plateau.h"
#include "store/store.h"

/* NaN is null. */
static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static int add_variance(json_t *rows, const struct kl_plateau *p, size_t o, size_t q, size_t l)
{
    const size_t at = (o * p->n_qubits + q) * p->n_layers + l;
    return json_array_append_new(
        rows, json_pack("{s:s, s:i, s:i, s:o, s:o, s:o, s:o}", "observable", p->observables[o], "qubits",
                        p->qubits[q], "layers", p->layers[l], "mean", number(p->mean[at]), "variance",
                        number(p->variance[at]), "variance_low", number(p->low[at]), "variance_high",
                        number(p->high[at])));
}

static int add_slope(json_t *rows, const struct kl_plateau *p, size_t o, size_t l)
{
    const size_t at = o * p->n_layers + l;
    return json_array_append_new(
        rows, json_pack("{s:s, s:i, s:o, s:o, s:o}", "observable", p->observables[o], "layers",
                        p->layers[l], "slope", number(p->slope[at]), "slope_low",
                        number(p->slope_low[at]), "slope_high", number(p->slope_high[at])));
}

static json_t *scan_json(const struct kl_plateau *p, json_t *output, const char *key)
{
    json_t *variances = json_array(), *slopes = json_array();
    int failed = 0;
    for (size_t o = 0; o < p->n_observables; o++) {
        for (size_t q = 0; q < p->n_qubits; q++)
            for (size_t l = 0; l < p->n_layers; l++) failed |= add_variance(variances, p, o, q, l);
        for (size_t l = 0; l < p->n_layers; l++) failed |= add_slope(slopes, p, o, l);
    }
    json_t *value = failed ? NULL
                           : json_pack("{s:O, s:s, s:s, s:I, s:I, s:I, s:O, s:O}", "output", output,
                                       "key", key, "status", kl_store_stage_status(KL_STAGE_COMPUTE),
                                       "observables", (json_int_t)p->n_observables, "cells",
                                       (json_int_t)(p->n_qubits * p->n_layers), "draws",
                                       (json_int_t)p->n_draws, "variances", variances, "slopes", slopes);
    json_decref(variances);
    json_decref(slopes);
    return value;
}

int kl_plateau_json(FILE *to, const struct kl_plateau *p, const char *output, const char *key,
                    struct kl_error *err)
{
    json_t *path = NULL, *value = NULL;
    char *text = NULL;
    int code = kl_json_string(&path, output ? output : "", err);
    if (!code && !(value = scan_json(p, path, key))) code = kl_fail_memory(err, 1024);
    if (!code) code = kl_json_dump_as(&text, value, JSON_COMPACT | JSON_REAL_PRECISION(6), err);
    if (!code) fprintf(to, "%s\n", text);
    free(text);
    json_decref(path);
    json_decref(value);
    return code;
}
