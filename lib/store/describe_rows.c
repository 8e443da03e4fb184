/* SPDX-License-Identifier: MIT
   Tables of results in words and as JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/describe_int.h"
#include "store/store.h"

enum { MOST_ROWS = 20, CELL = 200 };

/* ---- words ---- */

static void name_text(char text[CELL], const struct kl_table_axis *axis, double i)
{
    *text = '\0';
    if (!(i >= 0 && i < (double)axis->n)) snprintf(text, CELL, "?");
    else if (axis->numbers) snprintf(text, CELL, "%.6g", axis->numbers[(size_t)i]);
    else snprintf(text, CELL, "%.*s", (int)axis->size, axis->words + (size_t)i * axis->size);
    kl_make_printable(text);
}

/* Of the axis' point in a row. */
static size_t along(const struct kl_table *t, int axis, size_t row)
{
    for (int i = t->n_axes - 1; i > axis; i--) row /= t->axes[i].n;
    return row % t->axes[axis].n;
}

/* "1 v 2"; or the name on one of the axes. */
static void label_text(char text[CELL], const struct kl_table *t, int axis, size_t row)
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
static void write_row(FILE *to, const struct kl_table *t, const int *widths, ptrdiff_t row)
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

static void write_table(FILE *to, const struct kl_table *t)
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
        struct kl_table t = { 0 };
        if (as->only_json) continue;
        code = kl_store_table_load(&t, as, file, err);
        if (!code && t.n_columns) write_table(to, &t);
        kl_store_table_free(&t);
    }
    return code;
}

/* ---- JSON ---- */

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

static int set_label(json_t *row, const struct kl_table *t, size_t at)
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

static json_t *row_json(const struct kl_table *t, size_t at)
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
        struct kl_table t = { 0 };
        code = kl_store_table_load(&t, as, file, err);
        json_t *rows = t.n_columns && !code ? json_array() : NULL;
        int failed = t.n_columns && !code && !rows;
        for (size_t i = 0; i < t.n_rows && rows && !failed; i++)
            failed = json_array_append_new(rows, row_json(&t, t.order[i]));
        if (rows && !failed) failed = json_object_set(*tables, as->name, rows);
        if (failed) code = kl_fail_memory(err, 1024);
        json_decref(rows);
        kl_store_table_free(&t);
    }
    return code;
}
