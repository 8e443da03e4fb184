/* SPDX-License-Identifier: MIT
   Lists of file names in the order of their bytes. */
#include "ingest/ingest_int.h"
#include "store/store.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
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

/* ---- Which files images and labels come from, for the key of what is made of them ---- */

/* The labels of an IDX file: the file given, or the one beside it. */
static int identify_labels(struct kl_key *key, struct json_t *record, size_t i, const char *path,
                           const char *labels, struct kl_error *err)
{
    char *found = NULL;
    if (labels && strcmp(labels, "none") == 0) return kl_store_key_text(key, "labels", "none", err);
    int rc = labels ? kl_no_folder(labels, err) : kl_ingest_idx_labels_path(&found, path, err);
    const char *file = found ? found : labels;
    if (!rc && file) rc = kl_store_input_identify(key, record, "labels", i, file, err);
    if (rc == KL_ENOINPUT && labels && err && access(labels, F_OK)) {
        const struct kl_error why = *err;
        rc = kl_fail(err, rc, "%s (--labels; a table's column of classes is --label)", why.text);
    }
    free(found);
    return rc;
}

static int find_jpeg(bool *found, const char *folder, struct kl_error *err)
{
    struct kl_names classes = { 0 }, files = { 0 };
    int rc = kl_ingest_names_list(&files, folder, KL_NAMES_JPEG, err);
    if (!rc && !files.n) rc = kl_ingest_names_list(&classes, folder, KL_NAMES_FOLDERS, err);
    for (size_t i = 0; i < classes.n && !rc && !files.n; i++) {
        char *path = kl_ingest_path_join(folder, classes.items[i]);
        rc = path ? kl_ingest_names_list(&files, path, KL_NAMES_JPEG, err) : kl_fail_memory(err, 256);
        free(path);
    }
    *found = files.n > 0;
    kl_ingest_names_free(&classes);
    kl_ingest_names_free(&files);
    return rc;
}

/* JPEG's rounding is its decoder's own; and from a folder of PNG and JPEG files the latter were once
   left out: with skip_bad even those that are called PNG, which are not looked for. */
static int identify_decoder(struct kl_key *key, const char *path, bool skip_bad, struct kl_error *err)
{
    struct stat st;
    bool jpeg = skip_bad;
    if (stat(path, &st) || !S_ISDIR(st.st_mode)) return KL_OK;
    const int rc = skip_bad ? KL_OK : find_jpeg(&jpeg, path, err);
    return rc || !jpeg ? rc : kl_store_key_text(key, "jpeg", "libjpeg-turbo", err);
}

/* Class numbers and the order of images follow from the folder's names, but were once others: the key
   says so. */
static int identify_classes(struct kl_key *key, const char *path, struct kl_error *err)
{
    struct stat st;
    struct kl_folder_classes classes;
    if (stat(path, &st) || !S_ISDIR(st.st_mode)) return KL_OK;
    int rc = kl_ingest_folder_classes(&classes, path, err);
    if (!rc && !classes.usual) rc = kl_store_key_text(key, "classes", "by number", err);
    kl_ingest_folder_classes_free(&classes);
    return rc;
}

int kl_ingest_images_identify(struct kl_key *key, struct json_t *record, const char *const *paths,
                              size_t n_paths, const char *labels, bool skip_bad, struct kl_error *err)
{
    int rc = KL_OK;
    for (size_t i = 0; i < n_paths && !rc; i++) {
        rc = kl_store_input_identify(key, record, "images", i, paths[i], err);
        if (!rc) rc = identify_decoder(key, paths[i], skip_bad, err);
        if (!rc) rc = identify_classes(key, paths[i], err);
        if (!rc && kl_ingest_is_h5(paths[i]))
            rc = kl_ingest_h5_identify(key, record, i, paths[i], labels, err);
        else if (!rc) rc = identify_labels(key, record, i, paths[i], labels, err);
    }
    return rc;
}
