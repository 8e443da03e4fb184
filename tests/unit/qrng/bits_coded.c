/* SPDX-License-Identifier: MIT
   Bits from symbols, a byte each, and from hexadecimal and base64 text; what packed bytes, and these,
   are not. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "qrng/bits/bits.h"
#include "tests/unit/check.h"
#include "tests/unit/test_folder.h"

static const char *path = "x.bin";

static void put(const void *data, size_t n)
{
    FILE *f = fopen(path, "wb");
    CHECK(f && fwrite(data, 1, n, f) == n);
    if (f) fclose(f);
}

static struct kl_bits_how encoded(const char *encoding, int symbol_bits, size_t row_bits)
{
    return (
        struct kl_bits_how){ .encoding = encoding, .symbol_bits = symbol_bits, .row_bits = row_bits };
}

/* Reads the input; its rows are those of the text, one after another. */
static void check_rows(const struct kl_bits_how *how, const char *rows, size_t dropped, int used)
{
    struct kl_bits b = { 0 };
    struct kl_error err = { 0 };
    CHECK(kl_bits_read_files(&b, (const char *[]){ path }, 1, how, &err) == 0, "%s", err.text);
    CHECK(b.n_rows * how->row_bits == strlen(rows) && b.n_dropped == dropped && b.used_bits == used,
          "%zu rows, %zu dropped, %d used", b.n_rows, b.n_dropped, b.used_bits);
    for (size_t i = 0; i < b.n_rows * how->row_bits; i++)
        CHECK((kl_bits_row(&b, i / how->row_bits)[i % how->row_bits / 64] >> i % how->row_bits % 64 &
               1) == (unsigned)(rows[i] - '0'),
              "%s: bit %zu", how->encoding, i);
    kl_bits_free(&b);
}

/* The most significant bit first, as NIST's ea_non_iid makes its bit strings (cpp/shared/utils.h:
   bsymbols). RFC 4648, section 10: "foobar", "fooba", "foob". */
static void check_orders(void)
{
    struct kl_bits_how how = encoded("symbols", 3, 6);
    put("\1\4\6\3\7", 5);
    check_rows(&how,
               "001100"
               "110011",
               3, 3);
    how = encoded("symbols", 1, 4);
    put("\0\1\1\0\1\0\0\0\1", 9);
    check_rows(&how,
               "0110"
               "1000",
               1, 1);
    how = encoded("symbols", 8, 8);
    put("\x05\x0a", 2);
    check_rows(&how,
               "00000101"
               "00001010",
               0, 4);
    how = encoded("hex", 0, 8);
    put("1f A0\r\n5c\n", 9);
    check_rows(&how,
               "00011111"
               "10100000"
               "01011100",
               0, 0);
    how = encoded("hex", 0, 6);
    put("1fa05", 5);
    check_rows(&how,
               "000111"
               "111010"
               "000001",
               2, 0);
    how = encoded("base64", 0, 8);
    put("Zm9vYmFy\n", 9);
    check_rows(&how,
               "01100110"
               "01101111"
               "01101111"
               "01100010"
               "01100001"
               "01110010",
               0, 0);
    put("Zm9v\nYmE=\n", 10);
    check_rows(&how,
               "01100110"
               "01101111"
               "01101111"
               "01100010"
               "01100001",
               0, 0);
    put("Zm9vYg==", 8);
    check_rows(&how,
               "01100110"
               "01101111"
               "01101111"
               "01100010",
               0, 0);
    put("Zm9vYg", 6);
    check_rows(&how,
               "01100110"
               "01101111"
               "01101111"
               "01100010",
               0, 0);
    put("+/+/", 4);
    how = encoded("base64", 0, 12);
    check_rows(&how,
               "111110111111"
               "111110111111",
               0, 0);
}

/* More than one block and one piece of the input, of rows that are no bytes: each way gives the bits of
   the packed bytes, whole, by blocks twice, and the first rows alone. */
