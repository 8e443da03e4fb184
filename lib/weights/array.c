/* SPDX-License-Identifier: MIT
   An array from a file, whichever program saved it. */
#include "weights/array.h"

#include <stdlib.h>
#include <string.h>

#include "store/store.h"
#include "weights/weights_int.h"

static const size_t MOST_BYTES = (size_t)4 << 30; /* of a file */

static const char *const endings[] = { ".npy", ".npz", ".h5", ".hdf5", ".mat", ".jld2" };
enum { ENDINGS = sizeof endings / sizeof *endings, HDF5 = 2 }; /* the first of HDF5 */

size_t kl_weights_file_length(const char *text, const char *ending)
{
    const size_t n = strlen(ending);
    for (const char *at = text; (at = strstr(at, ending)); at++)
        if (at > text && (!at[n] || at[n] == ':')) return (size_t)(at - text) + n;
    return 0;
}

static size_t length_of(const char *text, size_t first)
{
    size_t n = 0;
    for (size_t i = first; i < ENDINGS && !n; i++) n = kl_weights_file_length(text, endings[i]);
    return n;
}

size_t kl_weights_array_length(const char *text)
{
    const size_t n = length_of(text, 0);
    return n ? n : strlen(text);
}

bool kl_weights_is_hdf5(const char *text)
{
    return length_of(text, HDF5) > 0;
}

bool kl_weights_is_array(const char *text)
{
    return length_of(text, 0) > 0;
}

/* ---- NumPy ---- */
/* An array of an .npy's bytes on its way to numbers; name: as messages have it. */
struct npy {
    struct kl_npy head;
    struct kl_cells elements;
    const char *name;
    size_t count, size; /* bytes of an element */
    bool pairs, text;
};

static int refuse_type(const struct npy *a, bool texts, struct kl_error *err)
{
    const char *type = a->head.descr;
    if (a->text)
        return kl_fail(err, KL_EDATA, "%s: found texts (dtype %s), expected numbers", a->name, type);
    return kl_fail(err, KL_EDATA,
                   "%s: found dtype %s%s, expected numbers of up to 64 bits%s; save "
                   "a.astype('f8')%s",
                   a->name, type,
                   strchr(type, 'O') ? " (Python objects, which only running a pickle could read)" : "",
                   texts ? " or texts" : "", texts ? " or a.astype(str)" : "");
}

static int settle_type(struct npy *a, bool texts, struct kl_error *err)
{
    const char *type = a->head.descr;
    char *end = NULL;
    const unsigned long width = strlen(type) > 2 ? strtoul(type + 2, &end, 10) : 0;
    a->text = strchr("US", type[1]) && width && width < 65536 && !*end;
    if (a->text && texts) {
        a->elements.big_endian = type[0] == '>';
        a->size = type[1] == 'U' ? 4 * width : width;
        return KL_OK;
    }
    if (a->text || !kl_weights_npy_type(&a->elements, &a->pairs, type))
        return refuse_type(a, texts, err);
    a->size = kl_weights_element_size(a->elements.type) << a->pairs;
    return KL_OK;
}

static int settle_size(struct npy *a, size_t n, size_t most, struct kl_error *err)
{
    const size_t left = n - a->head.begin;
    size_t bytes;
    if (a->head.rank > KL_WEIGHTS_RANK)
        return kl_fail(err, KL_EDATA, "%s: found %d dimensions, expected at most %d", a->name,
                       a->head.rank, (int)KL_WEIGHTS_RANK);
    int code = kl_weights_count(&a->count, a->name, "data", a->head.rank, a->head.dims, err);
    if (code) return code;
    if (a->count > most)
        return kl_fail(err, KL_EDATA, "%s: found %zu numbers, expected at most %zu", a->name, a->count,
                       most);
    if (__builtin_mul_overflow(a->count, a->size, &bytes) || bytes != left)
        return kl_fail(err, KL_EDATA, "%s: %zu bytes behind its header, %zu of dtype %s need %zu",
                       a->name, left, a->count, a->head.descr, a->count * a->size);
    return KL_OK;
}

