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
    static const char *const endings[] = { ".h5", ".hdf5", ".mat" };
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const char *found = strstr(text, endings[i]);
        if (ends_with(text, endings[i]) || (found && found[strlen(endings[i])] == ':')) return true;
    }
    return false;
}

/* FILE:DATASET of an HDF5 file. */
static bool names_dataset(const char *text)
{
    return is_hdf5(text) && !ends_with(text, ".h5") && !ends_with(text, ".hdf5") &&
           !ends_with(text, ".mat");
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
        n = asprintf(name, is_hdf5(input) && !names_dataset(input) ? "%s:%s" : "%s", input, usual);
    else if (!within) n = asprintf(name, "%s", reference);
    else
        n = asprintf(name, "%.*s:%s",
                     (int)(names_dataset(input) ? colon - input : (ptrdiff_t)strlen(input)), input,
                     reference);
    if (n < 0) *name = NULL;
    return n < 0 ? kl_fail_memory(err, strlen(input)) : 0;
}

static int read_array(struct kl_numbers *to, const char *path, struct kl_error *err)
{
    *to = (struct kl_numbers){ 0 };
    int code = is_hdf5(path) ? kl_store_foreign_numbers(to, path, LARGEST / 64, err)
                             : kl_sequence_npy_numbers(to, path, LARGEST, err);
    if (!code && to->pairs) code = kl_fail(err, KL_EDATA, "%s: complex numbers are no windows", path);
    return code;
}

/* ---- numbers and texts beside the windows ---- */
static int fail_shape(const struct kl_numbers *a, size_t n, const char *path, struct kl_error *err)
{
    char shape[128];
    size_t used = (size_t)snprintf(shape, sizeof shape, "(%zu", a->dims[0]);
    for (int i = 1; i < a->rank && i < 4; i++)
        used += (size_t)snprintf(shape + used, sizeof shape - used, ", %zu", (size_t)a->dims[i]);
    return kl_fail(
        err, KL_EDATA, "%s: found the shape %s%s), expected (%zu,), one number a window%s", path, shape,
        a->rank == 1 ? "," : "", n,
        a->rank == 2 && a->dims[0] == n
            ? "; save one column, events[:, 2] of MNE's events, y.argmax(axis=1) of one-hot rows"
            : "");
}

/* A column of n is n numbers. */
static bool is_list(const struct kl_numbers *a, size_t n)
{
    for (int i = 1; i < a->rank; i++)
        if (a->dims[i] != 1) return false;
    return a->rank >= 1 && a->dims[0] == n;
}

/* Whole numbers (n) of `path` to places in a rising list of those that occur. */
static int read_list(int32_t *places, double **list, size_t *n_list, size_t n, const char *path,
                     struct kl_error *err)
{
    struct kl_numbers a;
    int code = read_array(&a, path, err);
    if (!code && !is_list(&a, n)) code = fail_shape(&a, n, path, err);
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

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Texts name themselves, in their order. */
static int name_texts(int32_t *places, char ***names, size_t *n_names, size_t n, char **texts,
                      size_t n_texts, const char *path, struct kl_error *err)
{
    int32_t place;
    int code = 0;
    if (n_texts != n)
        return kl_fail(err, KL_EDATA, "%s: found %zu texts, expected %zu, one a window", path, n_texts,
                       n);
    char **order = malloc((n + 1) * sizeof *order);
    if (!order) return kl_fail_memory(err, n * sizeof *order);
    memcpy(order, texts, n * sizeof *order);
    qsort(order, n, sizeof *order, by_text);
    for (size_t i = 0; i < n && !code; i++) {
        if (!*order[i])
            code = kl_fail(err, KL_EDATA, "%s: a text is empty, expected a name for each window", path);
        else if (!i || strcmp(order[i], order[i - 1]))
            code = kl_sequence_collect_name(&place, names, n_names, order[i], err);
    }
    free(order);
    for (size_t i = 0; i < n && !code; i++)
        code = kl_sequence_collect_name(&places[i], names, n_names, texts[i], err);
    return code;
}

/* Texts of a dataset; *n 0: it holds none. */
static int read_texts(char ***texts, size_t *n, const char *path, struct kl_error *err)
{
    char(*found)[KL_TEXT] = NULL;
    const char *dataset = strrchr(path, ':') + 1;
    int code = kl_store_foreign_texts(&found, n, path, dataset, LARGEST / KL_TEXT, err);
    *texts = code ? NULL : calloc(*n + 1, sizeof **texts);
    if (!code && !*texts) code = kl_fail_memory(err, *n * sizeof **texts);
    for (size_t i = 0; i < *n && !code; i++)
        if (!((*texts)[i] = strdup(found[i]))) code = kl_fail_memory(err, KL_TEXT);
    free(found);
    return code;
}

/* *taken: the list holds texts, which are now names and places. */
static int take_texts(bool *taken, int32_t *places, char ***names, size_t *n_names, size_t n,
                      const char *path, struct kl_error *err)
{
    char **texts = NULL;
    size_t n_texts = 0;
    int code = 0;
    if (is_hdf5(path)) {
        if (names_dataset(path) && read_texts(&texts, &n_texts, path, err))
            n_texts = 0; /* numbers, then */
    } else if (kl_sequence_npy_is_texts(path)) {
        code = kl_sequence_npy_texts(&texts, &n_texts, path, LARGEST, err);
    }
    *taken = n_texts > 0;
    if (!code && *taken) code = name_texts(places, names, n_names, n, texts, n_texts, path, err);
    kl_sequence_words_free(texts, n_texts);
    return code;
}

/* named: by the file's own names of classes, if it has such. */
static int take_numbers(int32_t *places, char ***names, size_t *n_names, size_t n, const char *path,
                        bool named, struct kl_error *err)
{
    double *list = NULL;
    char(*texts)[KL_TEXT] = NULL;
    size_t n_list = 0, n_texts = 0;
    bool taken = false;
    int code = take_texts(&taken, places, names, n_names, n, path, err);
    if (code || taken) return code;
    code = read_list(places, &list, &n_list, n, path, err);
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

/* (windows, 1, channels, steps) and (windows, channels, steps, 1), as nets in two dimensions have them.
 */
static void drop_axis(struct kl_numbers *x)
{
    const int axis = x->rank != 4 ? -1 : x->dims[1] == 1 ? 1 : x->dims[3] == 1 ? 3 : -1;
    if (axis < 0) return;
    for (int i = axis; i < 3; i++) x->dims[i] = x->dims[i + 1];
    x->rank = 3;
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
    if (!code) drop_axis(&x);
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
