/* SPDX-License-Identifier: MIT
   standardise: each channel of a window as (x - mean) scale, fitted on the training windows or on each
   person's own, whose labels are not looked at; or millivolts as they are. */
#ifndef KL_SEQUENCE_STANDARDISE_H
#define KL_SEQUENCE_STANDARDISE_H

#include "base/base.h"
struct kl_sequence_set;

enum kl_sequence_standard_kind {
    KL_SEQUENCE_STANDARD_TRAIN,
    KL_SEQUENCE_STANDARD_SUBJECT,
    KL_SEQUENCE_STANDARD_NONE
};
#define KL_SEQUENCE_STANDARDS "train|subject|none"
struct kl_sequence_standard_options {
    enum kl_sequence_standard_kind kind;
};
struct kl_sequence_standard {
    enum kl_sequence_standard_kind kind;
    size_t groups, channels; /* groups: people, or 1 */
    char **names;            /* (groups) of the people; NULL: the same for all */
    float *mean, *scale;     /* (groups, channels); scale 0: the channel never moved */
};
/* train (n): numbers of the training windows, of which kind TRAIN is fitted; NULL: all. Of a person all
   windows count. KL_ENOMEM, and what kl_sequence_set_window returns. Free it in any case. */
int kl_sequence_standard_fit(struct kl_sequence_standard *s, const struct kl_sequence_set *set,
                             const struct kl_sequence_standard_options *o, const int64_t *train,
                             size_t n, struct kl_error *err);
/* The group of a person; -1: of a person that it was not fitted on. */
int64_t kl_sequence_standard_group(const struct kl_sequence_standard *s, const char *person);
/* out (channels, stride) from x (channels, steps); zeros beyond the steps. */
void kl_sequence_standard_apply(float *out, const struct kl_sequence_standard *s, size_t group,
                                const float *x, size_t steps, size_t stride);
void kl_sequence_standard_free(struct kl_sequence_standard *s);

#endif