static int put_text(char text[KL_TEXT], const struct npy *a, size_t at, struct kl_error *err)
{
    const unsigned char *from = a->elements.data + at * a->size;
    char *long_text = calloc(1, a->size + 1);
    if (!long_text) return kl_fail_memory(err, a->size + 1);
    if (a->head.descr[1] == 'S') memcpy(long_text, from, a->size);
    else kl_weights_utf8(long_text, from, a->size, a->elements.big_endian);
    const size_t n = strlen(long_text);
    if (n < KL_TEXT) memcpy(text, long_text, n + 1);
    kl_make_printable(text);
    free(long_text);
    return n < KL_TEXT ? KL_OK
                       : kl_fail(err, KL_EDATA, "%s: found a text of %zu bytes, expected at most %d",
                                 a->name, n, KL_TEXT - 1);
}

/* Element i in rows is the one at this place of the file. */
static size_t place_of(const struct kl_npy *head, size_t i)
{
    size_t at = 0, step = 1;
    if (!head->fortran) return i;
    for (int d = 0; d < head->rank; d++) step *= head->dims[d];
    for (int d = head->rank - 1; d >= 0; d--) {
        step /= head->dims[d];
        at += i % head->dims[d] * step;
        i /= head->dims[d];
    }
    return at;
}

static int fill(struct kl_numbers *to, const struct npy *a, struct kl_error *err)
{
    int code = KL_OK;
    if (a->text) to->texts = calloc(a->count + 1, sizeof *to->texts);
    else to->values = malloc(((a->count << a->pairs) + 1) * sizeof *to->values);
    if (!to->texts && !to->values) return kl_fail_memory(err, a->count * sizeof(double));
    for (size_t i = 0; i < a->count && !code; i++) {
        const size_t at = place_of(&a->head, i);
        if (a->text) code = put_text(to->texts[i], a, at, err);
        else if (a->pairs)
            for (size_t k = 0; k < 2; k++)
                to->values[2 * i + k] = kl_weights_element(&a->elements, 2 * at + k);
        else to->values[i] = kl_weights_element(&a->elements, at);
    }
    return code;
}

static int take_npy(struct kl_numbers *to, const char *path, const char *name, const unsigned char *data,
                    size_t n, size_t most, bool texts, struct kl_error *err)
{
    char shown[512];
    struct npy a = { .name = shown };
    snprintf(shown, sizeof shown, "%.380s%s%.100s", path, name ? ":" : "", name ? name : "");
    int code = kl_weights_npy_header(&a.head, path, name ? name : "data", data, n, err);
    a.elements.data = data + a.head.begin;
    if (!code) code = settle_type(&a, texts, err);
    if (!code) code = settle_size(&a, n, most, err);
    if (!code) code = fill(to, &a, err);
    if (code) return code;
    to->pairs = a.pairs, to->rank = a.head.rank;
    if (a.head.fortran && a.head.rank > 1) strcpy(to->mark, "Fortran order");
    for (int i = 0; i < KL_WEIGHTS_RANK; i++) to->dims[i] = i < a.head.rank ? a.head.dims[i] : 0;
    return KL_OK;
}

/* Refuse a name, and list the archive's arrays. */
static int refuse_name(const struct kl_zip *zip, const char *path, const char *name,
                       struct kl_error *err)
{
    enum { SHOWN = 8 };
    char text[480];
    size_t used = (size_t)snprintf(text, sizeof text, "%s%.80s%s", *name ? "no array " : "holds several",
                                   name, *name ? "; there are" : ":");
    for (size_t i = 0; i < zip->n && i <= SHOWN; i++) {
        const char *member = zip->members[i].name;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s %.*s", i ? "," : "",
                                 i < SHOWN ? (int)strnlen(member, 40) : 3, i < SHOWN ? member : "...");
        if (i < SHOWN && strlen(member) <= 40 &&
            kl_weights_file_length(member, ".npy") == strlen(member))
            text[used -= 4] = 0;
    }
    kl_make_printable(text);
    return kl_fail(err, KL_EDATA, "%s: %s; name one as %s:NAME", path, text, path);
}

static int take_npz(struct kl_numbers *to, const struct kl_bytes *file, const char *name, size_t most,
                    bool texts, struct kl_error *err)
{
    struct kl_zip zip;
    char member[512];
    int code = kl_weights_zip_open(&zip, file, KL_ARCHIVE_NUMPY, err);
    if (code) return code;
    snprintf(member, sizeof member, "%.500s.npy", name);
    const struct kl_zip_member *found = *name        ? kl_weights_zip_find(&zip, member)
                                        : zip.n == 1 ? &zip.members[0]
                                                     : NULL;
    if (!found) code = refuse_name(&zip, file->path, name, err);
    else code = take_npy(to, file->path, *name ? name : NULL, found->data, found->n, most, texts, err);
    kl_weights_zip_close(&zip);
    return code;
}

