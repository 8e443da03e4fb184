/* SPDX-License-Identifier: MIT
   Private to lib/head/: activations and gradients of one batch, in the precision of the file being
   compiled. Rows of a batch are computed in parts that begin at multiples of KL_CIRCUIT_GROUP, sums over
   its rows in parts of the parameters: neither depends on which parts there are, so threads share a
   batch freely. */
#ifndef KL_HEAD_INT_H
#define KL_HEAD_INT_H

#include "head/head.h"
#include "head/part.h"
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
};
/* Where row `row` is. */
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
   the circuits of the estimator (may be NULL); else the model itself (drawing.c). */
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

#endif
