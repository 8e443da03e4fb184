/* SPDX-License-Identifier: MIT
   What each folder of tests/stages defines: a stage that tests/stages.sh runs. */
#ifndef STAGES_STAGE_H
#define STAGES_STAGE_H

#include "train/stage.h"

extern const struct kl_train_stage stage;
extern const struct kl_mode stage_mode;

#endif
