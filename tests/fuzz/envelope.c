/* SPDX-License-Identifier: MIT
   Any bytes as a finished file. As they are, opening refuses them unless every block of data has its
   digest. And as a long file told in short, the superblock (48 bytes) and what stands behind HDF5's end,
   with zeros between and the digest put right: the envelope is whole exactly if docs/files.md says so,
   which here is worked out a second time. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "store/store_int.h"
#include "tests/fuzz/frame/fuzz.h"

const int fuzz_corpus = 15;
enum { HEAD = 48, FOOT = 48, DIGEST = 16, LARGE = 65536, MOST = 1 << 20 };

static uint64_t little(const unsigned char *b, int n)
{
    uint64_t x = 0;
    for (int i = 0; i < n; i++) x |= (uint64_t)b[i] << (8 * i);
    return x;
}

/* Opened, listed, read, verified: whole, or refused somewhere. */
static bool is_whole(const unsigned char *data, size_t n)
{
    struct kl_file *f;
    struct kl_error err = { 0 };
    struct fuzz_file file;
    fuzz_file_make(&file, data, n);
    int code = kl_store_file_open_fd(&f, dup(file.fd), "x", &err);
    for (size_t i = 0; !code && i < kl_store_file_n_datasets(f); i++) {
        void *values = NULL;
        code = kl_store_file_load(&values, f, kl_store_file_dataset(f, i), &err);
        free(values);
    }
    if (!code) code = kl_store_file_verify(f, NULL, &err);
    if (code) need_refusal(code, KL_EDATA, KL_EDATA, &err);
    kl_store_file_close(&f);
    fuzz_file_free(&file);
    return code == 0;
}

/* The whole file has size bytes, HDF5's part eof of them. */
static bool should_be_whole(const unsigned char *file, uint64_t size, uint64_t eof)
{
    const unsigned char *foot = file + size - FOOT, *list = file + eof;
    const uint64_t n = little(foot + 12, 4);
    uint64_t at = HEAD;
    if (memcmp(file, "\x89HDF\r\n\x1a\n", 8) != 0 || file[8] < 2 || file[8] > 3 || file[9] != 8 ||
        file[10] != 8 || little(file + 12, 8) != 0)
        return false;
    if (memcmp(foot, "KETLSEAL", 8) != 0 || little(foot + 8, 4) != 1 || little(foot + 16, 8) != eof ||
        little(foot + 24, 8) != size || size - eof != 16 * n + FOOT)
        return false;
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t offset = little(list + 16 * i, 8), length = little(list + 16 * i + 8, 8);
        if (offset < at || offset > eof || length < LARGE || length > eof - offset) return false;
        at = offset + length;
    }
    return true;
}

static void put_digest(unsigned char *file, uint64_t size, uint64_t eof)
{
    XXH3_state_t *state = XXH3_createState();
    const uint64_t n = little(file + size - FOOT + 12, 4);
    uint64_t at = 0;
    XXH3_128bits_reset(state);
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t offset = little(file + eof + 16 * i, 8);
        XXH3_128bits_update(state, file + at, offset - at);
        at = offset + little(file + eof + 16 * i + 8, 8);
    }
    XXH3_128bits_update(state, file + at, size - DIGEST - at);
    XXH128_canonicalFromHash((XXH128_canonical_t *)(file + size - DIGEST), XXH3_128bits_digest(state));
    XXH3_freeState(state);
}

static bool check_envelope(const unsigned char *data, size_t n)
{
    const uint64_t eof = n >= HEAD + FOOT ? little(data + 28, 8) : 0;
    if (eof < HEAD || eof > MOST) return false;
    const size_t size = eof + n - HEAD;
    struct kl_envelope envelope = { 0 };
    struct kl_error err = { 0 };
    struct fuzz_file file;
    unsigned char *bytes = calloc(1, size);
    need(bytes != NULL, "no memory", "");
    memcpy(bytes, data, HEAD);
    memcpy(bytes + eof, data + HEAD, n - HEAD);
    const bool expected = should_be_whole(bytes, size, eof);
    if (expected) put_digest(bytes, size, eof);
    fuzz_file_make(&file, bytes, size);
    const int code = kl_store_envelope_check(&envelope, file.fd, "x", &err);
    if (code) need_refusal(code, KL_EDATA, KL_EDATA, &err);
    need(expected == !code, "not as the format says", err.text);
    free(envelope.extents);
    fuzz_file_free(&file);
    free(bytes);
    return code == 0;
}

bool fuzz(const unsigned char *data, size_t n)
{
    const bool whole = is_whole(data, n), envelope = check_envelope(data, n);
    return whole || envelope;
}
