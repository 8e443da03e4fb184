/* SPDX-License-Identifier: MIT
   sample: one run of `sgld sample`: its problem, its file, its words. Two tiers: the mode; its parts. */
#ifndef KL_SAMPLING_SAMPLE_H
#define KL_SAMPLING_SAMPLE_H

#include "sampling/chain/profile.h"
#include "sampling/diagnose/verdict.h"
#include "store/mode.h"

extern const struct kl_mode kl_sampling_mode_sample;
extern const struct kl_tool kl_sampling_sample_tool;

/* ---- what is sampled (mode_sample.c) ---- */
/* One set of records, or one for each chain, and a network on each. */
struct kl_sampling_problem {
    struct kl_sampling_data *data;
    struct kl_sampling_net *nets;
    struct kl_sampling_target_f32 *targets;
    size_t n;
};
/* values: complete. KL_EUSAGE, KL_EDATA, ...; close it in any case. */
int kl_sampling_problem_open(struct kl_sampling_problem *problem, const struct kl_sampling_values *v,
                             const char *const *paths, size_t n_paths, struct kl_pool *pool,
                             const struct kl_log *log, struct kl_error *err);
void kl_sampling_problem_close(struct kl_sampling_problem *problem);

/* ---- words (sample_tell.c) ---- */
/* A rung's draws: means over all of all chains; its chains' verdict is that of the training loss. NaN:
   there is none. */
struct kl_sampling_told {
    struct kl_sampling_verdict verdict;
    double train_loss, mcse, train01, test_loss, test01;
    int64_t draws, warmup; /* of all chains; epochs of the longest warm-up */
};
/* told (n_rungs). Cautions for what is amiss, and whose warm-up went on. KL_ENOMEM. */
int kl_sampling_tell_make(struct kl_sampling_told *told, const struct kl_sampling_run *run,
                          size_t n_rungs, int64_t chains, const struct kl_log *log,
                          struct kl_error *err);
/* "beta 0: 0.17 +- 0.01, ..." */
void kl_sampling_tell_line(FILE *to, const struct kl_sampling_told *told, size_t n);
int kl_sampling_tell_json(FILE *to, const struct kl_stage *stage, const struct kl_sampling_told *told,
                          size_t n, double seconds, struct kl_error *err);

#endif
