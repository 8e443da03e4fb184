/* SPDX-License-Identifier: MIT
   What a file found, as its kind's table names it: tables, numbers, the history of a training. What a
   file lacks, or has in another shape, is left out: a page must be had of files of all ages. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/describe_int.h"
#include "store/store.h"
#include "store/store_int.h"

/* ---- tables, loaded ---- */
/* A table of a file: words or numbers along its axes, numbers in its columns. */
struct kl_listing {
    const struct kl_kind_table *as;
    struct kl_table_axis {
        char *words;
        double *numbers;
        size_t n, size;   /* of a word */
    } axes[KL_KIND_AXES]; /* of pairs: the devices, then both numbers of each pair */
    int n_axes, n_columns;
    size_t n_rows, *order;
    struct kl_table_column {
        const struct kl_kind_column *as;
        double *value, *low, *high, *error; /* [rows]; NULL: there is none */
        bool whole;                         /* numbers */
    } columns[KL_KIND_COLUMNS];
};

/* All numbers of a dataset, `inner` for each of `rows`; else *numbers stays NULL. */
static int load_numbers(double **numbers, size_t *inner, struct kl_file *file, const char *name,
                        size_t rows, struct kl_error *err)
{
    const struct kl_dataset *d = kl_store_file_find(file, name);
    void *data = NULL;
    size_t n = 1;
    *numbers = NULL;
    for (int i = 0; d && i < d->rank; i++) n *= d->dims[i];
    if (!d || d->type == KL_TYPE_STRING || d->type == KL_TYPE_F16 || !rows || !n || n % rows)
        return KL_OK;
    *inner = n / rows;
    int code = kl_store_file_load(&data, file, d, err);
    if (!code && !(*numbers = malloc(n * sizeof **numbers)))
        code = kl_fail_memory(err, n * sizeof **numbers);
    for (size_t i = 0; i < n && !code; i++) (*numbers)[i] = kl_store_type_number(d->type, data, i);
    free(data);
    return code;
}

static int load_axis(struct kl_table_axis *axis, struct kl_file *file, const char *name,
                     struct kl_error *err)
{
    const struct kl_dataset *d = kl_store_file_find(file, name);
    size_t one;
    if (!d || d->rank != 1) return KL_OK;
    axis->n = d->rows, axis->size = d->item_size;
    if (d->type == KL_TYPE_STRING) return kl_store_file_load((void **)&axis->words, file, d, err);
    return load_numbers(&axis->numbers, &one, file, name, d->rows, err);
}

/* Place of a word; beyond the last one: it is not there. */
static size_t find_word(const struct kl_table_axis *axis, const char *word)
{
    size_t i = 0, n = strlen(word);
    for (; i < axis->n; i++) {
        const char *own = axis->words + i * axis->size;
        if (strnlen(own, axis->size) == n && memcmp(own, word, n) == 0) break;
    }
    return i;
}

/* Reduce a row's k numbers to one; NaN counts for nothing. */
static double reduced(const double *of, size_t k, enum kl_cell cell)
{
    double least = NAN, greatest = NAN, sum = 0, ones = 0, zeros = 0;
    for (size_t i = 0; i < k; i++) {
        least = fmin(least, of[i]), greatest = fmax(greatest, of[i]), sum += of[i];
        ones += of[i] == 1, zeros += of[i] == 0;
    }
    switch (cell) {
    case KL_CELL_LEAST: return least;
    case KL_CELL_GREATEST: return greatest;
    case KL_CELL_MEAN: return sum / (double)k;
    case KL_CELL_ONES: return ones;
    default: return zeros;
    }
}

/* One number a row out of k, in place of them; where there is but one, it is meant. */
static int pick(double **numbers, size_t k, const struct kl_listing *t, const struct kl_kind_column *c,
                struct kl_file *file, struct kl_error *err)
{
    size_t at = c->at;
    if (c->cell == KL_CELL_AT && k == 1) return KL_OK;
    if (c->pick) {
        struct kl_table_axis names = { 0 };
        const int code = load_axis(&names, file, c->names, err);
        at = names.words ? find_word(&names, c->pick) : k;
        free(names.words), free(names.numbers);
        if (code) return code;
    }
    if (c->cell == KL_CELL_AT && at >= k) {
        free(*numbers);
        *numbers = NULL;
        return KL_OK;
    }
    for (size_t i = 0; i < t->n_rows; i++)
        (*numbers)[i] =
            c->cell == KL_CELL_AT ? (*numbers)[i * k + at] : reduced(*numbers + i * k, k, c->cell);
    return KL_OK;
}

