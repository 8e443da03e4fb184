/* SPDX-License-Identifier: MIT
   Small datasets as tables: those with named columns, heads at their best epochs, the pairs of a
   tournament, what the standards' tests say of devices. Columns of one axis: group.c. */
#include "plot/page/page_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- heads, or other models, at their best epochs ---- */
static int page_best(FILE *to, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *best, *d[2];
    static const char *const names[2] = { "history/train_loss", "history/val_accuracy" };
    int64_t *epochs = NULL;
    double *values[2] = { NULL, NULL };
    int code = KL_OK;
    if (!kl_store_file_find(file, "replicas/best_epoch") || !kl_store_file_find(file, names[0]))
        return KL_OK;
    code = kl_store_file_load_named((void **)&epochs, &best, file, "replicas/best_epoch", KL_TYPE_I64, 1,
                                    err);
    for (int k = 0; k < 2 && !code; k++) {
        code = kl_store_file_load_named((void **)&values[k], &d[k], file, names[k], KL_TYPE_F64, 2, err);
    }
    if (!code) {
        const bool heads = strcmp(kl_store_file_kind(file), "head") == 0;
        kl_plot_html_caption(to,
                             heads ? "Each head at its best epoch" : "Each replica at its best epoch");
        fprintf(to,
                "<th class=\"n\">%s</th><th class=\"n\">epoch</th><th class=\"n\">training loss</th>"
                "<th class=\"n\">validation accuracy</th>",
                heads ? "head" : "replica");
    }
    for (size_t r = 0; !code && r < best->rows; r++) {
        fprintf(to, "</tr>\n<tr><td class=\"n\">%zu</td><td class=\"n\">%lld</td>", r,
                (long long)epochs[r] + 1);
        for (int k = 0; k < 2; k++) {
            const bool known = r < d[k]->rows && epochs[r] >= 0 && (size_t)epochs[r] < d[k]->dims[1];
            kl_plot_html_number(to, known ? values[k][r * d[k]->dims[1] + (size_t)epochs[r]] : NAN,
                                "%.4f");
        }
    }
    if (!code) fputs("</tr>\n</table></div>\n", to);
    free(epochs);
    free(values[0]);
    free(values[1]);
    return code;
}

/* ---- pairs ----
   A tournament's pairs as a table: what its command prints, and the study's composite. */

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

static int load_values(void **data, size_t *stride, struct kl_file *file, const char *name,
                       enum kl_type type, size_t n, struct kl_error *err)
{
    const struct kl_dataset *d = kl_store_file_find(file, name);
    if (!d || d->type != type || d->rank < 1 || d->rank > 2 || d->rows != n)
        return kl_fail(err, KL_EDATA, "%s: %s: expected a number of each pair", kl_store_file_path(file),
                       name);
    *stride = d->rank == 2 ? d->dims[1] : 1;
    return kl_store_file_load(data, file, d, err);
}

