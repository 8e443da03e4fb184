/* SPDX-License-Identifier: MIT
   What a circuit is: counts, expressibility, frequencies of its outputs. */
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

/* ---- What a circuit's outputs are in one of its weights (statistics.c) ---- */
enum { KL_MOST_DEGREE = 32 };

/* Every output is a trigonometric polynomial in a weight w: a constant and cosines and sines of d * unit
   * w, d = 1 .. degree (Wierichs et al. 2022, arXiv:2107.12390), so that 2 degree + 1 evaluations say
   all of it. A rotation has degree 1, a controlled one 2 of half the unit; degree 0: the weight enters
   no gate. */
struct kl_frequency {
    double unit;
    size_t degree;
};
/* Of every weight. KL_EUSAGE: its gates take it in multiples without a common measure, or in more than
   KL_MOST_DEGREE units. */
int kl_circuit_frequencies(struct kl_frequency *f, const struct kl_circuit *c, struct kl_error *err);

#endif
