/* SPDX-License-Identifier: MIT
   Channels of one qubit by their Pauli transfer matrices; the parameters are PennyLane's. */
#include <math.h>

#include "circuit/noise.h"

static void then(struct kl_channel *c, struct kl_channel next)
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

struct kl_channel kl_noise_channel(const struct kl_noise *noise, int qubit, bool on_several_wires)
{
    const struct kl_qubit_noise *q = &noise->qubit[noise->n_qubits ? qubit : 0];
    const int i = on_several_wires;
    struct kl_channel c = { 1, 1, 1, 0 };
    const double kept = 1 - 4 * q->depolarizing[i] / 3, damped = 1 - q->amplitude_damping[i],
                 dephased = sqrt(1 - q->phase_damping[i]), flipped = 1 - 2 * q->bit_flip[i],
                 turned = 1 - 2 * q->phase_flip[i];
    then(&c, (struct kl_channel){ kept, kept, kept, 0 });
    then(&c, (struct kl_channel){ sqrt(damped), sqrt(damped), damped, 1 - damped });
    then(&c, (struct kl_channel){ dephased, dephased, 1, 0 });
    then(&c, (struct kl_channel){ 1, flipped, flipped, 0 });
    then(&c, (struct kl_channel){ turned, turned, 1, 0 });
    if (q->gate_time[i] > 0) then(&c, thermal(q, q->gate_time[i]));
    return c;
}
