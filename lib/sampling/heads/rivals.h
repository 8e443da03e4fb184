/* SPDX-License-Identifier: MIT
   The head that is sampled, and what is sampled in its circuit's place (rivals.c). Apart from heads.h
   because its targets are of float alone. */
#ifndef KL_SAMPLING_RIVALS_H
#define KL_SAMPLING_RIVALS_H

#include "sampling/heads/heads.h"

/* One model to sample, with what it is made of. */
struct kl_sampling_rival {
    const char *name; /* of its core */
    struct kl_head_model own, *model;
    struct kl_features angles; /* x: what the fixed reduction makes of the features; else empty */
    struct kl_sampling_head_f32 *head;
    struct kl_sampling_target_f32 target;
    float *params;
};
/* The head itself. */
int kl_sampling_rival_head(struct kl_sampling_rival *rival, struct kl_head *head,
                           const struct kl_sampling_head_question *question, struct kl_error *err);
/* In place of the head's circuit: its twin (KL_CORE_TWIN), which with KL_SAMPLING_TAIL has the head's
   reduction before it; or KL_CORE_NONE, one linear layer on the features, with KL_SAMPLING_TAIL on the
   angles that the head's reduction makes of them. question: as for the head; of its parts ALL and TAIL.
   path: of the head, for messages. KL_EUSAGE, KL_EDATA, KL_ENOMEM. */
int kl_sampling_rival_make(struct kl_sampling_rival *rival, enum kl_core core, struct kl_head *head,
                           const struct kl_sampling_head_question *question, const char *path,
                           struct kl_error *err);
void kl_sampling_rival_close(struct kl_sampling_rival *rival); /* in any case */

#endif
