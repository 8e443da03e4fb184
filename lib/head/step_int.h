/* SPDX-License-Identifier: MIT
   Private to lib/head/: one step of one replica, for the optimisers that need more of it than its
   gradient (step.c). */
#ifndef KL_HEAD_STEP_INT_H
#define KL_HEAD_STEP_INT_H

#include "head/natural.h"
#include "head/train_int.h"

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
/* What is left of the rate lr in step `number`. */
double kl_head_spsa_rate(const struct kl_head_train *train, uint64_t number, double lr);

#endif
