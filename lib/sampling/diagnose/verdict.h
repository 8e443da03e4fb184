/* SPDX-License-Identifier: MIT
   What is said of each temperature of a file of chains. */
#ifndef KL_SAMPLING_VERDICT_H
#define KL_SAMPLING_VERDICT_H

#include "sampling/diagnose/diagnose.h"

/* NaN: not known. */
struct kl_sampling_verdict {
    double beta;
    size_t draws; /* of each chain */
    double mean, mcse, sd, rhat, bulk, tail, time;
    double acceptance, step; /* means over the chains */
    double virial, virial_mcse, norm;
};
/* `of`: "posterior/train_loss" and the like. verdicts (n_betas), malloc'ed. KL_EDATA: there is no such
 * trace. */
int kl_sampling_verdicts(struct kl_sampling_verdict **verdicts, const struct kl_sampling_chains *chains,
                         const char *of, struct kl_pool *pool, struct kl_error *err);
/* Limits of Vehtari et al. 2021 (section 4): R-hat 1.01, 400 effective draws of bulk and tail. */
#define KL_SAMPLING_MOST_RHAT 1.01
#define KL_SAMPLING_LEAST_ESS 400.0
/* The virial ratio is 1 at equilibrium: 5 % off, and by four standard errors, is too far; a half in any
   case, since the error of a chain that has not mixed is none. */
bool kl_sampling_virial_is_off(const struct kl_sampling_verdict *v);
/* Cautions for what is amiss; false: nothing is. */
bool kl_sampling_warn(const struct kl_log *log, const struct kl_sampling_verdict *v, size_t n,
                      size_t chains);

/* Of `log_likelihood/train`, in all draws of all chains; *found is false without it. efficiency: of the
   sum over the records, effective draws a draw. */
struct kl_sampling_scores {
    struct kl_sampling_predictive predictive;
    size_t draws, records;
    double efficiency;
};
int kl_sampling_scores(struct kl_sampling_scores *scores, bool *found,
                       const struct kl_sampling_chains *chains, struct kl_pool *pool,
                       struct kl_error *err);

#endif