static int load_one(double **to, struct kl_file *file, const char *name, const char *end,
                    const struct kl_listing *t, const struct kl_kind_column *c, struct kl_error *err)
{
    char full[160];
    size_t k;
    snprintf(full, sizeof full, "%.128s%s", name, end);
    int code = load_numbers(to, &k, file, full, t->n_rows, err);
    return code || !*to ? code : pick(to, k, t, c, file, err);
}

/* Beside a mean of k, the least and the greatest of them; one has no range. */
static int load_range(struct kl_table_column *own, struct kl_file *file, const struct kl_listing *t,
                      const struct kl_kind_column *c, struct kl_error *err)
{
    const struct kl_dataset *d = kl_store_file_find(file, c->dataset);
    struct kl_kind_column end = *c;
    if (d->rank < 2 || d->dims[1] < 2) return KL_OK;
    end.cell = KL_CELL_LEAST;
    const int code = load_one(&own->low, file, c->dataset, "", t, &end, err);
    end.cell = KL_CELL_GREATEST;
    return code ? code : load_one(&own->high, file, c->dataset, "", t, &end, err);
}

static int load_column(struct kl_listing *t, const struct kl_kind_column *c, struct kl_file *file,
                       struct kl_error *err)
{
    struct kl_table_column *own = &t->columns[t->n_columns];
    const char *spread = c->spread ? c->spread : c->dataset;
    const struct kl_dataset *d = kl_store_file_find(file, c->dataset);
    *own = (struct kl_table_column){ .as = c };
    int code = load_one(&own->value, file, c->dataset, "", t, c, err);
    if (own->value) t->n_columns++; /* from here on it is freed with the table */
    if (code || !own->value) return code;
    own->whole = c->cell == KL_CELL_ONES || c->cell == KL_CELL_ZEROS ||
                 (c->cell == KL_CELL_AT && d->type != KL_TYPE_F32 && d->type != KL_TYPE_F64);
    if (c->cell == KL_CELL_MEAN) return load_range(own, file, t, c, err);
    code = load_one(&own->low, file, spread, "_low", t, c, err);
    if (!code) code = load_one(&own->high, file, spread, "_high", t, c, err);
    if (!code) code = load_one(&own->error, file, spread, "_error", t, c, err);
    if (!code && !own->error) code = load_one(&own->error, file, spread, "_se", t, c, err);
    return code;
}

/* Rows from the first to tell; a list that is none is not heeded. */
static int load_order(struct kl_listing *t, struct kl_file *file, struct kl_error *err)
{
    double *order = NULL;
    size_t k = 0;
    t->order = malloc(t->n_rows * sizeof *t->order);
    if (!t->order) return kl_fail_memory(err, t->n_rows * sizeof *t->order);
    for (size_t i = 0; i < t->n_rows; i++) t->order[i] = i;
    int code = t->as->order ? load_numbers(&order, &k, file, t->as->order, t->n_rows, err) : KL_OK;
    bool good = order && k == 1;
    for (size_t i = 0; i < t->n_rows && good; i++) good = order[i] >= 0 && order[i] < (double)t->n_rows;
    for (size_t i = 0; i < t->n_rows && good; i++) t->order[i] = (size_t)order[i];
    free(order);
    return code;
}

/* The axes, and how many rows they make; 0: something is not as it should be. */
static int load_rows(struct kl_listing *t, struct kl_file *file, struct kl_error *err)
{
    const struct kl_kind_table *v = t->as;
    int code = KL_OK;
    t->n_rows = 1;
    if (v->pairs) {
        const struct kl_dataset *d = kl_store_file_find(file, v->pairs);
        t->n_rows = d && d->rank == 2 && d->dims[1] == 2 ? d->rows : 0;
        code = load_axis(&t->axes[0], file, v->axes[0].dataset, err);
        if (!code)
            code = load_numbers(&t->axes[1].numbers, &t->axes[1].n, file, v->pairs, t->n_rows, err);
        if (!t->axes[0].words || !t->axes[1].numbers) t->n_rows = 0;
        return code;
    }
    for (; t->n_axes < KL_KIND_AXES && v->axes[t->n_axes].dataset && !code; t->n_axes++) {
        struct kl_table_axis *axis = &t->axes[t->n_axes];
        code = load_axis(axis, file, v->axes[t->n_axes].dataset, err);
        t->n_rows *= axis->words || axis->numbers ? axis->n : 0;
    }
    return code;
}

