/* SPDX-License-Identifier: MIT
   chain: Markov chains over a ladder of inverse temperatures, as a file that grows. Tiers: what is asked
   for; a run; its file.

   One chain is (beta, chain number). It depends on no other: its random numbers are Philox under a key
   made of the seed, the bits of beta and the chain's number, with counters (block of parameters,
   purpose, step). So a longer run, more chains and temperatures between others change nothing of what
   there is: a run goes on from any file of its own kind with fewer of them, and a checkpoint is such a
   file. Only replica exchange couples the rungs of a ladder. */
#ifndef KL_SAMPLING_CHAIN_H
#define KL_SAMPLING_CHAIN_H

#include "sampling/model/model.h"
struct kl_dataset;
struct kl_file;
struct kl_writer;

/* ---- what is asked for ---- */
enum kl_sampling_sampler {
    KL_SAMPLING_SGLD,
    KL_SAMPLING_PSGLD,
    KL_SAMPLING_SGHMC,
    KL_SAMPLING_SGNHT,
    KL_SAMPLING_MALA,
    KL_SAMPLING_HMC
};
#define KL_SAMPLING_SAMPLERS                                                 \
    "sgld|psgld|sghmc|sgnht|mala|hmc" /* sgld with all records a step is ULA \
                                       */
/* gibbs: target exp(-beta L - |w|^2 / 2 sigma^2), one Euler step of size lr / beta; tempered: the target
   exp(-beta (L + |w|^2 / 2 sigma^2)) of the reference's classic code, at beta 0 a walk with step lr. */
enum kl_sampling_convention { KL_SAMPLING_GIBBS, KL_SAMPLING_TEMPERED };
#define KL_SAMPLING_CONVENTIONS "gibbs|tempered"
/* prior: an exact draw; fan-in: uniform in +-1 / sqrt(fan_in), the reference's. */
enum kl_sampling_start { KL_SAMPLING_PRIOR, KL_SAMPLING_FAN_IN };
#define KL_SAMPLING_STARTS "prior|fan-in"
enum kl_sampling_schedule {
    KL_SAMPLING_CONSTANT,
    KL_SAMPLING_POWER,
    KL_SAMPLING_STAIR,
    KL_SAMPLING_CYCLICAL
};
#define KL_SAMPLING_SCHEDULES "constant|power|stair|cyclical"

/* One temperature. */
struct kl_sampling_rung {
    double beta, lr;
    int64_t warmup, epochs; /* passes over the records that are left out, and that are sampled */
};
/* The reference's rule (spec of the reference, section 5): after each epoch of the warm-up, whose length
   is then what the rule says, and as many epochs are sampled again. */
struct kl_sampling_stop {
    bool on;   /* rung.warmup is the most epochs of the warm-up, rung.epochs is not looked at */
    bool leak; /* the reference's: the loss before an epoch's first one is that of the last test batch */
    double alpha, eps;
    int64_t min_steps;
};
struct kl_sampling_settings {
    uint64_t seed;
    enum kl_sampling_sampler sampler;
    enum kl_sampling_convention convention;
    enum kl_sampling_start start;
    enum kl_sampling_schedule schedule;
    double power, stair_drop, stair_low; /* lr (e + 1)^-power; max(low, lr - drop floor(e / period)) */
    int64_t period;                      /* epochs of a stair or a cycle */
    struct kl_sampling_rung *rungs;      /* (n_rungs), beta rising */
    size_t n_rungs;
    int64_t chains, first_chain;
    size_t batch;       /* records a step; 0 or >= n: all */
    int64_t anneal;     /* of the warm-up's epochs: those over which beta rises from 0 (sound default) */
    int64_t every;      /* epochs a draw */
    int64_t test_every; /* epochs between passes over the test set; 0: none */
    bool whole; /* a draw's loss: over all training records; else the mean of its epoch's batches */
    bool noise; /* false: gradient descent with decay */
    bool control_variate; /* gradient at an anchor plus difference */
    bool exchange;        /* replica exchange between neighbouring rungs, whole-set loss, once a draw */
    bool tune;            /* the step, in the warm-up, to target_accept (MALA .57, HMC .8): by dual
                             averaging, the warm-up going on until the acceptance is near it; HMC also takes
                             its mass matrix from the warm-up's draws */
    bool robbins_monro;   /* by the reference's rule, in just the warm-up that is asked for */
    double target_accept;
    double friction;               /* of SGHMC and SGNHT */
    double rms_decay, rms_epsilon; /* of pSGLD */
    int64_t leapfrogs;             /* of HMC */
    int64_t keep;                  /* draws between kept weights; 0: only the last state */
    bool keep_last;                /* of the last rung alone */
    bool independent_batches;      /* each step draws its records anew, without replacement; else a
                                      permutation an epoch */
    bool pointwise; /* each record's loss of the last rung's kept draws (log_likelihood of WAIC, PSIS) */
    bool work;      /* the path certificate along the annealing (spec of the reference, section 10.2) */
    bool half_step; /* beside each chain one of half the step and twice the epochs */
    bool companion; /* beside each chain the same sampler on a Gaussian whose law is known; with the
                       stopping rule for rung.epochs epochs */
    struct kl_sampling_stop stop;
};
void kl_sampling_settings_default(struct kl_sampling_settings *s); /* the sound ones */

