/* SPDX-License-Identifier: MIT
   vqc: variational circuits, one group of samples side by side in the lanes of a vector. A state is
   amplitude-major: amplitude k of the group's samples is one vector; complex states keep all real parts,
   then all imaginary parts; circuits whose gates are all real have no imaginary parts. The adjoint sweep
   (Jones & Gacon 2020, arXiv:2009.02823) carries one bra for the weighted sum of all observables. Its
   cuda/ twin, circuit.cu, runs whole batches and has a table of its own (kernels/cuda.h). */
#ifndef KL_KERNELS_VQC_H
#define KL_KERNELS_VQC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/isa.h"

enum kl_vqc_gate {
    KL_VQC_RX,
    KL_VQC_RY,
    KL_VQC_RZ,
    KL_VQC_MULTIRZ,
    KL_VQC_H,
    KL_VQC_X,
    KL_VQC_CZ,
    KL_VQC_MIX /* any real matrix ((a, b), (c, d)) with an inverse, no derivative: a, d are the cosines,
                  b, c the sines of its slot and the next one */
};

/* Masks are over bits of the amplitude's number. control 0: none. slot: which angle, -1 for gates
   without one. */
struct kl_vqc_op {
    enum kl_vqc_gate gate;
    uint32_t target, control;
    int slot;
};
struct kl_vqc_observable {
    uint32_t x, z; /* Pauli string: X where only x is set, Z where only z, Y where both */
};
/* A state phi to compare with, by its amplitudes that are not 0, in rising order of number. */
struct kl_vqc_amplitude {
    uint32_t number;
    double re, im;
};
struct kl_vqc_target {
    size_t n;
    const struct kl_vqc_amplitude *amplitude;
};
struct kl_vqc_program {
    int n_qubits;
    bool real;
    bool from_given;    /* forward begins with the amplitudes in state, not with |0> */
    bool probabilities; /* out is the probability of every basis state; there are no obs and targets */
    size_t n_ops, n_slots, n_obs, n_targets;
    const struct kl_vqc_op *ops;
    const struct kl_vqc_observable *obs;
    const struct kl_vqc_target *targets;
};

/* The faster form of circuits whose gates are RY, CNOT and X alone, observed by strings of Z: layers of
   RY, between which amplitudes only move. Amplitude y of a layer lies at place origin ^ XOR of
   direction[b] over the bits b of y, so that nothing is ever moved. Layer 0 has the identity as its map
   and acts on |0>; layer[n_layers], without rotations, is the map at the end. Strings lie within the
   lower KL_VQC_LOW_BITS bits or within the others. */
enum { KL_VQC_MOST_QUBITS = 20 };
#define KL_VQC_LOW_BITS(n_qubits) (((n_qubits) + 1) / 2)
struct kl_vqc_layer {
    uint32_t origin, direction[KL_VQC_MOST_QUBITS];
    uint32_t dual[KL_VQC_MOST_QUBITS]; /* bit b of y is the parity of dual[b] & (place ^ origin) */
    int slot[KL_VQC_MOST_QUBITS];      /* of the RY on each bit, -1: none */
};
struct kl_vqc_layers {
    int n_qubits;
    size_t n_layers, n_obs;
    const struct kl_vqc_layer *layer;
    const struct kl_vqc_observable *obs;
};

/* The faster form of circuits of rotations on single qubits, CNOT and X: layers as above, whose slot[b]
   is the first of the turns of bit b, -1: none. turn.slot is that of the angle, turn.next and
   turn.before the turns beside it, -1: none. The state is left moved. real: RY alone. Where one state
   fills the lanes (wide_) there are also layers of other gates in place of turns: gates
   other[first_other[l]] to other[first_other[l + 1]] - 1, either one controlled rotation or MULTIRZ
   alone. Strings are of Z alone but for wide_, where the outputs may also be the probabilities of all
   basis states, in place of strings. */
struct kl_vqc_turn {
    enum kl_vqc_gate gate; /* KL_VQC_RX, KL_VQC_RY, KL_VQC_RZ */
    int slot, next, before;
};
struct kl_vqc_rotations {
    int n_qubits;
    bool real, probabilities;
    size_t n_layers, n_obs;
    const struct kl_vqc_layer *layer;
    const struct kl_vqc_turn *turn;
    const struct kl_vqc_observable *obs;
    const struct kl_vqc_op *other;
    const size_t *first_other; /* (n_layers + 1), or NULL: there are none */
};

