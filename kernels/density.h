/* SPDX-License-Identifier: MIT
   density: circuits with noise, one group of samples side by side in the lanes of a vector. A density
   matrix is kept as the coefficients r_P = tr(rho P) of the Pauli strings P that the circuit can fill
   and the outputs can see: real numbers, at most 4^n. There a rotation exp(-i angle Q/2) turns pairs of
   coefficients, a Clifford gate or a channel that keeps the identity is one entry a row (a map), and
   what relaxes towards |0> adds a multiple of one coefficient to another (a shift). No cuda/ twin yet:
   one thread a sample over the same lists is the next family to come. */
#ifndef KL_KERNELS_DENSITY_H
#define KL_KERNELS_DENSITY_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/isa.h"

/* KEEP: a level begins; its rotations come next, all on different qubits, then its maps and shifts.
   ROTATE: pairs (to, from), to' = c to - s from, from' = s to + c from.
   MAP: new[k] = scale[k] * old[from[k]] for all k; the transposed map has back and back_scale.
   SHIFT: new[to] = old[to] + factor * old[from] for the pairs. */
enum kl_density_kind { KL_DENSITY_KEEP, KL_DENSITY_ROTATE, KL_DENSITY_MAP, KL_DENSITY_SHIFT };
struct kl_density_pair {
    uint32_t to, from;
};
struct kl_density_map {
    const uint32_t *from, *back;
    const double *scale, *back_scale;
};
struct kl_density_op {
    enum kl_density_kind kind;
    int slot; /* ROTATE: which angle */
    size_t n; /* pairs */
    const struct kl_density_pair *pairs;
    struct kl_density_map map;
    double factor;
};
struct kl_density_term {
    uint32_t place;
    double weight;
};
struct kl_density_program {
    int n_qubits;
    size_t n_coefficients, n_kept, n_ops, n_obs;
    const uint32_t *x, *z; /* (n_coefficients) the Pauli string: X where x, Z where z, Y where both */
    /* The state at the beginning: with coefficients 1 at start (n_start) and 0 elsewhere, or,
       from_given, with the real amplitudes that stand at the beginning of state. */
    size_t n_start;
    const uint32_t *start;
    int from_given;
    const struct kl_density_op *ops;
    /* Output o is the sum of weight * coefficient over term[first[o]] to term[first[o + 1] - 1]. */
    const size_t *first;
    const struct kl_density_term *term;
};

/* L lanes (those of kl_vqc's table). cosine, sine: (n_slots, L) of the angles themselves.
   forward: out (n_obs, L); state: (from_given ? 2^n : 0, L) read, then (n_kept, n_coefficients, L) set,
   for adjoint. adjoint: dangle (n_slots, L) is set to the derivatives of sum(cot * out), cot (n_obs, L);
   bra (2^n, L): if from_given, half of the derivatives by the amplitudes given. work: (2,
   n_coefficients, L) of scratch. */
#define KL_DENSITY_TYPES(real, p)                                                                     \
    typedef void (*kl_density_forward_##p##_fn)(real * out, real * state, real * work,                \
                                                const struct kl_density_program *program,             \
                                                const real *cosine, const real *sine);                \
    typedef void (*kl_density_adjoint_##p##_fn)(real * dangle, real * bra, const real *state,         \
                                                real *work, const struct kl_density_program *program, \
                                                const real *cosine, const real *sine, const real *cot);
KL_DENSITY_TYPES(float, f32)
KL_DENSITY_TYPES(double, f64)

struct kl_density_f32 {
    kl_density_forward_f32_fn forward;
    kl_density_adjoint_f32_fn adjoint;
};
struct kl_density_f64 {
    kl_density_forward_f64_fn forward;
    kl_density_adjoint_f64_fn adjoint;
};
KL_KERNEL(const struct kl_density_f32, density_f32)
KL_KERNEL(const struct kl_density_f64, density_f64)

/* In files that are compiled in both precisions (kernels/inline/real.h). */
#define kl_kernel_density KL_NAME(kl_kernel_density)()
#define kl_density KL_NAME(kl_density)

#endif
