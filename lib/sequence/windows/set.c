/* SPDX-License-Identifier: MIT
   Windows of several files as one list: what must agree, numbers over all files, the values mapped. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sequence/windows/windows.h"
#include "sequence/windows/windows_int.h"
#include "store/kind.h"
#include "store/store.h"

struct kl_sequence_set_file {
    struct kl_map x;
    size_t first, n; /* its windows are [first, first + n) */
};

/* ---- lists of names ---- */
/* The place of a name in a list, at whose end it is added if it is not there and may be; -1: no memory.
 */
static int64_t add_name(char ***names, size_t *n, const char *name, bool always)
{
    for (size_t i = 0; i < *n && !always; i++)
        if (strcmp((*names)[i], name) == 0) return (int64_t)i;
    char **more = realloc(*names, (*n + 2) * sizeof *more), *copy = strdup(name);
    if (more) *names = more;
    if (!more || !copy) {
        free(copy);
        return -1;
    }
    more[(*n)++] = copy, more[*n] = NULL;
    return (int64_t)*n - 1;
}

static int same_names(char *const *a, size_t n_a, char *const *b, size_t n_b, const char *what,
                      const char *path, const char *first, struct kl_error *err)
{
    for (size_t i = 0; i < n_a && i < n_b; i++)
        if (strcmp(a[i], b[i]))
            return kl_fail(err, KL_EDATA, "%s: %s %zu is '%s', '%s' in %s", path, what, i, b[i], a[i],
                           first);
    if (n_a != n_b) return kl_fail(err, KL_EDATA, "%s: %zu %ss, %zu in %s", path, n_b, what, n_a, first);
    return 0;
}

/* ---- a file's numbers, which become those of the set ---- */
struct one {
    struct kl_file *file;
    const struct kl_dataset *x;
    double rate, steps_before;
    char *unit, *preprocessing; /* NULL: the file does not say */
    char **classes, **subjects, **recordings, **channels;
    size_t n_classes, n_subjects, n_recordings, n_channels;
};

static void drop_one(struct one *o)
{
    kl_sequence_names_free(o->classes, o->n_classes), kl_sequence_names_free(o->subjects, o->n_subjects);
    kl_sequence_names_free(o->recordings, o->n_recordings),
        kl_sequence_names_free(o->channels, o->n_channels);
    free(o->unit), free(o->preprocessing);
}

static int read_one(struct one *o, struct kl_file *file, struct kl_error *err)
{
    *o = (struct one){ .file = file };
    int code = kl_store_file_expect(&o->x, file, "x", KL_TYPE_F32, 3, err);
    if (!code) code = kl_store_file_number(&o->rate, file, "", "rate", err);
    if (!code) code = kl_store_file_number(&o->steps_before, file, "", "steps_before", err);
    if (!code) code = kl_store_file_text(&o->unit, file, "", "unit", err);
    if (!code && kl_store_file_has_attribute(file, "", "preprocessing"))
        code = kl_store_file_text(&o->preprocessing, file, "", "preprocessing", err);
    if (!code) code = kl_sequence_names_take(&o->classes, &o->n_classes, file, "class_names", err);
    if (!code) code = kl_sequence_names_take(&o->subjects, &o->n_subjects, file, "subject_names", err);
    if (!code)
        code = kl_sequence_names_take(&o->recordings, &o->n_recordings, file, "recording_names", err);
    if (!code) code = kl_sequence_names_take(&o->channels, &o->n_channels, file, "channel_names", err);
    const char *path = kl_store_file_path(file);
    if (!code && !(isfinite(o->rate) && fabs(o->steps_before) <= 1e9))
        code = kl_fail(err, KL_EDATA, "%s: rate %g, steps_before %g, expected numbers", path, o->rate,
                       o->steps_before);
    if (!code && (!o->x->dims[0] || !o->x->dims[1] || !o->x->dims[2]))
        code = kl_fail(err, KL_EDATA, "%s: dataset x has no numbers", path);
    if (!code && o->n_channels != o->x->dims[1])
        code = kl_fail(err, KL_EDATA, "%s: %zu channel_names, expected %zu", path, o->n_channels,
                       o->x->dims[1]);
    return code;
}

