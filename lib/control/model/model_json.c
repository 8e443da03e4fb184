/* SPDX-License-Identifier: MIT
   A model as JSON text that holds all of it, matrices too: what keys and files of pulses carry, so that
   nothing depends on the file it came from; and back. */
#include <complex.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/model/model_int.h"

/* ---- writing ---- */
/* To 15 digits: what another compiler rounds otherwise is the same model. */
static json_t *number(double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.14e", value);
    return json_real(strtod(text, NULL));
}

/* [row, column, value] of each entry that is not 0. */
static json_t *entries_of(const double *matrix, int dim)
{
    json_t *list = json_array();
    double largest = 0;
    for (int i = 0; i < dim * dim; i++) largest = fmax(largest, fabs(matrix[i]));
    for (int i = 0; i < dim * dim && list; i++)
        if (fabs(matrix[i]) > 1e-14 * largest &&
            json_array_append_new(list, json_pack("[i, i, o]", i / dim, i % dim, number(matrix[i])))) {
            json_decref(list);
            list = NULL;
        }
    return list;
}

/* A limit L stands for -L to L. */
static json_t *entry_json(const struct kl_control_entry *e, bool control, int dim)
{
    json_t *item = control ? json_pack("{s:s, s:o, s:o}", "name", e->name, "limit", number(e->high),
                                       "matrix", entries_of(e->matrix, dim))
                           : json_pack("{s:s, s:b, s:o, s:o}", "name", e->name, "rate", (int)e->rate,
                                       "value", number(e->value), "matrix", entries_of(e->matrix, dim));
    if (!item || !control || e->low == -e->high || json_object_set_new(item, "low", number(e->low)) == 0)
        return item;
    json_decref(item);
    return NULL;
}

static json_t *entries_list(const struct kl_control_entry *entries, int n, bool controls, int dim)
{
    json_t *list = json_array();
    for (int i = 0; i < n && list; i++)
        if (json_array_append_new(list, entry_json(&entries[i], controls, dim))) {
            json_decref(list);
            list = NULL;
        }
    return list;
}

/* [[x, y, most], ...] by the controls' names. */
static json_t *moduli_of(const struct kl_control_system *s)
{
    json_t *list = json_array();
    for (int i = 0; i < s->n_moduli && list; i++) {
        const struct kl_control_modulus *m = &s->moduli[i];
        if (json_array_append_new(list, json_pack("[s, s, o]", s->controls[m->x].name,
                                                  s->controls[m->y].name, number(m->most)))) {
            json_decref(list);
            list = NULL;
        }
    }
    return list;
}

/* [[re, im], ...] */
static json_t *complex_list(const double complex *values, int n)
{
    json_t *list = json_array();
    for (int i = 0; i < n && list; i++)
        if (json_array_append_new(
                list, json_pack("[o, o]", number(creal(values[i])), number(cimag(values[i]))))) {
            json_decref(list);
            list = NULL;
        }
    return list;
}

static json_t *targets_of(const struct kl_control_model *model)
{
    const int d = model->system.subspace;
    json_t *list = json_array();
    for (int t = 0; t < model->n_targets && list; t++) {
        const struct kl_control_model_target *target = &model->targets[t];
        json_t *item =
            target->is_state
                ? json_pack("{s:s, s:o, s:o}", "name", target->gate.name, "state",
                            complex_list(target->state, d), "from", complex_list(target->from, d))
                : json_pack("{s:s, s:i, s:o}", "name", target->gate.name, "fidelity",
                            (int)target->fidelity, "gate", complex_list(target->gate.u, d * d));
        if (json_array_append_new(list, item)) {
            json_decref(list);
            list = NULL;
        }
    }
    return list;
}

int kl_control_model_json(char **text, const struct kl_control_model *model, struct kl_error *err)
{
    const struct kl_control_system *s = &model->system;
    json_t *json = json_pack(
        "{s:s, s:s, s:i, s:i, s:i, s:o, s:o, s:o, s:o}", "name", s->name, "time_unit", s->time_unit,
        "levels", s->d, "qubits", s->n_qubits, "subspace", s->subspace, "duration", number(s->duration),
        "controls", entries_list(s->controls, s->n_controls, true, s->dim), "params",
        entries_list(s->params, s->n_params, false, s->dim), "targets", targets_of(model));
    *text = NULL;
    if (!json) return kl_fail_memory(err, 4096);
    int code = s->n_moduli && json_object_set_new(json, "moduli", moduli_of(s))
                   ? kl_fail_memory(err, 256)
                   : KL_OK;
    if (!code) code = kl_json_dump(text, json, err);
    json_decref(json);
    return code;
}

int kl_control_target_json(char **text, const struct kl_control_target *target, struct kl_error *err)
{
    json_t *json = json_pack("{s:o}", "gate", complex_list(target->u, target->d * target->d));
    *text = NULL;
    if (!json) return kl_fail_memory(err, 4096);
    const int code = kl_json_dump(text, json, err);
    json_decref(json);
    return code;
}

