/* SPDX-License-Identifier: MIT
   What the files of an extraction share. */
#ifndef KL_EXTRACT_INT_H
#define KL_EXTRACT_INT_H

#include "backbone/extract.h"

struct kl_extract_sets {
    int features, labels, index; /* numbers of the datasets */
};
/* d: features of an image. */
int kl_extract_declare(struct kl_extract_sets *sets, const struct kl_extract *e, size_t d,
                       struct kl_error *err);

#endif
