/* SPDX-License-Identifier: MIT
   What a circuit is, in numbers (statistics.c). */
#ifndef KL_CIRCUIT_STATISTICS_H
#define KL_CIRCUIT_STATISTICS_H

#include "circuit/circuit.h"

struct kl_circuit_counts {
    int depth;                /* gates on the longest way from wire to wire */
    size_t gates, wide_gates; /* wide: on two wires or more */
};
void kl_circuit_count(struct kl_circuit_counts *counts, const struct kl_circuit *c);

/* Of the circuit with its inputs 0 and n random weights (or pairs of them), uniform in [0, 2 pi) (Sim,
   Johnson & Aspuru-Guzik 2019, arXiv:1905.10876). Expressibility: Kullback-Leibler divergence, in nats,
   of the fidelities of n pairs in 75 bins from those of Haar-random states; 0 is best; at most 12
   qubits. Entanglement: mean of Meyer and Wallach's measure (quant-ph/0108104), from 0, product states,
   to 1. KL_EUSAGE, KL_ENOMEM. */
int kl_circuit_expressibility(double *result, const struct kl_circuit *c, size_t n, uint64_t seed,
                              struct kl_pool *pool, struct kl_error *err);
int kl_circuit_entanglement(double *result, const struct kl_circuit *c, size_t n, uint64_t seed,
                            struct kl_pool *pool, struct kl_error *err);

#endif
