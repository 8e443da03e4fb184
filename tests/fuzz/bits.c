/* SPDX-License-Identifier: MIT
   Any bytes as bits of random-number devices: text or .npy by their first bytes, and as packed bytes
   whose rows have as many bits as the first byte says. What is read, written out again, is the file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qrng/bits.h"
#include "tests/fuzz/frame/fuzz.h"

const int fuzz_corpus = 30;

static int bit(const struct kl_bits *b, size_t row, size_t j)
{
    return (int)(kl_bits_row(b, row)[j / 64] >> (j % 64) & 1);
}

static void check_form(const struct kl_bits *b)
{
    bool *seen = calloc((size_t)b->n_devices + 1, sizeof *seen);
    need(b->n_rows && b->n_bits && b->words_per_row == (b->n_bits + 63) / 64, "a shape", "");
    need(b->symbol_bits >= 1 && b->n_bits % (size_t)b->symbol_bits == 0, "no whole symbols", "");
    for (size_t r = 0; r < b->n_rows; r++) {
        need(b->device[r] >= 0 && b->device[r] < b->n_devices, "a device that is none", "");
        seen[b->device[r]] = true;
        if (b->n_bits % 64)
            need(!(kl_bits_row(b, r)[b->words_per_row - 1] >> (b->n_bits % 64)), "bits past the end",
                 "");
    }
    for (int d = 0; d < b->n_devices; d++) need(seen[d], "a device without rows", b->names[d]);
    free(seen);
}

/* "0101 2" a line, as text; the last line's end may lack. */
static void check_text(const struct kl_bits *b, const unsigned char *data, size_t n)
{
    size_t at = 0;
    bool labels = memchr(data, ' ', n) != NULL;
    for (size_t r = 0; r < b->n_rows; r++) {
        char label[16];
        const int width = snprintf(label, sizeof label, " %d", b->device[r] + 1);
        for (size_t j = 0; j < b->n_bits; j++, at++)
            need(at < n && data[at] == '0' + bit(b, r, j), "another bit than in the text", "");
        if (labels)
            need(n - at >= (size_t)width && memcmp(data + at, label, (size_t)width) == 0,
                 "another label", label);
        if (labels) at += (size_t)width;
        need((at == n && r + 1 == b->n_rows) || data[at] == '\n', "no end of a line", "");
        at += at < n;
    }
    need(at == n, "rows that were not read", "");
}

/* The rows close the file: a byte or four for each bit. */
static void check_array(const struct kl_bits *b, const unsigned char *data, size_t n)
{
    const size_t all = b->n_rows * b->n_bits;
    const bool narrow = memmem(data, n, "|", 1) != NULL;
    const size_t width = narrow ? 1 : 4;
    need(n > all * width, "more rows than bytes", "");
    const unsigned char *from = data + n - all * width;
    for (size_t i = 0; i < all; i++)
        need((from[i * width] & 1) == bit(b, i / b->n_bits, i % b->n_bits),
             "another bit than in the array", "");
}

static void check_packed(const struct kl_bits *b, const unsigned char *data, size_t n)
{
    need(b->n_rows * b->n_bits <= 8 * n, "more bits than bytes", "");
    need(b->n_dropped < b->n_bits, "dropped bits that make a row", "");
    for (size_t i = 0; i < b->n_rows * b->n_bits; i++)
        need((data[i / 8] >> (7 - i % 8) & 1) == bit(b, i / b->n_bits, i % b->n_bits),
             "another bit than in the bytes", "");
}

static bool check(const unsigned char *data, size_t n, const struct kl_bits_how *how)
{
    struct kl_bits bits;
    struct kl_error err = { 0 };
    struct fuzz_file file;
    fuzz_file_make(&file, data, n);
    const int code = kl_bits_read(&bits, file.path, how, &err);
    if (code) need_refusal(code, KL_EDATA, KL_EUSAGE, &err);
    if (!code) check_form(&bits);
    if (!code) (how->packed ? check_packed : data[0] == 0x93 ? check_array : check_text)(&bits, data, n);
    if (!code && how->packed && !how->max_rows)
        need(bits.n_rows * bits.n_bits + bits.n_dropped == 8 * n, "another number of bits", "");
    if (how->max_rows) need(code || bits.n_rows <= how->max_rows, "more rows than asked for", "");
    kl_bits_free(&bits);
    fuzz_file_free(&file);
    return code == 0;
}

bool fuzz(const unsigned char *data, size_t n)
{
    const struct kl_bits_how how = { 0 }, pairs = { .symbol_bits = 2 };
    struct kl_bits_how packed = { .packed = true, .row_bits = n ? data[0] : 1 };
    const bool read = check(data, n, &how);
    need(!check(data, n, &pairs) || read, "read as pairs alone", "");
    check(data, n, &packed);
    packed.max_rows = 1;
    check(data, n, &packed);
    return read;
}
