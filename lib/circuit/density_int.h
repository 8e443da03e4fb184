/* SPDX-License-Identifier: MIT
   Private to lib/circuit/: a noisy circuit on its way to the program of kernels/density.h. */
#ifndef KL_DENSITY_INT_H
#define KL_DENSITY_INT_H

#include "circuit/circuit_int.h"
#include "circuit/noise.h"

/* A Pauli string, X where x, Z where z, Y where both; masks are over bits of the amplitude's number. */
struct kl_string {
    uint32_t x, z;
};
/* What acts on a density matrix: exp(-i angle string/2), a Clifford gate, or a channel. */
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

/* What becomes of a string: sign * string, for KL_ROTATION at an angle of pi/2. Returns the sign; for
   KL_ROTATION 0 if the string commutes with it, and is left as it is; 1 for a channel. */
int kl_circuit_element_acts(struct kl_string *string, const struct kl_element *e);
double kl_circuit_channel_factor(const struct kl_element *e, struct kl_string string);

/* The value that is read of outputs, as sums of strings: calls add for each. Readout errors are in it.
 */
void kl_circuit_output_terms(const struct kl_circuit *c, size_t output,
                             void (*add)(void *context, struct kl_string string, double weight),
                             void *context);

/* Strings by number, x << n | z; sets of them are arrays of words, one bit a string (reach.c). */
struct kl_reach {
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
struct kl_string kl_circuit_string_of(const struct kl_reach *r, size_t k);
size_t kl_circuit_string_number(const struct kl_reach *r, struct kl_string s);
/* Where element e takes string k, and *sign, as kl_circuit_element_acts says. */
size_t kl_circuit_string_target(int *sign, const struct kl_reach *r, const struct kl_element *e,
                                size_t k);
/* The string with Z on the channel's qubit that gets the shift of string k; k itself: there is none. */
size_t kl_circuit_string_shifted(const struct kl_reach *r, const struct kl_element *e, size_t k);
/* The pairs of strings that rotation i mixes, from a string to what it becomes with sign +1; pairs has
   room for n_strings. */
size_t kl_circuit_reach_pairs(struct kl_density_pair *pairs, const struct kl_reach *r, size_t i);
/* r->all is set, and is kl_circuit_reach_free's to free. KL_ENOMEM. */
int kl_circuit_reach_make(struct kl_reach *r, const struct kl_circuit *c, struct kl_error *err);
void kl_circuit_reach_free(struct kl_reach *r);

/* plan->density from a circuit with noise. KL_ENOMEM. */
int kl_circuit_density(struct kl_circuit_plan *plan, const struct kl_circuit *c, struct kl_error *err);

#endif
