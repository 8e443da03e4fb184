/* SPDX-License-Identifier: MIT
   Windows from what has no time of its own: arrays, images, DNA sequences. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/ingest.h"
#include "sequence/windows/windows_int.h"
#include "store/store.h"
#include "weights/array.h"

/* ---- arrays ----
   Windows from arrays of NumPy or of a foreign HDF5 file; values (n, channels, steps), numbers or texts
   of classes, people and recordings beside them. */

#define LARGEST ((size_t)1 << 32) /* bytes of an array */
#define CLASSES "classes"         /* in a foreign file: names of its labels, by number from 0 */
enum { MOST_CLASSES = 65536 };

bool kl_sequence_is_other(struct kl_sequence_arrays *a, const char *path)
{
    const bool images = strstr(path, "-idx3-ubyte"),
               dna = kl_weights_file_length(path, ".data") == strlen(path);
    a->what = images ? KL_SEQUENCE_IMAGES : dna ? KL_SEQUENCE_DNA : KL_SEQUENCE_ARRAYS;
    return images || dna || kl_weights_is_array(path);
}

int kl_sequence_array_name(char **name, const char *input, const char *reference, const char *usual,
                           struct kl_error *err)
{
    int n;
    const size_t length = kl_weights_array_length(input);
    const bool several = kl_weights_is_hdf5(input) || kl_weights_file_length(input, ".npz");
    *name = NULL;
    if (!reference)
        n = asprintf(name, kl_weights_is_hdf5(input) && !input[length] ? "%s:%s" : "%s", input, usual);
    else if (!several || kl_weights_is_array(reference)) n = asprintf(name, "%s", reference);
    else n = asprintf(name, "%.*s:%s", (int)length, input, reference);
    if (n < 0) *name = NULL;
    return n < 0 ? kl_fail_memory(err, strlen(input)) : 0;
}

static int read_array(struct kl_numbers *to, const char *path, bool texts, struct kl_error *err)
{
    int code = kl_weights_array_read(to, path, LARGEST / 64, texts, err);
    if (!code && to->pairs) {
        kl_store_numbers_free(to);
        code = kl_fail(err, KL_EDATA, "%s: complex numbers are no windows", path);
    }
    return code;
}

/* ---- numbers beside the windows ---- */
static int fail_shape(const struct kl_numbers *a, size_t n, const char *path, struct kl_error *err)
{
    char shape[128];
    size_t used = (size_t)snprintf(shape, sizeof shape, "(%zu", a->dims[0]);
    for (int i = 1; i < a->rank && i < 4; i++)
        used += (size_t)snprintf(shape + used, sizeof shape - used, ", %zu", (size_t)a->dims[i]);
    return kl_fail(err, KL_EDATA,
                   "%s: found the shape %s%s), expected (%zu,), one number or text a window, or rows of "
                   "zeros with a one%s",
                   path, shape, a->rank == 1 ? "," : "", n,
                   a->rank == 2 && a->dims[0] == n ? "; save one column, events[:, 2] of MNE's events"
                                                   : "");
}

/* Rows of zeros with a one become its column's number. */
static bool one_hot(double *values, size_t n, size_t columns)
{
    for (size_t i = 0; i < n; i++) {
        double place = -1;
        for (size_t k = 0; k < columns; k++) {
            const double value = values[i * columns + k];
            if (value != 0 && (value != 1 || place >= 0)) return false;
            if (value == 1) place = (double)k;
        }
        if (place < 0) return false;
        values[i] = place;
    }
    return true;
}

