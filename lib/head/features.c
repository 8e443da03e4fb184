/* SPDX-License-Identifier: MIT
   A feature cache, read whole: shuffled batches touch every row once an epoch. Which features a head was
   trained on: kept with it, and compared with those it is given later. */
#include "base/base.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "head/features.h"
#include "store/store.h"

/* The features as float; blocks of rows bound the second copy that float16 needs. */
static int load_values(struct kl_features *f, struct kl_file *file, const struct kl_dataset *data,
                       struct kl_error *err)
{
    enum { BLOCK = 1024 };
    void *memory = NULL;
    uint16_t *half = NULL;
    int code = 0;
    if (data->type != KL_TYPE_F32 && data->type != KL_TYPE_F16)
        return kl_fail(err, KL_EDATA, "%s: dataset features: neither float32 nor float16",
                       kl_store_file_path(file));
    if (data->type == KL_TYPE_F32) {
        code = kl_store_file_load(&memory, file, data, err);
        f->x = memory;
        return code;
    }
    if (posix_memalign(&memory, 64, f->n * f->d * sizeof *f->x))
        return kl_fail_memory(err, f->n * f->d * 4);
    f->x = memory;
    half = malloc(BLOCK * f->d * sizeof *half);
    if (!half) return kl_fail_memory(err, BLOCK * f->d * sizeof *half);
    for (size_t row = 0; row < f->n && !code; row += BLOCK) {
        size_t n = f->n - row < BLOCK ? f->n - row : BLOCK;
        code = kl_store_file_rows(file, data, row, n, half, err);
        if (!code) kl_float_from_half(f->x + row * f->d, half, n * f->d);
    }
    free(half);
    return code;
}

static int check(const struct kl_features *f, const char *path, struct kl_error *err)
{
    for (size_t i = 0; i < f->n; i++) {
        if (f->labels && (f->labels[i] < 0 || (size_t)f->labels[i] >= f->n_classes))
            return kl_fail(err, KL_EDATA,
                           "%s: dataset labels: row %zu has label %d, but there are %zu classes", path,
                           i, (int)f->labels[i], f->n_classes);
        /* 0 * x is 0 for every finite x, and NaN else */
        float sum = 0;
        for (size_t j = 0; j < f->d; j++) sum += 0 * f->x[i * f->d + j];
        if (sum != 0)
            return kl_fail(err, KL_EDATA,
                           "%s: dataset features: row %zu holds a value that is not finite", path, i);
    }
    return 0;
}

static int measure(struct kl_features *f, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *data = kl_store_file_find(file, "features");
    *f = (struct kl_features){ 0 };
    if (!data || data->rank != 2)
        return kl_fail(err, KL_EDATA, "%s: no dataset features [n, d]; is it a feature cache?",
                       kl_store_file_path(file));
    f->n = data->dims[0], f->d = data->dims[1];
    return KL_OK;
}

int kl_head_features_load_bare(struct kl_features *f, struct kl_file *file, struct kl_error *err)
{
    int code = measure(f, file, err);
    if (!code) code = load_values(f, file, kl_store_file_find(file, "features"), err);
    if (!code) code = check(f, kl_store_file_path(file), err);
    if (code) kl_head_features_free(f);
    return code;
}

int kl_head_features_describe(struct kl_features *f, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *names;
    void *memory = NULL;
    int code = measure(f, file, err);
    if (code) return code;
    if (!kl_store_file_find(file, "class_names"))
        return kl_fail(err, KL_EDATA,
                       "%s: has no labels; extract the features again with labels (--labels, of a table "
                       "--label); qeval "
                       "--predict needs none",
                       kl_store_file_path(file));
    code = kl_store_file_load_named(&memory, &names, file, "class_names", KL_TYPE_STRING, 1, err);
    if (code) return code;
    f->n_classes = names->dims[0], f->name_size = names->item_size;
    f->class_names = memory;
    return 0;
}

int kl_head_features_load(struct kl_features *f, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *labels;
    void *memory = NULL;
    int code = kl_head_features_describe(f, file, err);
    if (!code) code = kl_store_file_expect(&labels, file, "labels", KL_TYPE_I32, 1, err);
    if (!code && labels->dims[0] != f->n)
        code = kl_fail(err, KL_EDATA, "%s: %zu features, but %zu labels", kl_store_file_path(file), f->n,
                       labels->dims[0]);
    if (!code) code = kl_store_file_load(&memory, file, labels, err);
    f->labels = memory;
    if (!code) code = load_values(f, file, kl_store_file_find(file, "features"), err);
    if (!code) code = check(f, kl_store_file_path(file), err);
    if (code) kl_head_features_free(f);
    return code;
}

void kl_head_features_free(struct kl_features *f)
{
    free(f->x);
    free(f->labels);
    free(f->class_names);
    *f = (struct kl_features){ 0 };
}

