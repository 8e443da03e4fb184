/* SPDX-License-Identifier: MIT
   Private to lib/head/: steps of training, by one thread or shared. */
#ifndef KL_TRAIN_INT_H
#define KL_TRAIN_INT_H

#include "head/head.h"

/* What one thread needs. */
struct kl_train_thread {
    struct kl_head_work work;
    struct kl_arena buffers;
    float *x, *logits, *grad; /* samples to validate, their logits; the gradient */
    double *squares;          /* of the gradient's parts, summed */
    int32_t *labels;
    double *val_loss; /* of every block of validation samples */
    size_t *val_correct;
    struct kl_error error;
    int code; /* the first failure */
};
int kl_train_thread_init(struct kl_train_thread *own, const struct kl_train *train,
                         struct kl_error *err);
void kl_train_thread_free(struct kl_train_thread *own);
/* Rows of a batch, at most all there are. */
size_t kl_train_batch_size(const struct kl_train *train);
/* Copy the batch `ahead` of the position into its place in train->batches, where all replicas read it.
 */
void kl_train_gather(struct kl_train *train, int64_t ahead);

/* Who works on replica `index` (its own number keys its dropout): thread `thread` alone, or all threads
   of pool, in the buffers of that thread. */
struct kl_crew {
    struct kl_train *train;
    struct kl_replica *replica;
    int64_t index;
    int thread;
    struct kl_pool *pool; /* NULL: alone */
};
/* Threads take whole replicas; else they share the steps of each. */
bool kl_train_whole_replicas(const struct kl_train *train);
/* What the optimiser and shots make of the circuit that trains. KL_ENOMEM, KL_EUSAGE. */
int kl_train_tools(struct kl_train *train, struct kl_error *err);
/* How the circuit is evaluated: the random numbers of a replica, of shots and of directions; the caller
   sets their step. */
struct kl_estimator kl_train_estimator(const struct kl_train *train, int64_t replica, uint32_t purpose);
/* Norms of gradients of the current epoch (norms.c): before its first step, after each, at its end.
   squares: sums of squares of all parts, in order; grad: the block's. */
void kl_train_norms_begin(const struct kl_crew *crew);
void kl_train_norms_add(const struct kl_crew *crew, const double *squares, const float *grad);
void kl_train_norms_end(const struct kl_crew *crew);
/* What takes long may end with KL_ESIGNAL soon after a signal; or not (undo.c). */
void kl_train_stoppable(struct kl_train *train, bool stoppable);
/* Keep what a round of steps changes, so that it is stoppable; without the memory for that it is not. */
void kl_train_keep(struct kl_train *train);
void kl_train_undo(struct kl_train *train); /* the round that was kept, of all replicas */
void kl_train_rollback_free(struct kl_train *train);
/* Steps [first, first + count) of the current epoch, whose batches are gathered from the first on. */
int kl_train_steps(const struct kl_crew *crew, int64_t first, int64_t count, struct kl_error *err);
/* Mean loss and accuracy of the replica as this model over the validation samples. */
int kl_train_validate(double *loss, double *accuracy, const struct kl_crew *crew,
                      const struct kl_head_model *model, struct kl_error *err);

#endif
