/* SPDX-License-Identifier: MIT
   The safetensors format: 8 bytes length of the header, a JSON header, data. Limits as the format's own
   reader sets them. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "weights/weights_int.h"

static const uint64_t MAX_HEADER = 100 * 1000 * 1000;

struct entry {
    const char *name;
    size_t begin, end, n;
    int rank;
    size_t dims[KL_WEIGHTS_RANK];
    enum kl_element element; /* NONE: of another type */
    const char *dtype;
    size_t bits; /* of an element */
};

static enum kl_element element_of(const char *name)
{
    static const char *const names[] = { "F16", "BF16", "F32", "F64", "I32", "I64" };
    for (int i = 0; i < KL_EL_TENSORS; i++)
        if (strcmp(name, names[i]) == 0) return (enum kl_element)i;
    return KL_EL_NONE;
}

/* Bits of an element of the types that are passed over, which may stand beside the tensors that are
   needed; 0: of none that is known. */
static size_t bits_of(const char *dtype)
{
    static const struct {
        const char *name;
        size_t bits;
    } others[] = { { "BOOL", 8 }, { "U8", 8 },   { "I8", 8 },   { "F8_E4M3", 8 }, { "F8_E5M2", 8 },
                   { "I16", 16 }, { "U16", 16 }, { "U32", 32 }, { "U64", 64 },    { "C64", 64 } };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(others[i].name, dtype) == 0) return others[i].bits;
    return 0;
}

/* A JSON integer that is a size. */
static bool size_of(size_t *size, const json_t *value)
{
    if (!json_is_integer(value) || json_integer_value(value) < 0) return false;
    *size = (size_t)json_integer_value(value);
    return true;
}

static int read_entry(struct entry *e, const char *path, const char *name, const json_t *object,
                      size_t room, struct kl_error *err)
{
    const json_t *dtype = json_object_get(object, "dtype"), *shape = json_object_get(object, "shape");
    const json_t *offsets = json_object_get(object, "data_offsets");
    if (!json_is_string(dtype) || !json_is_array(shape) || !json_is_array(offsets) ||
        json_array_size(offsets) != 2 || json_object_size(object) != 3)
        return kl_fail(err, KL_EDATA,
                       "%s: tensor %.100s: the header needs exactly dtype, shape and data_offsets", path,
                       name);
    e->name = name;
    e->dtype = json_string_value(dtype);
    e->element = element_of(e->dtype);
    e->bits = e->element == KL_EL_NONE ? bits_of(e->dtype) : 8 * kl_weights_element_size(e->element);
    if (!e->bits)
        return kl_fail(err, KL_EDATA,
                       "%s: tensor %.100s: dtype %.20s, expected F16, BF16, F32, F64, I32 or I64", path,
                       name, json_string_value(dtype));
    if (json_array_size(shape) > 4)
        return kl_fail(err, KL_EDATA, "%s: tensor %.100s: rank %zu, expected at most 4", path, name,
                       json_array_size(shape));
    e->rank = (int)json_array_size(shape);
    for (int i = 0; i < e->rank; i++)
        if (!size_of(&e->dims[i], json_array_get(shape, (size_t)i)))
            return kl_fail(err, KL_EDATA, "%s: tensor %.100s: a size is not a whole number", path, name);
    int rc = kl_weights_count(&e->n, path, name, e->rank, e->dims, err);
    if (rc) return rc;
    if (!size_of(&e->begin, json_array_get(offsets, 0)) ||
        !size_of(&e->end, json_array_get(offsets, 1)) || e->begin > e->end || e->end > room)
        return kl_fail(err, KL_EDATA, "%s: tensor %.100s: its data_offsets lie outside the file", path,
                       name);
    if (e->end - e->begin != e->n * (e->bits / 8))
        return kl_fail(err, KL_EDATA,
                       "%s: tensor %.100s: %zu bytes of data, its shape and dtype need %zu", path, name,
                       e->end - e->begin, e->n * (e->bits / 8));
    return 0;
}

static int add(struct kl_weights *weights, const char *path, const struct entry *e,
               const unsigned char *data, struct kl_error *err)
{
    static const size_t none = 0;
    const bool read = e->element != KL_EL_NONE;
    const struct kl_cells elements = { .type = read ? e->element : KL_EL_F32, .data = data + e->begin };
    int rc = kl_weights_add(weights, path, e->name, read ? e->rank : 1, read ? e->dims : &none, NULL,
                            &elements, err);
    if (!rc && !read) {
        struct kl_weight *t = &weights->tensors[weights->n - 1];
        snprintf(t->unread, sizeof t->unread, "%s", e->dtype);
    }
    return rc;
}

static int by_place(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    return x->end < y->end ? -1 : x->end > y->end;
}

int kl_weights_safetensors_parse(struct kl_weights *weights, const struct kl_bytes *file,
                                 struct kl_error *err)
{
    int rc = 0;
    uint64_t header = 0;
    json_t *root = NULL;
    struct entry *entries = NULL;
    size_t n = 0, at = 0;
    for (size_t i = 0; i < 8 && file->n >= 8; i++) header |= (uint64_t)file->data[i] << (8 * i);
    if (file->n < 8 || header > MAX_HEADER || header > file->n - 8)
        return kl_fail(err, KL_EDATA,
                       "%s: the safetensors header (%llu bytes) does not fit in the file's %zu bytes",
                       file->path, (unsigned long long)header, file->n);
    const unsigned char *data = file->data + 8 + header;
    const size_t room = file->n - 8 - (size_t)header;
    char what[512];
    snprintf(what, sizeof what, "%.400s: the safetensors header", file->path);
    if ((rc = kl_json_parse_bytes(&root, file->data + 8, (size_t)header, what, err))) goto out;
    if (!json_is_object(root)) {
        rc = kl_fail(err, KL_EDATA, "%s is not an object", what);
        goto out;
    }
    entries = calloc(json_object_size(root) + 1, sizeof *entries);
    if (!entries) {
        rc = kl_fail_memory(err, (json_object_size(root) + 1) * sizeof *entries);
        goto out;
    }
    const char *name;
    json_t *value;
    json_object_foreach(root, name, value) if (strcmp(name, "__metadata__") != 0 &&
                                               (rc = read_entry(&entries[n++], file->path, name, value,
                                                                room, err))) goto out;
    qsort(entries, n, sizeof *entries, by_place);
    for (size_t i = 0; i < n; at = entries[i++].end)
        if (entries[i].begin != at) {
            rc = kl_fail(err, KL_EDATA,
                         "%s: tensor %.100s begins at byte %zu of the data, expected %zu: %s",
                         file->path, entries[i].name, entries[i].begin, at,
                         entries[i].begin < at ? "an overlap" : "a hole");
            goto out;
        }
    if (at != room) {
        rc = kl_fail(err, KL_EDATA, "%s: %zu bytes of data, the tensors take %zu", file->path, room, at);
        goto out;
    }
    for (size_t i = 0; i < n; i++)
        if ((rc = add(weights, file->path, &entries[i], data, err))) goto out;
    rc = kl_weights_metadata(weights, json_object_get(root, "__metadata__"), err);
out:
    free(entries);
    json_decref(root);
    return rc;
}
