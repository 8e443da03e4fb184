/* SPDX-License-Identifier: MIT
   sequence_hydra.c in float, within a bound. */
#define KL_F64 0
#define BOUND 4e-6
#include "sequence_hydra.c"
