/* SPDX-License-Identifier: MIT
   Any bytes as somebody's HDF5 file of images. HDF5 itself may hang or crash on them, in a process of
   its own: that must end in a refusal. What is read has no more pixels than so long a file can hold, and
   a label for each image or none at all. */
#include <stdio.h>
#include <stdlib.h>

#include "store/store.h"
#include "tests/fuzz/frame/fuzz.h"

const int fuzz_corpus = 30;
enum { DEFLATE_MOST = 1040 };

bool fuzz(const unsigned char *data, size_t n)
{
    struct kl_error err = { 0 };
    char path[300];
    size_t dims[4] = { 0 }, all = 1;
    uint8_t *pixels = NULL;
    int32_t *labels = NULL;
    int rank = 0;
    snprintf(path, sizeof path, "%s/x.h5", fuzz_folder()); /* HDF5 wants a name */
    fuzz_write(path, data, n);
    const int code = kl_foreign_images(&pixels, dims, &rank, &labels, path, &err);
    if (code) need_refusal(code, KL_EDATA, KL_EDATA, &err);
    for (int i = 0; i < rank && !code; i++) all *= dims[i];
    if (!code) need((rank == 3 || rank == 4) && all / DEFLATE_MOST <= n, "an impossible size", path);
    volatile unsigned sum = 0; /* a sanitizer sees what is not there */
    for (size_t i = 0; i < all && !code; i++) sum += pixels[i];
    for (size_t i = 0; i < dims[0] && !code && labels; i++) sum += (unsigned)labels[i];
    (void)sum;
    need(!code || (!pixels && !labels), "refused, and something left", err.text);
    free(pixels);
    free(labels);
    return code == 0;
}
