/* SPDX-License-Identifier: MIT
   One array as NumPy writes it (NEP 1, versions 1 to 3): magic, a header that is the literal of a Python
   dictionary of exactly descr, fortran_order and shape, data. The literal is read, not evaluated. */
#include <stdlib.h>
#include <string.h>

#include "weights/weights_int.h"

enum { MAX_HEADER = 65536 };

struct reader {
    const char *at, *end; /* what is left of the header */
    bool has_descr, has_order, has_shape;
    struct kl_npy array;
};

static void skip_space(struct reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\n')) r->at++;
}

static bool take(struct reader *r, char c)
{
    skip_space(r);
    if (r->at == r->end || *r->at != c) return false;
    r->at++;
    return true;
}

static bool take_word(struct reader *r, const char *word)
{
    const size_t n = strlen(word);
    skip_space(r);
    if ((size_t)(r->end - r->at) < n || memcmp(r->at, word, n) != 0) return false;
    r->at += n;
    return true;
}

static bool take_string(struct reader *r, char *text, size_t size)
{
    size_t n = 0;
    skip_space(r);
    const char quote = r->at < r->end ? *r->at : 0;
    if (quote != '\'' && quote != '"') return false;
    for (r->at++; r->at < r->end && *r->at != quote; r->at++) {
        if (n + 1 == size || *r->at == '\\' || (unsigned char)*r->at < ' ') return false;
        text[n++] = *r->at;
    }
    text[n] = 0;
    return take(r, quote);
}

static bool take_shape(struct reader *r)
{
    struct kl_npy *a = &r->array;
    if (!take(r, '(')) return false;
    for (a->rank = 0; !take(r, ')'); a->rank++) {
        size_t size = 0;
        const char *first = r->at;
        for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++)
            if (__builtin_mul_overflow(size, 10, &size) ||
                __builtin_add_overflow(size, (size_t)(*r->at - '0'), &size))
                return false;
        if (r->at == first || a->rank == 32) return false;
        if (r->at < r->end && *r->at == 'L') r->at++; /* of Python 2 */
        if (a->rank < KL_WEIGHTS_RANK) a->dims[a->rank] = size;
        skip_space(r);
        if (!take(r, ',') && (a->rank == 0 || r->at == r->end || *r->at != ')')) return false;
        skip_space(r);
    }
    return true;
}

static bool take_member(struct reader *r)
{
    char key[32];
    if (!take_string(r, key, sizeof key) || !take(r, ':')) return false;
    if (strcmp(key, "descr") == 0 && !r->has_descr)
        return r->has_descr = take_string(r, r->array.descr, sizeof r->array.descr);
    if (strcmp(key, "shape") == 0 && !r->has_shape) return r->has_shape = take_shape(r);
    if (strcmp(key, "fortran_order") != 0 || r->has_order) return false;
    r->array.fortran = take_word(r, "True");
    return r->has_order = r->array.fortran || take_word(r, "False");
}

static bool take_header(struct reader *r)
{
    if (!take(r, '{')) return false;
    while (!take(r, '}')) {
        if (!take_member(r)) return false;
        if (!take(r, ',')) {
            if (!take(r, '}')) return false;
            break;
        }
    }
    skip_space(r);
    return r->at == r->end && r->has_descr && r->has_order && r->has_shape;
}

/* "<f4", ">c16", "|b1": order of bytes, letter, bytes of an element. */
bool kl_weights_npy_type(struct kl_cells *elements, bool *complex_ones, const char *descr)
{
    static const struct {
        const char *type; /* of the real and the imaginary part, where it has both */
        enum kl_element element;
    } known[] = { { "f2", KL_EL_F16 }, { "f4", KL_EL_F32 }, { "f8", KL_EL_F64 }, { "b1", KL_EL_BOOL },
                  { "i1", KL_EL_I8 },  { "i2", KL_EL_I16 }, { "i4", KL_EL_I32 }, { "i8", KL_EL_I64 },
                  { "u1", KL_EL_U8 },  { "u2", KL_EL_U16 }, { "u4", KL_EL_U32 }, { "u8", KL_EL_U64 } };
    const char *type = strcmp(descr + 1, "c8") == 0    ? "f4"
                       : strcmp(descr + 1, "c16") == 0 ? "f8"
                                                       : descr + 1;
    *complex_ones = descr[1] == 'c';
    elements->type = KL_EL_NONE;
    elements->big_endian = descr[0] == '>';
    if (!strchr("<>|=", descr[0])) return false;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(type, known[i].type) == 0) elements->type = known[i].element;
    return elements->type != KL_EL_NONE;
}

static int refuse_type(const char *path, const char *name, const char *descr, struct kl_error *err)
{
    if (strchr(descr, 'O'))
        return kl_fail(err, KL_EDATA,
                       "%s: array %.100s holds Python objects, which only running a pickle could read; "
                       "save numbers",
                       path, name);
    return kl_fail(err, KL_EDATA,
                   "%s: array %.100s: dtype %s, expected float16 to float64, whole numbers or bool",
                   path, name, descr);
}

static int refuse_size(const char *path, const char *name, size_t n, size_t needed, struct kl_error *err)
{
    return kl_fail(err, KL_EDATA, "%s: array %.100s: %zu bytes of data, its shape and dtype need %zu",
                   path, name, n, needed);
}

