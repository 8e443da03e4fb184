/* SPDX-License-Identifier: MIT
   drawn: what is left to chance in an evaluation by trajectories. */
#ifndef KL_HEAD_DRAWN_H
#define KL_HEAD_DRAWN_H

#include "head/head.h"

/* What finitely many realisations of the noise leave to chance, from two halves of them. Standard
   errors: of the accuracy and the log loss on these samples, and of one output of the circuit (root mean
   square over outputs and samples). What scatters is taken for another class more often, so there is a
   bias as well: half_ are accuracy and log loss by half as many, the mean of both halves. */
struct kl_drawn {
    double accuracy, log_loss, output, half_accuracy, half_log_loss;
};
/* logits (n, n_classes) of features x (n, n_features) by head->model.circuit->trajectories, two or more.
   shots: as kl_head_logits; the errors are without them. KL_ENOMEM; those of kl_head_logits. */
int kl_head_trajectory_logits(float *logits, struct kl_drawn *drawn, struct kl_head *head,
                              const float *x, const int32_t *labels, size_t n,
                              const struct kl_shots *shots, struct kl_pool *pool, struct kl_error *err);

/* ---- told ---- of n replicas: errors of their mean; nothing where trajectories is 0; drawn may be NULL
 */
struct kl_json_pair;
enum { KL_DRAWN_PAIRS = 6 };
size_t kl_head_trajectory_error_pairs(struct kl_json_pair pairs[KL_DRAWN_PAIRS], size_t trajectories,
                                      const struct kl_drawn *drawn, size_t n);
/* One line for people, below the summary. */
void kl_head_trajectory_error_write(FILE *to, size_t trajectories, const struct kl_drawn *drawn,
                                    size_t n);
/* Root attributes of a report, named as the pairs. */
struct kl_writer;
int kl_head_trajectory_error_save(struct kl_writer *writer, size_t trajectories,
                                  const struct kl_drawn *drawn, size_t n, struct kl_error *err);

#endif
