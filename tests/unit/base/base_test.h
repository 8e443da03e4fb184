/* SPDX-License-Identifier: MIT
   What the tests of base/ share. */
#ifndef KL_BASE_TEST_H
#define KL_BASE_TEST_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "tests/unit/check.h"
#include "tests/unit/test_folder.h"

/* A file with these bytes; the path lives until the next call. */
static inline const char *test_file(const void *bytes, size_t n)
{
    static char path[1024];
    if (!*test_folder) make_test_folder();
    in_folder(path, "file");
    FILE *file = fopen(path, "w");
    if (!file || fwrite(bytes, 1, n, file) != n || fclose(file) != 0) {
        perror(path);
        exit(1);
    }
    return path;
}

#endif
