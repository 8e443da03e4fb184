/* SPDX-License-Identifier: MIT
   The datasets of a file being written: their names, shapes and memory. */
#include <stdlib.h>
#include <string.h>

#include "store/store_int.h"

void kl_store_entry_free(struct kl_entry *e)
{
    free(e->stored.digests);
    free(e->stored.checked);
    free(e->memory);
    free(e->written);
    free(e);
}

/* Names are path components of letters, digits and a few signs; `digests` and `provenance` are ours. */
static bool name_fits(const char *name)
{
    size_t n = strlen(name);
    if (n == 0 || n > 119 || name[0] == '/' || name[n - 1] == '/' || strstr(name, "//") ||
        name[0] == '.' || strstr(name, "/.") || strcmp(name, "provenance") == 0 ||
        strcmp(name, "digests") == 0 || strncmp(name, "digests/", 8) == 0 ||
        strncmp(name, "provenance/", 11) == 0)
        return false;
    for (; *name; name++)
        if ((unsigned char)*name <= ' ' || *name == 127) return false;
    return true;
}

bool kl_store_dataset_measure(struct kl_dataset *d)
{
    size_t all;
    if (d->rank == 0) d->dims[0] = 1;
    d->rows = d->dims[0];
    d->row_size = d->item_size;
    for (int i = 1; i < d->rank; i++)
        if (__builtin_mul_overflow(d->row_size, d->dims[i], &d->row_size)) return false;
    return !__builtin_mul_overflow(d->rows, d->row_size, &all) && all <= INT64_MAX / 2;
}

static int describe(struct kl_dataset *d, const char *name, enum kl_type type, size_t item_size,
                    int rank, const size_t *dims, struct kl_error *err)
{
    if (!name_fits(name))
        return kl_fail(err, KL_EINTERNAL, "dataset '%s': not a name for a dataset", name);
    if (rank < 0 || rank > KL_MAX_RANK || (unsigned)type > KL_TYPE_STRING ||
        (type == KL_TYPE_STRING && item_size == 0))
        return kl_fail(err, KL_EINTERNAL, "dataset %s: rank %d, type %d", name, rank, (int)type);
    memset(d, 0, sizeof *d);
    strcpy(d->name, name);
    d->type = type;
    d->item_size = type == KL_TYPE_STRING ? item_size : kl_store_type_size(type);
    d->rank = rank;
    for (int i = 0; i < rank; i++) d->dims[i] = dims[i];
    return kl_store_dataset_measure(d) ? 0
                                       : kl_fail(err, KL_EDATA, "dataset %s: its size overflows", name);
}

static int entry_new(struct kl_entry **entry, const struct kl_dataset *d, bool in_memory,
                     struct kl_error *err)
{
    struct kl_entry *e = *entry = calloc(1, sizeof *e);
    if (!e) return kl_fail_memory(err, sizeof *e);
    e->stored.dataset = *d;
    e->stored.n_blocks = kl_store_block_count(d->rows, d->row_size);
    e->stored.digests = calloc(e->stored.n_blocks + 1, 16);
    e->stored.checked = calloc(e->stored.n_blocks + 1, 1);
    e->written = calloc(d->rows / 8 + 1, 1);
    if (in_memory) e->memory = calloc(d->rows * d->row_size + 1, 1);
    if (e->stored.digests && e->stored.checked && e->written && (e->memory || !in_memory)) return 0;
    kl_store_entry_free(e);
    *entry = NULL;
    return kl_fail_memory(err, 17 * d->rows);
}

static int declare(struct kl_writer *w, const char *name, enum kl_type type, size_t item_size, int rank,
                   const size_t *dims, bool put, struct kl_error *err)
{
    struct kl_dataset d;
    struct kl_entry *e;
    int rc = describe(&d, name, type, item_size, rank, dims, err);
    if (rc) return rc;
    for (size_t i = 0; i < w->n; i++)
        if (strcmp(w->entries[i]->stored.dataset.name, name) == 0)
            return kl_fail(err, KL_EINTERNAL, "dataset %s: declared twice", name);
    if (w->n == w->room) {
        size_t room = w->room ? 2 * w->room : 16;
        struct kl_entry **entries = realloc(w->entries, room * sizeof *entries);
        if (!entries) return kl_fail_memory(err, room * sizeof *entries);
        w->entries = entries;
        w->room = room;
    }
    rc = entry_new(&e, &d, put || w->frozen || d.rows * d.row_size < KL_LARGE_BYTES, err);
    if (rc) return rc;
    e->stored.dataset.id = (int)w->n;
    w->entries[w->n++] = e;
    return e->stored.dataset.id;
}

int kl_store_writer_dataset(struct kl_writer *w, const char *name, enum kl_type type, size_t item_size,
                            int rank, const size_t *dims, struct kl_error *err)
{
    pthread_mutex_lock(&w->mutex);
    int rc = declare(w, name, type, item_size, rank, dims, false, err);
    pthread_mutex_unlock(&w->mutex);
    return rc;
}

int kl_store_writer_put(struct kl_writer *w, const char *name, enum kl_type type, size_t item_size,
                        int rank, const size_t *dims, const void *data, struct kl_error *err)
{
    unsigned char sum[16] = { 0 };
    pthread_mutex_lock(&w->mutex);
    int rc = declare(w, name, type, item_size, rank, dims, true, err);
    if (rc >= 0) {
        struct kl_entry *e = w->entries[rc];
        const struct kl_dataset *d = &e->stored.dataset;
        e->put = true;
        if (d->rows && d->row_size) memcpy(e->memory, data, d->rows * d->row_size);
        kl_store_row_sum_add(sum, data, d->rows, d->row_size);
        rc = kl_store_entry_mark(e, 0, d->rows, sum, err);
    }
    pthread_mutex_unlock(&w->mutex);
    return rc < 0 ? rc : 0;
}
