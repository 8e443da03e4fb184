/* SPDX-License-Identifier: MIT
   bloch: one qubit under piecewise-constant controls and a Lindblad equation with rates, solved exactly:
   loss, gradient and Hessian-vector products. A problem (a task, a start, a member of an ensemble) is a
   lane; each is computed in one order, whatever stands beside it (a step: inline/bloch_pass.h). Its CUDA
   twin has a thread a lane (kernels/cuda_bloch.h). */
#ifndef KL_BLOCH_H
#define KL_BLOCH_H

#include <stddef.h>

#include "kernels/isa.h"

enum { KL_BLOCH_LANES = 16, KL_BLOCH_MAX_ORDER = 24 }; /* n is a multiple of KL_BLOCH_LANES */

/* Of a lane, in radians per unit of time: the rate of pure dephasing (jump sqrt(gamma_phi/2) Z), of the
   jumps |0><1| and |1><0|, and h0 in H = h0 Z + u_x X + u_y Y (+ u_z Z). */
enum { KL_BLOCH_DEPHASING, KL_BLOCH_DOWN, KL_BLOCH_UP, KL_BLOCH_DETUNING, KL_BLOCH_PARAMS };

/* Columns are vectors r = (x, y, z) that the same segments carry from their start to their end:
   dr/dt = 2 (u_x, u_y, h0 + u_z) x r - diag(G2, G2, G1) r + affine (0, 0, down - up), G1 = down + up,
   G2 = dephasing + G1/2. A state is one affine column; the three columns of a gate's transfer matrix are
   not affine. loss = - sum over columns c of weights[c] . r_c(T). */
struct kl_bloch {
    int segments, controls; /* 2: x, y; 3: x, y, z */
    int columns;            /* 1 to 3 */
    int substeps;           /* of a segment: kl_bloch_substeps of the largest norm that may come */
    int affine;             /* 0 or 1 */
    double dt;              /* of a segment */
    double start[3][3];     /* [column][x, y, z] */
};

/* The norm of a segment's generator times its duration is at most `norm`, itself at most
   KL_BLOCH_MOST_NORM: parts into which a segment is divided so that a series of at most
   KL_BLOCH_MAX_ORDER terms is exact to rounding. */
#define KL_BLOCH_MOST_NORM 1e4
static inline int kl_bloch_substeps(double norm)
{
    return norm > 2 ? (int)(norm / 2) + 1 : 1;
}
/* factors[k], k to KL_BLOCH_MAX_ORDER: the series' terms, 1 / k!; of affine columns 1 / (k + 1)!. */
static inline void kl_bloch_factors(double *factors, int affine)
{
    double factor = 1;
    for (int k = 0; k <= KL_BLOCH_MAX_ORDER; k++) {
        if (k + affine > 1) factor /= k + affine;
        factors[k] = factor;
    }
}
/* Reals of workspace. */
static inline size_t kl_bloch_work(const struct kl_bloch *b)
{
    return 2 * (size_t)KL_BLOCH_LANES *
           (9 * ((size_t)b->segments * (size_t)b->substeps + 1) + 2 * KL_BLOCH_MAX_ORDER);
}

/* u [segments][controls][n], params [KL_BLOCH_PARAMS][n], weights [columns][3][n].
   loss [n]; grad_u like u, grad_params like params, ends [columns][3][n]: NULL where not asked for. */
#define KL_BLOCH_GRADIENT(real, p)                                                                   \
    typedef void kl_bloch_gradient_##p##_fn(real *loss, real *grad_u, real *grad_params, real *ends, \
                                            const real *u, const real *params, const real *weights,  \
                                            const struct kl_bloch *b, size_t n, real *work);         \
    KL_KERNEL(kl_bloch_gradient_##p##_fn, bloch_gradient_##p)
KL_BLOCH_GRADIENT(float, f32)
KL_BLOCH_GRADIENT(double, f64)
/* The derivative of all these along (du, dparams); dparams NULL: along du alone. dgrad_params may be
   NULL. loss and grad_u as above, and may be NULL. */
#define KL_BLOCH_TANGENT(real, p)                                                                \
    typedef void kl_bloch_tangent_##p##_fn(                                                      \
        real *dloss, real *dgrad_u, real *dgrad_params, real *loss, real *grad_u, const real *u, \
        const real *du, const real *params, const real *dparams, const real *weights,            \
        const struct kl_bloch *b, size_t n, real *work);                                         \
    KL_KERNEL(kl_bloch_tangent_##p##_fn, bloch_tangent_##p)
KL_BLOCH_TANGENT(float, f32)
KL_BLOCH_TANGENT(double, f64)

/* In files that are compiled in both precisions (kernels/inline/real.h). */
#define kl_kernel_bloch_gradient KL_NAME(kl_kernel_bloch_gradient)()
#define kl_kernel_bloch_tangent KL_NAME(kl_kernel_bloch_tangent)()

#endif