static void check_large(void)
{
    enum { BYTES = 700001, ROW = 105 };
    static unsigned char bytes[BYTES], symbols[8 * BYTES];
    static char text[2 * BYTES + 1];
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    struct kl_bits packed = { 0 };
    struct kl_error err = { 0 };
    uint32_t x = 1;
    for (size_t i = 0; i < BYTES; i++) bytes[i] = (unsigned char)((x = x * 1664525 + 1013904223) >> 24);
    put(bytes, BYTES);
    CHECK(kl_bits_read_files(&packed, (const char *[]){ path }, 1,
                             &(struct kl_bits_how){ .packed = true, .row_bits = ROW }, &err) == 0,
          "%s", err.text);
    for (int k = 0; k < 6; k++) {
        static const int widths[] = { 1, 3, 5, 7, 4, 6 };
        const int width = widths[k];
        size_t n = 8 * (size_t)BYTES / (size_t)width;
        for (size_t i = 0; i < n; i++) {
            unsigned v = 0;
            for (size_t j = i * (size_t)width; j < (i + 1) * (size_t)width; j++)
                v = v << 1 | (bytes[j / 8] >> (7 - j % 8) & 1);
            symbols[i] = (unsigned char)v;
        }
        for (size_t i = 0; i < n && k > 3; i++)
            text[i] = k == 4 ? "0123456789abcdef"[symbols[i]] : alphabet[symbols[i]];
        if (k == 5) n -= n % 4;
        put(k < 4 ? (const void *)symbols : text, n);
        struct kl_bits_how how = encoded(k < 4    ? "symbols"
                                         : k == 4 ? "hex"
                                                  : "base64",
                                         k < 4 ? width : 0, ROW);
        struct kl_bits b = { 0 };
        CHECK(kl_bits_read_files(&b, (const char *[]){ path }, 1, &how, &err) == 0, "%s", err.text);
        CHECK(b.n_rows == n * (size_t)width / ROW && b.n_dropped == n * (size_t)width % ROW);
        CHECK(memcmp(b.words, packed.words, b.n_rows * 16) == 0, "%s, %d", how.encoding, width);
        kl_bits_free(&b);
        struct kl_bits_inputs in;
        const struct kl_bits *block;
        CHECK(kl_bits_inputs_open(&in, &path, 1, &how, &err) == 0);
        for (int pass = 0; pass < 2; pass++) {
            size_t row = 0;
            for (; !kl_bits_inputs_next(&in, &block, &err) && block->n_rows; row += block->n_rows)
                CHECK(memcmp(block->words, kl_bits_row(&packed, row), block->n_rows * 16) == 0);
            CHECK(row == n * (size_t)width / ROW && in.n_dropped == n * (size_t)width % ROW, "%zu", row);
            CHECK(kl_bits_inputs_rewind(&in, &err) == 0);
        }
        kl_bits_inputs_close(&in);
        how.max_rows = 13;
        CHECK(kl_bits_read_files(&b, (const char *[]){ path }, 1, &how, &err) == 0 && b.n_rows == 13 &&
                  b.n_dropped == 0 && memcmp(b.words, packed.words, 13 * 16) == 0,
              "%s", err.text);
        kl_bits_free(&b);
    }
    kl_bits_free(&packed);
}

#define TEXT(t) t, sizeof t - 1
#define D16 "0123456789abcdef"

