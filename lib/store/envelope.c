/* SPDX-License-Identifier: MIT
   The seal: a record after HDF5's end of file, over every byte outside the large datasets. A reader
   checks it before HDF5's parser sees a byte, because that parser can hang or crash on damaged metadata.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

#include "store/store_int.h"

static const unsigned char hdf5_signature[8] = { 0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n' };
static const char seal_magic[8] = { 'K', 'E', 'T', 'L', 'S', 'E', 'A', 'L' };
enum { SUPERBLOCK_BYTES = 48, SEAL_VERSION = 1, CHUNK = 1 << 18 };

/* 48 bytes, little-endian, no padding. */
struct seal {
    char magic[8];
    uint32_t version, n_extents;
    uint64_t eof, size;
    unsigned char digest[16];
};
_Static_assert(sizeof(struct seal) == KL_SEAL_BYTES && offsetof(struct seal, digest) == 32,
               "layout of the footer");

static uint64_t superblock_eof(const unsigned char *b)
{
    uint64_t base, eof;
    if (memcmp(b, hdf5_signature, 8) || (b[8] != 2 && b[8] != 3) || b[9] != 8 || b[10] != 8) return 0;
    memcpy(&base, b + 12, 8);
    memcpy(&eof, b + 28, 8);
    return base == 0 && eof >= SUPERBLOCK_BYTES && eof < (uint64_t)INT64_MAX ? eof : 0;
}

uint64_t kl_store_superblock_eof(int fd)
{
    unsigned char b[SUPERBLOCK_BYTES];
    return kl_store_pread_all(fd, b, sizeof b, 0, "", NULL) ? 0 : superblock_eof(b);
}

static int digest_range(XXH3_state_t *state, int fd, uint64_t from, uint64_t to, char *buffer,
                        const char *path, struct kl_error *err)
{
    while (from < to) {
        size_t n = to - from < CHUNK ? (size_t)(to - from) : CHUNK;
        int rc = kl_store_pread_all(fd, buffer, n, from, path, err);
        if (rc) return rc;
        XXH3_128bits_update(state, buffer, n);
        from += n;
    }
    return 0;
}

/* Digest of the bytes of [0, eof) outside the extents, then of the list, then of the footer's first 32
   bytes. */
static int seal_digest(unsigned char digest[16], int fd, const char *path,
                       const struct kl_extent *extents, const struct seal *seal, struct kl_error *err)
{
    int rc = 0;
    uint64_t at = 0;
    XXH3_state_t *state = XXH3_createState();
    char *buffer = malloc(CHUNK);
    if (!state || !buffer) {
        rc = kl_fail_memory(err, CHUNK);
        goto out;
    }
    XXH3_128bits_reset(state);
    for (uint32_t i = 0; i < seal->n_extents && !rc; i++) {
        rc = digest_range(state, fd, at, extents[i].offset, buffer, path, err);
        at = extents[i].offset + extents[i].length;
    }
    if (!rc) rc = digest_range(state, fd, at, seal->eof, buffer, path, err);
    if (rc) goto out;
    XXH3_128bits_update(state, extents, seal->n_extents * sizeof *extents);
    XXH3_128bits_update(state, seal, offsetof(struct seal, digest));
    XXH128_canonicalFromHash((XXH128_canonical_t *)digest, XXH3_128bits_digest(state));
out:
    free(buffer);
    XXH3_freeState(state);
    return rc;
}

static int by_offset(const void *x, const void *y)
{
    const struct kl_extent *a = x, *b = y;
    return (a->offset > b->offset) - (a->offset < b->offset);
}

int kl_store_envelope_write(int fd, const char *path, uint64_t eof, struct kl_extent *extents, size_t n,
                            struct kl_error *err)
{
    struct seal seal = { .version = SEAL_VERSION, .n_extents = (uint32_t)n, .eof = eof };
    memcpy(seal.magic, seal_magic, sizeof seal.magic);
    seal.size = eof + n * sizeof *extents + sizeof seal;
    if (n) qsort(extents, n, sizeof *extents, by_offset);
    int rc = seal_digest(seal.digest, fd, path, extents, &seal, err);
    if (!rc && n) rc = kl_store_pwrite_all(fd, extents, n * sizeof *extents, eof, path, err);
    if (!rc) rc = kl_store_pwrite_all(fd, &seal, sizeof seal, eof + n * sizeof *extents, path, err);
    return rc;
}

