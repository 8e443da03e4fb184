/* SPDX-License-Identifier: MIT
   Inside the room of chains, in float and in double: rules that change a chain; one step of a sampler.
 */
#ifndef KL_SAMPLING_WALKER_INT_H
#define KL_SAMPLING_WALKER_INT_H

#include "sampling/chain/chain.h"

/* ---- rules (schedule.c) ---- */
/* The step of an epoch. */
double kl_sampling_lr(const struct kl_sampling_settings *s, double lr, int64_t epoch);
/* beta (t / steps)^3 at step number `step` of the annealing, from 0, as far as after it; before it (-1)
 * 0. */
double kl_sampling_anneal(double beta, int64_t step, int64_t steps);
/* ln of the step after the t-th proposal (t from 1), as the reference tunes it: Robbins and Monro,
   section 4; accept is capped at 1. */
double kl_sampling_tuned(double ln_step, int64_t t, double accept, double target);
/* Dual averaging (Nesterov 2009; Hoffman and Gelman 2014, JMLR 15, section 3.2.1, with their gamma .05,
   t0 10, kappa .75) of ln of the leapfrog's step, of which lr / beta is the square (MALA is one leapfrog
   step: Neal 2011). All members are of one type: files hold them as a row. */
struct kl_sampling_dual {
    double centre, error, average, steps; /* mu, H-bar, ln of the averaged step, proposals */
};
/* From a step on, whose ln is given: its tenfold is what steps shrink towards. */
void kl_sampling_dual_begin(struct kl_sampling_dual *d, double ln_step);
/* ln of the step after a proposal; accept is capped at 1, NaN is 0. */
double kl_sampling_dual_add(struct kl_sampling_dual *d, double accept, double target);
/* The stopping rule's average, section 5; mean begins as 1. */
struct kl_sampling_average {
    double mean, before, last, begun;
};
void kl_sampling_average_add(struct kl_sampling_average *a, const struct kl_sampling_stop *rule,
                             double loss);
bool kl_sampling_average_stops(const struct kl_sampling_average *a, const struct kl_sampling_stop *rule,
                               int64_t epochs, int64_t steps_per_epoch);
/* One Euler step for the weights of one prior deviation, section 4. exact_prior: decay and noise are
   those of the prior's Ornstein-Uhlenbeck process, so that with no data it costs what the prior's
   density says (section 10.2). */
struct kl_sampling_euler {
    enum kl_sampling_convention convention;
    double beta, annealed, lr; /* annealed: the temperature of this very step */
    bool noise, exact_prior;
};
struct kl_langevin_factors kl_sampling_factors(const struct kl_sampling_euler *e, double sigma);
/* The key of a chain's random numbers. */
uint64_t kl_sampling_key(uint64_t seed, double beta, int64_t number, uint32_t purpose);
/* rows (n): a permutation by (key, step), of which the first `count` are drawn. */
void kl_sampling_shuffle(int64_t *rows, size_t n, size_t count, uint64_t key, uint64_t step);

/* ---- one step (walker.c) ---- */
/* Weights that one thread updates at a time; of one tensor. Sums are added up in their order, whatever
 * the threads. */
struct kl_sampling_piece {
    size_t first, n;
    int tensor;
};
/* The parameters of a step. */
struct kl_sampling_move {
    const struct kl_langevin_factors *factors; /* of Euler steps, one a tensor */
    const double *precision;                   /* of the prior, one a tensor */
    double beta, eta;                          /* of this step; the potential's Euler step, lr / beta */
    const int64_t *rows;                       /* NULL: the first `count`, which are all */
    size_t count;
    uint64_t key, step;
    double friction, rms_decay, rms_epsilon;
    int64_t leapfrogs; /* of HMC */
    bool spread; /* their number is drawn, between half of them and all: of weights that all turn alike,
                    as masses make them, a fixed length may end where it began (Neal 2011, section
                    5.4.2.2) */
    bool adapt;  /* pSGLD's preconditioner goes on; else it stands still */
    bool ratio;  /* ln F - ln B of the step is asked for */
};
/* What a GPU has found of a state: the sums that its draw asks for, of all training and test records or
   those that the draw is judged by; its virial and its radius. */
struct kl_sampling_judged {
    struct kl_sampling_sums train, test;
    double virial, radius;
};
/* The outcome of a step. */
struct kl_sampling_outcome {
    struct kl_sampling_sums sums; /* of the step's records, or of the state that MALA and HMC end in */
    double virial; /* w . grad U / P, before the step (MALA, HMC: of the state they end in) */
    double radius; /* sum of precision w^2 / P, likewise */
    double accept; /* probability, at most 1; 1 of those that accept always */
    bool accepted;
    double log_ratio;
    const struct kl_sampling_judged *judged; /* of the state behind it; NULL: nobody has looked */
};

