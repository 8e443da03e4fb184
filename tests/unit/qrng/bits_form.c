/* SPDX-License-Identifier: MIT
   What bytes are taken for: headers as their programs write them, text of each kind, bits that are never
   set; and random bytes, biased or not, for none of these. */
#include "qrng/bits/bits_int.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/check.h"

#define CASE(form, what, text)            \
    {                                     \
        form, what, text, sizeof text - 1 \
    }

static const struct {
    enum kl_bits_form form;
    const char *what, *bytes;
    size_t n;
} cases[] = {
    CASE(KL_FORM_OWN, "an HDF5 file", "\x89HDF\r\n\x1a\n"),
    CASE(KL_FORM_OWN, "an array of NumPy's", "\x93NUMPY\1\0"),
    /* gzip -c, then Python's gzip.compress and Go's, then with a reserved flag, and another method */
    CASE(KL_FORM_FILE, "a gzip file",
         "\x1f\x8b\x08\x08\x0a\xff\x5b\x66\x00\x03"
         "a"),
    CASE(KL_FORM_FILE, "a gzip file",
         "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff"
         "a"),
    CASE(KL_FORM_NONE, NULL,
         "\x1f\x8b\x08\x80\x00\x00\x00\x00\x02\xff"
         "a"),
    CASE(KL_FORM_NONE, NULL,
         "\x1f\x8b\x07\x00\x00\x00\x00\x00\x02\xff"
         "a"),
    CASE(KL_FORM_NONE, NULL, "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02"),
    CASE(KL_FORM_FILE, "a zstd file", "\x28\xb5\x2f\xfd\x04\x58\x09\x00"),
    CASE(KL_FORM_FILE, "an lz4 file", "\x04\x22\x4d\x18\x64\x40\xa7\x14"),
    CASE(KL_FORM_FILE, "an xz file", "\xfd\x37zXZ\x00\x00\x04"),
    CASE(KL_FORM_FILE, "a bzip2 file", "BZh91AY&SY\x01\x02"),
    CASE(KL_FORM_NONE, NULL,
         "BZh\xb1"
         "1AY&SY\x01\x02"),
    CASE(KL_FORM_FILE, "a 7z archive", "7z\xbc\xaf\x27\x1c\x00\x04"),
    CASE(KL_FORM_FILE, "a zip archive (.zip, .npz, .pth)", "PK\x03\x04\x14\x00\x00\x00\x08\x00\x21\x5a"),
    CASE(KL_FORM_FILE, "a zip archive (.zip, .npz, .pth)", "PK\x03\x04\x2d\x00\x00\x00\x00\x00\x00\x00"),
    CASE(KL_FORM_FILE, "a Python pickle", "\x80\x04\x95\xa4\x00\x00\x00\x00\x00\x00\x00\x8c\x15numpy"),
    CASE(KL_FORM_FILE, "a Python pickle",
         "\x80\x03"
         "cnumpy.core.multiarray\n"),
    CASE(KL_FORM_FILE, "a Python pickle", "\x80\x02]q\x00(K\x00K\x01"),
    CASE(KL_FORM_FILE, "a PNG file", "\x89PNG\r\n\x1a\n"),
    CASE(KL_FORM_FILE, "a JPEG file", "\xff\xd8\xff\xe0\x00\x10JFIF\x00"),
    CASE(KL_FORM_FILE, "a JPEG file",
         "\xff\xd8\xff\xe1\x2f\xfe"
         "Exif\x00"),
    CASE(KL_FORM_FILE, "a TIFF file", "II*\x00\x08\x00\x00\x00"),
    CASE(KL_FORM_FILE, "a WAV file", "RIFF\x44\x4e\x00\x00WAVEfmt "),
    CASE(KL_FORM_FILE, "a PDF file", "%PDF-1.7\n%\xe2\xe3"),
    CASE(KL_FORM_FILE, "an SQLite file", "SQLite format 3\x00\x10\x00"),
    CASE(KL_FORM_FILE, "a Parquet file", "PAR1\x15\x04"),
    CASE(KL_FORM_FILE, "an ELF file (a program)",
         "\x7f"
         "ELF\x02\x01\x01\x00"),
    CASE(KL_FORM_FILE, "UTF-16 text",
         "\xff\xfe"
         "0\0001\0000\0001\000"),
    CASE(KL_FORM_FILE, "UTF-16 text", "\xfe\xff\0000\0001\0000\0001"),
    CASE(KL_FORM_ROWS, "begins with digits as text", "0101\n0110\n1101\n1\n"),
    CASE(KL_FORM_NONE, NULL, "0101\n0110\n1101\n"), /* fifteen bytes may be anything */
    CASE(KL_FORM_ROWS, "begins with digits as text", "0,1,0,1\r\n1,1,1,0\r\n"),
    CASE(KL_FORM_ROWS, "begins with digits as text", "0101 12\n0110 7\n1\n"),
    CASE(KL_FORM_ROWS, "begins with digits as text",
         "\xef\xbb\xbf"
         "0101\n0110\n1101\n1\n"),
    CASE(KL_FORM_ROWS, "begins with digits as text", "0000000000000000"),
    CASE(KL_FORM_DIGITS, "numbers as text", "12\n255\n7\n0\n201\n33\n"),
    CASE(KL_FORM_DIGITS, "numbers as text", "0 1 0 2\n1 1 0 3\n"),
    CASE(KL_FORM_HEX, "hexadecimal text", "7f 3a 00 C4 91 0b 7e"),
    CASE(KL_FORM_NONE, NULL, "7f 3a 00 C4 91 0b 7"),
    CASE(KL_FORM_FILE, "binary digits with prefixes", "0b0110\n0b1001\n0b11"),
    CASE(KL_FORM_BASE64, "base64 text", "fzoAxJELfmhkq2lLQ0J7d2Zoc2RmaGtqYQ==\n"),
    CASE(KL_FORM_BASE64, "base64 text", "fzoAxJELfmhkq2lLQ0J7d2Zoc2Rm"),
    CASE(KL_FORM_NONE, NULL, "fzoAxJELfmhkq2lLQ0J7d2Zoc2R"),
    CASE(KL_FORM_TEXT, "text", "Reading the device: 1 Mbit/s"),
    CASE(KL_FORM_NONE, NULL, "Reading the device: 1 Mbit/"),
    CASE(KL_FORM_TEXT, "text", "QRNG device A, 2024-01-02, raw samples follow:  \n\x7f\x81"),
    CASE(KL_FORM_NONE, NULL, "QRNG device A, 2024-01-02, raw samples follow:\n\x7f\x81"),
    CASE(KL_FORM_TEXT, "a dump of xxd's",
         "00000000: 28cb 1e77 4a1d 9b02 5e44 0b1c 9d2f 7a61  (..wJ...\n"),
    CASE(KL_FORM_TEXT, "text", "00000000: 00101000 11001011 00011110 01110111  (..w\n"),
    CASE(KL_FORM_NONE, NULL, "UUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUU"),
    CASE(KL_FORM_NONE, NULL, ""),
};

