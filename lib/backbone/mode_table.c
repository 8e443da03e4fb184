/* SPDX-License-Identifier: MIT
   extract-features --label: a table of numbers, or an array, as the same file of features that images
   give; standardised by the rows that train. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "backbone/extract.h"
#include "backbone/table.h"
#include "nn/nn.h"
#include "store/kind.h"
#include "store/mode.h"

enum { NUMERICAL_VERSION = 1, SCHEMA = 1, MOST_CLASSES = 1024, TEXT = 256 };

struct values {
    struct kl_common common;
    const char *label, *columns, *ignore, *missing, *id, *like, *scale, *split;
    double test_fraction;
};
#define AT(field) offsetof(struct values, field)
#define SPLITS "all|train|test"
static const struct kl_option options[] = {
    { "label", 0, KL_OPT_STRING, AT(label), "COLUMN", 0, 0, false,
      "a table: its column of classes, by name or number; an array's: FILE.npy, or a name beside it; "
      "none",
      "Table", NULL },
    { "columns", 0, KL_OPT_STRING, AT(columns), "A,B,...", 0, 0, true, "to take (default: all others)",
      NULL, NULL },
    { "ignore", 0, KL_OPT_STRING, AT(ignore), "A,B,...", 0, 0, true, "columns to leave out", NULL,
      NULL },
    { "missing", 0, KL_OPT_CHOICE, AT(missing), "refuse|drop", 0, 0, false,
      "rows where a value that is asked for is missing", NULL, NULL },
    { "id", 0, KL_OPT_STRING, AT(id), "COLUMN", 0, 0, true,
      "what rows are called, kept beside predictions of them", NULL, NULL },
    { "scale", 0, KL_OPT_CHOICE, AT(scale), "standard|none", 0, 0, true,
      "standard: mean 0, standard deviation 1, by the rows that train", NULL, NULL },
    { "split", 0, KL_OPT_CHOICE, AT(split), SPLITS, 0, 0, true,
      "train, test: the rows of one part, by --seed, of each class its share", NULL, NULL },
    { "test-fraction", 0, KL_OPT_FLOAT, AT(test_fraction), "P", 0.001, 0.999, true, "of the rows", NULL,
      NULL },
    { "like", 0, KL_OPT_STRING, AT(like), "FEATURES.h5", 0, 0, false,
      "columns, classes and scale of another table's features: of those that trained", NULL, NULL },
};
const struct kl_tool kl_backbone_table_tool = {
    .name = "extract-features",
    .summary = "Tables and arrays of numbers to features",
    .arguments = "TABLE --label COLUMN -o FEATURES.h5",
    .example = "extract-features wine.csv --label class --split train -o train.h5\n"
               "  extract-features X.npy --label y.npy -o f.h5",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .values_size = sizeof(struct values),
    .without = "device threads progress",
    .chosen_by = "--label",
};

static void defaults(void *values)
{
    struct values *v = values;
    v->missing = "refuse", v->scale = "standard", v->split = "all", v->test_fraction = 0.2;
}

struct work {
    const struct values *v;
    struct kl_file *like;
    char *label_path;
    struct kl_vectors table, known; /* known: columns and classes of --like */
    size_t n_known, n_classes;
    char (*classes)[KL_TABLE_NAME]; /* (n_classes) */
    int32_t *labels;                /* (table.n); -1 */
    int64_t *rows, *fitted;         /* of the table: that are kept, that the scale is fitted on */
    size_t n, n_fitted, constant;
    double *mean, *deviation; /* (d) */
    char columns[TEXT], scaling[TEXT];
};

/* ---- what is asked for ---- */
static int load_names(char (**names)[KL_TABLE_NAME], size_t *n, struct kl_file *file, const char *name,
                      struct kl_error *err)
{
    const struct kl_dataset *set;
    char *data = NULL;
    int code = kl_store_file_load_named((void **)&data, &set, file, name, KL_TYPE_STRING, 1, err);
    if (!code && !(*names = calloc(set->rows + 1, sizeof **names)))
        code = kl_fail_memory(err, set->rows * sizeof **names);
    for (size_t i = 0; !code && i < set->rows; i++)
        snprintf((*names)[i], KL_TABLE_NAME, "%.*s", (int)set->item_size, data + i * set->item_size);
    *n = code ? 0 : set->rows;
    free(data);
    return code;
}

