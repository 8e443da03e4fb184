/* SPDX-License-Identifier: MIT
   ssm: the circuits of Quantum Mamba, whose angles all states share: states side by side in the lanes,
   in groups of 64 bytes (KL_SSM_GROUP values), amplitudes in rows. Wire 0 is the highest bit of an
   amplitude's number. Rotations between entanglers are merged into diagonal, RY, diagonal; those at the
   end turn the expectation values, not the state; states of real amplitudes stay real. Sums over states
   have one structure on all instruction sets: rows of a group's width, group after group. Its cuda/ twin,
   windows.cu, has whole batches of windows (kernels/cuda_windows.h). */
#ifndef KL_SSM_H
#define KL_SSM_H

#include <stddef.h>

#include "kernels/isa.h"

enum { KL_SSM_MOST_QUBITS = 12, KL_SSM_FEATURES = 7 /* rows a wire that a state gives */ };

/* n wires, L layers; coefficients by wire, of half angles unless said otherwise.
   turn (L, 2, n): cosines, sines of the RY before the controlled rotations of layer l; before (L, N, 2),
   after (L, N, 2): diagonals around it, before[0] is not used; control (L, 2, n - 1): cosines, sines of
   RX on wire i + 1 controlled by i; end (n, 3, 3): what turns (X, Y, Z) of a wire; gate (2, n): RY of
   GATE_A. */
#define KL_SSM_PLAN(real, p)                                      \
    struct kl_ssm_plan_##p {                                      \
        int n, layers;                                            \
        const real *turn, *before, *after, *control, *end, *gate; \
    };
KL_SSM_PLAN(float, f32)
KL_SSM_PLAN(double, f64)

/* Rows of 64 bytes that the gradient adds to, in this order: of each layer, of each wire the generators
   X, Y, Z between its RY and `after` (of layer 0: no X), then of each control X; of each wire the X, Y,
   Z behind all; of each wire Y of GATE_A. A generator is Im <bra| P |state> / 2. */
#define KL_SSM_SUMS(n, layers) ((size_t)(layers) * (size_t)(4 * (n)-1) + 4 * (size_t)(n))
/* Values of scratch a call takes, in rows of 64 bytes. */
#define KL_SSM_SCRATCH(n) ((size_t)4 << (n))

/* v (N, ld): real amplitudes of groups of states. m (7 n, ld): expectation values by wire: X, Y, Z of
   SSM_A |v>; X, Z of GATE_A |v> (Y is 0); X, Z of |v>. states (groups, N, 2, group): SSM_A |v> without
   what `end` has; NULL: not asked for. */
#define KL_SSM_FORWARD_ARGS(real, type)                                                         \
    (real * m, real * states, const real *v, size_t ld, size_t groups, const struct type *plan, \
     real *scratch)
/* g (7 n, ld), gradient by m: dv (N, ld) that by v; sums get theirs added. states are used up. */
#define KL_SSM_ADJOINT_ARGS(real, type)                                                            \
    (real * dv, real * sums, const real *g, const real *m, real *states, const real *v, size_t ld, \
     size_t groups, const struct type *plan, real *scratch)

/* SSM_B of Mamba Hybrid, whose angles differ from state to state. A layer: RY, ring of XX, RY(b) RY,
   ring of YY (an angle a wire each), then RZ(c), RX(d) of all states. Rows of angles: of each layer RY,
   XX, RY, YY by wire. angles: cosine, sine (rows, ld) of pi sigma(z) + offset (rows): half of an angle 2
   pi sigma(z) + 2 offset; slope: the angle's derivative by z. */
#define KL_SSM_ANGLES_ARGS(real)                                                                     \
    (real * cosine, real * sine, real * slope, const real *z, size_t ld, size_t groups, size_t rows, \
     const real *offset)
/* RX(d) RZ(c) of a wire as RY(last) RX(turn) RY(first): turn (L - 1, 2, n): cosines, sines of half of
   `turn`. `first` stands in the angles of the RY before YY, `last` in those of the next layer's first
   RY; those of the very first RY are less by pi / 2; end (n, 3, 3): what turns (X, Y, Z) behind the last
   layer. */
#define KL_SSM_RINGS(real, p)   \
    struct kl_ssm_rings_##p {   \
        int n, layers;          \
        const real *turn, *end; \
    };
