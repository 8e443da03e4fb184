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

/* A file in TMPDIR with these bytes; the path lives until the next call. */
static inline const char *test_file(const void *bytes, size_t n)
{
    static char path[512];
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/ketline-base-%ld", folder && *folder ? folder : "/tmp",
             (long)getpid());
    FILE *file = fopen(path, "w");
    if (!file || fwrite(bytes, 1, n, file) != n || fclose(file) != 0) {
        perror(path);
        exit(1);
    }
    return path;
}

#endif
