/* SPDX-License-Identifier: MIT
   Rows of a dataset as mapped memory (map.h). Every block is checked against its digest the first time
   that it is asked for. */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/map.h"
#include "store/store_int.h"

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
            kl_store_block_check(map->file, s, b, map->rows + b * per * d->row_size, err))
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
