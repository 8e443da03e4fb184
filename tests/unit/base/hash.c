/* SPDX-License-Identifier: MIT
   Digests against published values: SHA-256 of FIPS 180-4's examples; XXH3-128 of xxHash's sanity buffer
   (tests/sanity_test_vectors.h of xxHash 0.8.2, seed 0). */
#include <errno.h>

#include "base_test.h"

static const char ABC[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
static const char EMPTY[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
static const char MILLION_A[] = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";

static void sha256(void)
{
    struct kl_error err = { 0 };
    struct kl_sha256 s;
    char hex[65], *million = malloc(1000000);
    CHECK(kl_sha256_hex(hex, "abc", 3, &err) == 0 && strcmp(hex, ABC) == 0, "%s", hex);
    CHECK(kl_sha256_hex(hex, NULL, 0, &err) == 0 && strcmp(hex, EMPTY) == 0, "%s", hex);
    if (!million) exit(1);
    memset(million, 'a', 1000000);
    CHECK(kl_sha256_begin(&s, &err) == 0, "%s", err.text);
    for (size_t i = 0, n = 1; i < 1000000; i += n, n = n * 3 % 1009 + 1) {
        if (n > 1000000 - i) n = 1000000 - i;
        kl_sha256_add(&s, million + i, n);
    }
    kl_sha256_end(&s, hex);
    CHECK(strcmp(hex, MILLION_A) == 0, "in pieces: %s", hex);
    CHECK(kl_sha256_file(hex, test_file(million, 1000000), &err) == 0 && strcmp(hex, MILLION_A) == 0,
          "%s", hex);
    CHECK(kl_sha256_file(hex, test_file("", 0), &err) == 0 && strcmp(hex, EMPTY) == 0, "%s", hex);
    unlink(test_file("", 0));
    CHECK(kl_sha256_file(hex, "/nonexistent/file", &err) == KL_ENOINPUT, "code %d", err.code);
    CHECK(strstr(err.text, "/nonexistent/file") && strstr(err.text, strerror(ENOENT)), "%s", err.text);
    CHECK(kl_sha256_file(hex, "/", &err) == KL_EIO, "a folder cannot be read: code %d", err.code);
    free(million);
}

static void xxh128(void)
{
    static const struct {
        size_t n;
        const char *hex;
    } vectors[] = {
        { 0, "99aa06d3014798d86001c324468d497f" },  { 1, "a6cd5e9392000f6ac44bdff4074eecdb" },
        { 4, "970d585ac632bf8e2e7d8d6876a39fe9" },  { 16, "c68c368ecf8a9c05562980258a998629" },
        { 17, "955fa78643ed3669abbc12d11973d7db" }, { 32, "98fc6458710dc2e8278410a17595e3f9" },
    };
    unsigned char buffer[32], digest[16];
    uint64_t state = 2654435761u;
    for (int i = 0; i < 32; i++, state *= 11400714785074694797u)
        buffer[i] = (unsigned char)(state >> 56);
    for (size_t v = 0; v < sizeof vectors / sizeof *vectors; v++) {
        char hex[33];
        kl_xxh128(digest, buffer, vectors[v].n);
        for (int i = 0; i < 16; i++) snprintf(hex + 2 * i, 3, "%02x", digest[i]);
        CHECK(strcmp(hex, vectors[v].hex) == 0, "%zu bytes: found %s, expected %s", vectors[v].n, hex,
              vectors[v].hex);
    }
    kl_xxh128(digest, "abc", 3);
    CHECK(digest[0] == 0x06 && digest[1] == 0xb0 && digest[15] == 0x50, "abc: %02x %02x ... %02x",
          digest[0], digest[1], digest[15]);
}

int main(void)
{
    sha256();
    xxh128();
    double before = kl_clock();
    usleep(20000);
    double passed = kl_clock() - before;
    CHECK(passed >= 0.02 && passed < 5, "20 ms took %g s", passed);
    return failures != 0;
}