/* Extents lie within [superblock, eof), in order, apart, and are large. */
static bool extents_fit(const struct kl_extent *extents, size_t n, uint64_t eof)
{
    uint64_t at = SUPERBLOCK_BYTES;
    for (size_t i = 0; i < n; i++) {
        if (extents[i].offset < at || extents[i].offset > eof || extents[i].length < KL_LARGE_BYTES ||
            extents[i].length > eof - extents[i].offset)
            return false;
        at = extents[i].offset + extents[i].length;
    }
    return true;
}

/* The footer, with all that can be said of a file without one. */
static int read_seal(struct seal *seal, int fd, const char *path, uint64_t size, struct kl_error *err)
{
    unsigned char head[KL_STAND_IN];
    const size_t n = size < KL_STAND_IN ? (size_t)size : KL_STAND_IN;
    if (size == 0) return kl_fail(err, KL_EDATA, "%s: is empty; make it again", path);
    int rc = kl_store_pread_all(fd, head, n, 0, path, err);
    if (!rc) rc = kl_no_stand_in(head, n, path, err);
    if (rc) return rc;
    if (size < SUPERBLOCK_BYTES + sizeof *seal)
        return kl_fail(err, KL_EDATA, "%s: not a ketline file: only %llu bytes", path,
                       (unsigned long long)size);
    if ((rc = kl_store_pread_all(fd, seal, sizeof *seal, size - sizeof *seal, path, err))) return rc;
    if (memcmp(head, hdf5_signature, 8))
        return kl_fail(err, KL_EDATA, "%s: not an HDF5 file (its first eight bytes are others)", path);
    uint64_t eof = superblock_eof(head);
    if (memcmp(seal->magic, seal_magic, 8)) {
        if (eof > size)
            return kl_fail(err, KL_EDATA,
                           "%s: cut short: %llu bytes of at least %llu; copy or make it again", path,
                           (unsigned long long)size, (unsigned long long)eof);
        return kl_fail(err, KL_EDATA,
                       "%s: has no closing record: it was not written by ketline, or it was cut or "
                       "changed afterwards (%llu bytes); make it again",
                       path, (unsigned long long)size);
    }
    if (seal->version != SEAL_VERSION)
        return kl_fail(err, KL_EDATA,
                       "%s: closing record of version %u, this is ketline %s, which reads %d", path,
                       seal->version, KL_VERSION, SEAL_VERSION);
    uint64_t list = (uint64_t)seal->n_extents * sizeof(struct kl_extent);
    if (eof == 0 || seal->eof != eof || seal->size != size || eof > size ||
        size - eof != list + sizeof *seal)
        return kl_fail(err, KL_EDATA,
                       "%s: %llu bytes where the closing record says %llu: damaged or changed; make it "
                       "again",
                       path, (unsigned long long)size, (unsigned long long)seal->size);
    return 0;
}

int kl_store_envelope_check(struct kl_envelope *envelope, int fd, const char *path, struct kl_error *err)
{
    struct stat s;
    struct seal seal;
    unsigned char digest[16];
    struct kl_extent *extents = NULL;
    if (fstat(fd, &s)) return kl_fail_errno(err, KL_EIO, "%s: fstat failed", path);
    int rc = read_seal(&seal, fd, path, (uint64_t)s.st_size, err);
    if (rc) return rc;
    size_t bytes = seal.n_extents * sizeof *extents;
    extents = malloc(bytes ? bytes : 1);
    if (!extents) return kl_fail_memory(err, bytes);
    rc = kl_store_pread_all(fd, extents, bytes, seal.eof, path, err);
    if (!rc && !extents_fit(extents, seal.n_extents, seal.eof))
        rc = kl_fail(err, KL_EDATA, "%s: its list of large datasets is damaged; make it again", path);
    if (!rc) rc = seal_digest(digest, fd, path, extents, &seal, err);
    if (!rc && memcmp(digest, seal.digest, 16))
        rc = kl_fail(err, KL_EDATA,
                     "%s: damaged: its metadata have another digest than when it was published; make "
                     "it again",
                     path);
    if (rc) {
        free(extents);
        return rc;
    }
    *envelope = (struct kl_envelope){
        .eof = seal.eof, .size = seal.size, .extents = extents, .n = seal.n_extents
    };
    return 0;
}
