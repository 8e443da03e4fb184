/* SPDX-License-Identifier: MIT
   Reading golden values. What cannot be read ends the test. */
#ifndef KL_TESTS_GOLDEN_H
#define KL_TESTS_GOLDEN_H

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

static inline void golden_need(bool found, const char *name)
{
    if (found) return;
    fprintf(stderr, "golden values: %s cannot be read\n", name);
    exit(1);
}

/* An attribute that is a text (of a fixed length or of any), a number; size: of text, the closing NUL
   included. */
static inline void golden_text(char *text, size_t size, hid_t group, const char *name)
{
    const hid_t attribute = H5Aopen(group, name, H5P_DEFAULT), type = H5Aget_type(attribute);
    memset(text, 0, size);
    if (attribute >= 0 && H5Tis_variable_str(type) > 0) {
        char *found = NULL;
        golden_need(H5Aread(attribute, type, &found) >= 0 && strlen(found) < size, name);
        strcpy(text, found);
        H5free_memory(found), H5Tclose(type), H5Aclose(attribute);
        return;
    }
    golden_need(attribute >= 0 && H5Tget_size(type) < size && H5Aread(attribute, type, text) >= 0, name);
    H5Tclose(type), H5Aclose(attribute);
}

static inline double golden_number(hid_t group, const char *name)
{
    double value = 0;
    const hid_t attribute = H5Aopen(group, name, H5P_DEFAULT);
    golden_need(attribute >= 0 && H5Aread(attribute, H5T_NATIVE_DOUBLE, &value) >= 0, name);
    H5Aclose(attribute);
    return value;
}

/* A dataset of at most `most` numbers; returns how many. */
static inline size_t golden_values(double *values, size_t most, hid_t group, const char *name)
{
    const hid_t set = H5Dopen2(group, name, H5P_DEFAULT), space = H5Dget_space(set);
    const size_t n = (size_t)H5Sget_simple_extent_npoints(space);
    golden_need(
        set >= 0 && n <= most &&
            (n == 0 || H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0),
        name);
    H5Sclose(space), H5Dclose(set);
    return n;
}

/* Calls check for each group of a file; it closes the group and adds one to *context, an int. Returns
   how many there were. */
static inline int golden_groups(const char *path, H5L_iterate_t check)
{
    int groups = 0;
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    golden_need(file >= 0 && H5Literate(file, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, check, &groups) >= 0,
                path);
    H5Fclose(file);
    return groups;
}

/* The first n binary digits of e, at most a million. */
static inline void golden_digits(uint8_t *digits, size_t n)
{
    FILE *file = fopen("tests/golden/nist_e.bin", "rb");
    golden_need(file != NULL, "nist_e.bin");
    for (size_t i = 0; i < n; i += 8) {
        const int byte = fgetc(file);
        golden_need(byte != EOF, "nist_e.bin");
        for (size_t j = 0; j < 8 && i + j < n; j++) digits[i + j] = byte >> (7 - j) & 1;
    }
    fclose(file);
}

static inline void must(int code, const struct kl_error *err)
{
    if (!code) return;
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

#endif
