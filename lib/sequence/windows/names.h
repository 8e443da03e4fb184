/* SPDX-License-Identifier: MIT
   Lists of names, and of numbers into them, in files of this family of rooms. */
#ifndef KL_SEQUENCE_NAMES_H
#define KL_SEQUENCE_NAMES_H

#include "store/store.h"

/* Dataset of n texts of a fixed length. */
int kl_sequence_names_put(struct kl_writer *writer, const char *dataset, const char *const *names,
                          size_t n, struct kl_error *err);
/* The same, malloc'ed, printable, with a NULL behind. KL_EDATA, KL_EIO, KL_ENOMEM; *names may be partly
   filled then: free it in any case. */
int kl_sequence_names_take(char ***names, size_t *n, struct kl_file *file, const char *dataset,
                           struct kl_error *err);
/* (n) numbers of such a list, each from `least` (0; -1: none) to names - 1; malloc'ed. KL_EDATA, KL_EIO,
   KL_ENOMEM; free *numbers in any case. */
int kl_sequence_numbers_take(int32_t **numbers, struct kl_file *file, const char *dataset, size_t n,
                             int32_t least, size_t names, struct kl_error *err);
void kl_sequence_names_free(char **names, size_t n); /* accepts NULL */

#endif
