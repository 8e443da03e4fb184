/* SPDX-License-Identifier: MIT
   Small datasets as tables. */
#include <stdlib.h>
#include <string.h>

#include "plot/page_int.h"

enum { MOST_ROWS = 64, MOST_COLUMNS = 24, MOST_SETS = 64, WIDE = 10, MOST_TABLES = 4 };

/* Anything that one can read as a column: numbers, or words. */
static bool is_column(const struct kl_dataset *d)
{
    return d->rank == 1 && d->rows > 0 && d->rows <= MOST_ROWS && d->type != KL_TYPE_F16;
}

static void write_cell(FILE *to, const struct kl_dataset *d, const void *data, size_t i)
{
    char word[256];
    switch (d->type) {
    case KL_TYPE_U8: kl_html_number(to, ((const uint8_t *)data)[i]); return;
    case KL_TYPE_I32: kl_html_number(to, ((const int32_t *)data)[i]); return;
    case KL_TYPE_I64: kl_html_number(to, (double)((const int64_t *)data)[i]); return;
    case KL_TYPE_F32: kl_html_number(to, ((const float *)data)[i]); return;
    case KL_TYPE_F64: kl_html_number(to, ((const double *)data)[i]); return;
    default:
        snprintf(word, sizeof word, "%.*s", (int)d->item_size, (const char *)data + i * d->item_size);
        fputs("<td>", to);
        kl_html_text(to, word);
        fputs("</td>", to);
    }
}

/* Length of the group's name with its slash; 0: the root. */
static size_t group_length(const char *name)
{
    const char *slash = strrchr(name, '/');
    return slash ? (size_t)(slash - name) + 1 : 0;
}

static bool beside(const struct kl_dataset *x, const struct kl_dataset *y)
{
    const size_t n = group_length(x->name);
    return is_column(y) && n == group_length(y->name) && strncmp(x->name, y->name, n) == 0 &&
           x->rows == y->rows && kl_page_rows_agree(x->name, y->name);
}

/* Datasets of one axis, in a group: columns, or rows where these are many and the axis is short. */
struct group {
    const struct kl_dataset *set[MOST_SETS];
    void *data[MOST_SETS];
    size_t n, prefix; /* of their names */
    struct kl_page_rows rows;
};

static void write_set_name(FILE *to, const struct group *g, size_t k, const char *tag)
{
    fputs(tag, to);
    kl_html_name(to, g->set[k]->name + g->prefix);
    fputs("</th>", to);
}

static void write_upright(FILE *to, const struct group *g)
{
    fputs("<th></th>", to);
    for (size_t k = 0; k < g->n; k++)
        write_set_name(to, g, k, g->set[k]->type == KL_TYPE_STRING ? "<th>" : "<th class=\"n\">");
    for (size_t row = 0; row < g->set[0]->rows; row++) {
        fputs("</tr>\n<tr>", to);
        kl_page_row_write(to, &g->rows, row, "<th scope=\"row\">");
        for (size_t k = 0; k < g->n; k++) write_cell(to, g->set[k], g->data[k], row);
    }
}

static void write_turned(FILE *to, const struct group *g)
{
    fputs("<th></th>", to);
    for (size_t row = 0; row < g->set[0]->rows; row++)
        kl_page_row_write(to, &g->rows, row, "<th class=\"n\">");
    for (size_t k = 0; k < g->n; k++) {
        fputs("</tr>\n<tr>", to);
        write_set_name(to, g, k, "<th scope=\"row\">");
        for (size_t row = 0; row < g->set[0]->rows; row++) write_cell(to, g->set[k], g->data[k], row);
    }
}

/* Those beside dataset `first`, which is the first of them. */
static int write_group(FILE *to, struct kl_file *file, size_t first, struct kl_error *err)
{
    const struct kl_dataset *d = kl_file_dataset(file, first);
    struct group g = { .prefix = group_length(d->name) };
    int code = kl_page_rows_load(&g.rows, file, d->name, d->rows, err);
    for (size_t i = first; i < kl_file_n_datasets(file) && g.n < MOST_SETS && !code; i++) {
        if (!beside(d, kl_file_dataset(file, i))) continue;
        g.set[g.n] = kl_file_dataset(file, i);
        code = kl_file_load(&g.data[g.n], file, g.set[g.n], err);
        g.n++;
    }
    if (!code) {
        kl_html_caption(to, d->name, g.prefix - 1);
        if (g.n > WIDE && g.n > d->rows) write_turned(to, &g);
        else write_upright(to, &g);
        fputs("</tr>\n</table></div>\n", to);
    }
    for (size_t k = 0; k < g.n; k++) free(g.data[k]);
    kl_page_rows_free(&g.rows);
    return code;
}

