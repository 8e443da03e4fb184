/* SPDX-License-Identifier: MIT
   Private to lib/sequence/model: the sizes of a ShallowFBCSPNet. */
#ifndef KL_SEQUENCE_SHALLOW_H
#define KL_SEQUENCE_SHALLOW_H

#include "sequence/model/norm.h"

enum { KL_FBCSP_POOL = 75, KL_FBCSP_STEP = 15 };
/* Steps of the window, behind the filters (rounded up to 16: room), behind the pool. */
struct kl_fbcsp {
    size_t filters, outputs, taps, channels, stride, steps, filtered, room, pooled;
    int classes;
    int time, time_bias, space, weight, bias; /* tensors */
    struct kl_sequence_norm_place norm;
};

#endif