KL_SSM_RINGS(float, f32)
KL_SSM_RINGS(double, f64)
/* Rows of sums: of each step from layer to layer, of each wire, X, Y, Z between RX(turn) and RY(last),
   then those behind all. */
#define KL_SSM_RINGS_SUMS(n, layers) (3 * (size_t)(n) * (size_t)(layers))
#define KL_SSM_RINGS_SCRATCH(n) ((size_t)5 << (n))
/* m (3 n, ld): X, Y, Z by wire. states: 2 N rows a group, or NULL. */
#define KL_SSM_RINGS_FORWARD_ARGS(real, type)                                                 \
    (real * m, real * states, const real *cosine, const real *sine, size_t ld, size_t groups, \
     const struct type *plan, real *scratch)
/* From g (3 n, ld): dangle (4 n L, ld), derivatives by the whole angles. states are used up. */
#define KL_SSM_RINGS_ADJOINT_ARGS(real, type)                                                    \
    (real * dangle, real * sums, const real *g, const real *m, real *states, const real *cosine, \
     const real *sine, size_t ld, size_t groups, const struct type *plan, real *scratch)

/* Amplitude embedding behind layer norm: v = u / max(|u|, 1e-12), u = weight (z - mean) / sqrt(variance
   + 1e-5) + bias, over the rows of z (rows, ld). keep (3, ld): mean, 1 / root, 1 / |u|. */
#define KL_SSM_EMBED_ARGS(real)                                                                       \
    (real * v, real * keep, const real *z, size_t ld, size_t groups, size_t rows, const real *weight, \
     const real *bias)
/* dv becomes the gradient by z. sums (2 rows, group): those by weight, then by bias, are added. */
#define KL_SSM_EMBED_BACK_ARGS(real)                                                                   \
    (real * dv, real * sums, const real *v, const real *keep, const real *z, size_t ld, size_t groups, \
     size_t rows, const real *weight)

/* r (3 n, ld) = |h| / sqrt(sum of |h|^2 + 1e-8), h = sum of coefficient times measured vector: factor
   (6): real, imaginary of alpha, beta, gamma; skip (2, n): cosine, sine of SKIP_A's angles (whole). Rows
   X, Y, Z by wire. */
#define KL_SSM_MIX_ARGS(real) \
    (real * r, const real *m, size_t ld, size_t groups, int n, const real *factor, const real *skip)
/* g (7 n, ld) from dr (3 n, ld); sums (6 + n, group): those by factor, by skip's angles, are added. */
#define KL_SSM_MIX_BACK_ARGS(real)                                                          \
    (real * g, real * sums, const real *dr, const real *m, size_t ld, size_t groups, int n, \
     const real *factor, const real *skip)

#define KL_SSM_TABLE(p, real)                                                   \
    struct kl_ssm_##p {                                                         \
        void(*forward) KL_SSM_FORWARD_ARGS(real, kl_ssm_plan_##p);              \
        void(*adjoint) KL_SSM_ADJOINT_ARGS(real, kl_ssm_plan_##p);              \
        void(*embed) KL_SSM_EMBED_ARGS(real);                                   \
        void(*embed_back) KL_SSM_EMBED_BACK_ARGS(real);                         \
        void(*mix) KL_SSM_MIX_ARGS(real);                                       \
        void(*mix_back) KL_SSM_MIX_BACK_ARGS(real);                             \
        void(*angles) KL_SSM_ANGLES_ARGS(real);                                 \
        void(*rings_forward) KL_SSM_RINGS_FORWARD_ARGS(real, kl_ssm_rings_##p); \
        void(*rings_adjoint) KL_SSM_RINGS_ADJOINT_ARGS(real, kl_ssm_rings_##p); \
    };                                                                          \
    KL_KERNEL(const struct kl_ssm_##p, ssm_##p)
KL_SSM_TABLE(f32, float)
KL_SSM_TABLE(f64, double)

/* In files that are compiled in both precisions (kernels/inline/real.h). */
#define kl_kernel_ssm KL_NAME(kl_kernel_ssm)()
#define kl_ssm KL_NAME(kl_ssm)
#define kl_ssm_plan KL_NAME(kl_ssm_plan)
#define kl_ssm_rings KL_NAME(kl_ssm_rings)

#endif
