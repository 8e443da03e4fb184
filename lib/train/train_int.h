/* SPDX-License-Identifier: MIT
   Private to lib/train/: between the loop and the step, the roll-back, the files. */
#ifndef KL_TRAIN_INT_H
#define KL_TRAIN_INT_H

#include "train/train.h"

/* The state of one thread. */
struct kl_train_thread {
    struct kl_error error;
    int code;     /* the first failure */
    void *grads;  /* of a step's parts, one after another; NULL: the learner takes its steps itself */
    double *sums; /* of each part */
};
/* Buffers of the threads, for wake and rest; threads is all 0. (step.c) */
int kl_train_take_grads(struct kl_train *train, struct kl_error *err);
/* Steps [first, first + count) of the current epoch by the learner's gradient. */
int kl_train_steps(const struct kl_crew *crew, int64_t first, int64_t count, struct kl_error *err);
static inline size_t kl_train_real(const struct kl_learner *learner)
{
    return learner->wide ? sizeof(double) : sizeof(float);
}
/* Keep what a round of steps changes, so that it is stoppable; without the memory for that it is not.
   (rollback.c) */
void kl_train_keep(struct kl_train *train);
void kl_train_undo(struct kl_train *train); /* the round that was kept, of all replicas */
void kl_train_rollback_free(struct kl_train *train);
void kl_train_stoppable(struct kl_train *train, bool stoppable);

#endif