/* n_columns stays 0 where the file has no such table. Free it in any case. */
static void table_free(struct kl_listing *t)
{
    for (int i = 0; i < KL_KIND_AXES; i++) free(t->axes[i].words), free(t->axes[i].numbers);
    for (int k = 0; k < t->n_columns; k++) {
        struct kl_table_column *c = &t->columns[k];
        free(c->value), free(c->low), free(c->high), free(c->error);
    }
    free(t->order);
    *t = (struct kl_listing){ 0 };
}

/* n_columns stays 0 where the file has no such table. Free it in any case. */
static int table_load(struct kl_listing *t, const struct kl_kind_table *as, struct kl_file *file,
                      struct kl_error *err)
{
    *t = (struct kl_listing){ .as = as };
    if ((as->needs && !kl_store_file_find(file, as->needs)) ||
        (as->lacks && kl_store_file_find(file, as->lacks)))
        return KL_OK;
    int code = load_rows(t, file, err);
    if (code || !t->n_rows) return code;
    for (const struct kl_kind_column *c = as->columns; c->dataset && !code; c++)
        code = load_column(t, c, file, err);
    return code || !t->n_columns ? code : load_order(t, file, err);
}

enum { MOST_ROWS = 20, CELL = 200 };

/* ---- tables in words ---- */
static void name_text(char text[CELL], const struct kl_table_axis *axis, double i)
{
    *text = '\0';
    if (!(i >= 0 && i < (double)axis->n)) snprintf(text, CELL, "?");
    else if (axis->numbers) snprintf(text, CELL, "%.6g", axis->numbers[(size_t)i]);
    else snprintf(text, CELL, "%.*s", (int)axis->size, axis->words + (size_t)i * axis->size);
    kl_make_printable(text);
}

/* Of the axis' point in a row. */
static size_t along(const struct kl_listing *t, int axis, size_t row)
{
    for (int i = t->n_axes - 1; i > axis; i--) row /= t->axes[i].n;
    return row % t->axes[axis].n;
}

/* "1 v 2"; or the name on one of the axes. */
static void label_text(char text[CELL], const struct kl_listing *t, int axis, size_t row)
{
    char first[CELL], second[CELL];
    if (!t->as->pairs) {
        name_text(text, &t->axes[axis], (double)along(t, axis, row));
        return;
    }
    name_text(first, &t->axes[0], t->axes[1].numbers[2 * row]);
    name_text(second, &t->axes[0], t->axes[1].numbers[2 * row + 1]);
    snprintf(text, CELL, "%.95s v %.95s", first, second);
}

/* In the column's own form; a hyphen for what is not known. */
static size_t put_number(char *text, size_t room, const struct kl_table_column *c, double value)
{
    const int n = isnan(value) ? snprintf(text, room, "-") : snprintf(text, room, c->as->format, value);
    return (size_t)n < room ? (size_t)n : room - 1;
}

/* "0.5867 (0.5512 to 0.6222)", "0.5867 +- 0.0081" */
static void cell_text(char text[CELL], const struct kl_table_column *c, size_t row)
{
    if (c->value[row] < c->as->rounding && c->value[row] >= 0) {
        snprintf(text, CELL, "0");
        return;
    }
    size_t n = put_number(text, CELL, c, c->value[row]);
    if (c->low && c->high && !isnan(c->low[row])) {
        n += (size_t)snprintf(text + n, CELL - n, " (");
        n += put_number(text + n, CELL - n, c, c->low[row]);
        n += (size_t)snprintf(text + n, CELL - n, " to ");
        n += put_number(text + n, CELL - n, c, c->high[row]);
        n += (size_t)snprintf(text + n, CELL - n, ")");
    }
    if (c->error && !isnan(c->error[row])) {
        n += (size_t)snprintf(text + n, CELL - n, " +- ");
        put_number(text + n, CELL - n, c, c->error[row]);
    }
}

static int wider(int width, const char *text)
{
    return (int)strlen(text) > width ? (int)strlen(text) : width;
}

