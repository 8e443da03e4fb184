/* SPDX-License-Identifier: MIT
   Writing a file: datasets are declared, get their place in a temporary, receive rows from
   any thread, and appear under the final name only when everything has been read back. The layout
   depends on names and sizes alone. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/store_int.h"

/* ---- datasets: names, shapes and memory ---- */
static void entry_free(struct kl_entry *e)
{
    free(e->stored.digests);
    free(e->stored.checked);
    free(e->memory);
    free(e->written);
    free(e);
}

/* Names are path components of letters, digits and a few signs; `digests`, `provenance` and `dimension_`
 * are ours. */
static bool name_fits(const char *name)
{
    size_t n = strlen(name);
    if (n == 0 || n > 119 || name[0] == '/' || name[n - 1] == '/' || strstr(name, "//") ||
        name[0] == '.' || strstr(name, "/.") || strcmp(name, "provenance") == 0 ||
        strcmp(name, "digests") == 0 || strncmp(name, "digests/", 8) == 0 ||
        strncmp(name, "provenance/", 11) == 0 || strncmp(name, "dimension_", 10) == 0)
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
    entry_free(e);
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

/* ---- the writer ---- */
void kl_store_writer_abort(struct kl_writer **writer)
{
    struct kl_writer *w = writer ? *writer : NULL;
    if (!w) return;
    if (w->h5 >= 0) kl_store_h5_close(&w->h5, &w->h5_problem, NULL);
    if (w->memory_fd >= 0) close(w->memory_fd);
    if (w->partial) kl_store_partial_free(w); /* keeps the rows that are journalled */
    kl_store_temporary_abort(&w->temporary);
    for (size_t i = 0; i < w->n; i++) entry_free(w->entries[i]);
    free(w->entries);
    free(w->provenance);
    kl_store_attributes_free(&w->attributes);
    pthread_mutex_destroy(&w->mutex);
    free(w);
    *writer = NULL;
}

static int set_header(struct kl_writer *w, const struct kl_header *h, struct kl_error *err)
{
    char created[200];
    if (!h->kind || !*h->kind || !kl_store_is_key(h->key) || !h->key_parts)
        return kl_fail(err, KL_EINTERNAL, "a file without kind, key or key_parts was to be written");
    snprintf(created, sizeof created, "%s %s", h->tool ? h->tool : "ketline", KL_VERSION);
    int rc = kl_store_writer_text(w, "", "kind", h->kind, err);
    if (!rc) rc = kl_store_writer_integer(w, "", "schema", h->schema, err);
    if (!rc) rc = kl_store_writer_text(w, "", "key", h->key, err);
    if (!rc) rc = kl_store_writer_text(w, "", "key_parts", h->key_parts, err);
    if (!rc) rc = kl_store_writer_text(w, "", "created_by", created, err);
    return rc;
}

/* path NULL: partial.c opens the temporary itself. */
int kl_store_writer_open(struct kl_writer **writer, const char *path, const struct kl_header *header,
                         struct kl_error *err)
{
    struct kl_writer *w = calloc(1, sizeof *w);
    *writer = NULL;
    if (!w) return kl_fail_memory(err, sizeof *w);
    pthread_mutex_init(&w->mutex, NULL);
    w->memory_fd = -1;
    w->h5 = -1;
    w->temporary.fd = -1;
    int rc = set_header(w, header, err);
    if (!rc && path) rc = kl_store_temporary_open(&w->temporary, path, err);
    if (rc) kl_store_writer_abort(&w);
    *writer = w;
    return rc;
}

/* ---- attributes and provenance ---- */
int kl_store_writer_text(struct kl_writer *w, const char *object, const char *name, const char *value,
                         struct kl_error *err)
{
    struct kl_attribute a = { .type = KL_ATTR_TEXT, .text = (char *)value };
    if (strlen(value) > KL_TEXT_BYTES)
        return kl_fail(err, KL_EDATA, "attribute %s: %zu bytes of text, at most %d fit", name,
                       strlen(value), KL_TEXT_BYTES);
    return kl_store_attributes_set(&w->attributes, object, name, &a, err);
}

int kl_store_writer_number(struct kl_writer *w, const char *object, const char *name, double value,
                           struct kl_error *err)
{
    struct kl_attribute a = { .type = KL_ATTR_NUMBER, .number = value };
    return kl_store_attributes_set(&w->attributes, object, name, &a, err);
}

int kl_store_writer_integer(struct kl_writer *w, const char *object, const char *name, int64_t value,
                            struct kl_error *err)
{
    struct kl_attribute a = { .type = KL_ATTR_INTEGER, .integer = value };
    return kl_store_attributes_set(&w->attributes, object, name, &a, err);
}

int kl_store_writer_provenance(struct kl_writer *w, const char *records, struct kl_error *err)
{
    char *copy = records ? strdup(records) : NULL;
    if (records && !copy) return kl_fail_memory(err, strlen(records));
    free(w->provenance);
    w->provenance = copy;
    return 0;
}

/* ---- rows ---- */
int kl_store_entry_mark(struct kl_entry *e, size_t row, size_t n, const unsigned char sum[16],
                        struct kl_error *err)
{
    for (size_t i = row; i < row + n; i++) {
        if (e->written[i / 8] >> (i % 8) & 1)
            return kl_fail(err, KL_EINTERNAL, "dataset %s: row %zu written twice",
                           e->stored.dataset.name, i);
        e->written[i / 8] |= (unsigned char)(1u << (i % 8));
    }
    e->n_written += n;
    kl_store_sum_add(e->stored.row_sum, sum);
    return 0;
}

int kl_store_by_name(const void *x, const void *y)
{
    const struct kl_entry *const *a = x, *const *b = y;
    return strcmp((*a)->stored.dataset.name, (*b)->stored.dataset.name);
}

/* Space is taken now, so that a full disk is found before the work and not after it. */
static int reserve(struct kl_writer *w, uint64_t end, struct kl_error *err)
{
    int code;
    if (end == 0) return 0;
    do code = posix_fallocate(w->temporary.fd, 0, (off_t)end);
    while (code == EINTR);
    if (code == 0 || code == EINVAL ||
        code == EOPNOTSUPP) /* some file systems cannot: writing will tell */
        return 0;
    errno = code;
    return kl_fail_errno(err, KL_EIO, "%s: no room for %llu bytes", w->temporary.target,
                         (unsigned long long)end);
}

static int place(struct kl_writer *w, struct kl_entry *e, struct kl_error *err)
{
    const struct kl_dataset *d = &e->stored.dataset;
    e->placed = true;
    if (!e->memory) return 0;
    int rc = kl_store_pwrite_all(w->temporary.fd, e->memory, d->rows * d->row_size, d->offset,
                                 w->temporary.target, err);
    free(e->memory);
    e->memory = NULL;
    return rc;
}

/* Large datasets that are known by now get their places, in name order. With the mutex held. */
int kl_store_writer_freeze(struct kl_writer *w, struct kl_error *err)
{
    uint64_t end = 0;
    size_t n = 0;
    if (w->frozen)
        return w->broken ? kl_fail(err, KL_EIO, "%s: writing failed before", w->temporary.target) : 0;
    w->frozen = w->broken = true;
    struct kl_entry **order = malloc((w->n + 1) * sizeof *order);
    if (!order) return kl_fail_memory(err, (w->n + 1) * sizeof *order);
    for (size_t i = 0; i < w->n; i++)
        if (w->entries[i]->stored.dataset.rows * w->entries[i]->stored.dataset.row_size >=
            KL_LARGE_BYTES)
            order[n++] = w->entries[i];
    qsort(order, n, sizeof *order, kl_store_by_name);
    int rc = kl_store_h5_create(&w->memory_fd, &w->h5, &w->h5_problem, err);
    for (size_t i = 0; i < n && !rc; i++) {
        struct kl_dataset *d = &order[i]->stored.dataset;
        rc = kl_store_h5_dataset(w->h5, d, err);
        if (!rc && d->offset + d->rows * d->row_size > end) end = d->offset + d->rows * d->row_size;
    }
    if (!rc) rc = reserve(w, end, err);
    for (size_t i = 0; i < n && !rc; i++) rc = place(w, order[i], err);
    free(order);
    w->broken = rc != 0;
    return rc;
}

/* Digests of the blocks that these rows cover whole, straight from the caller's memory. */
static void digest_whole_blocks(struct kl_entry *e, size_t row, size_t n, const char *data)
{
    const struct kl_dataset *d = &e->stored.dataset;
    size_t per = kl_store_block_rows(d->row_size), b = (row + per - 1) / per;
    for (; b < e->stored.n_blocks; b++) {
        size_t span = kl_store_block_span(d->rows, d->row_size, b);
        if (b * per + span > row + n) break;
        kl_xxh128(e->stored.digests + 16 * b, data + (b * per - row) * d->row_size, span * d->row_size);
        e->stored.checked[b] = 1;
    }
}

int kl_store_writer_rows(struct kl_writer *w, int dataset, size_t row, size_t n, const void *data,
                         struct kl_error *err)
{
    unsigned char sum[16] = { 0 };
    pthread_mutex_lock(&w->mutex);
    struct kl_entry *e = dataset >= 0 && (size_t)dataset < w->n ? w->entries[dataset] : NULL;
    int rc = e ? kl_store_writer_freeze(w, err)
               : kl_fail(err, KL_EINTERNAL, "dataset number %d is not declared", dataset);
    pthread_mutex_unlock(&w->mutex);
    if (rc || n == 0) return rc;
    const struct kl_dataset *d = &e->stored.dataset;
    if (row > d->rows || n > d->rows - row)
        return kl_fail(err, KL_EINTERNAL, "dataset %s: rows %zu to %zu of %zu were to be written",
                       d->name, row, row + n, d->rows);
    kl_store_row_sum_add(sum, data, n, d->row_size);
    if (e->placed) {
        digest_whole_blocks(e, row, n, data);
        rc = kl_store_pwrite_all(w->temporary.fd, data, n * d->row_size, d->offset + row * d->row_size,
                                 w->temporary.target, err);
    }
    pthread_mutex_lock(&w->mutex);
    if (!e->placed) memcpy(e->memory + row * d->row_size, data, n * d->row_size);
    if (!rc) rc = kl_store_entry_mark(e, row, n, sum, err);
    w->broken |= rc != 0;
    pthread_mutex_unlock(&w->mutex);
    return rc;
}

int kl_store_writer_publish(struct kl_writer **writer, char *content, struct kl_error *err)
{
    struct kl_writer *w = *writer;
    char hex[65];
    int rc = kl_store_writer_seal(w, hex, err);
    if (!rc) rc = kl_store_temporary_publish(&w->temporary, err);
    if (!rc && content) memcpy(content, hex, sizeof hex);
    kl_store_writer_abort(writer);
    return rc;
}
