/* SPDX-License-Identifier: MIT
   Shards of a run to the file of the whole run: the same key, content and bytes (but for provenance). */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "store/shard.h"
#include "store/store_int.h"

struct shard {
    struct kl_file *file;
    size_t index;
    size_t rows; /* of `index`, which tells datasets with a row for each sample from the others */
};
struct merge {
    struct shard *shards;
    size_t n;
    struct kl_writer *writer;
    unsigned char sum[16]; /* of the rows of the dataset at hand, over the shards */
};

static int by_index(const void *x, const void *y)
{
    const struct shard *a = x, *b = y;
    return (a->index > b->index) - (a->index < b->index);
}

static bool about_shards(const char *name)
{
    return strncmp(name, "shard_", 6) == 0 || strncmp(name, "whole_key", 9) == 0;
}

static const char *root_text(const struct kl_file *file, const char *name)
{
    const struct kl_attribute *a = kl_store_attributes_find(&file->attributes, "", name);
    return a && a->type == KL_ATTR_TEXT ? a->text : "";
}

/* Which shard of how many; whether it belongs to the first one's whole. */
static int open_shard(struct merge *m, size_t i, const char *path, struct kl_error *err)
{
    struct shard *s = &m->shards[i];
    double index, count;
    int rc = kl_store_file_open(&s->file, path, err);
    if (rc) return rc;
    const struct kl_dataset *d = kl_store_file_find(s->file, "index");
    if (!kl_store_file_has_attribute(s->file, "", "shard_index") ||
        !kl_store_file_has_attribute(s->file, "", "shard_count") || !d ||
        !kl_store_is_key(root_text(s->file, "whole_key")))
        return kl_fail(err, KL_EDATA,
                       "%s: is not a shard (no shard_index, shard_count, whole_key or dataset index)",
                       path);
    if ((rc = kl_store_file_number(&index, s->file, "", "shard_index", err)) ||
        (rc = kl_store_file_number(&count, s->file, "", "shard_count", err)))
        return rc;
    if (strcmp(root_text(s->file, "whole_key"), root_text(m->shards[0].file, "whole_key")))
        return kl_fail(err, KL_EDATA, "%s: belongs to another whole (%.12s...) than %s (%.12s...)", path,
                       root_text(s->file, "whole_key"), kl_store_file_path(m->shards[0].file),
                       root_text(m->shards[0].file, "whole_key"));
    if (count != (double)m->n)
        return kl_fail(err, KL_EDATA, "%s: is one of %.0f shards, %zu were given", path, count, m->n);
    if (!(index >= 0 && index < count))
        return kl_fail(err, KL_EDATA, "%s: says that it is shard %.0f of %.0f, numbered from 0", path,
                       index, count);
    s->index = (size_t)index;
    s->rows = d->rows;
    return 0;
}

/* n indices from 0 to n - 1: if no two are equal, none is missing. */
static int check_set(struct merge *m, struct kl_error *err)
{
    qsort(m->shards, m->n, sizeof *m->shards, by_index);
    for (size_t i = 1; i < m->n; i++)
        if (m->shards[i].index == m->shards[i - 1].index)
            return kl_fail(err, KL_EDATA, "%s and %s are both shard %zu",
                           kl_store_file_path(m->shards[i - 1].file),
                           kl_store_file_path(m->shards[i].file), m->shards[i].index);
    return KL_OK;
}

/* A dataset is concatenated if every shard has as many rows of it as samples. */
static int declare(struct merge *m, const struct kl_dataset *d, bool *rowwise, size_t *rows,
                   struct kl_error *err)
{
    *rowwise = d->rank > 0;
    *rows = 0;
    for (size_t i = 0; i < m->n; i++) {
        const struct kl_dataset *o = kl_store_file_find(m->shards[i].file, d->name);
        if (!o || o->type != d->type || o->item_size != d->item_size || o->rank != d->rank ||
            o->row_size != d->row_size ||
            memcmp(o->dims + 1, d->dims + 1, sizeof o->dims - sizeof *o->dims))
            return kl_fail(err, KL_EDATA, "%s: dataset %s: missing or of another form than in %s",
                           kl_store_file_path(m->shards[i].file), d->name,
                           kl_store_file_path(m->shards[0].file));
        *rowwise &= o->rows == m->shards[i].rows;
        *rows += o->rows;
    }
    size_t dims[KL_MAX_RANK];
    memcpy(dims, d->dims, sizeof dims);
    if (*rowwise) dims[0] = *rows;
    return kl_store_writer_dataset(m->writer, d->name, d->type,
                                   d->type == KL_TYPE_STRING ? d->item_size : 0, d->rank, dims, err);
}

