/* SPDX-License-Identifier: MIT
   One strict reading of the archives that torch.save and numpy.savez write (PKWARE's APPNOTE, the part
   that they use). Lenient readers disagree about archives in which flags, local headers and the central
   directory contradict each other, and scanners have been evaded that way; here every byte of the file
   has one meaning or the file is refused. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "weights/weights_int.h"

enum {
    LOCAL = 30,
    CENTRAL = 46,
    END = 22,
    END64 = 56,
    LOCATOR = 20, /* bytes of the fixed parts */
    DESCRIPTOR = 0x8,
    UTF8 = 0x800, /* flags: sizes follow the data; names */
    MAX_MEMBERS = 20000,
    MAX_NAME = 512,
    MAX_EXTRA = 256,
    ZIP64_EXTRA = 20,
    DEFLATE_MOST = 1032, /* bytes that one byte of a deflated stream can stand for */
    MAX_INFLATED = 1 << 30
};

static uint32_t u16(const unsigned char *b)
{
    return (uint32_t)b[0] | (uint32_t)b[1] << 8;
}

static uint32_t u32(const unsigned char *b)
{
    return u16(b) | u16(b + 2) << 16;
}

static uint64_t u64(const unsigned char *b)
{
    return u32(b) | (uint64_t)u32(b + 4) << 32;
}

static int bad(const struct kl_bytes *f, struct kl_error *err, const char *why)
{
    return kl_fail(err, KL_EDATA, "%s: the archive is refused: %s", f->path, why);
}

/* End record, with the zip64 pair before it if there is one, which must repeat its numbers. */
static int read_end(size_t *n, size_t *directory, size_t *size, const struct kl_bytes *f,
                    struct kl_error *err)
{
    if (f->n < END || u32(f->data + f->n - END) != 0x06054b50)
        return bad(f, err, "it is truncated, or something follows its end record");
    const unsigned char *e = f->data + f->n - END;
    size_t end = f->n - END;
    *n = u16(e + 10);
    *size = u32(e + 12);
    *directory = u32(e + 16);
    if (u16(e + 4) || u16(e + 6) || u16(e + 8) != *n || u16(e + 20))
        return bad(f, err, "its end record tells of several disks or a comment");
    if (end >= LOCATOR && u32(f->data + end - LOCATOR) == 0x07064b50) {
        const unsigned char *l = f->data + end - LOCATOR;
        end -= LOCATOR;
        if (end < END64 || u32(l + 4) || u32(l + 16) != 1 || u64(l + 8) != end - END64)
            return bad(f, err, "its zip64 locator points elsewhere");
        end -= END64;
        const unsigned char *z = f->data + end;
        if (u32(z) != 0x06064b50 || u64(z + 4) != END64 - 12 || u32(z + 16) || u32(z + 20) ||
            u64(z + 24) != u64(z + 32))
            return bad(f, err, "its zip64 end record is not valid");
        if (u64(z + 32) != *n || u64(z + 40) != *size || u64(z + 48) != *directory)
            return bad(f, err, "its two end records differ");
    }
    if (*directory > end || *size != end - *directory)
        return bad(f, err, "its central directory does not end where the end record begins");
    if (*n == 0 || *n > MAX_MEMBERS) return bad(f, err, "it has no members, or too many");
    return 0;
}

/* The extra field may only be PyTorch's padding ("FB", which aligns the data). */
static bool extra_is_padding(const unsigned char *extra, size_t n)
{
    return n == 0 || (n >= 4 && extra[0] == 'F' && extra[1] == 'B' && u16(extra + 2) == n - 4);
}

static bool name_is_plain(const char *name, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)name[i] < 0x20 || (unsigned char)name[i] > 0x7e || name[i] == '\\' ||
            (name[i] == '.' && i + 1 < n && name[i + 1] == '.'))
            return false;
    return n > 0 && n < MAX_NAME && name[0] != '/' && name[n - 1] != '/';
}

/* Sizes that follow the data: signature, CRC, both sizes of 32 bits. */
static bool descriptor_agrees(const unsigned char *d, uint32_t crc, uint32_t packed, uint32_t size)
{
    return u32(d) == 0x08074b50 && u32(d + 4) == crc && u32(d + 8) == packed && u32(d + 12) == size;
}

/* NumPy announces 64-bit sizes in every local header, and fills them in. */
static bool extra_is_zip64(const unsigned char *extra, size_t n, uint32_t packed, uint32_t size)
{
    return n == ZIP64_EXTRA && u16(extra) == 1 && u16(extra + 2) == 16 && u64(extra + 4) == size &&
           u64(extra + 12) == packed;
}

