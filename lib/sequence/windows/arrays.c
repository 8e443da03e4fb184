/* SPDX-License-Identifier: MIT
   Windows from arrays: NumPy's .npy, or datasets of a foreign HDF5 file; values (n, channels, steps),
   numbers of classes, people and recordings beside them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sequence/windows/windows_int.h"
#include "store/numbers.h"
#include "store/store.h"
#include "weights/weights.h"

#define LARGEST ((size_t)1 << 32) /* bytes of an array */
#define CLASSES "classes"         /* in a foreign file: names of its labels, by number from 0 */
enum { MOST_CLASSES = 65536 };

static bool ends_with(const char *text, const char *ending)
{
    const size_t n = strlen(text), m = strlen(ending);
    return n > m && strcmp(text + n - m, ending) == 0;
}
static bool is_hdf5(const char *text)
{
    return strstr(text, ".h5:") || strstr(text, ".hdf5:") || ends_with(text, ".h5") ||
           ends_with(text, ".hdf5");
}

bool kl_sequence_is_array(const char *path)
{
    return ends_with(path, ".npy") || ends_with(path, ".npz") || is_hdf5(path);
}

bool kl_sequence_is_other(struct kl_sequence_arrays *a, const char *path)
{
    const bool images = strstr(path, "-idx3-ubyte"), dna = ends_with(path, ".data");
    a->what = images ? KL_SEQUENCE_IMAGES : dna ? KL_SEQUENCE_DNA : KL_SEQUENCE_ARRAYS;
    return images || dna || kl_sequence_is_array(path);
}

int kl_sequence_array_name(char **name, const char *input, const char *reference, const char *usual,
                           struct kl_error *err)
{
    int n;
    const char *colon = strrchr(input, ':'), *one = reference ? reference : input;
    *name = NULL;
    if (ends_with(one, ".npz"))
        return kl_fail(err, KL_EDATA,
                       "%s: an .npz holds several arrays, expected one; save each with np.save (.npy)",
                       one);
    const bool within = reference && is_hdf5(input) && !kl_sequence_is_array(reference);
    if (!reference)
        n = asprintf(name, ends_with(input, ".h5") || ends_with(input, ".hdf5") ? "%s:%s" : "%s", input,
                     usual);
    else if (!within) n = asprintf(name, "%s", reference);
    else
        n = asprintf(name, "%.*s:%s",
                     (int)(is_hdf5(input) && colon && !ends_with(input, ".h5")
                               ? colon - input
                               : (ptrdiff_t)strlen(input)),
                     input, reference);
    if (n < 0) *name = NULL;
    return n < 0 ? kl_fail_memory(err, strlen(input)) : 0;
}

/* ---- NumPy ---- */
static bool element(double *value, const char *type, const unsigned char *data, size_t i)
{
#define ELEMENT(name, c_type)                                          \
    if (strcmp(type, name) == 0) {                                     \
        c_type x;                                                      \
        memcpy(&x, data + i * sizeof x, sizeof x), *value = (double)x; \
        return true;                                                   \
    }
    ELEMENT("<f4", float)
    ELEMENT("<f8", double)
    ELEMENT("<i2", int16_t)
    ELEMENT("<i4", int32_t)
    ELEMENT("<i8", int64_t)
    ELEMENT("|i1", int8_t)
    ELEMENT("|u1", uint8_t)
#undef ELEMENT
    return false;
}
static size_t type_size(const char *type)
{
    return strlen(type) == 3 && type[2] >= '1' && type[2] <= '8' ? (size_t)(type[2] - '0') : 0;
}

static int read_npy(struct kl_numbers *to, const char *path, struct kl_error *err)
{
    char *bytes = NULL;
    size_t n = 0;
    struct kl_npy a;
    int code = kl_read_text(&bytes, &n, path, LARGEST, "an array of NumPy", err);
    const unsigned char *data = (const unsigned char *)bytes;
    if (!code) code = kl_weights_npy_header(&a, path, "data", data, n, err);
    size_t count = 1;
    for (int i = 0; !code && i < a.rank && i < 4; i++)
        if (__builtin_mul_overflow(count, a.dims[i], &count)) count = SIZE_MAX;
    if (!code && (a.fortran || a.rank < 1 || a.rank > 3))
        code = kl_fail(err, KL_EDATA, "%s: found %d dimensions%s, expected 1 to 3 in C order", path,
                       a.rank, a.fortran ? " in Fortran order" : "");
    if (!code && (!type_size(a.descr) || count > (n - a.begin) / type_size(a.descr)))
        code = kl_fail(err, KL_EDATA, "%s: found %zu bytes of type '%s', which do not hold %zu numbers",
                       path, n - a.begin, a.descr, count);
    if (!code && !(to->values = malloc((count + 1) * sizeof *to->values)))
        code = kl_fail_memory(err, count * sizeof *to->values);
    for (size_t i = 0; i < count && !code; i++)
        if (!element(&to->values[i], a.descr, data + a.begin, i))
            code = kl_fail(err, KL_EDATA,
                           "%s: numbers of type '%s' are not read, expected f4, f8, i1 to i8 or u1",
                           path, a.descr);
    for (int i = 0; i < 4 && !code; i++) to->dims[i] = i < a.rank ? a.dims[i] : 0;
    if (!code) to->rank = a.rank;
    free(bytes);
    return code;
}