/* The state with which a thread, or a crew, computes one chain. */
#define kl_sampling_walker KL_NAME(kl_sampling_walker)
struct kl_sampling_walker {
    const struct kl_sampling_target *target;
    const struct kl_sampling_piece *pieces;
    size_t n_pieces;
    const struct kl_sampling_crew *crew;
    /* Of the chain: weights; momenta or pSGLD's mean squares; where the gradient is known, and that.
     * NULL: none. */
    kl_real *w, *v, *anchor, *anchor_grad;
    const kl_real *scale; /* HMC's: what it moves in are w / scale (the mass matrix is diagonal,
                             scale^-2); NULL: w */
    double thermostat;
    /* Workspace (P each); grad: of w, known to be so where `known`, as are the sums. */
    kl_real *grad, *fresh, *fresh_grad;
    bool known;
    struct kl_sampling_sums known_sums;
    double *partial; /* (n_pieces, KL_SAMPLING_PARTIAL) */
};
enum { KL_SAMPLING_PARTIAL = 4 };
#define kl_sampling_gradient_at KL_NAME(kl_sampling_gradient_at)
#define kl_sampling_over KL_NAME(kl_sampling_over)
#define kl_sampling_total KL_NAME(kl_sampling_total)
#define kl_sampling_normals KL_NAME(kl_sampling_normals)
#define kl_sampling_update KL_NAME(kl_sampling_update)
#define kl_sampling_ratio KL_NAME(kl_sampling_ratio)
#define kl_sampling_prior KL_NAME(kl_sampling_prior)
#define kl_sampling_virial KL_NAME(kl_sampling_virial)
#define kl_sampling_log_alpha KL_NAME(kl_sampling_log_alpha)
#define kl_sampling_step_sgld KL_NAME(kl_sampling_step_sgld)
#define kl_sampling_step_psgld KL_NAME(kl_sampling_step_psgld)
#define kl_sampling_step_sghmc KL_NAME(kl_sampling_step_sghmc)
#define kl_sampling_step_sgnht KL_NAME(kl_sampling_step_sgnht)
#define kl_sampling_step_mala KL_NAME(kl_sampling_step_mala)
#define kl_sampling_step_hmc KL_NAME(kl_sampling_step_hmc)
#define kl_sampling_anchor KL_NAME(kl_sampling_anchor)

/* fn for each piece, by the crew's threads; context is the caller's. */
void kl_sampling_over(const struct kl_sampling_walker *k, void (*fn)(void *context, size_t piece),
                      void *context);
/* Sum of partial[piece][column], in the pieces' order. */
double kl_sampling_total(const struct kl_sampling_walker *k, int column);
/* w = shrink w - rate grad + spread N by tensor; out (NULL: not asked for): virial and radius before. */
void kl_sampling_update(struct kl_sampling_walker *k, kl_real *w, const kl_real *grad,
                        const struct kl_langevin_factors *factors, const struct kl_sampling_move *m,
                        struct kl_sampling_outcome *out);
/* ln of the density of the step from -> to, but for what depends on neither: - |to - shrink from + rate
   grad|^2 / (2 spread^2), grad being that at `from`. */
double kl_sampling_ratio(struct kl_sampling_walker *k, const kl_real *to, const kl_real *from,
                         const kl_real *grad, const struct kl_langevin_factors *factors);
/* sum of precision w^2 / 2 */
double kl_sampling_prior(struct kl_sampling_walker *k, const kl_real *w, const double *precision);
/* Virial and radius of w. */
void kl_sampling_virial(struct kl_sampling_walker *k, const kl_real *w, const kl_real *grad,
                        const struct kl_sampling_move *m, struct kl_sampling_outcome *out);
/* Of MALA's step from k->w to k->fresh, whose gradients are known; losses: the mean ones. */
double kl_sampling_log_alpha(struct kl_sampling_walker *k, const struct kl_sampling_move *m, double loss,
                             double fresh_loss);
/* One step each; KL_ENOMEM and what the target says. SGHMC is BAOAB (Leimkuhler and Matthews 2013),
   SGNHT BADODAB (Leimkuhler and Shang 2016), both with the kick first, once a step, of size sqrt(eta);
   friction is that of a step. */
int kl_sampling_step_sgld(struct kl_sampling_walker *k, const struct kl_sampling_move *m,
                          struct kl_sampling_outcome *out, struct kl_error *err);
int kl_sampling_step_psgld(struct kl_sampling_walker *k, const struct kl_sampling_move *m,
                           struct kl_sampling_outcome *out, struct kl_error *err);
int kl_sampling_step_sghmc(struct kl_sampling_walker *k, const struct kl_sampling_move *m,
                           struct kl_sampling_outcome *out, struct kl_error *err);
int kl_sampling_step_sgnht(struct kl_sampling_walker *k, const struct kl_sampling_move *m,
                           struct kl_sampling_outcome *out, struct kl_error *err);
int kl_sampling_step_mala(struct kl_sampling_walker *k, const struct kl_sampling_move *m,
                          struct kl_sampling_outcome *out, struct kl_error *err);
int kl_sampling_step_hmc(struct kl_sampling_walker *k, const struct kl_sampling_move *m,
                         struct kl_sampling_outcome *out, struct kl_error *err);
/* Control variate: the anchor is moved to w, its gradient over all records computed. */
int kl_sampling_anchor(struct kl_sampling_walker *k, bool move, struct kl_error *err);

#endif