static int copy_rows(struct merge *m, struct kl_file *file, const struct kl_dataset *d, int to,
                     size_t at, struct kl_error *err)
{
    size_t step = kl_store_block_rows(d->row_size), n;
    int rc = 0;
    char *block = malloc(step * d->row_size + 1);
    if (!block) return kl_fail_memory(err, step * d->row_size);
    for (size_t row = 0; row < d->rows && !rc; row += n) {
        n = d->rows - row < step ? d->rows - row : step;
        rc = kl_store_file_rows(file, d, row, n, block, err);
        if (!rc) rc = kl_store_writer_rows(m->writer, to, at + row, n, block, err);
    }
    free(block);
    return rc;
}

static int same_data(struct merge *m, const char *name, struct kl_error *err)
{
    const struct kl_stored *first =
        (const struct kl_stored *)kl_store_file_find(m->shards[0].file, name);
    for (size_t i = 1; i < m->n; i++) {
        const struct kl_stored *s =
            (const struct kl_stored *)kl_store_file_find(m->shards[i].file, name);
        if (s->n_blocks != first->n_blocks || memcmp(s->digests, first->digests, 16 * s->n_blocks))
            return kl_fail(err, KL_EDATA, "%s: dataset %s: other data than in %s",
                           kl_store_file_path(m->shards[i].file), name,
                           kl_store_file_path(m->shards[0].file));
    }
    return 0;
}

static int copy_dataset(struct merge *m, const char *name, int to, bool rowwise, struct kl_error *err)
{
    size_t at = 0;
    int rc = rowwise ? 0 : same_data(m, name, err);
    memset(m->sum, 0, sizeof m->sum);
    for (size_t i = 0; i < (rowwise ? m->n : 1) && !rc; i++) {
        const struct kl_dataset *d = kl_store_file_find(m->shards[i].file, name);
        kl_store_sum_add(m->sum, ((const struct kl_stored *)d)->row_sum);
        rc = copy_rows(m, m->shards[i].file, d, to, at, err);
        at += d->rows;
    }
    if (!rc && memcmp(m->sum, m->writer->entries[to]->stored.row_sum, 16))
        rc = kl_fail(err, KL_EINTERNAL,
                     "dataset %s: the shards' sums of rows do not add up to the whole's", name);
    return rc;
}

static int copy_datasets(struct merge *m, struct kl_error *err)
{
    const struct kl_file *first = m->shards[0].file;
    size_t n = kl_store_file_n_datasets(first), rows;
    int rc = 0;
    bool *rowwise = calloc(n + 1, sizeof *rowwise);
    if (!rowwise) return kl_fail_memory(err, n);
    for (size_t i = 0; i < n && !rc; i++) /* numbers are handed out in this order */
        rc = declare(m, kl_store_file_dataset(first, i), &rowwise[i], &rows, err) < 0 ? err->code : 0;
    for (size_t i = 0; i < n && !rc; i++)
        rc = copy_dataset(m, kl_store_file_dataset(first, i)->name, (int)i, rowwise[i], err);
    for (size_t i = 1; i < m->n && !rc; i++)
        if (kl_store_file_n_datasets(m->shards[i].file) != n)
            rc = kl_fail(err, KL_EDATA, "%s: has %zu datasets, %s has %zu",
                         kl_store_file_path(m->shards[i].file),
                         kl_store_file_n_datasets(m->shards[i].file), kl_store_file_path(first), n);
    free(rowwise);
    return rc;
}

static bool same_attribute(const struct kl_attribute *a, const struct kl_attribute *b)
{
    return b && a->type == b->type &&
           (a->type == KL_ATTR_TEXT     ? strcmp(a->text, b->text) == 0
            : a->type == KL_ATTR_NUMBER ? memcmp(&a->number, &b->number, 8) == 0
                                        : a->integer == b->integer);
}

