/* SPDX-License-Identifier: MIT
   Lists of names in files of this family of rooms. */
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
void kl_sequence_names_free(char **names, size_t n); /* accepts NULL */

#endif
