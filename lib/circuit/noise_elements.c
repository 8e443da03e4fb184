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

/* ---- Pauli strings ----
   Pauli strings under rotations, Clifford gates and readout. A string (x, z) is i^|x & z| X^x Z^z. */

static int parity(uint32_t bits)
{
    return __builtin_parity(bits);
}

/* U P U^dagger at an angle of pi/2 is -i Q P, if Q and P do not commute. */
static int rotated(struct kl_string *p, struct kl_string q)
{
    if (!(parity(q.x & p->z) ^ parity(q.z & p->x))) return 0;
    const struct kl_string r = { q.x ^ p->x, q.z ^ p->z };
    const int power = 3 + __builtin_popcount(q.x & q.z) + __builtin_popcount(p->x & p->z) -
                      __builtin_popcount(r.x & r.z) + 2 * __builtin_popcount(q.z & p->x);
    *p = r;
    return power & 2 ? -1 : 1; /* the power of i, which is even */
}

static bool has(uint32_t mask, uint32_t bit)
{
    return (mask & bit) != 0;
}

/* Aaronson & Gottesman 2004, arXiv:quant-ph/0406196. */
static int conjugated(struct kl_string *p, const struct kl_element *e)
{
    const uint32_t a = e->first, b = e->second;
    const bool xa = has(p->x, a), za = has(p->z, a), xb = has(p->x, b), zb = has(p->z, b);
    switch (e->gate) {
    case KL_H:
        p->x = (p->x & ~a) | (za ? a : 0);
        p->z = (p->z & ~a) | (xa ? a : 0);
        return xa && za ? -1 : 1;
    case KL_X: return za ? -1 : 1;
    case KL_CNOT:
        p->x ^= xa ? b : 0;
        p->z ^= zb ? a : 0;
        return xa && zb && xb == za ? -1 : 1;
    default: /* KL_CZ */ p->z ^= (xb ? a : 0) | (xa ? b : 0); return xa && xb && za != zb ? -1 : 1;
    }
}

int kl_circuit_element_acts(struct kl_string *string, const struct kl_element *e)
{
    if (e->kind == KL_ROTATION) return rotated(string, e->string);
    return e->kind == KL_CLIFFORD ? conjugated(string, e) : 1;
}

double kl_circuit_channel_factor(const struct kl_element *e, struct kl_string p)
{
    if (e->kind != KL_CHANNEL) return 1;
    const bool x = has(p.x, e->first), z = has(p.z, e->first);
    return x && z ? e->channel.y : x ? e->channel.x : z ? e->channel.z : 1;
}

/* weight times the sum over the parts s of the wires in `support`: the product of z over s and of one
   over the others. Wires whose `one` is 0 are in all parts. */
struct sum {
    double weight;
    const double *one, *z; /* by bit */
    void (*add)(void *, struct kl_string, double);
    void *context;
};

static void expand(const struct sum *sum, struct kl_string p, uint32_t support)
{
    uint32_t loose = 0;
    for (int b = 0; b < KL_MAX_QUBITS; b++)
        if (support >> b & 1 && sum->one[b] != 0) loose |= 1u << b;
    for (uint32_t left = loose;; left = (left - 1) & loose) {
        const uint32_t part = (support & ~loose) | left;
        double weight = sum->weight;
        for (int b = 0; b < KL_MAX_QUBITS; b++)
            if (support >> b & 1) weight *= part >> b & 1 ? sum->z[b] : sum->one[b];
        if (weight != 0) sum->add(sum->context, (struct kl_string){ p.x & part, p.z & part }, weight);
        if (!left) return;
    }
}

/* The chance of reading the bits of `state`, qubits being turned to the axes of p first: a bit's is (1
   +- its mean) / 2. */
static void expand_outcome(const struct sum *sum, struct kl_string p, uint32_t state, int n_qubits)
{
    double one[KL_MAX_QUBITS], z[KL_MAX_QUBITS];
    const struct sum halves = { sum->weight, one, z, sum->add, sum->context };
    for (int b = 0; b < n_qubits; b++) {
        const double sign = state >> b & 1 ? -1 : 1;
        one[b] = (1 + sign * sum->one[b]) / 2;
        z[b] = sign * sum->z[b] / 2;
    }
    expand(&halves, p, (1u << n_qubits) - 1);
}

/* <phi| P |phi> / 2^n on every string P; amplitudes are real. */
static void expand_state(const struct sum *sum, const struct kl_circuit *c, const struct kl_target *t)
{
    struct kl_vqc_amplitude a[KL_MOST_NOISY_QUBITS + 2];
    const size_t n = kl_circuit_target_size(c, t), strings = (size_t)1 << 2 * c->n_qubits;
    kl_circuit_target_amplitudes(a, c, t);
    for (size_t k = 0; k < strings; k++) {
        const struct kl_string p = { (uint32_t)(k >> c->n_qubits),
                                     (uint32_t)k & ((1u << c->n_qubits) - 1) };
        double mean = 0;
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                if ((a[i].number ^ a[j].number) == p.x)
                    mean += parity(a[i].number & p.z) ? -a[i].re * a[j].re : a[i].re * a[j].re;
        if (parity(p.x & p.z) || mean == 0) continue; /* an odd number of Y has mean 0 in real states */
        if (__builtin_popcount(p.x & p.z) & 2) mean = -mean;
        sum->add(sum->context, p, sum->weight * ldexp(mean, -c->n_qubits));
    }
}

static void expand_target(const struct sum *sum, const struct kl_circuit *c, const struct kl_target *t)
{
    const struct kl_string axis = { kl_circuit_wire_bits(c, t->axis.x),
                                    kl_circuit_wire_bits(c, t->axis.z) };
    if (t->kind != KL_PRODUCT) expand_state(sum, c, t);
    else expand_outcome(sum, axis, kl_circuit_wire_bits(c, t->minus), c->n_qubits);
}

/* A qubit's readout is +1 for 0 and -1 for 1. Read with errors e0 in state 0 and e1 in state 1 its mean
   is that of (e1 - e0) + (1 - e0 - e1) Z; X and Y are turned to Z before they are read. */
void kl_circuit_output_terms(const struct kl_circuit *c, size_t output,
                             void (*add)(void *, struct kl_string, double), void *context)
{
    double one[KL_MAX_QUBITS] = { 0 }, z[KL_MAX_QUBITS] = { 0 };
    struct sum sum = { 1, one, z, add, context };
    for (int q = 0; q < c->n_qubits; q++) {
        const double *error = c->noise->qubit[c->noise->n_qubits ? q : 0].readout;
        const int b = __builtin_ctz(kl_circuit_wire_bit(c, q));
        one[b] = error[1] - error[0];
        z[b] = 1 - error[0] - error[1];
    }
    if (c->probabilities) {
        const struct kl_string all = { 0, (1u << c->n_qubits) - 1 };
        expand_outcome(&sum, all, (uint32_t)output, c->n_qubits);
        return;
    }
    for (size_t t = output ? c->end[output - 1] : 0; t < c->end[output]; t++) {
        const struct kl_term *term = &c->terms[t];
        sum.weight = term->weight;
        if (term->string < 0) {
            expand_target(&sum, c, &c->targets[term->target]);
            continue;
        }
        const struct kl_pauli *s = &c->strings[term->string];
        const struct kl_string p = { kl_circuit_wire_bits(c, s->x), kl_circuit_wire_bits(c, s->z) };
        expand(&sum, p, p.x | p.z);
    }
}
