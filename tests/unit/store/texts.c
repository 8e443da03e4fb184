/* SPDX-License-Identifier: MIT
   Names of numbers in other people's HDF5 files: texts of fixed and variable length, in a dataset beside
   the numbers, in an attribute of them or of the root; what is none, and what is refused. */
#include <hdf5.h>

#include "store/numbers.h"
#include "tests/unit/check.h"
#include "tests/unit/test_folder.h"

static const char *const names[] = { "left hand", "rechte Hand \xc3\xbc", "" };
static char path[1024];

static hid_t text_type(size_t size)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, size ? size : H5T_VARIABLE);
    return type;
}

/* size 0: of variable length. */
static void put_texts(hid_t at, const char *name, size_t size, bool attribute, int rank)
{
    char fixed[3 * 100] = "";
    const hsize_t dims[2] = { 3, 1 };
    const hid_t type = text_type(size), space = H5Screate_simple(rank, dims, NULL),
                to = attribute
                         ? H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT)
                         : H5Dcreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    for (size_t i = 0; i < 3 && size; i++) memcpy(fixed + i * size, names[i], strlen(names[i]));
    const void *data = size ? (const void *)fixed : names;
    CHECK((attribute ? H5Awrite(to, type, data)
                     : H5Dwrite(to, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data)) >= 0);
    if (attribute) H5Aclose(to);
    else H5Dclose(to);
    H5Sclose(space), H5Tclose(type);
}

static hid_t put_numbers(hid_t at, const char *name)
{
    const hsize_t n = 3;
    const int values[] = { 0, 1, 2 };
    const hid_t space = H5Screate_simple(1, &n, NULL),
                set = H5Dcreate2(at, name, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    CHECK(H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Sclose(space);
    return set;
}

static void make(void)
{
    char longest[70];
    memset(longest, 'x', 64), longest[64] = 0;
    const hid_t f = H5Fcreate(in_folder(path, "t.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t group[5];
    for (int i = 0; i < 5; i++) {
        const char name[2] = { (char)('a' + i), 0 };
        group[i] = H5Gcreate2(f, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        const hid_t set = put_numbers(group[i], "y");
        if (i == 0) put_texts(group[i], "classes", 0, false, 1);
        if (i == 1) put_texts(group[i], "classes", 17, false, 1);
        if (i == 2) put_texts(set, "classes", 0, true, 1);
        if (i == 3) H5Dclose(put_numbers(group[i], "classes"));
        if (i == 4) put_texts(group[i], "classes", 90, false, 2);
        H5Dclose(set), H5Gclose(group[i]);
    }
    H5Dclose(put_numbers(f, "y"));
    put_texts(f, "classes", 40, true, 1);
    H5Fclose(f);
}

static void check(const char *dataset, size_t expected)
{
    char(*texts)[KL_TEXT], whole[1100];
    struct kl_error err = { 0 };
    size_t n;
    snprintf(whole, sizeof whole, "%s:%s", path, dataset);
    CHECK(kl_store_foreign_texts(&texts, &n, whole, "classes", 10, &err) == 0, "%s: %s", dataset,
          err.text);
    CHECK(n == expected, "%s: %zu", dataset, n);
    for (size_t i = 0; i < n && i < 3; i++)
        CHECK(strcmp(texts[i], names[i]) == 0, "%s %zu: '%s'", dataset, i, texts[i]);
    free(texts);
}

static void refused(const char *file, size_t most, const char *name, int code, const char *words)
{
    char(*texts)[KL_TEXT];
    struct kl_error err = { 0 };
    size_t n;
    CHECK(kl_store_foreign_texts(&texts, &n, file, name, most, &err) == code && strstr(err.text, words),
          "%s", err.text);
    CHECK(!texts && n == 0);
    free(texts);
}

int main(void)
{
    char whole[1100];
    make_test_folder();
    make();
    check("a/y", 3), check("b/y", 3), check("c/y", 3), check("y", 3);
    check("d/y", 0); /* numbers by that name are no names */
    check("e/y", 0); /* and neither is a table */
    check("absent", 3);
    snprintf(whole, sizeof whole, "%s:a/y", path);
    refused(whole, 2, "classes", KL_EDATA, "dataset classes: has more names");
    refused("/nonexistent.h5:y", 2, "classes", KL_ENOINPUT, "/nonexistent.h5");
    CHECK(truncate(path, 600) == 0);
    refused(whole, 10, "classes", KL_EDATA, "damaged");
    return failures != 0;
}
