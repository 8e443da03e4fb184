/* SPDX-License-Identifier: MIT
   Rows of bits from text: what is taken, and the one line that says what is wrong, where. */
#include "qrng/bits/bits.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../check.h"
#include "../test_folder.h"

static const char *path = "bits-test.input";

static void put(const void *data, size_t n)
{
    FILE *f = fopen(path, "wb");
    CHECK(f && fwrite(data, 1, n, f) == n);
    if (f) fclose(f);
}

/* The rows of a text as it was given: each bit through kl_bits_row. */
static void check_rows(const struct kl_bits *b, const char *const *rows, const int *devices, size_t n)
{
    CHECK(b->n_rows == n, "%zu", b->n_rows);
    for (size_t r = 0; r < n && r < b->n_rows; r++) {
        const uint64_t *row = kl_bits_row(b, r);
        CHECK(b->n_bits == strlen(rows[r]), "%zu", b->n_bits);
        CHECK(b->device[r] == devices[r], "row %zu: %d", r, b->device[r]);
        for (size_t j = 0; j < b->n_bits; j++)
            CHECK((row[j / 64] >> (j % 64) & 1) == (unsigned)(rows[r][j] - '0'), "row %zu, bit %zu", r,
                  j);
        for (size_t j = b->n_bits; j < 64 * b->words_per_row; j++)
            CHECK((row[j / 64] >> (j % 64) & 1) == 0, "row %zu, bit %zu", r, j);
    }
}

static void check_labelled(void)
{
    static const char text[] = "0110100110010110100101100110100110010110011010010110100110010110100 2\n"
                               "1111111111111111111111111111111111111111111111111111111111111111111 1\n"
                               "0000000000000000000000000000000000000000000000000000000000000000001 2";
    static const char *const rows[] = {
        "0110100110010110100101100110100110010110011010010110100110010110100",
        "1111111111111111111111111111111111111111111111111111111111111111111",
        "0000000000000000000000000000000000000000000000000000000000000000001"
    };
    static const int devices[] = { 1, 0, 1 };
    struct kl_bits b = { 0 };
    struct kl_error err = { 0 };
    put(text, sizeof text - 1);
    int rc = kl_bits_read_files(&b, (const char *[]){ path }, 1, &(struct kl_bits_how){ 0 }, &err);
    CHECK(rc == 0, "%s", err.text);
    check_rows(&b, rows, devices, 3);
    CHECK(b.n_devices == 2 && strcmp(b.names[1], "2") == 0);
    CHECK(b.symbol_bits == 1);
    kl_bits_free(&b);
}

static void check_unlabelled(void)
{
    static const char *const rows[] = { "01101", "00000", "01101", "00000" };
    static const int devices[] = { 0, 0, 1, 1 };
    const char *const paths[] = { path, path };
    struct kl_bits b = { 0 };
    struct kl_error err = { 0 };
    put("01101\n00000\n", 12);
    CHECK(kl_bits_read_files(&b, paths, 2, &(struct kl_bits_how){ 0 }, &err) == 0, "%s", err.text);
    check_rows(&b, rows, devices, 4);
    CHECK(b.n_devices == 2 && strcmp(b.names[0], "bits-test") == 0);
    kl_bits_free(&b);
}

static void check_symbols(void)
{
    static const unsigned expected[] = { 1, 3, 0, 2 };
    struct kl_bits b = { 0 };
    struct kl_error err = { 0 };
    put("01110010\n", 9);
    CHECK(kl_bits_read_files(&b, (const char *[]){ path }, 1, &(struct kl_bits_how){ .symbol_bits = 2 },
                             &err) == 0,
          "%s", err.text);
    for (size_t k = 0; k < 4; k++) CHECK(kl_bits_symbol(kl_bits_row(&b, 0), k, 2) == expected[k]);
    CHECK(kl_bits_symbol(kl_bits_row(&b, 0), 0, 8) == 0x72);
    kl_bits_free(&b);
}

/* Lines longer than the reader's buffer, and rows that do not fit one block. */
static void check_large(void)
{
    const size_t n = 3000000;
    char *text = malloc(2 * n + 2);
    struct kl_bits b = { 0 };
    struct kl_error err = { 0 };
    if (!text) return;
    memset(text, '1', 2 * n + 2);
    text[n] = text[2 * n + 1] = '\n';
    put(text, 2 * n + 2);
    CHECK(kl_bits_read_files(&b, (const char *[]){ path }, 1, &(struct kl_bits_how){ 0 }, &err) == 0,
          "%s", err.text);
    CHECK(b.n_rows == 2 && b.n_bits == n && b.words[n / 64 - 1] == UINT64_MAX);
    kl_bits_free(&b);
    for (size_t i = 0; i < n; i++) text[i] = i % 3 == 2 ? '\n' : i % 2 ? '1' : '0';
    put(text, n);
    CHECK(kl_bits_read_files(&b, (const char *[]){ path }, 1, &(struct kl_bits_how){ 0 }, &err) == 0,
          "%s", err.text);
    CHECK(b.n_rows == n / 3 && b.n_bits == 2);
    for (size_t r = 0; r < b.n_rows; r++)
        CHECK(b.words[r] == (r % 2 ? 1 : 2), "row %zu: %llu", r, (unsigned long long)b.words[r]);
    kl_bits_free(&b);
    free(text);
}