/* ---- whichever it is ---- */
static int take_file(struct kl_numbers *to, const char *path, const char *name, size_t most, bool texts,
                     struct kl_error *err)
{
    char *bytes = NULL;
    struct kl_bytes file = { .path = path };
    int code = kl_read_bytes(&bytes, &file.n, path, MOST_BYTES, "an array of NumPy", err);
    if (code) return code;
    file.data = (const unsigned char *)bytes;
    code = file.n > 4 && memcmp(bytes, "PK\3\4", 4) == 0
               ? take_npz(to, &file, name, most, texts, err)
               : take_npy(to, path, NULL, file.data, file.n, most, texts, err);
    free(bytes);
    return code;
}

int kl_weights_array_read(struct kl_numbers *array, const char *path, size_t most, bool texts,
                          struct kl_error *err)
{
    char *file = NULL;
    const size_t length = kl_weights_file_length(path, ".npz");
    const bool named = length && path[length];
    *array = (struct kl_numbers){ 0 };
    if (kl_weights_is_hdf5(path)) return kl_store_foreign_numbers(array, path, most, texts, err);
    if (named && !(file = strndup(path, length))) return kl_fail_memory(err, strlen(path));
    const int code =
        take_file(array, file ? file : path, named ? path + length + 1 : "", most, texts, err);
    if (code) kl_store_numbers_free(array);
    free(file);
    return code;
}

/* ---- Elements of arrays: numbers of every size and either order of bytes, as float64 ---- */

size_t kl_weights_element_size(enum kl_element type)
{
    static const size_t size[] = { 2, 2, 4, 8, 4, 8, 1, 1, 2, 1, 2, 4, 8 };
    return size[type];
}

static double half_at(const unsigned char *data)
{
    uint16_t half;
    float value;
    memcpy(&half, data, 2);
    kl_float_from_half(&value, &half, 1);
    return value;
}

static double bfloat_at(const unsigned char *data)
{
    const uint32_t bits = (uint32_t)data[0] << 16 | (uint32_t)data[1] << 24;
    float value;
    memcpy(&value, &bits, 4);
    return value;
}

double kl_weights_element(const struct kl_cells *elements, size_t i)
{
#define LOAD(type)                        \
    {                                     \
        type value;                       \
        memcpy(&value, at, sizeof value); \
        return (double)value;             \
    }
    unsigned char turned[8];
    const size_t size = kl_weights_element_size(elements->type);
    const unsigned char *at = elements->data + i * size;
    for (size_t k = 0; k < size && elements->big_endian; k++) turned[k] = at[size - 1 - k];
    if (elements->big_endian) at = turned;
    switch (elements->type) {
    case KL_EL_F16: return half_at(at);
    case KL_EL_BF16: return bfloat_at(at);
    case KL_EL_F32: LOAD(float)
    case KL_EL_F64: LOAD(double)
    case KL_EL_I32: LOAD(int32_t)
    case KL_EL_I64: LOAD(int64_t)
    case KL_EL_BOOL: return *at != 0;
    case KL_EL_I8: LOAD(int8_t)
    case KL_EL_I16: LOAD(int16_t)
    case KL_EL_U8: LOAD(uint8_t)
    case KL_EL_U16: LOAD(uint16_t)
    case KL_EL_U32: LOAD(uint32_t)
    case KL_EL_U64: LOAD(uint64_t)
    case KL_EL_NONE: break;
    }
    return 0;
#undef LOAD
}

int kl_weights_array_foreign(const char *path, const char *expected, struct kl_error *err)
{
    struct kl_file *file = NULL;
    struct kl_error none;
    char *whole = strndup(path, kl_weights_array_length(path));
    if (!whole) return kl_fail_memory(err, strlen(path));
    int code = KL_OK;
    if (kl_store_file_open(&file, whole, &none) == KL_OK)
        code = kl_fail(err, KL_EDATA, "%s: a file of kind '%s', made by %s; expected %s", whole,
                       kl_store_file_kind(file), kl_store_file_created_by(file), expected);
    kl_store_file_close(&file);
    free(whole);
    return code;
}
