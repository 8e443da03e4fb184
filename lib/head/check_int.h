/* SPDX-License-Identifier: MIT
   Private to lib/head/: checks of the gradient. */
#ifndef KL_CHECK_INT_H
#define KL_CHECK_INT_H

#include "head/head.h"

struct kl_loss_check {
    const struct kl_head_model *model;
    double *params; /* put back as they were */
    const double *grad, *x;
    const int32_t *labels;
    size_t n;
    struct kl_head_work *work;
};
/* The largest distance between grad and central differences of the mean loss, in some entries of every
   tensor that trains; *entries: how many. */
int kl_head_loss_differences(double *largest, size_t *entries, const struct kl_loss_check *c,
                             struct kl_error *err);

#endif
