/* SPDX-License-Identifier: MIT
   A file of kind windows, how windows are collected, and lists of names. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sequence/recording/recording.h"
#include "sequence/windows/windows.h"
#include "sequence/windows/windows_int.h"
#include "store/kind.h"
#include "store/store.h"

/* ---- lists of names, written and read; numbers into them ---- */

int kl_sequence_names_put(struct kl_writer *writer, const char *dataset, const char *const *names,
                          size_t n, struct kl_error *err)
{
    size_t item = 1;
    for (size_t i = 0; i < n; i++) item = strlen(names[i]) > item ? strlen(names[i]) : item;
    item = (item + 8) / 8 * 8;
    char *all = calloc(n + 1, item);
    if (!all) return kl_fail_memory(err, (n + 1) * item);
    for (size_t i = 0; i < n; i++) memcpy(all + i * item, names[i], strlen(names[i]));
    const int code =
        kl_store_writer_put(writer, dataset, KL_TYPE_STRING, item, 1, (size_t[]){ n }, all, err);
    free(all);
    return code < 0 ? code : 0;
}

int kl_sequence_names_take(char ***names, size_t *n, struct kl_file *file, const char *dataset,
                           struct kl_error *err)
{
    const struct kl_dataset *d;
    void *data = NULL;
    int code = kl_store_file_load_named(&data, &d, file, dataset, KL_TYPE_STRING, 1, err);
    if (code) return code;
    *n = d->rows;
    *names = calloc(d->rows + 1, sizeof **names);
    if (!*names) code = kl_fail_memory(err, (d->rows + 1) * sizeof **names), *n = 0;
    for (size_t i = 0; i < d->rows && !code; i++) {
        (*names)[i] = strndup((const char *)data + i * d->item_size, d->item_size);
        if (!(*names)[i]) code = kl_fail_memory(err, d->item_size);
        else kl_make_printable((*names)[i]);
    }
    free(data);
    return code;
}

int kl_sequence_numbers_take(int32_t **numbers, struct kl_file *file, const char *dataset, size_t n,
                             int32_t least, size_t names, struct kl_error *err)
{
    void *data = NULL;
    int code = kl_store_file_load_shape(&data, file, dataset, KL_TYPE_I32, 1, &n, err);
    const int32_t *const values = *numbers = data;
    for (size_t i = 0; i < n && !code; i++)
        if (values[i] < least || (values[i] >= 0 && (size_t)values[i] >= names))
            code = kl_fail(err, KL_EDATA,
                           "%s: dataset %s: number %zu is %d, expected %d or more, below %zu",
                           kl_store_file_path(file), dataset, i, (int)values[i], (int)least, names);
    return code;
}

void kl_sequence_names_free(char **names, size_t n)
{
    for (size_t i = 0; names && i < n; i++) free(names[i]);
    free(names);
}

/* ---- windows as they are collected: values and names that grow ---- */

int kl_sequence_collect_name(int32_t *place, char ***names, size_t *n, const char *name,
                             struct kl_error *err)
{
    for (size_t i = 0; i < *n; i++)
        if (strcmp((*names)[i], name) == 0) {
            *place = (int32_t)i;
            return 0;
        }
    char **more = realloc(*names, (*n + 1) * sizeof *more), *copy = strdup(name);
    if (more) *names = more;
    if (!more || !copy) {
        free(copy);
        return kl_fail_memory(err, (*n + 1) * sizeof *more);
    }
    *place = (int32_t)*n, more[(*n)++] = copy;
    return 0;
}

int kl_sequence_collect_text(struct kl_sequence_collection *c, const struct kl_sequence_labels *labels,
                             const char *text, struct kl_error *err)
{
    int32_t place;
    for (size_t i = 0; i < labels->n; i++)
        if (strcmp(labels->texts[i], text) == 0) c->found[i] = true;
    if (c->n_texts == KL_SEQUENCE_TEXTS) return 0;
    return kl_sequence_collect_name(&place, &c->texts, &c->n_texts, text, err);
}

static bool grow(void *at, size_t bytes)
{
    void *old, *more;
    memcpy(&old, at, sizeof old);
    more = realloc(old, bytes);
    if (more) memcpy(at, &more, sizeof more);
    return more;
}

