/* SPDX-License-Identifier: MIT
   What is said of each temperature of a file of chains. */
#ifndef KL_SAMPLING_VERDICT_H
#define KL_SAMPLING_VERDICT_H

#include "sampling/diagnose/diagnose.h"

/* Of one temperature. NaN: not known, or none: of chains that do not vary there is neither an R-hat nor
   an effective number of draws nor an error. */
struct kl_sampling_verdict {
    double beta;
    size_t chains, draws; /* draws: of each chain */
    size_t still;         /* chains whose trace does not vary */
    double mean, mcse, sd, rhat, bulk, tail, time;
    double acceptance, step; /* means over the chains */
    double target;           /* acceptance to which the step was tuned; NaN: it was not */
    double farthest;         /* acceptance of the chain that is farthest from the target */
    bool refuses;            /* its sampler accepts or refuses */
    double virial, virial_mcse, norm;
};
/* All unknown. */
struct kl_sampling_verdict kl_sampling_verdict_none(double beta, size_t chains);
/* Mean, errors and R-hat of a trace that was taken; of fewer than four draws the mean alone. */
void kl_sampling_verdict_of_trace(struct kl_sampling_verdict *v, struct kl_sampling_traces *traces);
void kl_sampling_verdict_of_virial(struct kl_sampling_verdict *v, struct kl_sampling_traces *traces);
/* acceptance (chains): NaN where nothing was proposed; `target` and `refuses` are set before. */
void kl_sampling_verdict_of_acceptance(struct kl_sampling_verdict *v, const double *acceptance);
/* `of`: "posterior/train_loss" and the like. verdicts (n_betas), malloc'ed. KL_EDATA: there is no such
 * trace. */
int kl_sampling_verdicts(struct kl_sampling_verdict **verdicts, const struct kl_sampling_chains *chains,
                         const char *of, struct kl_pool *pool, struct kl_error *err);
/* Limits of Vehtari et al. 2021 (section 4): R-hat 1.01, 400 effective draws of bulk and tail. */
#define KL_SAMPLING_MOST_RHAT 1.01
#define KL_SAMPLING_LEAST_ESS 400.0
/* An acceptance that is tuned is to be so near to its target, one that is not at least so large. */
#define KL_SAMPLING_NEAR_ACCEPTANCE 0.15
#define KL_SAMPLING_LEAST_ACCEPTANCE 0.1
/* By which option chains had so many epochs or draws, and so long a warm-up. */
struct kl_sampling_lengths {
    const char *option; /* "--epochs" */
    int64_t n, warmup;
};
/* Cautions for what is amiss, each behind `of` ("twin: "; ""); trace: "train_loss"; false: nothing is.
   had: they name how many to ask for, half as many again as draws like these would need, and a warm-up
   four times as long. NULL: no numbers. */
bool kl_sampling_warn(const struct kl_log *log, const struct kl_sampling_verdict *v, size_t n,
                      const char *of, const char *trace, const struct kl_sampling_lengths *had);
/* Of mean training losses of chains whose prior does not change with beta: their means fall with it, as
   the derivative is minus a variance. A caution where one rises by more than chance, which sees steps
   too large for a thermostat, whose virial ratio is 1 all the same; false: none does. */
bool kl_sampling_warn_rise(const struct kl_log *log, const struct kl_sampling_verdict *v, size_t n);
/* value in three digits, or in so many that it stands on its side of the limit: 1.0104 beside 1.01. */
enum { KL_SAMPLING_BESIDE = 32 };
const char *kl_sampling_beside(char text[KL_SAMPLING_BESIDE], double value, double limit);

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
