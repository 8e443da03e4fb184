/* SPDX-License-Identifier: MIT
   The numbers in a backend's properties as qiskit's BackendProperties.to_dict writes them: `qubits`, a
   list of lists of {name, unit, value, date}, and `gates`, a list of {gate, qubits, parameters}, the
   last being such a list again. */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "circuit/noise_int.h"

enum kind { TIME, SHARE, NUMBER };
struct wanted {
    const char *name;
    enum kind kind;
    size_t offset; /* of the double in what is read */
};
struct gate {
    double error, length, operational;
};
#define QUBIT(field) offsetof(struct kl_ibm_qubit, field)
static const struct wanted of_qubit[] = {
    { "T1", TIME, QUBIT(t1) },
    { "T2", TIME, QUBIT(t2) },
    { "prob_meas1_prep0", SHARE, QUBIT(meas1_prep0) },
    { "prob_meas0_prep1", SHARE, QUBIT(meas0_prep1) },
    { "readout_error", SHARE, QUBIT(readout_error) },
    { "operational", NUMBER, QUBIT(operational) },
    { NULL, NUMBER, 0 },
};
static const struct wanted of_gate[] = {
    { "gate_error", SHARE, offsetof(struct gate, error) },
    { "gate_length", TIME, offsetof(struct gate, length) },
    { "operational", NUMBER, offsetof(struct gate, operational) },
    { NULL, NUMBER, 0 },
};
/* The gate that is a pulse of pi/2, or the nearest that the device has. */
static const char *const pulses[] = { "sx", "u2", "x", "u", "u3" };
enum { N_PULSES = sizeof pulses / sizeof *pulses };

/* Each name once; where there is no room more, "...". */
static void not_used(char unused[KL_NOISE_UNUSED], const char *before, const char *name)
{
    char word[64], with_commas[KL_NOISE_UNUSED + 4], comma[72];
    size_t n = strlen(unused);
    snprintf(word, sizeof word, "%s%.40s", before, name);
    snprintf(with_commas, sizeof with_commas, ", %s, ", unused);
    snprintf(comma, sizeof comma, ", %s, ", word);
    if (strstr(with_commas, comma) || (n > 3 && strcmp(unused + n - 3, "...") == 0)) return;
    const bool fits = n + strlen(word) + 8 < KL_NOISE_UNUSED;
    snprintf(unused + n, KL_NOISE_UNUSED - n, "%s%s", n ? ", " : "", fits ? word : "...");
}

/* One {name, unit, value}. null is a number that nobody knows. */
static int read_number(double *to, const struct wanted *w, const json_t *item, const char *here,
                       struct kl_error *err)
{
    const json_t *value = json_object_get(item, "value");
    const char *unit = json_string_value(json_object_get(item, "unit"));
    const double x = json_number_value(value);
    if (!isnan(*to)) return kl_fail(err, KL_EDATA, "%s: %s is given twice", here, w->name);
    if (!value || json_is_null(value)) return KL_OK;
    if (!json_is_number(value)) return kl_fail(err, KL_EDATA, "%s: %s: found no number", here, w->name);
    if (w->kind == TIME && !kl_circuit_noise_seconds(to, x, unit ? unit : ""))
        return kl_fail(err, KL_EDATA, "%s: %s: found the unit '%.20s', expected " KL_TIME_UNITS, here,
                       w->name, unit ? unit : "");
    if (w->kind == TIME && (!(*to >= 0) || !isfinite(*to)))
        return kl_fail(err, KL_EDATA, "%s: %s: found %g, expected a time", here, w->name, x);
    if (w->kind == TIME) return KL_OK;
    *to = x;
    if (w->kind == SHARE && !(x >= 0 && x <= 1))
        return kl_fail(err, KL_EDATA, "%s: %s: found %g, expected a number from 0 to 1", here, w->name,
                       x);
    if (unit && *unit)
        return kl_fail(err, KL_EDATA, "%s: %s: found the unit '%.20s', expected none", here, w->name,
                       unit);
    return KL_OK;
}

/* A list of them into a struct of doubles that are NAN so far; unused may be NULL. */
static int read_numbers(void *to, const struct wanted *wanted, char *unused, const json_t *list,
                        const char *here, struct kl_error *err)
{
    int code = KL_OK;
    if (!json_is_array(list)) return kl_fail(err, KL_EDATA, "%s: expected a list of numbers", here);
    for (size_t i = 0; i < json_array_size(list) && !code; i++) {
        const json_t *item = json_array_get(list, i);
        const char *name = json_string_value(json_object_get(item, "name"));
        const struct wanted *w = wanted;
        if (!name)
            return kl_fail(err, KL_EDATA, "%s: item %zu has no name, expected name, unit and value",
                           here, i);
        while (w->name && strcmp(w->name, name) != 0) w++;
        if (w->name) code = read_number((double *)((char *)to + w->offset), w, item, here, err);
        else if (unused) not_used(unused, "", name);
    }
    return code;
}

static const char *gate_name(const json_t *gate)
{
    const char *name = json_string_value(json_object_get(gate, "gate"));
    return name ? name : "";
}

static bool is_usual_pair(const char *name)
{
    return strcmp(name, "cz") == 0 || strcmp(name, "ecr") == 0 || strcmp(name, "cx") == 0;
}