/* The first file says what the others must be. */
static int agree(const struct kl_sequence_set *set, const struct one *o, const char *first,
                 struct kl_error *err)
{
    const char *path = kl_store_file_path(o->file);
    int code = same_names(set->channel_names, set->channels, o->channels, o->n_channels, "channel", path,
                          first, err);
    if (code) return code;
    if (o->x->dims[2] != set->steps)
        return kl_fail(err, KL_EDATA, "%s: windows of %zu steps, %zu in %s", path, o->x->dims[2],
                       set->steps, first);
    if (o->rate != set->rate)
        return kl_fail(err, KL_EDATA, "%s: %g samples a second, %g in %s", path, o->rate, set->rate,
                       first);
    if ((int64_t)o->steps_before != set->steps_before)
        return kl_fail(err, KL_EDATA, "%s: %g steps before the event, %lld in %s", path, o->steps_before,
                       (long long)set->steps_before, first);
    if (strcmp(o->unit, set->unit))
        return kl_fail(err, KL_EDATA, "%s: in '%s', in '%s' in %s", path, o->unit, set->unit, first);
    if (o->preprocessing && set->preprocessing[0] && strcmp(o->preprocessing, set->preprocessing))
        return kl_fail(err, KL_EDATA, "%s: made with %s, expected %s as in %s; make all alike", path,
                       o->preprocessing, set->preprocessing, first);
    return same_names(set->class_names, set->n_classes, o->classes, o->n_classes, "class", path, first,
                      err);
}

static int begin(struct kl_sequence_set *set, struct one *o, struct kl_error *err)
{
    if (strlen(o->unit) >= sizeof set->unit)
        return kl_fail(err, KL_EDATA, "%s: unit '%s' is too long", kl_store_file_path(o->file), o->unit);
    strcpy(set->unit, o->unit);
    if (o->preprocessing && strlen(o->preprocessing) >= sizeof set->preprocessing)
        return kl_fail(err, KL_EDATA, "%s: attribute preprocessing is too long",
                       kl_store_file_path(o->file));
    strcpy(set->preprocessing, o->preprocessing ? o->preprocessing : "");
    set->channels = o->x->dims[1], set->steps = o->x->dims[2], set->rate = o->rate;
    set->steps_before = (int64_t)o->steps_before;
    set->channel_names = o->channels, o->channels = NULL, o->n_channels = 0;
    set->class_names = o->classes, set->n_classes = o->n_classes;
    o->classes = NULL, o->n_classes = 0;
    return 0;
}

/* Into to[0..n): the list `dataset`, each number replaced by places[number]; places NULL: as it is. */
static int take_list(int32_t *to, const struct one *o, const char *dataset, size_t names,
                     const int64_t *places, struct kl_error *err)
{
    const size_t n = o->x->dims[0];
    int32_t *values = NULL;
    const int code = kl_sequence_numbers_take(&values, o->file, dataset, n, places ? 0 : -1, names, err);
    for (size_t i = 0; i < n && !code; i++) to[i] = places ? (int32_t)places[values[i]] : values[i];
    free(values);
    return code;
}

static int take_numbers(struct kl_sequence_set *set, const struct one *o, size_t first,
                        struct kl_error *err)
{
    const size_t n = o->x->dims[0];
    const size_t room = o->n_subjects + o->n_recordings + 1;
    int64_t *places = calloc(room, sizeof *places), *recordings = places + o->n_subjects;
    void *onset = NULL;
    int code = places ? 0 : kl_fail_memory(err, room * sizeof *places);
    for (size_t i = 0; i < o->n_subjects && !code; i++)
        if ((places[i] = add_name(&set->subject_names, &set->n_subjects, o->subjects[i], false)) < 0)
            code = kl_fail_memory(err, strlen(o->subjects[i]));
    for (size_t i = 0; i < o->n_recordings && !code; i++)
        if ((recordings[i] =
                 add_name(&set->recording_names, &set->n_recordings, o->recordings[i], true)) < 0)
            code = kl_fail_memory(err, strlen(o->recordings[i]));
    if (!code)
        code = take_list(set->labels + first, o, "labels", o->n_classes ? o->n_classes : set->n_classes,
                         NULL, err);
    if (!code) code = take_list(set->subject + first, o, "subject", o->n_subjects, places, err);
    if (!code)
        code = take_list(set->recording + first, o, "recording", o->n_recordings, recordings, err);
    if (!code) code = kl_store_file_load_shape(&onset, o->file, "onset", KL_TYPE_F64, 1, &n, err);
    if (!code) memcpy(set->onset + first, onset, n * sizeof *set->onset);
    free(onset);
    free(places);
    return code;
}

/* ---- whose they are ---- */
/* Did whoever made the file say whose its windows are? */
static int is_said(bool *said, const struct kl_file *file, struct kl_error *err)
{
    json_t *parts = NULL;
    const int code = kl_json_parse(&parts, kl_store_file_key_parts(file), kl_store_file_path(file), err);
    *said = json_object_get(json_object_get(parts, "options"), "subject") ||
            json_object_get(json_object_get(parts, "inputs"), "subjects");
    json_decref(parts);
    return code;
}

/* People whom the name of a recording alone names, which does not say whose it is. One of a single
   window is a sample, no person. */
