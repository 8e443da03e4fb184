/* SPDX-License-Identifier: MIT
   A system in words, and as JSON for keys; the objective of a model's target. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/model/model.h"

/* SHA-256 of the entries that are not 0, to 12 digits: what another compiler rounds otherwise is the
 * same. */
static int digest(char hex[65], const double *const *matrices, int n, int rows, int cols,
                  struct kl_error *err)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (!to) return kl_fail_memory(err, 256);
    for (int k = 0; k < n; k++) {
        double largest = 0;
        for (int i = 0; i < rows * cols; i++) largest = fmax(largest, fabs(matrices[k][i]));
        for (int i = 0; i < rows * cols; i++)
            if (fabs(matrices[k][i]) > 1e-12 * largest)
                fprintf(to, "%d %d %d %.11e\n", k, i / cols, i % cols, matrices[k][i]);
    }
    const bool failed = ferror(to) | (fclose(to) != 0);
    const int code = failed ? kl_fail_memory(err, 256) : kl_sha256_hex(hex, text, size, err);
    free(text);
    return code;
}

/* Appends an entry to a list. */
static int append(json_t *list, const struct kl_control_entry *entry, bool control, int dim,
                  struct kl_error *err)
{
    char hex[65];
    int code = digest(hex, (const double *const[]){ entry->matrix }, 1, dim, dim, err);
    if (code) return code;
    json_t *item = json_pack("{s:s, s:s, s:f}", "name", entry->name, "matrix", hex,
                             control ? "limit" : "value", control ? entry->limit : entry->value);
    if (!item || (!control && json_object_set_new(item, "rate", json_boolean(entry->rate))) ||
        json_array_append(list, item))
        code = kl_fail_memory(err, 256);
    json_decref(item);
    return code;
}

int kl_control_system_json(json_t **json, const struct kl_control_system *s, struct kl_error *err)
{
    json_t *controls = json_array(), *params = json_array();
    int code = controls && params ? KL_OK : kl_fail_memory(err, 256);
    *json = NULL;
    for (int k = 0; k < s->n_controls && !code; k++)
        code = append(controls, &s->controls[k], true, s->dim, err);
    for (int j = 0; j < s->n_params && !code; j++)
        code = append(params, &s->params[j], false, s->dim, err);
    if (!code)
        *json = json_pack("{s:s, s:s, s:i, s:i, s:i, s:O, s:O}", "name", s->name, "time-unit",
                          s->time_unit, "levels", s->d, "qubits", s->n_qubits, "subspace", s->subspace,
                          "controls", controls, "params", params);
    if (!code && !*json) code = kl_fail_memory(err, 256);
    json_decref(controls);
    json_decref(params);
    return code;
}

int kl_control_objective_json(json_t **json, const struct kl_control_objective *o,
                              const struct kl_control_system *s, struct kl_error *err)
{
    char hex[65], constant[32];
    *json = NULL;
    snprintf(constant, sizeof constant, "%.11e", o->constant);
    const int code =
        digest(hex, (const double *const[]){ o->start, o->weights }, 2, s->dim, o->columns, err);
    if (code) return code;
    *json = json_pack("{s:s, s:s, s:s}", "name", o->name, "constant", constant, "matrix", hex);
    return *json ? KL_OK : kl_fail_memory(err, 256);
}

void kl_control_system_write(FILE *to, const struct kl_control_system *s)
{
    static const char *const forms[] = { "any", "one qubit", "two qubits", "one qubit" };
    const bool bare = strcmp(s->time_unit, "1") == 0;
    const char *per = bare ? "" : "/", *unit = bare ? "" : s->time_unit;
    fprintf(to, "system %s: %d levels, %d compute, time in %s, kernel: %s\n", s->name, s->d, s->subspace,
            bare ? "no unit" : unit, forms[s->form]);
    for (int j = 0; j < s->n_params; j++)
        fprintf(to, "  %s = %.10g%s%s%s\n", s->params[j].name, s->params[j].value,
                bare                ? ""
                : s->params[j].rate ? " 1"
                                    : " rad",
                per, unit);
    for (int k = 0; k < s->n_controls; k++)
        fprintf(to, "  control |%s| at most %.10g%s%s%s\n", s->controls[k].name, s->controls[k].limit,
                bare ? "" : " rad", per, unit);
}

int kl_control_model_objective(struct kl_control_objective *o, const struct kl_control_model *model,
                               int target, struct kl_error *err)
{
    const struct kl_control_model_target *t = &model->targets[target];
    if (t->is_state) return kl_control_objective_states(o, &model->system, t->from, t->state, 1, err);
    return kl_control_objective_make(o, &model->system, t->fidelity, &t->gate, err);
}