/* Axes to the left, numbers to the right; row -1 is the headings. */
static void write_row(FILE *to, const struct kl_listing *t, const int *widths, ptrdiff_t row)
{
    const int n_labels = t->as->pairs ? 1 : t->n_axes;
    char text[CELL];
    for (int i = 0; i < n_labels; i++) {
        if (row >= 0) label_text(text, t, i, (size_t)row);
        else snprintf(text, CELL, "%s", t->as->axes[i].member);
        fprintf(to, "%s%-*s", i ? "  " : "", widths[i], text);
    }
    for (int k = 0; k < t->n_columns; k++) {
        if (row >= 0) cell_text(text, &t->columns[k], (size_t)row);
        else snprintf(text, CELL, "%s", t->columns[k].as->heading);
        fprintf(to, "  %*s", widths[n_labels + k], text);
    }
    fputc('\n', to);
}

static void write_table(FILE *to, const struct kl_listing *t)
{
    const int n_labels = t->as->pairs ? 1 : t->n_axes;
    const size_t shown = t->n_rows < MOST_ROWS ? t->n_rows : MOST_ROWS;
    int widths[KL_KIND_AXES + KL_KIND_COLUMNS] = { 0 };
    char text[CELL];
    for (int i = 0; i < n_labels; i++) widths[i] = wider(0, t->as->axes[i].member);
    for (int k = 0; k < t->n_columns; k++) widths[n_labels + k] = wider(0, t->columns[k].as->heading);
    for (size_t i = 0; i < shown; i++)
        for (int k = 0; k < n_labels + t->n_columns; k++) {
            if (k < n_labels) label_text(text, t, k, t->order[i]);
            else cell_text(text, &t->columns[k - n_labels], t->order[i]);
            widths[k] = wider(widths[k], text);
        }
    fputc('\n', to);
    write_row(to, t, widths, -1);
    for (size_t i = 0; i < shown; i++) write_row(to, t, widths, (ptrdiff_t)t->order[i]);
    if (t->n_rows > shown) fprintf(to, "... and %zu more\n", t->n_rows - shown);
}

int kl_store_write_tables(FILE *to, struct kl_file *file, const struct kl_kind *kind,
                          struct kl_error *err)
{
    int code = KL_OK;
    for (const struct kl_kind_table *as = kind->tables; as && as->name && !code; as++) {
        struct kl_listing t = { 0 };
        if (as->only_json) continue;
        code = table_load(&t, as, file, err);
        if (!code && t.n_columns) write_table(to, &t);
        table_free(&t);
    }
    return code;
}

/* ---- tables as JSON ---- */
static int set_number(json_t *row, const char *member, const char *end, double value, bool whole)
{
    char name[64];
    snprintf(name, sizeof name, "%s%s", member, end);
    return json_object_set_new(row, name,
                               !isfinite(value) ? json_null()
                               : whole          ? json_integer((json_int_t)value)
                                                : json_real(value));
}

static int set_text(json_t *row, const char *member, const char *text)
{
    json_t *value = NULL;
    kl_json_string(&value, text, NULL);
    return json_object_set_new(row, member, value);
}

static int set_label(json_t *row, const struct kl_listing *t, size_t at)
{
    char text[CELL];
    int failed = 0;
    for (int i = 0; t->as->pairs && i < 2; i++) {
        name_text(text, &t->axes[0], t->axes[1].numbers[2 * at + (size_t)i]);
        failed |= set_text(row, i ? "second" : "first", text);
    }
    for (int i = 0; i < t->n_axes; i++) {
        const struct kl_table_axis *axis = &t->axes[i];
        const size_t point = along(t, i, at);
        name_text(text, axis, (double)point);
        failed |= axis->words ? set_text(row, t->as->axes[i].member, text)
                              : set_number(row, t->as->axes[i].member, "", axis->numbers[point], true);
    }
    return failed;
}

static json_t *row_json(const struct kl_listing *t, size_t at)
{
    json_t *row = json_object();
    int failed = row ? set_label(row, t, at) : -1;
    for (int k = 0; k < t->n_columns && !failed; k++) {
        const struct kl_table_column *c = &t->columns[k];
        failed |= set_number(row, c->as->member, "", c->value[at], c->whole);
        if (c->low) failed |= set_number(row, c->as->member, "_low", c->low[at], c->whole);
        if (c->high) failed |= set_number(row, c->as->member, "_high", c->high[at], c->whole);
        if (c->error) failed |= set_number(row, c->as->member, "_error", c->error[at], false);
    }
    if (!failed) return row;
    json_decref(row);
    return NULL;
}