/* 0xa5 0x0f 0x3c are 10100101 00001111 00111100: rows of 7 bits, 3 bits left. */
static void check_packed(void)
{
    static const char *const rows[] = { "1010010", "1000011", "1100111" };
    static const int devices[] = { 0, 0, 0 };
    const struct kl_bits_how how = { .packed = true, .row_bits = 7 };
    struct kl_bits b = { 0 };
    struct kl_error err = { 0 };
    put("\xa5\x0f\x3c", 3);
    CHECK(kl_bits_read_files(&b, (const char *[]){ path }, 1, &how, &err) == 0, "%s", err.text);
    check_rows(&b, rows, devices, 3);
    CHECK(b.n_dropped == 3);
    kl_bits_free(&b);
    CHECK(kl_bits_read_files(&b, (const char *[]){ path }, 1,
                             &(struct kl_bits_how){ .packed = true, .row_bits = 25 },
                             &err) == KL_EDATA &&
          strstr(err.text, "3 bytes hold no row of 25 bits"));
    CHECK(kl_bits_read_files(&b, (const char *[]){ path }, 1, &(struct kl_bits_how){ .packed = true },
                             &err) == KL_EUSAGE);
}

/* Many rows of an odd length, each bit against its byte, and the same by blocks, twice. */
static void check_packed_blocks(void)
{
    enum { BYTES = 1000003, ROW = 101 };
    const struct kl_bits_how how = { .packed = true, .row_bits = ROW };
    static unsigned char bytes[BYTES];
    struct kl_bits b = { 0 };
    struct kl_error err = { 0 };
    struct kl_bits_inputs in;
    const struct kl_bits *block;
    for (size_t i = 0; i < BYTES; i++) bytes[i] = (unsigned char)(i * i + (i >> 7));
    put(bytes, BYTES);
    CHECK(kl_bits_read_files(&b, (const char *[]){ path }, 1, &how, &err) == 0, "%s", err.text);
    CHECK(b.n_rows == 8 * (size_t)BYTES / ROW && b.n_dropped == 8 * (size_t)BYTES % ROW);
    size_t wrong = 0;
    for (size_t i = 0; i < b.n_rows * ROW; i++)
        wrong += (kl_bits_row(&b, i / ROW)[i % ROW / 64] >> (i % ROW % 64) & 1) !=
                 (unsigned)(bytes[i / 8] >> (7 - i % 8) & 1);
    CHECK(wrong == 0, "%zu", wrong);
    CHECK(kl_bits_inputs_open(&in, &path, 1, &how, &err) == 0);
    for (int pass = 0; pass < 2; pass++) {
        size_t row = 0;
        while (!kl_bits_inputs_next(&in, &block, &err) && block->n_rows) {
            CHECK(memcmp(block->words, kl_bits_row(&b, row), block->n_rows * 16) == 0);
            row += block->n_rows;
        }
        CHECK(row == b.n_rows && kl_bits_inputs_rewind(&in, &err) == 0, "%zu", row);
    }
    kl_bits_inputs_close(&in);
    kl_bits_free(&b);
}

