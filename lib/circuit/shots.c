/* SPDX-License-Identifier: MIT
   Measurements of a circuit. How they fall on the basis states is drawn qubit by qubit: of those that
   share the first bits, a binomial number has a 0 next, whose probability the exact ones give. */
#include "circuit/estimate.h"

#include <math.h>

#include "circuit/circuit_int.h"
#include "circuit/noise.h"
#include "kernels/inline/philox.h"
#include "kernels/inline/real.h"

/* A tree of sums and one of counts: node 1 is the root, 2k and 2k + 1 follow k, leaves from n_states. */
struct tree {
    double *sum;
    uint32_t *count;
    size_t n_states;
};

static void begin_setting(struct kl_coins *coins, uint32_t setting)
{
    coins->setting = setting;
    coins->block = 0;
    coins->left = 0;
}

/* Rounding may make a probability negative, and the sum of all other than 1. */
static void add_up(struct tree *t, const kl_real *p)
{
    for (size_t k = 0; k < t->n_states; k++) t->sum[t->n_states + k] = p[k] < 0 ? 0 : (double)p[k];
    for (size_t k = t->n_states; k-- > 1;) t->sum[k] = t->sum[2 * k] + t->sum[2 * k + 1];
}

static void measure(struct tree *t, size_t shots, struct kl_coins *coins)
{
    t->count[1] = (uint32_t)shots;
    for (size_t k = 1; k < t->n_states; k++) {
        const uint32_t n = t->count[k],
                       zeros = n ? kl_circuit_binomial(coins, n, t->sum[2 * k] / t->sum[k]) : 0;
        t->count[2 * k] = zeros;
        t->count[2 * k + 1] = n - zeros;
    }
}

/* The sum of (-1)^parity of the measured bits on the wires of z. */
static double sum_of_signs(const double *counts, const struct kl_circuit *c, uint32_t z)
{
    const uint32_t bits = kl_circuit_wire_bits(c, z);
    double sum = 0;
    for (uint32_t k = 0; k < 1u << c->n_qubits; k++)
        sum += __builtin_parity(k & bits) ? -counts[k] : counts[k];
    return sum;
}

/* A string that is not of Z alone has a measurement of its own: its sign is + with (1 + mean) / 2. */
static double mean_alone(double exact, const struct kl_circuit *c, struct kl_pauli string,
                         uint32_t setting, const struct kl_shots *shots, struct kl_coins *coins)
{
    begin_setting(coins, setting);
    const uint32_t plus = kl_circuit_binomial(coins, (uint32_t)shots->n, (1 + exact) / 2);
    const double mean = 2 * (double)plus / (double)shots->n - 1;
    return shots->undo_readout ? kl_circuit_readout_mean(mean, c, string) : mean;
}

/* A fidelity is how often one outcome comes: with a basis state, of the common measurements. */
static double fidelity(const double *counts, const struct kl_circuit *c, const struct kl_target *t,
                       double exact, uint32_t setting, const struct kl_shots *shots,
                       struct kl_coins *coins)
{
    if (t->kind == KL_PRODUCT && !t->axis.x)
        return counts[kl_circuit_wire_bits(c, t->minus)] / (double)shots->n;
    begin_setting(coins, setting);
    return kl_circuit_binomial(coins, (uint32_t)shots->n, exact) / (double)shots->n;
}

/* Counts as doubles, which hold them exactly, in place of the leaves of the sums: where readout errors
   are taken back they are no whole numbers. */
static void outputs(kl_real *out, const struct kl_circuit *c, const struct tree *t,
                    const struct kl_shots *shots, struct kl_coins *coins)
{
    double *counts = t->sum + t->n_states;
    for (size_t k = 0; k < t->n_states; k++) counts[k] = t->count[t->n_states + k];
    if (shots->undo_readout) kl_circuit_readout_undo(counts, c);
    for (size_t o = 0; o < c->n_obs; o++) {
        const uint32_t setting = (uint32_t)o + 1;
        double mean;
        if (c->probabilities) mean = counts[o] / (double)shots->n;
        else if (o >= c->n_strings)
            mean = fidelity(counts, c, &c->targets[o - c->n_strings], (double)out[o], setting, shots,
                            coins);
        else if (!c->strings[o].x) mean = sum_of_signs(counts, c, c->strings[o].z) / (double)shots->n;
        else mean = mean_alone((double)out[o], c, c->strings[o], setting, shots, coins);
        out[o] = (kl_real)mean;
    }
}

void kl_circuit_shots_sample(kl_real *out, double *scratch, const struct kl_circuit *c, const kl_real *p,
                             size_t first, size_t n, uint32_t evaluation, const struct kl_shots *shots)
{
    const size_t n_states = (size_t)1 << c->n_qubits;
    struct tree t = { scratch, (uint32_t *)(scratch + 2 * n_states), n_states };
    for (size_t i = 0; i < n && !kl_circuit_stopped(c); i++) {
        struct kl_coins coins = { .key = kl_circuit_shots_key(shots, shots->purpose, first + i),
                                  .evaluation = evaluation };
        kl_real *row = out + i * c->n_obs;
        add_up(&t, p + i * n_states);
        if (isnan(t.sum[1])) {
            for (size_t o = 0; o < c->n_obs; o++) row[o] = (kl_real)NAN;
            continue;
        }
        begin_setting(&coins, 0);
        measure(&t, shots->n, &coins);
        outputs(row, c, &t, shots, &coins);
    }
}