/* ---- origin ----
   Which features a head was trained on: kept with it, and compared with those it is given later. */

/* Attribute of the dataset `features`, that of the head, and what to do where they differ, as the head
   is meaningless there; NULL: that may be meant. */
#define ANEW "extract anew"
#define LIKE "--like FEATURES.h5 of extract-features takes it from those that trained"
static const struct {
    const char *name, *kept, *mend;
} origins[] = {
    { "backbone", "features_backbone", ANEW }, { "weights_sha256", "features_weights_sha256", ANEW },
    { "tap", "features_tap", ANEW },           { "columns", "features_columns", LIKE }, /* of a table */
    { "scaling", "features_scaling", LIKE },   { "preprocess", "features_preprocess", NULL }
};
#define TRAINED "was trained on"
enum { N_ORIGINS = sizeof origins / sizeof *origins };

int kl_head_origin_save(struct kl_writer *w, const struct kl_file *features, struct kl_error *err)
{
    int code = KL_OK;
    for (int i = 0; i < N_ORIGINS && !code; i++) {
        char *text = NULL;
        if (!kl_store_file_has_attribute(features, "features", origins[i].name)) continue;
        code = kl_store_file_text(&text, features, "features", origins[i].name, err);
        if (!code) code = kl_store_writer_text(w, "", origins[i].kept, text, err);
        free(text);
    }
    return code;
}

int kl_head_origin_copy(struct kl_writer *w, const struct kl_file *head, struct kl_error *err)
{
    int code = KL_OK;
    for (int i = 0; i < N_ORIGINS && !code; i++) {
        char *text = NULL;
        if (!kl_store_file_has_attribute(head, "", origins[i].kept)) continue;
        code = kl_store_file_text(&text, head, "", origins[i].kept, err);
        if (!code) code = kl_store_writer_text(w, "", origins[i].kept, text, err);
        free(text);
    }
    return code;
}

/* Images that had the size already, --resize leaves as they are: extracted with the head's options, with
   it or without, they would give these features ("grey, 28 x 28 (not resized), /255, ..."). */
static bool only_idle_resize(const char *trained, const char *found, const struct kl_file *features)
{
    double height, width;
    char size[64];
    if (kl_store_file_number(&height, features, "features", "source_height", NULL) ||
        kl_store_file_number(&width, features, "features", "source_width", NULL))
        return false;
    snprintf(size, sizeof size, ", %.0f x %.0f (", height, width);
    const size_t n = strcspn(found, "(");
    return strstr(found, size) && n == strcspn(trained, "(") && strncmp(found, trained, n) == 0 &&
           strcmp(found + strcspn(found, ")"), trained + strcspn(trained, ")")) == 0;
}

int kl_head_origin_text(char **text, const struct kl_file *head, struct kl_error *err)
{
    json_t *origin = json_object();
    int code = origin ? KL_OK : kl_fail_memory(err, 64);
    for (int i = 0; i < N_ORIGINS && !code; i++) {
        char *kept = NULL;
        json_t *value = NULL;
        if (!kl_store_file_has_attribute(head, "", origins[i].kept)) continue;
        code = kl_store_file_text(&kept, head, "", origins[i].kept, err);
        if (!code) code = kl_json_string(&value, kept, err);
        if (!code && json_object_set_new(origin, origins[i].name, value)) code = kl_fail_memory(err, 64);
        free(kept);
    }
    if (!code) code = kl_json_dump(text, origin, err);
    json_decref(origin);
    return code;
}

static bool is_table(const char *backbone)
{
    return strstr(backbone, "a table") != NULL;
}

/* One of the origins of the features beside that of what is called `before`: "head.h5 was trained on",
   "train.h5 has". */
static int compare(bool *differs, int i, const char *before, const char *verb, const char *trained,
                   const struct kl_file *features, const struct kl_log *log, struct kl_error *err)
{
    char *found = NULL;
    if (!kl_store_file_has_attribute(features, "features", origins[i].name)) return KL_OK;
    int code = kl_store_file_text(&found, features, "features", origins[i].name, err);
    if (!code && i == 0 && is_table(trained) != is_table(found))
        code = kl_fail(err, KL_EDATA, "%s: has features of %s, %s %s those of %s: give it those",
                       kl_store_file_path(features), is_table(found) ? "a table" : "images", before,
                       verb, is_table(trained) ? "a table" : "images");
    if (!code && strcmp(trained, found) != 0) {
        if (origins[i].mend)
            code =
                kl_fail(err, KL_EDATA, "%s: %s is %.80s, %s %s %.80s; %s", kl_store_file_path(features),
                        origins[i].name, found, before, verb, trained, origins[i].mend);
        else if (!only_idle_resize(trained, found, features)) {
            *differs = true;
            kl_caution(log,
                       "%s: %s is %s, but %s %s %s; unless that is meant, extract these with the same "
                       "options",
                       kl_store_file_path(features), origins[i].name, found, before, verb, trained);
        }
    }
    free(found);
    return code;
}

