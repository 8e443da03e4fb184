/* SPDX-License-Identifier: MIT
   Values of a foreign HDF5 file, in the process that parses it: texts, labels, and small arrays of
   numbers. */
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

#include "store/foreign_int.h"
#include "store/numbers.h"

/* ---- texts ----
   Names that a file has for its numbers: texts of fixed or variable length, in a dataset
   beside them or in an attribute. */

/* A dataset or an attribute. */
struct source {
    hid_t set, attribute;
};

static hid_t open_attribute(hid_t file, const char *object, const char *name)
{
    return H5Aexists_by_name(file, object, name, H5P_DEFAULT) > 0
               ? H5Aopen_by_name(file, object, name, H5P_DEFAULT, H5P_DEFAULT)
               : -1;
}

static struct source find(hid_t file, const struct kl_foreign_wish *wish)
{
    char beside[2 * KL_FOREIGN_NAME];
    const char *slash = strrchr(wish->images, '/');
    struct source s = { -1, -1 };
    snprintf(beside, sizeof beside, "%.*s%s", slash ? (int)(slash + 1 - wish->images) : 0, wish->images,
             wish->texts);
    if (kl_store_foreign_is_dataset(file, beside)) s.set = H5Dopen2(file, beside, H5P_DEFAULT);
    if (s.set < 0 && kl_store_foreign_is_dataset(file, wish->images))
        s.attribute = open_attribute(file, wish->images, wish->texts);
    if (s.set < 0 && s.attribute < 0) s.attribute = open_attribute(file, "/", wish->texts);
    return s;
}

/* n texts of a dataset or, if that is negative, an attribute, of KL_TEXT bytes each.
   -1: HDF5 cannot read them, -2: one is too long. */
static int copy_texts(char (*texts)[KL_TEXT], uint64_t n, hid_t set, hid_t attribute, hid_t type)
{
    const bool variable = H5Tis_variable_str(type) > 0;
    const size_t size = variable ? sizeof(char *) : H5Tget_size(type);
    char *raw = size && n <= SIZE_MAX / size ? calloc(n + 1, size) : NULL;
    const bool read = raw && (set >= 0 ? H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, raw)
                                       : H5Aread(attribute, type, raw)) >= 0;
    int code = read ? 0 : -1;
    for (uint64_t i = 0; i < n && !code; i++) {
        const char *const item = raw + i * size, *at = item;
        if (variable) memcpy(&at, item, size);
        const size_t length = !at ? 0 : variable ? strlen(at) : strnlen(at, size);
        if (length >= KL_TEXT) code = -2;
        else if (at) memcpy(texts[i], at, length);
    }
    free(raw); /* what HDF5 took for each text goes with the process */
    return code;
}

double *kl_store_foreign_texts_of(hid_t file, const struct kl_foreign_wish *wish, struct kl_answer *a)
{
    const struct source s = find(file, wish);
    const bool found = s.set >= 0 || s.attribute >= 0;
    const hid_t type = s.set >= 0 ? H5Dget_type(s.set)
                       : found    ? H5Aget_type(s.attribute)
                                  : -1,
                space = s.set >= 0 ? H5Dget_space(s.set)
                        : found    ? H5Aget_space(s.attribute)
                                   : -1;
    hsize_t n = 0;
    /* Numbers by this name are no names. */
    if (found && H5Tget_class(type) == H5T_STRING && H5Sget_simple_extent_ndims(space) == 1)
        H5Sget_simple_extent_dims(space, &n, NULL);
    char(*texts)[KL_TEXT] = NULL, why[200] = "";
    a->texts = true, a->rank = 1, a->dims[0] = n;
    if (s.set >= 0) kl_store_foreign_unread(why, s.set);
    if (n > wish->numbers)
        kl_store_answer_refuse(a, wish->texts, "has more names than are expected here");
    else if (*why) kl_store_answer_refuse(a, wish->texts, why);
    else if (!(texts = calloc(n + 1, sizeof *texts)))
        kl_store_answer_refuse(a, wish->texts, "no memory for its names");
    const int code = texts && n ? copy_texts(texts, n, s.set, s.attribute, type) : 0;
    if (code)
        kl_store_answer_refuse(a, wish->texts,
                               code == -1 ? "HDF5 cannot read it: damaged"
                                          : "a name is longer than 63 bytes");
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    if (s.set >= 0) H5Dclose(s.set);
    if (s.attribute >= 0) H5Aclose(s.attribute);
    return (double *)texts;
}

/* ---- labels ----
   Whole numbers of any type or texts, one for each image, or rows of zeros with a one. Anything else is
   refused: images that silently have no labels, or others, are found out much later. */

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

static bool read_rows(int32_t *labels, hid_t set, uint64_t n, uint64_t row)
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
    const int code = labels ? copy_texts(texts, n, set, -1, type) : -1;
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
                       : read_rows(labels, set, n, row));
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

/* ---- numbers ----
   A small array: whole, real, or a compound of a real and an
   imaginary part, as h5py, MATLAB and Julia write complex ones. */

/* Real and imaginary part, as h5py, MATLAB and Octave, and Julia call them. Only h5py's name no writer
   that keeps arrays by columns. */
static const char *const parts[][2] = { { "r", "i" }, { "real", "imag" }, { "re", "im" } };

