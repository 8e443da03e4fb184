/* SPDX-License-Identifier: MIT
   Recognises circuits of rotations on single qubits, CNOT and X, observed by strings of Z
   (strongly-entangling, basic-entangler, efficient-su2). CNOT and X only move amplitudes, as in
   layers.c; the rotations of a qubit between two moves become one matrix. Where one state fills the
   lanes, all other gates and strings are taken as well: H and CZ as rotations by constants, up to a
   phase of the whole state; controlled rotations and MULTIRZ in layers of their own. */
#include "circuit/circuit_int.h"

#include <math.h>
#include <string.h>

struct building {
    struct kl_circuit_plan *plan;
    struct kl_vqc_layer *layers, *layer, *turning, now; /* turning: the last layer of turns */
    struct kl_vqc_turn *turns;
    struct kl_vqc_op *other;
    size_t *first_other, n_layers, n_other;
    int n_turns, last[KL_VQC_MOST_QUBITS]; /* last turn of each bit in the layer */
    bool closed;                           /* the next rotation needs a new layer */
    bool diagonal; /* but RZ does not: since the last layer of turns there were only strings of Z */
};

static bool is_turn(const struct kl_vqc_op *op)
{
    return op->gate <= KL_VQC_RZ && !op->control;
}

/* MULTIRZ and rotations under a control. */
static bool is_other(const struct kl_vqc_op *op)
{
    return op->gate == KL_VQC_MULTIRZ || (op->gate <= KL_VQC_RZ && op->control);
}

/* Probabilities of a circuit without inputs, of which there is one state and not a batch of them side by
   side, have the form where that fills the lanes. */
static bool is_alone(const struct kl_circuit_plan *plan)
{
    for (size_t i = 0; i < plan->n_angles; i++)
        if (plan->angles[i].source == KL_INPUT) return false;
    return !plan->trajectory;
}

static bool fits(const struct kl_circuit_plan *plan, bool all_gates)
{
    const struct kl_vqc_program *p = &plan->program;
    if (p->from_given || p->n_targets) return false;
    if (p->probabilities && !(all_gates && is_alone(plan))) return false;
    for (size_t i = 0; i < p->n_obs && !all_gates; i++)
        if (p->obs[i].x) return false;
    for (size_t i = 0; i < p->n_ops; i++) {
        const struct kl_vqc_op *op = &p->ops[i];
        const bool constant = op->gate == KL_VQC_H || op->gate == KL_VQC_CZ;
        if (is_turn(op) || op->gate == KL_VQC_X) continue;
        if (!all_gates || !(is_other(op) || (constant && !plan->trajectory))) return false;
    }
    return true;
}

static void open_layer(struct building *b)
{
    b->first_other[b->n_layers] = b->n_other;
    b->layer = kl_circuit_next_layer(&b->layers[b->n_layers++], &b->now);
    b->closed = false;
}

static void put_turn(struct building *b, enum kl_vqc_gate gate, int bit, int slot)
{
    if (b->closed && !(b->diagonal && gate == KL_VQC_RZ)) {
        open_layer(b);
        b->turning = b->layer;
        b->diagonal = true;
    }
    int *first = &b->turning->slot[bit];
    b->turns[b->n_turns] = (struct kl_vqc_turn){ gate, slot, -1, *first < 0 ? -1 : b->last[bit] };
    if (*first < 0) *first = b->n_turns;
    else b->turns[b->last[bit]].next = b->n_turns;
    b->last[bit] = b->n_turns++;
}

static bool same_places(const struct kl_vqc_layer *a, const struct kl_vqc_layer *b)
{
    return a->origin == b->origin && memcmp(a->dual, b->dual, sizeof a->dual) == 0;
}

/* Is layer l one of strings, on the places of now? */
static bool takes_string(const struct building *b, size_t l)
{
    const size_t first = b->first_other[l],
                 end = l + 1 < b->n_layers ? b->first_other[l + 1] : b->n_other;
    return end > first && b->other[first].gate == KL_VQC_MULTIRZ && same_places(&b->layers[l], &b->now);
}

