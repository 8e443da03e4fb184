/* SPDX-License-Identifier: MIT
   What draws a Toeplitz matrix: random bytes of every length are taken; zeros, texts, counters, inputs
   and what else has a form are refused. Thresholds: SciPy's binom.sf. */
#include "qrng/extractor/extractor.h"

#include <stdlib.h>
#include <string.h>

#include "../check.h"
#include "kernels/inline/philox.h"
#include "tests/unit/test_folder.h"

enum { MOST = 32768, N = 1000 };
static uint8_t bytes[MOST], seed[MOST];

static void draw(size_t n, uint32_t number)
{
    for (size_t i = 0; i < n; i += 16) {
        uint32_t words[4];
        kl_philox(words, 11, (uint32_t)(i / 16), number, 0, 0);
        memcpy(bytes + i, words, n - i < 16 ? n - i : 16);
    }
}

static void put(const char *path, size_t n)
{
    FILE *file = fopen(path, "wb");
    CHECK(file && fwrite(bytes, 1, n, file) == n, "%s", path);
    if (file) fclose(file);
}

/* The n bytes as a seed beside in.bin. NULL: they are taken. */
static void expect(size_t n, int code, const char *words)
{
    static const char *const inputs[] = { "none.txt", "in.bin" };
    struct kl_error err = { 0 };
    put("seed", n);
    const int found = kl_extractor_hash_seed_read(seed, n, "seed", inputs, 2, &err);
    CHECK(found == code && strcmp(err.text, words ? words : "") == 0, "%zu bytes: %d %s, expected %d %s",
          n, found, err.text, code, words ? words : "");
    if (!code) CHECK(memcmp(seed, bytes, n) == 0);
}

static void check_random(void)
{
    static const size_t sizes[] = { 9, 10, 16, 37, 64, 189, N, MOST };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (uint32_t number = 0; number < 100; number++)
            draw(sizes[i], number), expect(sizes[i], 0, NULL);
}

#define REMEDY ", expected random ones, independent of the devices (head -c 1000 /dev/random > FILE)"
static void refused(const char *words)
{
    char line[256];
    snprintf(line, sizeof line, "seed: --hash-seed: found %s" REMEDY, words);
    expect(N, KL_EDATA, line);
}

static void check_forms(void)
{
    memset(bytes, 0, N), refused("bytes that are all 0");
    memset(bytes, 255, N), refused("bytes that are all 255");
    for (size_t i = 0; i < N; i++) bytes[i] = "1\n"[i % 2];
    refused("2 bytes again and again");
    for (size_t i = 0; i < N; i++) bytes[i] = (uint8_t)i; /* all bytes, all bits alike */
    refused("256 bytes again and again");
    for (size_t i = 0; i < N; i++) bytes[i] = (uint8_t)(i / 4 >> 8 * (i % 4)); /* numbers of 32 bits */
    refused("the byte 0x00 751 times in 1000");
    draw(N, 0);
    for (size_t i = 0; i < N; i++) bytes[i] = (uint8_t) "0123456789abcdef"[bytes[i] % 16];
    expect(N, KL_EDATA,
           "seed: --hash-seed: found hexadecimal text, expected random bytes; convert it: xxd -r -p");
    draw(N, 0);
    for (size_t i = 0; i < N; i++) bytes[i] &= 127; /* any text of ASCII */
    refused("bytes whose bit 7 is 1 in 0 of 1000");
    draw(N, 0);
    for (size_t i = 0; i < N; i++) bytes[i] |= 1;
    refused("bytes whose bit 0 is 1 in 1000 of 1000");
}

/* 26 times the byte 7, and not one more, is random; so are 37 bytes without their highest bit. */
static void check_thresholds(void)
{
    size_t sevens = 0, i;
    draw(N, 3);
    for (i = 0; i < N; i++)
        if (bytes[i] == 7) bytes[i] = 8;
    for (i = 0; sevens < 26; i += 3) bytes[i] = 7, sevens++;
    expect(N, 0, NULL);
    bytes[i] = 7;
    refused("the byte 0x07 27 times in 1000");
    draw(64, 0);
    for (i = 0; i < 64; i++) bytes[i] &= 127;
    expect(37, 0, NULL);
    expect(
        38, KL_EDATA,
        "seed: --hash-seed: found bytes whose bit 7 is 1 in 0 of 38, expected random ones, independent "
        "of the devices (head -c 38 /dev/random > FILE)");
}

/* Each place of a byte is 1 in 538 of 1000, which random ones could be (607 could); of 8000 bits
   4304 could be, 4305 not. */
static void check_bits(void)
{
    size_t all = 0;
    draw(N, 4);
    for (int bit = 0; bit < 8; bit++) {
        size_t ones = 0;
        for (size_t i = 0; i < N; i++) ones += bytes[i] >> bit & 1;
        for (size_t i = 0; i < N && ones < 538; i++) {
            uint8_t *byte = &bytes[(i + 125 * (size_t)bit) % N]; /* not the same ones at each place */
            if (!(*byte >> bit & 1)) *byte = (uint8_t)(*byte | 1 << bit), ones++;
        }
        all += ones;
    }
    CHECK(all == 4304, "%zu ones", all);
    expect(N, 0, NULL);
    for (size_t i = 0; i < N && all == 4304; i++)
        if (!(bytes[i] & 1)) bytes[i] |= 1, all++;
    refused("bits of which 4305 of 8000 are 1");
}

static void check_inputs(void)
{
    static const char *const inputs[] = { "in.bin" };
    struct kl_error err = { 0 };
    draw(MOST, 5);
    put("in.bin", MOST);
    expect(N, KL_EUSAGE, "seed: --hash-seed: begins as in.bin; the seed must not depend on the bits");
    CHECK(kl_extractor_hash_seed_read(seed, N, "./in.bin", inputs, 1, &err) == KL_EUSAGE &&
              strcmp(err.text, "./in.bin: --hash-seed: is an input too; the seed must not depend on the "
                               "bits") == 0,
          "%s", err.text);
    bytes[N - 1] ^= 1;
    expect(N, 0, NULL);
    put("in.bin", N - 1); /* an input that is shorter */
    expect(N, 0, NULL);
}

int main(void)
{
    make_test_folder();
    if (chdir(test_folder)) abort();
    check_random();
    check_forms();
    check_thresholds();
    check_bits();
    check_inputs();
    return failures != 0;
}