/* The data of a deflated member, of exactly the size that it declares. */
static int inflate_member(struct kl_zip_member *m, struct kl_zip *zip, const unsigned char *packed,
                          uint32_t n, uint32_t size, const struct kl_bytes *f, struct kl_error *err)
{
    z_stream z = { .next_in = (Bytef *)packed, .avail_in = n };
    if (size / DEFLATE_MOST > n || size > MAX_INFLATED - zip->inflated)
        return bad(f, err, "a member would become larger than its data can, or than 1 GiB in all");
    zip->inflated += size;
    m->inflated = malloc(size ? size : 1);
    if (!m->inflated || inflateInit2(&z, -MAX_WBITS) != Z_OK) return kl_fail_memory(err, size);
    z.next_out = m->inflated;
    z.avail_out = size;
    const int rc = inflate(&z, Z_FINISH);
    const bool whole = rc == Z_STREAM_END && z.avail_in == 0 && z.avail_out == 0;
    inflateEnd(&z);
    m->data = m->inflated;
    if (rc == Z_MEM_ERROR) return kl_fail_memory(err, size);
    return whole ? 0 : bad(f, err, "a deflated member is damaged, or not as long as it declares");
}

/* An entry of the central directory. */
struct entry {
    const unsigned char *bytes;
    const char *name;
    size_t length; /* of the name */
    uint32_t flags, method, crc, packed, size;
};

static int check_entry(const struct entry *e, size_t at, enum kl_archive from, const struct kl_bytes *f,
                       struct kl_error *err)
{
    const unsigned char *c = e->bytes;
    if (from == KL_ARCHIVE_TORCH && e->method != 0)
        return bad(f, err,
                   "a member is compressed; torch.save stores them (TorchScript? save "
                   "torch.jit.load(FILE).state_dict() instead)");
    if (e->method != 0 && e->method != Z_DEFLATED)
        return bad(f, err, "a member is compressed in another way than by deflate");
    if (e->method == 0 && e->packed != e->size) return bad(f, err, "a stored member has two sizes");
    if (e->flags & ~(uint32_t)(DESCRIPTOR | UTF8))
        return bad(f, err, "a member has unusual flag bits (encryption, patches...)");
    if (!name_is_plain(e->name, e->length))
        return bad(f, err, "the name of a member is not a plain relative path");
    if (u16(c + 30) || u16(c + 32) || u16(c + 34) || e->size == UINT32_MAX || e->packed == UINT32_MAX)
        return bad(f, err, "a central entry has an extra field, a comment or another disk");
    return u32(c + 42) == at
               ? 0
               : bad(f, err, "members are not side by side: a gap, an overlap or another order");
}

/* The sizes in a local header: those of the entry, or zeros where they follow the data, or all bits set
   where a zip64 field has them (not before Python 3.11.4). */
static bool sizes_agree(const unsigned char *l, const struct entry *e, bool zip64)
{
    const uint32_t crc = u32(l + 14), packed = u32(l + 18), size = u32(l + 22);
    if ((e->flags & DESCRIPTOR) && !crc && !packed && !size) return true;
    if (zip64 && crc == e->crc && packed == UINT32_MAX && size == UINT32_MAX) return true;
    return crc == e->crc && packed == e->packed && size == e->size;
}

/* The member whose central entry is at c: compared with its local header, which must be at *at; *at
   moves past it. */
