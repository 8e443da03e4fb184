/* SPDX-License-Identifier: MIT
   Private to lib/circuit/: noisy circuits lowered: elements, Pauli coefficients, trajectories. */
#ifndef KL_CIRCUIT_LOWER_INT_H
#define KL_CIRCUIT_LOWER_INT_H

#include "circuit/circuit_int.h"
#include "circuit/noise.h"

/* A Pauli string, X where x, Z where z, Y where both; masks are over bits of the amplitude's number. */
struct kl_string {
    uint32_t x, z;
};
/* An element that acts on a density matrix: exp(-i angle string/2), a Clifford gate, or a channel. */
struct kl_element {
    enum { KL_ROTATION, KL_CLIFFORD, KL_CHANNEL } kind;
    int level; /* rotations of a level are all on different qubits, and come before its other elements */
    struct kl_string string; /* KL_ROTATION */
    int slot;
    enum kl_gate gate;      /* KL_CLIFFORD: KL_H, KL_X, KL_CNOT, KL_CZ */
    uint32_t first, second; /* its bits, of a controlled gate the control first; the channel's bit */
    struct kl_channel channel;
};
struct kl_elements {
    size_t n, n_levels;
    struct kl_element *element; /* malloc'ed */
};
/* In the order of the gates; channels as trajectories draw them where c->trajectories. plan's angles,
   slots and n_slots are filled in. all->element is the caller's to free, after a failure too. KL_ENOMEM.
 */
int kl_circuit_elements_list(struct kl_elements *elements, struct kl_circuit_plan *plan,
                             const struct kl_circuit *c, struct kl_error *err);
/* The same in order of execution, level after level. plan's angles, slots and n_slots are filled in.
 * KL_ENOMEM.
 */
int kl_circuit_elements_make(struct kl_elements *elements, struct kl_circuit_plan *plan,
                             const struct kl_circuit *c, struct kl_error *err);

/* Map a string to sign * string, for KL_ROTATION at an angle of pi/2. Returns the sign; for KL_ROTATION
   0 if the string commutes with it, and is left as it is; 1 for a channel. */
int kl_circuit_element_acts(struct kl_string *string, const struct kl_element *e);
double kl_circuit_channel_factor(const struct kl_element *e, struct kl_string string);

/* The value that is read of outputs, as sums of strings: calls add for each. Readout errors are in it.
 */
void kl_circuit_output_terms(const struct kl_circuit *c, size_t output,
                             void (*add)(void *context, struct kl_string string, double weight),
                             void *context);

/* Strings by number, x << n | z; sets of them are arrays of words, one bit a string (density.c). */
struct kl_pauli_support {
    struct kl_elements all;
    int n_qubits;
    size_t n_strings, words;
    uint64_t *filled,
        *seen;      /* (all.n + 1 sets) before element i: can it differ from 0; is it in outputs */
    uint64_t *live; /* strings that need a place */
};
static inline bool kl_circuit_is_in(const uint64_t *set, size_t k)
{
    return set[k / 64] >> k % 64 & 1;
}
struct kl_string kl_circuit_string_of(const struct kl_pauli_support *r, size_t k);

/* plan->density from a circuit with noise. KL_ENOMEM. */
int kl_circuit_density(struct kl_circuit_plan *plan, const struct kl_circuit *c, struct kl_error *err);

/* ---- Private to lib/circuit/: a noisy circuit as a mean over realisations of its noise. Each
   realisation is the circuit's own program (kernels/vqc.h) on pure states, changed in what the kernels
   are given: - Pauli operators are not run but carried along as a frame, exact up to a sign of the
   state: behind them exp(-i a P/2) is exp(+i a P/2) where P and the frame anticommute, Clifford gates
   change the frame, and an observable that anticommutes with it at the end changes its sign. - Damping
   is one of the matrices ((1, +-sqrt r), (0, sqrt(1 - r))), each with probability 1/2: these two over
   sqrt 2 are Kraus operators of it. States lose their norm, whose mean stays 1: means over realisations
   of <psi|O|psi> are tr(rho O), exactly, and so are their derivatives
   ---- */
/* One step of a realisation, in the order of the gates. */
struct kl_trajectory_step {
    enum { KL_TRAJECTORY_TURN, KL_TRAJECTORY_CLIFFORD, KL_TRAJECTORY_PAULI, KL_TRAJECTORY_DAMP } kind;
    struct kl_element element; /* the slot of KL_TRAJECTORY_TURN is its angle's number */
    uint64_t below[3];         /* KL_TRAJECTORY_PAULI: a word below [0] is X, below [1] Y, below [2] Z */
    int slot;                  /* KL_TRAJECTORY_DAMP: of the KL_VQC_MIX */
    double clear; /* KL_TRAJECTORY_PAULI: probability of no error up to here, here included */
};
struct kl_trajectory {
    size_t n_steps;
    const struct kl_trajectory_step *step;
    double clear; /* probability of no Pauli error at all */
    bool damps;
    /* Output o is constant[o] + sum of weight * string over terms first[o] .. first[o + 1] - 1; strings
       are what the program observes. With probabilities there are none of these, but readout errors by
       bit. */
    size_t n_strings;
    const struct kl_string *string;
    const size_t *first;
    const struct kl_density_term *term;
    const double *constant;
    const double (*readout)[2]; /* (n_qubits) */
};
/* plan->trajectory and plan->program from a circuit with noise. KL_ENOMEM; KL_EUSAGE: damping that
   trajectories cannot undo, or too many strings. */
int kl_circuit_trajectory(struct kl_circuit_plan *plan, const struct kl_circuit *c,
                          struct kl_error *err);

/* Realisations are two strata, which leaves less to chance: some have no Pauli error, and the weight
   that the probability of that has; the others have one at least. One alone is drawn from all. Of the
   former there is one where it is always the same, else as many as that probability has them. */
struct kl_stratum {
    enum { KL_STRATUM_ALL, KL_STRATUM_CLEAR, KL_STRATUM_ERRORS } kind;
    double weight; /* of each; they add up to 1 */
};
struct kl_stratum kl_circuit_trajectory_stratum(const struct kl_circuit *c, size_t t);

/* One realisation for the samples of a group, in lanes. */
struct kl_frames_f32 {
    float *sign;        /* (n_angles, lanes): 1 or -1, to multiply each angle with */
    float *string_sign; /* (n_strings, lanes) of observables */
    uint32_t *moved;    /* (lanes): basis states are read as they are ^ moved */
};
struct kl_frames_f64 {
    double *sign, *string_sign;
    uint32_t *moved;
};
/* Realisation c->draws.trajectory + t of `here` samples, the first of which is number `first` from
   c->draws.sample; further lanes repeat that one. cosine and sine (n_slots, lanes): the slots of
   KL_VQC_MIX are set. */
void kl_circuit_frames_draw_f32(const struct kl_frames_f32 *f, float *cosine, float *sine,
                                const struct kl_circuit *c, size_t first, size_t here, size_t lanes,
                                size_t t);
void kl_circuit_frames_draw_f64(const struct kl_frames_f64 *f, double *cosine, double *sine,
                                const struct kl_circuit *c, size_t first, size_t here, size_t lanes,
                                size_t t);

/* In files that are compiled in both precisions (kernels/inline/real.h). */
#define kl_frames KL_NAME(kl_frames)
#define kl_circuit_frames_draw KL_NAME(kl_circuit_frames_draw)

#endif
