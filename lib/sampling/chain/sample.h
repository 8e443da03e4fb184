/* SPDX-License-Identifier: MIT
   sample: one run of `sgld sample`: its problem, its file, its words. Two tiers: the mode; its parts. */
#ifndef KL_SAMPLING_SAMPLE_H
#define KL_SAMPLING_SAMPLE_H

#include "sampling/diagnose/verdict.h"
#include "store/mode.h"
#include "sampling/chain/chain.h"

/* ---- profile: what can be said of a run of chains, and what a profile says where nothing was said. Two
   tiers: the values behind the options; what they come to
   ---- */

/* sound: chains from exact prior draws, annealed, one fixed prior, losses over all records. classic,
   paper: the reference's two generations (arXiv:2510.06028 and its code), to the letter. */
#define KL_SAMPLING_PROFILES "sound|classic|paper"
#define KL_SAMPLING_MODELS "linear|fcn1|fcn2|fcn3|lenet5|cnn4|vgg16|vgg16-frozen|vgg16-plain"
enum { KL_SAMPLING_BETAS = 256, KL_SAMPLING_LIST = 256 * 26 };

/* Texts that are NULL, whole numbers below 0 (anneal: below -1) and numbers that are NaN were not given:
 * the profile says them. */
struct kl_sampling_values {
    struct kl_common common;
    const char *profile;
    bool test_mode;
    const char *data, *groups, *labels, *order, *records;
    int64_t train_size, test_size, data_seed;
    const char *model, *loss, *prior;
    int64_t width;
    double l_max, sigma;
    const char *betas, *epochs, *warmup,
        *lr;    /* lists between commas; of one number or one for each beta */
    bool usual; /* (hidden) epochs are the profile's */
    int64_t chains, first_chain;
    const char *sampler, *convention, *start, *schedule, *draws, *batches, *stop;
    int64_t batch, anneal, every, test_every, keep, period, min_steps, leapfrogs;
    double power, stair_drop, stair_low, accept, friction, rms_decay, rms_epsilon, stop_alpha, stop_eps;
    bool noise, tune, control_variate, exchange, work, half_step, companion, pointwise;
    const char *extend, *ranks;
    int64_t checkpoint_every;
    char lists[4][KL_SAMPLING_LIST],
        label_text[32]; /* (hidden) what the lists and `labels` point to once they are complete */
};
void kl_sampling_values_default(void *values); /* nothing is given */
/* Set from the profile all that was not given; beta 0 is added if it is missing; lists become one number
   for each beta. KL_EUSAGE: a list, a probability, a profile that has no such data. */
int kl_sampling_values_complete(void *values, struct kl_error *err);
/* Of complete values. rungs: room for KL_SAMPLING_BETAS, which settings points to. KL_EUSAGE: as above.
 */
int kl_sampling_values_settings(struct kl_sampling_settings *settings, struct kl_sampling_rung *rungs,
                                const struct kl_sampling_values *v, struct kl_error *err);
/* The probability that --labels says. KL_EUSAGE. */
int kl_sampling_values_labels(double *p, const char *labels, struct kl_error *err);

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
/* values: complete; features: of --data features, both parts, else NULL twice. KL_EUSAGE, KL_EDATA, ...;
   close it in any case. */
int kl_sampling_problem_open(struct kl_sampling_problem *problem, const struct kl_sampling_values *v,
                             const char *const *paths, size_t n_paths, struct kl_file *const features[2],
                             struct kl_pool *pool, const struct kl_log *log, struct kl_error *err);
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
