/* SPDX-License-Identifier: MIT
   Networks in double against the reference's values, to 1e-12. */
#define KL_F64 1
#define BOUND 1e-12
#include "golden_sampling_net.h"