static int open_like(struct work *w, struct kl_error *err)
{
    char *scaling = NULL;
    int code = kl_store_file_open_kind(&w->like, w->v->like, &kl_features_kind, err);
    if (!code && !kl_store_file_find(w->like, "columns"))
        return kl_fail(err, KL_EDATA, "%s: features of images; expected those of a table", w->v->like);
    if (!code) code = load_names(&w->known.columns, &w->known.d, w->like, "columns", err);
    if (!code && kl_store_file_find(w->like, "class_names"))
        code = load_names(&w->classes, &w->n_classes, w->like, "class_names", err);
    w->n_known = w->n_classes;
    if (!code) code = kl_store_file_text(&scaling, w->like, "features", "scaling", err);
    if (!code) snprintf(w->scaling, sizeof w->scaling, "%s", scaling);
    free(scaling);
    if (code || strcmp(w->scaling, "none") == 0) return code;
    code = kl_store_file_load_shape((void **)&w->mean, w->like, "scaling/mean", KL_TYPE_F64, 1,
                                    &w->known.d, err);
    return code ? code
                : kl_store_file_load_shape((void **)&w->deviation, w->like, "scaling/deviation",
                                           KL_TYPE_F64, 1, &w->known.d, err);
}

static int open_table(struct kl_mode_run *run, struct kl_error *err)
{
    struct work *w = run->state;
    const struct values *v = w->v = run->values;
    const bool all = strcmp(v->split, "all") == 0;
    struct values usual = { 0 };
    defaults(&usual);
    int code = KL_OK;
    if (v->like)
        code = kl_options_refuse(&kl_backbone_table_tool, v, &usual, "columns ignore scale split",
                                 "--like says it", err);
    if (!code && all)
        code = kl_options_refuse(&kl_backbone_table_tool, v, &usual, "test-fraction seed",
                                 "changes nothing without --split train or test", err);
    if (!code && !all && strcmp(v->label, "none") == 0)
        code = kl_fail(err, KL_EUSAGE, "--split %s: takes of each class its share, and there are none",
                       v->split);
    if (!code && v->like) code = open_like(w, err);
    if (w->like) run->few[run->n_parents++] = w->like;
    return code ? code : kl_backbone_table_label_path(&w->label_path, *run->stage.inputs, v->label, err);
}

static int key(struct kl_mode_run *run, struct kl_key *key, struct kl_error *err)
{
    const struct work *w = run->state;
    int code = kl_store_input_identify(key, run->raw_inputs, "table", 0, *run->stage.inputs, err);
    if (!code && w->label_path)
        code = kl_store_input_identify(key, run->raw_inputs, "labels", 0, w->label_path, err);
    else if (!code) code = kl_store_key_text(key, "label", w->v->label, err);
    if (!code && w->like) code = kl_store_key_input(key, "like", kl_store_file_content(w->like), err);
    if (!code && strcmp(w->v->missing, "drop") == 0)
        code = kl_store_key_text(key, "missing", "drop", err);
    if (!code && strcmp(w->v->split, "all") != 0)
        code = kl_store_key_integer(key, "seed", w->v->common.seed, err);
    return code;
}

/* ---- classes ---- */
/* Numbers by their size, and before texts, which are in the order of their bytes. */
static int by_class(const void *a, const void *b)
{
    char *end_a, *end_b;
    const double x = strtod(a, &end_a), y = strtod(b, &end_b);
    const bool p = end_a != a && !*end_a, q = end_b != b && !*end_b;
    if (p != q) return p ? -1 : 1;
    return p && x != y ? (x < y ? -1 : 1) : strcmp(a, b);
}

/* NaN: it is none. */
static double number_of(const char *text)
{
    char *end;
    const double value = strtod(text, &end);
    return end != text && !*end ? value : NAN;
}

static int find_classes(struct work *w, const char *path, struct kl_error *err)
{
    const struct kl_vectors *t = &w->table;
    if (!(w->classes = malloc(t->n * sizeof *w->classes)))
        return kl_fail_memory(err, t->n * KL_TABLE_NAME);
    memcpy(w->classes, t->classes, t->n * sizeof *w->classes);
    qsort(w->classes, t->n, sizeof *w->classes, by_class);
    for (size_t i = 0; i < t->n; i++)
        if (!i || strcmp(w->classes[i], w->classes[w->n_classes - 1]) != 0)
            memmove(w->classes[w->n_classes++], w->classes[i], sizeof *w->classes);
    if (w->n_classes > MOST_CLASSES || 2 * w->n_classes > t->n)
        return kl_fail(
            err, KL_EDATA,
            "%s: the label '%s' has %zu values in %zu rows, expected two rows or more a class (numbers "
            "to be predicted, regression, are not supported)",
            path, w->v->label, w->n_classes, t->n);
    for (size_t k = 1; k < w->n_classes; k++)
        if (number_of(w->classes[k]) == number_of(w->classes[k - 1]))
            return kl_fail(err, KL_EDATA,
                           "%s: the classes '%s' and '%s' are one number, expected one spelling", path,
                           w->classes[k - 1], w->classes[k]);
    return KL_OK;
}

