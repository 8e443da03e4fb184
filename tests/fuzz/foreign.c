/* SPDX-License-Identifier: MIT
   Any bytes as somebody's HDF5 file of images. HDF5 itself may hang or crash on them, in a process of
   its own: that must end in a refusal. What is read has no more pixels than so long a file can hold, and
   a label for each image or none at all. */
#include <stdio.h>
#include <stdlib.h>

#include "store/store.h"
#include "tests/fuzz/frame/fuzz.h"

const int fuzz_corpus = 44;
enum { DEFLATE_MOST = 1040 };

bool fuzz(const unsigned char *data, size_t n)
{
    struct kl_error err = { 0 };
    char path[300];
    size_t all = 1;
    struct kl_foreign f;
    snprintf(path, sizeof path, "%s/x.h5", fuzz_folder()); /* HDF5 wants a name */
    fuzz_write(path, data, n);
    const int code = kl_store_foreign_read(&f, path, NULL, &err);
    if (code) need_refusal(code, KL_EDATA, KL_EDATA, &err);
    for (int i = 0; i < f.rank && !code; i++) all *= f.dims[i];
    if (!code) need((f.rank == 3 || f.rank == 4) && all / DEFLATE_MOST <= n, "an impossible size", path);
    volatile unsigned sum = 0; /* a sanitizer sees what is not there */
    for (size_t i = 0; i < all && !code; i++) sum += f.data[i];
    for (size_t i = 0; i < f.dims[0] && !code && f.label; i++) sum += (unsigned)f.label[i];
    (void)sum;
    need(!code || (!f.data && !f.label), "refused, and something left", err.text);
    kl_store_foreign_free(&f);
    return code == 0;
}
