/* SPDX-License-Identifier: MIT
   Names that a foreign HDF5 file has for its numbers: texts of fixed or variable length, in a dataset
   beside them or in an attribute. */
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

#include "store/foreign_child.h"
#include "store/numbers.h"

/* ---- in the process that parses ---- */
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

static struct source find(hid_t file, const struct kl_wish *wish)
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

int kl_store_foreign_copy_texts(char (*texts)[KL_TEXT], uint64_t n, hid_t set, hid_t attribute,
                                hid_t type)
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

double *kl_store_foreign_texts_of(hid_t file, const struct kl_wish *wish, struct kl_answer *a)
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
    const int code = texts && n ? kl_store_foreign_copy_texts(texts, n, s.set, s.attribute, type) : 0;
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

/* ---- in the parent ---- */
int kl_store_foreign_texts(char (**texts)[KL_TEXT], size_t *n, const char *path, const char *name,
                           size_t most, struct kl_error *err)
{
    char *file;
    const char *dataset = kl_store_foreign_split(&file, path);
    struct kl_answer answer = { 0 };
    *texts = NULL, *n = 0;
    if (!file) return kl_fail_memory(err, strlen(path));
    struct kl_wish wish = { .images = dataset, .path = file, .texts = name, .numbers = most };
    double *bytes = NULL;
    const int code = kl_store_foreign_fulfil_numbers(&bytes, &answer, &wish, err);
    *texts = (char(*)[KL_TEXT])bytes;
    if (!code && answer.texts && answer.rank == 1) *n = answer.dims[0];
    for (size_t i = 0; i < *n; i++) (*texts)[i][KL_TEXT - 1] = 0, kl_make_printable((*texts)[i]);
    free(file);
    return code;
}