/* Of the whole table, from 0. */
static int64_t row_of(const struct kl_vectors *t, int64_t i)
{
    return t->rows ? t->rows[i] : i;
}

static int number_rows(struct work *w, const char *path, struct kl_error *err)
{
    const struct kl_vectors *t = &w->table;
    if (!(w->labels = malloc(t->n * sizeof *w->labels))) return kl_fail_memory(err, t->n * 4);
    for (size_t i = 0; i < t->n; i++) {
        w->labels[i] = -1;
        if (!t->classes) continue;
        const char *found =
            bsearch(t->classes[i], w->classes, w->n_classes, sizeof *w->classes, by_class);
        if (!found)
            return kl_fail(err, KL_EDATA,
                           "%s: row %" PRId64 " (from 1): the class '%s' does not occur in %s", path,
                           row_of(t, (int64_t)i) + 1, t->classes[i], w->v->like);
        w->labels[i] = (int32_t)((found - w->classes[0]) / KL_TABLE_NAME);
    }
    return KL_OK;
}

/* ---- rows and their scale ---- */
static int choose_rows(struct work *w, struct kl_error *err)
{
    const struct values *v = w->v;
    const size_t n = w->table.n;
    if (strcmp(v->split, "all") != 0) {
        int64_t *test = NULL;
        size_t n_test = 0;
        const int code =
            kl_nn_split_stratified(&w->fitted, &w->n_fitted, &test, &n_test, w->labels, n, w->n_classes,
                                   v->test_fraction, (uint64_t)v->common.seed, err);
        const bool train = strcmp(v->split, "train") == 0;
        w->rows = test, w->n = n_test;
        if (code || !train) return code;
        free(test);
        w->rows = w->fitted, w->n = w->n_fitted;
        return KL_OK;
    }
    if (!(w->rows = malloc(n * sizeof *w->rows))) return kl_fail_memory(err, n * sizeof *w->rows);
    for (size_t i = 0; i < n; i++) w->rows[i] = (int64_t)i;
    w->fitted = w->rows, w->n = w->n_fitted = n;
    return KL_OK;
}

static int fit_scale(struct work *w, struct kl_error *err)
{
    const struct kl_vectors *t = &w->table;
    w->mean = calloc(t->d, sizeof *w->mean), w->deviation = calloc(t->d, sizeof *w->deviation);
    if (!w->mean || !w->deviation) return kl_fail_memory(err, 2 * t->d * sizeof *w->mean);
    for (size_t i = 0; i < w->n_fitted; i++)
        for (size_t j = 0; j < t->d; j++)
            w->mean[j] += (double)t->x[(size_t)w->fitted[i] * t->d + j] / (double)w->n_fitted;
    for (size_t i = 0; i < w->n_fitted; i++)
        for (size_t j = 0; j < t->d; j++) {
            const double off = (double)t->x[(size_t)w->fitted[i] * t->d + j] - w->mean[j];
            w->deviation[j] += off * off / (double)w->n_fitted;
        }
    for (size_t j = 0; j < t->d; j++) {
        w->deviation[j] = sqrt(w->deviation[j]);
        if (w->deviation[j] <= 1e-7 * fabs(w->mean[j])) w->deviation[j] = 0, w->constant++;
    }
    return KL_OK;
}

/* If a column does not vary in the rows that train, nothing is known of its scale: it becomes 0. */
static void apply_scale(struct work *w)
{
    const struct kl_vectors *t = &w->table;
    for (size_t i = 0; i < t->n; i++)
        for (size_t j = 0; j < t->d; j++) {
            float *x = &t->x[i * t->d + j];
            *x = w->deviation[j] > 0 ? (float)(((double)*x - w->mean[j]) / w->deviation[j]) : 0;
        }
}

/* ---- what a head is compared by ---- */
static int digest(char hex[13], const void *data, size_t n, const void *more, size_t n_more,
                  struct kl_error *err)
{
    struct kl_sha256 sha;
    char whole[65];
    const int code = kl_sha256_begin(&sha, err);
    if (code) return code;
    kl_sha256_add(&sha, data, n);
    if (n_more) kl_sha256_add(&sha, more, n_more);
    kl_sha256_end(&sha, whole);
    snprintf(hex, 13, "%.12s", whole);
    return KL_OK;
}