static int copy_attributes(struct merge *m, struct kl_error *err)
{
    const struct kl_attributes *all = &m->shards[0].file->attributes;
    int rc = 0;
    for (size_t i = 0; i < all->n && !rc; i++) {
        const struct kl_attribute *a = &all->items[i];
        if (kl_store_attribute_is_standard(a) || (!*a->object && about_shards(a->name))) continue;
        for (size_t k = 1; k < m->n && !rc; k++)
            if (!same_attribute(
                    a, kl_store_attributes_find(&m->shards[k].file->attributes, a->object, a->name)))
                rc = kl_fail(err, KL_EDATA, "%s: attribute %s of %s: another value than in %s",
                             kl_store_file_path(m->shards[k].file), a->name,
                             kl_store_object_name(a->object), kl_store_file_path(m->shards[0].file));
        if (!rc) rc = kl_store_attributes_set(&m->writer->attributes, a->object, a->name, a, err);
    }
    return rc;
}

/* The shards' records and one of the merge. */
static int merge_provenance(struct merge *m, const char *output, const char *const *inputs,
                            struct kl_error *err)
{
    static const struct kl_tool tool = { .name = "cache merge",
                                         .values_size = sizeof(struct kl_common) };
    const struct kl_common values = { .output = output };
    char *records = NULL, **argv = calloc(m->n + 4, sizeof *argv);
    const struct kl_file **parents = calloc(m->n, sizeof *parents);
    int rc = argv && parents ? KL_OK : kl_fail_memory(err, m->n * sizeof *parents);
    if (!rc) {
        argv[0] = "cache", argv[1] = "merge";
        for (size_t i = 0; i < m->n; i++) {
            parents[i] = m->shards[i].file;
            argv[2 + i] = (char *)inputs[i];
        }
        argv[2 + m->n] = "-o", argv[3 + m->n] = (char *)output;
        rc = kl_store_provenance_make(&records, &tool, &values, (int)m->n + 4, argv, parents, m->n, NULL,
                                      NULL, 0, err);
    }
    if (!rc) rc = kl_store_writer_provenance(m->writer, records, err);
    free(records);
    free(argv);
    free(parents);
    return rc;
}

static int open_output(struct merge *m, const char *output, struct kl_error *err)
{
    const struct kl_file *first = m->shards[0].file;
    char tool[128], key[65];
    const char *parts = root_text(first, "whole_key_parts");
    snprintf(tool, sizeof tool, "%s", kl_store_file_created_by(first));
    if (strrchr(tool, ' ')) *strrchr(tool, ' ') = 0;
    int rc = kl_sha256_hex(key, parts, strlen(parts), err);
    if (!rc && strcmp(key, root_text(first, "whole_key")))
        rc = kl_fail(err, KL_EDATA, "%s: its whole_key is not the digest of its whole_key_parts",
                     kl_store_file_path(first));
    struct kl_header header = { .kind = kl_store_file_kind(first),
                                .schema = kl_store_file_schema(first),
                                .key = key,
                                .key_parts = parts,
                                .tool = tool };
    return rc ? rc : kl_store_writer_open(&m->writer, output, &header, err);
}

bool kl_store_merged_before(const char *output, const char *shard)
{
    struct kl_file *file = NULL;
    bool done = strcmp(output, "-") && strcmp(shard, "-") &&
                kl_store_file_open(&file, shard, NULL) == 0 &&
                kl_store_is_up_to_date(output, root_text(file, "whole_key"));
    kl_store_file_close(&file);
    return done;
}

int kl_store_merge(const char *output, const char *const *inputs, size_t n,
                   const struct kl_common *common, struct kl_error *err)
{
    struct merge m = { .n = n };
    struct kl_error local = { 0 };
    int rc = 0;
    if (!err) err = &local;
    if (n == 0) return kl_fail(err, KL_EUSAGE, "merge: no shards were given");
    m.shards = calloc(n, sizeof *m.shards);
    if (!m.shards) return kl_fail_memory(err, n * sizeof *m.shards);
    for (size_t i = 0; i < n && !rc; i++) rc = open_shard(&m, i, inputs[i], err);
    if (!rc) rc = check_set(&m, err);
    if (!rc)
        rc = kl_store_target_check(output, kl_store_file_kind(m.shards[0].file), common->force, inputs,
                                   n, err);
    if (!rc) rc = open_output(&m, output, err);
    if (!rc) rc = copy_datasets(&m, err);
    if (!rc) rc = copy_attributes(&m, err);
    if (!rc && !common->no_provenance) rc = merge_provenance(&m, output, inputs, err);
    if (!rc) rc = kl_store_writer_publish(&m.writer, NULL, err);
    kl_store_writer_abort(&m.writer);
    for (size_t i = 0; i < n; i++) kl_store_file_close(&m.shards[i].file);
    free(m.shards);
    return rc;
}