/* Strings share a layer where nothing stands between them, or only turns of other qubits. */
static void put_other(struct building *b, const struct kl_vqc_op *op)
{
    const bool string = op->gate == KL_VQC_MULTIRZ;
    bool free = !b->closed && b->n_layers > 1;
    for (uint32_t bits = op->target; bits; bits &= bits - 1)
        free &= b->turning->slot[__builtin_ctz(bits)] < 0;
    if (string && free && takes_string(b, b->n_layers - 2)) {
        b->other[b->n_other++] = *op;
        b->first_other[b->n_layers - 1]++;
        return;
    }
    if (!(string && b->closed && takes_string(b, b->n_layers - 1))) open_layer(b);
    b->diagonal &= string;
    b->other[b->n_other++] = *op;
    b->closed = true;
}

/* A slot of a constant angle; lowering left room for three a gate. */
static int constant(struct kl_circuit_plan *plan, double angle)
{
    const int slot = (int)plan->n_slots++;
    plan->slot[plan->n_angles] = slot;
    plan->controlled[plan->n_angles] = false;
    plan->angles[plan->n_angles++] = (struct kl_angle){ KL_CONSTANT, 0, -1, angle, 0 };
    return slot;
}

/* H = i RY(pi/2) RZ(pi); CZ = exp(i pi/4) RZ(pi/2) RZ(pi/2) RZZ(-pi/2) */
static void put_constant(struct building *b, const struct kl_vqc_op *op)
{
    const int bit = __builtin_ctz(op->target), other = 31 - __builtin_clz(op->target);
    if (op->gate == KL_VQC_H) {
        put_turn(b, KL_VQC_RZ, bit, constant(b->plan, M_PI));
        put_turn(b, KL_VQC_RY, bit, constant(b->plan, M_PI / 2));
        return;
    }
    put_other(b, &(struct kl_vqc_op){ KL_VQC_MULTIRZ, op->target, 0, constant(b->plan, -M_PI / 2) });
    put_turn(b, KL_VQC_RZ, bit, constant(b->plan, M_PI / 2));
    put_turn(b, KL_VQC_RZ, other, constant(b->plan, M_PI / 2));
}

static void put(struct building *b, const struct kl_vqc_op *op)
{
    if (op->gate == KL_VQC_X) {
        kl_circuit_move(&b->now, op);
        b->closed = true;
        b->diagonal = false;
    } else if (is_turn(op)) {
        put_turn(b, op->gate, __builtin_ctz(op->target), op->slot);
    } else if (is_other(op)) {
        put_other(b, op);
    } else {
        put_constant(b, op);
    }
}

static int take(struct building *b, size_t n_ops, struct kl_error *err)
{
    const size_t most = 3 * n_ops + 2; /* a CZ is two turns and a layer of its own */
    struct kl_arena *memory = &b->plan->memory;
    b->layers = kl_arena_take(memory, most, sizeof *b->layers);
    b->turns = kl_arena_take(memory, most, sizeof *b->turns);
    b->other = kl_arena_take(memory, n_ops + 1, sizeof *b->other);
    b->first_other = kl_arena_take(memory, most + 1, sizeof *b->first_other);
    if (b->layers && b->turns && b->other && b->first_other) return KL_OK;
    return kl_fail_memory(err, most * (sizeof *b->layers + sizeof *b->turns));
}

int kl_circuit_turns(struct kl_circuit_plan *plan, bool all_gates, struct kl_error *err)
{
    const struct kl_vqc_program *p = &plan->program;
    struct building b = { .plan = plan };
    if (!fits(plan, all_gates)) return KL_OK;
    int code = take(&b, p->n_ops, err);
    if (code) return code;
    for (int q = 0; q < p->n_qubits; q++) b.now.direction[q] = b.now.dual[q] = 1u << q;
    open_layer(&b);
    b.turning = b.layer;
    b.diagonal = true;
    for (size_t i = 0; i < p->n_ops; i++) put(&b, &p->ops[i]);
    b.first_other[b.n_layers] = b.n_other;
    kl_circuit_next_layer(&b.layers[b.n_layers], &b.now);
    bool real = p->real && !b.n_other;
    for (int i = 0; i < b.n_turns; i++) real &= b.turns[i].gate == KL_VQC_RY;
    plan->turns = (struct kl_vqc_turns){ .n_qubits = p->n_qubits,
                                         .real = real,
                                         .probabilities = p->probabilities,
                                         .n_layers = b.n_layers,
                                         .n_obs = p->n_obs,
                                         .layer = b.layers,
                                         .turn = b.turns,
                                         .obs = p->obs,
                                         .other = b.other,
                                         .first_other = b.n_other ? b.first_other : NULL };
    return KL_OK;
}