/* Refused inputs, and the words of the refusal. */
static const struct {
    const char *encoding; /* NULL: packed */
    int symbol_bits;
    const char *text;
    size_t n;
    int code;
    const char *message;
} refused[] = {
    { "symbols", 2, TEXT("\1\3\2\4"), KL_EDATA,
      "byte 4 is 4, expected a symbol of 2 bits, at most 3; --symbol-bits says how many a byte "
      "has" },
    { "symbols", 1, TEXT("\1"), KL_EDATA, "1 bit, expected a row of 8 at least" },
    { "symbols", 3, TEXT("\1\1\1"), KL_EUSAGE,
      "rows of 8 bits hold no whole number of symbols of 3 bits; --symbol-bits that divides them: "
      "1, 2, "
      "4, 8" },
    { "hex", 0, TEXT("12 34\n5g"), KL_EDATA,
      "line 2, position 2: found 'g', expected a hexadecimal digit" },
    { "hex", 0, TEXT("12\n0x34"), KL_EDATA,
      "line 2, position 2: found 'x', expected a hexadecimal digit; take prefixes out: sed "
      "'s/0[xX]//g'" },
    { "hex", 0, TEXT("12,34"), KL_EDATA,
      "line 1, position 3: found ',', expected a hexadecimal digit; take separators out: tr -d "
      "',;:'" },
    { "hex", 0, TEXT("12\xff"), KL_EDATA,
      "line 1, position 3: found byte 0xff, expected a hexadecimal digit" },
    { "hex", 0, TEXT("1f\n5\na0\n"), KL_EDATA,
      "line 3: groups of 2 and 1 characters, expected equal ones, but for the last" },
    { "hex", 0, TEXT("1f\n5a0\n"), KL_EDATA,
      "line 2: groups of 2 and 3 characters, expected equal ones, but for the last" },
    { "hex", 0, TEXT(" \n\n"), KL_EDATA, "0 bits, expected a row of 8 at least" },
    { "hex", 0, TEXT(""), KL_EDATA, "0 bits, expected a row of 8 at least" },
    { "hex", 0, TEXT("0110100110010110011010"), KL_EDATA,
      "begins with digits as text, expected hexadecimal digits; leave out --encoding and --bits" },
    { "base64", 0, TEXT("Zm9v-_"), KL_EDATA,
      "line 1, position 5: found '-', expected a character of base64; convert it: tr -- '-_' '+/'" },
    { "base64", 0, TEXT("-----BEGIN"), KL_EDATA,
      "line 1, position 1: found '-', expected a character of base64; take lines of dashes out: "
      "grep -v "
      "-- ---" },
    { "base64", 0, TEXT("Zm9vYg==Zm9v"), KL_EDATA,
      "line 1, position 9: found 'Z', expected nothing after the padding" },
    { "base64", 0, TEXT("Zm9vYm\nFyZm9v"), KL_EDATA,
      "line 2: follows one of 6 characters, expected a multiple of 4; decode each line by itself: "
      "base64 -d" },
    { "base64", 0, TEXT("Zm9vY"), KL_EDATA,
      "5 characters of base64 and 0 of padding at the end hold no whole bytes; is it cut short?" },
    { "base64", 0, TEXT("Zm9vYh=="), KL_EDATA,
      "6 characters of base64 and 2 of padding at the end hold no whole bytes; is it cut short?" },
    { "base64", 0, TEXT("Zm9vYg="), KL_EDATA,
      "6 characters of base64 and 1 of padding at the end hold no whole bytes; is it cut short?" },
    { "base64", 0, TEXT("Zm9v="), KL_EDATA,
      "4 characters of base64 and 1 of padding at the end hold no whole bytes; is it cut short?" },
    { "base64", 0, TEXT(D16 D16 D16), KL_EDATA,
      "hexadecimal text, expected base64; take --encoding hex, or convert it: xxd -r -p" },
    { "symbols", 8, TEXT(D16 D16 D16), KL_EDATA,
      "hexadecimal text, expected a symbol a byte; take --encoding hex, or convert it: xxd -r -p" },
    { "symbols", 8, TEXT("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 7\n"),
      KL_EDATA, "a pointer of Git LFS, not the file: git lfs pull" },
    { NULL, 0, TEXT("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 7\n"), KL_EDATA,
      "a pointer of Git LFS, not the file: git lfs pull" },
    { NULL, 0, TEXT("<!DOCTYPE html>\n<html></html>\n"), KL_EDATA,
      "an HTML page, not the file: fetch it again" },
    { NULL, 0, TEXT(D16 "0f7c"), KL_EDATA,
      "hexadecimal text, expected packed bytes; take --encoding hex in place of --packed, or "
      "convert "
      "it: xxd -r -p" },
    { NULL, 0, TEXT("fzoAxJELfmhkq2lLQ0J7d2Zoc2RmaGtqYQ=="), KL_EDATA,
      "base64 text, expected packed bytes; take --encoding base64 in place of --packed, or convert "
      "it: "
      "base64 -d" },
    { NULL, 0, TEXT("{\"type\": \"uint8\", \"data\": [17, 3, 254]}"), KL_EDATA,
      "text ('{\"type\": \"uint8\", \"data\"'), expected packed bytes" },
    { NULL, 0,
      TEXT("\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff"
           "a"),
      KL_EDATA, "a gzip file, expected packed bytes; convert it: zcat" },
    { NULL, 0, TEXT("\x80\x04\x95\xa4\x00\x00\x00\x00\x00\x00\x00\x8c\x15"), KL_EDATA,
      "a Python pickle, expected packed bytes" },
};

