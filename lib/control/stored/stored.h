/* SPDX-License-Identifier: MIT
   control/stored: what is known of stored pulses: the best one for a task with bounds on what another
   could gain, and what the loss of one is made of. */
#ifndef KL_CONTROL_STORED_H
#define KL_CONTROL_STORED_H

#include "control/pulse/pulse.h"

/* ---- bounds that hold for all pulses (bound.c) ---- */
/* No pulse of this duration, whatever its amplitudes, loses less: the decay that no control undoes. Of
   one qubit's gate it is what doing nothing costs an identity. 0 where nothing is proven: of one state,
   of `states` and `leakage` with levels that do not compute, where a control is no Hamiltonian's.
   KL_ENOMEM. */
int kl_control_decoherence_limit(double *limit, const struct kl_control_system *system,
                                 const struct kl_control_objective *objective,
                                 enum kl_control_fidelity fidelity, double duration,
                                 const struct kl_control_task *task, struct kl_error *err);
/* The same in the mean over what a setup spreads, from below. 0 too where more than three rates are
 * spread.
 */
int kl_control_law_limit(double *limit, const struct kl_control_setup *setup, struct kl_error *err);
/* For any pulse, a parameter that moves by x for the duration T moves the loss by at most params x T; a
   control likewise. KL_ENOMEM. */
struct kl_control_sensitivity {
    double params[KL_CONTROL_MAX_PARAMS], controls[KL_CONTROL_MAX_CONTROLS];
};
int kl_control_sensitivity_make(struct kl_control_sensitivity *to,
                                const struct kl_control_system *system,
                                enum kl_control_fidelity fidelity, struct kl_error *err);

/* ---- the best stored pulse for a task (lookup.c, pulse_index.c) ---- */
enum { KL_CONTROL_PATH = 1024 };
struct kl_control_lookup {
    size_t pulses, unread; /* in the store; files that could not be read */
    size_t fit, compared;  /* that fit the task; of these, whose loss was computed */
    bool found;            /* else the rest says nothing, but start_found and floors */
    char best[KL_CONTROL_PATH], key[65];
    double loss, stored_loss; /* here, over the law; and where it was optimised, NaN: not judged there */
    int segments;
    double duration;
    double proven; /* no pulse loses less: kl_control_law_limit */
    /* No pulse loses less if the search that made `from` found the least loss of its own task to within
       slack, KL_CONTROL_ASSUMED or where L-BFGS ended as usual a hundredth: that least less how far a
       loss can move from there to here. */
    bool has_assumed;
    double assumed, moved, slack;
    char from[KL_CONTROL_PATH];
    bool start_found; /* of as many samples and controls, nearest by how far a loss can move */
    char start[KL_CONTROL_PATH];
    double start_loss, start_distance;
    double seconds;
};
#define KL_CONTROL_ASSUMED 1e-6
/* Losses are the setup's without its factor of energy. KL_ENOINPUT: no such store; KL_ENOMEM. */
int kl_control_lookup(struct kl_control_lookup *to, const char *store,
                      const struct kl_control_setup *setup, struct kl_error *err);

/* ---- error budget (budget.c) ---- */
enum { KL_CONTROL_BUDGET_TERMS = KL_CONTROL_MAX_PARAMS + KL_CONTROL_MAX_CONTROLS + 1 };
enum { KL_CONTROL_BUDGET_UNCERTAIN = 5 }; /* terms with a size that is not 0, at most */
struct kl_control_budget_term {
    char name[40]; /* "gamma_phi", "detuning", "amplitude", "skew_y": control y is late */
    int param;     /* of the system; KL_CONTROL_AMPLITUDE; or less: of control - 2 - param the delay */
    bool rate;
    double size;             /* of a rate its value; else the standard deviation of a normal error */
    double slope, curvature; /* of the loss; curvature of a rate: 0, it is not asked for */
    double part;             /* size slope of a rate; size^2 curvature / 2 of an error */
    double swing; /* |size slope| of an error: what one standard deviation does, to first order */
    double alone, without; /* exact: this one and no other, less none; all, less all but this one */
    double filter;   /* one qubit's gate: by the filter function, dephasing and detuning; else NAN */
    double averaged; /* exact mean over this error, rates as they are, less the loss
                        (kl_control_noise_average); NAN of a rate and of a delay */
};
struct kl_control_budget {
    int n;
    struct kl_control_budget_term terms[KL_CONTROL_BUDGET_TERMS];
    double loss;      /* rates as they are, no error */
    double residual;  /* no rate, no error: the pulse's own */
    double total;     /* rates and errors, the mean over their laws by as many nodes as each needs */
    double unsettled; /* by how much one node more of each gives another total */
    double sum;       /* residual and all parts */
};
/* sigmas: "detuning=0.01 amplitude=0.01 skew_y=0.002". A delayed control is 0 before the pulse and cut
   behind it. At most the duration T of a delay, 1 of the amplitude, 10 / T of the others; each name
   once. task: the system's own values. KL_EUSAGE, KL_ENOMEM, KL_EDATA. */
int kl_control_budget(struct kl_control_budget *budget, const struct kl_control_setup *setup,
                      const double *u, const char *sigmas, struct kl_error *err);

/* ---- what the first words of qcontrol do (mode_WORD.c) ---- */
struct kl_mode;
struct kl_tool;
extern const struct kl_mode kl_control_mode_lookup;
extern const struct kl_mode kl_control_mode_budget;
extern const struct kl_tool kl_control_lookup_tool;
extern const struct kl_tool kl_control_budget_tool;

#endif
