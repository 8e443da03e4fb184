/* SPDX-License-Identifier: MIT
   One qubit's tasks in doubles. */
#define KL_F64 1
#include "kernels/cuda/bloch.cuh"
