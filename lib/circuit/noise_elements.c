/* SPDX-License-Identifier: MIT
   A noisy circuit as rotations about Pauli strings, Clifford gates and channels: in the order of its
   gates, and in levels. Channels of one qubit by their Pauli transfer matrices; the parameters are
   PennyLane's. */
#include "circuit/noise.h"

#include <math.h>
#include <stdlib.h>

#include "circuit/lower_int.h"

/* c, and after it next */
static void channel_then(struct kl_channel *c, struct kl_channel next)
{
    c->x *= next.x;
    c->y *= next.y;
    c->z *= next.z;
    c->shift = next.z * c->shift + next.shift;
}

/* For the time of a gate: energy decays by T1 towards the equilibrium, coherence by T2. */
static struct kl_channel thermal(const struct kl_qubit_noise *q, double time)
{
    const double energy = exp(-time / q->t1), coherence = exp(-time / q->t2);
    return (struct kl_channel){ coherence, coherence, energy, (1 - energy) * (1 - 2 * q->excited) };
}

static void noise_stages(struct kl_channel stage[KL_NOISE_STAGES], const struct kl_noise *noise,
                         int qubit, bool on_several_wires)
{
    const struct kl_qubit_noise *q = &noise->qubit[noise->n_qubits ? qubit : 0];
    const int i = on_several_wires;
    const double kept = 1 - 4 * q->depolarizing[i] / 3, damped = 1 - q->amplitude_damping[i],
                 dephased = sqrt(1 - q->phase_damping[i]), flipped = 1 - 2 * q->bit_flip[i],
                 turned = 1 - 2 * q->phase_flip[i];
    stage[0] = (struct kl_channel){ kept, kept, kept, 0 };
    stage[1] = (struct kl_channel){ sqrt(damped), sqrt(damped), damped, 1 - damped };
    stage[2] = (struct kl_channel){ dephased, dephased, 1, 0 };
    stage[3] = (struct kl_channel){ 1, flipped, flipped, 0 };
    stage[4] = (struct kl_channel){ turned, turned, 1, 0 };
    stage[5] = q->gate_time[i] > 0 ? thermal(q, q->gate_time[i]) : (struct kl_channel){ 1, 1, 1, 0 };
}

struct kl_channel kl_circuit_noise_channel(const struct kl_noise *noise, int qubit,
                                           bool on_several_wires)
{
    struct kl_channel stage[KL_NOISE_STAGES], c = { 1, 1, 1, 0 };
    noise_stages(stage, noise, qubit, on_several_wires);
    for (int i = 0; i < KL_NOISE_STAGES; i++) channel_then(&c, stage[i]);
    return c;
}

/* ---- elements ----
   A noisy circuit as rotations about Pauli strings, Clifford gates and channels: in the order of its
   gates, and in levels. */

/* A list on its way. from: where the elements of the gate begin that is being put. adds: angles of one
   gate about the same string are added. Trajectories sign each by itself; and where the readout alone
   errs they are not, so that results under a key from before keep their last bits. */
struct listing {
    struct kl_elements *to;
    struct kl_circuit_plan *plan;
    const struct kl_circuit *c;
    size_t from;
    bool adds;
};

static void put(struct kl_elements *to, struct kl_element e)
{
    to->element[to->n++] = e;
}

/* The slot of an earlier rotation of this gate, about the same string, that one more angle can be added
   to; -1: there is none. */
static int slot_to_join(const struct listing *l, uint32_t x, uint32_t z)
{
    for (size_t i = l->to->n; l->adds && i-- > l->from;) {
        const struct kl_element *e = &l->to->element[i];
        if (e->kind != KL_ROTATION) return -1;
        if (e->string.x == x && e->string.z == z) return e->slot;
        if (__builtin_parity((e->string.x & z) ^ (e->string.z & x))) return -1; /* not past this one */
    }
    return -1;
}

static void put_rotation(const struct listing *l, uint32_t x, uint32_t z, struct kl_angle angle,
                         double factor)
{
    struct kl_circuit_plan *plan = l->plan;
    const size_t i = plan->n_angles++;
    const int joined = slot_to_join(l, x, z), slot = joined >= 0 ? joined : (int)plan->n_slots++;
    angle.scale *= factor;
    plan->angles[i] = angle;
    plan->slot[i] = slot;
    plan->controlled[i] = false; /* each angle is that of one exp(-i angle P/2) */
    if (joined < 0)
        put(l->to, (struct kl_element){ .kind = KL_ROTATION, .string = { x, z }, .slot = slot });
}

