/* SPDX-License-Identifier: MIT
   estimate: outputs of a circuit, exact or measured, and gradients from outputs at other angles. */
#ifndef KL_CIRCUIT_ESTIMATE_H
#define KL_CIRCUIT_ESTIMATE_H

#include "circuit/shots.h"

/* What measurements of a circuit are drawn from. */
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
/* Whose angles dangles below are, for kl_circuit_angles_size and kl_circuit_weights. */
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

#endif
