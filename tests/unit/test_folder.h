/* SPDX-License-Identifier: MIT
   A folder of the test's own in TMPDIR, which goes when the process that made it ends; tests/run.sh
   removes that of one that was killed. */
#ifndef KL_TEST_FOLDER_H
#define KL_TEST_FOLDER_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char test_folder[512];
static pid_t test_owner;

static inline void remove_folder(const char *folder)
{
    DIR *d = opendir(folder);
    char path[4096];
    for (struct dirent *e; d && (e = readdir(d));) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        if (snprintf(path, sizeof path, "%s/%s", folder, e->d_name) < (int)sizeof path && unlink(path))
            remove_folder(path);
    }
    if (d) closedir(d);
    rmdir(folder);
}

static inline void remove_test_folder(void)
{
    if (getpid() == test_owner) remove_folder(test_folder);
}

/* Once. The cache of this test lies in it as well, so that nothing of the user's is touched. */
static inline void make_test_folder(void)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(test_folder, sizeof test_folder, "%s/ketline-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(test_folder)) {
        perror(test_folder);
        exit(1);
    }
    test_owner = getpid();
    atexit(remove_test_folder);
    setenv("XDG_CACHE_HOME", test_folder, 1);
}

static inline const char *in_folder(char path[1024], const char *name)
{
    snprintf(path, 1024, "%s/%s", test_folder, name);
    return path;
}

/* TARGET/NAME of the corpora that tests/fuzz/make_corpus.py made; for up to 64 names, which last. */
static inline const char *corpus_file(const char *name)
{
    static char paths[64][1024];
    static int n;
    const char *corpus = getenv("CORPUS");
    snprintf(paths[n], sizeof paths[n], "%s/%s", corpus ? corpus : "build/corpus", name);
    return paths[n++];
}

#endif
