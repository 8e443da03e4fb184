/* SPDX-License-Identifier: MIT
   A backend's properties in IBM's form, as qiskit's BackendProperties.to_dict writes them, as a
   calibration of ours. */
#include "circuit/circuit_int.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* Fill in a value that a qubit's gate lacks: the mean of those that work. */
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

/* All n of the list. pulse: the name of the gate on one qubit whose numbers were taken. unused: names of
   what the file gives besides. KL_EDATA. */
static int noise_ibm_read(struct kl_ibm_qubit *qubits, size_t n, const char **pulse,
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

/* ---- noise ibm ----
   A backend's properties in IBM's form as a calibration of ours. Their gate_error is the mean infidelity
   of the gate on random states, relaxation included (randomised benchmarking); here relaxation and
   depolarising stand one after another. So depolarising gets what relaxation leaves of gate_error, as in
   qiskit-aer's basic_device_gate_errors. */

bool kl_circuit_noise_is_ibm(const json_t *root)
{
    const json_t *list = json_object_get(root, "qubits");
    return json_object_get(root, "backend_name") || json_is_array(json_array_get(list, 0));
}

/* Fidelity with the identity's entangled state, (1 + x + y + z) / 4, of relaxation for a time. */
static double kept(double time, double t1, double t2)
{
    return (1 + 2 * exp(-time / t2) + exp(-time / t1)) / 4;
}

/* Probability p of depolarising, which is Lambda = 4 p / 3 of the state lost, so that after relaxation
   that keeps r the entangled fidelity is f: (1 - Lambda) r + Lambda / 4 = f. */
static double depolarizing(double f, double r)
{
    return f < r ? 0.75 * (r - f) / (r - 0.25) : 0;
}

/* An error of 0.5 tells nothing of the state. */
static bool reads_nothing(const struct kl_ibm_qubit *q)
{
    return q->meas1_prep0 >= 0.5 || q->meas0_prep1 >= 0.5 || q->readout_error >= 0.5;
}

/* Why a qubit cannot be used; NULL: it can. pairs: the device has gates on two qubits. 0.5 is the error
   of a gate that leaves nothing of the state. */
static const char *fault(const struct kl_ibm_qubit *q, bool pairs)
{
    if (q->operational == 0) return "not operational";
    if (!(q->t1 > 0)) return "without T1";
    if (!(q->t2 > 0)) return "without T2";
    if (isnan(q->readout_error) && (isnan(q->meas1_prep0) || isnan(q->meas0_prep1)))
        return "without readout error";
    if (reads_nothing(q)) return "its readout does not work (readout_error below 0.5)";
    if (isnan(q->error)) return "without gate_error";
    if (isnan(q->length)) return "without gate_length";
    if (q->error >= 0.5) return "its gate on one qubit does not work (gate_error below 0.5)";
    return pairs && !q->n_pairs ? "none of its gates on two qubits works (gate_error below 0.75)" : NULL;
}

/* The numbers of one wire, a new reference; NULL: no memory. */
static json_t *numbers(const struct kl_ibm_qubit *q, bool *t2_cut)
{
    const double t1 = q->t1, t2 = q->t2 > 2 * t1 ? 2 * t1 : q->t2;
    const double read0 = isnan(q->meas1_prep0) ? q->readout_error : q->meas1_prep0,
                 read1 = isnan(q->meas0_prep1) ? q->readout_error : q->meas0_prep1;
    *t2_cut = q->t2 > 2 * t1;
    /* of d dimensions: mean infidelity e, entangled fidelity 1 - e (d + 1) / d */
    json_t *made =
        json_pack("{s:f, s:f, s:f, s:f, s:f, s:f}", "t1", t1, "t2", t2, "gate-time", q->length,
                  "depolarizing", depolarizing(1 - 1.5 * q->error, kept(q->length, t1, t2)), "readout-0",
                  read0, "readout-1", read1);
    if (!made || !q->n_pairs) return made;
    const double error = q->pair_error / q->n_pairs, length = q->pair_length / q->n_pairs;
    /* on two wires alike: the product of two fidelities */
    const double p = depolarizing(sqrt(1 - 1.25 * error), kept(length, t1, t2));
    if (json_object_set_new(made, "gate-time-2", json_real(length)) ||
        json_object_set_new(made, "depolarizing-2", json_real(p))) {
        json_decref(made);
        return NULL;
    }
    return made;
}

static int take(json_t *list, struct kl_noise_source *s, const struct kl_ibm_qubit *q, int number,
                struct kl_error *err)
{
    bool t2_cut;
    if (json_array_append_new(list, numbers(q, &t2_cut))) return kl_fail_memory(err, 512);
    s->t2_cut |= (uint32_t)t2_cut << s->n_taken;
    s->assumed |= (uint32_t)q->assumed << s->n_taken;
    s->taken[s->n_taken++] = number;
    return KL_OK;
}

/* Those that were chosen, which must work; else the first ones that do. */
static int take_all(json_t *list, struct kl_noise_source *s, const struct kl_ibm_qubit *qubits,
                    const struct kl_noise_choice *choice, const char *what, struct kl_error *err)
{
    const int n = choice->n ? choice->n : s->n_found;
    int code = KL_OK;
    s->no_pairs = true;
    for (int q = 0; q < s->n_found; q++) s->no_pairs &= !qubits[q].n_listed;
    for (int i = 0; i < n && s->n_taken < KL_MAX_QUBITS && !code; i++) {
        const int number = choice->n ? choice->qubit[i] : i;
        const char *why = fault(&qubits[number], !s->no_pairs);
        if (!why) code = take(list, s, &qubits[number], number, err);
        else if (choice->n)
            return kl_fail(err, KL_EDATA, "%s: qubit %d: %s; choose another", what, number, why);
        else if (s->n_left_out < KL_NOISE_LEFT_OUT) {
            s->left_out[s->n_left_out] = number;
            s->why[s->n_left_out++] = why;
        }
    }
    if (code || s->n_taken) return code;
    return kl_fail(err, KL_EDATA, "%s: no qubit can be used; qubit 0: %s", what,
                   fault(&qubits[0], !s->no_pairs));
}

/* A list of lists, and not empty. */
static int check_form(const json_t *root, const char *what, struct kl_error *err)
{
    const json_t *list = json_object_get(root, "qubits");
    if (json_is_array(json_array_get(list, 0))) return KL_OK;
    return kl_fail(
        err, KL_EDATA,
        "%s: no backend's properties: found 'backend_name' without a list 'qubits' of T1, T2 and "
        "others; take props_*.json, or backend.properties().to_dict()",
        what);
}

int kl_circuit_noise_from_ibm(json_t **own, struct kl_noise_source *source, const json_t *root,
                              const struct kl_noise_choice *choice, const char *what,
                              struct kl_error *err)
{
    const json_t *name = json_object_get(root, "backend_name");
    int code = check_form(root, what, err);
    if (code) return code;
    const size_t n = json_array_size(json_object_get(root, "qubits"));
    code = kl_circuit_noise_choice_check(choice, n, what, err);
    if (code) return code;
    struct kl_ibm_qubit *qubits = calloc(n, sizeof *qubits);
    json_t *list = json_array();
    *own = json_object();
    if (!qubits || !list || !*own || (name && json_object_set(*own, "name", (json_t *)name)))
        code = kl_fail_memory(err, n * sizeof *qubits);
    source->n_found = (int)n;
    if (!code) code = noise_ibm_read(qubits, n, &source->pulse, source->unused, root, what, err);
    if (!code) code = take_all(list, source, qubits, choice, what, err);
    if (!code && json_object_set(*own, "qubits", list)) code = kl_fail_memory(err, 64);
    json_decref(list);
    free(qubits);
    return code;
}
