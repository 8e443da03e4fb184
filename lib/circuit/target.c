/* SPDX-License-Identifier: MIT
   States to compare with, by their amplitudes: GHZ = (|0..0> + |1..1>) / sqrt 2, W = the sum of all
   states with one 1 / sqrt n, products of eigenstates of X, Y and Z. */
#include <math.h>

#include "circuit/circuit_int.h"

size_t kl_circuit_target_size(const struct kl_circuit *c, const struct kl_target *t)
{
    if (t->kind == KL_PRODUCT) return (size_t)1 << __builtin_popcount(t->axis.x);
    return t->kind == KL_GHZ ? 2 : (size_t)c->n_qubits;
}

/* (|0> +- |1>) / sqrt 2 where the axis is X, (|0> +- i|1>) / sqrt 2 where it is Y: over the parts of
   these wires that are 1, a power of i. */
static void product(struct kl_vqc_amplitude *a, const struct kl_circuit *c, const struct kl_target *t)
{
    static const double re[4] = { 1, 0, -1, 0 }, im[4] = { 0, 1, 0, -1 };
    const uint32_t free = kl_circuit_wire_bits(c, t->axis.x), minus = kl_circuit_wire_bits(c, t->minus),
                   turned = kl_circuit_wire_bits(c, t->axis.x & t->axis.z);
    const double size = pow(0.5, __builtin_popcount(free) / 2.0);
    uint32_t part = 0;
    do {
        const int power = (__builtin_popcount(part & turned) + 2 * __builtin_popcount(part & minus)) & 3;
        *a++ = (struct kl_vqc_amplitude){ (minus & ~free) | part, size * re[power], size * im[power] };
        part = (part - free) & free; /* the next larger part */
    } while (part);
}

void kl_circuit_target_amplitudes(struct kl_vqc_amplitude *a, const struct kl_circuit *c,
                                  const struct kl_target *t)
{
    const int n = c->n_qubits;
    if (t->kind == KL_PRODUCT) product(a, c, t);
    else if (t->kind == KL_GHZ)
        for (int i = 0; i < 2; i++)
            a[i] = (struct kl_vqc_amplitude){ i ? (1u << n) - 1 : 0, sqrt(0.5), 0 };
    else
        for (int i = 0; i < n; i++) a[i] = (struct kl_vqc_amplitude){ 1u << i, 1 / sqrt(n), 0 };
}
