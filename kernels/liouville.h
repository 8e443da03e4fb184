/* SPDX-License-Identifier: MIT
   liouville: any linear equation dR/dt = G(t) R with a real, sparse generator that controls and
   parameters enter linearly, piecewise constant in time, solved exactly for many columns: loss and
   gradient. Columns lie in lanes, one pulse a call. Its CUDA twin makes whole searches from many starts,
   or the pulses of many tasks (kernels/cuda/pulse.cuh): a call is too small for a GPU. */
#ifndef KL_LIOUVILLE_H
#define KL_LIOUVILLE_H

#include <stddef.h>

#include "kernels/isa.h"

/* Columns are a multiple of KL_LIOUVILLE_LANES; those that are not needed are 0. */
enum { KL_LIOUVILLE_LANES = 16, KL_LIOUVILLE_MAX_ORDER = 24, KL_LIOUVILLE_MAX_DIM = 256 };

/* value * c at (row, col) of G; c is u[of] for of < controls, else params[of - controls]. Sorted by row,
   then col; several terms may share a place. */
struct kl_liouville_term {
    int row, col, of;
    double value;
};
/* Two qubits have code of their own, for H = J ZZ + local Pauli controls in Pauli strings:
   controls x1, y1, x2, y2 (, z1, z2), params KL_TWO_QUBITS_...; no terms are needed. */
enum kl_liouville_form { KL_LIOUVILLE_SPARSE, KL_LIOUVILLE_TWO_QUBITS };
enum {
    KL_TWO_QUBITS_DEPHASING_1,
    KL_TWO_QUBITS_DOWN_1,
    KL_TWO_QUBITS_UP_1,
    KL_TWO_QUBITS_DEPHASING_2,
    KL_TWO_QUBITS_DOWN_2,
    KL_TWO_QUBITS_UP_2,
    KL_TWO_QUBITS_COUPLING,
    KL_TWO_QUBITS_DETUNING_1,
    KL_TWO_QUBITS_DETUNING_2,
    KL_TWO_QUBITS_PARAMS
};
struct kl_liouville {
    enum kl_liouville_form form;
    int dim;      /* rows of R; 16 for two qubits */
    int columns;  /* of R */
    int substeps; /* of a segment: kl_liouville_substeps of the largest norm that may come */
    int segments, controls, params, n_terms;
    const struct kl_liouville_term *terms;
    double dt; /* of a segment */
};
/* ||G||_1, ||G||_inf of a segment times its duration are at most `norm`: parts into which a segment is
   divided so that a series of at most KL_LIOUVILLE_MAX_ORDER terms is exact to rounding. */
static inline int kl_liouville_substeps(double norm)
{
    return norm > 2 ? (int)(norm / 2) + 1 : 1;
}
/* Bytes of workspace, which is aligned to 64. */
size_t kl_liouville_work(const struct kl_liouville *g);

/* u [segments][controls], params [params], start and weights [dim][columns].
   Returns - sum of weights * R(T); NaN where substeps are too few. grad_u like u, grad_params like
   params, path [segments + 1][dim][columns] with R at the segments' boundaries: NULL where not asked
   for. */
#define KL_LIOUVILLE_GRADIENT(real, p)                                                     \
    typedef double kl_liouville_gradient_##p##_fn(                                         \
        real *grad_u, real *grad_params, real *path, const real *u, const real *params,    \
        const real *start, const real *weights, const struct kl_liouville *g, void *work); \
    KL_KERNEL(kl_liouville_gradient_##p##_fn, liouville_gradient_##p)
KL_LIOUVILLE_GRADIENT(float, f32)
KL_LIOUVILLE_GRADIENT(double, f64)

/* In files that are compiled in both precisions (kernels/inline/real.h). */
#define kl_kernel_liouville_gradient KL_NAME(kl_kernel_liouville_gradient)()

#endif
