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
/* The summand at *text, which moves behind it. KL_EUSAGE. */
int kl_summand_read(struct kl_summand *s, const char **text, struct kl_error *err);

#endif
