/* SPDX-License-Identifier: MIT
   A tournament's pairs as a table: what its command prints, and the study's composite. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/page/page_int.h"

enum { MOST_PAIRS = 64 };

/* A number of each pair, in the tool's own form: a dataset, or that column of it which `names` calls by
   `name`. */
static const struct {
    const char *heading, *form, *dataset, *names, *name;
} columns[] = {
    { "chi-squared", "%.5g", "chi_square", NULL, NULL },
    { "log10 p (Holm)", "%.1f", "log10_p_holm", NULL, NULL },
    { "JS, nats a symbol", "%.3e", "divergence", "divergences", "js" },
    { "95 % from", "%.3e", "divergence_low", "divergences", "js" },
    { "to", "%.3e", "divergence_high", "divergences", "js" },
    { "a row told, if independent", "%.4f", "row_accuracy", NULL, NULL },
    { "held out", "%.4f", "score", "scores", "accuracy" },
    { "p (Holm)", "%.4f", "score_p_holm", "scores", "accuracy" }, /* which older files lack */
    { "the study's composite", "%.4f", "score", "scores", "composite" },
    { "its p", "%.4f", "score_p", "scores", "composite" },
};
enum { COLUMNS = sizeof columns / sizeof *columns };

struct pairs {
    struct kl_page_rows rows;
    int64_t *order;         /* [n], from 0 */
    double *value[COLUMNS]; /* [n, stride] */
    size_t n, stride[COLUMNS], at[COLUMNS];
    bool by_composite; /* what the order is of */
};

static int load(void **data, size_t *stride, struct kl_file *file, const char *name, enum kl_type type,
                size_t n, struct kl_error *err)
{
    const struct kl_dataset *d = kl_store_file_find(file, name);
    if (!d || d->type != type || d->rank < 1 || d->rank > 2 || d->rows != n)
        return kl_fail(err, KL_EDATA, "%s: %s: expected a number of each pair", kl_store_file_path(file),
                       name);
    *stride = d->rank == 2 ? d->dims[1] : 1;
    return kl_store_file_load(data, file, d, err);
}

/* Which of a dataset's columns is meant; beyond the last one: none has that name. */
static int find_column(size_t *at, struct kl_file *file, const char *names, const char *name,
                       struct kl_error *err)
{
    const struct kl_dataset *d = kl_store_file_find(file, names);
    char *text = NULL;
    if (!d || d->type != KL_TYPE_STRING || d->rank != 1)
        return kl_fail(err, KL_EDATA, "%s: %s: expected names", kl_store_file_path(file), names);
    int code = kl_store_file_load((void **)&text, file, d, err);
    for (*at = 0; !code && *at < d->rows; ++*at) {
        const char *own = text + *at * d->item_size;
        if (strnlen(own, d->item_size) == strlen(name) && memcmp(own, name, strlen(name)) == 0) break;
    }
    free(text);
    return code;
}

/* Whether pairs are in the study's order. */
static int load_order_of(bool *by_composite, struct kl_file *file, struct kl_error *err)
{
    char *rows_are = NULL;
    if (!kl_store_file_has_attribute(file, "", "rows_are")) return KL_OK;
    const int code = kl_store_file_text(&rows_are, file, "", "rows_are", err);
    *by_composite = !code && strcmp(rows_are, "the study's") == 0;
    free(rows_are);
    return code;
}

static int load_pairs(struct pairs *p, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *d = kl_store_file_find(file, "pairs");
    size_t one;
    p->n = d ? d->rows : 0;
    int code = kl_plot_page_rows_load(&p->rows, file, "pairs/", p->n, err);
    if (!code && !p->rows.are_pairs)
        code = kl_fail(err, KL_EDATA, "%s: pairs: expected two devices each", kl_store_file_path(file));
    if (!code) code = load((void **)&p->order, &one, file, "order", KL_TYPE_I64, p->n, err);
    if (!code) code = load_order_of(&p->by_composite, file, err);
    for (size_t i = 0; i < p->n && !code; i++)
        if (p->order[i] < 0 || (uint64_t)p->order[i] >= p->n)
            code = kl_fail(err, KL_EDATA, "%s: order: expected pairs", kl_store_file_path(file));
    for (int k = 0; k < COLUMNS && !code; k++) {
        if (!kl_store_file_find(file, columns[k].dataset)) continue;
        code =
            load((void **)&p->value[k], &p->stride[k], file, columns[k].dataset, KL_TYPE_F64, p->n, err);
        if (!code && columns[k].name)
            code = find_column(&p->at[k], file, columns[k].names, columns[k].name, err);
        if (!code && p->at[k] >= p->stride[k])
            code = kl_fail(err, KL_EDATA, "%s: %s: has no %s", kl_store_file_path(file),
                           columns[k].dataset, columns[k].heading);
    }
    return code;
}

static void write_pairs(FILE *to, const struct pairs *p)
{
    kl_plot_html_caption(to, p->by_composite
                                 ? "Pairs, by the study's composite"
                                 : "Pairs, by the Jensen-Shannon divergence of their symbols");
    fputs("<th></th>", to);
    for (int k = 0; k < COLUMNS; k++) fprintf(to, "<th class=\"n\">%s</th>", columns[k].heading);
    for (size_t i = 0; i < p->n && i < MOST_PAIRS; i++) {
        const size_t pair = (size_t)p->order[i];
        fputs("</tr>\n<tr>", to);
        kl_plot_page_row_write(to, &p->rows, pair, "<th scope=\"row\">");
        for (int k = 0; k < COLUMNS; k++)
            kl_plot_html_number(to, p->value[k] ? p->value[k][pair * p->stride[k] + p->at[k]] : NAN,
                                columns[k].form);
    }
    fputs("</tr>\n</table></div>\n", to);
    if (p->n > MOST_PAIRS)
        fprintf(to, "<p class=\"soft\">%zu more in the file.</p>\n", p->n - MOST_PAIRS);
}

int kl_plot_page_pairs(FILE *to, struct kl_file *file, struct kl_error *err)
{
    struct pairs p = { 0 };
    if (strcmp(kl_store_file_kind(file), "tournament") != 0) return KL_OK;
    int code = load_pairs(&p, file, err);
    if (!code) write_pairs(to, &p);
    for (int k = 0; k < COLUMNS; k++) free(p.value[k]);
    free(p.order);
    kl_plot_page_rows_free(&p.rows);
    return code;
}
