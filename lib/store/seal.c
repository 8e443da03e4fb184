/* SPDX-License-Identifier: MIT
   The seal, a record after HDF5's end of file over every byte outside the large datasets, and the end of
   writing: digests, content, metadata, seal, and a reader's look at the result before it has a name. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "store/store_int.h"

/* ---- the seal ----
   A reader checks it before HDF5's parser sees a byte: that can hang or crash on damaged metadata. */

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

/* ---- the end of writing ---- */
static int complete(const struct kl_writer *w, struct kl_error *err)
{
    for (size_t i = 0; i < w->n; i++) {
        const struct kl_entry *e = w->entries[i];
        if (e->n_written != e->stored.dataset.rows)
            return kl_fail(err, KL_EINTERNAL, "%s: dataset %s: %zu of %zu rows were written",
                           w->temporary.target, e->stored.dataset.name, e->n_written,
                           e->stored.dataset.rows);
    }
    return 0;
}

/* Digests of blocks that came in pieces, read back from the temporary or from memory. */
static int digest_rest(struct kl_writer *w, struct kl_entry *e, struct kl_error *err)
{
    struct kl_stored *s = &e->stored;
    const struct kl_dataset *d = &s->dataset;
    size_t per = kl_store_block_rows(d->row_size);
    char *block = NULL;
    int rc = 0;
    for (size_t b = 0; b < s->n_blocks && !rc; b++) {
        size_t n = kl_store_block_span(d->rows, d->row_size, b) * d->row_size,
               from = b * per * d->row_size;
        if (s->checked[b]) continue;
        if (e->placed && !block && !(block = malloc(per * d->row_size)))
            return kl_fail_memory(err, per * d->row_size);
        if (e->placed)
            rc = kl_store_pread_all(w->temporary.fd, block, n, d->offset + from, w->temporary.target,
                                    err);
        if (!rc) kl_xxh128(s->digests + 16 * b, e->placed ? (void *)block : e->memory + from, n);
        s->checked[b] = 1;
    }
    free(block);
    return rc;
}

static int by_name(const void *x, const void *y)
{
    const struct kl_stored *const *a = x, *const *b = y;
    return strcmp((*a)->dataset.name, (*b)->dataset.name);
}

/* Data that HDF5 has given a place in the skeleton and pwrite has still to fill in. */
struct late {
    uint64_t offset;
    const void *data;
    size_t n;
};

/* order[0..n): all datasets by name. Creates the small ones, all digests, provenance and attributes. */
static int create_rest(struct kl_writer *w, struct kl_stored **order, struct late *late, size_t *n_late,
                       struct kl_error *err)
{
    char sum[33];
    int rc = 0;
    for (size_t i = 0; i < w->n && !rc; i++) {
        struct kl_entry *e = (struct kl_entry *)order[i];
        struct kl_dataset *d = &order[i]->dataset;
        if (e->placed) continue;
        rc = kl_store_h5_dataset(w->h5, d, err);
        late[(*n_late)++] = (struct late){ d->offset, e->memory, d->rows * d->row_size };
    }
    for (size_t i = 0; i < w->n && !rc; i++) {
        size_t n = order[i]->n_blocks;
        struct kl_dataset g = {
            .type = KL_TYPE_U8, .item_size = 1, .rank = 2, .dims = { n, 16 }, .rows = n, .row_size = 16
        };
        snprintf(g.name, sizeof g.name, "digests/%.119s", order[i]->dataset.name);
        rc = kl_store_h5_dataset(w->h5, &g, err);
        kl_store_hex(sum, order[i]->row_sum, 16);
        if (!rc) rc = kl_store_writer_text(w, g.name, "row_sum", sum, err);
        late[(*n_late)++] = (struct late){ g.offset, order[i]->digests, 16 * n };
    }
    if (!rc && w->provenance && *w->provenance) {
        struct kl_dataset p = { .name = "provenance",
                                .type = KL_TYPE_STRING,
                                .item_size = strlen(w->provenance),
                                .dims = { 1 },
                                .rows = 1,
                                .row_size = strlen(w->provenance) };
        rc = kl_store_h5_dataset(w->h5, &p, err);
        late[(*n_late)++] = (struct late){ p.offset, w->provenance, p.row_size };
    }
    kl_store_attributes_sort(&w->attributes);
    if (!rc) rc = kl_store_h5_attributes(w->h5, &w->attributes, err);
    return rc ? rc : kl_store_h5_scales(w->h5, order, w->n, &w->attributes, err);
}

/* [from, to) of the skeleton, all that HDF5 wrote there and the late data. */
static int copy_range(const struct kl_writer *w, uint64_t from, uint64_t to, char *buffer, size_t room,
                      struct kl_error *err)
{
    int rc = 0;
    while (from < to && !rc) {
        size_t n = to - from < room ? (size_t)(to - from) : room;
        rc = kl_store_pread_all(w->memory_fd, buffer, n, from, "the skeleton in memory", err);
        if (!rc) rc = kl_store_pwrite_all(w->temporary.fd, buffer, n, from, w->temporary.target, err);
        from += n;
    }
    return rc;
}