/* "13: alcohol, malic_acid, ash, ... (1a2b3c4d5e6f)"; "standard, of 133 rows (...)" */
static int describe(struct work *w, struct kl_error *err)
{
    const struct kl_vectors *t = &w->table;
    char names[52] = "", hex[13];
    size_t used = 0, j = 0;
    for (; j < t->d && used + strlen(t->columns[j]) + 2 < sizeof names; j++)
        used +=
            (size_t)snprintf(names + used, sizeof names - used, "%s%s", j ? ", " : "", t->columns[j]);
    int code = digest(hex, t->columns, t->d * sizeof *t->columns, NULL, 0, err);
    if (code) return code;
    snprintf(w->columns, sizeof w->columns, "%zu: %s%s (%s)", t->d, names, j < t->d ? ", ..." : "", hex);
    if (w->like) return KL_OK;
    if (!w->mean) return snprintf(w->scaling, sizeof w->scaling, "none"), KL_OK;
    code = digest(hex, w->mean, t->d * sizeof *w->mean, w->deviation, t->d * sizeof *w->deviation, err);
    snprintf(w->scaling, sizeof w->scaling, "standard, of %zu rows (%s)", w->n_fitted, hex);
    return code;
}

static int read_table(struct kl_mode_run *run, struct kl_error *err)
{
    struct work *w = run->state;
    const char *path = *run->stage.inputs;
    const struct kl_vectors_options o = { .label = w->v->label,
                                          .columns = w->v->columns,
                                          .ignore = w->v->ignore,
                                          .drop = strcmp(w->v->missing, "drop") == 0,
                                          .id = w->v->id,
                                          .like = w->known.columns,
                                          .n_like = w->known.d };
    int code = kl_backbone_table_read(&w->table, path, &o, err);
    if (!code && w->table.classes && !w->like) code = find_classes(w, path, err);
    if (!code && w->table.classes && w->like && !w->n_known)
        code = kl_fail(err, KL_EDATA, "%s: has no classes, which --label would be compared with",
                       w->v->like);
    if (!code) code = number_rows(w, path, err);
    if (!code) code = choose_rows(w, err);
    if (!code && !w->like && strcmp(w->v->scale, "standard") == 0) code = fit_scale(w, err);
    if (!code) code = describe(w, err);
    if (!code && w->mean) apply_scale(w);
    return code;
}

/* ---- the file ---- */
static int save_rows(const struct work *w, struct kl_writer *writer, struct kl_error *err)
{
    const struct kl_vectors *t = &w->table;
    const size_t dims[] = { w->n, t->d };
    const int x = kl_store_writer_dataset(writer, "features", KL_TYPE_F32, 0, 2, dims, err),
              y = x < 0 ? x : kl_store_writer_dataset(writer, "labels", KL_TYPE_I32, 0, 1, dims, err);
    int code = y < 0 ? y : KL_OK;
    const int names = code || !t->ids ? -1
                                      : kl_store_writer_dataset(writer, "aside/names", KL_TYPE_STRING,
                                                                KL_TABLE_NAME, 1, dims, err);
    if (!code && t->ids && names < 0) code = names;
    for (size_t i = 0; i < w->n && !code; i++) {
        if (names >= 0) code = kl_store_writer_rows(writer, names, i, 1, t->ids[w->rows[i]], err);
        if (code) break;
        code = kl_store_writer_rows(writer, x, i, 1, t->x + (size_t)w->rows[i] * t->d, err);
        if (!code) code = kl_store_writer_rows(writer, y, i, 1, &w->labels[w->rows[i]], err);
    }
    int64_t *index = code ? NULL : malloc((w->n + 1) * sizeof *index);
    if (!code && !index) code = kl_fail_memory(err, w->n * sizeof *index);
    for (size_t i = 0; i < w->n && !code; i++) index[i] = row_of(t, w->rows[i]);
    if (!code) code = kl_store_writer_put(writer, "index", KL_TYPE_I64, 0, 1, dims, index, err);
    free(index);
    return code;
}

