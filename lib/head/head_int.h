/* SPDX-License-Identifier: MIT
   Private to lib/head/: activations of one batch, in the precision of the file being compiled. */
#ifndef KL_HEAD_INT_H
#define KL_HEAD_INT_H

#include "head/head.h"
#include "kernels/inline/real.h"

/* Outputs of every layer for n samples; the last of reduce are the angles, the last of head the logits. */
struct KL_NAME(kl_head_values) {
    kl_real *reduce[KL_MAX_WIDTHS + 1], *head[KL_MAX_WIDTHS + 1];
    kl_real *expval, *state;
};
/* Forward pass; takes its memory from work->values (not reset here). with_state: keep what the
   adjoint needs. */
int KL_NAME(kl_head_activations)(struct KL_NAME(kl_head_values) * values, const struct kl_head_model *model,
                                 const kl_real *params, const kl_real *x, size_t n,
                                 const struct kl_dropout *dropout, bool with_state,
                                 struct kl_head_work *work, struct kl_error *err);
/* count values from an arena. */
int KL_NAME(kl_head_take)(kl_real **values, struct kl_arena *arena, size_t count, struct kl_error *err);

#endif
