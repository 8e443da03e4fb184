/* SPDX-License-Identifier: MIT
   Private to lib/head/: expectation values from finitely many measurements (shots.c). */
#ifndef KL_HEAD_SHOTS_H
#define KL_HEAD_SHOTS_H

#include "head/head.h"

/* expval (n, n_obs of c): exact, becomes what shots->n measurements give for samples first .. first + n
   - 1 of shots->rows. p (n, 2^n_qubits): probabilities of the basis states. work: scratch. KL_ENOMEM. */
int kl_shots_sample(float *expval, const struct kl_circuit *c, const float *p, size_t first, size_t n,
                    const struct kl_shots *shots, struct kl_arena *work, struct kl_error *err);

#endif
