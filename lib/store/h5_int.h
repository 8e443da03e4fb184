/* SPDX-License-Identifier: MIT
   What the files with HDF5 calls share. */
#ifndef KL_H5_INT_H
#define KL_H5_INT_H

#include <hdf5.h>

#include "store/store_int.h"

/* KL_ENOMEM, or `code` with these words. HDF5 does not say whether memory ran out; errno of its
   allocation does. */
int kl_store_h5_failed(struct kl_error *err, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* HDF5 keeps a stack of errors of its own for each thread; ours go to struct kl_error. */
void kl_store_h5_hush(void);

/* CLASS, NAME, DIMENSION_LIST, REFERENCE_LIST: made of `dimensions`, no attributes of their own. */
bool kl_store_h5_is_scale_attribute(const char *name);
/* A dataset of the root that is a scale without values: none of ours. */
bool kl_store_h5_is_dimension(const char *name);

#endif
