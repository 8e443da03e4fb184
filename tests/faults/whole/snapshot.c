/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "store/store.h"
#include "snapshot.h"

char *read_text(const char *path)
{
    char *text = NULL, part[4096];
    size_t size = 0, n;
    FILE *to = open_memstream(&text, &size), *from = fopen(path, "r");
    while (from && (n = fread(part, 1, sizeof part, from)) > 0) fwrite(part, 1, n, to);
    if (from) fclose(from);
    fclose(to);
    return text;
}

static void describe_h5(FILE *to, const char *path)
{
    struct kl_error err = { 0 };
    struct kl_file *file = NULL;
    int code = kl_store_file_open(&file, path, &err);
    if (!code) code = kl_store_file_verify(file, NULL, &err);
    if (code) fprintf(to, "%s %s\n", path, err.text);
    else fprintf(to, "%s whole %s\n", path, kl_store_file_content(file));
    kl_store_file_close(&file);
}

static void describe(FILE *to, const char *path, bool varies)
{
    char digest[65];
    size_t n = strlen(path);
    struct kl_error err = { 0 };
    if (varies && n > 3 && strcmp(path + n - 3, ".h5") == 0) {
        describe_h5(to, path);
    } else if (varies) {
        fprintf(to, "%s\n", path);
    } else {
        if (kl_sha256_file(digest, path, &err)) snprintf(digest, sizeof digest, "unreadable");
        fprintf(to, "%s %s\n", path, digest);
    }
}

static void walk(FILE *to, const char *folder, bool varies)
{
    struct dirent **list;
    int n = scandir(folder, &list, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        char path[4096];
        struct stat st;
        const char *name = list[i]->d_name;
        snprintf(path, sizeof path, "%s/%s", folder, name);
        if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && lstat(path, &st) == 0) {
            if (S_ISDIR(st.st_mode)) walk(to, path, varies);
            else describe(to, path, varies);
        }
        free(list[i]);
    }
    if (n >= 0) free(list);
}

char *snapshot(const char *folder, bool varies)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    walk(to, folder, varies);
    fclose(to);
    return text;
}

static bool has_line(const char *text, const char *line, size_t n)
{
    for (const char *at = text; *at; at += strcspn(at, "\n") + 1)
        if (strncmp(at, line, n) == 0 && at[n] == '\n') return true;
    return false;
}

bool take_out(char *text, const char *beginning, const char *ending)
{
    char *to = text;
    size_t begin = strlen(beginning), end = strlen(ending), n;
    for (char *at = text; *at; at += n) {
        size_t name = strcspn(at, " \n");
        n = strcspn(at, "\n") + 1;
        if (name >= begin && name >= end && memcmp(at, beginning, begin) == 0 &&
            memcmp(at + name - end, ending, end) == 0)
            continue;
        memmove(to, at, n);
        to += n;
    }
    bool some = *to != 0;
    *to = 0;
    return some;
}

bool mixed(const char *text, const char *a, const char *b)
{
    for (const char *at = text; *at; at += strcspn(at, "\n") + 1) {
        size_t n = strcspn(at, "\n");
        if (!has_line(a, at, n) && !has_line(b, at, n)) return false;
    }
    for (const char *at = a; *at; at += strcspn(at, "\n") + 1) {
        size_t n = strcspn(at, "\n");
        if (has_line(b, at, n) && !has_line(text, at, n)) return false;
    }
    return true;
}
