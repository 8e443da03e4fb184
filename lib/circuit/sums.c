/* SPDX-License-Identifier: MIT
   Outputs that are sums of readings. */
#include "circuit/circuit_int.h"

#include "kernels/inline/real.h"

void kl_circuit_sum_readings(kl_real *out, const kl_real *readings, const struct kl_circuit *c, size_t n)
{
    const size_t n_readings = c->n_strings + c->n_targets;
    for (size_t i = 0; i < n; i++, readings += n_readings)
        for (size_t o = 0, t = 0; o < c->n_obs; o++) {
            kl_real sum = 0;
            for (; t < c->end[o]; t++)
                sum += (kl_real)c->terms[t].weight * readings[kl_circuit_term_reading(c, &c->terms[t])];
            out[i * c->n_obs + o] = sum;
        }
}