static int reject_room(struct kl_sequence_collection *c, size_t more, struct kl_error *err)
{
    const size_t room = 2 * (c->n_rejected + more);
    if (c->n_rejected + more <= c->rejected_room) return 0;
    if (!grow(&c->rejected, room * sizeof *c->rejected))
        return kl_fail_memory(err, room * sizeof *c->rejected);
    c->rejected_room = room;
    return 0;
}

int kl_sequence_collect_room(struct kl_sequence_collection *c, size_t more, struct kl_error *err)
{
    const int code = reject_room(c, more, err);
    if (code) return code;
    if (c->n + more <= c->room) return 0;
    const size_t room = c->n + more > 2 * c->room ? c->n + more : 2 * c->room;
    size_t each, bytes;
    if (__builtin_mul_overflow(c->channels, c->steps, &each) ||
        __builtin_mul_overflow(room * sizeof *c->x, each, &bytes))
        return kl_fail_memory(err, SIZE_MAX);
    if (!grow(&c->x, bytes) || !grow(&c->labels, room * sizeof *c->labels) ||
        !grow(&c->subject, room * sizeof *c->subject) ||
        !grow(&c->recording, room * sizeof *c->recording) || !grow(&c->onset, room * sizeof *c->onset) ||
        !grow(&c->duration, room * sizeof *c->duration))
        return kl_fail_memory(err, bytes);
    c->room = room;
    return 0;
}

void kl_sequence_collection_free(struct kl_sequence_collection *c)
{
    kl_sequence_words_free(c->channel_names, c->channel_names ? c->channels : 0);
    kl_sequence_words_free(c->subject_names, c->n_subjects);
    kl_sequence_words_free(c->recording_names, c->n_recordings);
    free(c->x), free(c->labels), free(c->subject), free(c->recording), free(c->onset), free(c->duration);
    kl_sequence_words_free(c->texts, c->n_texts);
    free(c->square), free(c->rejected_by), free(c->rejected);
    *c = (struct kl_sequence_collection){ 0 };
}

/* ---- a file of kind `windows`: what `cache show` tells of it, and its writing from arrays ---- */

static const struct kl_kind_number numbers[] = {
    { .attribute = "rate", .title = "rate, Hz", .format = "%g" },
    { .attribute = "unit", .title = "unit" },
    { .attribute = "preprocessing", .title = "made with" },
    { .attribute = "steps_before", .title = "steps before the event", .format = "%.0f" },
    { .attribute = NULL },
};
const struct kl_kind kl_sequence_windows_kind = {
    .name = "windows", .maker = "qseq windows", .classes = "class_names", .numbers = numbers
};

/* ---- what cannot be such a file ---- */
static int check_list(const char *what, const int32_t *values, size_t n, int32_t least, size_t names,
                      struct kl_error *err)
{
    for (size_t i = 0; i < n; i++)
        if (values[i] < least || (values[i] >= 0 && (size_t)values[i] >= names))
            return kl_fail(err, KL_EDATA, "windows: %s of window %zu is %d, expected one of %zu", what,
                           i, (int)values[i], names);
    return 0;
}

static int check(const struct kl_sequence_windows *w, struct kl_error *err)
{
    if (!w->n || !w->channels || !w->steps)
        return kl_fail(err, KL_EDATA,
                       "windows: %zu of %zu channels and %zu steps, expected at least one", w->n,
                       w->channels, w->steps);
    int code = check_list("label", w->labels, w->n, -1, w->n_classes, err);
    if (!code) code = check_list("subject", w->subject, w->n, 0, w->n_subjects, err);
    if (!code) code = check_list("recording", w->recording, w->n, 0, w->n_recordings, err);
    const size_t each = w->channels * w->steps;
    for (size_t i = 0; i < w->n && w->x && !code; i++)
        for (size_t k = 0; k < each; k++)
            if (!isfinite(w->x[i * each + k]))
                return kl_fail(err, KL_EDATA,
                               "windows: window %zu, channel %s, step %zu is no finite number", i,
                               w->channel_names[k / w->steps], k % w->steps);
    return code;
}

