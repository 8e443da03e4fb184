/* SPDX-License-Identifier: MIT
   Private to pulse_index.c and lookup.c: what the index of a store keeps of a pulse. */
#ifndef KL_CONTROL_LOOKUP_INT_H
#define KL_CONTROL_LOOKUP_INT_H

#include "control/stored/stored.h"
#include "store/store.h"

/* Behind it stand u [segments][controls] and, of an ensemble of at most KL_CONTROL_KEPT, its members. */
enum { KL_CONTROL_KEPT = 256 };
struct kl_control_indexed {
    unsigned char family[16]; /* digest of system and objective: all but the values of parameters */
    unsigned char rule[16];   /* of what members make together, and their weights */
    unsigned char shape[16];  /* of the waveform */
    int32_t segments, samples, controls, params, members;
    int32_t ended; /* starts that ended at a minimum; 0 where the best one did not, or the rules by which
                      they end were loosened */
    int32_t plain, zero_ends, energy, mean; /* each 0 or 1: the waveform; are its first and last sample
                                               0; a factor of energy; the rule */
    int32_t n_moduli;
    double duration, loss, nominal; /* loss NaN: of an ensemble that was not judged on its law */
    double slack;                   /* to which the search is assumed to have found the least loss */
    double turn;                    /* how far the loss can move when the amplitude moves by 1 */
    double low[KL_CONTROL_MAX_CONTROLS], high[KL_CONTROL_MAX_CONTROLS];   /* limits of the search */
    double least[KL_CONTROL_MAX_CONTROLS], most[KL_CONTROL_MAX_CONTROLS]; /* of the pulse */
    struct kl_control_modulus moduli[KL_CONTROL_MAX_CONTROLS / 2];
    struct kl_control_sensitivity moves;
    struct kl_control_task task; /* the nominal one */
};
extern const struct kl_index_maker kl_control_pulse_index;
void kl_control_family(unsigned char digest[16], const struct kl_control_setup *setup);
void kl_control_rule(unsigned char digest[16], const struct kl_control_setup *setup);
void kl_control_shape_of(unsigned char digest[16], const struct kl_control_setup *setup);
/* Behind data of n bytes; NULL: they are no such description. */
const struct kl_control_indexed *kl_control_indexed_of(const void *data, size_t n);
const double *kl_control_indexed_u(const struct kl_control_indexed *p);
const struct kl_control_task *kl_control_indexed_members(const struct kl_control_indexed *p);

#endif
