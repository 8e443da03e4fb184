/* SPDX-License-Identifier: MIT
   split: which windows train, choose the epoch and test. No split but the one that shows the leak shares
   a recording between parts. */
#ifndef KL_SEQUENCE_SPLIT_H
#define KL_SEQUENCE_SPLIT_H

#include "base/base.h"
struct kl_sequence_set;

/* subject: 70/15/15 of the people by NumPy's MT19937 permutation, as the reference's; loso: fold f tests
   person f; kfold: folds of people; loro: within each person, fold f tests run f; within: each person's
   later runs test; leak: random windows, to show what that claims (never without saying so). */
enum kl_sequence_split_kind {
    KL_SEQUENCE_SPLIT_SUBJECT,
    KL_SEQUENCE_SPLIT_LOSO,
    KL_SEQUENCE_SPLIT_KFOLD,
    KL_SEQUENCE_SPLIT_LORO,
    KL_SEQUENCE_SPLIT_WITHIN,
    KL_SEQUENCE_SPLIT_LEAK
};
#define KL_SEQUENCE_SPLITS "subject|loso|kfold|loro|within|leak"
struct kl_sequence_split_options {
    enum kl_sequence_split_kind kind;
    int64_t fold, folds; /* kfold: of how many */
    uint64_t seed;
};
enum { KL_SEQUENCE_TRAIN, KL_SEQUENCE_VALIDATION, KL_SEQUENCE_TEST, KL_SEQUENCE_PARTS };
struct kl_sequence_split {
    int64_t *part[KL_SEQUENCE_PARTS]; /* numbers of windows, rising */
    size_t n[KL_SEQUENCE_PARTS];
};
/* KL_EUSAGE: no such fold; KL_EDATA: a part would be empty, too few people or runs. */
int kl_sequence_split_make(struct kl_sequence_split *split, const struct kl_sequence_set *set,
                           const struct kl_sequence_split_options *o, struct kl_error *err);
/* KL_EDATA if two parts share a recording (or, across = true, a person): which. */
int kl_sequence_split_check(const struct kl_sequence_split *split, const struct kl_sequence_set *set,
                            bool across, struct kl_error *err);
void kl_sequence_split_free(struct kl_sequence_split *split);

#endif
