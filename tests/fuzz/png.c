/* SPDX-License-Identifier: MIT
   Any bytes as the one file of a folder of PNG files; and once more with the checksums of its chunks put
   right, so that the search gets behind them. What is read has the size that its header says. */
#include <zlib.h>

#include "tests/fuzz/frame/picture.h"

const int fuzz_corpus = 20;

static size_t big_endian(const unsigned char *b)
{
    return (size_t)b[0] << 24 | (size_t)b[1] << 16 | (size_t)b[2] << 8 | b[3];
}

static bool check(const unsigned char *data, size_t n)
{
    struct kl_picture_header header;
    if (!fuzz_picture(&header, "0.png", data, n)) return false;
    need(n >= 24 && header.width == big_endian(data + 16) && header.height == big_endian(data + 20),
         "another size than the file says", picture_path);
    return true;
}

bool fuzz(const unsigned char *data, size_t n)
{
    const bool read = check(data, n);
    unsigned char *mended = (unsigned char *)fuzz_text(data, n);
    for (size_t at = 8, length; n > at + 12; at += 12 + length) {
        length = big_endian(data + at);
        if (length > n - at - 12) break;
        const unsigned long crc = crc32(0, data + at + 4, (unsigned)length + 4);
        for (int i = 0; i < 4; i++)
            mended[at + 8 + length + (size_t)i] = (unsigned char)(crc >> (24 - 8 * i));
    }
    if (n && memcmp(mended, data, n) != 0) check(mended, n);
    free(mended);
    return read;
}
