/* SPDX-License-Identifier: MIT
   liouville: any linear equation dR/dt = G(t) R with a real, sparse generator that controls and
   parameters enter linearly, piecewise constant in time, solved exactly for many columns: loss and
   gradient. Columns lie in lanes, one pulse a call. No CUDA twin yet: a call is too small for a GPU, and
   batches of pulses are few. */
#ifndef KL_LIOUVILLE_H
#define KL_LIOUVILLE_H

#include <stddef.h>

enum {
    KL_LIOUVILLE_LANES = 16,
    KL_LIOUVILLE_MAX_ORDER = 20
}; /* columns are a multiple of KL_LIOUVILLE_LANES */

/* value * c at (row, col) of G, c = u_of for of < controls, else the parameter of - controls. Sorted by
   row, then col; several terms may share a place. */
struct kl_liouville_term {
    int row, col, of;
    double value;
};
/* Two qubits with H = J ZZ + the six local Pauli controls have a form of their own, about twice as fast;
   KL_LIOUVILLE_SPARSE holds for any. */
enum kl_liouville_form { KL_LIOUVILLE_SPARSE, KL_LIOUVILLE_TWO_QUBITS };
struct kl_liouville {
    enum kl_liouville_form form;
    int dim;     /* rows of R */
    int columns; /* of R, a multiple of KL_LIOUVILLE_LANES; those that are not needed are 0 */
    int segments, controls, params, n_terms;
    const struct kl_liouville_term *terms;
    double dt; /* of a segment */
};
/* Bytes of workspace (aligned to 64). */
size_t kl_liouville_work(const struct kl_liouville *g);

/* u [segments][controls], params [params], start and weights [dim][columns].
   Returns - sum of weights * R(T). grad_u like u, grad_params like params, ends [dim][columns], path
   [segments + 1][dim][columns] with R at the segments' boundaries: NULL where not asked for. */
#define KL_LIOUVILLE_GRADIENT_ARGS(real)                                                             \
    (real * grad_u, real * grad_params, real * ends, real * path, const real *u, const real *params, \
     const real *start, const real *weights, const struct kl_liouville *g, void *work)
typedef double(*kl_liouville_gradient_f32_fn) KL_LIOUVILLE_GRADIENT_ARGS(float);
typedef double(*kl_liouville_gradient_f64_fn) KL_LIOUVILLE_GRADIENT_ARGS(double);
