/* SPDX-License-Identifier: MIT
   Rows of a dataset, by pread or as mapped memory. Every block is checked against its digest the first
   time that it is touched. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/store_int.h"

/* ---- by pread ---- */
static int damaged(const struct kl_file *f, const struct kl_stored *s, size_t b, struct kl_error *err)
{
    size_t per = kl_store_block_rows(s->dataset.row_size), first = b * per;
    return kl_fail(err, KL_EDATA,
                   "%s: dataset %s: block %zu (rows %zu to %zu) is damaged: other digest than when it "
                   "was published; make it again",
                   f->path, s->dataset.name, b, first,
                   first + kl_store_block_span(s->dataset.rows, s->dataset.row_size, b) - 1);
}

/* Block b, whose bytes are data, against its digest; then it counts as checked. KL_EDATA. */
static int block_check(const struct kl_file *f, struct kl_stored *s, size_t b, const void *data,
                       struct kl_error *err)
{
    unsigned char digest[16];
    size_t n = kl_store_block_span(s->dataset.rows, s->dataset.row_size, b) * s->dataset.row_size;
    kl_xxh128(digest, data, n);
    if (memcmp(digest, s->digests + 16 * b, 16)) return damaged(f, s, b, err);
    __atomic_store_n(&s->checked[b], 1, __ATOMIC_RELAXED);
    return 0;
}

/* Rows [from, from + n) of block b, whose first row is `first`. */
static int read_in_block(struct kl_file *f, struct kl_stored *s, size_t b, size_t first, size_t from,
                         size_t n, void *out, struct kl_error *err)
{
    const struct kl_dataset *d = &s->dataset;
    size_t span = kl_store_block_span(d->rows, d->row_size, b);
    bool checked = __atomic_load_n(&s->checked[b], __ATOMIC_RELAXED);
    if (checked || n == span) {
        int rc = kl_store_pread_all(f->fd, out, n * d->row_size, d->offset + from * d->row_size, f->path,
                                    err);
        return rc || checked ? rc : block_check(f, s, b, out, err);
    }
    char *whole = malloc(span * d->row_size);
    if (!whole) return kl_fail_memory(err, span * d->row_size);
    int rc = kl_store_pread_all(f->fd, whole, span * d->row_size, d->offset + first * d->row_size,
                                f->path, err);
    if (!rc) rc = block_check(f, s, b, whole, err);
    if (!rc) memcpy(out, whole + (from - first) * d->row_size, n * d->row_size);
    free(whole);
    return rc;
}

int kl_store_file_rows(struct kl_file *file, const struct kl_dataset *dataset, size_t row, size_t n,
                       void *out, struct kl_error *err)
{
    struct kl_stored *s = file->stored[dataset->id];
    const struct kl_dataset *d = &s->dataset;
    size_t per = kl_store_block_rows(d->row_size), end = row + n;
    if (row > d->rows || n > d->rows - row)
        return kl_fail(err, KL_EINTERNAL, "%s: dataset %s: rows %zu to %zu of %zu asked for", file->path,
                       d->name, row, end, d->rows);
    if (d->row_size == 0) return 0;
    for (char *to = out; row < end;) {
        size_t b = row / per, first = b * per, last = first + per < end ? first + per : end;
        int rc = read_in_block(file, s, b, first, row, last - row, to, err);
        if (rc) return rc;
        to += (last - row) * d->row_size;
        row = last;
    }
    return 0;
}

/* 64-byte aligned; large ones on 2 MiB pages where the system has them, because first touches of small
   pages cost several times the reading. */
static void *load_memory(size_t bytes)
{
    enum { HUGE_PAGE = 2 << 20 };
    size_t align = bytes >= 2 * HUGE_PAGE ? HUGE_PAGE : 64;
    void *memory = NULL;
    if (bytes > SIZE_MAX - HUGE_PAGE || posix_memalign(&memory, align, (bytes | (align - 1)) + 1))
        return NULL;
    if (align == HUGE_PAGE)
        madvise(memory, (bytes | (align - 1)) + 1, MADV_HUGEPAGE); /* advice: a refusal costs nothing */
    return memory;
}

