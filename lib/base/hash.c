/* SPDX-License-Identifier: MIT
   Identity is SHA-256 by libcrypto, which agrees with sha256sum and with torch's file names; damage is
   XXH3-128. */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

int kl_sha256_begin(struct kl_sha256 *s, struct kl_error *err)
{
    s->state = EVP_MD_CTX_new();
    if (s->state && EVP_DigestInit_ex(s->state, EVP_sha256(), NULL) == 1) return KL_OK;
    EVP_MD_CTX_free(s->state);
    s->state = NULL;
    return kl_fail_memory(err, sizeof(void *));
}

void kl_sha256_add(struct kl_sha256 *s, const void *data, size_t n)
{
    if (n) EVP_DigestUpdate(s->state, data, n);
}

void kl_sha256_end(struct kl_sha256 *s, char hex[65])
{
    static const char digits[] = "0123456789abcdef";
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    EVP_DigestFinal_ex(s->state, digest, &size);
    for (unsigned int i = 0; hex && i < 32; i++) {
        hex[2 * i] = digits[digest[i] >> 4];
        hex[2 * i + 1] = digits[digest[i] & 15];
    }
    if (hex) hex[64] = '\0';
    EVP_MD_CTX_free(s->state);
    s->state = NULL;
}

int kl_sha256_hex(char hex[65], const void *data, size_t n, struct kl_error *err)
{
    struct kl_sha256 s;
    int code = kl_sha256_begin(&s, err);
    if (code) return code;
    kl_sha256_add(&s, data, n);
    kl_sha256_end(&s, hex);
    return KL_OK;
}

int kl_sha256_file(char hex[65], const char *path, struct kl_error *err)
{
    enum { CHUNK = 1 << 18 };
    struct kl_sha256 s = { 0 };
    unsigned char *buffer = NULL;
    int code = KL_OK;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return kl_fail_errno(err, KL_ENOINPUT, "%s", path);
    buffer = malloc(CHUNK);
    if (!buffer) {
        code = kl_fail_memory(err, CHUNK);
        goto out;
    }
    if ((code = kl_sha256_begin(&s, err))) goto out;
    for (;;) {
        ssize_t n = read(fd, buffer, CHUNK);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) code = kl_fail_errno(err, KL_EIO, "%s: cannot be read", path);
        if (n <= 0) break;
        kl_sha256_add(&s, buffer, (size_t)n);
    }
out:
    if (s.state) kl_sha256_end(&s, code ? NULL : hex);
    free(buffer);
    close(fd);
    return code;
}

void kl_xxh128(unsigned char digest[16], const void *data, size_t n)
{
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits(data, n));
    for (int i = 0; i < 16; i++) digest[i] = canonical.digest[i];
}

double kl_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
