/* SPDX-License-Identifier: MIT
   NumPy's archive of arrays: one NAME.npy for each. */
#include <string.h>

#include "weights/weights_int.h"

int kl_weights_npz_parse(struct kl_weights *weights, const struct kl_bytes *file, struct kl_error *err)
{
    struct kl_zip zip;
    char name[512];
    int rc = kl_weights_zip_open(&zip, file, KL_ARCHIVE_NUMPY, err);
    if (rc) return rc;
    for (size_t i = 0; i < zip.n && !rc; i++) {
        const struct kl_zip_member *m = &zip.members[i];
        const size_t n = strlen(m->name); /* under 512, by the archive's rules */
        if (n <= 4 || strcmp(m->name + n - 4, ".npy") != 0) {
            rc = kl_fail(err, KL_EDATA, "%s: member %.100s is not an array (.npy)", file->path, m->name);
            break;
        }
        snprintf(name, sizeof name, "%.*s", (int)(n - 4), m->name);
        rc = kl_weights_npy_parse(weights, file, name, m->data, m->n, err);
    }
    kl_weights_zip_close(&zip);
    return rc;
}
