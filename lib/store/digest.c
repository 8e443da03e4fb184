/* SPDX-License-Identifier: MIT
   What identifies a file's contents: its attributes in a table; digests of its datasets, by blocks for
   damage, as a sum of rows for shards, as content for identity. Exact bytes: docs/files.md. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/store_int.h"

/* ---- attributes: text, number or integer, of the root or of an object ---- */
static int compare(const void *x, const void *y)
{
    const struct kl_attribute *a = x, *b = y;
    int c = strcmp(a->object, b->object);
    return c ? c : strcmp(a->name, b->name);
}

void kl_store_attributes_sort(struct kl_attributes *a)
{
    if (a->n) qsort(a->items, a->n, sizeof *a->items, compare);
}

const struct kl_attribute *kl_store_attributes_find(const struct kl_attributes *a, const char *object,
                                                    const char *name)
{
    for (size_t i = 0; i < a->n; i++)
        if (strcmp(a->items[i].name, name) == 0 && strcmp(a->items[i].object, object) == 0)
            return &a->items[i];
    return NULL;
}

static void release(struct kl_attribute *a)
{
    free(a->object);
    free(a->name);
    free(a->text);
}

int kl_store_attributes_set(struct kl_attributes *a, const char *object, const char *name,
                            const struct kl_attribute *value, struct kl_error *err)
{
    struct kl_attribute made = *value;
    made.object = strdup(object);
    made.name = strdup(name);
    made.text = value->type == KL_ATTR_TEXT ? strdup(value->text) : NULL;
    if (!made.object || !made.name || (value->type == KL_ATTR_TEXT && !made.text)) goto out;
    struct kl_attribute *old = (struct kl_attribute *)kl_store_attributes_find(a, object, name);
    if (old) {
        release(old);
        *old = made;
        return 0;
    }
    if (a->n == a->room) {
        size_t room = a->room ? 2 * a->room : 16;
        struct kl_attribute *items = realloc(a->items, room * sizeof *items);
        if (!items) goto out;
        a->items = items;
        a->room = room;
    }
    a->items[a->n++] = made;
    return 0;
out:
    release(&made);
    return kl_fail_memory(err, sizeof made);
}

void kl_store_attributes_free(struct kl_attributes *a)
{
    for (size_t i = 0; i < a->n; i++) release(&a->items[i]);
    free(a->items);
    memset(a, 0, sizeof *a);
}

bool kl_store_attribute_is_standard(const struct kl_attribute *a)
{
    static const char *const names[] = { "kind", "schema", "key", "key_parts", "content", "created_by" };
    if (a->object[0]) return strncmp(a->object, "digests/", 8) == 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(a->name, names[i]) == 0) return true;
    return false;
}

/* ---- digests ---- */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "files hold little-endian data as it lies in memory");

size_t kl_store_type_size(enum kl_type type)
{
    static const unsigned char size[] = { 1, 4, 8, 2, 4, 8, 0 };
    return size[type];
}

double kl_store_type_number(enum kl_type type, const void *data, size_t i)
{
    switch (type) {
    case KL_TYPE_U8: return ((const uint8_t *)data)[i];
    case KL_TYPE_I32: return ((const int32_t *)data)[i];
    case KL_TYPE_I64: return (double)((const int64_t *)data)[i];
    case KL_TYPE_F32: return ((const float *)data)[i];
    default: return ((const double *)data)[i];
    }
}

/* A rule of the row's size alone, so that readers, writers and merges agree without being told. */
size_t kl_store_block_rows(size_t row_size)
{
    if (row_size == 0) return 1;
    size_t rows = KL_BLOCK_BYTES / row_size;
    return rows ? rows : 1;
}

size_t kl_store_block_count(size_t rows, size_t row_size)
{
    if (row_size == 0) return 0;
    size_t per = kl_store_block_rows(row_size);
    return rows / per + (rows % per != 0);
}

size_t kl_store_block_span(size_t rows, size_t row_size, size_t b)
{
    size_t per = kl_store_block_rows(row_size), first = b * per;
    return rows - first < per ? rows - first : per;
}

void kl_store_sum_add(unsigned char sum[16], const unsigned char other[16])
{
    unsigned carry = 0;
    for (int i = 15; i >= 0; i--) {
        carry += (unsigned)sum[i] + other[i];
        sum[i] = (unsigned char)carry;
        carry >>= 8;
    }
}

void kl_store_row_sum_add(unsigned char sum[16], const void *data, size_t n, size_t row_size)
{
    const unsigned char *row = data;
    unsigned char digest[16];
    for (size_t i = 0; i < n && row_size; i++, row += row_size) {
        kl_xxh128(digest, row, row_size);
        kl_store_sum_add(sum, digest);
    }
}

void kl_store_hex(char *text, const unsigned char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        text[2 * i] = "0123456789abcdef"[bytes[i] >> 4];
        text[2 * i + 1] = "0123456789abcdef"[bytes[i] & 15];
    }
    text[2 * n] = 0;
}

bool kl_store_is_key(const char *text)
{
    return text && strlen(text) == 64 && strspn(text, "0123456789abcdef") == 64;
}

static void add_line(struct kl_sha256 *s, const char *text)
{
    kl_sha256_add(s, text, strlen(text));
}

static void add_dataset(struct kl_sha256 *s, const struct kl_stored *d)
{
    static const char *const names[] = { "u8", "i32", "i64", "f16", "f32", "f64", "string" };
    char text[320];
    snprintf(text, sizeof text, "dataset %s %s %zu", d->dataset.name, names[d->dataset.type],
             d->dataset.item_size);
    add_line(s, text);
    for (int i = 0; i < d->dataset.rank; i++) {
        snprintf(text, sizeof text, " %zu", d->dataset.dims[i]);
        add_line(s, text);
    }
    add_line(s, "\n");
    kl_sha256_add(s, d->digests, 16 * d->n_blocks);
}

static void add_attribute(struct kl_sha256 *s, const struct kl_attribute *a)
{
    char text[400];
    size_t n = a->type == KL_ATTR_TEXT ? strlen(a->text) : 8;
    snprintf(text, sizeof text, "attribute %s %s %s %zu\n", a->object, a->name,
             a->type == KL_ATTR_TEXT     ? "text"
             : a->type == KL_ATTR_NUMBER ? "f64"
                                         : "i64",
             n);
    add_line(s, text);
    kl_sha256_add(s,
                  a->type == KL_ATTR_TEXT     ? (const void *)a->text
                  : a->type == KL_ATTR_NUMBER ? (const void *)&a->number
                                              : (const void *)&a->integer,
                  n);
}

bool kl_store_is_aside(const struct kl_dataset *d)
{
    return strncmp(d->name, "aside/", 6) == 0;
}

/* stored in name order, attributes sorted. */
int kl_store_content_digest(char hex[65], struct kl_stored *const *stored, size_t n,
                            const struct kl_attributes *attributes, struct kl_error *err)
{
    struct kl_sha256 s;
    int rc = kl_sha256_begin(&s, err);
    if (rc) return rc;
    for (size_t i = 0; i < n; i++)
        if (!kl_store_is_aside(&stored[i]->dataset)) add_dataset(&s, stored[i]);
    for (size_t i = 0; i < attributes->n; i++)
        if (!kl_store_attribute_is_standard(&attributes->items[i]))
            add_attribute(&s, &attributes->items[i]);
    kl_sha256_end(&s, hex);
    return 0;
}
