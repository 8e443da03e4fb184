/* SPDX-License-Identifier: MIT
   How far an evaluation is: samples of all heads, of which each may run its circuit several times. All
   functions take NULL: nobody watches. One thread at a time. */
#ifndef KL_HEAD_METER_H
#define KL_HEAD_METER_H

#include "base/base.h"

struct kl_meter {
    const struct kl_watch *watch;
    uint64_t before, total; /* samples of the heads that are done, and of all */
    size_t run, runs;       /* of the circuit, for the head in work */
};
/* Other heads: `samples` of all of them. */
void kl_head_judge_progress_begin(struct kl_meter *meter, uint64_t samples);
/* The head in work runs its circuit so often; once, where this is not called. */
void kl_head_judge_progress_runs(struct kl_meter *meter, size_t runs);
/* So many samples of the run in work are done; all of them: the next run begins. */
void kl_head_judge_progress_step(struct kl_meter *meter, size_t done, size_t n);
/* A head of n samples is done. */
void kl_head_judge_progress_head(struct kl_meter *meter, size_t n);

#endif
