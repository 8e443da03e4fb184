/* SPDX-License-Identifier: MIT
   What the first word of qcontrol chooses. */
#ifndef KL_CONTROL_MODES_H
#define KL_CONTROL_MODES_H

#include "control/control.h"
#include "store/mode.h"

extern const struct kl_mode kl_control_mode_budget;
extern const struct kl_tool kl_control_budget_tool;
extern const struct kl_mode kl_control_mode_lookup;
extern const struct kl_tool kl_control_lookup_tool;
extern const struct kl_mode kl_control_mode_optimize, kl_control_mode_noise, kl_control_mode_train,
    kl_control_mode_import;
extern const struct kl_tool kl_control_optimize_tool, kl_control_noise_tool, kl_control_train_tool,
    kl_control_import_tool;

#endif
