/* SPDX-License-Identifier: MIT
   What a circuit's outputs are in one of its weights (frequency.c). */
#ifndef KL_CIRCUIT_FREQUENCY_H
#define KL_CIRCUIT_FREQUENCY_H

#include "circuit/circuit.h"

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
