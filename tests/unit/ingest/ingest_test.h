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

static char folder[64] = "/tmp/ketline-ingest-XXXXXX";

static inline const char *path_of(const char *name)
{
    static char paths[8][256];
    static int next;
    char *path = paths[next++ % 8];
    snprintf(path, 256, "%s/%s", folder, name);
    return path;
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

static inline void begin(void)
{
    if (!mkdtemp(folder)) {
        perror(folder);
        exit(1);
    }
}

static inline int finish(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) != 0 || failures ? 1 : 0;
}

/* One line that names the file, with the code expected. */
static inline bool one_line(const struct kl_error *err, const char *path)
{
    return err->text[0] && !strchr(err->text, '\n') && strstr(err->text, path);
}

#endif
