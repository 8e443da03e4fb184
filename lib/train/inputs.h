/* SPDX-License-Identifier: MIT
   inputs: the files that a training reads, open. They are taken in the order of their contents, so that
   neither a key nor a result depends on the order of the command line. */
#ifndef KL_TRAIN_INPUTS_H
#define KL_TRAIN_INPUTS_H

#include "store/store.h"

struct kl_train_inputs {
    struct kl_file **files;   /* (n) by content */
    const char *const *paths; /* (n) as on the command line */
    size_t n;
};
/* All of one kind. KL_EUSAGE: two of one content; else as kl_store_file_open_kind. Close them in any
   case. */
int kl_train_inputs_open(struct kl_train_inputs *inputs, const char *const *paths, size_t n,
                         const struct kl_kind *kind, struct kl_error *err);
/* Their contents into a key. */
int kl_train_inputs_key(struct kl_key *key, const struct kl_train_inputs *inputs, const char *role,
                        struct kl_error *err);
void kl_train_inputs_close(struct kl_train_inputs *inputs);

#endif
