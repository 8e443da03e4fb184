/* SPDX-License-Identifier: MIT
   Outputs, gradients and metric tensors of a circuit's batches, exact or from measurements: who
   estimates, by which rule, from how many shots. */
#ifndef KL_CIRCUIT_ESTIMATE_H
#define KL_CIRCUIT_ESTIMATE_H

#include "circuit/circuit.h"
#include "nn/nn.h"

enum { KL_MOST_MEASURED_QUBITS = 12 }; /* those of kl_circuit_with_probabilities */

/* n measurements a sample and setting. Strings of Z, probabilities and fidelities with basis states come
   from one setting, the same measurements of all qubits; every other string or fidelity has a setting of
   its own. Outputs that are sums come from readings (outputs.c).
   The random numbers are a function of all that is named here, the sample's row and the evaluation's
   number. */
struct kl_shots {
    size_t n; /* 0: exact expectation values */
    uint64_t seed;
    uint32_t purpose; /* of enum kl_purpose */
    uint32_t step, replica;
    const int64_t *rows; /* a number for each sample; NULL: 0, 1, 2, ... */
    bool undo_readout;   /* take readout errors back from the measurements (noise.h); the caller has
                            checked */
};
/* The value of an option --shots. KL_EUSAGE. */
int kl_circuit_shots_number(size_t *n, const char *text, struct kl_error *err);
/* Values of scratch for kl_circuit_shots_sample. */
static inline size_t kl_circuit_shots_scratch(const struct kl_circuit *c)
{
    return (size_t)3 << c->n_qubits;
}
/* c reads plainly. out (n, n_obs of c): exact (only what is no string of Z needs to be), becomes the
   means of shots->n measurements of samples first .. first + n - 1. p (n, 2^n_qubits): probabilities of
   the basis states; where they are no numbers, the outputs are none either. evaluation: tells apart
   circuits that the same sample goes through. */
void kl_circuit_shots_sample_f32(float *out, double *scratch, const struct kl_circuit *c, const float *p,
                                 size_t first, size_t n, uint32_t evaluation,
                                 const struct kl_shots *shots);
void kl_circuit_shots_sample_f64(double *out, double *scratch, const struct kl_circuit *c,
                                 const double *p, size_t first, size_t n, uint32_t evaluation,
                                 const struct kl_shots *shots);

/* The key of sample number `sample`'s own random numbers, for that purpose. */
uint64_t kl_circuit_shots_key(const struct kl_shots *shots, uint32_t purpose, size_t sample);

/* Fair coins, counter-based: a function of key, setting and evaluation. */
struct kl_coins {
    uint64_t key, word[2];
    uint32_t setting, evaluation, block;
    int left; /* bits in word */
};
/* How many of n trials succeed that each do with probability p (outputs.c). */
uint32_t kl_circuit_binomial(struct kl_coins *coins, uint32_t n, double p);

/* In files that are compiled in both precisions (kernels/inline/real.h). */
#define kl_circuit_shots_sample KL_NAME(kl_circuit_shots_sample)

/* ---- estimate: outputs of a circuit, exact or measured, and gradients from outputs at other angles
   ---- */
/* The circuits from which measurements are drawn. */
struct kl_measured {
    struct kl_circuit *probabilities;
    struct kl_circuit
        *readings; /* whose outputs are summed; NULL: none are, the circuit is read plainly */
};
/* KL_EUSAGE: more than KL_MOST_MEASURED_QUBITS; KL_ENOMEM. Free it in any case. */
int kl_circuit_measured_make(struct kl_measured *m, const struct kl_circuit *c, struct kl_error *err);
void kl_circuit_measured_free(struct kl_measured *m);
/* Sets the member of this name of the circuit, which may be NULL, and of what measures it. */
void kl_circuit_measured_stoppable(struct kl_circuit *c, const struct kl_measured *m, bool stoppable);

