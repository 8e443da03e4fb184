/* SPDX-License-Identifier: MIT
   A watch of training that keeps the best epoch's seconds; the first, with its cold memory, is not
   counted. */
#ifndef KL_BENCH_LAP_H
#define KL_BENCH_LAP_H

#include "base/base.h"

struct lap {
    double last, best; /* best: the caller's at first, more than any */
    uint64_t epoch;
};

static int lap(void *context, uint64_t done, uint64_t total, const char *note)
{
    struct lap *l = context;
    const double now = kl_clock();
    (void)total, (void)note;
    if (done == l->epoch) return 0;
    if (l->epoch > 0 && now - l->last < l->best) l->best = now - l->last;
    l->epoch = done;
    l->last = now;
    return 0;
}

#endif
