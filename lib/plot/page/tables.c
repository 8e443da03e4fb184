/* SPDX-License-Identifier: MIT
   Small datasets as tables: those with named columns; groups of columns are in group.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/page/page_int.h"

enum { MOST_ROWS = 64, MOST_COLUMNS = 24, MOST_TABLES = 4 };

/* Of a report's classes, if there are as many as rows; else *names stays NULL. */
static int load_classes(char **names, size_t *size, struct kl_file *file, size_t rows,
                        struct kl_error *err)
{
    const struct kl_dataset *d = kl_store_file_find(file, "class_names");
    *names = NULL;
    if (!d || d->type != KL_TYPE_STRING || d->rank != 1 || d->rows != rows) return KL_OK;
    *size = d->item_size;
    return kl_store_file_load((void **)names, file, d, err);
}

static void write_columns(FILE *to, char *names, const char *corner)
{
    char *rest = NULL;
    fprintf(to, "<th>%s</th>", corner);
    for (char *name = strtok_r(names, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
        fputs("<th class=\"n\">", to);
        kl_plot_html_name(to, name);
        fputs("</th>", to);
    }
}

/* One table of rows of the matrix; names is taken apart. */
static void write_matrix(FILE *to, const struct kl_dataset *d, const double *values, char *names,
                         const char *corner, const char *classes, size_t class_size)
{
    const size_t width = d->dims[d->rank - 1], rows = d->dims[d->rank - 2];
    char label[KL_NAME];
    write_columns(to, names, corner);
    for (size_t row = 0; row < rows; row++) {
        kl_plot_name(label, classes, classes ? rows : 0, class_size, row);
        fputs("</tr>\n<tr><th scope=\"row\">", to);
        kl_plot_html_text(to, label);
        fputs("</th>", to);
        const bool empty = strcmp(d->name, "calibration") == 0 && values[row * width] == 0;
        for (size_t k = 0; k < width; k++) /* of no samples there is no accuracy */
            kl_plot_html_number(to, empty && k ? NAN : values[row * width + k],
                                kl_plot_page_form(values + k, rows, width));
    }
    fputs("</tr>\n</table></div>\n", to);
}

/* One of two axes, or of three (replicas first), whose attribute names its columns. */
static int write_matrices(FILE *to, struct kl_file *file, const struct kl_dataset *d,
                          struct kl_error *err)
{
    char *classes = NULL, caption[160];
    double *values = NULL;
    const size_t rows = d->dims[d->rank - 2], n = d->rank == 3 ? d->dims[0] : 1;
    const struct kl_page_words words =
        kl_plot_page_words(kl_store_file_kind(file), d->name, strlen(d->name));
    const char *title = words.caption ? words.caption : d->name;
    size_t size = 0;
    int code = load_classes(&classes, &size, file, rows, err);
    if (!code) code = kl_plot_page_doubles(&values, file, d, err);
    if (n > 1) { /* folded: the figures show the first, and there may be much below */
        fputs("<details><summary>", to);
        kl_plot_html_text(to, title);
        fprintf(to, ", of %zu heads", n);
        if (n > MOST_TABLES) fprintf(to, ", the first %d here", MOST_TABLES);
        fputs("</summary>\n", to);
    }
    for (size_t i = 0; i < n && i < MOST_TABLES && !code; i++) {
        char *names = NULL;
        code = kl_store_file_text(&names, file, d->name, "columns", err);
        if (code) break;
        snprintf(caption, sizeof caption, n > 1 ? "%.100s, head %zu" : "%.100s", title, i);
        kl_plot_html_caption(to, caption);
        write_matrix(to, d, values + i * rows * d->dims[d->rank - 1], names, words.row, classes, size);
        free(names);
    }
    if (n > 1) fputs("</details>\n", to);
    free(classes);
    free(values);
    return code;
}

static bool is_matrix(const struct kl_file *file, const struct kl_dataset *d)
{
    return (d->rank == 2 || d->rank == 3) && d->dims[d->rank - 2] <= MOST_ROWS &&
           d->dims[d->rank - 1] <= MOST_COLUMNS && d->type == KL_TYPE_F64 &&
           kl_store_file_has_attribute(file, d->name, "columns");
}

/* What training needs to go on is nothing to read; a head's history is its curves and the table below.
 */
static bool is_shown(const struct kl_file *file, const char *name)
{
    static const char *const hidden[] = { "optimizer/", "last/",     "params/",
                                          "controls/",  "position",  "split/",
                                          "history/",   "replicas/", "standardise/" };
    const char *kind = kl_store_file_kind(file);
    const bool trained = strcmp(kind, "head") == 0 || strcmp(kind, "sequence-model") == 0 ||
                         strcmp(kind, "sequence-fit") == 0;
    if (strcmp(kind, "synthetic") == 0) return strncmp(name, "power/", 6) != 0; /* axes of a figure */
    if (strcmp(kind, "pulse") == 0 || strcmp(kind, "policy") == 0 || strcmp(kind, "regret") == 0 ||
        strcmp(kind, "chains") == 0)
        return false; /* their figures show it */
    if (strcmp(kind, "nist") == 0)
        return strncmp(name, "restart/", 8) == 0; /* the others: nist.c */
    if (strcmp(kind, "sequence-report") == 0 && strncmp(name, "metrics/", 8) == 0)
        return kl_store_file_find(file, name)->rows > 1; /* of one replica the results above */
    if (!trained) return true;
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
        if (strncmp(name, hidden[i], strlen(hidden[i])) == 0) return false;
    return true;
}

int kl_plot_page_tables(FILE *to, struct kl_file *file, struct kl_error *err)
{
    const bool trained = strcmp(kl_store_file_kind(file), "head") == 0 ||
                         strcmp(kl_store_file_kind(file), "sequence-model") == 0;
    int code = trained ? kl_plot_page_best(to, file, err) : KL_OK;
    if (!code) code = kl_plot_page_pairs(to, file, err);
    if (!code) code = kl_plot_page_nist(to, file, err);
    for (size_t i = 0; i < kl_store_file_n_datasets(file) && !code; i++) {
        const struct kl_dataset *d = kl_store_file_dataset(file, i);
        if (!is_shown(file, d->name)) continue;
        if (is_matrix(file, d)) code = write_matrices(to, file, d, err);
        if (code || !kl_plot_page_is_column(d) || !strchr(d->name, '/'))
            continue; /* at the root they mix */
        bool first = true;
        for (size_t k = 0; k < i && first; k++)
            first = !kl_plot_page_beside(d, kl_store_file_dataset(file, k));
        if (first) code = kl_plot_page_group(to, file, i, err);
    }
    return code;
}
