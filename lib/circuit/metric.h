/* SPDX-License-Identifier: MIT
   The Fubini-Study metric tensor of a circuit's weights (Stokes, Izaac, Killoran & Carleo 2020,
   arXiv:1909.02108), in blocks: F_ij = Re(<d_i psi|d_j psi> - <d_i psi|psi><psi|d_j psi>) for weights
   whose gates stand on the same level, 0 for all others. A gate's level is the largest number of gates
   with weights on any path to it, itself included, so that gates of a level are on different wires. A
   weight that enters several gates has the sum of theirs. */
#ifndef KL_CIRCUIT_METRIC_H
#define KL_CIRCUIT_METRIC_H

#include "circuit/circuit.h"
#include "nn/nn.h"

/* Made once for a circuit (metric_plan.c), whose owner keeps it as long. All fields are hidden but the
   shape: (n_weights, n_weights). */
struct kl_metric {
    const struct kl_circuit *circuit;
    struct kl_arena memory;
    struct kl_nn_skyline shape;
    struct kl_vqc_op *ops; /* of the circuit's program, level by level */
    size_t n_levels;
    struct kl_metric_level *level; /* (n_levels + 1), level 0 being what stands before all weights */
};
/* KL_EUSAGE: noise, which leaves no pure state; KL_ENOMEM. */
int kl_circuit_metric_make(struct kl_metric **metric, const struct kl_circuit *c, struct kl_error *err);
void kl_circuit_metric_free(struct kl_metric **metric);
/* sums (groups, shape.size): of the metric tensors of n samples, in groups of KL_CIRCUIT_GROUP. Exact,
   from states: 2^n_qubits amplitudes of a vector of samples, three times (real amplitudes) or four
   times, in work, which the caller resets. x (n, n_inputs), w (n_weights). KL_ENOMEM. */
int kl_circuit_metric_sums_f32(double *sums, const struct kl_metric *metric, const float *x,
                               const float *w, size_t n, struct kl_arena *work, struct kl_error *err);
int kl_circuit_metric_sums_f64(double *sums, const struct kl_metric *metric, const double *x,
                               const double *w, size_t n, struct kl_arena *work, struct kl_error *err);

/* In files that are compiled in both precisions (kernels/inline/real.h). */
#define kl_circuit_metric_sums KL_NAME(kl_circuit_metric_sums)

#endif
