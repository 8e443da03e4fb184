/* SPDX-License-Identifier: MIT
   Files of other formats, published as atomically as our own. */
#include <stdlib.h>
#include <string.h>

#include "store/store_int.h"

/* Is this what the file holds? */
static bool holds(const char *path, const void *data, size_t n)
{
    size_t found = 0;
    char *old = kl_store_read_small(path, n, &found);
    bool same = old && found == n && memcmp(old, data, n) == 0;
    free(old);
    return same;
}

int kl_store_publish_bytes(bool *written, const char *path, const void *data, size_t n,
                           struct kl_error *err)
{
    struct kl_temporary t;
    *written = false;
    int rc = kl_store_temporary_resolve(&t, path, err);
    char *folder = rc || t.stream ? NULL : kl_store_path_folder(t.target);
    if (folder) kl_store_temporary_sweep(folder, kl_store_path_name(t.target), false, NULL, NULL);
    bool same = folder && holds(t.target, data, n);
    free(folder);
    kl_store_temporary_abort(&t);
    if (rc || same) return rc;
    rc = kl_store_temporary_open(&t, path, err);
    if (!rc) rc = kl_store_pwrite_all(t.fd, data, n, 0, t.target, err);
    if (!rc) rc = kl_store_temporary_publish(&t, err);
    else kl_store_temporary_abort(&t);
    *written = !rc;
    return rc;
}
