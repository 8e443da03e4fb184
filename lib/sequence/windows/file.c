/* SPDX-License-Identifier: MIT
   A file of kind `windows`: what `cache show` tells of it, and its writing from arrays. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sequence/recording/recording.h"
#include "sequence/windows/names.h"
#include "sequence/windows/windows.h"
#include "store/kind.h"
#include "store/store.h"

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
