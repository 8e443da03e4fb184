/* SPDX-License-Identifier: MIT
   Pauli strings under rotations, Clifford gates and readout. A string (x, z) is i^|x & z| X^x Z^z. */
#include <math.h>

#include "circuit/lower_int.h"

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
