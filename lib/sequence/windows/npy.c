/* SPDX-License-Identifier: MIT
   Arrays of NumPy (.npy): numbers of any kind and order of bytes, in C or Fortran order, and texts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sequence/windows/windows_int.h"
#include "store/numbers.h"
#include "weights/weights.h"

enum { RANK = 4, CHARACTER = 4 /* bytes of NumPy's U */ };

struct file {
    const char *path;
    char *bytes;
    const unsigned char *data; /* of the elements */
    struct kl_npy array;
    size_t n, size; /* elements; bytes of one */
    bool swapped;
};

/* ---- the header ---- */
/* Bytes of an element; 0: it is of a kind that is not read. */
static size_t size_of(const char *descr)
{
    const char *digits = descr + 2;
    const unsigned long n = strtoul(digits, NULL, 10);
    if (strlen(descr) < 3 || !strchr("<>|=", descr[0]) || digits[strspn(digits, "0123456789")] ||
        n > 65536)
        return 0;
    if (descr[1] == 'U') return CHARACTER * n;
    if (descr[1] == 'S') return n;
    if (descr[1] == 'b') return n == 1 ? 1 : 0;
    if (descr[1] == 'f') return n == 2 || n == 4 || n == 8 ? n : 0;
    return strchr("iu", descr[1]) && (n == 1 || n == 2 || n == 4 || n == 8) ? n : 0;
}

static int check_kind(const struct file *f, bool texts, struct kl_error *err)
{
    const char kind = f->array.descr[1];
    if (f->size && (kind == 'U' || kind == 'S') == texts) return 0;
    return kl_fail(err, KL_EDATA, "%s: elements of type '%s' are not read, expected %s", f->path,
                   f->array.descr, texts ? "texts" : "numbers (f2 to f8, i1 to u8) or b1");
}

static int open_file(struct file *f, const char *path, size_t largest, struct kl_error *err)
{
    size_t bytes = 0;
    *f = (struct file){ .path = path };
    int code = kl_read_text(&f->bytes, &bytes, path, largest, "an array of NumPy", err);
    const unsigned char *all = (const unsigned char *)f->bytes;
    if (!code && memmem(all, bytes < 256 ? bytes : 256, "'|O'", 4))
        return kl_fail(
            err, KL_EDATA,
            "%s: an array of objects, which are pickles and not read; save y.astype(str), or numbers",
            path);
    if (!code) code = kl_weights_npy_header(&f->array, path, "data", all, bytes, err);
    if (code) return code;
    f->n = 1, f->data = all + f->array.begin, f->size = size_of(f->array.descr);
    f->swapped = f->array.descr[0] == '>';
    if (f->array.rank > RANK)
        return kl_fail(err, KL_EDATA, "%s: found %d dimensions, expected 1 to 3", path, f->array.rank);
    for (int i = 0; i < f->array.rank; i++)
        if (__builtin_mul_overflow(f->n, f->array.dims[i], &f->n)) f->n = SIZE_MAX;
    if (!f->size || f->n <= (bytes - f->array.begin) / f->size) return 0;
    return kl_fail(err, KL_EDATA, "%s: found %zu bytes of type '%s', which do not hold %zu elements",
                   path, bytes - f->array.begin, f->array.descr, f->n);
}

/* ---- elements ---- */
static double half(uint16_t word)
{
    const int exponent = word >> 10 & 31, fraction = word & 1023;
    const double size = exponent == 31 ? (fraction ? NAN : INFINITY)
                        : exponent     ? ldexp(1024 + fraction, exponent - 25)
                                       : ldexp(fraction, -24);
    return word >> 15 ? -size : size;
}

static double real(const unsigned char *bytes, size_t size)
{
    uint16_t word;
    float single;
    double whole;
    if (size == 2) return memcpy(&word, bytes, 2), half(word);
    if (size == 4) return memcpy(&single, bytes, 4), (double)single;
    return memcpy(&whole, bytes, 8), whole;
}

static double integer(const unsigned char *bytes, size_t size, bool has_sign)
{
    uint64_t value = 0;
    memcpy(&value, bytes, size); /* little-endian, as this processor */
    const uint64_t sign = (uint64_t)1 << (8 * size - 1);
    if (has_sign && value & sign && size < 8) value |= ~(sign | (sign - 1));
    return has_sign ? (double)(int64_t)value : (double)value;
}

