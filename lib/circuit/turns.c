/* SPDX-License-Identifier: MIT
   Recognises circuits of rotations on single qubits, CNOT and X, observed by strings of Z
   (strongly-entangling, basic-entangler, efficient-su2). CNOT and X only move amplitudes, as in
   layers.c; the rotations of a qubit between two moves become one matrix. */
#include "circuit/circuit_int.h"

static bool fits(const struct kl_vqc_program *p)
{
    if (p->from_given || p->probabilities || p->n_targets) return false;
    for (size_t i = 0; i < p->n_obs; i++)
        if (p->obs[i].x) return false;
    for (size_t i = 0; i < p->n_ops; i++) {
        const struct kl_vqc_op *op = &p->ops[i];
        if (!(op->gate <= KL_VQC_RZ && !op->control) && op->gate != KL_VQC_X) return false;
    }
    return true;
}

int kl_circuit_turns(struct kl_circuit_plan *plan, struct kl_error *err)
{
    const struct kl_vqc_program *p = &plan->program;
    if (!fits(p)) return KL_OK;
    struct kl_vqc_layer identity = { 0 }, now,
                        *layers = kl_arena_take(&plan->memory, p->n_ops + 2, sizeof *layers);
    struct kl_vqc_turn *turns = kl_arena_take(&plan->memory, p->n_ops + 1, sizeof *turns);
    if (!layers || !turns) return kl_fail_memory(err, (p->n_ops + 2) * (sizeof *layers + sizeof *turns));
    int last[KL_VQC_MOST_QUBITS], n_turns = 0; /* last turn of each bit in the layer */
    for (int b = 0; b < p->n_qubits; b++) identity.direction[b] = identity.dual[b] = 1u << b;
    struct kl_vqc_layer *layer = kl_circuit_next_layer(layers, &identity);
    size_t n_layers = 1;
    bool moved = false;
    now = identity;
    for (size_t i = 0; i < p->n_ops; i++) {
        const struct kl_vqc_op *op = &p->ops[i];
        const int b = __builtin_ctz(op->target);
        if (op->gate == KL_VQC_X) {
            kl_circuit_move(&now, op);
            moved = true;
            continue;
        }
        if (moved) layer = kl_circuit_next_layer(&layers[n_layers++], &now);
        moved = false;
        turns[n_turns] =
            (struct kl_vqc_turn){ op->gate, op->slot, -1, layer->slot[b] < 0 ? -1 : last[b] };
        if (layer->slot[b] < 0) layer->slot[b] = n_turns;
        else turns[last[b]].next = n_turns;
        last[b] = n_turns++;
    }
    kl_circuit_next_layer(&layers[n_layers], &now);
    plan->turns = (struct kl_vqc_turns){ .n_qubits = p->n_qubits,
                                         .real = p->real,
                                         .n_layers = n_layers,
                                         .n_obs = p->n_obs,
                                         .layer = layers,
                                         .turn = turns,
                                         .obs = p->obs };
    return KL_OK;
}
