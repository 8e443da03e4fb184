/* SPDX-License-Identifier: MIT
   Channels of one qubit by their Pauli transfer matrices; the parameters are PennyLane's. */
#include <math.h>

#include "circuit/noise.h"

void kl_circuit_channel_then(struct kl_channel *c, struct kl_channel next)
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

void kl_circuit_noise_stages(struct kl_channel stage[KL_NOISE_STAGES], const struct kl_noise *noise,
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
    kl_circuit_noise_stages(stage, noise, qubit, on_several_wires);
    for (int i = 0; i < KL_NOISE_STAGES; i++) kl_circuit_channel_then(&c, stage[i]);
    return c;
}
