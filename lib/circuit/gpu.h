/* SPDX-License-Identifier: MIT
   A circuit as kernels/cuda.h wants it. */
#ifndef KL_CIRCUIT_CUDA_H
#define KL_CIRCUIT_CUDA_H

#include "circuit/circuit.h"
#include "kernels/cuda.h"

/* Its arrays lie in memory. KL_EUSAGE: noise, which a GPU does not do, or too many amplitudes of
   fidelities. KL_ENOMEM. */
int kl_circuit_for_cuda(struct kl_cuda_circuit *to, const struct kl_circuit *c, struct kl_arena *memory,
                        struct kl_error *err);

#endif
