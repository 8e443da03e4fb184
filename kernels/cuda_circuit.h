/* SPDX-License-Identifier: MIT
   Circuits in batches on a GPU (kernels/cuda/circuit.cu), and a circuit as the GPU has it: see
   kernels/cuda.h.

   CNOT and X move amplitudes and do nothing else, so a circuit is a row of passes, each of which moves
   all amplitudes at once and then turns some qubits. 2^lane_bits threads share a state; the lower bits
   of an amplitude's number say which thread has it, the own_bits higher ones which of the thread's own
   it is. Only qubits whose bits are own ones can be turned, since then both amplitudes of a pair are at
   hand; so which qubit has which bit changes from pass to pass. */
#ifndef KL_KERNELS_CUDA_CIRCUIT_H
#define KL_KERNELS_CUDA_CIRCUIT_H

#include "kernels/vqc.h"

struct kl_error;
enum {
    KL_CUDA_OWN_BITS = 5,     /* at most */
    KL_CUDA_HELD_QUBITS = 13, /* of a state in registers; larger ones are in the GPU's memory */
    KL_CUDA_GENERATORS = 3    /* of a qubit: X, Y, Z */
};
enum kl_cuda_source { KL_CUDA_CONSTANT, KL_CUDA_INPUT, KL_CUDA_WEIGHT };
/* Of slot k: scale, times input[index] (times input[index2] unless it is -1, times weight[scaled - 1]
   unless scaled is 0) or times weight[index]. */
struct kl_cuda_angle {
    int32_t source, index, index2, scaled;
    float scale;
};
/* A rotation exp(-i angle P/2): gate KL_VQC_RX, KL_VQC_RY or KL_VQC_RZ. */
struct kl_cuda_turn {
    int32_t gate, slot;
};
/* Turns [first, end), one after another, multiplied. */
struct kl_cuda_matrix {
    int32_t first, end;
};
enum kl_cuda_pass_kind {
    KL_CUDA_START,      /* of |0>: the first pass of a state in registers; matrices by bit */
    KL_CUDA_GIVEN,      /* the first pass where the state begins as x / |x|, x being all inputs */
    KL_CUDA_TURNS,      /* matrices by bit, of own bits */
    KL_CUDA_CONTROLLED, /* matrix[0] on the lowest own bit, where number & mask is value */
    KL_CUDA_STRING,     /* matrix[0], one RZ, on the parity of number & mask: MULTIRZ */
    KL_CUDA_SIGN,       /* another sign where number & mask is value: CZ */
    KL_CUDA_MOVE        /* nothing else */
};
/* moves: before it, an amplitude goes to the exclusive or of columns over the bits of its number, of
   lane bits, the lower ones, and of own ones: of held states its place in the block's memory
   (kernels/inline/place.h), else its number. Columns of bits that there are not are 0, matrices -1. */
struct kl_cuda_pass {
    int32_t kind, moves;
    uint32_t mask, value, own[8], lane[16]; /* whole fours, which the kernels load at once */
    int32_t matrix[KL_VQC_MOST_QUBITS];
} __attribute__((aligned(16)));
/* A Pauli string on numbers at the end, times a weight: X where only x is set, Z where only z, Y where
   both, times i^(turns - how many Y). */
struct kl_cuda_term {
    uint32_t x, z;
    int32_t turns;
    float weight;
} __attribute__((aligned(16)));
/* The square of the overlap with the state of amplitudes [first, end), others being 0, times a weight.
 */
struct kl_cuda_fidelity {
    int32_t first, end;
    float weight;
};
struct kl_cuda_amplitude {
    uint32_t number;
    float re, im;
};
/* Output o is the sum of the expectation values of terms [end[o - 1], end[o]) and of fidelities
   [fidelity_end[o - 1], fidelity_end[o]), or a probability. Weight w stands in the slots use[use_end[w -
   1]] ..., input i in in_use[in_end[i - 1]] ...; matrices in whose angles inputs stand come first
   (n_varying). */
struct kl_cuda_circuit {
    int32_t n_qubits, own_bits, lane_bits; /* own_bits + lane_bits may be more than n_qubits */
    int32_t real; /* all amplitudes stay real, RY is the only gate of a turn; states in the GPU's memory
                     are complex */
    int32_t n_inputs, n_weights, n_outputs, n_slots, n_turns, n_matrices, n_varying, n_passes, n_terms;
    int32_t n_fidelities, n_amplitudes;
    int32_t mixed;         /* some term is not of Z alone */
    int32_t given;         /* inputs are the amplitudes to begin with */
    int32_t probabilities; /* output o is that of number o ^ flips, there are no terms */
    uint32_t flips;
    uint32_t home[KL_CUDA_OWN_BITS];            /* kl_cuda_place of each own bit */
    const struct kl_cuda_angle *angles;         /* (n_slots) */
    const struct kl_cuda_turn *turns;           /* (n_turns) */
    const struct kl_cuda_matrix *matrices;      /* (n_matrices) */
    const struct kl_cuda_pass *passes;          /* (n_passes) */
    const struct kl_cuda_term *terms;           /* (n_terms) */
    const int32_t *end;                         /* (n_outputs) */
    const struct kl_cuda_fidelity *fidelities;  /* (n_fidelities) */
    const int32_t *fidelity_end;                /* (n_outputs) */
    const struct kl_cuda_amplitude *amplitudes; /* (n_amplitudes) */
    const int32_t *use_end, *use;               /* (n_weights); slots */
    const int32_t *in_end, *in_use;             /* (n_inputs); slots */
    const void *arrays;                         /* on the GPU: all but the amplitudes, in one piece */
    size_t arrays_size;
};

struct kl_cuda_batch;
enum { KL_CUDA_GROUP = 50 /* batches that are timed together, so that launches overlap */ };

struct kl_cuda_batch_calls {
    /* Room for n samples. run: out (n, n_outputs) of x (n, n_inputs) and w, and, unless cot is NULL, dx
       (n, n_inputs) and dw (n_weights), the gradients of sum(cot * out), both set. With groups: so many
       times KL_CUDA_GROUP batches, and of each group the seconds that a batch took, copies apart. */
    int (*open)(struct kl_cuda_batch **batch, const struct kl_cuda_circuit *circuit, size_t n,
                int device, struct kl_error *err);
    int (*run)(struct kl_cuda_batch *batch, float *out, float *dx, float *dw, const float *x,
               const float *w, const float *cot, double *seconds, int groups, struct kl_error *err);
    void (*close)(struct kl_cuda_batch **batch);
};

#endif
