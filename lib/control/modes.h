/* SPDX-License-Identifier: MIT
   What the first word of qcontrol chooses. */
#ifndef KL_CONTROL_MODES_H
#define KL_CONTROL_MODES_H

#include "control/control.h"
#include "store/mode.h"

extern const struct kl_mode kl_control_mode_optimize;
extern const struct kl_mode kl_control_mode_lookup;
extern const struct kl_mode kl_control_mode_budget;
extern const struct kl_mode kl_control_mode_noise;
extern const struct kl_mode kl_control_mode_export;
extern const struct kl_mode kl_control_mode_score;
extern const struct kl_mode kl_control_mode_bench;
extern const struct kl_mode kl_control_mode_train;
extern const struct kl_mode kl_control_mode_regret;
extern const struct kl_mode kl_control_mode_import;
extern const struct kl_tool kl_control_optimize_tool;
extern const struct kl_tool kl_control_lookup_tool;
extern const struct kl_tool kl_control_budget_tool;
extern const struct kl_tool kl_control_noise_tool;
extern const struct kl_tool kl_control_export_tool;
extern const struct kl_tool kl_control_score_tool;
extern const struct kl_tool kl_control_bench_tool;
extern const struct kl_tool kl_control_train_tool;
extern const struct kl_tool kl_control_regret_tool;
extern const struct kl_tool kl_control_import_tool;
extern const struct kl_kind kl_control_regret_kind;

#endif