/* The type in memory of a compound of two numbers of these names, or negative. */
static hid_t pair_type(hid_t type, const char *const names[2])
{
    const hid_t memory = H5Tcreate(H5T_COMPOUND, 2 * sizeof(double));
    for (unsigned m = 0; m < 2; m++) {
        char *name = H5Tget_member_name(type, m);
        const H5T_class_t class = H5Tget_member_class(type, m);
        const bool fits =
            name && strcmp(name, names[m]) == 0 && (class == H5T_FLOAT || class == H5T_INTEGER);
        if (fits) H5Tinsert(memory, name, m * sizeof(double), H5T_NATIVE_DOUBLE);
        H5free_memory(name);
        if (!fits) {
            H5Tclose(memory);
            return -1;
        }
    }
    return memory;
}

/* The type in memory of a file's type, or negative. */
static hid_t memory_type(struct kl_answer *a, hid_t type)
{
    const H5T_class_t class = H5Tget_class(type);
    hid_t memory = -1;
    a->pairs = class == H5T_COMPOUND;
    a->texts = class == H5T_STRING;
    if (class == H5T_INTEGER || class == H5T_FLOAT || class == H5T_ENUM)
        return H5Tcopy(H5T_NATIVE_DOUBLE);
    if (a->texts) return H5Tcopy(type);
    if (!a->pairs || H5Tget_nmembers(type) != 2) return -1;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && memory < 0; i++) {
        memory = pair_type(type, parts[i]);
        if (memory >= 0 && i > 0)
            snprintf(a->mark, sizeof a->mark, "members %s and %s", parts[i][0], parts[i][1]);
    }
    return memory;
}

/* JLD2 marks no array of plain numbers: its file says so before HDF5 begins. (MATLAB marks each.) */
static bool is_of_julia(const char *path)
{
    char text[129] = "";
    FILE *file = fopen(path, "re");
    const size_t n = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file) fclose(file);
    return memmem(text, n, "Julia", 5);
}

static void find_mark(char mark[KL_MARK], hid_t set, const char *path)
{
    static const char *const marks[] = { "MATLAB_class", "julia type", "julia_type" };
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (H5Aexists(set, marks[i]) > 0) snprintf(mark, KL_MARK, "%s", marks[i]);
    if (!*mark && is_of_julia(path)) snprintf(mark, KL_MARK, "the file's first line");
}

static void *read_values(hid_t set, hid_t memory, struct kl_answer *a,
                         const struct kl_foreign_wish *wish)
{
    const uint64_t n = kl_store_foreign_count(a);
    double *values = calloc(n + 1, sizeof *values);
    const int code = !values    ? -1
                     : a->texts ? copy_texts((char(*)[KL_TEXT])values, n / (KL_TEXT / sizeof *values),
                                             set, -1, memory)
                                : H5Dread(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    if (code < 0)
        kl_store_answer_refuse(a, wish->images,
                               code == -2 ? "a text is longer than 63 bytes"
                                          : "HDF5 cannot read it: damaged");
    return values;
}

static double *read_set(hid_t set, const struct kl_foreign_wish *wish, struct kl_answer *a)
{
    hsize_t dims[4] = { 0 };
    char why[200];
    const hid_t type = H5Dget_type(set), space = H5Dget_space(set), memory = memory_type(a, type);
    double *values = NULL;
    const uint64_t each = a->texts ? KL_TEXT / sizeof *values : a->pairs ? 2 : 1;
    find_mark(a->mark, set, wish->path);
    a->rank = H5Sget_simple_extent_ndims(space);
    if (a->rank >= 1 && a->rank <= 4) H5Sget_simple_extent_dims(space, dims, NULL);
    for (int i = 0; i < 4; i++) a->dims[i] = dims[i];
    const uint64_t n = a->rank >= 0 && a->rank <= 4 ? kl_store_foreign_count(a) : UINT64_MAX;
    kl_store_foreign_unread(why, set);
    if (a->texts && !wish->or_texts)
        kl_store_answer_refuse(a, wish->images, "holds texts, expected numbers");
    else if (memory < 0)
        kl_store_answer_refuse(a, wish->images,
                               wish->or_texts
                                   ? "expected numbers or texts"
                                   : "expected numbers, or complex ones as a compound of r and i");
    else if (n > wish->numbers * each)
        kl_store_answer_refuse(a, wish->images, "has more numbers than are expected here");
    else if (*why) kl_store_answer_refuse(a, wish->images, why);
    else values = read_values(set, memory, a, wish);
    if (memory >= 0) H5Tclose(memory);
    H5Sclose(space);
    H5Tclose(type);
    return values;
}

/* Refuse a dataset that is not there, and list those that are. */
static void refuse_absent(hid_t file, const struct kl_foreign_wish *wish, struct kl_answer *a)
{
    enum { SHOWN = 8 };
    size_t n = 0, used = 0;
    char text[480];
    struct kl_listed *all = kl_store_foreign_list(&n, file, wish, a);
    used += (size_t)snprintf(text, sizeof text, "%s; there are ",
                             *wish->images ? "absent, or not a plain dataset"
                                           : "name the dataset: FILE:DATASET");
    if (!all) return;
    if (!n) snprintf(text + used, sizeof text - used, "none");
    for (size_t i = 0; i < n && i <= SHOWN && used < sizeof text; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%.40s", i ? ", " : "",
                                 i < SHOWN ? all[i].name : "...");
    free(all);
    kl_make_printable(text);
    kl_store_answer_refuse(a, wish->images, text);
}

double *kl_store_foreign_numbers_of(hid_t file, const struct kl_foreign_wish *wish, struct kl_answer *a)
{
    const bool there = *wish->images && kl_store_foreign_is_dataset(file, wish->images);
    const hid_t set = there ? H5Dopen2(file, wish->images, H5P_DEFAULT) : -1;
    if (set < 0) {
        refuse_absent(file, wish, a);
        return NULL;
    }
    double *values = read_set(set, wish, a);
    H5Dclose(set);
    return values;
}
