/* SPDX-License-Identifier: MIT
   Private to lib/head/: activations and gradients of one batch, in the precision of the file being
   compiled; steps of training, by one thread or shared. */
#ifndef KL_HEAD_HEAD_INT_H
#define KL_HEAD_HEAD_INT_H

#include "circuit/estimate.h"
#include "head/head.h"
#include "kernels/inline/real.h"

/* In files that are compiled in both precisions (kernels/inline/real.h). */
#define kl_head_values KL_NAME(kl_head_values)
#define kl_head_values_at KL_NAME(kl_head_values_at)
#define kl_head_values_take KL_NAME(kl_head_values_take)
#define kl_head_measure KL_NAME(kl_head_measure)
#define kl_head_classify KL_NAME(kl_head_classify)
#define kl_head_activations KL_NAME(kl_head_activations)
#define kl_head_logits_by KL_NAME(kl_head_logits_by)
#define kl_head_batch KL_NAME(kl_head_batch)
#define kl_head_batch_take KL_NAME(kl_head_batch_take)
#define kl_head_losses KL_NAME(kl_head_losses)
#define kl_head_rows KL_NAME(kl_head_rows)
#define kl_head_sum KL_NAME(kl_head_sum)
#define kl_head_loss KL_NAME(kl_head_loss)
#define kl_head_take KL_NAME(kl_head_take)

/* Outputs of every layer; the last of reduce are the angles, the last of head the logits. expval: of the
   core, so the last of twin as well. */
struct kl_head_values {
    kl_real *reduce[KL_MAX_WIDTHS + 1], *twin[KL_TWIN_LAYERS], *head[KL_MAX_WIDTHS + 1];
    kl_real *expval, *state;
    size_t ldx; /* from row to row of what goes in: n_features, but for training's batches */
};
/* The values of row `row` and those after it. */
struct kl_head_values kl_head_values_at(struct kl_head_values v, const struct kl_head_model *model,
                                        size_t row);
/* Room for n rows. with_state: for what the adjoint needs too. */
int kl_head_values_take(struct kl_head_values *values, const struct kl_head_model *model, size_t n,
                        bool with_state, struct kl_arena *arena, struct kl_error *err);
/* Forward pass in its two halves: up to the circuit's outputs, and from there on. measure resets
   work->circuit. dropout may be NULL; so may e: exact outputs. */
int kl_head_measure(const struct kl_head_values *values, const struct kl_head_model *model,
                    const kl_real *params, const kl_real *x, size_t n, const struct kl_dropout *dropout,
                    const struct kl_estimator *e, struct kl_head_work *work, struct kl_error *err);
void kl_head_classify(const struct kl_head_values *values, const struct kl_head_model *model,
                      const kl_real *params, const kl_real *x, size_t n,
                      const struct kl_dropout *dropout);
/* Forward pass of n rows, which begin at row dropout->row of the batch. Resets work->circuit. */
int kl_head_activations(const struct kl_head_values *values, const struct kl_head_model *model,
                        const kl_real *params, const kl_real *x, size_t n,
                        const struct kl_dropout *dropout, const struct kl_estimator *e,
                        struct kl_head_work *work, struct kl_error *err);
/* logits (n, n_classes) of x (n, n_features), without dropout. Resets work. */
int kl_head_logits_by(kl_real *logits, const struct kl_head_model *model, const kl_real *params,
                      const kl_real *x, size_t n, const struct kl_estimator *e,
                      struct kl_head_work *work, struct kl_error *err);

struct kl_head_batch {
    const kl_real *x;
    const int32_t *labels;
    size_t n;
    struct kl_dropout dropout;   /* rate 0: none */
    struct kl_draws draws;       /* of a circuit by trajectories; at first the circuit's */
    struct kl_head_diff diff;    /* adjoint where there is no circuit */
    struct kl_head_values y, dy; /* dy: gradients of the mean loss there */
    kl_real *dangles;            /* for kl_circuit_weights; central differences: the sum itself */
    double *loss;                /* of every KL_CIRCUIT_GROUP rows, summed */
    size_t *correct;
};
/* Room for n rows in the arena; x, labels and dropout are the caller's to set, n may be made less, and
   the step of the estimator's random numbers another. diff NULL: adjoint. */
int kl_head_batch_take(struct kl_head_batch *batch, const struct kl_head_model *model, size_t n,
                       const struct kl_head_diff *diff, struct kl_arena *arena, struct kl_error *err);
/* Forward alone, losses included, of rows [from, to). */
int kl_head_losses(const struct kl_head_batch *batch, const struct kl_head_model *model,
                   const kl_real *params, size_t from, size_t to, struct kl_head_work *work,
                   struct kl_error *err);
/* Forward and back, but for the sums over the batch: rows [from, to), from a multiple of
   KL_CIRCUIT_GROUP; all rows at once for central differences. Scratch from work->circuit. */
int kl_head_rows(const struct kl_head_batch *batch, const struct kl_head_model *model,
                 const kl_real *params, size_t from, size_t to, struct kl_head_work *work,
                 struct kl_error *err);

/* The part's gradient, summed over the batch, into its place in grad (block.size). */
void kl_head_sum(kl_real *grad, const struct kl_head_batch *batch, const struct kl_head_model *model,
                 const struct kl_head_part *part);
/* Sum of the losses, in rising order; *correct may be NULL. */
double kl_head_loss(size_t *correct, const struct kl_head_batch *batch);
/* A model whose circuit, if it runs by trajectories, draws as said, for rows from `from` on, and with it
   the circuits of the estimator (may be NULL); else the model itself (validate.c). */
