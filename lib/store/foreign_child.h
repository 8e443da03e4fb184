/* SPDX-License-Identifier: MIT
   Private to the process that parses foreign HDF5 files. */
#ifndef KL_FOREIGN_CHILD_H
#define KL_FOREIGN_CHILD_H

#include <hdf5.h>

#include "base/base.h"
#include "store/foreign_int.h"

/* Contiguous, compact or chunked, in this file, no filters but HDF5's own deflate, shuffle and checksum.
 */
bool kl_store_foreign_simple(hid_t set);
/* foreign_list.c: the datasets of a file, at most KL_FOREIGN_LISTED beside those of the wanted and of
   the usual names; malloc'ed, NULL: the answer says why. */
struct kl_listed *kl_store_foreign_list(size_t *n, hid_t file, const struct kl_wish *wish,
                                        struct kl_answer *a);
/* foreign_labels.c: n labels, malloc'ed; or NULL, and the answer refuses. set: open, or negative. */
int32_t *kl_store_foreign_labels(hid_t set, const struct kl_listed *listed, uint64_t n,
                                 struct kl_answer *a);
/* foreign_numbers.c: the numbers of dataset wish->images, malloc'ed; or NULL, and the answer refuses. */
double *kl_store_foreign_numbers_of(hid_t file, const struct kl_wish *wish, struct kl_answer *a);
/* foreign_texts.c: the texts called wish->texts, KL_TEXT bytes each, malloc'ed, none if there are none;
   NULL: the answer refuses. */
double *kl_store_foreign_texts_of(hid_t file, const struct kl_wish *wish, struct kl_answer *a);
/* foreign_list.c: a dataset to which plain links alone lead. */
bool kl_store_foreign_is_dataset(hid_t file, const char *name);

#endif
