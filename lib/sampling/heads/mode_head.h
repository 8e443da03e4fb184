/* SPDX-License-Identifier: MIT
   Of `sgld head` alone: what may be said of it, and what it says. */
#ifndef KL_SAMPLING_MODE_HEAD_H
#define KL_SAMPLING_MODE_HEAD_H

#include "sampling/heads/heads.h"
#include "store/mode.h"

enum { KL_SAMPLING_RIVALS = 3, KL_SAMPLING_LADDER = 512 };
struct kl_sampling_head_values {
    struct kl_common common;
    const char *head, *parameters, *sampler, *prior, *betas, *extend, *ranks;
    int64_t replica, rungs, chains, warmup, draws, every, leapfrogs, keep;
    double accept, step, power, sigma, sigma_angles, sigma_scales; /* accept 0: the sampler's own */
    bool compare, exchange;
};

struct kl_sampling_head_found {
    const struct kl_sampling_head_values *v;
    const struct kl_stage *stage;
    const char *names[KL_SAMPLING_RIVALS];
    struct kl_sampling_evidence evidence[KL_SAMPLING_RIVALS]; /* of the head, then its rivals */
    int n;
    size_t records;
    double rhat, ess;                                      /* of the loss at the posterior */
    double loss, error, test_loss, test_error, acceptance; /* means there; NaN: no test set */
};
/* From the head's run, whose evidence is there. */
void kl_sampling_head_judge(struct kl_sampling_head_found *found, const struct kl_sampling_run *run,
                            const struct kl_sampling_settings *settings);
/* Cautions, before the file is published, which keeps them. */
void kl_sampling_head_caution(const struct kl_sampling_head_found *found);
int kl_sampling_head_found_save(struct kl_writer *writer, const struct kl_sampling_head_found *found,
                                struct kl_error *err);
void kl_sampling_head_tell(FILE *to, const struct kl_sampling_head_found *found);
int kl_sampling_head_tell_json(FILE *to, const struct kl_sampling_head_found *found,
                               struct kl_error *err);

#endif