int kl_store_tables_json(json_t **tables, struct kl_file *file, const struct kl_kind *kind,
                         struct kl_error *err)
{
    *tables = json_object();
    int code = *tables ? KL_OK : kl_fail_memory(err, 1024);
    for (const struct kl_kind_table *as = kind->tables; as && as->name && !code; as++) {
        struct kl_listing t = { 0 };
        code = table_load(&t, as, file, err);
        json_t *rows = t.n_columns && !code ? json_array() : NULL;
        int failed = t.n_columns && !code && !rows;
        for (size_t i = 0; i < t.n_rows && rows && !failed; i++)
            failed = json_array_append_new(rows, row_json(&t, t.order[i]));
        if (rows && !failed) failed = json_object_set(*tables, as->name, rows);
        if (failed) code = kl_fail_memory(err, 1024);
        json_decref(rows);
        table_free(&t);
    }
    return code;
}

/* ---- numbers and history ---- */
/* Is it NAME with one of the ends of an interval? */
static bool is_end(const char *name, const struct kl_kind_number *of)
{
    const size_t n = strlen(of->attribute);
    return of->low && strncmp(name, of->attribute, n) == 0 &&
           (strcmp(name + n, "_low") == 0 || strcmp(name + n, "_high") == 0);
}

bool kl_store_is_number_of_kind(const struct kl_kind *kind, const char *name)
{
    for (const struct kl_kind_number *n = kind->numbers; n && n->attribute; n++)
        if (strcmp(n->attribute, name) == 0 || is_end(name, n)) return true;
    return false;
}

static bool has_no_interval(const struct kl_file *file, const struct kl_kind_number *n)
{
    double ends[2];
    return n->difference && !kl_store_file_interval(ends, file, n->attribute);
}

bool kl_store_is_end_of_none(const struct kl_file *file, const struct kl_kind *kind,
                             const struct kl_attribute *a)
{
    for (const struct kl_kind_number *n = *a->object ? NULL : kind->numbers; n && n->attribute; n++)
        if (is_end(a->name, n) && has_no_interval(file, n)) return true;
    return false;
}

/* Without the end of its line. false: the file has none. */
static bool put_value(FILE *to, const struct kl_file *file, const char *name, const char *title,
                      const char *format)
{
    char *text = NULL;
    double value;
    if (!kl_store_file_has_attribute(file, "", name)) return false;
    const int code = format ? kl_store_file_number(&value, file, "", name, NULL)
                            : kl_store_file_text(&text, file, "", name, NULL);
    if (!code) fprintf(to, "%-20s ", title);
    if (!code && format) fprintf(to, format, value);
    else if (!code) fputs(text, to);
    free(text);
    return !code;
}

static void write_end(FILE *to, const struct kl_file *file, const struct kl_kind_number *n,
                      const char *end, const char *title)
{
    char name[256];
    snprintf(name, sizeof name, "%.240s%s", n->attribute, end);
    if (put_value(to, file, name, title, n->format)) fputc('\n', to);
}

void kl_store_write_numbers(FILE *to, const struct kl_file *file, const struct kl_kind *kind)
{
    const struct kl_dataset *d =
        kind->replicas.dataset ? kl_store_file_find(file, kind->replicas.dataset) : NULL;
    const bool several = d && d->rows > 1;
    for (const struct kl_kind_number *n = kind->numbers; n && n->attribute; n++) {
        const bool none = has_no_interval(file, n);
        if (put_value(to, file, n->attribute, n->title, n->format)) {
            if (none && several) fprintf(to, " (the same with each of %zu seeds: no interval)", d->rows);
            fputc('\n', to);
        }
        if (none || !n->low) continue;
        write_end(to, file, n, "_low", several && n->low_of_several ? n->low_of_several : n->low);
        write_end(to, file, n, "_high", n->high);
    }
}

int kl_store_write_replicas(FILE *to, struct kl_file *file, const struct kl_kind *kind,
                            struct kl_error *err)
{
    const struct kl_dataset *d =
        kind->replicas.dataset ? kl_store_file_find(file, kind->replicas.dataset) : NULL;
    double *of = NULL, mean = 0, square = 0;
    if (!d || d->type != KL_TYPE_F64 || d->rank != 1 || d->rows < 2) return KL_OK;
    int code = kl_store_file_load((void **)&of, file, d, err);
    if (code) return code;
    double n = (double)d->rows;
    for (size_t r = 0; r < d->rows; r++) mean += of[r] / n;
    for (size_t r = 0; r < d->rows; r++) square += (of[r] - mean) * (of[r] - mean);
    fprintf(to, "%-20s %.4f +- %.4f (standard deviation) of %zu:", kind->replicas.title, mean,
            sqrt(square / (n - 1)), d->rows);
    for (size_t r = 0; r < d->rows && r < 16; r++) fprintf(to, " %.4f", of[r]);
    fputs(d->rows > 16 ? " ...\n" : "\n", to);
    free(of);
    return KL_OK;
}

