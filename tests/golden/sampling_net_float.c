/* SPDX-License-Identifier: MIT
   Networks in float against the reference's values in double: some tens of roundings. */
#define KL_F64 0
#define BOUND 1e-5
#include "golden_sampling_net.h"