static double element(const struct file *f, size_t i)
{
    unsigned char bytes[8];
    const unsigned char *at = f->data + i * f->size;
    for (size_t k = 0; k < f->size; k++) bytes[k] = at[f->swapped ? f->size - 1 - k : k];
    return f->array.descr[1] == 'f' ? real(bytes, f->size)
                                    : integer(bytes, f->size, f->array.descr[1] == 'i');
}

/* Where element i of C order stands in Fortran order. */
static size_t place_of(const struct file *f, size_t i)
{
    size_t at = 0, stride[RANK] = { 1 };
    if (!f->array.fortran) return i;
    for (int k = 1; k < f->array.rank; k++) stride[k] = stride[k - 1] * f->array.dims[k - 1];
    for (int k = f->array.rank - 1; k >= 0; k--)
        at += i % f->array.dims[k] * stride[k], i /= f->array.dims[k];
    return at;
}

int kl_sequence_npy_numbers(struct kl_numbers *to, const char *path, size_t largest,
                            struct kl_error *err)
{
    struct file f;
    int code = open_file(&f, path, largest, err);
    if (!code) code = check_kind(&f, false, err);
    if (!code && !(to->values = malloc((f.n + 1) * sizeof *to->values)))
        code = kl_fail_memory(err, f.n * sizeof *to->values);
    for (size_t i = 0; i < f.n && !code; i++) to->values[i] = element(&f, place_of(&f, i));
    to->rank = code ? 0 : f.array.rank;
    for (int i = 0; i < to->rank; i++) to->dims[i] = f.array.dims[i];
    free(f.bytes);
    return code;
}

/* ---- texts ---- */
static uint32_t character(const struct file *f, const unsigned char *at)
{
    uint32_t code;
    memcpy(&code, at, CHARACTER);
    return f->swapped ? __builtin_bswap32(code) : code;
}

/* As UTF-8 without control characters. */
static char *text_of(const struct file *f, size_t i)
{
    const unsigned char *at = f->data + i * f->size, *end = at + f->size;
    char *text = malloc(f->size + 1), *to = text;
    if (!text) return NULL;
    if (f->array.descr[1] == 'S') memcpy(text, at, f->size), text[f->size] = '\0', to += strlen(text);
    for (; f->array.descr[1] == 'U' && at < end; at += CHARACTER) {
        const uint32_t c = character(f, at);
        if (!c) break;
        if (c < 0x80) *to++ = (char)c;
        else if (c < 0x800) *to++ = (char)(0xc0 | c >> 6), *to++ = (char)(0x80 | (c & 63));
        else if (c < 0x10000)
            *to++ = (char)(0xe0 | c >> 12), *to++ = (char)(0x80 | (c >> 6 & 63)),
            *to++ = (char)(0x80 | (c & 63));
        else
            *to++ = (char)(0xf0 | (c >> 18 & 7)), *to++ = (char)(0x80 | (c >> 12 & 63)),
            *to++ = (char)(0x80 | (c >> 6 & 63)), *to++ = (char)(0x80 | (c & 63));
    }
    *to = '\0';
    kl_make_printable(text);
    return text;
}

bool kl_sequence_npy_is_texts(const char *path)
{
    struct kl_npy array;
    struct kl_error none;
    char begin[512];
    FILE *file = fopen(path, "re");
    const size_t n = file ? fread(begin, 1, sizeof begin, file) : 0;
    if (file) fclose(file);
    return n && !kl_weights_npy_header(&array, path, "data", (const unsigned char *)begin, n, &none) &&
           strchr("US", array.descr[1]);
}

int kl_sequence_npy_texts(char ***texts, size_t *n, const char *path, size_t largest,
                          struct kl_error *err)
{
    struct file f;
    int code = open_file(&f, path, largest, err);
    *texts = NULL, *n = 0;
    if (!code) code = check_kind(&f, true, err);
    if (!code && f.array.rank > 1 && f.n != f.array.dims[0])
        code = kl_fail(err, KL_EDATA, "%s: found texts of %d dimensions, expected one text a window",
                       path, f.array.rank);
    if (!code && !(*texts = calloc(f.n + 1, sizeof **texts)))
        code = kl_fail_memory(err, f.n * sizeof **texts);
    for (; !code && *n < f.n; ++*n)
        if (!((*texts)[*n] = text_of(&f, *n))) code = kl_fail_memory(err, f.size);
    free(f.bytes);
    return code;
}
