/* SPDX-License-Identifier: MIT
   A circuit on its way to the GPU: the gates between two moves of amplitudes (gpu_lower.c), then passes
   over a state whose qubits change places (gpu_passes.c). */
#ifndef KL_CIRCUIT_CUDA_INT_H
#define KL_CIRCUIT_CUDA_INT_H

#include "circuit/circuit_int.h"
#include "circuit/gpu.h"

/* `before`: what CNOT does before it, dual[b] & places of the stage before it has the parity of bit b
   here. Bits are those of struct kl_vqc_op. */
struct kl_circuit_gpu_stage {
    enum kl_cuda_pass_kind kind;
    struct kl_vqc_layer before;
    bool moves;                     /* before is not the identity */
    int matrix[KL_VQC_MOST_QUBITS]; /* of turns, by bit, -1: none; else matrix[0] */
    int target;                     /* bit that a controlled rotation turns */
    uint32_t mask, value;
    uint32_t touched; /* bits of all its gates */
};
struct kl_circuit_gpu_stages {
    size_t n;
    struct kl_circuit_gpu_stage *stage; /* the first one is of KL_CUDA_TURNS or KL_CUDA_GIVEN */
    struct kl_vqc_layer after;          /* CNOT behind the last one */
    bool moves_after;                   /* it is not the identity */
    uint32_t flips;                     /* and X: these bits are the other way round */
    struct kl_cuda_angle *angles;
    struct kl_cuda_turn *turns;
    struct kl_cuda_matrix *matrices;
    int n_slots, n_turns, n_matrices, n_varying;
};

/* Which bit of an amplitude's number a qubit's is, and what CNOT does that is not done yet: from these
   bits, taken as those of struct kl_vqc_op, to what gates mean now. */
struct kl_frame {
    int at[KL_VQC_MOST_QUBITS];
    struct kl_vqc_layer moves;
};
/* The bits of a number that stand for those of a mask, moves apart; and those of which the parity is
   that of a mask of what gates mean now. */
uint32_t kl_circuit_frame_bits(const struct kl_frame *f, uint32_t mask);
uint32_t kl_circuit_frame_parity(const struct kl_frame *f, uint32_t mask);
/* The exclusive or of columns over bits. */
uint32_t kl_circuit_sum_columns(const uint32_t *columns, uint32_t bits);

/* Sets passes, n_passes, own_bits, lane_bits and home of `to`; the last frame, in which, for
   probabilities, numbers are those of the basis states, but for stages' flips. KL_ENOMEM. */
int kl_circuit_passes(struct kl_cuda_circuit *to, struct kl_frame *last,
                      const struct kl_circuit_gpu_stages *s, const struct kl_circuit *c,
                      struct kl_arena *memory, struct kl_error *err);

#endif