static int save(struct kl_mode_run *run, struct kl_writer *writer, struct kl_error *err)
{
    const struct work *w = run->state;
    const size_t d = w->table.d;
    int code = save_rows(w, writer, err);
    if (code >= 0)
        code = kl_store_writer_put(writer, "columns", KL_TYPE_STRING, KL_TABLE_NAME, 1, &d,
                                   w->table.columns, err);
    if (code >= 0 && w->table.classes)
        code = kl_store_writer_put(writer, "class_names", KL_TYPE_STRING, KL_TABLE_NAME, 1,
                                   &w->n_classes, w->classes, err);
    if (code >= 0 && w->mean)
        code = kl_store_writer_put(writer, "scaling/mean", KL_TYPE_F64, 0, 1, &d, w->mean, err);
    if (code >= 0 && w->mean)
        code =
            kl_store_writer_put(writer, "scaling/deviation", KL_TYPE_F64, 0, 1, &d, w->deviation, err);
    if (code >= 0) code = kl_store_writer_text(writer, "features", "backbone", "none: a table", err);
    if (code >= 0) code = kl_store_writer_text(writer, "features", "columns", w->columns, err);
    if (code >= 0) code = kl_store_writer_text(writer, "features", "scaling", w->scaling, err);
    return code < 0 ? code : KL_OK;
}

/* ---- what the result should be read with ---- */
static size_t rows_of(const struct work *w, size_t class)
{
    size_t n = 0;
    for (size_t i = 0; i < w->table.n; i++) n += w->labels[i] == (int32_t) class;
    return n;
}

static void caution_classes(const struct work *w, const char *path, const struct kl_log *log)
{
    size_t numbers = 0;
    for (size_t k = 0; k < w->n_classes; k++) {
        const char *name = w->classes[k];
        numbers += !isnan(number_of(name));
        if (!w->like && rows_of(w, k) == 1)
            kl_caution(log, "%s: class '%s' has one row: it cannot both be trained on and judged by",
                       path, name);
        for (size_t l = 0; l < k; l++)
            if (strcasecmp(w->classes[l], name) == 0)
                kl_caution(log, "%s: '%s' and '%s' are two classes", path, w->classes[l], name);
    }
    if (w->n_classes == 1) kl_caution(log, "%s: all rows are of one class, '%s'", path, w->classes[0]);
    if (numbers == w->n_classes && numbers > 20)
        kl_caution(log,
                   "%s: %zu classes, all numbers: of a quantity each value becomes a class of its own",
                   path, numbers);
}

/* A column that counts the rows, as an index of pandas does, tells classes that are sorted. */
static void caution_counters(const struct work *w, const char *path, const struct kl_log *log)
{
    const struct kl_vectors *t = &w->table;
    for (size_t j = 0; j < t->d && t->n > 5; j++) {
        const double step = (double)t->x[t->d + j] - (double)t->x[j];
        bool counts = step != 0;
        for (size_t i = 2; i < t->n && counts; i++)
            counts = fabs((double)t->x[i * t->d + j] - (double)t->x[(i - 1) * t->d + j] - step) <=
                     1e-3 * fabs(step);
        if (counts)
            kl_caution(
                log,
                "%s: column %s counts the rows; if it is no measurement, leave it out: --ignore '%s'",
                path, t->columns[j], t->columns[j]);
    }
}

static int by_row(const void *a, const void *b, void *table)
{
    const struct kl_vectors *t = table;
    const size_t i = (size_t) * (const int64_t *)a, k = (size_t) * (const int64_t *)b;
    return memcmp(t->x + i * t->d, t->x + k * t->d, t->d * sizeof *t->x);
}

/* Rows that test and are equal to one that trains. */
static int caution_copies(struct work *w, const char *path, const struct kl_log *log,
                          struct kl_error *err)
{
    struct kl_vectors *t = &w->table;
    size_t copies = 0;
    if (w->like || w->n_fitted == t->n) return KL_OK;
    int64_t *order = malloc(t->n * sizeof *order);
    bool *trains = calloc(t->n, sizeof *trains);
    for (size_t i = 0; order && i < t->n; i++) order[i] = (int64_t)i;
    if (order && trains) {
        for (size_t i = 0; i < w->n_fitted; i++) trains[w->fitted[i]] = true;
        qsort_r(order, t->n, sizeof *order, by_row, t);
        for (size_t from = 0, to; from < t->n; from = to) {
            size_t n = 0;
            for (to = from; to < t->n && by_row(&order[from], &order[to], t) == 0; to++)
                n += trains[order[to]];
            copies += n ? to - from - n : 0;
        }
    }
    const bool made = order && trains;
    free(order), free(trains);
    if (copies)
        kl_caution(log, "%s: %zu of %zu rows that test are equal to one that trains", path, copies,
                   t->n - w->n_fitted);
    return made ? KL_OK : kl_fail_memory(err, t->n * sizeof *order);
}

