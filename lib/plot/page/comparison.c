/* SPDX-License-Identifier: MIT
   The tables of a comparison of sequence models: the models, and the pairs of them with what tests say.
 */
#include "plot/page/page_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A column: NAME with NAME_low and NAME_high, where `interval`. */
struct column {
    const char *heading, *dataset, *form;
    bool interval;
};
static const struct column of_models[] = { { "mean (95 % over people)", "mean", "%.4f", true },
                                           { "all windows", "all_windows", "%.4f", false },
                                           { "mean rank", "mean_rank", "%.2f", false } };
static const struct column of_pairs[] = {
    { "difference (95 % over people)", "difference", "%+.4f", true },
    { "standard error", "test_error", "%.4f", false },
    { "p, sign flips", "sign_flip_p", "%.3g", false },
    { "Holm", "sign_flip_holm", "%.3g", false },
    { "p, signed ranks", "wilcoxon_p", "%.3g", false },
    { "p, folds corrected", "folds_p", "%.3g", false },
};
enum { MOST = 8 };

/* What stands under a name for each of n rows; NULL: there is nothing. */
static int load(double **values, struct kl_file *file, const char *name, const char *end, size_t n,
                struct kl_error *err)
{
    char full[80];
    snprintf(full, sizeof full, "%s%s", name, end);
    const struct kl_dataset *d = kl_store_file_find(file, full);
    *values = NULL;
    return d && d->rank == 1 && d->rows == n ? kl_plot_page_doubles(values, file, d, err) : KL_OK;
}

struct names {
    char *text;
    size_t n, size;
    int64_t *pairs; /* of models, from 0; NULL: rows are models */
};

static void write_row_name(FILE *to, const struct names *names, size_t row)
{
    char a[KL_NAME];
    const size_t of[2] = { names->pairs ? (size_t)names->pairs[2 * row] : row,
                           names->pairs ? (size_t)names->pairs[2 * row + 1] : row };
    fputs("</tr>\n<tr><th scope=\"row\">", to);
    for (int i = 0; i < (names->pairs ? 2 : 1); i++) {
        kl_plot_name(a, names->text, names->n, names->size, of[i]);
        if (i) fputs(" - ", to);
        kl_plot_html_text(to, a);
    }
    fputs("</th>", to);
}

static void write_cell(FILE *to, const char *form, double value, const double *low, const double *high,
                       size_t row)
{
    char text[KL_PAGE_NUMBER], from[KL_PAGE_NUMBER], end[KL_PAGE_NUMBER];
    kl_plot_page_number(text, value, form);
    fprintf(to, "<td class=\"n\">%s", text);
    if (low && high && !isnan(low[row]) && !isnan(high[row])) {
        kl_plot_page_number(from, low[row], form), kl_plot_page_number(end, high[row], form);
        fprintf(to, " (%s to %s)", from, end);
    }
    fputs("</td>", to);
}

/* Columns that are nowhere defined (seeds, folds that there are none of) are left out. */
static int write_table(FILE *to, struct kl_file *file, const struct names *names, size_t rows,
                       const struct column *columns, size_t n, const char *caption, struct kl_error *err)
{
    double *values[MOST][3] = { { NULL } };
    bool shown[MOST] = { false };
    int code = KL_OK;
    for (size_t c = 0; c < n && !code; c++) {
        code = load(&values[c][0], file, columns[c].dataset, "", rows, err);
        for (int e = 0; e < 2 && columns[c].interval && !code; e++)
            code = load(&values[c][1 + e], file, columns[c].dataset, e ? "_high" : "_low", rows, err);
        for (size_t r = 0; values[c][0] && r < rows; r++) shown[c] |= !isnan(values[c][0][r]);
    }
    if (!code) {
        kl_plot_html_caption(to, caption);
        fputs("<th></th>", to);
        for (size_t c = 0; c < n; c++)
            if (shown[c]) fprintf(to, "<th class=\"n\">%s</th>", columns[c].heading);
        for (size_t r = 0; r < rows; r++) {
            write_row_name(to, names, r);
            for (size_t c = 0; c < n; c++)
                if (shown[c])
                    write_cell(to, columns[c].form, values[c][0][r], values[c][1], values[c][2], r);
        }
        fputs("</tr>\n</table></div>\n", to);
    }
    for (size_t c = 0; c < n; c++)
        for (int e = 0; e < 3; e++) free(values[c][e]);
    return code;
}

int kl_plot_page_comparison(FILE *to, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *models = kl_store_file_find(file, "models"),
                            *pairs = kl_store_file_find(file, "pairs");
    struct names names = { 0 };
    if (strcmp(kl_store_file_kind(file), "sequence-comparison") != 0 || !models || !pairs ||
        models->type != KL_TYPE_STRING || models->rank != 1 || pairs->type != KL_TYPE_I64 ||
        pairs->rank != 2 || pairs->dims[1] != 2)
        return KL_OK;
    names.n = models->rows, names.size = models->item_size;
    int code = kl_store_file_load((void **)&names.text, file, models, err);
    if (!code)
        code = write_table(to, file, &names, names.n, of_models, sizeof of_models / sizeof *of_models,
                           "Each model", err);
    if (!code) code = kl_store_file_load((void **)&names.pairs, file, pairs, err);
    if (!code)
        code = write_table(to, file, &names, pairs->rows, of_pairs, sizeof of_pairs / sizeof *of_pairs,
                           "Differences, paired over people", err);
    free(names.text), free(names.pairs);
    return code;
}
