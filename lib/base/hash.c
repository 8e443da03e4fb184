/* SPDX-License-Identifier: MIT
   Identity is SHA-256 by libcrypto, which agrees with sha256sum and with torch's file names; damage is
   XXH3-128. */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>
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

/* ---- Conversions between float and binary16: the same bits with and without the instructions of F16C
   ---- */

static uint16_t half_of(float value)
{
    uint32_t x;
    memcpy(&x, &value, 4);
    const uint32_t sign = x >> 16 & 0x8000, magnitude = x & 0x7fffffff;
    if (magnitude > 0x7f800000) return (uint16_t)(sign | 0x7e00);  /* NaN */
    if (magnitude >= 0x477ff000) return (uint16_t)(sign | 0x7c00); /* 65520 and more round to infinity */
    if (magnitude <
        0x38800000) { /* below 2^-14: a multiple of 2^-24; the addition rounds to nearest even */
        float shifted, a;
        memcpy(&a, &magnitude, 4);
        shifted = a + 0.5f;
        uint32_t bits;
        memcpy(&bits, &shifted, 4);
        return (uint16_t)(sign | (bits - 0x3f000000));
    }
    const uint32_t odd = magnitude >> 13 & 1;
    return (uint16_t)(sign | ((magnitude - 0x38000000 + 0xfff + odd) >> 13));
}

size_t kl_half_from_float(uint16_t *half, const float *x, size_t n)
{
    size_t overflows = 0;
    for (size_t i = 0; i < n; i++) {
        half[i] = half_of(x[i]);
        overflows += (half[i] & 0x7fff) == 0x7c00;
    }
    return overflows;
}

static float float_of(uint16_t half)
{
    const uint32_t sign = (uint32_t)(half & 0x8000) << 16, rest = half & 0x7fff;
    uint32_t bits;
    float f;
    if (rest >= 0x7c00) { /* infinity, NaN */
        bits = sign | 0x7f800000 | (rest & 0x3ff) << 13;
    } else if (rest >= 0x400) {
        bits = sign | ((rest << 13) + 0x38000000);
    } else { /* zero and subnormal: rest * 2^-24, exact */
        f = (float)rest * 0x1p-24f;
        memcpy(&bits, &f, 4);
        bits |= sign;
    }
    memcpy(&f, &bits, 4);
    return f;
}

void kl_float_from_half(float *x, const uint16_t *half, size_t n)
{
    for (size_t i = 0; i < n; i++) x[i] = float_of(half[i]);
}