static size_t npy(char *to, const char *descr, const char *shape, const void *data, size_t n)
{
    const int header =
        snprintf(to + 10, 200, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n", descr, shape);
    memcpy(to, "\x93NUMPY\1\0", 8);
    to[8] = (char)header;
    to[9] = 0;
    memcpy(to + 10 + header, data, n);
    return 10 + (size_t)header + n;
}

#define WRONG(descr, rank, remedy)      \
    "array of " descr " and rank " rank \
    ", expected texts (<U or |S) of rank 1, or numbers (|u1, |b1) of rank 2 in C order" remedy

static void check_npy(void)
{
    static const char *const rows[] = { "011", "100" };
    static const int devices[] = { 0, 0 };
    static const struct {
        const char *descr, *shape, *data;
        size_t n;
        const char *message;
    } cases[] = {
        { "<U3", "(2,)", "0\0\0\0001\0\0\0001\0\0\0001\0\0\0000\0\0\0000\0\0", 24, NULL },
        { "|S3", "(2,)", "011100", 6, NULL },
        { "|u1", "(2, 3)", "\0\1\1\1\0\0", 6, NULL },
        { "|b1", "(2, 3)", "\0\1\1\1\0\0", 6, NULL },
        { "|S3", "(2,)", "01110\0", 6, "row 2 has 2 bits, expected 3" },
        { "|S3", "(2,)", "011120", 6, "row 2, position 2: found '2', expected 0 or 1" },
        { "|u1", "(2, 3)", "\0\1\1\1\0\2", 6, "row 2, column 3: found 2, expected 0 or 1" },
        { "|u1", "(2, 3)", "\0\1\1\1\0", 5, "5 bytes of rows, its header says 2 rows of 3 bytes" },
        { "<f4", "(2, 3)", "", 0,
          WRONG("<f4", "2", "; if it holds 0 and 1 alone, save a.astype('u1')") },
        { "<i8", "(6,)", "", 0,
          WRONG("<i8", "1", "; if it holds 0 and 1 alone, save a.astype('u1').reshape(-1, N)") },
        { "|b1", "(6,)", "", 0, WRONG("|b1", "1", "; save a.reshape(-1, N)") },
        { "|S3", "(2, 1)", "", 0, WRONG("|S3", "2", "; save a.ravel()") },
        { "|O", "(2, 3)", "", 0, WRONG("|O", "2", "") },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char file[400], expected[400];
        struct kl_bits b = { 0 };
        struct kl_error err = { 0 };
        put(file, npy(file, cases[i].descr, cases[i].shape, cases[i].data, cases[i].n));
        const int rc =
            kl_bits_read_files(&b, (const char *[]){ path }, 1, &(struct kl_bits_how){ 0 }, &err);
        snprintf(expected, sizeof expected, "%s: %s", path, cases[i].message ? cases[i].message : "");
        CHECK(rc == (cases[i].message ? KL_EDATA : 0), "case %zu: %s", i, err.text);
        if (rc) CHECK(strcmp(err.text, expected) == 0, "found %s", err.text);
        else check_rows(&b, rows, devices, 2);
        kl_bits_free(&b);
    }
}

static void check_errors(void)
{
#define CASE(text, message)            \
    {                                  \
        text, sizeof text - 1, message \
    }
    static const struct {
        const char *text;
        size_t n;
        const char *message;
    } cases[] = {
        CASE("", "holds no rows"),
        CASE("\n", "row 1 is empty"),
        CASE("01\n\n01\n", "row 2 is empty"),
        CASE("01\n0x\n", "row 2, position 2: found 'x', expected 0 or 1"),
        CASE("01\n0\0\n", "row 2, position 2: found a NUL byte, expected 0 or 1"),
        CASE("\xff\n", "row 1, position 1: found byte 0xff, expected 0 or 1; raw bytes are taken with "
                       "--packed --bits N"),
        CASE("011\n01\n", "row 2 has 2 bits, row 1 has 3"),
        CASE("011\n0\n", "row 2 has 1 bit, row 1 has 3"),
        CASE("011 1\n0110101 1\n", "row 2 has 7 bits, row 1 has 3"),
        CASE("0,1,1\n", "row 1, position 2: found ',', expected 0 or 1; take separators out: tr -d ','"),
        CASE("0;1\n", "row 1, position 2: found ';', expected 0 or 1; take separators out: tr -d ';'"),
        CASE("0\t1\n",
             "row 1, position 2: found byte 0x09, expected 0 or 1; take separators out: tr -d '\\t'"),
        CASE(",1\n", "row 1, position 1: found ',', expected 0 or 1"),
        CASE("0 1 1\n", "row 1: label '1 1', expected a whole number from 1 to 4096; take out spaces "
                        "between bits: tr -d ' '"),
        CASE("01\n1\r0\n", "row 2, position 2: found byte 0x0d, expected 0 or 1"),
        CASE("01 1\n10\n", "row 2 has no label, row 1 has one"),
        CASE("01\n10 1\n", "row 2 has a label, row 1 has none"),
        CASE("01 1\n10 x\n", "row 2: label 'x', expected a whole number from 1 to 4096"),
        CASE("01 0\n", "row 1: label '0', expected a whole number from 1 to 4096"),
        CASE("01 1\n10 4097\n", "row 2: label '4097', expected a whole number from 1 to 4096"),
        CASE("01 1\n10 1\n11 3\n", "device 2 has no rows, though labels go up to 3 (first in row 3)"),
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct kl_bits b = { 0 };
        struct kl_error err = { 0 };
        char expected[256];
        put(cases[i].text, cases[i].n);
        snprintf(expected, sizeof expected, "%s: %s", path, cases[i].message);
        CHECK(kl_bits_read_files(&b, (const char *[]){ path }, 1, &(struct kl_bits_how){ 0 }, &err) ==
                  KL_EDATA,
              "case %zu", i);
        CHECK(strcmp(err.text, expected) == 0, "found %s", err.text);
        CHECK(!b.words && !b.names);
    }
}

int main(void)
{
    make_test_folder();
    if (chdir(test_folder)) return 1;
    check_labelled();
    check_unlabelled();
    check_symbols();
    check_large();
    check_packed();
    check_packed_blocks();
    check_npy();
    check_errors();
    return failures != 0;
}
