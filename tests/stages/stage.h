/* SPDX-License-Identifier: MIT
   What each folder of tests/stages defines: a stage that tests/stages.sh runs. */
#ifndef STAGES_STAGE_H
#define STAGES_STAGE_H

#include "train/stage.h"

extern const struct kl_train_stage stage;
/* The row of its history by which the points of a sweep are compared, and whether more is better. */
extern const int stage_judged;
extern const bool stage_higher;

#endif