/* The best of the pulses that any qubit has, N_PULSES: none; and whether there is a usual gate on two.
 */
static int find_gates(const json_t *gates, bool *usual)
{
    int best = N_PULSES;
    *usual = false;
    for (size_t i = 0; i < json_array_size(gates); i++) {
        const char *name = gate_name(json_array_get(gates, i));
        *usual |= is_usual_pair(name);
        for (int k = 0; k < best; k++)
            if (strcmp(name, pulses[k]) == 0) best = k;
    }
    return best;
}

/* What a qubit's gate lacks is the mean of those that work. */
static void assume(struct kl_ibm_qubit *qubits, size_t n, size_t offset)
{
    double sum = 0;
    size_t count = 0;
    for (size_t q = 0; q < n; q++) {
        const double x = *(double *)((char *)&qubits[q] + offset);
        if (!(qubits[q].error >= 0.5) && !isnan(x)) sum += x, count++;
    }
    for (size_t q = 0; q < n && count; q++) {
        double *x = (double *)((char *)&qubits[q] + offset);
        if (isnan(*x)) *x = sum / (double)count, qubits[q].assumed = true;
    }
}

static void add_pair(struct kl_ibm_qubit *q, const struct gate *g)
{
    q->n_listed++;
    /* 0.75 is the error of a gate that leaves nothing of the state; IBM writes 1 for one that is out of
       order */
    if (!(g->error < 0.75) || isnan(g->length) || g->operational == 0) return;
    q->pair_error += g->error;
    q->pair_length += g->length;
    q->n_pairs++;
}

static int read_gate(struct kl_ibm_qubit *qubits, size_t n, const json_t *gate, const char *here,
                     struct kl_error *err)
{
    const json_t *wires = json_object_get(gate, "qubits");
    const size_t n_wires = json_array_size(wires);
    struct gate g = { NAN, NAN, NAN };
    int code = read_numbers(&g, of_gate, NULL, json_object_get(gate, "parameters"), here, err);
    for (size_t i = 0; i < n_wires && !code; i++) {
        const json_t *number = json_array_get(wires, i);
        const json_int_t q = json_is_integer(number) ? json_integer_value(number) : -1;
        if (q < 0 || (size_t)q >= n)
            return kl_fail(err, KL_EDATA, "%s: expected qubits from 0 to %zu", here, n - 1);
        if (n_wires == 2) add_pair(&qubits[q], &g);
        else if (!isnan(qubits[q].error))
            return kl_fail(err, KL_EDATA, "%s: qubit %lld is given twice", here, (long long)q);
        else qubits[q].error = g.operational == 0 ? 1 : g.error, qubits[q].length = g.length;
    }
    return code;
}

static int read_gates(struct kl_ibm_qubit *qubits, size_t n, const char **pulse,
                      char unused[KL_NOISE_UNUSED], const json_t *gates, const char *what,
                      struct kl_error *err)
{
    bool usual;
    const int best = find_gates(gates, &usual);
    int code = KL_OK;
    if (best == N_PULSES)
        return kl_fail(err, KL_EDATA, "%s: gates: found none of sx, u2, x, u and u3", what);
    *pulse = pulses[best];
    for (size_t i = 0; i < json_array_size(gates) && !code; i++) {
        const json_t *gate = json_array_get(gates, i);
        const char *name = gate_name(gate);
        const size_t n_wires = json_array_size(json_object_get(gate, "qubits"));
        char here[300];
        snprintf(here, sizeof here, "%.200s: gate %zu, '%.40s'", what, i, name);
        if ((n_wires == 1 && strcmp(name, *pulse) == 0) ||
            (n_wires == 2 && (!usual || is_usual_pair(name))))
            code = read_gate(qubits, n, gate, here, err);
        else not_used(unused, "gate ", name);
    }
    assume(qubits, n, QUBIT(length)); /* before the errors, which say what works */
    assume(qubits, n, QUBIT(error));
    return code;
}

int kl_circuit_noise_ibm_read(struct kl_ibm_qubit *qubits, size_t n, const char **pulse,
                              char unused[KL_NOISE_UNUSED], const json_t *root, const char *what,
                              struct kl_error *err)
{
    const json_t *list = json_object_get(root, "qubits"), *gates = json_object_get(root, "gates");
    static const char *const known[] = { "backend_name", "backend_version", "last_update_date", "qubits",
                                         "gates" };
    const char *name;
    json_t *value;
    int code = KL_OK;
    for (size_t q = 0; q < n && !code; q++) {
        char here[300];
        snprintf(here, sizeof here, "%.200s: qubit %zu", what, q);
        qubits[q] = (struct kl_ibm_qubit){ NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, false, 0, 0, 0, 0 };
        code = read_numbers(&qubits[q], of_qubit, unused, json_array_get(list, q), here, err);
    }
    if (!code && !json_is_array(gates))
        return kl_fail(err, KL_EDATA, "%s: no list 'gates' with gate_error and gate_length", what);
    if (!code) code = read_gates(qubits, n, pulse, unused, gates, what, err);
    json_object_foreach((json_t *)root, name, value)
    {
        size_t k = 0;
        while (k < sizeof known / sizeof *known && strcmp(known[k], name) != 0) k++;
        if (k == sizeof known / sizeof *known) not_used(unused, "", name);
    }
    return code;
}
