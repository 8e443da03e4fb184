/* SPDX-License-Identifier: MIT
   Which files images and labels come from, for the key of what is made of them. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ingest/ingest_int.h"
#include "ingest/names_int.h"
#include "store/store.h"

/* The labels of an IDX file: the file given, or the one beside it. */
static int identify_labels(struct kl_key *key, struct json_t *record, size_t i, const char *path,
                           const char *labels, struct kl_error *err)
{
    char *found = NULL;
    if (labels && strcmp(labels, "none") == 0) return kl_store_key_text(key, "labels", "none", err);
    int rc = labels ? kl_no_folder(labels, err) : kl_ingest_idx_labels_path(&found, path, err);
    const char *file = found ? found : labels;
    if (!rc && file) rc = kl_store_input_identify(key, record, "labels", i, file, err);
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

/* Which number a class has, and in which order images come, follows from the folder's names, but was
   once another. */
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
