/* SPDX-License-Identifier: MIT
   Private to lib/circuit/: the text of observables. */
#ifndef KL_OBSERVABLES_INT_H
#define KL_OBSERVABLES_INT_H

#include "circuit/circuit.h"

/* A term of a sum: "+0.5*ZZII"; string points into the text. */
struct kl_summand {
    double weight;
    const char *string;
    size_t length;
};
/* The summand at text: its bytes; 0: there is none, and without a string its number is none. Of
   canonical text: there is one up to the end. */
size_t kl_circuit_summand_take(struct kl_summand *s, const char *text);

#endif
