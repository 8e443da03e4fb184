/* SPDX-License-Identifier: MIT
   numbers: a small array from a foreign HDF5 file, as NumPy, MATLAB and Julia write it; names in one. */
#ifndef KL_STORE_NUMBERS_H
#define KL_STORE_NUMBERS_H

#include "base/base.h"

struct kl_numbers {
    double *values; /* row-major; pairs: two each, real and imaginary; malloc'ed */
    bool pairs;     /* they were a compound of two, r and i */
    /* By what a program is known that stores columns, MATLAB or Julia ("MATLAB_class", "members re and
       im"): the axes stand in reverse of its own. "": by nothing, as of h5py and of plain HDF5.jl. */
    char mark[32];
    int rank; /* up to 4 */
    size_t dims[4];
};
/* path: FILE:DATASET. most: elements at most. KL_ENOINPUT, KL_EDATA, KL_EIO, KL_ENOMEM. */
int kl_store_foreign_numbers(struct kl_numbers *numbers, const char *path, size_t most,
                             struct kl_error *err);

/* The names that a file has for the numbers of `path` (FILE:DATASET): texts of a dataset called `name`
   beside that one, or of an attribute `name` of it or of the root. *texts: (n), each ends with 0;
   malloc'ed. n 0: there are none. most: at most. KL_ENOINPUT, KL_EDATA, KL_EIO, KL_ENOMEM. */
enum { KL_TEXT = 64 };
int kl_store_foreign_texts(char (**texts)[KL_TEXT], size_t *n, const char *path, const char *name,
                           size_t most, struct kl_error *err);

#endif