/* Find a dataset's column by name; beyond the last one: none has that name. */
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
    if (!code) code = load_values((void **)&p->order, &one, file, "order", KL_TYPE_I64, p->n, err);
    if (!code) code = load_order_of(&p->by_composite, file, err);
    for (size_t i = 0; i < p->n && !code; i++)
        if (p->order[i] < 0 || (uint64_t)p->order[i] >= p->n)
            code = kl_fail(err, KL_EDATA, "%s: order: expected pairs", kl_store_file_path(file));
    for (int k = 0; k < COLUMNS && !code; k++) {
        if (!kl_store_file_find(file, columns[k].dataset)) continue;
        code = load_values((void **)&p->value[k], &p->stride[k], file, columns[k].dataset, KL_TYPE_F64,
                           p->n, err);
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

/* The pairs of a tournament in their order; nothing of other kinds. The same codes. */
static int page_pairs(FILE *to, struct kl_file *file, struct kl_error *err)
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

/* ---- the standards' tests and estimates ----
   What the standards' tests and estimates say of each device, as tables: a row a test, a column a
   device. */

enum { LOADED = 8 };

/* Numbers of n devices under k names. */
struct sheet {
    char *devices, *names;
    void *data[LOADED];
    size_t n, device_size, k, name_size, n_data;
};

static int load_names(char **names, size_t *n, size_t *size, struct kl_file *file, const char *set,
                      struct kl_error *err)
{
    const struct kl_dataset *d = kl_store_file_find(file, set);
    if (!d || d->type != KL_TYPE_STRING || d->rank != 1)
        return kl_fail(err, KL_EDATA, "%s: %s: expected names", kl_store_file_path(file), set);
    *n = d->rows, *size = d->item_size;
    return kl_store_file_load((void **)names, file, d, err);
}

/* [n, k], or [n] where k is 1. */
static int load(void **data, struct sheet *s, struct kl_file *file, const char *set, enum kl_type type,
                size_t k, struct kl_error *err)
{
    const struct kl_dataset *d = kl_store_file_find(file, set);
    if (!d || d->type != type || d->rank != (k > 1 ? 2 : 1) || d->rows != s->n ||
        (k > 1 && d->dims[1] != k))
        return kl_fail(err, KL_EDATA, "%s: %s: expected %zu numbers of each device",
                       kl_store_file_path(file), set, k);
    int code = kl_store_file_load(data, file, d, err);
    if (!code) s->data[s->n_data++] = *data;
    return code;
}

static int begin(struct sheet *s, struct kl_file *file, const char *names, struct kl_error *err)
{
    *s = (struct sheet){ .n = 0 };
    int code = load_names(&s->devices, &s->n, &s->device_size, file, "devices", err);
    return code ? code : load_names(&s->names, &s->k, &s->name_size, file, names, err);
}

static void end(struct sheet *s)
{
    for (size_t i = 0; i < s->n_data; i++) free(s->data[i]);
    free(s->devices), free(s->names);
}

static void write_name(FILE *to, const char *tag, const char *names, size_t n, size_t size, size_t k)
{
    char name[KL_NAME];
    kl_plot_name(name, names, n, size, k);
    fputs(tag, to);
    kl_plot_html_text(to, name);
}

/* The least log10 p, after Holm, of the values that belong to a test; NaN: it has none. */
static double least(const double *log10_p, const int32_t *test, size_t values, size_t k)
{
    double p = NAN;
    for (size_t v = 0; v < values; v++)
        if (test[v] == (int32_t)k) p = fmin(p, log10_p[v]);
    return p;
}

static int write_tests(FILE *to, struct kl_file *file, struct kl_error *err)
{
    static const char *const words[] = { "failed", "passed", "not applicable" };
    const struct kl_dataset *tests = kl_store_file_find(file, "sp800_22/test");
    int32_t *verdict = NULL, *test = NULL;
    double *p = NULL;
    struct sheet s;
    int code = begin(&s, file, "sp800_22/test_names", err);
    if (!code && (!tests || tests->type != KL_TYPE_I32 || tests->rank != 1))
        code = kl_fail(err, KL_EDATA, "%s: sp800_22/test: expected numbers", kl_store_file_path(file));
    if (!code) code = load((void **)&verdict, &s, file, "sp800_22/verdict", KL_TYPE_I32, s.k, err);
    if (!code)
        code = load((void **)&p, &s, file, "sp800_22/log10_p_holm", KL_TYPE_F64, tests->rows, err);
    if (!code) code = kl_store_file_load((void **)&test, file, tests, err);
    if (!code) {
        /* older files know the first sequence alone */
        kl_plot_html_caption(to, kl_store_file_schema(file) >= 2
                                     ? "SP 800-22: least log10 p, after Holm"
                                     : "SP 800-22, the first sequence: log10 p after Holm");
        fputs("<th></th>", to);
        for (size_t i = 0; i < s.n; i++)
            write_name(to, "<th colspan=\"2\">", s.devices, s.n, s.device_size, i), fputs("</th>", to);
    }
    for (size_t k = 0; k < s.k && !code; k++) {
        write_name(to, "</tr>\n<tr><th scope=\"row\">", s.names, s.k, s.name_size, k);
        fputs("</th>", to);
        for (size_t i = 0; i < s.n; i++) {
            const int32_t found = verdict[i * s.k + k];
            fprintf(to, "<td>%s</td>", found >= 0 && found < 3 ? words[found] : "?");
            kl_plot_html_number(to, found == 2 ? NAN : least(p + i * tests->rows, test, tests->rows, k),
                                "%.1f");
        }
    }
    if (!code) fputs("</tr>\n</table></div>\n", to);
    free(test);
    end(&s);
    return code;
}

static int write_entropies(FILE *to, struct kl_file *file, struct kl_error *err)
{
    double *bit = NULL, *symbol = NULL, *assessed = NULL, width = 0;
    struct sheet s;
    int code = begin(&s, file, "entropy/names", err);
    if (!code) code = load((void **)&bit, &s, file, "entropy/bit", KL_TYPE_F64, s.k, err);
    if (!code) code = load((void **)&symbol, &s, file, "entropy/symbol", KL_TYPE_F64, s.k, err);
    if (!code) code = kl_store_file_number(&width, file, "", "symbol_bits", err);
    if (width < 2) symbol = NULL; /* the same; s frees it */
    if (!code) code = load((void **)&assessed, &s, file, "entropy/assessed", KL_TYPE_F64, 1, err);
    if (!code) {
        kl_plot_html_caption(to, symbol ? "SP 800-90B, min-entropy: bits a bit, bits a symbol"
                                        : "SP 800-90B, min-entropy: bits a bit");
        fputs("<th></th>", to);
        for (size_t i = 0; i < s.n; i++)
            write_name(to, symbol ? "<th class=\"n\" colspan=\"2\">" : "<th class=\"n\">", s.devices,
                       s.n, s.device_size, i),
                fputs("</th>", to);
    }
    for (size_t k = 0; k <= s.k && !code; k++) {
        if (k < s.k) write_name(to, "</tr>\n<tr><th scope=\"row\">", s.names, s.k, s.name_size, k);
        else fputs("</tr>\n<tr><th scope=\"row\">assessed, bits a symbol", to);
        fputs("</th>", to);
        for (size_t i = 0; i < s.n; i++) {
            if (k == s.k && symbol) fputs("<td></td>", to);
            kl_plot_html_number(to, k == s.k ? assessed[i] : bit[i * s.k + k], "%.4f");
            if (k < s.k && symbol) kl_plot_html_number(to, symbol[i * s.k + k], "%.4f");
        }
    }
    if (!code) fputs("</tr>\n</table></div>\n", to);
    end(&s);
    return code;
}

static void row_begin(FILE *to, const char *name)
{
    fprintf(to, "</tr>\n<tr><th scope=\"row\">%s</th>", name);
}

/* A hypothesis that too few permutations have not refuted was hardly tested, as the tool's own line
   says; NaN: the file does not say how many. */
static void write_verdict(FILE *to, int32_t verdict, double permutations)
{
    static const char *const words[] = { "refuted", "not refuted", "all equal" };
    fprintf(to, "<td class=\"n\">%s", verdict >= 0 && verdict < 3 ? words[verdict] : "?");
    if (verdict == 1 && permutations == 0) fputs("; not compared with permutations", to);
    else if (verdict == 1 && permutations > 0 && permutations < KL_PAGE_PERMUTATIONS)
        fprintf(to, "; %.0f permutation%s too few for a verdict, expected at least %d", permutations,
                permutations == 1 ? " is" : "s are", (int)KL_PAGE_PERMUTATIONS);
    fputs("</td>", to);
}

/* Write the uses: may symbols be independent, and how many uniform bits are in them? Nothing of a file
   that does not say it yet. */
static int write_uses(FILE *to, struct kl_file *file, struct kl_error *err)
{
    int32_t *verdict = NULL;
    double *row = NULL, *bit = NULL, permutations;
    struct sheet s;
    if (!kl_store_file_find(file, "iid/verdict")) return KL_OK;
    int code = begin(&s, file, "iid/names", err);
    if (!code) code = load((void **)&verdict, &s, file, "iid/verdict", KL_TYPE_I32, 1, err);
    if (!code) code = load((void **)&row, &s, file, "extractable/row", KL_TYPE_F64, 1, err);
    if (!code) code = load((void **)&bit, &s, file, "extractable/bit", KL_TYPE_F64, 1, err);
    if (!code) code = kl_plot_key_option(&permutations, file, "permutations", err);
    if (!code) {
        kl_plot_html_caption(to, "SP 800-90B, independence, and bits that can be extracted");
        fputs("<th></th>", to);
        for (size_t i = 0; i < s.n; i++)
            write_name(to, "<th class=\"n\">", s.devices, s.n, s.device_size, i), fputs("</th>", to);
        row_begin(to, "independent, identically distributed");
        for (size_t i = 0; i < s.n; i++) write_verdict(to, verdict[i], permutations);
        row_begin(to, "of a row alone");
        for (size_t i = 0; i < s.n; i++) kl_plot_html_number(to, row[i], "%.0f");
        row_begin(to, "of each bit of long blocks");
        for (size_t i = 0; i < s.n; i++) kl_plot_html_number(to, bit[i], "%.4f");
        fputs("</tr>\n</table></div>\n", to);
    }
    end(&s);
    return code;
}

/* The verdicts and entropies of tournament --nist; nothing of other kinds. KL_EDATA, KL_EIO, KL_ENOMEM.
 */
static int page_nist(FILE *to, struct kl_file *file, struct kl_error *err)
{
    if (strcmp(kl_store_file_kind(file), "nist") != 0) return KL_OK;
    int code = write_tests(to, file, err);
    if (!code) code = write_entropies(to, file, err);
    return code ? code : write_uses(to, file, err);
}

/* ---- named columns; all of a file ---- */
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

/* State for resuming is not shown; a head's history is its curves and the table below. */
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
        return false;                                                        /* their figures show it */
    if (strcmp(kind, "nist") == 0) return strncmp(name, "restart/", 8) == 0; /* the others: above */
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
    int code = trained ? page_best(to, file, err) : KL_OK;
    if (!code) code = page_pairs(to, file, err);
    if (!code) code = page_nist(to, file, err);
    if (!code) code = kl_plot_page_comparison(to, file, err);
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