static int read_member(struct kl_zip_member *m, struct kl_zip *zip, size_t *at, const unsigned char *c,
                       size_t directory, enum kl_archive from, const struct kl_bytes *f,
                       struct kl_error *err)
{
    const struct entry e = { c,           (const char *)c + CENTRAL,
                             u16(c + 28), u16(c + 8),
                             u16(c + 10), u32(c + 16),
                             u32(c + 20), u32(c + 24) };
    char text[MAX_NAME + 80];
    int rc = check_entry(&e, *at, from, f, err);
    if (rc) return rc;
    if (directory - *at < LOCAL) return bad(f, err, "a member runs into the central directory");
    const unsigned char *l = f->data + *at, *extra = l + LOCAL + e.length;
    const size_t n_extra = u16(l + 28);
    const bool later = e.flags & DESCRIPTOR;
    const uint64_t need = (uint64_t)LOCAL + e.length + n_extra + e.packed + (later ? 16 : 0);
    if (need > directory - *at) return bad(f, err, "a member runs into the central directory");
    const bool zip64 =
        from == KL_ARCHIVE_NUMPY && extra_is_zip64(extra, n_extra, e.packed, e.size) && !later;
    if (u32(l) != 0x04034b50 || u16(l + 6) != e.flags || u16(l + 8) != e.method ||
        u16(l + 26) != e.length || memcmp(l + 4, c + 6, 2) != 0 || memcmp(l + 10, c + 12, 4) != 0 ||
        n_extra > MAX_EXTRA || !sizes_agree(l, &e, zip64))
        return bad(f, err, "a local header differs from its entry in the central directory");
    if (memcmp(l + LOCAL, e.name, e.length) != 0)
        return bad(f, err, "the name in a local header differs from the central directory's");
    if (!zip64 && !extra_is_padding(extra, n_extra))
        return bad(f, err, "a local header has an extra field that is not padding");
    m->data = extra + n_extra;
    m->n = e.size;
    if (later && !descriptor_agrees(m->data + e.packed, e.crc, e.packed, e.size))
        return bad(f, err, "the sizes after a member's data differ from the central directory's");
    if (e.method && (rc = inflate_member(m, zip, m->data, e.packed, e.size, f, err))) return rc;
    if (crc32_z(0, m->data, m->n) != e.crc) {
        snprintf(text, sizeof text, "member %.*s is damaged (CRC-32)", (int)e.length, e.name);
        return bad(f, err, text);
    }
    *at += need;
    return 0;
}

static int by_name(const void *a, const void *b)
{
    const struct kl_zip_member *const *x = a, *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

/* Members in the order of their names, of which each may occur once. A pickle may ask for one a hundred
   thousand times. */
static int sort_members(struct kl_zip *zip, const struct kl_bytes *f, struct kl_error *err)
{
    zip->sorted = malloc(zip->n * sizeof *zip->sorted);
    if (!zip->sorted) return kl_fail_memory(err, zip->n * sizeof *zip->sorted);
    for (size_t i = 0; i < zip->n; i++) zip->sorted[i] = &zip->members[i];
    qsort(zip->sorted, zip->n, sizeof *zip->sorted, by_name);
    for (size_t i = 1; i < zip->n; i++)
        if (by_name(&zip->sorted[i - 1], &zip->sorted[i]) == 0)
            return bad(f, err, "two members have one name");
    return 0;
}

int kl_weights_zip_open(struct kl_zip *zip, const struct kl_bytes *file, enum kl_archive from,
                        struct kl_error *err)
{
    size_t n = 0, directory = 0, size = 0, at = 0, entry = 0;
    *zip = (struct kl_zip){ 0 };
    int rc = read_end(&n, &directory, &size, file, err);
    if (rc) return rc;
    if (!(zip->members = calloc(n, sizeof *zip->members)))
        return kl_fail_memory(err, n * sizeof *zip->members);
    for (size_t i = 0; i < n; i++) {
        const unsigned char *c = file->data + directory + entry;
        if (size - entry < CENTRAL || u32(c) != 0x02014b50 || size - entry - CENTRAL < u16(c + 28)) {
            rc = bad(file, err, "its central directory is not valid");
            goto out;
        }
        char *name = calloc(1, u16(c + 28) + 1u);
        if (!name) {
            rc = kl_fail_memory(err, u16(c + 28) + 1u);
            goto out;
        }
        memcpy(name, c + CENTRAL, u16(c + 28));
        zip->members[i].name = name;
        zip->n = i + 1;
        if ((rc = read_member(&zip->members[i], zip, &at, c, directory, from, file, err))) goto out;
        entry += CENTRAL + u16(c + 28);
    }
    if (entry != size || at != directory)
        rc = bad(file, err,
                 "there is something between its members and its directory, or after the last entry");
    else rc = sort_members(zip, file, err);
out:
    if (rc) kl_weights_zip_close(zip);
    return rc;
}

const struct kl_zip_member *kl_weights_zip_find(const struct kl_zip *zip, const char *name)
{
    const struct kl_zip_member wanted = { .name = name }, *key = &wanted,
                               **found =
                                   bsearch(&key, zip->sorted, zip->n, sizeof *zip->sorted, by_name);
    return found ? *found : NULL;
}

void kl_weights_zip_close(struct kl_zip *zip)
{
    for (size_t i = 0; i < zip->n; i++) {
        free((char *)zip->members[i].name);
        free(zip->members[i].inflated);
    }
    free(zip->members);
    free(zip->sorted);
    *zip = (struct kl_zip){ 0 };
}
