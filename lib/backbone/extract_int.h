/* SPDX-License-Identifier: MIT
   What the files of an extraction share. */
#ifndef KL_EXTRACT_INT_H
#define KL_EXTRACT_INT_H

#include "backbone/extract.h"

struct kl_extract_sets {
    int features, labels, index; /* numbers of the datasets */
};
/* d: features of an image. */
int kl_backbone_extract_declare(struct kl_extract_sets *sets, const struct kl_extract *e, size_t d,
                                struct kl_error *err);
/* The list beside the weights, "FILE.seen"; none without it. KL_EDATA, KL_ENOMEM.
 */
int kl_backbone_look_open(struct kl_look *look, const char *weights, struct kl_error *err);
/* For a run of so many images. KL_ENOMEM. */
int kl_backbone_look_begin(struct kl_look *look, size_t n_rows, struct kl_error *err);
/* Images [row, row + n) of so many bytes each, by any thread. */
void kl_backbone_look_at(struct kl_look *look, const uint8_t *pixels, size_t row, size_t n,
                         size_t bytes);
/* labels [n_rows]; -1: none. first: the number of the run's first image. KL_ENOMEM. */
int kl_backbone_look_say(struct kl_look *look, const int32_t *labels, size_t first,
                         const struct kl_log *log, struct kl_error *err);
void kl_backbone_look_close(struct kl_look *look);

#endif