/* Is the root attribute this text? */
static bool is_text(const struct kl_file *file, const char *name, const char *expected)
{
    char *text = NULL;
    const bool found = kl_store_file_has_attribute(file, "", name) &&
                       kl_store_file_text(&text, file, "", name, NULL) == KL_OK &&
                       strcmp(text, expected) == 0;
    free(text);
    return found;
}

static const struct kl_kind_history *find_history(const struct kl_file *file, const struct kl_kind *kind)
{
    for (const struct kl_kind_history *h = kind->histories; h && h->loss.dataset; h++)
        if ((!h->needs || kl_store_file_find(file, h->needs)) &&
            (!h->attribute || is_text(file, h->attribute, h->is)))
            return h;
    return NULL;
}

static bool fit(const struct kl_dataset *loss, const struct kl_dataset *judged)
{
    return loss && judged && loss->type == KL_TYPE_F64 && judged->type == KL_TYPE_F64 &&
           loss->rank == 2 && judged->rank == 2 && judged->dims[0] == loss->dims[0] &&
           judged->dims[1] == loss->dims[1];
}

static size_t count_runs(const struct kl_kind_history *h, const struct kl_file *file, size_t all)
{
    double n = 0;
    if (h->left_out && kl_store_file_has_attribute(file, "", h->left_out))
        (void)kl_store_file_number(&n, file, "", h->left_out, NULL);
    return all - (n > 0 && n < (double)all ? (size_t)n : 0);
}

/* The epoch that training chose, where the file says it; else the best by the history alone. */
static double best_of(const struct kl_kind_history *h, const double *judged, size_t epochs,
                      int64_t chosen)
{
    double best = h->least ? INFINITY : 0;
    if (chosen >= 0 && (size_t)chosen < epochs) return judged[chosen];
    for (size_t e = 0; e < epochs; e++) best = (h->least ? fmin : fmax)(best, judged[e]);
    return best;
}

static int write_best(FILE *to, struct kl_file *file, const struct kl_kind_history *h,
                      const double *judged, size_t runs, size_t epochs, struct kl_error *err)
{
    const struct kl_dataset *d = kl_store_file_find(file, "replicas/best_epoch");
    const bool says = d && d->type == KL_TYPE_I64 && d->rank == 1 && d->dims[0] >= runs;
    int64_t *chosen = NULL;
    const int code = says ? kl_store_file_load((void **)&chosen, file, d, err) : KL_OK;
    if (code) return code;
    fprintf(to, "\nbest %s of each %s:", h->judged.title, h->of);
    for (size_t r = 0; r < runs && r < 16; r++)
        fprintf(to, " %.4f", best_of(h, judged + r * epochs, epochs, says ? chosen[r] : -1));
    fputc('\n', to);
    free(chosen);
    return KL_OK;
}

int kl_store_write_history(FILE *to, struct kl_file *file, const struct kl_kind *kind,
                           struct kl_error *err)
{
    const struct kl_kind_history *h = find_history(file, kind);
    const struct kl_dataset *loss = h ? kl_store_file_find(file, h->loss.dataset) : NULL,
                            *judged = h ? kl_store_file_find(file, h->judged.dataset) : NULL;
    double *l = NULL, *j = NULL;
    if (!fit(loss, judged)) return KL_OK;
    int code = kl_store_file_load((void **)&l, file, loss, err);
    if (!code) code = kl_store_file_load((void **)&j, file, judged, err);
    const size_t epochs = loss->dims[1], runs = count_runs(h, file, loss->dims[0]),
                 step = epochs > 10 ? (epochs + 9) / 10 : 1;
    if (!code) {
        fprintf(to, "\n  epoch   %13s   %19s", h->loss.title, h->judged.title);
        if (runs > 1) fprintf(to, "   (first %s)", h->of);
        fputc('\n', to);
    }
    for (size_t e = 0; !code && e < epochs; e++)
        if ((e % step == 0 || e + 1 == epochs) && isfinite(l[e]))
            fprintf(to, "  %5zu   %13.4f   %19.4f\n", e + 1, l[e], j[e]);
    if (!code && runs > 1) code = write_best(to, file, h, j, runs, epochs, err);
    free(l);
    free(j);
    return code;
}
