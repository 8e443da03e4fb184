/* SPDX-License-Identifier: MIT
   A circuit is built gate by gate and checked here; the kernels trust it. Folding: a circuit whose noise
   is a known multiple. */
#include "circuit/circuit_int.h"

#include <stdlib.h>

#include "circuit/noise.h"

static const int n_wires[] = {
    [KL_RX] = 1, [KL_RY] = 1,  [KL_RZ] = 1,  [KL_ROT] = 1, [KL_H] = 1,       [KL_X] = 1, [KL_CNOT] = 2,
    [KL_CZ] = 2, [KL_CRX] = 2, [KL_CRY] = 2, [KL_CRZ] = 2, [KL_MULTIRZ] = 0, [KL_ID] = 1
};
static const int n_angles[] = {
    [KL_RX] = 1, [KL_RY] = 1,  [KL_RZ] = 1,  [KL_ROT] = 3, [KL_H] = 0,       [KL_X] = 0, [KL_CNOT] = 0,
    [KL_CZ] = 0, [KL_CRX] = 1, [KL_CRY] = 1, [KL_CRZ] = 1, [KL_MULTIRZ] = 1, [KL_ID] = 0
};

int kl_circuit_begin(struct kl_circuit **circuit, int n_qubits, size_t n_inputs, size_t n_weights,
                     struct kl_error *err)
{
    *circuit = NULL;
    if (n_qubits < 1 || n_qubits > KL_MAX_QUBITS)
        return kl_fail(err, KL_EUSAGE, "circuit: found %d qubits, expected 1 to %d", n_qubits,
                       KL_MAX_QUBITS);
    struct kl_circuit *c = calloc(1, sizeof *c);
    if (!c) return kl_fail_memory(err, sizeof *c);
    c->n_qubits = n_qubits;
    c->n_inputs = n_inputs;
    c->n_weights = n_weights;
    *circuit = c;
    return KL_OK;
}

static int check_angle(const struct kl_circuit *c, const struct kl_angle *a, struct kl_error *err)
{
    size_t limit = a->source == KL_INPUT ? c->n_inputs : c->n_weights;
    if (a->source == KL_CONSTANT) return KL_OK;
    if (a->index < 0 || (size_t)a->index >= limit)
        return kl_fail(err, KL_EUSAGE, "circuit: %s %d does not exist, there are %zu",
                       a->source == KL_INPUT ? "input" : "weight", a->index, limit);
    if (a->source == KL_INPUT && (a->scaled < 0 || (size_t)a->scaled > c->n_weights))
        return kl_fail(err, KL_EUSAGE, "circuit: weight %d does not exist, there are %zu", a->scaled - 1,
                       c->n_weights);
    if (a->source == KL_INPUT && a->index2 >= 0 && (size_t)a->index2 >= limit)
        return kl_fail(err, KL_EUSAGE, "circuit: input %d does not exist, there are %zu", a->index2,
                       limit);
    return KL_OK;
}

int kl_circuit_append(struct kl_circuit *c, const struct kl_op *op, struct kl_error *err)
{
    if (c->plan) return kl_fail(err, KL_EUSAGE, "circuit: it is finished, no gate can be appended");
    if ((size_t)op->gate >= sizeof n_wires / sizeof *n_wires)
        return kl_fail(err, KL_EUSAGE, "circuit: gate %d is unknown", (int)op->gate);
    for (int i = 0; i < n_wires[op->gate]; i++)
        if (op->wire[i] < 0 || op->wire[i] >= c->n_qubits)
            return kl_fail(err, KL_EUSAGE, "circuit: wire %d does not exist, there are %d qubits",
                           op->wire[i], c->n_qubits);
    if (n_wires[op->gate] == 2 && op->wire[0] == op->wire[1])
        return kl_fail(err, KL_EUSAGE, "circuit: a two-qubit gate on wire %d twice", op->wire[0]);
    if (op->gate == KL_MULTIRZ && (!op->mask || op->mask >> c->n_qubits))
        return kl_fail(err, KL_EUSAGE, "circuit: MultiRZ on wires 0x%x, there are %d qubits", op->mask,
                       c->n_qubits);
    for (int i = 0; i < n_angles[op->gate]; i++) {
        int code = check_angle(c, &op->angle[i], err);
        if (code) return code;
    }
    int code = kl_circuit_grow((void **)&c->ops, c->n_ops, sizeof *c->ops, err);
    if (code) return code;
    c->ops[c->n_ops++] = *op;
    return KL_OK;
}

