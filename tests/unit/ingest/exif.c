/* SPDX-License-Identifier: MIT
   Blocks as cameras write them, in either byte order, with the directory where they will; and others. */
#include "ingest/ingest_int.h"
#include "ingest_test.h"

struct field {
    uint32_t tag, type, value;
};

/* A block whose directory, with n fields, stands `at` bytes behind the TIFF header's beginning. */
static size_t make(unsigned char *block, bool little, size_t at, const struct field *fields, size_t n)
{
    unsigned char *tiff = block + 6;
    const size_t size = 6 + at + 2 + n * 12 + 4;
    memset(block, 0, size);
    memcpy(block, "Exif\0", 6);
    memcpy(tiff, little ? "II*\0" : "MM\0*", 4);
    const struct {
        size_t at, bytes, value;
    } head[] = { { 4, 4, at }, { at, 2, n } };
    for (size_t i = 0; i < 2; i++)
        for (size_t b = 0; b < head[i].bytes; b++)
            tiff[head[i].at + (little ? b : head[i].bytes - 1 - b)] =
                (unsigned char)(head[i].value >> 8 * b);
    for (size_t f = 0; f < n; f++) {
        const uint32_t values[] = { fields[f].tag, fields[f].type, fields[f].value };
        static const size_t places[] = { 0, 2, 8 };
        for (size_t i = 0; i < 3; i++)
            for (size_t b = 0; b < 2; b++)
                tiff[at + 2 + 12 * f + places[i] + (little ? b : 1 - b)] =
                    (unsigned char)(values[i] >> 8 * b);
        tiff[at + 2 + 12 * f + (little ? 4 : 7)] = 1; /* one value */
    }
    return size;
}

static void ways(void)
{
    unsigned char block[1024];
    for (uint32_t way = 0; way < 12; way++)
        for (int little = 0; little < 2; little++)
            for (size_t at = 8; at <= 700; at += 346) {
                const struct field fields[] = { { 0x010f, 2, 6 }, { 0x0112, 3, way } };
                const size_t n = make(block, little, at, fields, 2);
                CHECK(kl_ingest_exif_turned(block, n) == (way >= 2 && way <= 8), "%u, %d, at %zu", way,
                      little, at);
                CHECK(!kl_ingest_exif_turned(block, n - 17), "%u, cut", way);
            }
}

static void others(void)
{
    static const struct field kinds[][1] = { { { 0x0112, 4, 6 } }, { { 0x0113, 3, 6 } } };
    unsigned char block[64];
    for (size_t i = 0; i < 2; i++)
        CHECK(!kl_ingest_exif_turned(block, make(block, true, 8, kinds[i], 1)), "another field: %zu", i);
    const struct field turned[] = { { 0x0112, 3, 6 } };
    const size_t n = make(block, true, 8, turned, 1);
    CHECK(kl_ingest_exif_turned(block, n), "as it is");
    for (size_t byte = 0; byte < 8; byte++) {
        block[byte] ^= 1;
        CHECK(!kl_ingest_exif_turned(block, n), "byte %zu of its beginning", byte);
        block[byte] ^= 1;
    }
    for (size_t size = 0; size < 14; size++)
        CHECK(!kl_ingest_exif_turned(block, size), "of %zu bytes", size);
}

/* However far away a directory is said to be, and however many fields it has. */
static void lies(void)
{
    unsigned char *block = malloc(40); /* so that a sanitizer sees what is read behind it */
    const struct field turned[] = { { 0x0112, 3, 6 } };
    make(block, true, 8, turned, 1);
    for (uint64_t at = 0; at < (uint64_t)1 << 32; at = at * 2 + 1) {
        for (int b = 0; b < 4; b++) block[10 + b] = (unsigned char)(at >> 8 * b);
        CHECK(!kl_ingest_exif_turned(block, 40) || at == 8, "a directory at %llu",
              (unsigned long long)at);
    }
    make(block, true, 8, turned, 1);
    block[14] = block[15] = 255;
    CHECK(kl_ingest_exif_turned(block, 36), "65,535 fields, of which one is there");
    free(block);
}

int main(void)
{
    ways();
    others();
    lies();
    return failures != 0;
}