/* Everything outside of the datasets that already lie in the temporary. order: by offset. */
static int copy_skeleton(const struct kl_writer *w, const struct kl_extent *placed, size_t n,
                         uint64_t eof, struct kl_error *err)
{
    enum { ROOM = 1 << 16 };
    uint64_t at = 0;
    int rc = 0;
    char *buffer = malloc(ROOM);
    if (!buffer) return kl_fail_memory(err, ROOM);
    for (size_t i = 0; i < n && !rc; i++) {
        rc = copy_range(w, at, placed[i].offset, buffer, ROOM, err);
        at = placed[i].offset + placed[i].length;
    }
    if (!rc) rc = copy_range(w, at, eof, buffer, ROOM, err);
    free(buffer);
    return rc;
}

/* Large datasets: the placed ones, or all. */
static size_t list_extents(struct kl_extent *extents, const struct kl_writer *w, bool placed_only)
{
    size_t n = 0;
    for (size_t i = 0; i < w->n; i++) {
        const struct kl_dataset *d = &w->entries[i]->stored.dataset;
        uint64_t bytes = (uint64_t)d->rows * d->row_size;
        if (placed_only ? w->entries[i]->placed : bytes >= KL_LARGE_BYTES)
            extents[n++] = (struct kl_extent){ d->offset, bytes };
    }
    if (n) qsort(extents, n, sizeof *extents, by_offset);
    return n;
}

/* Close HDF5's part and bring metadata, small datasets and seal to the temporary. */
static int assemble(struct kl_writer *w, const struct late *late, size_t n_late, struct kl_error *err)
{
    int rc = kl_store_h5_close(&w->h5, &w->h5_problem, err);
    if (rc) return rc;
    errno = 0;
    const uint64_t eof = kl_store_superblock_eof(w->memory_fd);
    if (!eof && errno) return kl_fail_errno(err, KL_EIO, "reading a file's metadata from memory failed");
    if (!eof) return kl_fail(err, KL_EINTERNAL, "HDF5 wrote a superblock of another version");
    struct kl_extent *extents = malloc((w->n + 1) * sizeof *extents);
    if (!extents) return kl_fail_memory(err, w->n * sizeof *extents);
    for (size_t i = 0; i < n_late && !rc; i++)
        rc = kl_store_pwrite_all(w->memory_fd, late[i].data, late[i].n, late[i].offset,
                                 "the skeleton in memory", err);
    size_t n = list_extents(extents, w, true);
    if (!rc && ftruncate(w->temporary.fd, (off_t)eof))
        rc = kl_fail_errno(err, KL_EIO, "%s: setting its size to %llu bytes failed", w->temporary.target,
                           (unsigned long long)eof);
    if (!rc) rc = copy_skeleton(w, extents, n, eof, err);
    n = list_extents(extents, w, false);
    if (!rc) rc = kl_store_envelope_write(w->temporary.fd, w->temporary.target, eof, extents, n, err);
    free(extents);
    return rc;
}

/* Read it as anybody would: envelope, HDF5, every block, content. */
static int read_back(const struct kl_writer *w, const char *content, struct kl_error *err)
{
    struct kl_file *file = NULL;
    int fd = fcntl(w->temporary.fd, F_DUPFD_CLOEXEC, 3);
    if (fd < 0) return kl_fail_errno(err, KL_EIO, "%s: reopening failed", w->temporary.target);
    int rc = kl_store_file_open_fd(&file, fd, w->temporary.target, err);
    if (!rc) rc = kl_store_file_verify(file, NULL, err);
    if (!rc && strcmp(kl_store_file_content(file), content))
        rc = kl_fail(err, KL_EIO, "%s: read back with another content than was written",
                     w->temporary.target);
    kl_store_file_close(&file);
    return rc == KL_EDATA ? KL_EIO : rc; /* the disk, not an input, is at fault */
}

int kl_store_writer_seal(struct kl_writer *w, char content[65], struct kl_error *err)
{
    size_t n_late = 0;
    struct kl_stored **order = malloc((w->n + 1) * sizeof *order);
    struct late *late = malloc((2 * w->n + 1) * sizeof *late);
    int rc = order && late ? 0 : kl_fail_memory(err, w->n * sizeof *late);
    if (!rc) rc = kl_store_writer_freeze(w, err);
    if (!rc) rc = complete(w, err);
    for (size_t i = 0; i < w->n && !rc; i++) {
        order[i] = &w->entries[i]->stored;
        rc = digest_rest(w, w->entries[i], err);
    }
    if (rc) goto out;
    if (w->n) qsort(order, w->n, sizeof *order, by_name);
    kl_store_attributes_sort(&w->attributes);
    rc = kl_store_content_digest(content, order, w->n, &w->attributes, err);
    if (!rc) rc = kl_store_writer_text(w, "", "content", content, err);
    if (!rc) rc = create_rest(w, order, late, &n_late, err);
    if (!rc) rc = assemble(w, late, n_late, err);
    if (!rc) rc = read_back(w, content, err);
out:
    free(order);
    free(late);
    return rc;
}