int kl_circuit_begin_with_inputs(struct kl_circuit *c, struct kl_error *err)
{
    if (c->plan) return kl_fail(err, KL_EUSAGE, "circuit: it is finished, its inputs are what they are");
    if (c->n_qubits > KL_MOST_KEPT_QUBITS || c->n_inputs != (size_t)1 << c->n_qubits)
        return kl_fail(err, KL_EUSAGE,
                       "circuit: %zu amplitudes for %d qubits; expected 2^qubits, and at most %d qubits",
                       c->n_inputs, c->n_qubits, KL_MOST_KEPT_QUBITS);
    c->amplitude_inputs = true;
    return KL_OK;
}

/* Under noise a fidelity is a sum of strings, on n qubits 2^n, or with entangled states some of all 4^n.
   These are met by undoing them, and how errors of the readout then look depends on how. */
static int check_targets(const struct kl_circuit *c, struct kl_error *err)
{
    static const char *const names[] = { "of a product state", "ghz", "w" };
    static const int most[] = { 10, KL_MOST_NOISY_QUBITS, KL_MOST_NOISY_QUBITS };
    for (size_t t = 0; c->noise && t < c->n_targets; t++) {
        const int kind = c->targets[t].kind;
        if (c->n_qubits > most[kind])
            return kl_fail(
                err, KL_EUSAGE,
                "fidelity %s under noise: found %d qubits, expected at most %d: it is a sum of "
                "too many Pauli strings; observe some of them",
                names[kind], c->n_qubits, most[kind]);
        for (int q = 0; q < c->n_qubits && kind != KL_PRODUCT; q++) {
            const struct kl_qubit_noise *noise = &c->noise->qubit[c->noise->n_qubits ? q : 0];
            if (noise->readout[0] > 0 || noise->readout[1] > 0)
                return kl_fail(
                    err, KL_EUSAGE,
                    "fidelity(%s) under readout errors depends on the circuit that undoes the "
                    "state; leave out readout, or observe strings",
                    names[kind]);
        }
    }
    return KL_OK;
}

/* Gradients by inputs are those by angles or those by amplitudes. */
static int check_inputs(const struct kl_circuit *c, struct kl_error *err)
{
    for (size_t i = 0; c->amplitude_inputs && i < c->n_ops; i++)
        for (int k = 0; k < n_angles[c->ops[i].gate]; k++)
            if (c->ops[i].angle[k].source == KL_INPUT)
                return kl_fail(err, KL_EUSAGE,
                               "circuit: input %d is an amplitude to begin with and stands in an angle "
                               "of gate %zu; expected one of both",
                               c->ops[i].angle[k].index, i);
    return KL_OK;
}

int kl_circuit_finish(struct kl_circuit *c, struct kl_error *err)
{
    if (!c->n_obs)
        return kl_fail(err, KL_EUSAGE, "circuit: no observable; give at least one Pauli string");
    int code = check_targets(c, err);
    if (!code) code = check_inputs(c, err);
    if (code) return code;
    c->real = true;
    for (size_t i = 0; i < c->n_ops; i++) {
        enum kl_gate g = c->ops[i].gate;
        if (g == KL_RX || g == KL_RZ || g == KL_ROT || g == KL_CRX || g == KL_CRZ || g == KL_MULTIRZ)
            c->real = false;
    }
    return c->plan ? KL_OK : kl_circuit_plan_make(&c->plan, c, err);
}

int kl_circuit_first_scale(const struct kl_circuit *c)
{
    for (size_t i = 0; i < c->n_ops; i++)
        for (int k = 0; k < kl_circuit_op_angles(&c->ops[i]); k++)
            if (kl_circuit_is_scaled(&c->ops[i].angle[k])) return c->ops[i].angle[k].scaled - 1;
    return -1;
}

bool kl_circuit_is_scale(const struct kl_circuit *c, size_t weight)
{
    bool scales = false;
    for (size_t i = 0; i < c->n_ops; i++)
        for (int k = 0; k < kl_circuit_op_angles(&c->ops[i]); k++) {
            const struct kl_angle *a = &c->ops[i].angle[k];
            if (a->source == KL_WEIGHT && (size_t)a->index == weight) return false;
            scales |= kl_circuit_is_scaled(a) && (size_t)a->scaled == weight + 1;
        }
    return scales;
}

