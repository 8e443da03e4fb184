/* SPDX-License-Identifier: MIT
   A circuit lowered to the program of kernels/vqc.h. */
#include "circuit/density_int.h"
#include "circuit/trajectory_int.h"

#include <stdlib.h>

uint32_t kl_circuit_wire_bit(const struct kl_circuit *c, int wire)
{
    return 1u << (c->n_qubits - 1 - wire);
}

uint32_t kl_circuit_wire_bits(const struct kl_circuit *c, uint32_t wires)
{
    uint32_t result = 0;
    for (int q = 0; q < c->n_qubits; q++)
        if (wires >> q & 1) result |= kl_circuit_wire_bit(c, q);
    return result;
}

struct lowering {
    struct kl_circuit_plan *plan;
    struct kl_vqc_op *ops;
    size_t n_ops;
};

static void emit(struct lowering *l, enum kl_vqc_gate gate, uint32_t target, uint32_t control,
                 const struct kl_angle *angle)
{
    struct kl_circuit_plan *p = l->plan;
    int slot = angle ? (int)p->n_angles : -1;
    if (angle) {
        p->slot[slot] = slot;
        p->controlled[slot] = control != 0;
        p->angles[p->n_angles++] = *angle;
    }
    l->ops[l->n_ops++] = (struct kl_vqc_op){ gate, target, control, slot };
}

static void lower_op(struct lowering *l, const struct kl_circuit *c, const struct kl_op *op)
{
    uint32_t first = op->gate == KL_MULTIRZ ? 0 : kl_circuit_wire_bit(c, op->wire[0]);
    uint32_t second =
        op->gate >= KL_CNOT && op->gate <= KL_CRZ ? kl_circuit_wire_bit(c, op->wire[1]) : 0;
    switch (op->gate) {
    case KL_RX: emit(l, KL_VQC_RX, first, 0, &op->angle[0]); break;
    case KL_RY: emit(l, KL_VQC_RY, first, 0, &op->angle[0]); break;
    case KL_RZ: emit(l, KL_VQC_RZ, first, 0, &op->angle[0]); break;
    case KL_ROT:
        emit(l, KL_VQC_RZ, first, 0, &op->angle[0]);
        emit(l, KL_VQC_RY, first, 0, &op->angle[1]);
        emit(l, KL_VQC_RZ, first, 0, &op->angle[2]);
        break;
    case KL_H: emit(l, KL_VQC_H, first, 0, NULL); break;
    case KL_X: emit(l, KL_VQC_X, first, 0, NULL); break;
    case KL_CNOT: emit(l, KL_VQC_X, second, first, NULL); break;
    case KL_CZ: emit(l, KL_VQC_CZ, first | second, 0, NULL); break;
    case KL_CRX: emit(l, KL_VQC_RX, second, first, &op->angle[0]); break;
    case KL_CRY: emit(l, KL_VQC_RY, second, first, &op->angle[0]); break;
    case KL_CRZ: emit(l, KL_VQC_RZ, second, first, &op->angle[0]); break;
    case KL_MULTIRZ: emit(l, KL_VQC_MULTIRZ, kl_circuit_wire_bits(c, op->mask), 0, &op->angle[0]); break;
    case KL_ID: break;
    }
}

static int lower_targets(struct kl_vqc_target *targets, struct kl_circuit_plan *plan,
                         const struct kl_circuit *c, struct kl_error *err)
{
    for (size_t i = 0; i < c->n_targets; i++) {
        const size_t n = kl_circuit_target_size(c, &c->targets[i]);
        struct kl_vqc_amplitude *amplitude = kl_arena_take(&plan->memory, n, sizeof *amplitude);
        if (!amplitude) return kl_fail_memory(err, n * sizeof *amplitude);
        kl_circuit_target_amplitudes(amplitude, c, &c->targets[i]);
        targets[i] = (struct kl_vqc_target){ n, amplitude };
    }
    return KL_OK;
}