static void check_forms(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct kl_bits_look look = kl_bits_look((const unsigned char *)cases[i].bytes, cases[i].n);
        CHECK(look.form == cases[i].form &&
                  (cases[i].what ? look.what && strcmp(look.what, cases[i].what) == 0 : !look.what),
              "case %zu: %d, %s", i, (int)look.form, look.what ? look.what : "nothing");
    }
    unsigned char tar[512] = "raw.bin";
    memcpy(tar + 257, "ustar", 5);
    CHECK(strcmp(kl_bits_look(tar, 262).what, "a tar archive") == 0);
    CHECK(kl_bits_look(tar, 261).form == KL_FORM_NONE);
}

/* xorshift64*: Vigna 2016. */
static uint64_t state = 88172645463325252u;

static uint8_t draw(void)
{
    state ^= state >> 12, state ^= state << 25, state ^= state >> 27;
    return (uint8_t)(state * 2685821657736338717u >> 56);
}

static bool is_something(const unsigned char *bytes, size_t n)
{
    struct kl_bits_widths w = { 0 };
    int below;
    kl_bits_widths_add(&w, bytes, n);
    return kl_bits_look(bytes, n).form != KL_FORM_NONE || kl_bits_width(&below, &w) < 8 ||
           kl_bits_stride(&w) > 1 || kl_bits_signs(&w);
}