/* A controlled rotation about P is exp(-i angle/4 P) exp(i angle/4 Z P), Z on the control. */
static void put_controlled(const struct listing *l, const struct kl_op *op, uint32_t control, uint32_t x,
                           uint32_t z)
{
    put_rotation(l, x, z, op->angle[0], 0.5);
    put_rotation(l, x, z | control, op->angle[0], -0.5);
}

static void put_op(const struct listing *l, const struct kl_op *op)
{
    const uint32_t first = op->gate == KL_MULTIRZ ? 0 : kl_circuit_wire_bit(l->c, op->wire[0]),
                   second = op->gate >= KL_CNOT && op->gate <= KL_CRZ
                                ? kl_circuit_wire_bit(l->c, op->wire[1])
                                : 0;
    const struct kl_angle *angle = op->angle;
    switch (op->gate) {
    case KL_RX: put_rotation(l, first, 0, angle[0], 1); return;
    case KL_RY: put_rotation(l, first, first, angle[0], 1); return;
    case KL_RZ: put_rotation(l, 0, first, angle[0], 1); return;
    case KL_ROT:
        put_rotation(l, 0, first, angle[0], 1);
        put_rotation(l, first, first, angle[1], 1);
        put_rotation(l, 0, first, angle[2], 1);
        return;
    case KL_CRX: put_controlled(l, op, first, second, 0); return;
    case KL_CRY: put_controlled(l, op, first, second, second); return;
    case KL_CRZ: put_controlled(l, op, first, 0, second); return;
    case KL_MULTIRZ: put_rotation(l, 0, kl_circuit_wire_bits(l->c, op->mask), angle[0], 1); return;
    case KL_ID: return;
    default:
        put(l->to, (struct kl_element){
                       .kind = KL_CLIFFORD, .gate = op->gate, .first = first, .second = second });
    }
}

static void put_channel(struct kl_elements *to, uint32_t bit, struct kl_channel channel)
{
    if (channel.x == 1 && channel.y == 1 && channel.z == 1 && channel.shift == 0) return;
    put(to, (struct kl_element){ .kind = KL_CHANNEL, .first = bit, .channel = channel });
}

/* For trajectories: Pauli channels, those next to each other as one, and pure damping. A channel that
   relaxes, x = y, is damping by r towards one end and then a Pauli channel: the two ends that thermal
   relaxation has become one. */
static void put_stages(struct kl_elements *to, const struct kl_noise *noise, int qubit, bool several,
                       uint32_t bit)
{
    const struct kl_channel nothing = { 1, 1, 1, 0 };
    struct kl_channel stage[KL_NOISE_STAGES], pauli = nothing;
    noise_stages(stage, noise, qubit, several);
    for (int i = 0; i < KL_NOISE_STAGES; i++) {
        struct kl_channel c = stage[i];
        if (c.shift != 0) {
            const double moved = fabs(c.shift), r = moved / (moved + c.z), kept = sqrt(1 - r);
            put_channel(to, bit, pauli);
            put_channel(to, bit, (struct kl_channel){ kept, kept, 1 - r, c.shift > 0 ? r : -r });
            c = (struct kl_channel){ c.x / kept, c.y / kept, c.z + moved, 0 };
            pauli = nothing;
        }
        channel_then(&pauli, c);
    }
    put_channel(to, bit, pauli);
}

/* The channels of a gate, after the last of its ops. */
static void put_channels(struct kl_elements *to, const struct kl_circuit *c, uint32_t wires)
{
    const bool several = (wires & (wires - 1)) != 0;
    for (int q = 0; q < c->n_qubits; q++) {
        const uint32_t bit = kl_circuit_wire_bit(c, q);
        if (!(wires >> q & 1)) continue;
        if (c->trajectories) put_stages(to, c->noise, q, several, bit);
        else put_channel(to, bit, kl_circuit_noise_channel(c->noise, q, several));
    }
}