static void check_refused(void)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        char expected[300];
        struct kl_bits b = { 0 };
        struct kl_error err = { 0 };
        struct kl_bits_how how = encoded(refused[i].encoding, refused[i].symbol_bits, 8);
        how.packed = !how.encoding;
        put(refused[i].text, refused[i].n);
        snprintf(expected, sizeof expected, "%s: %s", path, refused[i].message);
        CHECK(kl_bits_read_files(&b, (const char *[]){ path }, 1, &how, &err) == refused[i].code,
              "case %zu: %s", i, err.text);
        CHECK(strcmp(err.text, expected) == 0, "found %s", err.text);
        CHECK(!b.words && !b.names);
    }
}

/* Messages on bytes of values drawn from a few, with --packed and without it. */
static void check_values(void)
{
    static const struct {
        const char *values;
        int n, size; /* values; bytes of each number */
        const char *packed, *rows;
    } cases[] = {
        { "\0\1", 2, 1,
          "no byte is 2 or more: 1 bit a byte? expected packed bytes; take --encoding symbols "
          "--symbol-bits 1 in place of --packed",
          "found a NUL byte, expected 0 or 1; no byte is 2 or more: bytes of 1 bit each are taken with "
          "--encoding symbols --symbol-bits 1 --bits N" },
        { "\0\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17", 16, 1,
          "no byte is 16 or more: 4 bits a byte? expected packed bytes; take --encoding symbols "
          "--symbol-bits 4 in place of --packed",
          "found a NUL byte, expected 0 or 1; no byte is 16 or more: bytes of 4 bits each are taken "
          "with "
          "--encoding symbols --symbol-bits 4 --bits N" },
        { "\0\x80", 2, 1,
          "the lowest 7 bits of all bytes are never set: 1 bit a byte? expected packed bytes; shift "
          "them: "
          "(numpy.fromfile(F, 'u1') >> 7).tofile(G), then --encoding symbols --symbol-bits 1",
          "found a NUL byte, expected 0 or 1; raw bytes are taken with --packed --bits N" },
        { "\0\xff", 2, 1,
          "every byte is 0 or 255: a bit a byte? expected packed bytes; convert it: tr '\\377' '\\001', "
          "then --encoding symbols --symbol-bits 1",
          "found a NUL byte, expected 0 or 1; raw bytes are taken with --packed --bits N" },
        { "\1\xff", 2, 1,
          "every byte is 1 or 255: a bit a byte? expected packed bytes; convert it: tr '\\377' '\\000', "
          "then --encoding symbols --symbol-bits 1",
          "found byte 0x01, expected 0 or 1; raw bytes are taken with --packed --bits N" },
        { "\0\1\xff", 3, 1, "every byte is 0, 1 or 255 (-1), expected packed bytes",
          "found a NUL byte, expected 0 or 1; raw bytes are taken with --packed --bits N" },
        { "\0\1", 2, 8,
          "numbers of 8 bytes each, some bits of which are never set, expected packed bytes; if they "
          "are 0 and 1 alone: (numpy.fromfile(F, TYPE) != 0).astype('u1').tofile(G)",
          NULL },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        static unsigned char bytes[4096];
        char expected[400];
        struct kl_bits b = { 0 };
        struct kl_error err = { 0 };
        uint32_t x = 7;
        memset(bytes, 0, sizeof bytes);
        for (size_t i = 0; i < sizeof bytes; i += (size_t)cases[k].size, x = x * 1664525 + 1013904223)
            bytes[i] = i ? (unsigned char)cases[k].values[(x >> 16) % (unsigned)cases[k].n]
                         : (unsigned char)cases[k].values[0];
        put(bytes, sizeof bytes);
        snprintf(expected, sizeof expected, "%s: %s", path, cases[k].packed);
        CHECK(kl_bits_read_files(&b, (const char *[]){ path }, 1,
                                 &(struct kl_bits_how){ .packed = true, .row_bits = 100 },
                                 &err) == KL_EDATA &&
                  strcmp(err.text, expected) == 0,
              "found %s", err.text);
        if (!cases[k].rows) continue;
        snprintf(expected, sizeof expected, "%s: row 1, position 1: %s", path, cases[k].rows);
        CHECK(kl_bits_read_files(&b, (const char *[]){ path }, 1, &(struct kl_bits_how){ 0 }, &err) ==
                      KL_EDATA &&
                  strcmp(err.text, expected) == 0,
              "found %s", err.text);
    }
}

