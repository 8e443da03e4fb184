/* SPDX-License-Identifier: MIT
   What the files of signal/ share: channels side by side as kernels/fft.h has them, sixteen a group: the
   first eight are real parts, the others imaginary parts. A group is a matrix (n, 16). */
#ifndef KL_SEQUENCE_SIGNAL_INT_H
#define KL_SEQUENCE_SIGNAL_INT_H

#include "sequence/signal/signal.h"

enum { KL_SEQUENCE_GROUP = 16 };

/* Rows of a matrix that stand in a group, and where. */
struct kl_sequence_group {
    size_t first, channels; /* at most KL_SEQUENCE_GROUP; the others are 0 */
};
/* x (all channels, n) with `before` points before it and `after` behind it by odd reflection, 2 x_0 -
   x_k and 2 x_(n-1) - x_(n-1-k), as far as it reaches, then 0: to (before + n + after, 16). */
void kl_sequence_group_load(double *to, const double *x, size_t n, struct kl_sequence_group group,
                            size_t before, size_t after);
/* Rows [skip, skip + n) of a group to its channels of x (all channels, n). */
void kl_sequence_group_store(double *x, const double *from, size_t n, struct kl_sequence_group group,
                             size_t skip);

/* Calls run for each group of so many channels, with `bytes` of workspace of its own, aligned to 64
   bytes. KL_ENOMEM. */
int kl_sequence_groups(size_t channels, size_t bytes,
                       void (*run)(void *context, struct kl_sequence_group group, void *memory),
                       void *context, struct kl_sequence_workspace *workspace, struct kl_pool *pool,
                       struct kl_error *err);

#endif
