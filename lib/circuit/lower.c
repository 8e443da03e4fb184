/* SPDX-License-Identifier: MIT */
#include "circuit/circuit_int.h"

/* Wire 0 is the most significant bit. */
static uint32_t bit(const struct kl_circuit *c, int wire)
{
    return 1u << (c->n_qubits - 1 - wire);
}

static uint32_t bits(const struct kl_circuit *c, uint32_t wires)
{
    uint32_t result = 0;
    for (int q = 0; q < c->n_qubits; q++)
        if (wires >> q & 1) result |= bit(c, q);
    return result;
}

struct lowering {
    struct kl_vqc_op *ops;
    struct kl_angle *angles;
    size_t n_ops, n_slots;
};

static void emit(struct lowering *l, enum kl_vqc_gate gate, uint32_t target, uint32_t control, const struct kl_angle *angle)
{
    int slot = angle ? (int)l->n_slots : -1;
    if (angle) l->angles[l->n_slots++] = *angle;
    l->ops[l->n_ops++] = (struct kl_vqc_op){ gate, target, control, slot };
}

static void lower_op(struct lowering *l, const struct kl_circuit *c, const struct kl_op *op)
{
    uint32_t first = op->gate == KL_MULTIRZ ? 0 : bit(c, op->wire[0]);
    uint32_t second = op->gate >= KL_CNOT && op->gate <= KL_CRZ ? bit(c, op->wire[1]) : 0;
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
    case KL_MULTIRZ: emit(l, KL_VQC_MULTIRZ, bits(c, op->mask), 0, &op->angle[0]); break;
    }
}

int kl_circuit_lower(struct kl_vqc_program *program, const struct kl_angle **angles, const struct kl_circuit *c,
                     struct kl_arena *work, struct kl_error *err)
{
    struct lowering l = { 0 };
    size_t most = 3 * c->n_ops + 1; /* a Rot is three */
    struct kl_vqc_observable *obs = kl_arena_take(work, c->n_obs, sizeof *obs);
    l.ops = kl_arena_take(work, most, sizeof *l.ops);
    l.angles = kl_arena_take(work, most, sizeof *l.angles);
    if (!obs || !l.ops || !l.angles) return kl_fail_memory(err, most * (sizeof *l.ops + sizeof *l.angles));
    for (size_t i = 0; i < c->n_ops; i++) lower_op(&l, c, &c->ops[i]);
    for (size_t i = 0; i < c->n_obs; i++)
        obs[i] = (struct kl_vqc_observable){ bits(c, c->obs[i].x), bits(c, c->obs[i].z) };
    *angles = l.angles;
    *program = (struct kl_vqc_program){ .n_qubits = c->n_qubits, .real = c->real, .n_ops = l.n_ops, .n_slots = l.n_slots,
                                        .n_obs = c->n_obs, .ops = l.ops, .obs = obs };
    return KL_OK;
}
