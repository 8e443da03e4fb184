/* SPDX-License-Identifier: MIT
   One qubit's tasks in floats. */
#define KL_F64 0
#include "kernels/cuda/bloch.cuh"
