/* SPDX-License-Identifier: MIT
   The weights that objective.c and channel.c share. */
#ifndef KL_CONTROL_OBJECTIVE_INT_H
#define KL_CONTROL_OBJECTIVE_INT_H

#include "control/model/model.h"

/* basis: of kl_control_basis; weights [dim][dim], F_e = <weights, R>; 1 - L1 = <weights, R>. */
void kl_control_weights_entanglement(double *weights, const double _Complex *basis,
                                     const struct kl_control_system *system,
                                     const struct kl_control_target *target);
void kl_control_weights_kept(double *weights, const double _Complex *basis,
                             const struct kl_control_system *system);
int kl_control_check_target(const struct kl_control_system *system,
                            const struct kl_control_target *target, struct kl_error *err);

#endif
