/* SPDX-License-Identifier: MIT
   A noisy circuit lowered to a program on pure states, and to what a realisation of the noise does to it
   (lower_int.h). */
#include "circuit/lower_int.h"

#include <stdlib.h>

struct lowering {
    struct kl_circuit_plan *plan;
    const struct kl_circuit *c;
    struct kl_trajectory *t;
    struct kl_elements all;
    struct kl_vqc_op *ops;
    struct kl_trajectory_step *steps;
    size_t n_ops;
    struct kl_string *strings;
    struct kl_density_term *terms;
    size_t n_terms;
    double *constant;
};

static void emit(struct lowering *l, enum kl_vqc_gate gate, uint32_t target, uint32_t control, int slot)
{
    l->ops[l->n_ops++] = (struct kl_vqc_op){ gate, target, control, slot };
}

/* exp(-i angle P/2), P of Z alone or of a Pauli operator and at most one Z, which CZ makes of the
   operator alone. */
static void emit_rotation(struct lowering *l, const struct kl_element *e)
{
    const uint32_t x = e->string.x, z = e->string.z, other = z & ~x;
    const enum kl_vqc_gate gate = !x ? KL_VQC_RZ : z & x ? KL_VQC_RY : KL_VQC_RX;
    if (!x && (z & (z - 1))) {
        emit(l, KL_VQC_MULTIRZ, z, 0, e->slot);
        return;
    }
    if (x && other) emit(l, KL_VQC_CZ, x | other, 0, -1);
    emit(l, gate, x ? x : z, 0, e->slot);
    if (x && other) emit(l, KL_VQC_CZ, x | other, 0, -1);
}

static void emit_clifford(struct lowering *l, const struct kl_element *e)
{
    switch (e->gate) {
    case KL_H: emit(l, KL_VQC_H, e->first, 0, -1); break;
    case KL_X: emit(l, KL_VQC_X, e->first, 0, -1); break;
    case KL_CNOT: emit(l, KL_VQC_X, e->second, e->first, -1); break;
    default: emit(l, KL_VQC_CZ, e->first | e->second, 0, -1);
    }
}

/* Probabilities of X, Y and Z, added up, in units of 2^-32. */
static void pauli_bounds(uint64_t below[3], const struct kl_channel *c)
{
    const double p[3] = { (1 + c->x - c->y - c->z) / 4, (1 - c->x + c->y - c->z) / 4,
                          (1 - c->x - c->y + c->z) / 4 };
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        sum += p[i] > 0 ? p[i] : 0;
        below[i] = (uint64_t)(sum * 0x1p32 + 0.5);
    }
}

static int put_step(struct lowering *l, const struct kl_element *e, struct kl_error *err)
{
    const double most =
        0.9; /* what is left of an amplitude, sqrt(1 - r), is divided by on the way back */
    struct kl_trajectory_step s = { .element = *e };
    switch (e->kind) {
    case KL_ROTATION:
        s.kind = KL_TRAJECTORY_TURN;
        emit_rotation(l, e);
        break;
    case KL_CLIFFORD:
        s.kind = KL_TRAJECTORY_CLIFFORD;
        emit_clifford(l, e);
        break;
    case KL_CHANNEL:
        s.kind = e->channel.shift != 0 ? KL_TRAJECTORY_DAMP : KL_TRAJECTORY_PAULI;
        if (s.kind == KL_TRAJECTORY_PAULI) {
            pauli_bounds(s.below, &e->channel);
            s.clear = l->t->clear *= 1 - (double)s.below[2] * 0x1p-32;
        } else if (!(1 - e->channel.z <= most))
            return kl_fail(
                err, KL_EUSAGE,
                "noise: a gate relaxes a qubit by %.3g, trajectories bear at most %g; stronger "
                "damping needs the density matrix of at most %d qubits",
                1 - e->channel.z, most, KL_MOST_NOISY_QUBITS);
        else {
            s.slot = (int)l->plan->n_slots;
            emit(l, KL_VQC_MIX, e->first, 0, s.slot);
            l->plan->n_slots += 2;
            l->t->damps = true;
        }
    }
    l->steps[l->t->n_steps++] = s;
    return KL_OK;
}

/* A string is observed once, however many outputs it is in. Room for it is there. */
static void put_term(void *context, struct kl_string s, double weight)
{
    struct lowering *l = context;
    struct kl_trajectory *t = l->t;
    size_t k = 0;
    if (!s.x && !s.z) {
        *l->constant += weight;
        return;
    }
    while (k < t->n_strings && (l->strings[k].x != s.x || l->strings[k].z != s.z)) k++;
    if (k == t->n_strings) l->strings[t->n_strings++] = s;
    l->terms[l->n_terms++] = (struct kl_density_term){ (uint32_t)k, weight };
}

/* How many terms there will be; errors of a qubit's readout that differ double those of a string on it.
 */