static int read_array(struct kl_numbers *to, const char *path, struct kl_error *err)
{
    *to = (struct kl_numbers){ 0 };
    int code =
        is_hdf5(path) ? kl_store_foreign_numbers(to, path, LARGEST / 64, err) : read_npy(to, path, err);
    if (!code && to->pairs) code = kl_fail(err, KL_EDATA, "%s: complex numbers are no windows", path);
    return code;
}

/* ---- numbers beside the windows ---- */
static int fail_shape(const struct kl_numbers *a, size_t n, const char *path, struct kl_error *err)
{
    char shape[128];
    size_t used = (size_t)snprintf(shape, sizeof shape, "(%zu", a->dims[0]);
    for (int i = 1; i < a->rank && i < 4; i++)
        used += (size_t)snprintf(shape + used, sizeof shape - used, ", %zu", (size_t)a->dims[i]);
    return kl_fail(err, KL_EDATA, "%s: found the shape %s%s), expected (%zu,), one number a window%s",
                   path, shape, a->rank == 1 ? "," : "", n,
                   a->rank == 2 && a->dims[0] == n ? "; save one column, events[:, 2] of MNE's events"
                                                   : "");
}

/* Whole numbers (n) of `path` to places in a rising list of those that occur. */
static int read_list(int32_t *places, double **list, size_t *n_list, size_t n, const char *path,
                     struct kl_error *err)
{
    struct kl_numbers a;
    int code = read_array(&a, path, err);
    if (!code && (a.rank != 1 || a.dims[0] != n)) code = fail_shape(&a, n, path, err);
    if (!code && !(*list = calloc(n + 1, sizeof **list))) code = kl_fail_memory(err, n * sizeof **list);
    for (size_t i = 0; i < n && !code; i++) {
        const double x = a.values[i];
        size_t at = 0;
        if (!(x == nearbyint(x) && fabs(x) < 1e9))
            return free(a.values),
                   kl_fail(err, KL_EDATA, "%s: number %zu is %g, expected a whole one", path, i, x);
        while (at < *n_list && (*list)[at] < x) at++;
        if (at < *n_list && (*list)[at] == x) continue;
        memmove(*list + at + 1, *list + at, (*n_list - at) * sizeof **list);
        (*list)[at] = x, (*n_list)++;
    }
    for (size_t i = 0; i < n && !code; i++)
        for (places[i] = 0; (*list)[places[i]] != a.values[i];) places[i]++;
    free(a.values);
    return code;
}

/* Each number's name is number[name], if there are such, else the number itself. */
static int add_names(char ***names, size_t *n_names, const double *list, size_t n,
                     char (*const of_number)[KL_TEXT], size_t n_of, const char *path,
                     struct kl_error *err)
{
    int code = 0;
    for (size_t i = 0; i < n && !code; i++) {
        char number[64];
        const size_t before = *n_names;
        int32_t place;
        snprintf(number, sizeof number, "%.0f", list[i]);
        if (n_of && !(list[i] >= 0 && list[i] < (double)n_of))
            return kl_fail(err, KL_EDATA,
                           "%s: number %s has no name among the %zu in " CLASSES
                           " of that file; name the numbers with --classes",
                           path, number, n_of);
        const char *name = n_of ? of_number[(size_t)list[i]] : number;
        code = kl_sequence_collect_name(&place, names, n_names, name, err);
        if (!code && *n_names == before)
            code = kl_fail(err, KL_EDATA,
                           "%s: two numbers are called '%s' in " CLASSES
                           " of that file; name the numbers with --classes",
                           path, name);
    }
    return code;
}

