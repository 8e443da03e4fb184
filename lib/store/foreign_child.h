/* SPDX-License-Identifier: MIT
   Private to the process that parses foreign HDF5 files. */
#ifndef KL_FOREIGN_CHILD_H
#define KL_FOREIGN_CHILD_H

#include <hdf5.h>

#include "base/base.h"
#include "store/foreign_int.h"

/* Why a dataset is not read, in words: stored outside of this file, or compressed by a filter other than
   deflate, shuffle, checksum (HDF5's own) and lzf (foreign_filter.c). "": it is. */
void kl_store_foreign_unread(char why[200], hid_t set);
/* h5py's lzf, from here on a filter of HDF5 in this process. */
void kl_store_foreign_lzf(void);
/* foreign_list.c: the datasets of a file, at most KL_FOREIGN_LISTED beside those of the wanted and of
   the usual names; malloc'ed, NULL: the answer says why. */
struct kl_listed *kl_store_foreign_list(size_t *n, hid_t file, const struct kl_wish *wish,
                                        struct kl_answer *a);
/* foreign_labels.c: n labels, malloc'ed; or NULL, and the answer refuses. set: open, or negative.
   *names: of labels that are texts the a->n_names different ones, in the order of their bytes,
   malloc'ed; else NULL. */
int32_t *kl_store_foreign_labels(hid_t set, const struct kl_listed *listed, uint64_t n,
                                 char (**names)[KL_TEXT], struct kl_answer *a);
/* foreign_numbers.c: the numbers of dataset wish->images, malloc'ed; or NULL, and the answer refuses. */
double *kl_store_foreign_numbers_of(hid_t file, const struct kl_wish *wish, struct kl_answer *a);
/* foreign_texts.c: the texts called wish->texts, KL_TEXT bytes each, malloc'ed, none if there are none;
   NULL: the answer refuses. */
double *kl_store_foreign_texts_of(hid_t file, const struct kl_wish *wish, struct kl_answer *a);
/* foreign_links.c: a dataset to which plain links alone lead. */
bool kl_store_foreign_is_dataset(hid_t file, const char *name);
/* Where plain links alone lead to what soft links of this file lead to; a name that is not there stays
   as it is. -1: it leads to another file, and the answer refuses. */
int kl_store_foreign_follow(char to[KL_FOREIGN_NAME], hid_t file, const char *name, struct kl_answer *a);
/* foreign_texts.c: n texts of a dataset or, if that is negative, an attribute, of KL_TEXT bytes each.
   -1: HDF5 cannot read them, -2: one is too long. */
int kl_store_foreign_copy_texts(char (*texts)[KL_TEXT], uint64_t n, hid_t set, hid_t attribute,
                                hid_t type);

#endif
