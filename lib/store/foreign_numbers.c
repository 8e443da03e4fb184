/* SPDX-License-Identifier: MIT
   A small array of numbers from a foreign HDF5 file: whole, real, or a compound of a real and an
   imaginary part, as h5py, MATLAB and Julia write complex ones. */
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

#include "store/foreign_child.h"
#include "store/numbers.h"

/* ---- in the process that parses ---- */
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

/* A file of MATLAB or JLD2 says so before its HDF5 begins. */
static bool is_of_columns(const char *path)
{
    char text[129] = "";
    FILE *file = fopen(path, "re");
    const size_t n = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file) fclose(file);
    return memmem(text, n, "MATLAB", 6) || memmem(text, n, "Julia", 5);
}

static void find_mark(char mark[KL_MARK], hid_t set, const char *path)
{
    static const char *const marks[] = { "MATLAB_class", "julia type", "julia_type" };
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (H5Aexists(set, marks[i]) > 0) snprintf(mark, KL_MARK, "%s", marks[i]);
    if (!*mark && is_of_columns(path)) snprintf(mark, KL_MARK, "the file's first line");
}

static void *read_values(hid_t set, hid_t memory, struct kl_answer *a, const struct kl_wish *wish)
{
    const uint64_t n = kl_store_foreign_count(a);
    double *values = calloc(n + 1, sizeof *values);
    const int code = !values ? -1
                     : a->texts
                         ? kl_store_foreign_copy_texts((char(*)[KL_TEXT])values,
                                                       n / (KL_TEXT / sizeof *values), set, -1, memory)
                         : H5Dread(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    if (code < 0)
        kl_store_answer_refuse(a, wish->images,
                               code == -2 ? "a text is longer than 63 bytes"
                                          : "HDF5 cannot read it: damaged");
    return values;
}

static double *read_set(hid_t set, const struct kl_wish *wish, struct kl_answer *a)
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

/* What is not there, and which datasets are. */
static void refuse_absent(hid_t file, const struct kl_wish *wish, struct kl_answer *a)
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

double *kl_store_foreign_numbers_of(hid_t file, const struct kl_wish *wish, struct kl_answer *a)
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

/* ---- in the parent ---- */
/* Items of `size` bytes, of an array whose indices run the other way; dims: as it is after that. */
static int reverse(void **items, size_t size, int rank, const size_t dims[4], size_t n,
                   struct kl_error *err)
{
    char *to = malloc(n * size + 1);
    if (!to) return kl_fail_memory(err, n * size);
    for (size_t i = 0; i < n; i++) {
        size_t rest = i, at = 0, step = n;
        for (int d = rank - 1; d >= 0; d--) {
            step /= dims[d];
            at += rest % dims[d] * step;
            rest /= dims[d];
        }
        memcpy(to + i * size, (const char *)*items + at * size, size);
    }
    free(*items);
    *items = to;
    return KL_OK;
}

static int take(struct kl_numbers *to, const struct kl_answer *a, double *values, struct kl_error *err)
{
    void *items = values;
    size_t n = 1;
    to->pairs = a->pairs, to->rank = a->rank;
    if (a->rank > 1) memcpy(to->mark, a->mark, sizeof to->mark);
    for (int i = 0; i < a->rank; i++) {
        to->dims[i] = a->dims[*to->mark ? a->rank - 1 - i : i];
        n *= to->dims[i];
    }
    const size_t size = a->texts ? KL_TEXT : a->pairs ? 2 * sizeof *values : sizeof *values;
    const int code = *to->mark ? reverse(&items, size, a->rank, to->dims, n, err) : KL_OK;
    if (a->texts) to->texts = items;
    else to->values = items;
    for (size_t i = 0; i < n && a->texts; i++)
        to->texts[i][KL_TEXT - 1] = 0, kl_make_printable(to->texts[i]);
    return code;
}

int kl_store_foreign_numbers(struct kl_numbers *numbers, const char *path, size_t most, bool texts,
                             struct kl_error *err)
{
    char *name;
    double *values = NULL;
    const char *dataset = kl_store_foreign_split(&name, path);
    struct kl_answer answer = { 0 };
    *numbers = (struct kl_numbers){ 0 };
    if (!name) return kl_fail_memory(err, strlen(path));
    struct kl_wish wish = { .images = dataset, .path = name, .numbers = most, .or_texts = texts };
    int code = kl_store_foreign_fulfil_numbers(&values, &answer, &wish, err);
    if (!code) code = take(numbers, &answer, values, err);
    if (code) kl_store_numbers_free(numbers);
    free(name);
    return code;
}

void kl_store_numbers_free(struct kl_numbers *numbers)
{
    free(numbers->values);
    free(numbers->texts);
    numbers->values = NULL, numbers->texts = NULL;
}
