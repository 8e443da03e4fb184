/* SPDX-License-Identifier: MIT
   Datasets of one axis that lie beside each other in a group, as one table; and what the rows of a
   table are: devices, pairs of them, or people. */
#include "plot/page/page_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows ---- */
static int load_devices(struct kl_page_rows *r, struct kl_file *file, bool people, struct kl_error *err)
{
    static const char *const names[] = { "devices", "device_names", "class_names" };
    const struct kl_dataset *d = people ? kl_store_file_find(file, "subject_names") : NULL;
    for (int i = 0; i < 3 && !d && !people; i++) d = kl_store_file_find(file, names[i]);
    if (!d || d->type != KL_TYPE_STRING || d->rank != 1) return KL_OK;
    r->n_devices = d->rows, r->size = d->item_size;
    return kl_store_file_load((void **)&r->devices, file, d, err);
}

/* Is it a dataset of extract-features --reference with numbers of devices beside those of pairs? */
static bool is_reference_of_devices(const char *name)
{
    return strcmp(name, "reference/rate") == 0 || strcmp(name, "reference/last_row_rate") == 0;
}

/* Do both datasets, of one group and as many rows, have rows of one kind? */
static bool page_rows_agree(const char *one, const char *other)
{
    return is_reference_of_devices(one) == is_reference_of_devices(other);
}

int kl_plot_page_rows_load(struct kl_page_rows *r, struct kl_file *file, const char *group, size_t rows,
                           struct kl_error *err)
{
    *r = (struct kl_page_rows){ 0 };
    const bool of_bits = strcmp(kl_store_file_kind(file), "device-bits") == 0;
    const bool people = strncmp(group, "subjects/", 9) == 0;
    const bool devices = people || strncmp(group, "device_", 7) == 0 || is_reference_of_devices(group) ||
                         strcmp(kl_store_file_kind(file), "synthetic") == 0 ||
                         strcmp(kl_store_file_kind(file), "nist") == 0;
    const bool pairs =
        !devices && (strncmp(group, "pairs/", 6) == 0 || strncmp(group, "scores/", 7) == 0 ||
                     (of_bits && strncmp(group, "reference/", 10) == 0));
    const struct kl_dataset *d = kl_store_file_find(file, "pairs");
    if (!devices && !pairs) return KL_OK;
    int code = load_devices(r, file, people, err);
    if (code || !r->devices) return code;
    r->are_devices = devices && r->n_devices == rows;
    r->are_pairs =
        pairs && (d ? d->type == KL_TYPE_I32 && d->rank == 2 && d->rows == rows && d->dims[1] == 2
                    : rows == r->n_devices * (r->n_devices - 1) / 2);
    if (r->are_pairs && d) code = kl_store_file_load((void **)&r->pairs, file, d, err);
    return code;
}

/* Without a list, pairs stand as 0 1, 0 2, ..., 1 2, ... */
static void find_pair(size_t pair[2], const struct kl_page_rows *r, size_t row)
{
    if (r->pairs) {
        pair[0] = (size_t)r->pairs[2 * row], pair[1] = (size_t)r->pairs[2 * row + 1];
        return;
    }
    size_t first = 0;
    while (row >= r->n_devices - 1 - first) row -= r->n_devices - 1 - first, first++;
    pair[0] = first, pair[1] = first + 1 + row;
}

void kl_plot_page_row_write(FILE *to, const struct kl_page_rows *r, size_t row, const char *tag)
{
    char a[KL_NAME], b[KL_NAME];
    size_t pair[2] = { row, row };
    fputs(tag, to);
    if (!r->are_devices && !r->are_pairs) {
        fprintf(to, "%zu</th>", row);
        return;
    }
    if (r->are_pairs) find_pair(pair, r, row);
    kl_plot_name(a, r->devices, r->n_devices, r->size, pair[0]);
    kl_plot_name(b, r->devices, r->n_devices, r->size, pair[1]);
    kl_plot_html_text(to, a);
    if (r->are_pairs) {
        fputs(" v ", to);
        kl_plot_html_text(to, b);
    }
    fputs("</th>", to);
}

