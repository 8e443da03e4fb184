/* SPDX-License-Identifier: MIT
   Private to lib/head/: natural gradients of the circuit's weights (natural.c). */
#ifndef KL_HEAD_NATURAL_H
#define KL_HEAD_NATURAL_H

#include "circuit/metric.h"
#include "head/head_int.h"

/* What the steps of one replica need. */
struct kl_natural {
    const struct kl_metric *metric; /* NULL: another optimiser, or no circuit that trains */
    double *sums;                   /* (groups of the batch, metric->shape.size) */
    double *step;                   /* (n_weights) */
};
/* Room for batches of n rows. KL_ENOMEM. */
int kl_head_natural_take(struct kl_natural *natural, const struct kl_metric *metric, size_t n,
                         struct kl_arena *arena, struct kl_error *err);
/* Metric tensors of rows [from, to) of the batch, which begin at a multiple of KL_CIRCUIT_GROUP and have
   their activations. Scratch from work->circuit. */
int kl_head_natural_rows(const struct kl_natural *natural, const struct kl_head_batch_f32 *batch,
                         const struct kl_head_model *model, const float *params, size_t from, size_t to,
                         struct kl_head_work *work, struct kl_error *err);
/* w -= rate (F + lambda I)^-1 g, with F the mean over all rows of the batch and g = scale grad + decay
   w; grad, params: blocks. */
void kl_head_natural_update(float *params, const struct kl_natural *natural, const float *grad,
                            const struct kl_head_model *model, size_t n_rows,
                            const struct kl_optimizer *o, double scale, double rate);

#endif
