/* SPDX-License-Identifier: MIT
   A system as kernels have it: one qubit for kernels/bloch.h; any, with its objective, for
   kernels/liouville.h. */
#ifndef KL_CONTROL_MODEL_ENGINE_H
#define KL_CONTROL_MODEL_ENGINE_H

#include "control/model/model.h"
#include "kernels/bloch.h"
#include "kernels/liouville.h"

/* ---- any system ---- */
struct kl_control_engine {
    const struct kl_control_system *system;
    struct kl_liouville g;
    struct kl_liouville_term *terms;
    double *start, *weights; /* of the objective, columns padded */
    double constant;
    double norms[KL_CONTROL_MAX_CONTROLS +
                 KL_CONTROL_MAX_PARAMS]; /* largest row or column sum of each matrix */
    double norm;                         /* of a segment's generator times its duration, at most */
    void *work;
    double *u; /* [segments][controls]: scaled */
};
/* The generator alone, in this form: g (but columns), terms, norms. Otherwise as what follows. */
int kl_control_engine_describe(struct kl_control_engine *e, const struct kl_control_system *system,
                               enum kl_liouville_form form, int segments, double duration,
                               const double *most, const double *params, struct kl_error *err);
/* substeps are those that controls of at most most[k] and tasks of at most params[j] need; NULL: the
   limits and values of the system. Close it in any case. KL_ENOMEM. */
int kl_control_engine_open(struct kl_control_engine *e, const struct kl_control_system *system,
                           const struct kl_control_objective *objective, int segments, double duration,
                           const double *most, const double *params, struct kl_error *err);
void kl_control_engine_close(struct kl_control_engine *e);
/* As kl_control_propagate, without a check of numbers: the loss may be NaN. */
void kl_control_engine_run(struct kl_control_gradient *to, struct kl_control_engine *e, const double *u,
                           const struct kl_control_task *task);

/* ---- axes ----
   One qubit whose controls, terms and jumps are multiples and sums of those of kernels/bloch.h. A
   control or term is a real combination of X, Y, Z (1 does nothing); a jump makes gamma_phi, gamma_down
   and gamma_up in fixed shares. So what the kernel is given is linear in the system's own. */
struct kl_control_axes {
    int n_controls, n_params; /* of the system */
    int controls;             /* of the kernel: 3 if a control has a part along Z, else 2 */
    double control[KL_CONTROL_MAX_CONTROLS][3], term[KL_CONTROL_MAX_PARAMS][3]; /* along X, Y, Z */
    double rate[KL_CONTROL_MAX_PARAMS][3]; /* of a rate 1: gamma_phi, gamma_down, gamma_up */
};
/* false: another system, or a jump that the kernel does not know, such as X. Of KL_CONTROL_ONE_QUBIT
   all parts are exactly 1 or 0. */
bool kl_control_axes_make(struct kl_control_axes *axes, const struct kl_control_system *system);
/* The kernel's parameters and what is added to its controls x and y, of parameters [n_params]. */
void kl_control_axes_task(double params[KL_BLOCH_PARAMS], double drift[2],
                          const struct kl_control_axes *axes, const double *of_system);
/* At most the norm of the generator where |u_k| <= controls[k] and |p_j| <= params[j]. */
double kl_control_axes_norm(const struct kl_control_axes *axes, const double *controls,
                            const double *params);
/* to [segments][axes->controls][lanes] from u [segments][n_controls][lanes]: factor times their
   combinations, and drift (NULL: 0). */
void kl_control_axes_turn(double *to, const double *u, const struct kl_control_axes *axes, int segments,
                          size_t lanes, double factor, const double *drift);
/* The adjoint at factor 1: derivatives by u from those by the kernel's controls. */
void kl_control_axes_back(double *to, const double *by_axes, const struct kl_control_axes *axes,
                          int segments, size_t lanes);

#endif