void kl_plot_page_rows_free(struct kl_page_rows *r)
{
    free(r->devices);
    free(r->pairs);
}

/* ---- the table ---- */
enum { MOST_ROWS = 64, MOST_SETS = 64, WIDE = 10 };

/* Anything that one can read as a column: numbers, or words. */
bool kl_plot_page_is_column(const struct kl_dataset *d)
{
    return d->rank == 1 && d->rows > 0 && d->rows <= MOST_ROWS && d->type != KL_TYPE_F16;
}

int kl_plot_page_doubles(double **values, struct kl_file *file, const struct kl_dataset *d,
                         struct kl_error *err)
{
    void *data = NULL;
    size_t n = 1;
    *values = NULL;
    for (int i = 0; i < d->rank; i++) n *= d->dims[i];
    if (d->type == KL_TYPE_STRING || d->type == KL_TYPE_F16) return KL_OK;
    int code = kl_store_file_load(&data, file, d, err);
    if (!code && !(*values = malloc((n + 1) * sizeof **values)))
        code = kl_fail_memory(err, n * sizeof **values);
    for (size_t i = 0; i < n && !code; i++) (*values)[i] = kl_store_type_number(d->type, data, i);
    free(data);
    return code;
}

/* Length of the group's name with its slash; 0: the root. */
static size_t group_length(const char *name)
{
    const char *slash = strrchr(name, '/');
    return slash ? (size_t)(slash - name) + 1 : 0;
}

bool kl_plot_page_beside(const struct kl_dataset *x, const struct kl_dataset *y)
{
    const size_t n = group_length(x->name);
    return kl_plot_page_is_column(y) && n == group_length(y->name) &&
           strncmp(x->name, y->name, n) == 0 && x->rows == y->rows && page_rows_agree(x->name, y->name);
}

/* A column, or where these are many and the axis is short a row; what stands behind its numbers. */
struct series {
    const struct kl_dataset *set;
    double *values;
    char *names;
    const char *form;
    const double *low, *high, *error; /* of others, or NULL */
    bool told;                        /* behind another one */
};
struct group {
    struct series series[MOST_SETS];
    size_t n, prefix; /* of their names */
    const char *corner;
    struct kl_page_rows rows;
};

static int load(struct series *s, struct kl_file *file, const struct kl_dataset *d, struct kl_error *err)
{
    *s = (struct series){ .set = d, .form = "%.0f" };
    if (d->type == KL_TYPE_STRING) return kl_store_file_load((void **)&s->names, file, d, err);
    int code = kl_plot_page_doubles(&s->values, file, d, err);
    if (!code) s->form = kl_plot_page_form(s->values, d->rows, 1);
    if (strstr(d->name, "log10_p")) s->form = "%.1f";
    if (strstr(d->name, "/js_symbol")) s->form = "%.3e"; /* as a tournament tells it */
    return code;
}

/* The one that is called as this one with an end to its name. */
static struct series *with_end(struct group *g, const struct series *s, const char *end)
{
    const size_t n = strlen(s->set->name);
    for (size_t k = 0; k < g->n; k++) {
        const char *name = g->series[k].set->name;
        if (strncmp(name, s->set->name, n) == 0 && strcmp(name + n, end) == 0 && g->series[k].values)
            return &g->series[k];
    }
    return NULL;
}

static void pair_up(struct group *g)
{
    for (size_t k = 0; k < g->n; k++) {
        struct series *s = &g->series[k], *low = with_end(g, s, "_low"), *high = with_end(g, s, "_high"),
                      *error = with_end(g, s, "_se");
        if (!error) error = with_end(g, s, "_error");
        if (low && high) s->low = low->values, s->high = high->values, low->told = high->told = true;
        if (error) s->error = error->values, error->told = true;
    }
}

