/* SPDX-License-Identifier: MIT
   A sweep of heads (train/sweep.h). */
#ifndef KL_HEAD_SWEEP_H
#define KL_HEAD_SWEEP_H

#include "train/sweep.h"

/* Without input and say_input, which the tool adds: they are of another room. A head's bytes are those that
   qtrain gives it alone, without controls. */
extern const struct kl_sweep_stage kl_head_sweep;

#endif
