/* SPDX-License-Identifier: MIT
   Private to setup.c and ensemble.c: how options name what they speak of. */
#ifndef KL_CONTROL_SETUP_INT_H
#define KL_CONTROL_SETUP_INT_H

#include "control/model/units.h"
#include "control/pulse/pulse.h"

/* The next of a list, with a message; option: for it. 1; 0: there was none; negative: a code. */
int kl_control_options_pair(struct kl_control_pair *pair, const char **text, const char *option,
                            struct kl_error *err);
/* The parameter that an option means: with --jump up relaxation has the rate of the other direction, so
   that "gamma_down" is the system's gamma_up. -1: there is none. */
int kl_control_options_param(const struct kl_control_options *o, const struct kl_control_system *system,
                             const char *name);
int kl_control_options_fail_name(const char *option, const char *name, const struct kl_control_system *s,
                                 bool controls, struct kl_error *err);
/* An enum kl_control_quantity of parameter j; -1: of the factor of all controls. */
int kl_control_options_quantity(const struct kl_control_system *s, int j);
/* Members, checks and what is spread, for a problem whose limits and duration are known. KL_EUSAGE,
   KL_ENOMEM. */
int kl_control_ensemble_make(struct kl_control_setup *setup, const struct kl_control_options *o,
                             struct kl_error *err);

#endif
