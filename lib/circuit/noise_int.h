/* SPDX-License-Identifier: MIT
   Private to lib/circuit/: what becomes of a description of noise until it is the canonical text. All
   JSON is jansson's; `what` is named in messages. */
#ifndef KL_NOISE_INT_H
#define KL_NOISE_INT_H

#include "circuit/noise.h"

struct json_t;
/* The text as JSON, not checked. */
int kl_circuit_noise_parse(struct json_t **root, const char *text, const char *what,
                           struct kl_error *err);

/* ---- spellings and units (noise_text.c) ---- */
/* x of a unit, "us", in seconds: the double that the same decimal number has in seconds. False: there is
   no such unit. */
#define KL_TIME_UNITS "s, ms, us, ns or ps"
bool kl_circuit_noise_seconds(double *seconds, double x, const char *unit);

/* ---- which qubits of a list (noise.c) ---- */
/* Numbers of a device's qubits, wire 0 first; n 0: nobody chose. */
struct kl_noise_choice {
    int n, qubit[KL_MAX_QUBITS];
};
/* From "0,3,5". KL_EUSAGE. */
int kl_circuit_noise_choice_read(struct kl_noise_choice *choice, const char *list, struct kl_error *err);
/* KL_EUSAGE: a number that none of the n qubits of the file has. */
int kl_circuit_noise_choice_check(const struct kl_noise_choice *choice, size_t n, const char *what,
                                  struct kl_error *err);
/* The list `qubits` of root becomes those that were chosen, else the first KL_MAX_QUBITS. KL_EUSAGE,
   KL_ENOMEM. */
int kl_circuit_noise_pick(struct json_t *root, struct kl_noise_source *source,
                          const struct kl_noise_choice *choice, const char *what, struct kl_error *err);
/* source->idle, of a root whose qubits are picked. */
void kl_circuit_noise_find_idle(struct kl_noise_source *source, const struct json_t *root);

/* ---- a backend's properties in IBM's form (noise_ibm.c) ---- */
bool kl_circuit_noise_is_ibm(const struct json_t *root);
/* The same calibration in our own form, a new reference; docs/noise.md says what becomes of each number.
   KL_EDATA, KL_EUSAGE, KL_ENOMEM. */
int kl_circuit_noise_from_ibm(struct json_t **own, struct kl_noise_source *source,
                              const struct json_t *root, const struct kl_noise_choice *choice,
                              const char *what, struct kl_error *err);
/* What the properties say of a qubit. Times in seconds; NAN: not given. */
struct kl_ibm_qubit {
    double t1, t2, meas1_prep0, meas0_prep1, readout_error, operational;
    double error, length;           /* of the gate on one qubit */
    bool assumed;                   /* one of the two is the mean of the others */
    double pair_error, pair_length; /* sums over its gates on two that work */
    int n_pairs, n_listed;          /* how many these are; and those that do not work */
};

#endif
