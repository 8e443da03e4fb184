/* SPDX-License-Identifier: MIT
   A circuit lowered to the kernels' program: one slot an angle, wires as bits of the amplitude's number. */
#ifndef KL_CIRCUIT_INT_H
#define KL_CIRCUIT_INT_H

#include "circuit/circuit.h"
#include "kernels/vqc.h"

enum {
    KL_MOST_KEPT_QUBITS = 12, /* above, the adjoint sweep runs the circuit again instead of keeping a batch of states */
    KL_WIDEST = 16,           /* lanes of any instruction set and precision, at most */
};

/* program->ops and ->obs and *angles (n_slots of the circuit's angles) are taken from work. Returns 0 or KL_ENOMEM. */
int kl_circuit_lower(struct kl_vqc_program *program, const struct kl_angle **angles, const struct kl_circuit *c,
                     struct kl_arena *work, struct kl_error *err);

#endif
