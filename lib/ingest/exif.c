/* SPDX-License-Identifier: MIT
   Which way up a photograph is: one tag of the Exif block that cameras write (Exif 2.32, section 4.6.4:
   a TIFF file of little or big endian, whose first directory has the tag). */
#include <string.h>

#include "ingest/picture_int.h"

enum { ORIENTATION = 0x0112, SHORT = 3, UPRIGHT = 1, LAST_WAY = 8, ENTRY = 12 };

struct tiff {
    const unsigned char *bytes;
    size_t n;
    bool little;
};

/* 0 behind the end. */
static uint32_t number(const struct tiff *t, size_t at, size_t bytes)
{
    uint32_t value = 0;
    for (size_t i = 0; i < bytes && at + bytes <= t->n; i++)
        value |= (uint32_t)t->bytes[at + i] << 8 * (t->little ? i : bytes - 1 - i);
    return value;
}

bool kl_ingest_exif_turned(const unsigned char *block, size_t n)
{
    if (n < 14 || memcmp(block, "Exif\0", 6) != 0) return false;
    struct tiff t = { block + 6, n - 6, memcmp(block + 6, "II", 2) == 0 };
    if (!t.little && memcmp(t.bytes, "MM", 2) != 0) return false;
    const size_t directory = number(&t, 4, 4), entries = number(&t, directory, 2);
    for (size_t i = 0; i < entries && directory + 2 + (i + 1) * ENTRY <= t.n; i++) {
        const size_t at = directory + 2 + i * ENTRY;
        if (number(&t, at, 2) != ORIENTATION || number(&t, at + 2, 2) != SHORT) continue;
        const uint32_t way = number(&t, at + 8, 2);
        return way > UPRIGHT && way <= LAST_WAY;
    }
    return false;
}