static uint32_t bits_of(const struct kl_element *e)
{
    return e->kind == KL_ROTATION ? e->string.x | e->string.z : e->first | e->second;
}

/* An element's level is the highest of its qubits'; a rotation that meets a qubit which has been acted
   on in this level begins the next one. */
static void find_levels(struct kl_elements *all, int n_qubits)
{
    int level[KL_MOST_NOISY_QUBITS] = { 0 };
    bool touched[KL_MOST_NOISY_QUBITS] = { false };
    all->n_levels = 1;
    for (size_t i = 0; i < all->n; i++) {
        struct kl_element *e = &all->element[i];
        const uint32_t bits = bits_of(e);
        int here = 0, next = 0;
        for (int q = 0; q < n_qubits; q++) {
            if (!(bits >> q & 1)) continue;
            const int least = level[q] + (e->kind == KL_ROTATION && touched[q]);
            here = least > here ? least : here;
        }
        for (int q = 0; q < n_qubits; q++)
            if (bits >> q & 1) level[q] = here, touched[q] = true;
        e->level = here;
        next = here + 1;
        all->n_levels = (size_t)next > all->n_levels ? (size_t)next : all->n_levels;
    }
}

/* Level by level, rotations first; else in the order there is. */
static int sort(struct kl_elements *all, struct kl_error *err)
{
    struct kl_element *sorted = malloc((all->n + 1) * sizeof *sorted);
    size_t *begin = calloc(2 * all->n_levels + 1, sizeof *begin);
    const int code = sorted && begin ? KL_OK : kl_fail_memory(err, (all->n + 1) * sizeof *sorted);
    for (size_t i = 0; !code && i < all->n; i++) {
        const struct kl_element *e = &all->element[i];
        begin[2 * (size_t)e->level + (e->kind != KL_ROTATION) + 1]++;
    }
    for (size_t k = 0; !code && k < 2 * all->n_levels; k++) begin[k + 1] += begin[k];
    for (size_t i = 0; !code && i < all->n; i++) {
        const struct kl_element *e = &all->element[i];
        sorted[begin[2 * (size_t)e->level + (e->kind != KL_ROTATION)]++] = *e;
    }
    free(begin);
    free(code ? sorted : all->element);
    if (!code) all->element = sorted;
    return code;
}

int kl_circuit_elements_list(struct kl_elements *all, struct kl_circuit_plan *plan,
                             const struct kl_circuit *c, struct kl_error *err)
{
    enum { CHANNELS = 5 }; /* of a wire: two that damp, and Pauli channels around them */
    const size_t angles = 3 * c->n_ops + 1; /* a Rot has three */
    size_t most = angles;
    for (size_t i = 0; i < c->n_ops; i++)
        most += CHANNELS * (size_t)__builtin_popcount(kl_circuit_op_wires(&c->ops[i]));
    *all = (struct kl_elements){ .element = malloc(most * sizeof *all->element) };
    plan->angles = kl_arena_take(&plan->memory, angles, sizeof *plan->angles);
    plan->slot = kl_arena_take(&plan->memory, angles, sizeof *plan->slot);
    plan->controlled = kl_arena_take(&plan->memory, angles, sizeof *plan->controlled);
    if (!all->element || !plan->angles || !plan->slot || !plan->controlled)
        return kl_fail_memory(err, most * sizeof *all->element);
    const bool adds = !c->trajectories && kl_circuit_noise_errs(c->noise, c->n_qubits);
    for (size_t i = 0, end; i < c->n_ops; i = end) {
        const struct listing l = { all, plan, c, all->n, adds };
        end = kl_circuit_gate_end(c->ops, c->n_ops, i);
        for (size_t k = i; k < end; k++) put_op(&l, &c->ops[k]);
        put_channels(all, c, kl_circuit_gate_wires(c->ops, i, end));
    }
    return KL_OK;
}

int kl_circuit_elements_make(struct kl_elements *all, struct kl_circuit_plan *plan,
                             const struct kl_circuit *c, struct kl_error *err)
{
    const int code = kl_circuit_elements_list(all, plan, c, err);
    if (code) return code;
    find_levels(all, c->n_qubits);
    return sort(all, err);
}