int kl_store_file_load(void **data, struct kl_file *file, const struct kl_dataset *dataset,
                       struct kl_error *err)
{
    size_t bytes = dataset->rows * dataset->row_size;
    *data = load_memory(bytes);
    if (!*data) return kl_fail_memory(err, bytes);
    int rc = kl_store_file_rows(file, dataset, 0, dataset->rows, *data, err);
    if (rc) {
        free(*data);
        *data = NULL;
    }
    return rc;
}

static int verify_dataset(struct kl_file *f, struct kl_stored *s, const struct kl_watch *watch,
                          uint64_t *done, uint64_t total, struct kl_error *err)
{
    const struct kl_dataset *d = &s->dataset;
    size_t per = kl_store_block_rows(d->row_size);
    unsigned char sum[16] = { 0 };
    int rc = 0;
    char *block = malloc(per * d->row_size + 1);
    if (!block) return kl_fail_memory(err, per * d->row_size);
    for (size_t b = 0; b < s->n_blocks && !rc; b++) {
        size_t n = kl_store_block_span(d->rows, d->row_size, b);
        rc = kl_store_pread_all(f->fd, block, n * d->row_size, d->offset + b * per * d->row_size,
                                f->path, err);
        if (!rc) rc = block_check(f, s, b, block, err);
        if (rc) break;
        kl_store_row_sum_add(sum, block, n, d->row_size);
        *done += n * d->row_size;
        if (kl_watch_step(watch, *done, total, d->name))
            rc = kl_fail(err, KL_ESIGNAL, "%s: stopped", f->path);
    }
    if (!rc && memcmp(sum, s->row_sum, 16))
        rc = kl_fail(err, KL_EDATA, "%s: dataset %s: the sum of its rows' digests differs", f->path,
                     d->name);
    free(block);
    return rc;
}

int kl_store_file_verify(struct kl_file *file, const struct kl_watch *watch, struct kl_error *err)
{
    char content[65];
    uint64_t done = 0, total = 0;
    int rc = 0;
    for (size_t i = 0; i < file->n; i++)
        total += (uint64_t)file->stored[i]->dataset.rows * file->stored[i]->dataset.row_size;
    for (size_t i = 0; i < file->n && !rc; i++)
        rc = verify_dataset(file, file->stored[i], watch, &done, total, err);
    if (!rc) rc = kl_store_content_digest(content, file->stored, file->n, &file->attributes, err);
    if (!rc && strcmp(content, kl_store_file_content(file)))
        rc = kl_fail(err, KL_EDATA, "%s: content is %s, recorded is %s", file->path, content,
                     kl_store_file_content(file));
    return rc;
}

static const struct kl_attribute *attribute(const struct kl_file *file, const char *object,
                                            const char *name, struct kl_error *err)
{
    const struct kl_attribute *a = kl_store_attributes_find(&file->attributes, object, name);
    if (!a)
        kl_fail(err, KL_EDATA, "%s: %s has no attribute %s", file->path, kl_store_object_name(object),
                name);
    return a;
}

int kl_store_file_text(char **value, const struct kl_file *file, const char *object, const char *name,
                       struct kl_error *err)
{
    const struct kl_attribute *a = attribute(file, object, name, err);
    *value = NULL;
    if (!a) return KL_EDATA;
    if (a->type != KL_ATTR_TEXT)
        return kl_fail(err, KL_EDATA, "%s: attribute %s of %s is a number, expected a text", file->path,
                       name, kl_store_object_name(object));
    *value = strdup(a->text);
    return *value ? 0 : kl_fail_memory(err, strlen(a->text));
}

int kl_store_file_number(double *value, const struct kl_file *file, const char *object, const char *name,
                         struct kl_error *err)
{
    const struct kl_attribute *a = attribute(file, object, name, err);
    *value = 0;
    if (!a) return KL_EDATA;
    if (a->type == KL_ATTR_TEXT)
        return kl_fail(err, KL_EDATA, "%s: attribute %s of %s is a text, expected a number", file->path,
                       name, kl_store_object_name(object));
    *value = a->type == KL_ATTR_NUMBER ? a->number : (double)a->integer;
    return 0;
}

