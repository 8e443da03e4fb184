/* SPDX-License-Identifier: MIT
   Inside the room of chains, in float: a chain and its traces; a run. */
#ifndef KL_SAMPLING_CHAIN_INT_H
#define KL_SAMPLING_CHAIN_INT_H

#include "sampling/chain/walker_int.h"
#include "store/store.h"

/* ---- a chain (chain.c, draw.c) ---- */
/* MAIN: what was asked for; HALF: half the step, twice the epochs; GAUSSIAN: the same step on a known
 * law. */
enum kl_sampling_role { KL_SAMPLING_MAIN, KL_SAMPLING_HALF, KL_SAMPLING_GAUSSIAN, KL_SAMPLING_ROLES };
/* Traces, one number a draw. */
enum kl_sampling_field {
    KL_SAMPLING_LOSS,
    KL_SAMPLING_ERROR,
    KL_SAMPLING_RADIUS, /* |w|^2 / (P sigma^2) */
    KL_SAMPLING_TEST_LOSS,
    KL_SAMPLING_TEST_ERROR,
    KL_SAMPLING_VIRIAL,
    KL_SAMPLING_FIELDS
};
/* The position of a chain. All members of these two are of one type: files hold them as a row. */
struct kl_sampling_position {
    int64_t begun, epoch, step; /* step: within the epoch */
    int64_t draws, kept;
    int64_t warm;           /* epochs of the warm-up; -1: the stopping rule has not said yet */
    int64_t proposals;      /* of the tuner */
    int64_t waiting;        /* for the exchange after its last draw */
    int64_t tried, swapped; /* with the next rung */
    int64_t judged;         /* at which epoch the gradient's noise was measured; 0: not yet */
};
struct kl_sampling_numbers {
    double ln_step, thermostat;
    struct kl_sampling_average average;
    /* since the last draw: over records; over batches; over steps */
    double loss, wrong, records, mean_loss, mean_wrong, virial, radius, accept, steps;
    double accepted, sampled; /* probabilities and proposals behind the warm-up */
    double work, path_loss, path_error, path_test_error; /* of the annealing and its last state */
    double noise_ratio;
};
/* Of the tuner (schedule.c); of one type too. */
struct kl_sampling_tuning {
    struct kl_sampling_dual dual;
    double aim;      /* acceptance that dual averaging is told to reach */
    double began;    /* the epoch at which this round of the warm-up began */
    double accepted; /* sum of probabilities since the step stands still, to be checked */
    double draws;    /* of which mean and squares are */
};
enum {
    KL_SAMPLING_TUNINGS = sizeof(struct kl_sampling_tuning) / sizeof(double),
    KL_SAMPLING_POSITIONS = sizeof(struct kl_sampling_position) / sizeof(int64_t),
    KL_SAMPLING_NUMBERS = sizeof(struct kl_sampling_numbers) / sizeof(double)
};
struct kl_sampling_chain {
    const struct kl_sampling_settings *settings;
    const struct kl_sampling_target_f32 *target;
    const struct kl_sampling_piece *pieces;
    size_t n_pieces;
    const double *precision; /* of the prior, one a tensor */
    enum kl_sampling_role role;
    size_t rung;
    int64_t number;
    double beta, lr;
    int64_t warmup, epochs, anneal, every, test_every, steps; /* steps: an epoch */
    size_t batch;
    uint64_t key;
    bool prior_draws; /* beta 0: no steps, exact draws */
    bool stops;       /* by the rule */
    bool adapts;      /* its step is tuned by dual averaging, for as long as it takes */
    bool walks;       /* many steps at once, but where a step's ratio is asked for */
    struct kl_sampling_position at;
    struct kl_sampling_numbers sum;
    struct kl_sampling_tuning tuning;
    float *w, *v, *anchor, *anchor_grad; /* (P); NULL where the sampler has none */
    float *scale, *mean, *squares; /* (P) of HMC that adapts: deviations that it moves in; of the draws
                                      of a window the mean and the sum of squared deviations */
    bool anchor_known;
    float *trace[KL_SAMPLING_FIELDS];
    int64_t room;             /* draws */
    float *kept, *likelihood; /* (kept_room, P); (kept_room, n) or NULL */
    int64_t kept_room;
    int code, turns; /* of this round */
    struct kl_error err;
};
/* The workspace of one thread. */
struct kl_sampling_workspace {
    float *grad, *fresh, *fresh_grad;
    double *partial;           /* (n_pieces, KL_SAMPLING_PARTIAL) */
    int64_t *rows, *test_rows; /* test_rows: of a batch of the test */
    size_t rows_room;
    struct kl_langevin_factors *factors; /* one a tensor */
    struct kl_sampling_span *spans;
    size_t span_room, step_room;
    struct kl_sampling_sums *sums; /* (step_room) */
};
/* Set up a chain from settings, rung and role. */
void kl_sampling_chain_set(struct kl_sampling_chain *c, const struct kl_sampling_settings *s,
                           size_t rung, int64_t number, enum kl_sampling_role role,
                           const struct kl_sampling_target_f32 *target);