/* Texts are passed over, but for those that this program knows. */
static int take_text(struct kl_weights *weights, const struct kl_npy *a, const struct kl_bytes *file,
                     const char *name, const unsigned char *data, size_t n, struct kl_error *err)
{
    const bool utf32 = a->descr[1] == 'U';
    char **word = utf32 && a->rank == 0 ? kl_weights_word(weights, name) : NULL;
    if (word) return kl_weights_text(word, data, n, err);
    if (strcmp(name, "class_names") != 0) return KL_OK;
    const size_t width = utf32 ? strtoul(a->descr + 2, NULL, 10) : 0; /* in characters of four bytes */
    size_t needed;
    weights->odd_names = a->rank != 1 || !width || !a->dims[0];
    if (weights->odd_names) return KL_OK;
    if (__builtin_mul_overflow(width, a->dims[0], &needed) ||
        __builtin_mul_overflow(needed, 4, &needed) || needed != n)
        return refuse_size(file->path, name, n, needed, err);
    return kl_weights_classes(weights, data, a->dims[0], 4 * width, err);
}

static int add(struct kl_weights *weights, const struct kl_npy *r, const struct kl_bytes *file,
               const char *name, const unsigned char *data, size_t n, struct kl_error *err)
{
    struct kl_cells elements = { .data = data };
    bool complex_ones;
    size_t count, strides[KL_WEIGHTS_RANK], step = 1;
    if (!kl_weights_npy_type(&elements, &complex_ones, r->descr) || complex_ones)
        return refuse_type(file->path, name, r->descr, err);
    if (r->rank > KL_WEIGHTS_RANK)
        return kl_fail(err, KL_EDATA, "%s: array %.100s: rank %d, expected at most %d", file->path, name,
                       r->rank, (int)KL_WEIGHTS_RANK);
    int rc = kl_weights_count(&count, file->path, name, r->rank, r->dims, err);
    if (rc) return rc;
    const size_t size = kl_weights_element_size(elements.type);
    if (n / size != count || n % size) return refuse_size(file->path, name, n, count * size, err);
    for (int i = 0; i < r->rank; step *= r->dims[i++]) strides[i] = step;
    return kl_weights_add(weights, file->path, name, r->rank, r->dims, r->fortran ? strides : NULL,
                          &elements, err);
}

int kl_weights_npy_header(struct kl_npy *array, const char *path, const char *name,
                          const unsigned char *data, size_t n, struct kl_error *err)
{
    const int version = n >= 10 && memcmp(data, "\x93NUMPY", 6) == 0 && data[7] == 0 ? data[6] : 0;
    const size_t begin = version == 1 ? 10 : 12;
    size_t header = version ? (size_t)data[8] | (size_t)data[9] << 8 : 0;
    if (version > 1 && n >= begin) header |= (size_t)data[10] << 16 | (size_t)data[11] << 24;
    if (version < 1 || version > 3 || n < begin || header > n - begin || header > MAX_HEADER)
        return kl_fail(
            err, KL_EDATA,
            "%s: array %.100s: no header of NumPy's versions 1 to 3, or one that does not fit", path,
            name);
    const char *at = (const char *)data + begin;
    struct reader r = { .at = at, .end = at + header };
    if (!take_header(&r))
        return memmem(at, header, "|O", 2)
                   ? refuse_type(path, name, "O", err)
                   : kl_fail(err, KL_EDATA,
                             "%s: array %.100s: its header is not one of descr (one type), "
                             "fortran_order and shape%s",
                             path, name,
                             memmem(at, header, ": [(", 4) ? "; of named fields save one, a['FIELD']"
                                                           : "");
    *array = r.array;
    array->begin = begin + header;
    return KL_OK;
}

int kl_weights_npy_parse(struct kl_weights *weights, const struct kl_bytes *file, const char *name,
                         const unsigned char *data, size_t n, struct kl_error *err)
{
    struct kl_npy array;
    int rc = kl_weights_npy_header(&array, file->path, name, data, n, err);
    if (rc) return rc;
    data += array.begin;
    n -= array.begin;
    const bool text = strncmp(array.descr, "<U", 2) == 0 || strncmp(array.descr, "|S", 2) == 0;
    return text ? take_text(weights, &array, file, name, data, n, err)
                : add(weights, &array, file, name, data, n, err);
}

/* ---- NumPy's archive of arrays: one NAME.npy for each ---- */

int kl_weights_npz_parse(struct kl_weights *weights, const struct kl_bytes *file, struct kl_error *err)
{
    struct kl_zip zip;
    char name[512];
    int rc = kl_weights_zip_open(&zip, file, KL_ARCHIVE_NUMPY, err);
    if (rc) return rc;
    for (size_t i = 0; i < zip.n && !rc; i++) {
        const struct kl_zip_member *m = &zip.members[i];
        const size_t n = strlen(m->name); /* under 512, by the archive's rules */
        if (n <= 4 || strcmp(m->name + n - 4, ".npy") != 0) {
            rc = kl_fail(err, KL_EDATA, "%s: member %.100s is not an array (.npy)", file->path, m->name);
            break;
        }
        snprintf(name, sizeof name, "%.*s", (int)(n - 4), m->name);
        rc = kl_weights_npy_parse(weights, file, name, m->data, m->n, err);
    }
    kl_weights_zip_close(&zip);
    return rc;
}
