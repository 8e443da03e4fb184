/* SPDX-License-Identifier: MIT
   A circuit lowered to the program of kernels/vqc.h; recognisers of the two forms that have faster
   programs. */
#include "circuit/circuit_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "circuit/lower_int.h"

static bool fits_layers(const struct kl_vqc_program *p)
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

/* A layer without rotations whose places are those of `before`. */
static struct kl_vqc_layer *next_layer(struct kl_vqc_layer *layer, const struct kl_vqc_layer *before)
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

/* Fills plan->layers, slot and n_slots if the program has that form. Returns 0 or KL_ENOMEM. */
static int kl_circuit_layers(struct kl_circuit_plan *plan, struct kl_error *err)
{
    const struct kl_vqc_program *p = &plan->program;
    if (!fits_layers(p)) return KL_OK;
    struct kl_vqc_layer identity = { 0 }, now,
                        *layers = kl_arena_take(&plan->memory, p->n_ops + 2, sizeof *layers);
    if (!layers) return kl_fail_memory(err, (p->n_ops + 2) * sizeof *layers);
    for (int b = 0; b < p->n_qubits; b++) identity.direction[b] = identity.dual[b] = 1u << b;
    struct kl_vqc_layer *layer = next_layer(layers, &identity);
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
        if (moved) layer = next_layer(&layers[n_layers++], &now);
        moved = false;
        int *slot = &layer->slot[__builtin_ctz(op->target)];
        if (*slot < 0) *slot = (int)plan->n_slots++;
        plan->slot[op->slot] = *slot;
    }
    next_layer(&layers[n_layers], &now);
    plan->layers = (struct kl_vqc_layers){
        .n_qubits = p->n_qubits, .n_layers = n_layers, .n_obs = p->n_obs, .layer = layers, .obs = p->obs
    };
    return KL_OK;
}

/* ---- turns ----
   Recognises circuits of rotations on single qubits, CNOT and X, observed by strings of Z
   (strongly-entangling, basic-entangler, efficient-su2). CNOT and X only move amplitudes, as in
   plan.c; the rotations of a qubit between two moves become one matrix. Where one state fills the
   lanes, all other gates and strings are taken as well: H and CZ as rotations by constants, up to a
   phase of the whole state; controlled rotations and MULTIRZ in layers of their own. */

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

static bool fits_turns(const struct kl_circuit_plan *plan, bool all_gates)
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
    b->layer = next_layer(&b->layers[b->n_layers++], &b->now);
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

/* The same for plan->turns (plan.c); all_gates: other gates and strings too, which wide_ kernels take.
 */
static int kl_circuit_rotations(struct kl_circuit_plan *plan, bool all_gates, struct kl_error *err)
{
    const struct kl_vqc_program *p = &plan->program;
    struct building b = { .plan = plan };
    if (!fits_turns(plan, all_gates)) return KL_OK;
    int code = take(&b, p->n_ops, err);
    if (code) return code;
    for (int q = 0; q < p->n_qubits; q++) b.now.direction[q] = b.now.dual[q] = 1u << q;
    open_layer(&b);
    b.turning = b.layer;
    b.diagonal = true;
    for (size_t i = 0; i < p->n_ops; i++) put(&b, &p->ops[i]);
    b.first_other[b.n_layers] = b.n_other;
    next_layer(&b.layers[b.n_layers], &b.now);
    bool real = p->real && !b.n_other;
    for (int i = 0; i < b.n_turns; i++) real &= b.turns[i].gate == KL_VQC_RY;
    plan->turns = (struct kl_vqc_rotations){ .n_qubits = p->n_qubits,
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

/* ---- A circuit lowered to the program of kernels/vqc.h ---- */

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
    if (!code && (wide || !real)) code = kl_circuit_rotations(p, wide, err);
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
