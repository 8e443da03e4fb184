/* SPDX-License-Identifier: MIT
   Any bytes as bits of random-number devices: text or .npy by their first bytes; as packed bytes, and as
   symbols, hexadecimal and base64 text, whose rows have as many bits as the first byte says. What is
   read, written out again, is the file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qrng/bits/bits.h"
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

/* "0101 2" a line, as text, whose end is LF or CR LF; the last line's may lack. */
static void check_text(const struct kl_bits *b, const unsigned char *data, size_t n)
{
    size_t at = n >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
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
        if (at + 1 < n && data[at] == '\r') at++;
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

/* The next bits of a text: a value and how many, or 0 at its end. */
static int decode(unsigned *value, const char *encoding, int width, const unsigned char *data, size_t n,
                  size_t *at)
{
    static const char *const digits = "0123456789abcdef0123456789ABCDEF",
                             *const base64 =
                                 "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const bool hex = encoding[0] == 'h';
    while (encoding[0] != 's' && *at < n && memchr(" \t\r\n", data[*at], 4)) ++*at;
    if (*at == n || (encoding[0] == 'b' && data[*at] == '=')) return 0;
    const unsigned char c = data[(*at)++];
    const char *found = encoding[0] != 's' && c ? strchr(hex ? digits : base64, c) : NULL;
    need(encoding[0] == 's' ? c < 1 << width : found != NULL, "what is none of its characters",
         encoding);
    *value = encoding[0] == 's' ? c : hex ? (unsigned)(found - digits) % 16 : (unsigned)(found - base64);
    return encoding[0] == 's' ? width : hex ? 4 : 6;
}

static void check_encoded(const struct kl_bits *b, const unsigned char *data, size_t n,
                          const struct kl_bits_how *how)
{
    size_t at = 0, bits = 0;
    unsigned value = 0;
    /* with max_rows what comes after these is not read */
    for (int width; (!how->max_rows || bits < b->n_rows * b->n_bits) &&
                    (width = decode(&value, how->encoding, how->symbol_bits, data, n, &at));)
        for (int j = width; j--; bits++)
            if (bits < b->n_rows * b->n_bits)
                need((int)(value >> j & 1) == bit(b, bits / b->n_bits, bits % b->n_bits),
                     "another bit than in the text", how->encoding);
    if (how->encoding[0] == 'b') bits -= bits % 8;
    need(how->max_rows || b->n_rows * b->n_bits + b->n_dropped == bits, "another number of bits",
         how->encoding);
}

static bool check(const unsigned char *data, size_t n, const struct kl_bits_how *how)
{
    struct kl_bits bits;
    struct kl_error err = { 0 };
    struct fuzz_file file;
    fuzz_file_make(&file, data, n);
    const int code = kl_bits_read_files(&bits, (const char *[]){ file.path }, 1, how, &err);
    if (code) need_refusal(code, KL_EDATA, KL_EUSAGE, &err);
    if (!code) check_form(&bits);
    if (!code && how->encoding) check_encoded(&bits, data, n, how);
    else if (!code)
        (how->packed ? check_packed : data[0] == 0x93 ? check_array : check_text)(&bits, data, n);
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
    struct kl_bits_how encoded = { .symbol_bits = n ? data[0] % 8 + 1 : 1, .row_bits = n ? data[0] : 1 };
    encoded.encoding = "symbols";
    check(data, n, &encoded);
    encoded.symbol_bits = 0;
    encoded.encoding = "hex";
    check(data, n, &encoded);
    encoded.encoding = "base64";
    check(data, n, &encoded);
    encoded.max_rows = 1;
    check(data, n, &encoded);
    return read;
}