/* One number or text for each of n windows: (n), (n, 1), (1, n), or one-hot rows. */
static int read_column(struct kl_numbers *a, size_t n, const char *path, struct kl_error *err)
{
    int code = read_array(a, path, true, err);
    if (code) return code;
    size_t count = a->rank > 0, longest = 0;
    for (int i = 0; i < a->rank; i++) {
        count *= a->dims[i];
        longest = a->dims[i] > longest ? a->dims[i] : longest;
    }
    const bool vector = count == n && longest == n,
               rows = a->values && a->rank == 2 && a->dims[0] == n && a->dims[1] > 1;
    if (vector || (rows && one_hot(a->values, n, a->dims[1]))) return KL_OK;
    code = fail_shape(a, n, path, err);
    kl_store_numbers_free(a);
    return code;
}

/* Whole numbers (n) to places in a rising list of those that occur. */
static int list_numbers(int32_t *places, double **list, size_t *n_list, const double *values, size_t n,
                        const char *path, struct kl_error *err)
{
    if (!(*list = calloc(n + 1, sizeof **list))) return kl_fail_memory(err, n * sizeof **list);
    for (size_t i = 0; i < n; i++) {
        const double x = values[i];
        size_t at = 0;
        if (!(x == nearbyint(x) && fabs(x) < 1e9))
            return kl_fail(err, KL_EDATA, "%s: number %zu is %g, expected a whole one", path, i, x);
        while (at < *n_list && (*list)[at] < x) at++;
        if (at < *n_list && (*list)[at] == x) continue;
        memmove(*list + at + 1, *list + at, (*n_list - at) * sizeof **list);
        (*list)[at] = x, (*n_list)++;
    }
    for (size_t i = 0; i < n; i++)
        for (places[i] = 0; (*list)[places[i]] != values[i];) places[i]++;
    return KL_OK;
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Texts name what they are of: the list is in the order of their bytes, as NumPy's unique has it. */
static int take_texts(int32_t *places, char ***names, size_t *n_names, char (*const texts)[KL_TEXT],
                      size_t n, const char *path, struct kl_error *err)
{
    char(*sorted)[KL_TEXT] = malloc((n + 1) * sizeof *sorted);
    int code = sorted ? KL_OK : kl_fail_memory(err, n * sizeof *sorted);
    int32_t place;
    if (sorted) memcpy(sorted, texts, n * sizeof *sorted), qsort(sorted, n, sizeof *sorted, by_bytes);
    for (size_t i = 0; i < n && !code; i++)
        if (!*sorted[i]) code = kl_fail(err, KL_EDATA, "%s: an empty text names nothing", path);
        else if (!i || strcmp(sorted[i], sorted[i - 1]))
            code = kl_sequence_collect_name(&place, names, n_names, sorted[i], err);
    for (size_t i = 0; i < n && !code; i++)
        code = kl_sequence_collect_name(&places[i], names, n_names, texts[i], err);
    free(sorted);
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
static int take_numbers(int32_t *places, char ***names, size_t *n_names, const double *values, size_t n,
                        const char *path, bool named, struct kl_error *err)
{
    double *list = NULL;
    char(*texts)[KL_TEXT] = NULL;
    size_t n_list = 0, n_texts = 0;
    int code = list_numbers(places, &list, &n_list, values, n, path, err);
    if (!code && named && kl_weights_is_hdf5(path))
        code = kl_store_foreign_texts(&texts, &n_texts, path, CLASSES, MOST_CLASSES, err);
    if (!code) code = add_names(names, n_names, list, n_list, texts, n_texts, path, err);
    free(list), free(texts);
    return code;
}

static int take_column(int32_t *places, char ***names, size_t *n_names, size_t n, const char *path,
                       bool named, struct kl_error *err)
{
    struct kl_numbers a;
    int code = read_column(&a, n, path, err);
    if (code) return code;
    code = a.texts ? take_texts(places, names, n_names, a.texts, n, path, err)
                   : take_numbers(places, names, n_names, a.values, n, path, named, err);
    kl_store_numbers_free(&a);
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

/* (windows, 1, channels, steps) and (windows, channels, steps, 1), as nets of convolutions take them. */
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
    if (x->rank == 4)
        return kl_fail(err, KL_EDATA,
                       "%s: found (%zu, %zu, %zu, %zu), expected (windows, channels, steps); save "
                       "x.squeeze() if an axis of 1 is of filters, as of EEGNet's inputs",
                       path, n, x->dims[1], x->dims[2], x->dims[3]);
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
    int code = read_array(&x, a->x, false, err);
    kl_sequence_name_of(&name, a->x);
    if (!code) drop_axis(&x);
    if (!code) code = make_room(c, &x, a, err);
    if (!code) code = fill(c, &x, a, err);
    kl_store_numbers_free(&x);
    c->rate = a->rate;
    if (!code && a->y) code = take_column(c->labels, classes, n_classes, c->n, a->y, !a->named, err);
    if (!code && a->subjects)
        code = take_column(c->subject, &c->subject_names, &c->n_subjects, c->n, a->subjects, false, err);
    else if (!code)
        code = kl_sequence_collect_name(&place, &c->subject_names, &c->n_subjects, name.subject, err);
    if (!code && a->recordings)
        code = take_column(c->recording, &c->recording_names, &c->n_recordings, c->n, a->recordings,
                           false, err);
    else if (!code) { /* then a person is a recording */
        memcpy(c->recording, c->subject, c->n * sizeof *c->recording);
        for (size_t i = 0; i < c->n_subjects && !code; i++)
            code = kl_sequence_collect_name(&place, &c->recording_names, &c->n_recordings,
                                            c->subject_names[i], err);
    }
    return code;
}

/* ---- samples ----
   Windows from what has no time: images, whose pixels are the steps of one channel, and DNA sequences of
   UCI's promoters (Towell et al. 1990), four steps a base. Each sample is a person of its own, as none
   knows another. */

enum { BASES = 57, LARGEST_TEXT = 1 << 20 };

/* n samples of one channel, named by their file and number: the first of two files are not one person.
 */
static int make_samples_room(struct kl_sequence_collection *c, const char *path, size_t n, size_t steps,
                             struct kl_error *err)
{
    struct kl_sequence_name file;
    kl_sequence_name_of(&file, path);
    c->channels = 1, c->steps = steps;
    c->channel_names = calloc(1, sizeof *c->channel_names);
    c->subject_names = calloc(n, sizeof *c->subject_names);
    c->recording_names = calloc(n, sizeof *c->recording_names);
    if (!c->channel_names || !c->subject_names || !c->recording_names ||
        !(*c->channel_names = strdup("1")))
        return kl_fail_memory(err, n * sizeof(char *));
    int code = kl_sequence_collect_room(c, n, err);
    for (size_t i = 0; i < n && !code; i++) {
        char name[sizeof file.subject + 24];
        snprintf(name, sizeof name, "%s %zu", file.subject, i + 1);
        c->subject[i] = c->recording[i] = (int32_t)i, c->onset[i] = NAN;
        if ((c->subject_names[i] = strdup(name))) c->n_subjects++;
        if ((c->recording_names[i] = strdup(name))) c->n_recordings++;
        if (c->n_recordings != i + 1 || c->n_subjects != i + 1) code = kl_fail_memory(err, sizeof name);
    }
    if (!code) c->n = c->count.windows = n;
    return code;
}

/* ---- images ---- */
static int read_images(struct kl_sequence_collection *c, char ***classes, size_t *n_classes,
                       const char *path, struct kl_images *images, struct kl_error *err)
{
    const size_t steps = images->height * images->width * images->channels;
    struct kl_arena arena = { 0 };
    uint8_t *pixels = malloc(steps + 1);
    int code = pixels ? kl_arena_init(&arena, 1 << 16, err) : kl_fail_memory(err, steps);
    if (!code) code = make_samples_room(c, path, images->n, steps, err);
    for (size_t i = 0; i < images->n && !code; i++) {
        code = kl_ingest_images_read(images, i, 1, pixels, &arena, err);
        for (size_t k = 0; k < steps && !code; k++) c->x[i * steps + k] = (float)pixels[k] / 255;
        c->labels[i] = images->labels[i];
    }
    for (size_t k = 0; k < images->n_classes && !code; k++) {
        int32_t place;
        char *name = strndup(images->class_names + k * images->class_name_size, images->class_name_size);
        code = name ? kl_sequence_collect_name(&place, classes, n_classes, name, err)
                    : kl_fail_memory(err, images->class_name_size);
        free(name);
    }
    kl_arena_free(&arena);
    free(pixels);
    return code;
}

int kl_sequence_images_read(struct kl_sequence_collection *c, char ***classes, size_t *n_classes,
                            const char *path, const char *labels, size_t limit, struct kl_error *err)
{
    struct kl_images_options how;
    struct kl_images *images = NULL;
    kl_ingest_images_options_default(&how);
    how.labels = labels, how.limit = limit;
    int code = kl_ingest_images_open(&images, &path, 1, &how, err);
    if (!code) code = read_images(c, classes, n_classes, path, images, err);
    kl_ingest_images_close(&images);
    return code;
}

/* ---- DNA ---- */
/* "+,S10,\t\ttactag...", 57 bases; +: a promoter. */
static int read_line(float *x, int32_t *label, char *line, const char *path, size_t number,
                     struct kl_error *err)
{
    char *name = strchr(line, ','), *sequence = name ? strchr(name + 1, ',') : NULL;
    size_t n = 0;
    if (!sequence || name != line + 1 || (*line != '+' && *line != '-'))
        return kl_fail(
            err, KL_EDATA,
            "%s: line %zu is none of UCI's promoters, expected +,NAME,SEQUENCE or -,NAME,SEQUENCE", path,
            number);
    for (char *at = sequence + 1; *at; at++) {
        const char *const bases = "acgt", *base = strchr(bases, tolower((unsigned char)*at));
        if (isspace((unsigned char)*at)) continue;
        if (!base || n == BASES)
            return kl_fail(err, KL_EDATA,
                           "%s: line %zu: found '%c' behind %zu bases, expected %d of a, c, g, t", path,
                           number, isprint((unsigned char)*at) ? *at : '?', n, BASES);
        for (int b = 0; b < 4; b++) x[4 * n + (size_t)b] = base == bases + b;
        n++;
    }
    if (n != BASES)
        return kl_fail(err, KL_EDATA, "%s: line %zu has %zu bases, expected %d", path, number, n, BASES);
    *label = *line == '+' ? 0 : 1;
    return 0;
}

int kl_sequence_dna_read(struct kl_sequence_collection *c, char ***classes, size_t *n_classes,
                         const char *path, struct kl_error *err)
{
    char *text = NULL, *rest = NULL;
    size_t bytes = 0, lines = 1, number = 0, n = 0;
    int32_t place;
    int code = kl_read_text(&text, &bytes, path, LARGEST_TEXT, "UCI's promoters", err);
    for (size_t i = 0; i < bytes; i++) lines += text[i] == '\n';
    if (!code) code = make_samples_room(c, path, lines, 4 * BASES, err);
    for (char *line = text; line && !code; line = rest) {
        rest = strchr(line, '\n');
        if (rest) *rest++ = 0;
        number++;
        if (!line[strspn(line, " \t\r")]) continue;
        code = read_line(c->x + n * 4 * BASES, &c->labels[n], line, path, number, err);
        n++;
    }
    if (!code && !n) code = kl_fail(err, KL_EDATA, "%s: has no sequences", path);
    c->n = c->count.windows = n;
    for (; !code && c->n_subjects > n; c->n_subjects--, c->n_recordings--)
        free(c->subject_names[c->n_subjects - 1]), free(c->recording_names[c->n_recordings - 1]);
    if (!code) code = kl_sequence_collect_name(&place, classes, n_classes, "promoter", err);
    if (!code) code = kl_sequence_collect_name(&place, classes, n_classes, "none", err);
    free(text);
    return code;
}
