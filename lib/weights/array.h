/* SPDX-License-Identifier: MIT
   array: numbers or texts that another program saved: .npy of NumPy, one array of an .npz, one dataset
   of HDF5 or of MATLAB's files from version 7.3 on. */
#ifndef KL_WEIGHTS_ARRAY_H
#define KL_WEIGHTS_ARRAY_H

#include "store/numbers.h"

/* The length of the file's name in FILE or FILE:NAME, whose file has this ending; 0: it has not. */
size_t kl_weights_file_length(const char *text, const char *ending);
/* The same for a file of an array or of several, whichever its ending; of other texts the whole length.
 */
size_t kl_weights_array_length(const char *text);
/* Is it the name of one: F.npy, F.npz, F.npz:NAME, F.h5:DATASET? F.h5 alone is too: the reader asks for
   the dataset. Also .hdf5, .mat and .jld2. */
bool kl_weights_is_array(const char *text);
/* The same, of HDF5. */
bool kl_weights_is_hdf5(const char *text);
/* In rows, whatever order and order of bytes it is kept in; complex ones as pairs; texts, if they are
   wanted, in place of values. most: elements at most. KL_ENOINPUT, KL_EDATA, KL_EIO, KL_ENOMEM. Free
   with kl_store_numbers_free. */
int kl_weights_array_read(struct kl_numbers *array, const char *path, size_t most, bool texts,
                          struct kl_error *err);
/* KL_EDATA: it is in a file of ours, which has what another program would be asked for. expected: in
   words. */
int kl_weights_array_foreign(const char *path, const char *expected, struct kl_error *err);

#endif