bool kl_store_file_has_attribute(const struct kl_file *file, const char *object, const char *name)
{
    return kl_store_attributes_find(&file->attributes, object, name) != NULL;
}

int kl_store_file_load_named(void **data, const struct kl_dataset **dataset, struct kl_file *file,
                             const char *name, enum kl_type type, int rank, struct kl_error *err)
{
    const int code = kl_store_file_expect(dataset, file, name, type, rank, err);
    return code ? code : kl_store_file_load(data, file, *dataset, err);
}

int kl_store_file_load_shape(void **data, struct kl_file *file, const char *name, enum kl_type type,
                             int rank, const size_t *dims, struct kl_error *err)
{
    const struct kl_dataset *d;
    int code = kl_store_file_expect(&d, file, name, type, rank, err);
    if (code) return code;
    for (int i = 0; i < rank; i++)
        if (d->dims[i] != dims[i])
            return kl_fail(err, KL_EDATA, "%s: dataset %s: dimension %d is %zu, expected %zu",
                           kl_store_file_path(file), name, i, d->dims[i], dims[i]);
    return kl_store_file_load(data, file, d, err);
}

/* ---- mapped ---- */
int kl_store_map_open(struct kl_map *map, struct kl_file *file, const struct kl_dataset *dataset,
                      struct kl_error *err)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = dataset->rows * dataset->row_size,
                 skip = dataset->offset % page;
    *map = (struct kl_map){ .file = file, .dataset = dataset };
    if (!bytes) return 0;
    /* HDF5 lays data where metadata end, so a number may lie across its own boundary: then a copy. */
    if (dataset->item_size && dataset->type != KL_TYPE_STRING && dataset->offset % dataset->item_size) {
        void *copy = NULL;
        const int code = kl_store_file_load(&copy, file, dataset, err);
        map->copy = copy, map->rows = copy;
        return code;
    }
    map->bytes = bytes + skip;
    map->base = mmap(NULL, map->bytes, PROT_READ, MAP_SHARED, file->fd, (off_t)(dataset->offset - skip));
    if (map->base == MAP_FAILED) {
        map->base = NULL;
        return kl_fail_errno(err, KL_EIO, "%s: dataset %s cannot be mapped", file->path, dataset->name);
    }
    map->rows = (const char *)map->base + skip;
    map->mapped.from = map->base, map->mapped.n = map->bytes;
    kl_signals_map(&map->mapped, file->path);
    return 0;
}

const void *kl_store_map_rows(const struct kl_map *map, size_t row, size_t n, struct kl_error *err)
{
    const struct kl_dataset *d = map->dataset;
    struct kl_stored *s = map->file->stored[d->id];
    if (row > d->rows || n > d->rows - row || !map->rows) {
        kl_fail(err, KL_EINTERNAL, "%s: dataset %s: rows %zu to %zu of %zu asked for", map->file->path,
                d->name, row, row + n, d->rows);
        return NULL;
    }
    const size_t per = kl_store_block_rows(d->row_size);
    for (size_t b = row / per; n && b <= (row + n - 1) / per; b++)
        if (!__atomic_load_n(&s->checked[b], __ATOMIC_RELAXED) &&
            block_check(map->file, s, b, map->rows + b * per * d->row_size, err))
            return NULL;
    return map->rows + row * d->row_size;
}

int kl_store_map_unchanged(const struct kl_map *map, struct kl_error *err)
{
    const struct stat *then = &map->file->stat;
    struct stat now;
    if (!map->base) return 0;
    if (fstat(map->file->fd, &now))
        return kl_fail_errno(err, KL_EIO, "%s: fstat failed", map->file->path);
    if (now.st_size == then->st_size && now.st_mtim.tv_sec == then->st_mtim.tv_sec &&
        now.st_mtim.tv_nsec == then->st_mtim.tv_nsec)
        return 0;
    return kl_fail(err, KL_EIO, "%s: was written to while it was read; run this again", map->file->path);
}

void kl_store_map_close(struct kl_map *map)
{
    if (map->base) kl_signals_unmap(&map->mapped), munmap(map->base, map->bytes);
    free(map->copy);
    *map = (struct kl_map){ 0 };
}
