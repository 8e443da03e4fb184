/* SPDX-License-Identifier: MIT
   A backend's properties in IBM's form as a calibration of ours. Their gate_error is the mean infidelity
   of the gate on random states, relaxation included (randomised benchmarking); here relaxation and
   depolarising stand one after another. So depolarising gets what relaxation leaves of gate_error, as in
   qiskit-aer's basic_device_gate_errors. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "circuit/noise_int.h"

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
    if (!code)
        code = kl_circuit_noise_ibm_read(qubits, n, &source->pulse, source->unused, root, what, err);
    if (!code) code = take_all(list, source, qubits, choice, what, err);
    if (!code && json_object_set(*own, "qubits", list)) code = kl_fail_memory(err, 64);
    json_decref(list);
    free(qubits);
    return code;
}
