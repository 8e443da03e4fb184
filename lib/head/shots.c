/* SPDX-License-Identifier: MIT
   Measurements of the circuit, drawn from its exact probabilities. */
#include "head/shots.h"

#include <string.h>

#include "kernels/inline/philox.h"

/* Random numbers of one sample and one setting of the measurement, one after another. */
struct draws {
    const struct kl_shots *shots;
    uint32_t row, purpose, word[4];
    size_t n;
};

static double draw(struct draws *d)
{
    if (d->n % 4 == 0)
        kl_philox(d->word, d->shots->seed, d->row, d->purpose, (uint32_t)(d->n / 4), d->shots->replica);
    return kl_philox_unit(d->word[d->n++ % 4]);
}

/* counts[k] of the measurements found basis state k. sums: scratch; rounding may make a probability
   negative, and the sum of all other than 1. */
static void measure(uint32_t *counts, double *sums, const float *p, size_t n_states, struct draws *d)
{
    double total = 0;
    for (size_t k = 0; k < n_states; k++) sums[k] = total += p[k] > 0 ? (double)p[k] : 0;
    memset(counts, 0, n_states * sizeof *counts);
    for (size_t i = 0; i < d->shots->n; i++) {
        const double at = draw(d) * total;
        size_t low = 0, high = n_states - 1; /* the first state whose sum is above `at` */
        while (low < high) {
            const size_t middle = (low + high) / 2;
            if (sums[middle] > at) high = middle;
            else low = middle + 1;
        }
        counts[low]++;
    }
}

/* The mean of (-1)^parity of the measured bits on the wires of z. */
static double mean_sign(const uint32_t *counts, const struct kl_circuit *c, uint32_t z, size_t shots)
{
    const int n = c->n_qubits;
    uint32_t bits = 0;
    int64_t sum = 0;
    for (int q = 0; q < n; q++) bits |= (z >> q & 1) << (n - 1 - q);
    for (uint32_t k = 0; k < 1u << n; k++)
        sum += __builtin_parity(k & bits) ? -(int64_t)counts[k] : (int64_t)counts[k];
    return (double)sum / (double)shots;
}

/* A string that is not of Z alone has a measurement of its own: its sign is + with (1 + mean) / 2. */
static double mean_alone(double exact, struct draws *d)
{
    size_t plus = 0;
    for (size_t i = 0; i < d->shots->n; i++) plus += draw(d) < (1 + exact) / 2;
    return 2 * (double)plus / (double)d->shots->n - 1;
}

int kl_shots_sample(float *expval, const struct kl_circuit *c, const float *p, size_t first, size_t n,
                    const struct kl_shots *shots, struct kl_arena *work, struct kl_error *err)
{
    const size_t n_states = (size_t)1 << c->n_qubits;
    uint32_t *counts = kl_arena_take(work, n_states, sizeof *counts);
    double *sums = kl_arena_take(work, n_states, sizeof *sums);
    if (!counts || !sums) return kl_fail_memory(err, n_states * sizeof *sums);
    for (size_t i = 0; i < n; i++) {
        struct draws d = { shots, (uint32_t)shots->rows[first + i], KL_RANDOM_SHOTS, { 0 }, 0 };
        float *out = expval + i * c->n_obs;
        measure(counts, sums, p + i * n_states, n_states, &d);
        for (size_t o = 0; o < c->n_obs; o++) {
            d.n = 0;
            d.purpose = KL_RANDOM_SHOTS + 256 * (uint32_t)(o + 1);
            if (c->probabilities) out[o] = (float)((double)counts[o] / (double)shots->n);
            else if (!c->obs[o].x) out[o] = (float)mean_sign(counts, c, c->obs[o].z, shots->n);
            else out[o] = (float)mean_alone((double)out[o], &d);
        }
    }
    return KL_OK;
}