int64_t kl_sampling_chain_end(
    const struct kl_sampling_chain *c); /* epochs in all; while the rule has not said, at most */
bool kl_sampling_chain_at_end(const struct kl_sampling_chain *c); /* no more epochs */
bool kl_sampling_chain_done(const struct kl_sampling_chain *c);
/* Mean acceptance behind the warm-up (NaN: none yet), and the step, tuned or not. */
double kl_sampling_chain_acceptance(const struct kl_sampling_chain *c);
double kl_sampling_chain_step(const struct kl_sampling_chain *c);
/* ---- the warm-up of one that adapts (schedule.c) ---- */
/* Is dual averaging asked for? */
bool kl_sampling_adapts(const struct kl_sampling_settings *s);
/* Before its first step. */
void kl_sampling_tune_begin(struct kl_sampling_chain *c);
/* After a proposal of the warm-up, of which one is made an epoch. */
void kl_sampling_tune_add(struct kl_sampling_chain *c, double accept);
/* At the end of the warm-up as it is planned: was the acceptance near its target? */
bool kl_sampling_tune_near(const struct kl_sampling_chain *c);
/* If it was not, begin another round; returns the epoch at which the warm-up ends then. */
int64_t kl_sampling_tune_more(struct kl_sampling_chain *c);
/* Epochs of a warm-up at most: ten times those that were asked for, and at least 1,000. */
int64_t kl_sampling_tune_limit(int64_t warmup);
/* Does it have momenta (or mean squares) that are part of its state? */
bool kl_sampling_has_momentum(const struct kl_sampling_settings *s);
/* Draws between those of which it keeps the weights; 0: it keeps none. (draw.c) */
int64_t kl_sampling_chain_keeps(const struct kl_sampling_chain *c);
/* Room for so many draws. KL_ENOMEM. */
int kl_sampling_chain_room(struct kl_sampling_chain *c, int64_t draws, struct kl_error *err);
/* Steps until `deadline` (kl_clock), its end, or the next exchange; at least one. */
int kl_sampling_chain_advance(struct kl_sampling_chain *c, struct kl_sampling_workspace *desk,
                              const struct kl_sampling_crew *crew, double deadline,
                              struct kl_error *err);
/* The parts of it, for steps that are taken elsewhere: where it begins, and before an epoch; temperature
   and step of step `step` of an epoch; its walker at a desk; what follows from a step. */
int kl_sampling_chain_ready(struct kl_sampling_chain *c, struct kl_sampling_workspace *desk,
                            const struct kl_sampling_crew *crew, struct kl_error *err);
struct kl_sampling_euler kl_sampling_chain_euler(const struct kl_sampling_chain *c, int64_t epoch,
                                                 int64_t step);
struct kl_sampling_walker_f32 kl_sampling_chain_walker(struct kl_sampling_chain *c,
                                                       struct kl_sampling_workspace *desk,
                                                       const struct kl_sampling_crew *crew);
int kl_sampling_chain_end_step(struct kl_sampling_chain *c, struct kl_sampling_walker_f32 *k,
                               struct kl_sampling_workspace *desk, const struct kl_sampling_outcome *out,
                               struct kl_error *err);
/* A draw from the prior at beta 0. */
void kl_sampling_chain_prior_draw(struct kl_sampling_chain *c, int64_t epoch);
/* After the last step of an epoch: the warm-up's rules, draws. last: of that step. (draw.c) */
int kl_sampling_chain_end_epoch(struct kl_sampling_chain *c, struct kl_sampling_walker_f32 *k,
                                struct kl_sampling_workspace *desk,
                                const struct kl_sampling_outcome *last, struct kl_error *err);
/* What the end of an epoch asks for: a draw; sums over training records, and the test's; the state. */
struct kl_sampling_asked {
    bool draw, train, test, state;
};
struct kl_sampling_asked kl_sampling_chain_asks(const struct kl_sampling_chain *c, int64_t epoch);
/* Does the epoch end with more than sums? */
bool kl_sampling_chain_busy(const struct kl_sampling_chain *c, int64_t epoch);
/* Gradient noise against what is injected, eta beta^2 Var(g) / (4 P), at the last state. (draw.c) */
int kl_sampling_chain_judge(struct kl_sampling_chain *c, struct kl_sampling_walker_f32 *k,
                            struct kl_sampling_workspace *desk, struct kl_error *err);
/* The last test batch's loss, which the reference's stopping rule takes for the loss before an epoch's
 * first. (draw.c) */