/* Of a report's classes, if there are as many as rows; else *names stays NULL. */
static int load_classes(char **names, size_t *size, struct kl_file *file, size_t rows,
                        struct kl_error *err)
{
    const struct kl_dataset *d = kl_file_find(file, "class_names");
    *names = NULL;
    if (!d || d->type != KL_TYPE_STRING || d->rank != 1 || d->rows != rows) return KL_OK;
    *size = d->item_size;
    return kl_file_load((void **)names, file, d, err);
}

static void write_columns(FILE *to, char *names)
{
    char *rest = NULL;
    fputs("<th></th>", to);
    for (char *name = strtok_r(names, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
        fputs("<th class=\"n\">", to);
        kl_html_name(to, name);
        fputs("</th>", to);
    }
}

/* One table of rows of the matrix; names is taken apart. */
static void write_matrix(FILE *to, const struct kl_dataset *d, const void *data, size_t first,
                         char *names, const char *classes, size_t class_size)
{
    const size_t width = d->dims[d->rank - 1], rows = d->dims[d->rank - 2];
    char label[KL_NAME];
    write_columns(to, names);
    for (size_t row = 0; row < rows; row++) {
        kl_name(label, classes, classes ? rows : 0, class_size, row);
        fputs("</tr>\n<tr><th scope=\"row\">", to);
        kl_html_text(to, label);
        fputs("</th>", to);
        for (size_t k = 0; k < width; k++) write_cell(to, d, data, (first + row) * width + k);
    }
    fputs("</tr>\n</table></div>\n", to);
}

/* One of two axes, or of three (replicas first), whose attribute names its columns. */
static int write_matrices(FILE *to, struct kl_file *file, const struct kl_dataset *d,
                          struct kl_error *err)
{
    char *classes = NULL, caption[120];
    void *data = NULL;
    const size_t rows = d->dims[d->rank - 2], n = d->rank == 3 ? d->dims[0] : 1;
    size_t size = 0;
    int code = load_classes(&classes, &size, file, rows, err);
    if (!code) code = kl_file_load(&data, file, d, err);
    if (n > 1) { /* folded: the figures show the first, and there may be much below */
        fputs("<details><summary>", to);
        kl_html_name(to, d->name);
        fprintf(to, " of %zu replicas", n);
        if (n > MOST_TABLES) fprintf(to, ", the first %d here", MOST_TABLES);
        fputs("</summary>\n", to);
    }
    for (size_t i = 0; i < n && i < MOST_TABLES && !code; i++) {
        char *names = NULL;
        code = kl_file_text(&names, file, d->name, "columns", err);
        if (code) break;
        snprintf(caption, sizeof caption, n > 1 ? "%.80s, replica %zu" : "%.80s", d->name, i);
        kl_html_caption(to, caption, strlen(caption));
        write_matrix(to, d, data, i * rows, names, classes, size);
        free(names);
    }
    if (n > 1) fputs("</details>\n", to);
    free(classes);
    free(data);
    return code;
}

static bool is_matrix(const struct kl_file *file, const struct kl_dataset *d)
{
    return (d->rank == 2 || d->rank == 3) && d->dims[d->rank - 2] <= MOST_ROWS &&
           d->dims[d->rank - 1] <= MOST_COLUMNS && d->type == KL_TYPE_F64 &&
           kl_file_has_attribute(file, d->name, "columns");
}

/* What training needs to go on is nothing to read; a head's history is its curves and the table below.
 */
static bool is_shown(const struct kl_file *file, const char *name)
{
    static const char *const hidden[] = { "optimizer/", "last/",  "params/",  "controls/",
                                          "position",   "split/", "history/", "replicas/" };
    const char *kind = kl_file_kind(file);
    if (strcmp(kind, "synthetic") == 0) return strncmp(name, "power/", 6) != 0; /* axes of a figure */
    if (strcmp(kind, "nist") == 0)
        return strncmp(name, "restart/", 8) == 0; /* the others: page_nist.c */
    if (strcmp(kind, "head") != 0) return true;
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
        if (strncmp(name, hidden[i], strlen(hidden[i])) == 0) return false;
    return true;
}

int kl_page_tables(FILE *to, struct kl_file *file, struct kl_error *err)
{
    int code = strcmp(kl_file_kind(file), "head") == 0 ? kl_page_best(to, file, err) : KL_OK;
    if (!code) code = kl_page_pairs(to, file, err);
    if (!code) code = kl_page_nist(to, file, err);
    for (size_t i = 0; i < kl_file_n_datasets(file) && !code; i++) {
        const struct kl_dataset *d = kl_file_dataset(file, i);
        if (!is_shown(file, d->name)) continue;
        if (is_matrix(file, d)) code = write_matrices(to, file, d, err);
        if (code || !is_column(d) || group_length(d->name) == 0) continue; /* at the root they mix */
        bool first = true;
        for (size_t k = 0; k < i && first; k++) first = !beside(d, kl_file_dataset(file, k));
        if (first) code = write_group(to, file, i, err);
    }
    return code;
}
