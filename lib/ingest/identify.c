/* SPDX-License-Identifier: MIT
   Which files images and labels come from, for the key of what is made of them. */
#include <stdlib.h>
#include <string.h>

#include "ingest/ingest.h"
#include "store/store.h"

/* The labels of an IDX file: the file given, or the one beside it. */
static int identify_labels(struct kl_key *key, struct json_t *record, size_t i, const char *path,
                           const char *labels, struct kl_error *err)
{
    char *found = NULL;
    if (labels && strcmp(labels, "none") == 0) return kl_key_text(key, "labels", "none", err);
    int rc = labels ? kl_no_folder(labels, err) : kl_idx_labels_path(&found, path, err);
    const char *file = found ? found : labels;
    if (!rc && file) rc = kl_input_identify(key, record, "labels", i, file, err);
    free(found);
    return rc;
}

int kl_images_identify(struct kl_key *key, struct json_t *record, const char *const *paths,
                       size_t n_paths, const char *labels, struct kl_error *err)
{
    int rc = KL_OK;
    for (size_t i = 0; i < n_paths && !rc; i++) {
        rc = kl_input_identify(key, record, "images", i, paths[i], err);
        if (!rc) rc = identify_labels(key, record, i, paths[i], labels, err);
    }
    return rc;
}