static int lower(struct kl_circuit_plan *plan, const struct kl_circuit *c, struct kl_error *err)
{
    size_t most = 3 * c->n_ops + 1; /* a Rot is three */
    struct kl_vqc_observable *obs = kl_arena_take(&plan->memory, c->n_strings + 1, sizeof *obs);
    struct kl_vqc_target *targets = kl_arena_take(&plan->memory, c->n_targets + 1, sizeof *targets);
    struct lowering l = { plan, kl_arena_take(&plan->memory, most, sizeof *l.ops), 0 };
    plan->angles = kl_arena_take(&plan->memory, most, sizeof *plan->angles);
    plan->slot = kl_arena_take(&plan->memory, most, sizeof *plan->slot);
    plan->controlled = kl_arena_take(&plan->memory, most, sizeof *plan->controlled);
    if (!obs || !targets || !l.ops || !plan->angles || !plan->slot || !plan->controlled)
        return kl_fail_memory(err, most * (sizeof *l.ops + sizeof *plan->angles));
    for (size_t i = 0; i < c->n_ops; i++) lower_op(&l, c, &c->ops[i]);
    for (size_t i = 0; i < c->n_strings; i++)
        obs[i] = (struct kl_vqc_observable){ kl_circuit_wire_bits(c, c->strings[i].x),
                                             kl_circuit_wire_bits(c, c->strings[i].z) };
    int code = lower_targets(targets, plan, c, err);
    if (code) return code;
    plan->n_slots = plan->n_angles;
    plan->program = (struct kl_vqc_program){ .n_qubits = c->n_qubits,
                                             .real = c->real,
                                             .from_given = c->amplitude_inputs,
                                             .probabilities = c->probabilities,
                                             .n_ops = l.n_ops,
                                             .n_slots = plan->n_angles,
                                             .n_obs = c->n_strings,
                                             .n_targets = c->n_targets,
                                             .ops = l.ops,
                                             .obs = obs,
                                             .targets = targets };
    return KL_OK;
}

/* Real amplitudes side by side are the fastest while they fit; then one state after another, unless no
   state is to be left. */
int kl_circuit_form(struct kl_circuit_plan *p, bool forward_only, struct kl_error *err)
{
    const bool real = p->program.real;
    const int fewest = real ? KL_FEWEST_WIDE_REAL_QUBITS : KL_FEWEST_WIDE_QUBITS;
    const bool wide = p->program.n_qubits >= fewest && !forward_only;
    int code = real && wide ? KL_OK : kl_circuit_layers(p, err);
    if (!code && (wide || !real)) code = kl_circuit_turns(p, wide, err);
    p->wide = wide && p->turns.n_layers;
    return code;
}

int kl_circuit_plan_make(struct kl_circuit_plan **plan, const struct kl_circuit *c, struct kl_error *err)
{
    struct kl_circuit_plan *p = *plan = calloc(1, sizeof *p);
    if (!p) return kl_fail_memory(err, sizeof *p);
    p->plain = c->noise || kl_circuit_reads_plainly(c);
    p->n_readings = p->plain ? c->n_obs : c->n_strings + c->n_targets;
    int code = kl_arena_init(&p->memory, 0, err);
    if (!code && c->noise)
        code = c->trajectories ? kl_circuit_trajectory(p, c, err) : kl_circuit_density(p, c, err);
    if (!code && !c->noise) code = lower(p, c, err);
    if (!code && !c->noise) code = kl_circuit_form(p, c->forward_only, err);
    for (size_t i = 0; !code && i < p->n_angles; i++) p->n_scaled += kl_circuit_is_scaled(&p->angles[i]);
    if (code) kl_circuit_plan_free(plan);
    return code;
}

void kl_circuit_plan_free(struct kl_circuit_plan **plan)
{
    if (!*plan) return;
    kl_arena_free(&(*plan)->memory);
    free(*plan);
    *plan = NULL;
}
