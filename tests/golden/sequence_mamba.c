/* SPDX-License-Identifier: MIT
   Quantum Mamba in double against the reference's values, to 1e-12, and against central differences. */
#define KL_F64 1
#define BOUND 1e-12
#include "golden_mamba.h"
