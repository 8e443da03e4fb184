/* SPDX-License-Identifier: MIT
   Private to the process that parses foreign HDF5 files. */
#ifndef KL_FOREIGN_CHILD_H
#define KL_FOREIGN_CHILD_H

#include <hdf5.h>

#include "base/base.h"
#include "store/foreign_int.h"

/* Why a dataset is not read, in words: stored outside of this file, or compressed by a filter other than
   deflate, shuffle, checksum (HDF5's own) and lzf (foreign_child.c). "": it is. */
void kl_store_foreign_unread(char why[200], hid_t set);
/* foreign_child.c: the datasets of a file, at most KL_FOREIGN_LISTED beside those of the wanted and of
   the usual names; malloc'ed, NULL: the answer says why. */
struct kl_listed *kl_store_foreign_list(size_t *n, hid_t file, const struct kl_wish *wish,
                                        struct kl_answer *a);
/* foreign_values.c: n labels, malloc'ed; or NULL, and the answer refuses. set: open, or negative.
   *names: of labels that are texts the a->n_names different ones, in the order of their bytes,
   malloc'ed; else NULL. */
int32_t *kl_store_foreign_labels(hid_t set, const struct kl_listed *listed, uint64_t n,
                                 char (**names)[KL_TEXT], struct kl_answer *a);
/* foreign_values.c: the numbers of dataset wish->images, malloc'ed; or NULL, and the answer refuses. */
double *kl_store_foreign_numbers_of(hid_t file, const struct kl_wish *wish, struct kl_answer *a);
/* foreign_values.c: the texts called wish->texts, KL_TEXT bytes each, malloc'ed, none if there are none;
   NULL: the answer refuses. */
double *kl_store_foreign_texts_of(hid_t file, const struct kl_wish *wish, struct kl_answer *a);
/* foreign_child.c: a dataset to which plain links alone lead. */
bool kl_store_foreign_is_dataset(hid_t file, const char *name);

#endif
