/* SPDX-License-Identifier: MIT
   A small array of numbers from a foreign HDF5 file: whole, real, or a compound of a real and an
   imaginary part, as h5py, MATLAB and Julia write complex ones. */
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

#include "store/foreign_child.h"
#include "store/numbers.h"

/* ---- in the process that parses ---- */
/* The type in memory of a file's type, or negative. mark: h5py's complex numbers, like those of HDF5.jl,
   have members r and i; MATLAB's real and imag, JLD2's re and im. */
static hid_t memory_type(bool *pairs, char mark[32], hid_t type)
{
    const H5T_class_t class = H5Tget_class(type);
    *pairs = class == H5T_COMPOUND;
    if (class == H5T_INTEGER || class == H5T_FLOAT) return H5Tcopy(H5T_NATIVE_DOUBLE);
    if (class != H5T_COMPOUND || H5Tget_nmembers(type) != 2) return -1;
    const hid_t memory = H5Tcreate(H5T_COMPOUND, 2 * sizeof(double));
    for (unsigned m = 0; m < 2; m++) {
        char *name = H5Tget_member_name(type, m);
        const bool fits = name && *name == "ri"[m] && H5Tget_member_class(type, m) == H5T_FLOAT;
        if (fits) H5Tinsert(memory, name, m * sizeof(double), H5T_NATIVE_DOUBLE);
        if (fits && strcmp(name, "re") == 0) strcpy(mark, "members re and im");
        if (fits && strcmp(name, "real") == 0) strcpy(mark, "members real and imag");
        H5free_memory(name);
        if (!fits) {
            H5Tclose(memory);
            return -1;
        }
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

static double *read_set(hid_t set, const struct kl_wish *wish, struct kl_answer *a)
{
    hsize_t dims[4] = { 0 };
    const hid_t type = H5Dget_type(set), space = H5Dget_space(set),
                memory = memory_type(&a->pairs, a->mark, type);
    double *values = NULL;
    if (H5Aexists(set, "MATLAB_class") > 0) strcpy(a->mark, "MATLAB_class");
    else if (!*a->mark && is_of_columns(wish->path)) strcpy(a->mark, "the file's first line");
    a->rank = H5Sget_simple_extent_ndims(space);
    if (a->rank >= 1 && a->rank <= 4) H5Sget_simple_extent_dims(space, dims, NULL);
    for (int i = 0; i < 4; i++) a->dims[i] = dims[i];
    const uint64_t n = a->rank >= 0 && a->rank <= 4 ? kl_store_foreign_count(a) : UINT64_MAX;
    if (memory < 0)
        kl_store_answer_refuse(a, wish->images,
                               "expected numbers, or complex ones as a compound of r and i");
    else if (n > wish->numbers * (a->pairs ? 2 : 1))
        kl_store_answer_refuse(a, wish->images, "has more numbers than are expected here");
    else if (!kl_store_foreign_simple(set))
        kl_store_answer_refuse(
            a, wish->images,
            "stored in a way that is not read (external, virtual, or a filter other than "
            "gzip, shuffle, fletcher32)");
    else if (!(values = calloc(n + 1, sizeof *values)) ||
             H5Dread(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
        kl_store_answer_refuse(a, wish->images, "HDF5 cannot read it: damaged");
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
int kl_store_foreign_numbers(struct kl_numbers *numbers, const char *path, size_t most,
                             struct kl_error *err)
{
    char *name;
    const char *dataset = kl_store_foreign_split(&name, path);
    struct kl_answer answer = { 0 };
    *numbers = (struct kl_numbers){ 0 };
    if (!name) return kl_fail_memory(err, strlen(path));
    struct kl_wish wish = { .images = dataset, .path = name, .numbers = most };
    numbers->values = malloc((2 * most + 1) * sizeof *numbers->values);
    int code = numbers->values ? kl_store_foreign_fulfil_numbers(numbers->values, &answer, &wish, err)
                               : kl_fail_memory(err, 2 * most * sizeof *numbers->values);
    numbers->pairs = answer.pairs;
    memcpy(numbers->mark, answer.mark, sizeof numbers->mark);
    numbers->rank = answer.rank;
    for (int i = 0; i < 4 && !code; i++) numbers->dims[i] = answer.dims[i];
    if (code) free(numbers->values), numbers->values = NULL;
    free(name);
    return code;
}