/* ---- writing ---- */
static int put_attributes(struct kl_writer *writer, const struct kl_sequence_windows *w,
                          struct kl_error *err)
{
    int code = kl_store_writer_number(writer, "", "rate", w->rate, err);
    if (!code) code = kl_store_writer_text(writer, "", "unit", w->unit, err);
    if (!code && w->preprocessing)
        code = kl_store_writer_text(writer, "", "preprocessing", w->preprocessing, err);
    if (!code) code = kl_store_writer_text(writer, "x", "unit", w->unit, err);
    if (!code) code = kl_store_writer_text(writer, "onset", "unit", "s", err);
    return code ? code : kl_store_writer_integer(writer, "", "steps_before", w->steps_before, err);
}

int kl_sequence_positions_put(struct kl_writer *writer, const char *const *names, size_t n,
                              struct kl_error *err)
{
    double *at = malloc((n + 1) * 2 * sizeof *at);
    if (!at) return kl_fail_memory(err, n * 2 * sizeof *at);
    for (size_t c = 0; c < n; c++) {
        const struct kl_sequence_electrode *e = kl_sequence_electrode_find(names[c]);
        at[2 * c] = e ? (double)e->x : NAN, at[2 * c + 1] = e ? (double)e->y : NAN;
    }
    const int list =
        kl_store_writer_dataset(writer, "channel_positions", KL_TYPE_F64, 0, 2, (size_t[]){ n, 2 }, err);
    const int code = list < 0 ? list : kl_store_writer_rows(writer, list, 0, n, at, err);
    free(at);
    return code;
}

int kl_sequence_set_describe(const struct kl_sequence_set *set, struct kl_writer *w,
                             struct kl_error *err)
{
    int code = kl_store_writer_text(w, "", "unit", set->unit, err);
    if (!code) code = kl_store_writer_integer(w, "", "steps_before", set->steps_before, err);
    return code || !set->preprocessing[0]
               ? code
               : kl_store_writer_text(w, "", "preprocessing", set->preprocessing, err);
}

/* x is declared first, where HDF5 lays it on a boundary of numbers, so that it can be mapped. */
int kl_sequence_windows_write(struct kl_writer *writer, const struct kl_sequence_windows *w,
                              int *x_dataset, struct kl_error *err)
{
    const struct {
        const char *name;
        const int32_t *values;
    } lists[] = { { "labels", w->labels }, { "subject", w->subject }, { "recording", w->recording } };
    const struct {
        const char *name;
        const char *const *names;
        size_t n;
    } names[] = { { "class_names", w->class_names, w->n_classes },
                  { "subject_names", w->subject_names, w->n_subjects },
                  { "recording_names", w->recording_names, w->n_recordings },
                  { "channel_names", w->channel_names, w->channels } };
    int code = check(w, err);
    if (code) return code;
    const int x = kl_store_writer_dataset(writer, "x", KL_TYPE_F32, 0, 3,
                                          (size_t[]){ w->n, w->channels, w->steps }, err);
    int list[4] = { 0 };
    if (x < 0) return x;
    for (int i = 0; i < 4; i++) {
        list[i] = kl_store_writer_dataset(writer, i < 3 ? lists[i].name : "onset",
                                          i < 3 ? KL_TYPE_I32 : KL_TYPE_F64, 0, 1, &w->n, err);
        if (list[i] < 0) return list[i];
    }
    for (int i = 0; i < 4 && code >= 0; i++)
        code = kl_sequence_names_put(writer, names[i].name, names[i].names, names[i].n, err);
    for (int i = 0; i < 4 && code >= 0; i++)
        code = kl_store_writer_rows(writer, list[i], 0, w->n,
                                    i < 3 ? (const void *)lists[i].values : w->onset, err);
    if (code >= 0 && w->x) code = kl_store_writer_rows(writer, x, 0, w->n, w->x, err);
    if (code >= 0 && w->duration)
        code = kl_store_writer_put(writer, "duration", KL_TYPE_F64, 0, 1, &w->n, w->duration, err);
    if (code >= 0 && w->duration) code = kl_store_writer_text(writer, "duration", "unit", "s", err);
    if (code >= 0) code = kl_sequence_positions_put(writer, w->channel_names, w->channels, err);
    if (code >= 0) code = put_attributes(writer, w, err);
    if (x_dataset) *x_dataset = x;
    return code < 0 ? code : 0;
}