int kl_head_origin_check_text(const char *text, const char *head, const struct kl_file *features,
                              const struct kl_log *log, struct kl_error *err)
{
    json_t *origin = NULL;
    bool differs;
    int code = text ? kl_json_parse(&origin, text, head, err) : KL_OK;
    if (code && code != KL_ENOMEM) { /* somebody else's word */
        *err = (struct kl_error){ 0 };
        return KL_OK;
    }
    for (int i = 0; i < N_ORIGINS && !code; i++) {
        const char *trained = json_string_value(json_object_get(origin, origins[i].name));
        if (trained) code = compare(&differs, i, head, TRAINED, trained, features, log, err);
    }
    json_decref(origin);
    return code;
}

int kl_head_origin_check(bool *differs, const struct kl_file *head, const struct kl_file *features,
                         const struct kl_log *log, struct kl_error *err)
{
    int code = KL_OK;
    for (int i = 0; i < N_ORIGINS && !code; i++) {
        char *trained = NULL;
        if (!kl_store_file_has_attribute(head, "", origins[i].kept)) continue;
        code = kl_store_file_text(&trained, head, "", origins[i].kept, err);
        if (!code)
            code = compare(differs, i, kl_store_file_path(head), TRAINED, trained, features, log, err);
        free(trained);
    }
    return code;
}

int kl_head_features_check_alike(const struct kl_features *a, const struct kl_file *a_file,
                                 const struct kl_features *b, const struct kl_file *b_file,
                                 const struct kl_log *log, struct kl_error *err)
{
    bool differs;
    int code = KL_OK;
    for (int i = 0; i < N_ORIGINS && !code; i++) {
        char *of_a = NULL;
        if (!kl_store_file_has_attribute(a_file, "features", origins[i].name)) continue;
        code = kl_store_file_text(&of_a, a_file, "features", origins[i].name, err);
        if (!code)
            code = compare(&differs, i, kl_store_file_path(a_file), "has", of_a, b_file, log, err);
        free(of_a);
    }
    if (!code && a->d != b->d)
        code = kl_fail(err, KL_EDATA, "%s: found %zu features, expected %zu, which %s has",
                       kl_store_file_path(b_file), b->d, a->d, kl_store_file_path(a_file));
    bool same = a->n_classes == b->n_classes;
    for (size_t c = 0; c < a->n_classes && same; c++) {
        const char *one = a->class_names + c * a->name_size, *other = b->class_names + c * b->name_size;
        same = kl_same_name(one, strnlen(one, a->name_size), other, strnlen(other, b->name_size));
    }
    return code || same
               ? code
               : kl_fail(err, KL_EDATA, "%s: its classes are not those of %s, by name and order",
                         kl_store_file_path(b_file), kl_store_file_path(a_file));
}

/* The records of a file's provenance; the caller's to release. */
static int load_records(json_t **records, const struct kl_file *file, struct kl_error *err)
{
    return kl_json_parse(records, kl_store_file_provenance(file), kl_store_file_path(file), err);
}

/* Shards are of one run each. */
int kl_head_origin_seen(const struct kl_file *features, const struct kl_log *log, struct kl_error *err)
{
    json_t *records = NULL, *record;
    json_int_t seen = 0;
    size_t i;
    const int code = load_records(&records, features, err);
    json_array_foreach(records, i, record)
    {
        const json_t *weights = json_object_get(json_object_get(record, "inputs"), "weights");
        seen += json_integer_value(json_object_get(weights, "trained_on"));
    }
    if (seen > 0)
        kl_caution(
            log,
            "%s: its backbone was trained on %lld of these images: accuracies on them, validation "
            "samples too, are higher than on new ones; judge heads with qeval on others",
            kl_store_file_path(features), (long long)seen);
    json_decref(records);
    return code;
}

static bool is_images(const char *role)
{
    return strncmp(role, "images", 6) == 0 && (!role[6] || role[6] == ' ');
}

/* The dataset of an HDF5 input; older records have no more than the path, FILE:DATASET. NULL: neither.
 */
static const char *dataset_of(const json_t *input)
{
    const char *named = json_string_value(json_object_get(input, "dataset")),
               *path = json_string_value(json_object_get(input, "path"));
    const char *colon = path ? strrchr(path, ':') : NULL;
    return named ? named : colon ? colon + 1 : NULL;
}

static bool is_same(const char *a, const char *b)
{
    return a && b && strcmp(a + (*a == '/'), b + (*b == '/')) == 0;
}

/* Both absent, or both the same. */
static bool is_equal(const json_t *a, const json_t *b)
{
    return a ? b && json_equal(a, b) : !b;
}