void kl_circuit_free(struct kl_circuit **circuit)
{
    if (!*circuit) return;
    kl_circuit_plan_free(&(*circuit)->plan);
    free((*circuit)->ops);
    free((*circuit)->end);
    free((*circuit)->terms);
    free((*circuit)->strings);
    free((*circuit)->targets);
    free((*circuit)->noise);
    free((*circuit)->layer_ends);
    free((*circuit)->undoes);
    free((*circuit)->notes);
    free((*circuit)->cautions);
    free(*circuit);
    *circuit = NULL;
}

size_t kl_circuit_state_values(const struct kl_circuit *c)
{
    const struct kl_density_program *d = c->plan->density;
    if (d) return d->n_kept * d->n_coefficients + (d->from_given ? (size_t)1 << c->n_qubits : 0);
    return (size_t)((c->plan->wide ? c->plan->turns.real : c->real) ? 1 : 2) << c->n_qubits;
}

size_t kl_circuit_kept_values(const struct kl_circuit *c)
{
    const size_t values = kl_circuit_state_values(c);
    if (c->plan->density) return values <= KL_MOST_KEPT_VALUES ? values : 0;
    if (c->plan->trajectory) return values * c->trajectories <= KL_MOST_KEPT_VALUES ? values : 0;
    return c->n_qubits <= KL_MOST_KEPT_QUBITS ? values : 0;
}

size_t kl_circuit_state_size(const struct kl_circuit *c, size_t n)
{
    if (!kl_circuit_kept_values(c)) return 0;
    size_t group = 2 * c->plan->n_slots + kl_circuit_state_values(c);
    if (c->plan->trajectory) group *= c->trajectories;
    return group * ((n + KL_WIDEST - 1) / KL_WIDEST * KL_WIDEST);
}

size_t kl_circuit_angles_size(const struct kl_circuit *c, size_t n)
{
    return kl_circuit_plan_all_rows(c->plan) * ((n + KL_WIDEST - 1) / KL_WIDEST * KL_WIDEST);
}

/* ---- fold ----
   A circuit whose noise is a known multiple: every gate, of however many ops, is followed by its inverse
   and itself again, as often as needed (unitary folding: Giurgica-Tiron et al. 2020, arXiv:2005.10921).
 */

struct kl_op kl_circuit_inverse(const struct kl_op *op)
{
    struct kl_op i = *op;
    if (op->gate == KL_ROT) i.angle[0] = op->angle[2], i.angle[2] = op->angle[0];
    for (int k = 0; k < 3; k++) i.angle[k].scale = -i.angle[k].scale; /* other gates have none */
    return i;
}

/* A gate's ops, or those of its inverse. */
static int append_gate(struct kl_circuit *c, const struct kl_op *ops, size_t n, bool back,
                       struct kl_error *err)
{
    int code = KL_OK;
    for (size_t i = 0; i < n && !code; i++) {
        struct kl_op op = back ? kl_circuit_inverse(&ops[n - 1 - i]) : ops[i];
        op.next = i + 1 == n ? KL_OTHER_GATE : ops[back ? n - 2 - i : i].next;
        code = kl_circuit_append(c, &op, err);
    }
    return code;
}

int kl_circuit_fold(struct kl_circuit *c, int factor, struct kl_error *err)
{
    struct kl_op *ops = c->ops;
    const size_t n = c->n_ops;
    int code = KL_OK;
    if (c->plan || factor < 1 || factor % 2 == 0 || factor > KL_MOST_FOLD)
        return kl_fail(err, KL_EUSAGE, "circuit: found %s by %d, expected an odd number from 1 to %d",
                       c->plan ? "a finished one, folded" : "folding", factor, KL_MOST_FOLD);
    c->ops = NULL;
    c->n_ops = 0;
    for (size_t i = 0, end; i < n && !code; i = end) {
        end = kl_circuit_gate_end(ops, n, i);
        for (int k = 0; k < factor && !code; k++)
            code = append_gate(c, ops + i, end - i, k % 2 == 1, err);
    }
    free(ops);
    return code;
}
