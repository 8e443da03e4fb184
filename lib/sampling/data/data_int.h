/* SPDX-License-Identifier: MIT
   Private to data: the files of a source, found but not opened. */
#ifndef KL_SAMPLING_DATA_INT_H
#define KL_SAMPLING_DATA_INT_H

#include "sampling/data/data.h"

/* source->files; close it in any case. KL_ENOINPUT, KL_EUSAGE, KL_ENOMEM. */
int kl_sampling_source_find(struct kl_sampling_source *source, const char *const *paths, size_t n_paths,
                            bool test, struct kl_error *err);

#endif