/* ---- a run ---- */
struct kl_sampling_run;
struct kl_sampling_target_f32;
/* targets: of chain first_chain + c the c-th of n_targets, or the only one. KL_EUSAGE, KL_ENOMEM. Close
 * it in any case. */
int kl_sampling_run_open(struct kl_sampling_run **run, const struct kl_sampling_settings *settings,
                         const struct kl_sampling_target_f32 *targets, size_t n_targets, int n_threads,
                         struct kl_error *err);
/* Before it goes: share its chains with other ranks (NULL: none), as long as it is open. KL_EUSAGE: more
   ranks than chains of a temperature. */
struct kl_ranks;
int kl_sampling_run_share(struct kl_sampling_run *run, struct kl_ranks *ranks, struct kl_error *err);
/* Before it goes: a GPU is to take the steps of its chains, of networks `nets` on records `data`, which
   are those of its n targets; all side by side, or half of them, and so on, as its memory has room,
   which a note says. KL_EUSAGE: not for a GPU; KL_ENOMEM, KL_EDEVICE. (gpu.c) */
struct kl_device;
struct kl_log;
int kl_sampling_run_on_gpu(struct kl_sampling_run *run, const struct kl_device *device,
                           const struct kl_sampling_net *nets, const struct kl_sampling_data *data,
                           size_t n, const struct kl_log *log, struct kl_error *err);
/* KL_EUSAGE: samplers and options that are not for a GPU. (gpu.c) */
int kl_sampling_gpu_check(const struct kl_sampling_settings *settings, struct kl_error *err);
/* To the end. KL_ESIGNAL when watch says stop, of ranks the first one's, or a signal any one's; all
   ranks have all chains then, too: then kl_sampling_run_save writes a checkpoint. The bits
   depend on neither threads nor interruptions. KL_EDATA: a loss is no number (which chain, where). */
int kl_sampling_run_go(struct kl_sampling_run *run, struct kl_pool *pool, const struct kl_watch *watch,
                       struct kl_error *err);
void kl_sampling_run_close(struct kl_sampling_run **run);
/* Epochs done, what was loaded counted in, and of all; watch is told the same. */
void kl_sampling_run_done(const struct kl_sampling_run *run, uint64_t *done, uint64_t *total);
/* One chain's draws so far (NaN where there was no test); they live until the run goes on. */
struct kl_sampling_trace {
    double beta;
    int64_t draws;
    const float *train_loss, *train01, *norm, *test_loss, *test01,
        *virial; /* norm: |w|^2 / (P sigma^2) */
    double acceptance, step;
    int64_t warmup; /* epochs, as many as it took */
};
void kl_sampling_run_trace(struct kl_sampling_trace *trace, const struct kl_sampling_run *run,
                           size_t rung, int64_t chain);

/* Of the training loss at each temperature, malloc'ed (n_rungs); of chains with unequal numbers of
   draws, as many of each as the shortest one has. KL_ENOMEM. (sample_tell.c) */
struct kl_sampling_verdict;
int kl_sampling_run_verdicts(struct kl_sampling_verdict **verdicts, const struct kl_sampling_run *run,
                             struct kl_error *err);
/* Says whose warm-up went on, beyond what was asked for. */
void kl_sampling_run_say_warmup(const struct kl_sampling_run *run, const struct kl_log *log);

/* ---- the least loss (minimum.c) ---- */
/* L*, the minimum of the loss without the prior, found by L-BFGS from the last states of the chains of
   the last temperature. */
struct kl_sampling_minimum {
    double loss;           /* of all records; NaN: none, and `none` says why */
    double gradient, norm; /* there: the largest component; |w|^2 / (P sigma^2) */
    int64_t starts, evaluations;
    char none[120];
};
/* The pool has at most as many threads as the run was opened for. KL_ENOMEM, KL_ESIGNAL and what the
   target says. */
int kl_sampling_minimum_seek(struct kl_sampling_minimum *minimum, const struct kl_sampling_run *run,
                             struct kl_pool *pool, struct kl_error *err);
int kl_sampling_minimum_put(struct kl_writer *writer, const struct kl_sampling_minimum *minimum,
                            struct kl_error *err);

/* ---- its file, of kind `chains` (docs/files.md) ---- */
extern const struct kl_kind kl_sampling_chains_kind;
/* Traces, sums and the state from which each chain goes on. */
int kl_sampling_run_save(struct kl_writer *writer, const struct kl_sampling_run *run,
                         struct kl_error *err);
/* Take over all chains of the file that this run has too, as far as it goes (a checkpoint, a shorter
   run, fewer chains or temperatures). KL_EDATA: it is of another run, in words. */
int kl_sampling_run_load(struct kl_sampling_run *run, struct kl_file *file, struct kl_error *err);
/* Of a file that a run is to go on from: is it of the same options and inputs, by the parts of both
   keys, but for the options of the list `grow` (its end is NULL), of which this run may have more?
   KL_EDATA: no, in words. */
int kl_sampling_chains_check_kin(const struct kl_file *file, const char *key_parts,
                                 const char *const *grow, struct kl_error *err);

#endif
