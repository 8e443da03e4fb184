/* SPDX-License-Identifier: MIT
   Recognises circuits of layers: RY on some qubits, then CNOT and X, observed by strings of Z (ry-ring,
   RealAmplitudes). CNOT and X only move amplitudes, so they become a change of the map from numbers to
   places; RY after RY on a qubit become one angle. */
#include "circuit/circuit_int.h"

static bool fits(const struct kl_vqc_program *p)
{
    uint32_t low = (1u << KL_VQC_LOW_BITS(p->n_qubits)) - 1;
    if (p->from_given || p->probabilities || p->n_targets) return false;
    for (size_t i = 0; i < p->n_obs; i++)
        if (p->obs[i].x || ((p->obs[i].z & low) && (p->obs[i].z & ~low))) return false;
    for (size_t i = 0; i < p->n_ops; i++) {
        const struct kl_vqc_op *op = &p->ops[i];
        if (!(op->gate == KL_VQC_RY && !op->control) && op->gate != KL_VQC_X) return false;
    }
    return true;
}

struct kl_vqc_layer *kl_circuit_next_layer(struct kl_vqc_layer *layer, const struct kl_vqc_layer *before)
{
    *layer = *before;
    for (int b = 0; b < KL_VQC_MOST_QUBITS; b++) layer->slot[b] = -1;
    return layer;
}

void kl_circuit_move(struct kl_vqc_layer *layer, const struct kl_vqc_op *op)
{
    uint32_t target = layer->direction[__builtin_ctz(op->target)];
    if (op->control) {
        layer->direction[__builtin_ctz(op->control)] ^= target;
        layer->dual[__builtin_ctz(op->target)] ^= layer->dual[__builtin_ctz(op->control)];
    } else {
        layer->origin ^= target;
    }
}

int kl_circuit_layers(struct kl_circuit_plan *plan, struct kl_error *err)
{
    const struct kl_vqc_program *p = &plan->program;
    if (!fits(p)) return KL_OK;
    struct kl_vqc_layer identity = { 0 }, now,
                        *layers = kl_arena_take(&plan->memory, p->n_ops + 2, sizeof *layers);
    if (!layers) return kl_fail_memory(err, (p->n_ops + 2) * sizeof *layers);
    for (int b = 0; b < p->n_qubits; b++) identity.direction[b] = identity.dual[b] = 1u << b;
    struct kl_vqc_layer *layer = kl_circuit_next_layer(layers, &identity);
    size_t n_layers = 1;
    bool moved = false;
    plan->n_slots = 0;
    now = identity;
    for (size_t i = 0; i < p->n_ops; i++) {
        const struct kl_vqc_op *op = &p->ops[i];
        if (op->gate == KL_VQC_X) {
            kl_circuit_move(&now, op);
            moved = true;
            continue;
        }
        if (moved) layer = kl_circuit_next_layer(&layers[n_layers++], &now);
        moved = false;
        int *slot = &layer->slot[__builtin_ctz(op->target)];
        if (*slot < 0) *slot = (int)plan->n_slots++;
        plan->slot[op->slot] = *slot;
    }
    kl_circuit_next_layer(&layers[n_layers], &now);
    plan->layers = (struct kl_vqc_layers){
        .n_qubits = p->n_qubits, .n_layers = n_layers, .n_obs = p->n_obs, .layer = layers, .obs = p->obs
    };
    return KL_OK;
}
