/* SPDX-License-Identifier: MIT
   diagnose: whether chains may be believed, and how exact their means are. All as ArviZ 0.23 computes
   it: Vehtari, Gelman, Simpson, Carpenter and Buerkner 2021 (doi:10.1214/20-BA1221). Tiers: traces of
   one quantity; predictive accuracy; chains read from a file. */
#ifndef KL_SAMPLING_DIAGNOSE_H
#define KL_SAMPLING_DIAGNOSE_H

#include "base/base.h"

/* ---- traces of one quantity (traces.c, convergence.c) ---- */
/* Memory for `chains` times `draws` values; nothing below allocates. KL_EUSAGE: none, or over 2^31;
 * KL_ENOMEM. */
struct kl_sampling_traces;
int kl_sampling_traces_open(struct kl_sampling_traces **traces, size_t chains, size_t draws,
                            struct kl_error *err);
void kl_sampling_traces_close(struct kl_sampling_traces **traces); /* accepts NULL */
/* x (chains, draws) stays the caller's and must stay. What follows is of it; with a NaN in it everything
 * is NaN. */
void kl_sampling_traces_take(struct kl_sampling_traces *traces, const double *x);
size_t kl_sampling_traces_draws(const struct kl_sampling_traces *traces); /* of one chain */

/* Chains of more than one draw whose values are all the same. */
size_t kl_sampling_still(const struct kl_sampling_traces *traces);

/* Potential scale reduction of halves of chains, rank-normalised: the larger one of that of the values,
   whether places agree, and that of their distances from the median, whether scales agree. NaN of one
   chain, of fewer than four draws, of a constant. */
double kl_sampling_rhat(struct kl_sampling_traces *traces);
/* Effective number of draws, over all chains; the autocorrelations summed as Geyer 1992
   (doi:10.1214/ss/1177011137). NaN of fewer than four draws; of a constant all draws. tail: the lesser
   one of the 5 % and the 95 % quantile. */
enum kl_sampling_ess { KL_SAMPLING_ESS_BULK, KL_SAMPLING_ESS_TAIL, KL_SAMPLING_ESS_MEAN };
double kl_sampling_ess(struct kl_sampling_traces *traces, enum kl_sampling_ess kind);
double kl_sampling_mean(const struct kl_sampling_traces *traces);
double kl_sampling_sd(const struct kl_sampling_traces *traces); /* divided by n - 1 */
/* Monte-Carlo standard error of the mean. */
double kl_sampling_mcse_mean(struct kl_sampling_traces *traces);

/* ---- predictive accuracy (predictive.c) ---- */
/* Expected log predictive density, summed over records: WAIC (Watanabe 2010; Vehtari, Gelman and Gabry
   2017, doi:10.1007/s11222-016-9696-4) and leave-one-out by Pareto smoothed importance sampling (Vehtari
   et al. 2024, JMLR 25(72)). */
struct kl_sampling_predictive {
    double waic, waic_se, waic_parameters;
    double loo, loo_se, loo_parameters;
    double good_k;         /* Pareto k up to which leave-one-out is to be trusted */
    size_t large_k;        /* records above it */
    size_t large_variance; /* records whose log density has a variance above 0.4: WAIC fails */
};
/* log_lik (draws, records) of all chains in a row. efficiency: effective draws a draw, 1 of independent
   ones. loo, k (records): each one's leave-one-out density and Pareto k; NULL: not asked for. pool:
   NULL, alone. KL_EUSAGE: fewer than two draws, no record; KL_ENOMEM. */
int kl_sampling_predict(struct kl_sampling_predictive *predictive, double *loo, double *k,
                        const float *log_lik, size_t draws, size_t records, double efficiency,
                        struct kl_pool *pool, struct kl_error *err);

/* ---- a file of kind `chains`, read (traces.c) ---- */
struct kl_sampling_chains {
    struct kl_file *file;
    size_t chains, most_draws, n_betas;
    double *beta;   /* (n_betas) */
    int64_t *draws; /* (n_betas) that each has, of most_draws */
};
int kl_sampling_chains_open(struct kl_sampling_chains *chains, const char *path, struct kl_error *err);
void kl_sampling_chains_close(struct kl_sampling_chains *chains); /* also after a failure */
/* All of `GROUP/NAME` [chain, draw, beta], malloc'ed; *all is NULL if the file has no such trace.
 * KL_EDATA, KL_EIO. */
int kl_sampling_chains_load(float **all, const struct kl_sampling_chains *chains, const char *name,
                            struct kl_error *err);
/* The b-th temperature's draws of it to x (chains, draws), of which there is room for draws[b] a chain.
   Returns the draws: those that no chain has are left out, as those between two passes over the test set
   are. */
size_t kl_sampling_chains_trace(double *x, const float *all, const struct kl_sampling_chains *chains,
                                size_t b);

/* ---- `sgld diagnose` (verdict.c, mode_diagnose.c) ---- */
extern const struct kl_tool kl_sampling_diagnose_tool;
extern const struct kl_mode kl_sampling_mode_diagnose;

#endif
