/* SPDX-License-Identifier: MIT
   Quantum Mamba in float against the reference's values, to 2e-4 of the largest value of a set. */
#define KL_F64 0
#define BOUND 2e-4
#include "golden_mamba.h"