/* ---- reading ---- */
static int wrong(struct kl_error *err, const char *what)
{
    return kl_fail(err, KL_EDATA, "a model in JSON: %s", what);
}

static int read_matrix(double *matrix, const json_t *list, int dim, struct kl_error *err)
{
    long before = dim - 1; /* the first row stays 0: the trace is kept */
    if (!json_is_array(list)) return wrong(err, "a matrix is no list");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *entry = json_array_get(list, i), *row = json_array_get(entry, 0),
                     *col = json_array_get(entry, 1), *value = json_array_get(entry, 2);
        if (json_array_size(entry) != 3 || !json_is_integer(row) || !json_is_integer(col) ||
            !json_is_number(value))
            return wrong(err, "an entry of a matrix is no [row, column, value]");
        const json_int_t r = json_integer_value(row), c = json_integer_value(col);
        if (r < 1 || r >= dim || c < 0 || c >= dim || r * dim + c <= before)
            return wrong(
                err, "an entry of a matrix lies outside, in its first row, or not behind the last one");
        before = (long)(r * dim + c);
        matrix[before] = json_number_value(value);
    }
    return KL_OK;
}

/* A name as in models from files; a number is finite, as JSON has no others. */
static int read_entry(struct kl_control_entry *e, const json_t *item, bool control, int dim,
                      struct kl_error *err)
{
    const char *name = json_string_value(json_object_get(item, "name"));
    const json_t *value = json_object_get(item, control ? "limit" : "value"),
                 *rate = json_object_get(item, "rate"), *low = json_object_get(item, "low");
    if (!name || !kl_control_is_name(name)) return wrong(err, "an entry without a name");
    if (!json_is_number(value) || json_is_boolean(rate) == control || (low && !json_is_number(low)))
        return wrong(err, "an entry without limit, or without value and rate");
    strcpy(e->name, name);
    e->rate = json_is_true(rate);
    *(control ? &e->high : &e->value) = json_number_value(value);
    if (control) e->low = low ? json_number_value(low) : -e->high;
    if (control ? e->low >= e->high : e->rate && e->value < 0)
        return wrong(err, "limits that leave nothing, or a negative rate");
    e->matrix = calloc((size_t)(dim * dim), sizeof *e->matrix);
    if (!e->matrix) return kl_fail_memory(err, (size_t)(dim * dim) * sizeof *e->matrix);
    return read_matrix(e->matrix, json_object_get(item, "matrix"), dim, err);
}

static int read_entries(struct kl_control_entry *entries, int *n, int most, const json_t *list,
                        bool control, int dim, struct kl_error *err)
{
    int code = KL_OK;
    if (!json_is_array(list) || json_array_size(list) > (size_t)most)
        return wrong(err, "too many entries, or no list");
    for (size_t i = 0; i < json_array_size(list) && !code; i++) {
        *n = (int)i + 1;
        code = read_entry(&entries[i], json_array_get(list, i), control, dim, err);
        for (size_t k = 0; k < i && !code; k++)
            if (strcmp(entries[k].name, entries[i].name) == 0) code = wrong(err, "a name twice");
    }
    return code;
}

static int read_moduli(struct kl_control_system *s, const json_t *list, struct kl_error *err)
{
    if (!list) return KL_OK;
    if (!json_is_array(list)) return wrong(err, "moduli are no list");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i), *most = json_array_get(item, 2);
        const char *x = json_string_value(json_array_get(item, 0)),
                   *y = json_string_value(json_array_get(item, 1));
        const int a = x ? kl_control_system_control(s, x) : -1,
                  b = y ? kl_control_system_control(s, y) : -1;
        if (json_array_size(item) != 3 || a < 0 || b < 0 || a == b || !(json_number_value(most) > 0))
            return wrong(err, "a modulus is no [control, control, most]");
        if (kl_control_system_add_modulus(s, a, b, json_number_value(most), err))
            return wrong(err, "a control in two moduli, or with less of its own");
    }
    return KL_OK;
}

static int read_complex(double complex *values, const json_t *list, int n, struct kl_error *err)
{
    if (json_array_size(list) != (size_t)n)
        return wrong(err, "a list of complex numbers is of another length");
    for (int i = 0; i < n; i++) {
        const json_t *pair = json_array_get(list, (size_t)i), *re = json_array_get(pair, 0),
                     *im = json_array_get(pair, 1);
        if (json_array_size(pair) != 2 || !json_is_number(re) || !json_is_number(im))
            return wrong(err, "a complex number is no [re, im]");
        values[i] = json_number_value(re) + I * json_number_value(im);
    }
    return KL_OK;
}

int kl_control_target_parse(struct kl_control_target *target, const char *text, int d,
                            struct kl_error *err)
{
    double complex u[KL_CONTROL_MATRIX];
    json_t *json = NULL;
    int code = kl_json_parse(&json, text, "a gate", err);
    if (!code) code = read_complex(u, json_object_get(json, "gate"), d * d, err);
    if (!code) code = kl_control_target_matrix(target, "matrix", u, d, err);
    json_decref(json);
    return code;
}

