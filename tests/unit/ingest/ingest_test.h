/* SPDX-License-Identifier: MIT
   What the tests of ingest/ share: CHECK, a folder of their own, files of given bytes. */
#ifndef KL_INGEST_TEST_H
#define KL_INGEST_TEST_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ingest/ingest.h"
#include "tests/unit/check.h"
#include "tests/unit/test_folder.h"

static inline const char *path_of(const char *name)
{
    static char paths[8][1024];
    static int next;
    return in_folder(paths[next++ % 8], name);
}

static inline void put(const char *path, const void *data, size_t n)
{
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(data, 1, n, f) != n || fclose(f) != 0) {
        perror(path);
        exit(1);
    }
}

static inline unsigned char *get_file(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    struct stat st;
    if (!f || fstat(fileno(f), &st) < 0) return NULL;
    unsigned char *data = malloc((size_t)st.st_size + 1);
    *n = data ? fread(data, 1, (size_t)st.st_size, f) : 0;
    fclose(f);
    return data;
}

/* One line that names the file, with the code expected. */
static inline bool one_line(const struct kl_error *err, const char *path)
{
    return err->text[0] && !strchr(err->text, '\n') && strstr(err->text, path);
}

#endif
