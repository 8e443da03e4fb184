/* SPDX-License-Identifier: MIT
   control: pulses for noisy quantum systems. A system's state is a real vector r, r_a = Tr(B_a rho), in
   an orthogonal Hermitian basis with Tr(B_a B_b) = d delta_ab and B_0 = 1: Pauli strings for qubits (the
   first is the most significant), generalised Gell-Mann matrices otherwise. Its equation is linear,
   dr/dt = (sum_k a u_k C_k + sum_j p_j P_j) r, with real matrices C_k, P_j of dim = d * d rows.
   hbar = 1; time and rates in the unit that the system names. */
#ifndef KL_CONTROL_H
#define KL_CONTROL_H

#include "base/base.h"

/* ---- systems (system.c; from files: model_file.c) ---- */
enum {
    KL_CONTROL_MAX_LEVELS = 8,
    KL_CONTROL_MAX_CONTROLS = 12,
    KL_CONTROL_MAX_PARAMS = 16,
    KL_CONTROL_NAME = 24
};
/* A matrix with the coefficient that multiplies it: the amplitude of a control, or a parameter (a rate,
   a detuning, a coupling). */
struct kl_control_entry {
    char name[KL_CONTROL_NAME]; /* "x", "gamma_phi" */
    bool rate;                  /* a parameter that is never negative */
    double value;               /* of a parameter, unless a task has another */
    double limit;               /* of a control's |u|, unless the problem has another */
    double *matrix;             /* [dim][dim] */
};
/* Which kernel knows it: parameters and controls are then in that kernel's order. */
enum kl_control_form { KL_CONTROL_GENERAL, KL_CONTROL_ONE_QUBIT, KL_CONTROL_TWO_QUBITS };
struct kl_control_system {
    char name[KL_CONTROL_NAME];
    char time_unit[8]; /* "1": dimensionless; "ns", "us" */
    enum kl_control_form form;
    int d, dim, n_qubits; /* n_qubits 0: levels of another kind */
    int subspace; /* the first levels that compute: 2 of a transmon's 3; d where there is no leakage */
    int n_controls, n_params;
    struct kl_control_entry controls[KL_CONTROL_MAX_CONTROLS], params[KL_CONTROL_MAX_PARAMS];
    double duration; /* of a pulse, unless the problem has another */
};
void kl_control_system_free(struct kl_control_system *system);
/* What differs between the members of a family of tasks or of an ensemble. */
struct kl_control_task {
    double params[KL_CONTROL_MAX_PARAMS];
    double amplitude; /* factor of all controls: 1 */
};
void kl_control_task_default(struct kl_control_task *task, const struct kl_control_system *system);

/* ---- objectives (objective.c): loss = constant - <weights, R(T)>, 1 - fidelity ---- */
struct kl_control_objective {
    char name[64];
    int columns; /* of R: 1 a state, dim a transfer matrix; start and weights are [dim][columns] */
    double *start, *weights; /* weights: already divided by what makes the loss 1 - fidelity */
    double constant;
};
void kl_control_objective_free(struct kl_control_objective *objective);

/* ---- exact propagation (propagate.c), in double ---- */
struct kl_control_pulse {
    int segments, controls;
    double duration;
    double *u; /* [segments][controls] */
};
/* loss; its gradients grad_u [segments][controls], grad_params [n_params], grad_amplitude; ends
   [dim][columns], path [segments + 1][dim][columns]: NULL where not asked for. KL_ENOMEM. */
struct kl_control_gradient {
    double loss, amplitude;
    double *u, *params, *ends, *path;
};
int kl_control_propagate(struct kl_control_gradient *to, const struct kl_control_system *system,
                         const struct kl_control_objective *objective,
                         const struct kl_control_pulse *pulse, const struct kl_control_task *task,
                         struct kl_error *err);

#endif