/* A few of many: random inputs of each length, and those of poor devices. */
static void check_random(void)
{
    static unsigned char bytes[KL_BITS_LOOK];
    size_t taken = 0;
    for (size_t k = 0; k < 40000; k++) {
        const size_t n = k < 39900 ? 1 + k % 300 : sizeof bytes;
        for (size_t i = 0; i < n; i++) bytes[i] = draw();
        taken += is_something(bytes, n);
        for (size_t i = 0; i < n; i++) bytes[i] &= draw() & draw(); /* a rate of 1/8 */
        taken += is_something(bytes, n);
    }
    CHECK(taken == 0, "%zu", taken);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = draw() < 3 && draw() < 128 ? 1 << draw() % 8 : 0;
    CHECK(!is_something(bytes, sizeof bytes)); /* dark counts */
    memset(bytes, 0, sizeof bytes);
    CHECK(!is_something(bytes, sizeof bytes));
    memset(bytes, 0xff, sizeof bytes);
    CHECK(!is_something(bytes, sizeof bytes));
    for (size_t i = 0; i < 8 * sizeof bytes; i++) /* stays for 37 bits */
        bytes[i / 8] = (uint8_t)((bytes[i / 8] & ~(128 >> i % 8)) | (i / 37 % 2 ? 128 >> i % 8 : 0));
    CHECK(!is_something(bytes, sizeof bytes));
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = "\x12\x01\x00\x40\x12\x01\x00\x40"[i % 8];
    CHECK(!is_something(bytes, sizeof bytes)); /* what repeats is no number */
}

/* Bytes of mask bits alone; numbers of `size` bytes of `bits` bits, little or big endian. */
static void check_widths(void)
{
    static const struct {
        int mask, width, below;
    } masks[] = { { 1, 1, 0 },    { 2, 1, 1 },    { 0x0f, 4, 0 }, { 0x7f, 7, 0 },
                  { 0x60, 2, 5 }, { 0xfe, 7, 1 }, { 0xff, 8, 0 }, { 0x81, 8, 0 } };
    static unsigned char bytes[KL_BITS_LOOK];
    for (size_t m = 0; m < sizeof masks / sizeof *masks; m++) {
        struct kl_bits_widths w = { 0 };
        int below = -1;
        for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = draw() & (uint8_t)masks[m].mask;
        kl_bits_widths_add(&w, bytes, 1001);
        kl_bits_widths_add(&w, bytes + 1001, sizeof bytes - 1001);
        CHECK(kl_bits_width(&below, &w) == masks[m].width && below == masks[m].below, "%x: %d, %d",
              masks[m].mask, kl_bits_width(&below, &w), below);
        CHECK(kl_bits_stride(&w) == 1 && w.n == sizeof bytes);
    }
    struct kl_bits_widths few = { 0 }; /* 16 ones below 2 are met once in 2^48 */
    int below;
    kl_bits_widths_add(&few, (const unsigned char *)"\0\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1", 17);
    CHECK(few.ones == 16 && kl_bits_width(&below, &few) == 8);
    kl_bits_widths_add(&few, (const unsigned char *)"\0\1\1\1\1\1\1", 7);
    CHECK(few.ones == 22 && kl_bits_width(&below, &few) == 1);
}

static void check_strides(void)
{
    static const struct {
        int size, bits, shift;
    } numbers[] = { { 2, 1, 0 },  { 4, 1, 0 },  { 8, 1, 0 }, { 2, 12, 0 },
                    { 2, 14, 0 }, { 2, 10, 6 }, { 4, 24, 0 } };
    static unsigned char bytes[KL_BITS_LOOK];
    for (size_t k = 0; k < 2 * sizeof numbers / sizeof *numbers; k++) {
        const int size = numbers[k / 2].size, bits = numbers[k / 2].bits;
        struct kl_bits_widths w = { 0 };
        for (size_t i = 0; i < sizeof bytes; i += (size_t)size) {
            uint64_t value = 0;
            for (int j = 0; j < 8; j++) value = value << 8 | draw();
            value = (value & ((UINT64_C(1) << bits) - 1)) << numbers[k / 2].shift;
            for (int j = 0; j < size; j++)
                bytes[i + (size_t)(k % 2 ? size - 1 - j : j)] = (uint8_t)(value >> 8 * j);
        }
        kl_bits_widths_add(&w, bytes, sizeof bytes);
        CHECK(kl_bits_stride(&w) == size, "%d bits in %d bytes: %d", bits, size, kl_bits_stride(&w));
    }
}

static void check_signs(void)
{
    static const unsigned char pairs[][2] = { { 0, 255 }, { 1, 255 }, { 0, 1 }, { 2, 255 } };
    for (size_t k = 0; k < 4; k++) {
        struct kl_bits_widths w = { 0 };
        for (int i = 0; i < 22; i++) kl_bits_widths_add(&w, &pairs[k][i % 2], 1);
        CHECK(!kl_bits_signs(&w)); /* 21 changes */
        kl_bits_widths_add(&w, &pairs[k][0], 1);
        CHECK(kl_bits_signs(&w) == (k < 2), "%zu", k);
        CHECK(k == 3 || (w.zero == (k != 1) && w.one == (k > 0)));
    }
}

int main(void)
{
    check_forms();
    check_random();
    check_widths();
    check_strides();
    check_signs();
    return failures != 0;
}
