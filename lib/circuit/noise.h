/* SPDX-License-Identifier: MIT
   noise: what a device does to its qubits besides the gates: channels after every gate, once, whatever
   it is made of, and errors of the readout. The file's form and the meaning of each number:
   docs/noise.md. */
#ifndef KL_CIRCUIT_NOISE_H
#define KL_CIRCUIT_NOISE_H

#include "circuit/circuit.h"

/* Of one qubit. Pairs are for gates on one wire and for gates on several, behind which the channels
   stand on every wire. Probabilities and rates as PennyLane's channels take them; times in seconds. */
struct kl_qubit_noise {
    double depolarizing[2], amplitude_damping[2], phase_damping[2], bit_flip[2], phase_flip[2];
    double gate_time[2];
    double t1, t2;     /* INFINITY: none */
    double excited;    /* population of |1> in equilibrium */
    double readout[2]; /* probabilities of reading 1 in state 0, and 0 in state 1 */
};
struct kl_noise {
    int n_qubits; /* described one by one; 0: qubit[0] stands for all */
    struct kl_qubit_noise qubit[KL_MAX_QUBITS];
};
/* Make the canonical text of --noise's value: "depolarizing=0.01,t1=50us,gate-time=35ns", the name of a
   .json file, or one and qubits of it, "FILE.json,qubits=0,3,5". The text goes into keys and heads: a
   sorted list, or JSON if qubits differ, times in seconds; "" for "none". malloc'ed. KL_EUSAGE,
   KL_EDATA, KL_ENOINPUT, KL_EIO, KL_ENOMEM. */
int kl_circuit_noise_text(char **text, const char *option, struct kl_error *err);
/* The origin of a text, as far as the text does not tell it. */
enum { KL_NOISE_UNUSED = 240, KL_NOISE_LEFT_OUT = 8 };
struct kl_noise_source {
    char file[200];               /* "--noise": the text itself */
    bool chosen;                  /* the qubits were */
    int n_found;                  /* qubits that the file describes; 0: it has no list */
    int n_taken;                  /* of these, */
    int taken[KL_MAX_QUBITS];     /* their numbers there, wire 0 first */
    char idle[KL_NOISE_UNUSED];   /* names in `all` that each of these has as well */
    uint32_t t2_cut;              /* bit w: t2 of wire w was above 2 t1, and is 2 t1 */
    uint32_t assumed;             /* bit w: wire w has the mean of other qubits' gates on one */
    bool no_pairs;                /* there are no gates on two qubits: those on one stand for them */
    const char *pulse;            /* of IBM's properties: the gate on one qubit whose numbers were taken;
                                     else NULL, and what follows is empty */
    char unused[KL_NOISE_UNUSED]; /* what else is there, in words; "": nothing */
    int n_left_out, left_out[KL_NOISE_LEFT_OUT]; /* the first qubits that cannot be used */
    const char *why[KL_NOISE_LEFT_OUT];
};
/* kl_circuit_noise_text, and the source. */
int kl_circuit_noise_text_from(char **text, struct kl_noise_source *source, const char *option,
                               struct kl_error *err);
/* Notes on the noise of a circuit, a line each: which qubits of the source it has, what of the source is
   not used or was changed, what can hardly be meant (a gate that takes a third of t1), and what changes
   nothing of this circuit. source: NULL or zeros: not known. (noise_say.c) */
void kl_circuit_noise_say(const struct kl_log *log, const struct kl_noise_source *source,
                          const struct kl_circuit *c);
/* From such a text. what: named in messages. KL_EDATA, KL_EUSAGE, KL_ENOMEM. */
int kl_circuit_noise_read(struct kl_noise *noise, const char *text, const char *what,
                          struct kl_error *err);
/* Read a value of --trajectories; 0 of NULL. KL_EUSAGE: no number from `least` to a million, or without
   noise (a text of kl_circuit_noise_text; NULL: not known yet). */
int kl_circuit_trajectories_read(int64_t *n, const char *option, int64_t least, const char *noise,
                                 struct kl_error *err);
/* For people: the list, or the name of the calibration and how many qubits it describes; "none" of "".
 */
enum { KL_NOISE_LABEL = 256 };
void kl_circuit_noise_label(char label[KL_NOISE_LABEL], const char *text);
/* The circuit, not yet finished, becomes noisy; a text "" changes nothing. Up to KL_MOST_NOISY_QUBITS
   qubits it is run by density matrices, above that by KL_TRAJECTORIES realisations a sample, unless
   c->trajectories says otherwise. KL_EUSAGE: more qubits than are described. */
enum { KL_MOST_NOISY_QUBITS = 7, KL_TRAJECTORIES = 8 };
int kl_circuit_add_noise(struct kl_circuit *c, const char *text, struct kl_error *err);
/* Some channel stands after the gates of so many qubits: the readout is not all that errs. */
bool kl_circuit_noise_errs(const struct kl_noise *noise, int n_qubits);
/* For keys: the circuit has such channels, and gates for which it matters what one gate is
   (kl_circuit_has_composites). The same of the circuit that options describe, which is built without its
   noise; errors of kl_circuit_build and kl_circuit_noise_read. */
bool kl_circuit_errs_by_composites(const struct kl_circuit *c);
int kl_circuit_options_err_by_composites(bool *yes, const struct kl_circuit_options *o,
                                         struct kl_error *err);
#define KL_COMPOSITES_PART                                                     \
    "channels", "once a gate" /* name and value of the key's part that says so \
                               */

/* ---- errors taken back (circuit.c, noise.c) ---- */
/* The circuit, not yet finished, with each gate G as G (G^-1 G)^((factor - 1) / 2): the same circuit but
   for its noise, which is factor times as strong to first order. KL_EUSAGE: not odd, or above
   KL_MOST_FOLD; KL_ENOMEM. */
enum { KL_MOST_FOLD = 99 };
int kl_circuit_fold(struct kl_circuit *c, int factor, struct kl_error *err);
/* KL_EUSAGE: the errors of a qubit's readout cannot be inverted, because they add up to 1. */
int kl_circuit_readout_check(const struct kl_circuit *c, struct kl_error *err);
/* The circuit, not yet finished, without readout errors: what taking them back from exact outputs
   gives. Errors of kl_circuit_readout_check. */
int kl_circuit_readout_perfect(struct kl_circuit *c, struct kl_error *err);
/* p (2^n_qubits): shares of what was read, become estimates of the probabilities before the readout.
   They add up to what they did; some may be negative. */
void kl_circuit_readout_undo(double *p, const struct kl_circuit *c);
/* The same for the mean of one string that was measured alone: of one letter, or of several under
   errors that are the same in both states; KL_EUSAGE for any other. */
int kl_circuit_readout_mean_check(const struct kl_circuit *c, struct kl_pauli string,
                                  struct kl_error *err);
double kl_circuit_readout_mean(double mean, const struct kl_circuit *c, struct kl_pauli string);

/* A channel on a qubit in the basis of Pauli matrices (Greenbaum 2015, arXiv:1509.02921): X, Y and Z are
   multiplied by x, y and z, and shift times the identity's coefficient is added to Z's. All channels
   here have this form, and so have their products. */
struct kl_channel {
    double x, y, z, shift;
};
/* All channels of a qubit behind a gate, in the order of the struct's fields, thermal relaxation last:
   one by one, and as one. */
enum { KL_NOISE_STAGES = 6 };
struct kl_channel kl_circuit_noise_channel(const struct kl_noise *noise, int qubit,
                                           bool on_several_wires);

#endif
