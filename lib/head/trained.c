/* SPDX-License-Identifier: MIT
   What a head was trained on, for those who judge it: samples that it has seen, a training that was too
   short. */
#include <stdlib.h>
#include <string.h>

#include "head/evaluate.h"
#include "head/features.h"
#include "store/store.h"

/* A head of weights from elsewhere has its classes of the features that it names, not its training.
   Draws of a chain have no training, but the split. */
static bool comes_from_elsewhere(const struct kl_file *head)
{
    return !kl_store_file_find(head, "history/train_loss") &&
           !kl_store_file_has_attribute(head, "", KL_HEAD_SAMPLED);
}

/* None with --val-fraction 0. */
static bool kept_samples(const struct kl_file *head)
{
    return kl_store_file_find(head, "split/validation");
}

/* The rows that a head kept for validation mean something in the features that it was trained on alone.
 */
bool kl_head_trained_on(const struct kl_file *head, const struct kl_file *input)
{
    return !comes_from_elsewhere(head) &&
           strstr(kl_store_file_key_parts(head), kl_store_file_content(input));
}

int kl_head_trained_check(const struct kl_file *head, const struct kl_file *input, struct kl_error *err)
{
    if (kl_head_trained_on(head, input) && kept_samples(head)) return KL_OK;
    if (kl_head_trained_on(head, input))
        return kl_fail(err, KL_EDATA,
                       "%s: --split val: it was trained with --val-fraction 0, on all samples; leave "
                       "--split out",
                       kl_store_file_path(head));
    if (comes_from_elsewhere(head))
        return kl_fail(
            err, KL_EDATA,
            "%s: --split val: the weights come from elsewhere, and what they were trained on is "
            "not known; leave --split out",
            kl_store_file_path(head));
    return kl_fail(err, KL_EDATA,
                   "%s: --split val: %s was not trained on these features; leave --split out",
                   kl_store_file_path(input), kl_store_file_path(head));
}

/* Samples that a head was trained on, in this file or in another one of the same images. */
int kl_head_trained_say(const struct kl_file *head, const struct kl_file *input, const char *split,
                        const struct kl_log *log, struct kl_error *err)
{
    if (strcmp(split, "val") == 0 || comes_from_elsewhere(head)) return KL_OK;
    if (!kl_head_trained_on(head, input)) return kl_head_origin_same_images(head, input, log, err);
    kl_caution(log, "%s: %s was trained on these; %s", kl_store_file_path(input),
               kl_store_file_path(head),
               kept_samples(head) ? "--split val takes those that it has not seen"
                                  : "none were kept for validation (--val-fraction 0)");
    return KL_OK;
}
