/* SPDX-License-Identifier: MIT
   profile: what can be said of a run of chains, and what a profile says where nothing was said. Two
   tiers: the values behind the options; what they come to. */
#ifndef KL_SAMPLING_PROFILE_H
#define KL_SAMPLING_PROFILE_H

#include "sampling/chain/chain.h"

/* sound: chains from exact prior draws, annealed, one fixed prior, losses over all records. classic,
   paper: the reference's two generations (arXiv:2510.06028 and its code), to the letter. */
#define KL_SAMPLING_PROFILES "sound|classic|paper"
#define KL_SAMPLING_MODELS "fcn1|fcn2|fcn3|lenet5|cnn4|vgg16|vgg16-frozen|vgg16-plain"
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
        *lr; /* lists between commas; of one number or one for each beta */
    int64_t chains, first_chain;
    const char *sampler, *convention, *start, *schedule, *draws, *batches, *stop;
    int64_t batch, anneal, every, test_every, keep, period, min_steps, leapfrogs;
    double power, stair_drop, stair_low, accept, friction, rms_decay, rms_epsilon, stop_alpha, stop_eps;
    bool noise, tune, control_variate, exchange, work, half_step, companion, pointwise;
    const char *extend;
    bool resume;
    int64_t checkpoint_every;
    char lists[4][KL_SAMPLING_LIST],
        label_text[32]; /* (hidden) what the lists and `labels` point to once they are complete */
};
void kl_sampling_values_default(void *values); /* nothing is given */
/* What the profile says of all that was not given; beta 0 is added where it is missing; lists become one
   number for each beta. KL_EUSAGE: a list, a probability, a profile that has no such data. */
int kl_sampling_values_complete(void *values, struct kl_error *err);
/* Of complete values. rungs: room for KL_SAMPLING_BETAS, which settings points to. KL_EUSAGE: as above.
 */
int kl_sampling_values_settings(struct kl_sampling_settings *settings, struct kl_sampling_rung *rungs,
                                const struct kl_sampling_values *v, struct kl_error *err);
/* The probability that --labels says. KL_EUSAGE. */
int kl_sampling_values_labels(double *p, const char *labels, struct kl_error *err);

#endif