int kl_sampling_chain_leak(struct kl_sampling_chain *c, struct kl_sampling_walker_f32 *k,
                           struct kl_sampling_workspace *desk, struct kl_error *err);

/* ---- the Gaussian beside (bias.c) ---- */
enum { KL_SAMPLING_GAUSSIAN_SIZE = 16 };
struct kl_sampling_gaussian {
    float *x; /* (n, 2, size): of each record the x, then the y */
    double curvature[KL_SAMPLING_GAUSSIAN_SIZE], aim[KL_SAMPLING_GAUSSIAN_SIZE]; /* means of x^2, x y */
    struct kl_sampling_tensor tensor;
    struct kl_sampling_target_f32 target;
};
/* Close it in any case. KL_ENOMEM. */
int kl_sampling_gaussian_open(struct kl_sampling_gaussian **gaussian, size_t n, double sigma,
                              uint64_t seed, struct kl_error *err);
void kl_sampling_gaussian_close(struct kl_sampling_gaussian **gaussian);
/* An exact draw from the law that the chain is to sample. */
void kl_sampling_gaussian_begin(struct kl_sampling_chain *c);
/* The state's mean squared standard deviate, less 1: 0 on average under that law; NaN where there is
 * none. */
double kl_sampling_gaussian_excess(const struct kl_sampling_chain *c);

/* ---- a run ---- */
struct kl_sampling_run {
    struct kl_sampling_settings settings; /* with rungs of its own */
    struct kl_arena memory;
    struct kl_sampling_chain *chains; /* (roles, rungs, chains) */
    size_t n, per_role, size;         /* size: P of the main chains */
    int n_roles;
    enum kl_sampling_role roles[KL_SAMPLING_ROLES];
    struct kl_sampling_workspace *desks;
    int n_desks;
    size_t turn;
    double round_seconds; /* between looks at the watch */
    double worth;         /* multiplications of a step from which threads share those of one chain */
    struct kl_sampling_gaussian *gaussian;
    struct kl_ranks *ranks; /* which share the chains; NULL: alone */
    int signal;             /* that stopped it, here or of another rank; 0: none did */
    struct kl_sampling_gpu *gpu; /* NULL: the CPU takes all steps */
};
/* ---- steps on a GPU (gpu.c) ---- */
/* Does it take the chain's next step? The Gaussian beside has no such network. */
bool kl_sampling_gpu_takes(const struct kl_sampling_chain *c);
/* Some steps of n such chains, each of whose code and err is set. What the GPU says. */
int kl_sampling_gpu_round(struct kl_sampling_run *run, struct kl_sampling_chain **chains, size_t n,
                          struct kl_pool *pool, struct kl_error *err);
void kl_sampling_gpu_close(struct kl_sampling_gpu **gpu);

struct kl_sampling_chain *kl_sampling_run_chain(const struct kl_sampling_run *run, int role, size_t rung,
                                                int64_t chain);
/* KL_EUSAGE: what does not go together (settings.c). */
int kl_sampling_settings_check(const struct kl_sampling_settings *s,
                               const struct kl_sampling_target_f32 *target, struct kl_error *err);

/* ---- a run shared between ranks (shared.c) ---- */
/* Is the chain this rank's? Alone it is. */
bool kl_sampling_run_has(const struct kl_sampling_run *run, const struct kl_sampling_chain *c);
/* After a round. stops: the watch says so; left: this rank has chains that go on. Both, and the signal,
   become those of all: stops of the first rank, or by any one's signal; left of any. Alone: as they are.
 */
struct kl_sampling_meeting {
    bool stops, left;
    int signal;
};
int kl_sampling_run_meet(struct kl_sampling_meeting *m, const struct kl_sampling_run *run,
                         struct kl_error *err);
/* All ranks get the states, traces and kept weights of all chains. */
int kl_sampling_run_gather(struct kl_sampling_run *run, struct kl_error *err);

/* ---- Inside the room of chains: what the file's writer and its reader share ---- */

enum { KL_SAMPLING_IDENTITIES = 48 };
/* A property in which two runs agree that differ only in length: an attribute of the root, number,
 * integer or text. */
struct kl_sampling_identity {
    const char *name;
    double number;
    char text[24]; /* empty: it is a number */
    bool whole;    /* an integer */
};
size_t kl_sampling_identity(struct kl_sampling_identity list[KL_SAMPLING_IDENTITIES],
                            const struct kl_sampling_run *run);
/* Group of a role's state: "state", "half_step", "companion". */
const char *kl_sampling_group(enum kl_sampling_role role);
/* Dataset of a trace of the main chains, "posterior/train_loss"; of the others only the loss is held. */
const char *kl_sampling_trace_name(int field);
/* Write how far a run is from what it is to sample: datasets bias/... and path/... (bias.c) */
int kl_sampling_bias_put(struct kl_writer *w, const struct kl_sampling_run *run, struct kl_error *err);

#endif
