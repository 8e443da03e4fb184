/* SPDX-License-Identifier: MIT
   Any bytes as the one file of a folder of JPEG files. */
#include "tests/fuzz/frame/picture.h"

const int fuzz_corpus = 20;

bool fuzz(const unsigned char *data, size_t n)
{
    struct kl_picture_header header;
    return fuzz_picture(&header, "0.jpg", data, n);
}