static int count_terms(size_t *n, const struct kl_circuit *c, struct kl_error *err)
{
    enum { MOST = 1 << 16 };
    *n = 0;
    for (size_t i = 0; i < c->n_terms; i++) {
        const struct kl_pauli *s = c->terms[i].string < 0 ? NULL : &c->strings[c->terms[i].string];
        int loose = s ? 0 : 2 * c->n_qubits; /* a fidelity: at most all strings */
        for (int q = 0; s && q < c->n_qubits; q++) {
            const double *error = c->noise->qubit[c->noise->n_qubits ? q : 0].readout;
            loose += (s->x | s->z) >> q & 1 && error[0] != error[1];
        }
        if (!s && c->targets[c->terms[i].target].kind == KL_PRODUCT) loose = c->n_qubits;
        *n += (size_t)1 << loose;
        if (*n > MOST)
            return kl_fail(
                err, KL_EUSAGE,
                "noise: the observables become more than %d Pauli strings; observe fewer qubits, "
                "or, where readout-0 and readout-1 differ, set both with readout",
                MOST);
    }
    return KL_OK;
}

static int put_outputs(struct lowering *l, struct kl_error *err)
{
    struct kl_arena *memory = &l->plan->memory;
    size_t n;
    int code = count_terms(&n, l->c, err);
    if (code) return code;
    size_t *first = kl_arena_take(memory, l->c->n_obs + 1, sizeof *first);
    double *constant = kl_arena_take(memory, l->c->n_obs, sizeof *constant);
    l->strings = kl_arena_take(memory, n, sizeof *l->strings);
    l->terms = kl_arena_take(memory, n, sizeof *l->terms);
    struct kl_vqc_observable *obs = kl_arena_take(memory, n, sizeof *obs);
    if (!first || !constant || !l->strings || !l->terms || !obs)
        return kl_fail_memory(err, n * sizeof *l->terms);
    for (size_t o = 0; o < l->c->n_obs; o++) {
        first[o] = l->n_terms;
        l->constant = &constant[o];
        *l->constant = 0;
        kl_circuit_output_terms(l->c, o, put_term, l);
    }
    first[l->c->n_obs] = l->n_terms;
    l->t->first = first, l->t->term = l->terms, l->t->constant = constant, l->t->string = l->strings;
    for (size_t k = 0; k < l->t->n_strings; k++)
        obs[k] = (struct kl_vqc_observable){ l->strings[k].x, l->strings[k].z };
    l->plan->program.obs = obs;
    l->plan->program.n_obs = l->t->n_strings;
    return KL_OK;
}

static int put_readout(struct lowering *l, struct kl_error *err)
{
    const struct kl_circuit *c = l->c;
    double(*readout)[2] = kl_arena_take(&l->plan->memory, (size_t)c->n_qubits, sizeof *readout);
    if (!readout) return kl_fail_memory(err, (size_t)c->n_qubits * sizeof *readout);
    for (int q = 0; q < c->n_qubits; q++) {
        const double *error = c->noise->qubit[c->noise->n_qubits ? q : 0].readout;
        const int b = __builtin_ctz(kl_circuit_wire_bit(c, q));
        readout[b][0] = error[0], readout[b][1] = error[1];
    }
    l->t->readout = (const double(*)[2])readout;
    l->plan->program.n_obs = c->n_obs;
    return KL_OK;
}

struct kl_stratum kl_circuit_trajectory_stratum(const struct kl_circuit *c, size_t t)
{
    const struct kl_trajectory *p = c->plan->trajectory;
    const size_t all = c->trajectories;
    size_t clear = p->damps ? (size_t)((double)all * p->clear + 0.5) : 1;
    if (all == 1) return (struct kl_stratum){ KL_STRATUM_ALL, 1 };
    if (clear == 0) clear = 1;
    if (clear == all) clear = all - 1;
    if (p->clear == 0) clear = 0;
    if (p->clear == 1) clear = all;
    if (t < clear) return (struct kl_stratum){ KL_STRATUM_CLEAR, p->clear / (double)clear };
    return (struct kl_stratum){ KL_STRATUM_ERRORS, (1 - p->clear) / (double)(all - clear) };
}

int kl_circuit_trajectory(struct kl_circuit_plan *plan, const struct kl_circuit *c, struct kl_error *err)
{
    struct lowering l = { .plan = plan, .c = c };
    int code = kl_circuit_elements_list(&l.all, plan, c, err);
    if (code) goto out;
    l.t = plan->trajectory = kl_arena_take(&plan->memory, 1, sizeof *l.t);
    l.ops = kl_arena_take(&plan->memory, 3 * l.all.n + 1, sizeof *l.ops);
    l.steps = kl_arena_take(&plan->memory, l.all.n + 1, sizeof *l.steps);
    if (!l.t || !l.ops || !l.steps) {
        code = kl_fail_memory(err, l.all.n * (sizeof *l.steps + 3 * sizeof *l.ops));
        goto out;
    }
    *l.t = (struct kl_trajectory){ .step = l.steps, .clear = 1 };
    plan->program = (struct kl_vqc_program){ .n_qubits = c->n_qubits,
                                             .real = c->real,
                                             .from_given = c->amplitude_inputs,
                                             .probabilities = c->probabilities,
                                             .ops = l.ops };
    for (size_t i = 0; i < l.all.n && !code; i++) code = put_step(&l, &l.all.element[i], err);
    plan->program.n_ops = l.n_ops;
    plan->program.n_slots = plan->n_slots;
    if (!code) code = c->probabilities ? put_readout(&l, err) : put_outputs(&l, err);
    if (!code) code = kl_circuit_form(plan, false, err);
out:
    free(l.all.element);
    return code;
}
