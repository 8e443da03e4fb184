/* SPDX-License-Identifier: MIT
   sequence_hydra.c in float, within a bound. */
#define KL_F64 0
#define BOUND 5e-5 /* 3e-5 with FMA */
#include "sequence_hydra.c"