/* L lanes (table's `lanes`). cosine, sine: (n_slots, L) of half the angles.
   forward: out (n_obs + n_targets, L): expectation values, then |<phi|psi>|^2; probabilities: (2^n, L);
   state ((real ? 1 : 2) * 2^n, L) is set (from_given: was set, and is overwritten). adjoint: dangle
   (n_slots, L) is set to the derivatives of sum(cot * out), cot as out; state is undone; bra: scratch of
   the state's size, at the end half of the derivatives by the amplitudes given. layers_: the same for
   struct kl_vqc_layers; work: (2^KL_VQC_LOW_BITS, L) of scratch. wide_: for struct kl_vqc_rotations,
   sample after sample, the amplitudes of one in the lanes, for n_qubits of at least KL_VQC_WIDE_BITS +
   log2(L). Samples [first, first + count) of the group: state, bra (count, (real ? 1 : 2) * 2^n); only
   their lanes of out and dangle are set; forward's state is what adjoint takes. work:
   KL_VQC_WIDE_WORK(n, n_obs) * L values. pool (may be NULL) shares the passes over one state; nothing
   depends on it. half_angles: cosine and sine of angle / 2, n values, n a multiple of L; angle may be
   cosine or sine.
 */
enum { KL_VQC_WIDE_BITS = 4, KL_VQC_WIDE_CHUNKS = 16 };
#define KL_VQC_WIDE_WORK(n, n_obs) \
    (7 * (size_t)(n) + 2 * (n_obs) + 3 * KL_VQC_MOST_QUBITS * KL_VQC_WIDE_CHUNKS)
struct kl_pool;
#define KL_VQC_TYPES(real, p)                                                                           \
    typedef void (*kl_vqc_forward_##p##_fn)(real * out, real * state,                                   \
                                            const struct kl_vqc_program *program, const real *cosine,   \
                                            const real *sine);                                          \
    typedef void (*kl_vqc_adjoint_##p##_fn)(real * dangle, real * state, real * bra,                    \
                                            const struct kl_vqc_program *program, const real *cosine,   \
                                            const real *sine, const real *cot);                         \
    typedef void (*kl_vqc_layers_forward_##p##_fn)(real * out, real * state, real * work,               \
                                                   const struct kl_vqc_layers *layers,                  \
                                                   const real *cosine, const real *sine);               \
    typedef void (*kl_vqc_layers_adjoint_##p##_fn)(                                                     \
        real * dangle, real * state, real * bra, real * work, const struct kl_vqc_layers *layers,       \
        const real *cosine, const real *sine, const real *cot);                                         \
    typedef void (*kl_vqc_rotations_forward_##p##_fn)(real * out, real * state,                         \
                                                      const struct kl_vqc_rotations *turns,             \
                                                      const real *cosine, const real *sine);            \
    typedef void (*kl_vqc_rotations_adjoint_##p##_fn)(                                                  \
        real * dangle, real * state, real * bra, const struct kl_vqc_rotations *turns,                  \
        const real *cosine, const real *sine, const real *cot);                                         \
    typedef void (*kl_vqc_wide_forward_##p##_fn)(                                                       \
        real * out, real * state, real * work, const struct kl_vqc_rotations *turns,                    \
        const real *cosine, const real *sine, size_t first, size_t count, struct kl_pool *pool);        \
    typedef void (*kl_vqc_wide_adjoint_##p##_fn)(real * dangle, real * state, real * bra, real * work,  \
                                                 const struct kl_vqc_rotations *turns,                  \
                                                 const real *cosine, const real *sine, const real *cot, \
                                                 size_t first, size_t count, struct kl_pool *pool);     \
    typedef void (*kl_vqc_half_angles_##p##_fn)(real * cosine, real * sine, const real *angle, size_t n);
KL_VQC_TYPES(float, f32)
KL_VQC_TYPES(double, f64)

struct kl_vqc_f32 {
    int lanes;
    kl_vqc_forward_f32_fn forward;
    kl_vqc_adjoint_f32_fn adjoint;
    kl_vqc_half_angles_f32_fn half_angles;
    kl_vqc_layers_forward_f32_fn layers_forward;
    kl_vqc_layers_adjoint_f32_fn layers_adjoint;
    kl_vqc_rotations_forward_f32_fn turns_forward;
    kl_vqc_rotations_adjoint_f32_fn turns_adjoint;
    kl_vqc_wide_forward_f32_fn wide_forward;
    kl_vqc_wide_adjoint_f32_fn wide_adjoint;
};
struct kl_vqc_f64 {
    int lanes;
    kl_vqc_forward_f64_fn forward;
    kl_vqc_adjoint_f64_fn adjoint;
    kl_vqc_half_angles_f64_fn half_angles;
    kl_vqc_layers_forward_f64_fn layers_forward;
    kl_vqc_layers_adjoint_f64_fn layers_adjoint;
    kl_vqc_rotations_forward_f64_fn turns_forward;
    kl_vqc_rotations_adjoint_f64_fn turns_adjoint;
    kl_vqc_wide_forward_f64_fn wide_forward;
    kl_vqc_wide_adjoint_f64_fn wide_adjoint;
};
KL_KERNEL(const struct kl_vqc_f32, vqc_f32)
KL_KERNEL(const struct kl_vqc_f64, vqc_f64)

/* In files that are compiled in both precisions (kernels/inline/real.h). */
#define kl_kernel_vqc KL_NAME(kl_kernel_vqc)()
#define kl_vqc KL_NAME(kl_vqc)

#endif
