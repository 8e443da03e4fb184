/* SPDX-License-Identifier: MIT
   Private to lib/head/: steps of training, by one thread or shared. */
#ifndef KL_HEAD_TRAIN_INT_H
#define KL_HEAD_TRAIN_INT_H

#include "head/head.h"

/* What one thread needs. */
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

/* What an epoch's steps add up: right answers, loss in nats, then the gradient's norm in each group. */
enum { KL_HEAD_CORRECT, KL_HEAD_LOSS, KL_HEAD_NORMS };

/* Rows of a batch, at most all there are. */
size_t kl_head_batch_size(const struct kl_head_train *train);
/* What the optimiser and shots make of the circuit that trains. KL_ENOMEM, KL_EUSAGE. */
int kl_head_tools(struct kl_head_train *train, struct kl_error *err);
/* The circuit of the epoch (grow.c). KL_ENOMEM, KL_EUSAGE. */
int kl_head_enter_stage(struct kl_head_train *train, struct kl_error *err);
/* How the circuit is evaluated: the random numbers of a replica, of shots and of directions; the caller
   sets their step. */
struct kl_estimator kl_head_estimator(const struct kl_head_train *train, int64_t replica,
                                      uint32_t purpose);
/* Norms of gradients (norms.c): a step's into the sums, an epoch's out of them. squares: sums of squares
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

#endif