struct kl_drawing_model {
    struct kl_head_model model;
    struct kl_circuit circuit, probabilities, readings;
    struct kl_measured measured;
};
const struct kl_head_model *kl_head_drawing(struct kl_drawing_model *own,
                                            const struct kl_head_model *model, struct kl_estimator *e,
                                            const struct kl_draws *draws, size_t from);
/* count values from an arena. */
int kl_head_take(kl_real **values, struct kl_arena *arena, size_t count, struct kl_error *err);

/* ---- Private to lib/head/: the parameters in parts (parts.c) ---- */
/* Part i of the parameters that train: strips [from, to) of a layer's weight, or a bias, or the
   circuit's weights. A frozen circuit's are no part, so nothing updates them. */
struct kl_head_part {
    enum { KL_PART_WEIGHT, KL_PART_BIAS, KL_PART_CIRCUIT } kind;
    enum kl_head_chain { KL_CHAIN_REDUCE, KL_CHAIN_TWIN, KL_CHAIN_HEAD } chain;
    int layer; /* of the chain */
    size_t from, to;
    size_t offset, size; /* in the block */
};
size_t kl_head_n_parts(const struct kl_head_model *model);
struct kl_head_part kl_head_part(const struct kl_head_model *model, size_t i);

/* ---- Private to lib/head/: steps of training, by one thread or shared ---- */
/* The workspace of one thread. */
struct kl_head_thread {
    struct kl_head_work work;
    struct kl_arena buffers;
    float *x, *logits, *grad; /* samples to validate, their logits; the gradient */
    double *squares;          /* of the gradient's parts, summed */
    int32_t *labels;
    double *val_loss; /* of every block of validation samples */
    size_t *val_correct;
};
int kl_head_thread_init(struct kl_head_thread *own, const struct kl_head_train *train,
                        struct kl_error *err);
void kl_head_thread_free(struct kl_head_thread *own);

/* Sums over an epoch's steps: right answers, loss in nats, then the gradient's norm in each group. */
enum { KL_HEAD_CORRECT, KL_HEAD_LOSS, KL_HEAD_NORMS };

/* Rows of a batch, at most all there are. */
size_t kl_head_batch_size(const struct kl_head_train *train);
/* How the circuit is evaluated: the random numbers of a replica, of shots and of directions; the caller
   sets their step. */
struct kl_estimator kl_head_estimator(const struct kl_head_train *train, int64_t replica,
                                      uint32_t purpose);
/* Norms of gradients (parts.c): a step's into the sums, an epoch's out of them. squares: sums of squares
   of all parts, in order; grad: the block's. */
void kl_head_norms_add(double *sums, const struct kl_head_model *whole, const double *squares,
                       const float *grad);
void kl_head_norms_end(double *norms, const struct kl_head_train *train, const double *sums);

/* ---- functions of the learner ---- */
void kl_head_prepare_step(struct kl_train *loop, int64_t ahead, int thread);
int kl_head_steps(const struct kl_crew *crew, int64_t first, int64_t count, struct kl_error *err);
int kl_head_judge(const struct kl_crew *crew, bool untrained, struct kl_error *err);
int kl_head_save_rest(struct kl_writer *w, const struct kl_train *loop, const char *prefix,
                      struct kl_error *err);
int kl_head_restore_rest(struct kl_train *loop, struct kl_file *file, const char *prefix,
                         struct kl_error *err);

/* Training is in float alone. */
#if !KL_F64
/* ---- Private to lib/head/: natural gradients of the circuit's weights (step.c) ---- */
/* The workspace of one replica's natural-gradient steps. */
struct kl_natural {
    const struct kl_metric *metric; /* NULL: another optimiser, or no circuit that trains */
    double *sums;                   /* (groups of the batch, metric->shape.size) */
    double *step;                   /* (n_weights) */
};

/* ---- Private to lib/head/: one step of one replica, for the optimisers that need more of it than its
   gradient (step.c)
   ---- */
struct kl_step {
    const struct kl_crew *crew;
    struct kl_head_train *train;
    float *params; /* of the replica */
    struct kl_head_batch_f32 batch;
    struct kl_update update;
    float *grad;
    struct kl_natural natural;
    struct kl_rotosolve *rotosolve; /* NULL: another optimiser, or no circuit that trains */
    struct kl_spsa *spsa;           /* NULL: another optimiser */
    double *squares; /* of the gradient's parts, summed; that of the circuit may be absent */
    size_t parts;    /* of the rows */
};
enum { KL_HEAD_LINE = 16 }; /* values of a cache line */
/* Row at which part i of the batch begins. */
size_t kl_head_step_begin(const struct kl_step *s, size_t i);

/* ---- rotosolve.c ---- */
/* Room for batches of n rows; *rotosolve becomes NULL where it has nothing to do. KL_EUSAGE, KL_ENOMEM.
 */
int kl_head_rotosolve_take(struct kl_rotosolve **rotosolve, const struct kl_head_train *train, size_t n,
                           struct kl_arena *arena, struct kl_error *err);
/* Moves the circuit's weight `number` mod n_weights by `fraction` of the way to where the batch's loss
   is smallest, all others kept. */
int kl_head_rotosolve_turn(struct kl_step *s, uint64_t number, double fraction, struct kl_error *err);

/* ---- spsa.c ---- */
int kl_head_spsa_take(struct kl_spsa **spsa, const struct kl_head_train *train, size_t n,
                      struct kl_arena *arena, struct kl_error *err);
/* s->grad and s->update of step `number` (from 0) at rate lr, from two losses; batch.loss and correct
   are those of the parameters plus the perturbation, and the mean of both losses. */
int kl_head_spsa_gradient(struct kl_step *s, uint64_t number, double lr, struct kl_error *err);
/* The rate in step `number`, decayed from lr. */
double kl_head_spsa_rate(const struct kl_head_train *train, uint64_t number, double lr);
#endif

#endif