/* named: by the file's own names of classes, if it has such. */
static int take_numbers(int32_t *places, char ***names, size_t *n_names, size_t n, const char *path,
                        bool named, struct kl_error *err)
{
    double *list = NULL;
    char(*texts)[KL_TEXT] = NULL;
    size_t n_list = 0, n_texts = 0;
    int code = read_list(places, &list, &n_list, n, path, err);
    if (!code && named && is_hdf5(path))
        code = kl_store_foreign_texts(&texts, &n_texts, path, CLASSES, MOST_CLASSES, err);
    if (!code) code = add_names(names, n_names, list, n_list, texts, n_texts, path, err);
    free(list), free(texts);
    return code;
}

/* ---- all of it ---- */
static int name_channels(struct kl_sequence_collection *c, const struct kl_sequence_arrays *a,
                         struct kl_error *err)
{
    c->channel_names = calloc(c->channels, sizeof *c->channel_names);
    if (!c->channel_names) return kl_fail_memory(err, c->channels * sizeof *c->channel_names);
    if (a->channels && a->n_channels != c->channels)
        return kl_fail(err, KL_EDATA, "%s: %zu channel%s, --channels names %zu", a->x, c->channels,
                       kl_s(c->channels), a->n_channels);
    for (size_t i = 0; i < c->channels; i++) {
        for (size_t k = 0; k < i && a->channels; k++)
            if (strcmp(a->channels[k], a->channels[i]) == 0)
                return kl_fail(err, KL_EUSAGE, "--channels: '%s' stands twice", a->channels[i]);
        const int made = a->channels ? asprintf(&c->channel_names[i], "%s", a->channels[i])
                                     : asprintf(&c->channel_names[i], "%zu", i + 1);
        if (made >= 0) continue;
        c->channel_names[i] = NULL;
        return kl_fail_memory(err, 16);
    }
    return 0;
}

static int make_room(struct kl_sequence_collection *c, const struct kl_numbers *x,
                     const struct kl_sequence_arrays *a, struct kl_error *err)
{
    const size_t n = x->dims[0];
    const char *path = a->x;
    if (x->rank != 2 && x->rank != 3)
        return kl_fail(
            err, KL_EDATA,
            "%s: found %d dimensions, expected (windows, channels, steps) or (windows, steps)", path,
            x->rank);
    c->channels = x->rank == 3 ? x->dims[1] : 1, c->steps = x->rank == 3 ? x->dims[2] : x->dims[1];
    if (!n || !c->channels || !c->steps) return kl_fail(err, KL_EDATA, "%s: holds no numbers", path);
    const int code = name_channels(c, a, err);
    return code ? code : kl_sequence_collect_room(c, n, err);
}

static int fill(struct kl_sequence_collection *c, const struct kl_numbers *x,
                const struct kl_sequence_arrays *a, struct kl_error *err)
{
    const double scale = a->unit > 0 ? 1e6 * a->unit : 1;
    const size_t each = c->channels * c->steps;
    c->n = c->count.windows = x->dims[0];
    for (size_t i = 0; i < c->n * each; i++) {
        c->x[i] = (float)(scale * x->values[i]);
        if (!isfinite(c->x[i]))
            return kl_fail(err, KL_EDATA, "%s: window %zu, channel %zu, step %zu is no finite number",
                           a->x, i / each, i % each / c->steps, i % c->steps);
    }
    for (size_t i = 0; i < c->n; i++)
        c->labels[i] = -1, c->subject[i] = c->recording[i] = 0, c->onset[i] = NAN;
    return 0;
}

int kl_sequence_arrays_read(struct kl_sequence_collection *c, char ***classes, size_t *n_classes,
                            const struct kl_sequence_arrays *a, struct kl_error *err)
{
    struct kl_numbers x;
    struct kl_sequence_name name;
    int32_t place;
    int code = read_array(&x, a->x, err);
    kl_sequence_name_of(&name, a->x);
    if (!code) code = make_room(c, &x, a, err);
    if (!code) code = fill(c, &x, a, err);
    free(x.values);
    c->rate = a->rate;
    if (!code && a->y) code = take_numbers(c->labels, classes, n_classes, c->n, a->y, !a->named, err);
    if (!code && a->subjects)
        code =
            take_numbers(c->subject, &c->subject_names, &c->n_subjects, c->n, a->subjects, false, err);
    else if (!code)
        code = kl_sequence_collect_name(&place, &c->subject_names, &c->n_subjects, name.subject, err);
    if (!code && a->recordings)
        code = take_numbers(c->recording, &c->recording_names, &c->n_recordings, c->n, a->recordings,
                            false, err);
    else if (!code) { /* then a person is a recording */
        memcpy(c->recording, c->subject, c->n * sizeof *c->recording);
        for (size_t i = 0; i < c->n_subjects && !code; i++)
            code = kl_sequence_collect_name(&place, &c->recording_names, &c->n_recordings,
                                            c->subject_names[i], err);
    }
    return code;
}
