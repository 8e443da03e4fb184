/* SPDX-License-Identifier: MIT
   split_file: a split as a group of a file. */
#ifndef KL_SEQUENCE_SPLIT_FILE_H
#define KL_SEQUENCE_SPLIT_FILE_H

#include "sequence/learn/split.h"
#include "sequence/windows/windows.h"

/* files (n_files): those of the set, in its order. KL_EIO, KL_ENOMEM. */
int kl_sequence_split_put(struct kl_writer *writer, const struct kl_sequence_set *set,
                          const struct kl_sequence_split *split, struct kl_file *const *files,
                          size_t n_files, struct kl_error *err);

#endif
