/* SPDX-License-Identifier: MIT
   shots: outputs of a circuit as means of finitely many measurements, drawn from exact probabilities. */
#ifndef KL_CIRCUIT_SHOTS_H
#define KL_CIRCUIT_SHOTS_H

#include "circuit/circuit.h"

enum { KL_MOST_MEASURED_QUBITS = 12 }; /* those of kl_circuit_with_probabilities */

/* n measurements a sample and setting. Strings of Z, probabilities and fidelities with basis states come
   from one setting, the same measurements of all qubits; every other string or fidelity has a setting of
   its own. Outputs that are sums come from readings (kl_circuit_with_readings, kl_circuit_sum_readings).
   The random numbers are a function of all that is named here, the sample's row and the evaluation's
   number. */
struct kl_shots {
    size_t n; /* 0: exact expectation values */
    uint64_t seed;
    uint32_t purpose; /* of enum kl_purpose */
    uint32_t step, replica;
    const int64_t *rows; /* a number for each sample; NULL: 0, 1, 2, ... */
    bool undo_readout;   /* take readout errors back from the measurements (noise.h); the caller has
                            checked */
};
/* The value of an option --shots. KL_EUSAGE. */
int kl_circuit_shots_number(size_t *n, const char *text, struct kl_error *err);
/* Values of scratch for kl_circuit_shots_sample. */
static inline size_t kl_circuit_shots_scratch(const struct kl_circuit *c)
{
    return (size_t)3 << c->n_qubits;
}
/* c reads plainly. out (n, n_obs of c): exact (only what is no string of Z needs to be), becomes the
   means of shots->n measurements of samples first .. first + n - 1. p (n, 2^n_qubits): probabilities of
   the basis states; where they are no numbers, the outputs are none either. evaluation: tells apart
   circuits that the same sample goes through. */
void kl_circuit_shots_sample_f32(float *out, double *scratch, const struct kl_circuit *c, const float *p,
                                 size_t first, size_t n, uint32_t evaluation,
                                 const struct kl_shots *shots);
void kl_circuit_shots_sample_f64(double *out, double *scratch, const struct kl_circuit *c,
                                 const double *p, size_t first, size_t n, uint32_t evaluation,
                                 const struct kl_shots *shots);

/* The key of sample number `sample`'s own random numbers, for that purpose. */
uint64_t kl_circuit_shots_key(const struct kl_shots *shots, uint32_t purpose, size_t sample);

/* Fair coins, counter-based: a function of key, setting and evaluation. */
struct kl_coins {
    uint64_t key, word[2];
    uint32_t setting, evaluation, block;
    int left; /* bits in word */
};
/* How many of n trials succeed that each do with probability p (binomial.c). */
uint32_t kl_circuit_binomial(struct kl_coins *coins, uint32_t n, double p);

/* In files that are compiled in both precisions (kernels/inline/real.h). */
#define kl_circuit_shots_sample KL_NAME(kl_circuit_shots_sample)

#endif
