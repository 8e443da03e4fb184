/* SPDX-License-Identifier: MIT
   Heads that have collapsed: that take the samples of one class for another's, or end far below the
   heads of other seeds (docs/head.md, "Lost classes"). */
#ifndef KL_HEAD_COLLAPSE_H
#define KL_HEAD_COLLAPSE_H

#include "head/head.h"

struct kl_evaluation;

enum { KL_COLLAPSE_PAIRS = 3 };
struct kl_collapsed {
    double accuracy;
    size_t merged; /* classes that are not told from another one (kl_stats_merged_classes) */
    int32_t pairs[KL_COLLAPSE_PAIRS][2]; /* the first of them, and what each is taken for */
    bool far;                            /* below the median of the heads by more than chance */
};
struct kl_collapse {
    size_t replicas, n_collapsed;
    int64_t first;              /* number of the first replica */
    const char *samples;        /* on which they were judged: "val ", "train ", or "" */
    double median;              /* of their accuracies */
    struct kl_collapsed *heads; /* [replicas] */
};
/* The heads of a training that has ended, each at its best epoch and with exact outputs, on its
   validation samples; without any, on some thousands of those that it was trained on. Free with
   kl_head_collapse_free. KL_ENOMEM, KL_EDEVICE. */
int kl_head_collapse_of_training(struct kl_collapse *c, const struct kl_head_train *train,
                                 struct kl_pool *pool, struct kl_error *err);
/* Heads that were judged on labelled samples. KL_ENOMEM. */
int kl_head_collapse_of_evaluation(struct kl_collapse *c, const struct kl_evaluation *e,
                                   struct kl_error *err);
void kl_head_collapse_free(struct kl_collapse *c);
/* One line, if any has collapsed: which, how, and what helps. names: of the classes. */
void kl_head_collapse_say(const struct kl_log *log, const struct kl_collapse *c,
                          const struct kl_features *names);

#endif