static unsigned char bit(uint32_t *x)
{
    return (*x = *x * 1664525 + 1013904223) >> 31;
}

/* The end of base64, twice. */
static void check_rewound(void)
{
    const struct kl_bits_how how = encoded("base64", 0, 8);
    struct kl_bits_inputs in;
    const struct kl_bits *block;
    struct kl_error err = { 0 };
    put("Zm9vYg==", 8);
    CHECK(kl_bits_inputs_open(&in, &path, 1, &how, &err) == 0, "%s", err.text);
    for (int pass = 0; pass < 2; pass++) {
        CHECK(kl_bits_inputs_next(&in, &block, &err) == 0 && block->n_rows == 4 &&
                  block->words[0] == 0x66 &&
                  block->words[3] == 0x46, /* f, b: their first bit the lowest */
              "%s", err.text);
        CHECK(kl_bits_inputs_next(&in, &block, &err) == 0 && block->n_rows == 0, "%s", err.text);
        CHECK(kl_bits_inputs_rewind(&in, &err) == 0);
    }
    kl_bits_inputs_close(&in);
}

/* A part that says nothing may be long, and bits may come after it. */
static void check_late(void)
{
    enum { BYTES = 3 << 20 };
    unsigned char *bytes = calloc(BYTES, 1);
    uint32_t x = 5;
    struct kl_bits b = { 0 };
    struct kl_error err = { 0 };
    const struct kl_bits_how how = { .packed = true, .row_bits = 1000 };
    put(bytes, BYTES);
    CHECK(kl_bits_read_files(&b, (const char *[]){ path }, 1, &how, &err) == 0 &&
              b.n_rows == 8 * (size_t)BYTES / 1000,
          "%s", err.text);
    kl_bits_free(&b);
    for (size_t i = 0; i < BYTES / 2; i++) bytes[i] = bit(&x); /* a byte a bit for 1 MiB and more */
    memset(bytes + BYTES / 2, 0xa5, BYTES / 2);
    put(bytes, BYTES);
    CHECK(kl_bits_read_files(&b, (const char *[]){ path }, 1, &how, &err) == KL_EDATA &&
              strstr(err.text, "no byte is 2 or more"),
          "%s", err.text);
    for (size_t i = 0; i < BYTES / 2; i++) bytes[i] = i / 8 == 112500 ? 0xff : bit(&x);
    put(bytes, BYTES);
    CHECK(kl_bits_read_files(&b, (const char *[]){ path }, 1, &how, &err) == 0, "%s", err.text);
    kl_bits_free(&b);
    for (size_t i = 0; i < 100000; i++) bytes[i] = (unsigned char)(4 * bit(&x) + 2 * bit(&x) + bit(&x));
    memset(bytes + 100000, 0xa5, BYTES - 100000);
    put(bytes, BYTES);
    CHECK(kl_bits_read_files(&b, (const char *[]){ path }, 1, &how, &err) == 0, "%s", err.text);
    kl_bits_free(&b);
    free(bytes);
}

static void check_options(void)
{
    static const struct {
        struct kl_bits_how how;
        const char *message;
    } cases[] = {
        { { .encoding = "symbols", .row_bits = 8 },
          "--encoding symbols: give --symbol-bits N, the bits that a byte has" },
        { { .encoding = "hex" }, "--encoding hex: has no rows; give --bits N, the bits of one" },
        { { .encoding = "hex", .packed = true, .row_bits = 8 },
          "--packed and --encoding hex: bytes are one or the other" },
        { { .row_bits = 8 },
          "--bits belongs to --packed and --encoding; other inputs say how long rows are" },
    };
    put("0110\n", 5);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct kl_bits b = { 0 };
        struct kl_error err = { 0 };
        CHECK(kl_bits_read_files(&b, (const char *[]){ path }, 1, &cases[i].how, &err) == KL_EUSAGE &&
                  strcmp(err.text, cases[i].message) == 0,
              "found %s", err.text);
    }
}

int main(void)
{
    make_test_folder();
    if (chdir(test_folder)) return 1;
    check_orders();
    check_large();
    check_refused();
    check_values();
    check_rewound();
    check_late();
    check_options();
    return failures != 0;
}
