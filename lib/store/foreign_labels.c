/* SPDX-License-Identifier: MIT
   Labels from a foreign HDF5 file, in the process that parses it: whole numbers of any type or texts,
   one for each image, or rows of zeros with a one. Anything else is refused: images that silently have
   no labels, or others, are found out much later. */
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

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

static int by_bytes(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Texts name their classes: those that differ, in the order of their bytes, and the place of each. */
static int32_t *read_texts(char (**names)[KL_TEXT], hid_t set, hid_t type, uint64_t n,
                           struct kl_answer *a, const char **why)
{
    enum { MOST = 65536 };
    char(*texts)[KL_TEXT] = calloc(2 * n + 1, sizeof *texts),
    (*sorted)[KL_TEXT] = texts ? texts + n : NULL;
    int32_t *labels = texts ? malloc(n * sizeof *labels + 1) : NULL;
    const int code = labels ? kl_store_foreign_copy_texts(texts, n, set, -1, type) : -1;
    size_t count = 0;
    *names = NULL;
    if (code == -2) *why = "a text is longer than 63 bytes";
    if (code) goto out;
    memcpy(sorted, texts, n * sizeof *texts);
    qsort(sorted, n, sizeof *sorted, by_bytes);
    for (uint64_t i = 0; i < n; i++)
        if (!count || strcmp(sorted[i], sorted[count - 1]) != 0)
            memmove(sorted[count++], sorted[i], sizeof *sorted);
    if (!*sorted[0]) *why = "an empty text is no class";
    if (count > MOST) *why = "texts of more than 65536 classes";
    for (uint64_t i = 0; i < n; i++) {
        const char(*found)[KL_TEXT] = bsearch(texts[i], sorted, count, sizeof *sorted, by_bytes);
        labels[i] = (int32_t)(found - sorted);
    }
    memmove(texts, sorted, count * sizeof *texts);
out:
    if (code || *why) {
        free(texts), free(labels);
        return NULL;
    }
    *names = texts, a->n_names = count;
    return labels;
}

/* As read_texts, of numbers; row: so many of them belong to an image. */
static int32_t *read_numbers(hid_t set, H5T_class_t class, uint64_t n, uint64_t row)
{
    int32_t *labels = malloc(n * sizeof *labels + 1);
    const bool fine =
        labels && (row == 1 && class != H5T_FLOAT
                       ? H5Dread(set, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, labels) >= 0
                       : read_values(labels, set, n, row));
    if (!fine) free(labels);
    return fine ? labels : NULL;
}

int32_t *kl_store_foreign_labels(hid_t set, const struct kl_listed *listed, uint64_t n,
                                 char (**names)[KL_TEXT], struct kl_answer *a)
{
    const char *wrong = NULL;
    char unread[200] = "", text[400];
    hid_t type = H5Dget_type(set);
    const H5T_class_t class = H5Tget_class(type); /* Python's bool is an ENUM */
    const bool numbers = class == H5T_INTEGER || class == H5T_ENUM || class == H5T_FLOAT;
    int32_t *labels = NULL;
    uint64_t all = listed->rank >= 1 && listed->rank <= 4;
    for (int i = 0; all && i < listed->rank; i++)
        if (__builtin_mul_overflow(all, listed->dims[i], &all)) all = 0;
    const uint64_t row = n && all % n == 0 ? all / n : 0;
    *names = NULL;
    if (set >= 0) kl_store_foreign_unread(unread, set);
    if (*unread) wrong = unread;
    else if (class == H5T_STRING && row == 1) labels = read_texts(names, set, type, n, a, &wrong);
    else if (numbers && row && row <= 65536 && kl_store_listed_fits(listed, n))
        labels = read_numbers(set, class, n, row);
    H5Tclose(type);
    if (labels) return labels;
    if (!wrong) wrong = "expected one whole number or text for each image, or a row of zeros with a one";
    snprintf(text, sizeof text, "%s%s", wrong, *unread ? "" : "; --labels none leaves the labels out");
    kl_store_answer_refuse(a, listed->name, text);
    return NULL;
}
