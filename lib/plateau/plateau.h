/* SPDX-License-Identifier: MIT
   plateau: how fast gradients vanish as circuits grow. Variance, over random parameters, of the
   derivative of an expectation value, on a grid of qubits and layers (McClean et al. 2018,
   arXiv:1803.11173), for local and for global observables (Cerezo et al. 2021, arXiv:2001.00550). */
#ifndef KL_PLATEAU_H
#define KL_PLATEAU_H

#include "base/base.h"

struct kl_plateau_options {
    const char *ansatz, *entanglement; /* as in struct kl_circuit_options */
    const char *qubits, *layers;       /* rising lists: "2-12", "1,2,4,8-10" */
    const char *observables; /* list of "local" (Z on wire 0), "global" (Z on every wire) and Pauli
                                strings from wire 0 on, to which identities are added: "ZZ" */
    const char *parameter;   /* number of the parameter, or "all": mean of all parameters' variances */
    int64_t draws, resamples;
    int64_t mirror;   /* as in struct kl_circuit_options */
    const char *init; /* "uniform"; "identity": every mirrored layer undoes its image, what begins or
                         closes the ansatz is 0, so the layers are the identity at every draw */
    double spread;    /* parameters are uniform within +- spread; pi: the same as [0, 2 pi) */
    double initial;   /* angle of an RY on every wire before the first layer */
    int64_t seed;
};
/* 2-8 qubits, layers 1,2,4,8,16, 200 draws, 1,000 resamples, the first parameter, everywhere, RY(pi/4)
   first as in McClean et al. */
void kl_plateau_options_default(struct kl_plateau_options *o);

enum { KL_PLATEAU_LIST = 64, KL_PLATEAU_NAME = 32 };
/* Below this variance there is nothing but rounding: the derivative is 0. */
#define KL_PLATEAU_ROUNDING 1e-28

/* Numbers of a cell stand at [o][q][l]: observable, number of qubits, number of layers; those of the fit
   at [o][l]. */
struct kl_plateau {
    size_t n_observables, n_qubits, n_layers;
    int qubits[KL_PLATEAU_LIST], layers[KL_PLATEAU_LIST];
    char observables[KL_PLATEAU_LIST][KL_PLATEAU_NAME];
    size_t n_draws;
    double *mean, *variance, *low, *high; /* low, high: 95 % bootstrap interval of the variance */
    /* Least-squares slope of ln(variance) over the number of qubits, in nats a qubit, and its bootstrap
       interval; NaN with fewer than two cells above rounding. */
    double *slope, *slope_low, *slope_high;
};
/* The whole grid. The result depends on options alone, not on threads, and a cell's numbers not on the
   other cells. Memory beyond the result: at most 256 MiB of gradients at a time (or one cell's, draws x
   parameters x observables x 8 bytes), draws x resamples bytes for the bootstrap, and what
   kl_circuit_forward_f64 takes a thread. Free p with
   kl_plateau_free in every case. KL_EUSAGE, KL_ENOMEM, KL_ESIGNAL. */
int kl_plateau_scan(struct kl_plateau *p, const struct kl_plateau_options *o, struct kl_pool *pool,
                    const struct kl_watch *watch, struct kl_error *err);
void kl_plateau_free(struct kl_plateau *p);
struct kl_writer;
int kl_plateau_save(struct kl_writer *writer, const struct kl_plateau *p, struct kl_error *err);
/* A caution on each observable that does not depend on the parameter somewhere on the grid (results.c).
 */
void kl_plateau_remark(const struct kl_log *log, const struct kl_plateau *p,
                       const struct kl_plateau_options *options);
/* A table for each observable, layers side by side; detailed: one line a cell with its interval. */
void kl_plateau_table(FILE *to, const struct kl_plateau *p, bool detailed);
/* Print the JSON of a scan that was computed; output: its file, or NULL. */
int kl_plateau_json(FILE *to, const struct kl_plateau *p, const char *output, const char *key,
                    struct kl_error *err);

struct kl_mode;
struct kl_kind;
extern const struct kl_mode kl_mode_plateau; /* of circuit (mode_plateau.c) */
extern const struct kl_tool kl_plateau_tool; /* its table, for tool->parts */
extern const struct kl_kind kl_plateau_kind; /* what its file shows (store/kind.h) */

#endif
