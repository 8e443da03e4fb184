/* SPDX-License-Identifier: MIT
   Lists of file names in the order of their bytes. */
#include "ingest/names_int.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

void kl_ingest_names_free(struct kl_names *names)
{
    for (size_t i = 0; i < names->n; i++) free(names->items[i]);
    free(names->items);
    *names = (struct kl_names){ 0 };
}

int kl_ingest_names_add(struct kl_names *names, char *item, struct kl_error *err)
{
    if (item && names->n == names->room) {
        const size_t room = names->room ? 2 * names->room : 64;
        char **more = realloc(names->items, room * sizeof *more);
        if (!more) {
            free(item);
            return kl_fail_memory(err, room * sizeof *more);
        }
        names->items = more;
        names->room = room;
    }
    if (!item) return kl_fail_memory(err, 256);
    names->items[names->n++] = item;
    return 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

char *kl_ingest_path_join(const char *folder, const char *name)
{
    char *path = malloc(strlen(folder) + strlen(name) + 2);
    if (path) sprintf(path, "%s/%s", folder, name);
    return path;
}

static bool wanted(const char *name, enum kl_names_kind kind)
{
    static const char *const endings[][16] = {
        [KL_NAMES_PICTURES] = { ".png", ".jpg", ".jpeg", ".jpe", ".jfif" },
        [KL_NAMES_JPEG] = { ".jpg", ".jpeg", ".jpe", ".jfif" },
        [KL_NAMES_UNREAD] = { ".gif", ".bmp", ".tif", ".tiff", ".webp", ".heic", ".heif", ".avif",
                              ".jxl", ".jp2", ".dng", ".cr2", ".nef", ".pgm", ".ppm" }
    };
    const char *ending = strrchr(name, '.');
    if (name[0] == '.') return false;
    if (kind == KL_NAMES_FOLDERS) return true;
    for (size_t i = 0; ending && endings[kind][i]; i++)
        if (strcasecmp(ending, endings[kind][i]) == 0) return true;
    return false;
}

int kl_ingest_names_list(struct kl_names *names, const char *path, enum kl_names_kind kind,
                         struct kl_error *err)
{
    int rc = 0;
    DIR *dir = opendir(path);
    if (!dir) return kl_fail_errno(err, KL_ENOINPUT, "%s: cannot open the folder", path);
    for (struct dirent *e; !rc && (errno = 0, e = readdir(dir));) {
        if (!wanted(e->d_name, kind)) continue;
        struct stat st;
        char *full = kl_ingest_path_join(path, e->d_name);
        if (!full) {
            rc = kl_fail_memory(err, strlen(e->d_name));
        } else if (kind != KL_NAMES_FOLDERS && e->d_type == DT_DIR) {
            /* no file */
        } else if (kind == KL_NAMES_FOLDERS && e->d_type == DT_REG) {
            /* no folder: without asking for each of a class's files */
        } else if (stat(full, &st) < 0) {
            rc = kl_fail_errno(err, KL_ENOINPUT, "%s", full);
        } else if (kind == KL_NAMES_FOLDERS ? S_ISDIR(st.st_mode) : S_ISREG(st.st_mode)) {
            rc = kl_ingest_names_add(names, strdup(e->d_name), err);
        }
        free(full);
    }
    if (!rc && errno) rc = kl_fail_errno(err, KL_EIO, "%s: reading the folder", path);
    closedir(dir);
    if (names->n) qsort(names->items, names->n, sizeof *names->items, by_name);
    return rc;
}
