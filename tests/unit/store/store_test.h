/* SPDX-License-Identifier: MIT
   What the tests of store/ share: CHECK, a folder of their own, a small file with every type. */
#ifndef KL_STORE_TEST_H
#define KL_STORE_TEST_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/kind.h"
#include "store/store.h"
#include "tests/unit/any_file.h"
#include "tests/unit/check.h"
#include "tests/unit/test_folder.h"

/* Files of the folder itself, hidden ones included; `ending` may be NULL. */
static inline int count_files(const char *folder, const char *ending)
{
    DIR *d = opendir(folder);
    int n = 0;
    for (struct dirent *e; d && (e = readdir(d));) {
        size_t length = strlen(e->d_name), want = ending ? strlen(ending) : 0;
        n += e->d_type == DT_REG && length >= want &&
             strcmp(e->d_name + length - want, ending ? ending : "") == 0;
    }
    if (d) closedir(d);
    return n;
}

static const struct kl_header test_header = ANY_HEADER("features");

/* A value that depends on where it stands. */
static inline float test_value(size_t row, size_t column, unsigned seed)
{
    return (float)((row * 31 + column * 7 + seed) % 1009) / 8;
}

/* features [n, width] f32, labels [n] i32, index [n] i64, names. Returns the code of the first failure.
 */
static inline int write_test_file(const char *path, size_t n, size_t width, unsigned seed,
                                  struct kl_error *err)
{
    struct kl_writer *w = NULL;
    size_t dims[2] = { n, width }, names[1] = { 2 };
    float *row = malloc(sizeof(float) * (width + 1));
    if (!row) return kl_fail_memory(err, sizeof(float) * width);
    int rc = kl_store_writer_open(&w, path, &test_header, err), features = 0, labels = 0, index = 0;
    if (!rc)
        rc = (features = kl_store_writer_dataset(w, "features", KL_TYPE_F32, 0, 2, dims, err)) < 0
                 ? features
                 : 0;
    if (!rc)
        rc = (labels = kl_store_writer_dataset(w, "labels", KL_TYPE_I32, 0, 1, dims, err)) < 0 ? labels
                                                                                               : 0;
    if (!rc)
        rc = (index = kl_store_writer_dataset(w, "index", KL_TYPE_I64, 0, 1, dims, err)) < 0 ? index : 0;
    if (!rc) rc = kl_store_writer_put(w, "class_names", KL_TYPE_STRING, 4, 1, names, "zeroone\0", err);
    if (!rc) rc = kl_store_writer_text(w, "features", "backbone", "resnet18", err);
    for (size_t i = 0; i < n && !rc; i++) {
        int32_t label = (int32_t)(i % 10);
        int64_t at = (int64_t)i;
        for (size_t j = 0; j < width; j++) row[j] = test_value(i, j, seed);
        rc = kl_store_writer_rows(w, features, i, 1, row, err);
        if (!rc) rc = kl_store_writer_rows(w, labels, i, 1, &label, err);
        if (!rc) rc = kl_store_writer_rows(w, index, i, 1, &at, err);
    }
    if (!rc) rc = kl_store_writer_publish(&w, NULL, err);
    kl_store_writer_abort(&w);
    free(row);
    return rc;
}

/* 0 if the file holds what write_test_file wrote with this seed, 1 if other data, else the code. */
static inline int read_test_file(const char *path, size_t n, size_t width, unsigned seed,
                                 struct kl_error *err)
{
    static const struct kl_kind kind = { .name = "features" };
    struct kl_file *f = NULL;
    const struct kl_dataset *d;
    float *x = NULL;
    int rc = kl_store_file_open_kind(&f, path, &kind, err);
    if (!rc) rc = kl_store_file_expect(&d, f, "features", KL_TYPE_F32, 2, err);
    if (!rc) rc = kl_store_file_load((void **)&x, f, d, err);
    if (!rc && (d->dims[0] != n || d->dims[1] != width)) rc = 1;
    for (size_t i = 0; i < n && !rc; i++)
        for (size_t j = 0; j < width; j++)
            if (x[i * width + j] != test_value(i, j, seed)) rc = 1;
    if (!rc) rc = kl_store_file_verify(f, NULL, err);
    free(x);
    kl_store_file_close(&f);
    return rc;
}

#endif