static int find_unsaid(struct kl_sequence_set *set, struct kl_file *const *files, struct kl_error *err)
{
    struct kl_sequence_name name;
    size_t *n = calloc(set->n_subjects + 1, sizeof *n);
    set->unsaid = calloc(set->n_subjects + 1, sizeof *set->unsaid);
    int code = n && set->unsaid ? 0 : kl_fail_memory(err, set->n_subjects * sizeof *n);
    for (size_t p = 0; p < set->n_subjects && !code; p++) {
        kl_sequence_name_of(&name, set->subject_names[p]);
        set->unsaid[p] = !name.says_whose;
    }
    for (size_t k = 0; k < set->n_files && !code; k++) {
        bool said = false;
        code = is_said(&said, files[k], err);
        for (size_t i = set->files[k].first; i < set->files[k].first + set->files[k].n && !code; i++) {
            const int32_t p = set->subject[i];
            n[p]++;
            if (said || strcmp(set->recording_names[set->recording[i]], set->subject_names[p]))
                set->unsaid[p] = false;
        }
    }
    for (size_t p = 0; p < set->n_subjects && !code; p++) set->unsaid[p] = set->unsaid[p] && n[p] > 1;
    free(n);
    return code;
}

/* ---- the set ---- */
static int make_room(struct kl_sequence_set *set, size_t n, size_t n_files, struct kl_error *err)
{
    set->n = n;
    set->labels = calloc(n + 1, sizeof *set->labels);
    set->subject = calloc(n + 1, sizeof *set->subject);
    set->recording = calloc(n + 1, sizeof *set->recording);
    set->onset = calloc(n + 1, sizeof *set->onset);
    set->files = calloc(n_files + 1, sizeof *set->files);
    const bool whole = set->labels && set->subject && set->recording && set->onset && set->files;
    return whole ? 0 : kl_fail_memory(err, n * (3 * sizeof *set->labels + sizeof *set->onset));
}

static int take_file(struct kl_sequence_set *set, struct kl_file *const *files, size_t k, size_t first,
                     struct kl_error *err)
{
    struct one o;
    int code = read_one(&o, files[k], err);
    for (size_t i = 0; i < k && !code; i++)
        if (strcmp(kl_store_file_content(files[i]), kl_store_file_content(files[k])) == 0)
            code = kl_fail(err, KL_EDATA, "%s: the same windows as %s; give each file once",
                           kl_store_file_path(files[k]), kl_store_file_path(files[i]));
    if (!code) code = k ? agree(set, &o, kl_store_file_path(*files), err) : begin(set, &o, err);
    if (!code) code = take_numbers(set, &o, first, err);
    struct kl_sequence_set_file *f = &set->files[k];
    if (!code) code = kl_store_map_open(&f->x, files[k], o.x, err);
    set->n_files = k + 1;
    f->first = first, f->n = code ? 0 : o.x->dims[0];
    drop_one(&o);
    return code;
}

int kl_sequence_set_open(struct kl_sequence_set *set, struct kl_file *const *files, size_t n_files,
                         struct kl_error *err)
{
    size_t n = 0;
    int code = 0;
    *set = (struct kl_sequence_set){ 0 };
    if (!n_files) return kl_fail(err, KL_EUSAGE, "no files of windows");
    for (size_t k = 0; k < n_files && !code; k++) {
        const struct kl_dataset *x;
        const char *kind = kl_store_file_kind(files[k]);
        if (strcmp(kind, kl_sequence_windows_kind.name))
            code =
                kl_store_fail_kind(err, kl_store_file_path(files[k]), kind, &kl_sequence_windows_kind);
        if (!code) code = kl_store_file_expect(&x, files[k], "x", KL_TYPE_F32, 3, err);
        if (!code) n += x->dims[0];
    }
    if (!code) code = make_room(set, n, n_files, err);
    for (size_t k = 0, first = 0; k < n_files && !code; k++) {
        code = take_file(set, files, k, first, err);
        first += set->files[k].n;
    }
    return code ? code : find_unsaid(set, files, err);
}

const float *kl_sequence_set_window(const struct kl_sequence_set *set, size_t i, struct kl_error *err)
{
    size_t low = 0, high = set->n_files;
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        if (set->files[middle].first <= i) low = middle;
        else high = middle;
    }
    return kl_store_map_rows(&set->files[low].x, i - set->files[low].first, 1, err);
}

int kl_sequence_set_unchanged(const struct kl_sequence_set *set, struct kl_error *err)
{
    int code = 0;
    for (size_t k = 0; k < set->n_files && !code; k++)
        code = kl_store_map_unchanged(&set->files[k].x, err);
    return code;
}

void kl_sequence_set_close(struct kl_sequence_set *set)
{
    for (size_t k = 0; k < set->n_files; k++) kl_store_map_close(&set->files[k].x);
    kl_sequence_names_free(set->class_names, set->n_classes),
        kl_sequence_names_free(set->channel_names, set->channels);
    kl_sequence_names_free(set->subject_names, set->n_subjects);
    kl_sequence_names_free(set->recording_names, set->n_recordings);
    free(set->labels), free(set->subject), free(set->recording), free(set->onset), free(set->files),
        free(set->unsaid);
    *set = (struct kl_sequence_set){ 0 };
}