static int remark(struct kl_mode_run *run, struct kl_error *err)
{
    struct work *w = run->state;
    const struct kl_vectors *t = &w->table;
    const char *path = *run->stage.inputs;
    const struct kl_log *log = run->stage.log;
    if (w->constant)
        kl_caution(log, "%s: %zu of %zu columns do not vary in the rows that train, and are 0", path,
                   w->constant, t->d);
    if (t->thousands)
        kl_caution(log, "%s: %zu numbers have a comma, which is read as a decimal sign: 1,234 is 1.234",
                   path, t->commas);
    else if (t->commas) kl_note(log, 1, "%s: a comma is the decimal sign of its numbers", path);
    if (t->lacking)
        kl_caution(log, "%s: %zu row%s left out, where values are missing (%s)", path, t->lacking,
                   t->lacking == 1 ? " is" : "s are", t->gaps);
    if (t->left_out)
        kl_note(log, 1, "%s: left out, as %s has none of that name: %s%s", path, w->v->like, t->left,
                t->left_out > 1 ? " and others" : "");
    if (t->classes) caution_classes(w, path, log);
    caution_counters(w, path, log);
    if (!t->named && !w->label_path && !w->like && t->classes)
        kl_note(log, 1, "%s: its first line names no columns: they are called 1 to %zu", path, t->d + 1);
    return caution_copies(w, path, log, err);
}

static int json(struct kl_mode_run *run, FILE *to, struct kl_error *err)
{
    const struct work *w = run->state;
    const struct kl_json_pair pairs[] = {
        { "rows", KL_JSON_COUNT, NULL, (double)w->n },
        { "columns", KL_JSON_COUNT, NULL, (double)w->table.d },
        { "classes", KL_JSON_COUNT, NULL, (double)w->n_classes },
        { "scaling", KL_JSON_TEXT, w->scaling, 0 },
        { "fitted_rows", KL_JSON_COUNT, NULL, (double)(w->like ? 0 : w->n_fitted) },
    };
    return kl_store_mode_json(run, to, pairs, sizeof pairs / sizeof *pairs, err);
}

static void words(struct kl_mode_run *run, FILE *to)
{
    const struct work *w = run->state;
    enum { SHOWN = 10, COLUMNS = 4 };
    fprintf(to, "%s: %zu row%s of %zu column%s", run->stage.common->output, w->n, kl_s(w->n), w->table.d,
            kl_s(w->table.d));
    for (size_t j = 0; j < w->table.d && j < COLUMNS && w->table.named; j++)
        fprintf(to, "%s%s", j ? ", " : " (", w->table.columns[j]);
    if (w->table.named) fputs(w->table.d > COLUMNS ? ", ...)" : ")", to);
    const size_t classes = w->table.classes ? w->n_classes : 0;
    for (size_t c = 0; c < classes && c < SHOWN; c++) {
        size_t n = 0;
        for (size_t i = 0; i < w->n; i++) n += w->labels[w->rows[i]] == (int32_t)c;
        fprintf(to, "%s%s: %zu", c ? ", " : "; classes ", w->classes[c], n);
    }
    if (classes > SHOWN) fprintf(to, ", ... of %zu classes", classes);
    if (!classes) fputs("; no classes", to);
    fprintf(to, "; scale: %s\n", w->scaling);
}

static void close_table(struct kl_mode_run *run)
{
    struct work *w = run->state;
    kl_backbone_table_free(&w->table), kl_backbone_table_free(&w->known);
    kl_store_file_close(&w->like);
    if (w->fitted != w->rows) free(w->fitted);
    free(w->rows), free(w->labels), free(w->classes), free(w->mean), free(w->deviation);
    free(w->label_path);
}

static const struct kl_file_stage stage = { .kind = &kl_features_kind,
                                            .schema = SCHEMA,
                                            .version = NUMERICAL_VERSION,
                                            .name = "extract-features --label",
                                            .state_size = sizeof(struct work),
                                            .reads_late = true,
                                            .open = open_table,
                                            .key = key,
                                            .check = read_table,
                                            .save = save,
                                            .remark = remark,
                                            .json = json,
                                            .words = words,
                                            .close = close_table };
const struct kl_mode kl_backbone_mode_table = { .tool = &kl_backbone_table_tool,
                                                .defaults = defaults,
                                                .stage = &stage };