static void write_cell(FILE *to, const struct series *s, size_t i)
{
    char text[KL_PAGE_NUMBER], other[KL_PAGE_NUMBER];
    if (s->names) {
        char word[256];
        snprintf(word, sizeof word, "%.*s", (int)s->set->item_size, s->names + i * s->set->item_size);
        fputs("<td>", to);
        kl_plot_html_text(to, word);
        fputs("</td>", to);
        return;
    }
    kl_plot_page_number(text, s->values[i], s->form);
    fprintf(to, "<td class=\"n\">%s", text);
    if (s->low && !isnan(s->low[i]) && !isnan(s->high[i])) {
        kl_plot_page_number(text, s->low[i], s->form);
        kl_plot_page_number(other, s->high[i], s->form);
        fprintf(to, " (%s to %s)", text, other);
    } else if (s->error && !isnan(s->error[i])) {
        kl_plot_page_number(text, s->error[i], s->form);
        fprintf(to, " &#177; %s", text);
    }
    fputs("</td>", to);
}

static void write_name(FILE *to, const struct group *g, size_t k, const char *tag)
{
    const char *name = g->series[k].set->name, *words = kl_plot_page_column(name);
    fputs(tag, to);
    if (words) kl_plot_html_text(to, words);
    else kl_plot_html_name(to, name + g->prefix);
    fputs("</th>", to);
}

static void write_upright(FILE *to, const struct group *g)
{
    fprintf(to, "<th>%s</th>", g->corner);
    for (size_t k = 0; k < g->n; k++)
        if (!g->series[k].told) write_name(to, g, k, g->series[k].names ? "<th>" : "<th class=\"n\">");
    for (size_t row = 0; row < g->series[0].set->rows; row++) {
        fputs("</tr>\n<tr>", to);
        kl_plot_page_row_write(to, &g->rows, row, "<th scope=\"row\">");
        for (size_t k = 0; k < g->n; k++)
            if (!g->series[k].told) write_cell(to, &g->series[k], row);
    }
}

static void write_turned(FILE *to, const struct group *g)
{
    fprintf(to, "<th>%s</th>", g->corner);
    for (size_t row = 0; row < g->series[0].set->rows; row++)
        kl_plot_page_row_write(to, &g->rows, row, "<th class=\"n\">");
    for (size_t k = 0; k < g->n; k++) {
        if (g->series[k].told) continue;
        fputs("</tr>\n<tr>", to);
        write_name(to, g, k, "<th scope=\"row\">");
        for (size_t row = 0; row < g->series[0].set->rows; row++) write_cell(to, &g->series[k], row);
    }
}

static void write_group(FILE *to, const struct group *g, const struct kl_dataset *d, const char *caption)
{
    char name[120];
    size_t shown = 0;
    snprintf(name, sizeof name, "%.*s", (int)(g->prefix < 100 ? g->prefix - 1 : 100), d->name);
    for (char *c = name; *c; c++) *c = *c == '_' ? ' ' : *c;
    for (size_t k = 0; k < g->n; k++) shown += !g->series[k].told;
    kl_plot_html_caption(to, caption ? caption : name);
    if (shown > WIDE && shown > d->rows) write_turned(to, g);
    else write_upright(to, g);
    fputs("</tr>\n</table></div>\n", to);
}

int kl_plot_page_group(FILE *to, struct kl_file *file, size_t first, struct kl_error *err)
{
    const struct kl_dataset *d = kl_store_file_dataset(file, first);
    struct group g = { .prefix = group_length(d->name) };
    const struct kl_page_words words =
        kl_plot_page_words(kl_store_file_kind(file), d->name, g.prefix - 1);
    int code = kl_plot_page_rows_load(&g.rows, file, d->name, d->rows, err);
    g.corner = words.row;
    for (size_t i = first; i < kl_store_file_n_datasets(file) && g.n < MOST_SETS && !code; i++)
        if (kl_plot_page_beside(d, kl_store_file_dataset(file, i)))
            code = load(&g.series[g.n++], file, kl_store_file_dataset(file, i), err);
    if (!code) {
        pair_up(&g);
        write_group(to, &g, d, words.caption);
    }
    for (size_t k = 0; k < g.n; k++) free(g.series[k].values), free(g.series[k].names);
    kl_plot_page_rows_free(&g.rows);
    return code;
}
