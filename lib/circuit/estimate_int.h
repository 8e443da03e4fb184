/* SPDX-License-Identifier: MIT
   Private to lib/circuit/: evaluations of one batch at moved angles, exact or measured (evaluations.c),
   in the precision of the file being compiled. */
#ifndef KL_ESTIMATE_INT_H
#define KL_ESTIMATE_INT_H

#include "circuit/circuit_int.h"
#include "circuit/estimate.h"
#include "kernels/inline/real.h"

/* In files that are compiled in both precisions (kernels/inline/real.h). */
#define kl_evaluations KL_NAME(kl_evaluations)
#define kl_circuit_evaluations_begin KL_NAME(kl_circuit_evaluations_begin)
#define kl_circuit_evaluate_at KL_NAME(kl_circuit_evaluate_at)
#define kl_circuit_objectives_at KL_NAME(kl_circuit_objectives_at)
#define kl_circuit_row_place KL_NAME(kl_circuit_row_place)
#define kl_circuit_clear_angles KL_NAME(kl_circuit_clear_angles)

struct kl_evaluations {
    const struct kl_estimator *e;
    const struct kl_circuit_plan *plan; /* whose rows are moved */
    struct kl_circuit_runs *exact, *p;  /* NULL: not needed */
    const kl_real *x, *cot;
    size_t n, lanes;
    kl_real *out, *means, *probabilities; /* means: readings, summed to out */
    double *scratch, *up, *down;          /* (n) up, down: objectives at both sides */
    bool *moves; /* (rows): some input or, unless inputs_only, weight is in its angle */
};
int kl_circuit_evaluations_begin(struct kl_evaluations *v, const struct kl_estimator *e,
                                 const kl_real *x, const kl_real *w, const kl_real *cot, size_t n,
                                 struct kl_arena *work, struct kl_error *err);
/* v->out at x; number: of the evaluation, which keys its measurements. */
void kl_circuit_evaluate_at(struct kl_evaluations *v, const kl_real *x,
                            const struct kl_circuit_move *move, size_t number);
/* sum (n) = the sum over the outputs of cot * out, for every sample. */
void kl_circuit_objectives_at(double *sum, struct kl_evaluations *v, const kl_real *x,
                              const struct kl_circuit_move *move, size_t number);
/* Where the derivative of sample i by the angle of row k stands. */
static inline size_t kl_circuit_row_place(const struct kl_evaluations *v, size_t i, size_t k)
{
    return (i / v->lanes * kl_circuit_plan_all_rows(v->plan) + k) * v->lanes + i % v->lanes;
}
/* All derivatives 0, those of the lanes without a sample included. */
void kl_circuit_clear_angles(kl_real *dangles, const struct kl_evaluations *v);

#endif
