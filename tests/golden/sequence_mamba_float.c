/* SPDX-License-Identifier: MIT
   Quantum Mamba in float against the reference's values, to 1e-5 of the largest value of a set. */
#define KL_F64 0
#define BOUND 1e-5
#include "golden_mamba.h"
