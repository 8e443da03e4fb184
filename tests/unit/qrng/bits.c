/* SPDX-License-Identifier: MIT
   Rows of bits from text: what is taken, and the one line that says what is wrong, where. */
#include "qrng/bits.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../check.h"

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
    int rc = kl_bits_read(&b, path, &(struct kl_bits_how){ 0 }, &err);
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
    CHECK(kl_bits_read(&b, path, &(struct kl_bits_how){ .symbol_bits = 2 }, &err) == 0, "%s", err.text);
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
    CHECK(kl_bits_read(&b, path, &(struct kl_bits_how){ 0 }, &err) == 0, "%s", err.text);
    CHECK(b.n_rows == 2 && b.n_bits == n && b.words[n / 64 - 1] == UINT64_MAX);
    kl_bits_free(&b);
    for (size_t i = 0; i < n; i++) text[i] = i % 3 == 2 ? '\n' : i % 2 ? '1' : '0';
    put(text, n);
    CHECK(kl_bits_read(&b, path, &(struct kl_bits_how){ 0 }, &err) == 0, "%s", err.text);
    CHECK(b.n_rows == n / 3 && b.n_bits == 2);
    for (size_t r = 0; r < b.n_rows; r++)
        CHECK(b.words[r] == (r % 2 ? 1 : 2), "row %zu: %llu", r, (unsigned long long)b.words[r]);
    kl_bits_free(&b);
    free(text);
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
        CASE("\xff\n", "row 1, position 1: found byte 0xff, expected 0 or 1"),
        CASE("011\n01\n", "row 2 has fewer than the 3 bits of row 1"),
        CASE("011 1\n0110 1\n", "row 2 has more than the 3 bits of row 1"),
        CASE("01\n10\r\n", "row 2 ends in CR LF, expected LF alone; convert it: tr -d '\\r'"),
        CASE("01 1\r\n10 2\r\n", "row 1 ends in CR LF, expected LF alone; convert it: tr -d '\\r'"),
        CASE("01 1\n10\n", "row 2 has no label, row 1 has one"),
        CASE("01\n10 1\n", "row 2 has a label, row 1 has none"),
        CASE("01 1\n10 x\n", "row 2: label \"x\", expected a whole number from 1 to 4096"),
        CASE("01 0\n", "row 1: label \"0\", expected a whole number from 1 to 4096"),
        CASE("01 1\n10 4097\n", "row 2: label \"4097\", expected a whole number from 1 to 4096"),
        CASE("01 1\n10 1\n11 3\n", "device 2 has no rows, though labels go up to 3 (first in row 3)"),
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct kl_bits b = { 0 };
        struct kl_error err = { 0 };
        char expected[256];
        put(cases[i].text, cases[i].n);
        snprintf(expected, sizeof expected, "%s: %s", path, cases[i].message);
        CHECK(kl_bits_read(&b, path, &(struct kl_bits_how){ 0 }, &err) == KL_EDATA, "case %zu", i);
        CHECK(strcmp(err.text, expected) == 0, "found %s", err.text);
        CHECK(!b.words && !b.names);
    }
}

int main(void)
{
    char folder[] = "/tmp/ketline-bits.XXXXXX";
    if (!mkdtemp(folder) || chdir(folder)) return 1;
    check_labelled();
    check_unlabelled();
    check_symbols();
    check_large();
    check_errors();
    unlink(path);
    rmdir(folder);
    return failures != 0;
}