/* Do both records read the same images, as many, with the same labels? */
static bool have_same_inputs(const json_t *a, const json_t *b)
{
    json_t *mine = json_object_get(a, "inputs"), *theirs = json_object_get(b, "inputs"), *input;
    const char *role;
    json_object_foreach(mine, role, input)
    {
        const json_t *other = json_object_get(theirs, role);
        const char *one = dataset_of(input), *two = dataset_of(other);
        if (strcmp(role, "weights") != 0 &&
            (!is_equal(json_object_get(input, "sha256"), json_object_get(other, "sha256")) ||
             (one && two && !is_same(one, two))))
            return false;
    }
    return json_object_size(mine) == json_object_size(theirs);
}

/* Records of the two parts of one table, or of the same images (extract-features --split), share
   nothing. differs: the option by which the rows were parted anew, and may be in both; else NULL. */
static bool are_parts(const char **differs, const json_t *trained, const json_t *judged)
{
    static const char *const same[] = {
        "seed", "test-fraction", "limit", "label", "labels", "skip-bad"
    };
    const json_t *a = json_object_get(trained, "options"), *b = json_object_get(judged, "options");
    const char *part = json_string_value(json_object_get(a, "split")),
               *other = json_string_value(json_object_get(b, "split"));
    if (!part || !other || strcmp(part, "train") != 0 || strcmp(other, "test") != 0) return false;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (!is_equal(json_object_get(a, same[i]), json_object_get(b, same[i]))) {
            *differs = same[i];
            return false;
        }
    return true;
}

/* Was one of `records` made of the table that this record was made of, and of rows that may be the same?
 */
static bool has_table(const char **differs, json_t *records, const json_t *judged)
{
    const char *digest = json_string_value(
        json_object_get(json_object_get(json_object_get(judged, "inputs"), "table"), "sha256"));
    json_t *record;
    size_t i;
    json_array_foreach(records, i, record)
    {
        const json_t *table = json_object_get(json_object_get(record, "inputs"), "table");
        if (digest && is_same(json_string_value(json_object_get(table, "sha256")), digest) &&
            !are_parts(differs, record, judged))
            return true;
    }
    return false;
}

/* Was one of `records` made of this input of images of the record `judged`, and not of the other part?
 */
static bool has_images(const char **differs, json_t *records, const json_t *judged, const json_t *image)
{
    const char *role, *sha256 = json_string_value(json_object_get(image, "sha256")),
                      *dataset = dataset_of(image);
    json_t *record, *input;
    size_t i;
    json_array_foreach(records, i, record)
    {
        json_object_foreach(json_object_get(record, "inputs"), role, input)
        {
            const char *digest = json_string_value(json_object_get(input, "sha256")),
                       *other = dataset_of(input);
            if (is_images(role) && is_same(digest, sha256) &&
                (!dataset || !other || is_same(dataset, other)) &&
                !(are_parts(differs, record, judged) && have_same_inputs(record, judged)))
                return true;
        }
    }
    return false;
}

/* what: they are of, in words. */
static void say_same(const struct kl_log *log, const struct kl_file *head,
                     const struct kl_file *features, const char *what, const char *differs,
                     const char *otherwise)
{
    const char *is = kl_store_file_path(features), *by = kl_store_file_path(head);
    if (differs)
        kl_caution(
            log,
            "%s: %s was trained on %s, parted by another --%s: some of these are among those, and "
            "this is not the accuracy on new ones; make --split train and --split test with one "
            "--%s",
            is, by, what, differs, differs);
    else
        kl_caution(log,
                   "%s: %s was trained on %s; unless these are others of them, this is not the accuracy "
                   "on new ones%s",
                   is, by, what, otherwise);
}

int kl_head_origin_same_images(const struct kl_file *head, const struct kl_file *features,
                               const struct kl_log *log, struct kl_error *err)
{
    json_t *trained = NULL, *judged = NULL, *record, *input;
    const char *role, *same = NULL, *differs = NULL, *rows_differ = NULL;
    bool table = false;
    size_t i;
    int code = load_records(&trained, head, err);
    if (!code) code = load_records(&judged, features, err);
    json_array_foreach(judged, i, record)
    {
        json_object_foreach(json_object_get(record, "inputs"), role, input)
        {
            const char *path = json_string_value(json_object_get(input, "path"));
            if (is_images(role) && path && has_images(&differs, trained, record, input)) same = path;
        }
        table = table || has_table(&rows_differ, trained, record);
    }
    if (table)
        say_same(log, head, features, "rows of the same table", rows_differ,
                 ": --split train and --split test share them out");
    if (same) {
        char what[4200];
        snprintf(what, sizeof what, "features of the same images (%s)", same);
        say_same(log, head, features, what, differs, "");
    }
    json_decref(trained);
    json_decref(judged);
    return code;
}