static int read_target(struct kl_control_model_target *t, const json_t *item, int d,
                       struct kl_error *err)
{
    double complex u[KL_CONTROL_MATRIX];
    const char *name = json_string_value(json_object_get(item, "name"));
    const json_t *gate = json_object_get(item, "gate"), *fidelity = json_object_get(item, "fidelity");
    if (!name) return wrong(err, "a target without a name");
    t->is_state = !gate;
    if (t->is_state) {
        int code = read_complex(t->state, json_object_get(item, "state"), d, err);
        if (!code) code = read_complex(t->from, json_object_get(item, "from"), d, err);
        return code ? code : kl_control_model_target_state(t, name, d, err);
    }
    if (!json_is_integer(fidelity) || json_integer_value(fidelity) < 0 ||
        json_integer_value(fidelity) > KL_CONTROL_LEAKAGE)
        return wrong(err, "a target without a known fidelity");
    t->fidelity = (enum kl_control_fidelity)json_integer_value(fidelity);
    const int code = read_complex(u, gate, d * d, err);
    return code ? code : kl_control_target_matrix(&t->gate, name, u, d, err);
}

static int read_sizes(struct kl_control_system *s, const json_t *json, struct kl_error *err)
{
    const char *name = json_string_value(json_object_get(json, "name")),
               *unit = json_string_value(json_object_get(json, "time_unit"));
    const json_int_t levels = json_integer_value(json_object_get(json, "levels")),
                     qubits = json_integer_value(json_object_get(json, "qubits")),
                     subspace = json_integer_value(json_object_get(json, "subspace"));
    const double duration = json_number_value(json_object_get(json, "duration"));
    int power;
    if (!name || !kl_control_is_name(name) || !unit || strlen(unit) >= sizeof s->time_unit ||
        !kl_control_time_unit(&power, unit))
        return wrong(err, "no name, or no unit of time");
    if (levels < 2 || levels > KL_CONTROL_MAX_LEVELS || subspace < 2 || subspace > levels ||
        qubits < 0 || qubits > 3 || (qubits && levels != 1 << qubits) || !(duration >= 0))
        return wrong(err, "levels, qubits, subspace or duration are none");
    strcpy(s->name, name), strcpy(s->time_unit, unit);
    s->d = (int)levels, s->n_qubits = (int)qubits, s->subspace = (int)subspace, s->dim = s->d * s->d;
    s->duration = duration;
    return KL_OK;
}

static int read_all(struct kl_control_model *model, const json_t *json, struct kl_error *err)
{
    struct kl_control_system *s = &model->system;
    const json_t *targets = json_object_get(json, "targets");
    int code = read_sizes(s, json, err);
    if (!code)
        code = read_entries(s->controls, &s->n_controls, KL_CONTROL_MAX_CONTROLS,
                            json_object_get(json, "controls"), true, s->dim, err);
    if (!code)
        code = read_entries(s->params, &s->n_params, KL_CONTROL_MAX_PARAMS,
                            json_object_get(json, "params"), false, s->dim, err);
    if (!code && !s->n_controls) code = wrong(err, "no controls");
    if (!code) code = read_moduli(s, json_object_get(json, "moduli"), err);
    if (!code && (!json_is_array(targets) || json_array_size(targets) > KL_CONTROL_MODEL_TARGETS))
        code = wrong(err, "too many targets, or no list");
    for (size_t t = 0; !code && t < json_array_size(targets); t++, model->n_targets++)
        code = read_target(&model->targets[t], json_array_get(targets, t), s->subspace, err);
    return code ? code : kl_control_system_recognise(s, err);
}

/* Describe the model in words. */
static int describe(struct kl_control_model *model, struct kl_error *err)
{
    size_t size;
    FILE *to = open_memstream(&model->said, &size);
    if (!to) return kl_fail_memory(err, 256);
    kl_control_system_write(to, &model->system, NULL);
    kl_control_system_write_controls(to, &model->system, "");
    const bool failed = ferror(to) | (fclose(to) != 0);
    return failed ? kl_fail_memory(err, 256) : KL_OK;
}

int kl_control_model_parse(struct kl_control_model *model, const char *text, struct kl_error *err)
{
    json_t *json = NULL;
    *model = (struct kl_control_model){ 0 };
    int code = kl_json_parse(&json, text, "a model", err);
    if (!code) code = read_all(model, json, err);
    if (!code) code = describe(model, err);
    if (code) kl_control_model_free(model);
    json_decref(json);
    return code;
}

int kl_control_model_open(struct kl_control_model *model, const char *text, struct kl_error *err)
{
    return *text == '{' ? kl_control_model_parse(model, text, err)
                        : kl_control_model_read(model, text, err);
}
