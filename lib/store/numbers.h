/* SPDX-License-Identifier: MIT
   numbers: a small array from a foreign HDF5 file, as NumPy, MATLAB and Julia write it; names in one. */
#ifndef KL_STORE_NUMBERS_H
#define KL_STORE_NUMBERS_H

#include "base/base.h"

enum { KL_TEXT = 64, KL_MARK = 32 };
struct kl_numbers {
    double *values; /* row-major; pairs: two each, real and imaginary; malloc'ed */
    bool pairs;     /* they were complex */
    /* By what it is known that they were kept by columns ("MATLAB_class", "members re and im", "Fortran
       order"), or "". Here each index means what it means there: entry (i, j) is in row i. */
    char mark[KL_MARK];
    int rank; /* up to 4 */
    size_t dims[4];
    char (*texts)[KL_TEXT]; /* of an array of texts, in place of values; each ends with 0; malloc'ed */
};
/* path: FILE:DATASET. most: elements at most; texts: they may be. KL_ENOINPUT, KL_EDATA, KL_EIO,
   KL_ENOMEM. Free with kl_store_numbers_free. */
int kl_store_foreign_numbers(struct kl_numbers *numbers, const char *path, size_t most, bool texts,
                             struct kl_error *err);
void kl_store_numbers_free(struct kl_numbers *numbers);

/* The names that a file has for the numbers of `path` (FILE:DATASET): texts of a dataset called `name`
   beside that one, or of an attribute `name` of it or of the root. *texts: (n), each ends with 0;
   malloc'ed. n 0: there are none. most: at most. KL_ENOINPUT, KL_EDATA, KL_EIO, KL_ENOMEM. */
int kl_store_foreign_texts(char (**texts)[KL_TEXT], size_t *n, const char *path, const char *name,
                           size_t most, struct kl_error *err);

#endif
