/* SPDX-License-Identifier: MIT
   Labels from a foreign HDF5 file, in the process that parses it: whole numbers of any type, one for
   each image, or rows of zeros with a one. Anything else is refused: images that silently have no
   labels, or others, are found out much later. */
#include <hdf5.h>
#include <stdlib.h>

#include "store/foreign_child.h"

static const uint64_t MOST_BYTES = (uint64_t)256 << 20; /* of rows that become labels */

/* HDF5 converts floats to whole numbers by cutting; here they must be whole. */
static bool whole(int32_t *labels, const double *values, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        if (!(values[i] >= -1e9 && values[i] <= 1e9) || (double)(int32_t)values[i] != values[i])
            return false;
        labels[i] = (int32_t)values[i];
    }
    return true;
}

static bool one_hot(int32_t *labels, const double *rows, uint64_t n, uint64_t c)
{
    for (uint64_t i = 0; i < n; i++) {
        labels[i] = -1;
        for (uint64_t k = 0; k < c; k++) {
            const double value = rows[i * c + k];
            if (value != 0 && (value != 1 || labels[i] >= 0)) return false;
            if (value == 1) labels[i] = (int32_t)k;
        }
        if (labels[i] < 0) return false;
    }
    return true;
}

static bool read_values(int32_t *labels, hid_t set, uint64_t n, uint64_t row)
{
    if (n * row > MOST_BYTES / sizeof(double)) return false;
    double *values = malloc(n * row * sizeof *values + 1);
    const bool fine = values &&
                      H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0 &&
                      (row == 1 ? whole(labels, values, n) : one_hot(labels, values, n, row));
    free(values);
    return fine;
}

int32_t *kl_store_foreign_labels(hid_t set, const struct kl_listed *listed, uint64_t n,
                                 struct kl_answer *a)
{
    hid_t type = H5Dget_type(set);
    const H5T_class_t class = H5Tget_class(type); /* Python's bool is an ENUM */
    const bool numbers = class == H5T_INTEGER || class == H5T_ENUM || class == H5T_FLOAT;
    int32_t *labels = NULL;
    uint64_t all = listed->rank >= 1 && listed->rank <= 4;
    for (int i = 0; all && i < listed->rank; i++)
        if (__builtin_mul_overflow(all, listed->dims[i], &all)) all = 0;
    const uint64_t row = n && all % n == 0 ? all / n : 0;
    char why[200] = "";
    if (set >= 0) kl_store_foreign_unread(why, set);
    bool fine = numbers && row && row <= 65536 && kl_store_listed_fits(listed, n) && !*why &&
                (labels = malloc(n * 4 + 1));
    if (fine && row == 1 && class != H5T_FLOAT)
        fine = H5Dread(set, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, labels) >= 0;
    else if (fine) fine = read_values(labels, set, n, row);
    H5Tclose(type);
    if (fine) return labels;
    kl_store_answer_refuse(
        a, listed->name,
        *why ? why
             : "expected one whole number for each image, or a row of zeros with a one; --labels none "
               "leaves the labels out");
    free(labels);
    return NULL;
}
