/* SPDX-License-Identifier: MIT
   Circuits in batches on a GPU (kernels/cuda/circuit.cu), and a circuit as the card has it: see
   kernels/cuda.h. */
#ifndef KL_KERNELS_CUDA_CIRCUIT_H
#define KL_KERNELS_CUDA_CIRCUIT_H

#include "kernels/vqc.h"

struct kl_error;
enum { KL_CUDA_BATCH_QUBITS = KL_VQC_MOST_QUBITS };
enum kl_cuda_source { KL_CUDA_CONSTANT, KL_CUDA_INPUT, KL_CUDA_WEIGHT };
/* Of slot k: scale, times input[index] (times input[index2] unless it is -1, times weight[scaled - 1]
   unless scaled is 0) or times weight[index]. */
struct kl_cuda_angle {
    int32_t source, index, index2, scaled;
    float scale;
};
/* Strings are Pauli strings; output o is the sum of terms [end[o - 1], end[o]), each a string's
   expectation value times a weight. Weight w stands in the slots use[use_end[w - 1]] ... */
struct kl_cuda_circuit {
    int32_t n_qubits, n_inputs, n_weights, n_outputs, n_ops, n_slots, n_strings, n_terms;
    int32_t real; /* all amplitudes stay real */
    const struct kl_vqc_op *ops;
    const struct kl_cuda_angle *angles;      /* (n_slots) */
    const struct kl_vqc_observable *strings; /* (n_strings) */
    const int32_t *end, *term;               /* (n_outputs), (n_terms): a string */
    const float *term_weight;                /* (n_terms) */
    const int32_t *use_end, *use;            /* (n_weights); slots */
};
struct kl_cuda_batch;

struct kl_cuda_batch_calls {
    /* Room for n samples. run: out (n, n_outputs) of x (n, n_inputs) and w, and, unless cot is NULL, dx
       (n, n_inputs) and dw (n_weights), the gradients of sum(cot * out), both set. With seconds:
       *seconds of the kernels alone, copies apart, the least of `repeats` runs. */
    int (*open)(struct kl_cuda_batch **batch, const struct kl_cuda_circuit *circuit, size_t n,
                int device, struct kl_error *err);
    int (*run)(struct kl_cuda_batch *batch, float *out, float *dx, float *dw, const float *x,
               const float *w, const float *cot, double *seconds, int repeats, struct kl_error *err);
    void (*close)(struct kl_cuda_batch **batch);
};

#endif