struct kl_estimator {
    const struct kl_circuit *circuit;
    const struct kl_measured *measured; /* with shots, of the circuit */
    struct kl_shots shots; /* n 0: outputs are exact, and all else is for directions alone */
    size_t first;          /* the batch's first sample, among shots.rows */
    bool inputs_only;      /* the weights do not train: no evaluations for them alone */
    double step;           /* of simultaneous perturbations, in radians */
    int64_t directions;    /* of a sample, whose mean is taken */
};
/* The circuit of the angles that dangles below belong to, for kl_circuit_angles_size and
   kl_circuit_weights. */
static inline const struct kl_circuit *kl_circuit_estimated(const struct kl_estimator *e)
{
    return e->shots.n ? e->measured->probabilities : e->circuit;
}

/* out (n, n_obs) of x (n, n_inputs) and w (n_weights): expectation values, or with shots means of that
   many measurements. work is only taken from. KL_ENOMEM. */
int kl_circuit_outputs_f32(float *out, const struct kl_estimator *e, const float *x, const float *w,
                           size_t n, struct kl_arena *work, struct kl_error *err);
int kl_circuit_outputs_f64(double *out, const struct kl_estimator *e, const double *x, const double *w,
                           size_t n, struct kl_arena *work, struct kl_error *err);
/* Gradients of sum(cot * out), cot (n, n_obs), from outputs, each with measurements of its own: dx and
   dangles as kl_circuit_samples leaves them, parts of a batch likewise.
   shift: two- and four-term shift rules (Wierichs et al. 2022, arXiv:2107.12390), exact but for the
   shots; amplitudes by the central difference of out(x) |x|^2, exact too, being a quadratic form.
   spsa: all angles (and amplitudes) of a sample moved at once by step, up or down at random, and by as
   much the other way (Spall 1992, doi:10.1109/9.119632); the mean over directions is off by O(step^2).
 */
int kl_circuit_shift_samples_f32(float *dx, float *dangles, const struct kl_estimator *e, const float *x,
                                 const float *w, const float *cot, size_t n, struct kl_arena *work,
                                 struct kl_error *err);
int kl_circuit_shift_samples_f64(double *dx, double *dangles, const struct kl_estimator *e,
                                 const double *x, const double *w, const double *cot, size_t n,
                                 struct kl_arena *work, struct kl_error *err);
int kl_circuit_spsa_samples_f32(float *dx, float *dangles, const struct kl_estimator *e, const float *x,
                                const float *w, const float *cot, size_t n, struct kl_arena *work,
                                struct kl_error *err);
int kl_circuit_spsa_samples_f64(double *dx, double *dangles, const struct kl_estimator *e,
                                const double *x, const double *w, const double *cot, size_t n,
                                struct kl_arena *work, struct kl_error *err);
/* The shift rules, exact: dx is set, dw (n_weights) is added to, as adjoint does. */
int kl_circuit_shift_f32(float *dx, float *dw, const struct kl_circuit *c, const float *x,
                         const float *w, const float *cot, size_t n, struct kl_arena *work,
                         struct kl_error *err);
int kl_circuit_shift_f64(double *dx, double *dw, const struct kl_circuit *c, const double *x,
                         const double *w, const double *cot, size_t n, struct kl_arena *work,
                         struct kl_error *err);

/* In files that are compiled in both precisions (kernels/inline/real.h). */
#define kl_circuit_outputs KL_NAME(kl_circuit_outputs)
#define kl_circuit_shift KL_NAME(kl_circuit_shift)
#define kl_circuit_shift_samples KL_NAME(kl_circuit_shift_samples)
#define kl_circuit_spsa_samples KL_NAME(kl_circuit_spsa_samples)

/* ---- The Fubini-Study metric tensor of a circuit's weights (Stokes, Izaac, Killoran & Carleo 2020,
   arXiv:1909.02108), in blocks: F_ij = Re(<d_i psi|d_j psi> - <d_i psi|psi><psi|d_j psi>) for weights
   whose gates stand on the same level, 0 for all others. A gate's level is the largest number of gates
   with weights on any path to it, itself included, so that gates of a level are on different wires. A
   weight that enters several gates has the sum of theirs
   ---- */
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
