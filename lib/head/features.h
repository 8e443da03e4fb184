/* SPDX-License-Identifier: MIT
   A feature cache in memory. Apart from head.h because what reads files needs no circuits. */
#ifndef KL_HEAD_FEATURES_H
#define KL_HEAD_FEATURES_H

#include "base/base.h"

struct kl_file;

/* A feature cache in memory: x (n, d) as float whatever is stored, labels (n) in [0, n_classes). */
struct kl_features {
    size_t n, d, n_classes;
    float *x;
    int32_t *labels;
    char *class_names; /* n_classes strings of name_size bytes each */
    size_t name_size;
};
/* KL_EDATA: not as it should be (no labels, a label outside the classes, a value that is not
   finite), KL_EIO, KL_ENOMEM. */
int kl_features_load(struct kl_features *features, struct kl_file *file, struct kl_error *err);
void kl_features_free(struct kl_features *features);

#endif
