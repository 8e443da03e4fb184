/* SPDX-License-Identifier: MIT
   The line of files on devices that are told by their bits. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/stats.h"
#include "plot/page/headline_int.h"

/* Older files took two bits for a symbol, whatever was declared, and did not look whether
   those depend. */
static void tell_limit(char text[KL_HEADLINE], const struct kl_file *file)
{
    const double own = kl_plot_headline_number(file, "symbol_bits"), width = isnan(own) ? 2 : own;
    const bool dependent = kl_store_file_has_attribute(file, "", "dependence_device");
    kl_plot_headline_add(text, "; limit %.4f of any classifier, if symbols of %.0f bit%s %s",
                         kl_plot_headline_number(file, "limit_accuracy"), width, width > 1 ? "s" : "",
                         dependent ? "were independent, which they are not" : "are independent");
}

static void tell_collapsed(char text[KL_HEADLINE], size_t n, size_t splits)
{
    kl_plot_headline_add(text, "; collapsed on %zu of %zu split%s: one device whatever the row", n,
                         splits, kl_s(splits));
}

int kl_plot_headline_of_classifier(char text[KL_HEADLINE], struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *d = kl_store_file_find(file, "collapsed");
    const double null = kl_plot_headline_number(file, "null");
    double *all = NULL;
    size_t collapsed = 0;
    int code = kl_plot_headline_text(text, file, "model", "", err);
    if (!code) code = kl_plot_headline_text(text, file, "protocol", ", ", err);
    if (code || !d || d->rank != 1 || !(null >= 0 && null < (double)d->rows)) return code;
    code = kl_plot_page_doubles(&all, file, d, err);
    const size_t splits = d->rows - (size_t)null;
    for (size_t i = 0; i < splits && all; i++) collapsed += all[i] > 0;
    if (collapsed) tell_collapsed(text, collapsed, splits);
    free(all);
    return code;
}

int kl_plot_headline_of_device_report(char text[KL_HEADLINE], struct kl_file *file, struct kl_error *err)
{
    char *model = NULL, name[80], title[80];
    size_t collapsed = 0;
    int code = kl_store_file_has_attribute(file, "", "model")
                   ? kl_store_file_text(&model, file, "", "model", err)
                   : KL_OK;
    if (model) {
        snprintf(name, sizeof name, "%.40s_accuracy", model);
        snprintf(title, sizeof title, "%.40s: accuracy", model);
        kl_plot_headline_accuracy(text, file, name, title);
        snprintf(name, sizeof name, "%.40s_collapsed", model);
        collapsed = kl_plot_headline_count(file, name);
        snprintf(name, sizeof name, "%.40s/accuracy", model);
    }
    kl_plot_headline_counted(text, " of ", kl_plot_headline_rows(file, "device_names"), "device");
    if (collapsed) tell_collapsed(text, collapsed, kl_plot_headline_rows(file, name));
    free(model);
    if (!isnan(kl_plot_headline_number(file, "limit_accuracy"))) tell_limit(text, file);
    return code;
}

int kl_plot_headline_of_gan(char text[KL_HEADLINE], struct kl_file *file, struct kl_error *err)
{
    const size_t uniform = kl_plot_headline_count(file, "no_better_than_uniform");
    (void)err;
    kl_plot_headline_counted(text, "", kl_plot_headline_rows(file, "pairs"), "pair");
    kl_plot_headline_counted(text, ", ", kl_plot_headline_rows(file, "law"), "generator");
    if (uniform) kl_plot_headline_add(text, ", %zu no better than the uniform law", uniform);
    return KL_OK;
}

/* The p-values of held-out rows: all scores' [n, stride], and which one it is; NULL: an older file has
   none. */
static int load_held_out(double **p, size_t *stride, size_t *at, struct kl_file *file, size_t n,
                         struct kl_error *err)
{
    const struct kl_dataset *d = kl_store_file_find(file, "score_p_holm"),
                            *names = kl_store_file_find(file, "scores");
    char *text = NULL, name[KL_NAME] = "";
    *p = NULL;
    if (!d || d->rank != 2 || d->rows != n || !names || names->type != KL_TYPE_STRING ||
        names->rank != 1 || names->rows != d->dims[1])
        return KL_OK;
    int code = kl_store_file_load((void **)&text, file, names, err);
    *stride = names->rows;
    for (*at = 0; !code && *at < names->rows; ++*at) {
        kl_plot_name(name, text, names->rows, names->item_size, *at);
        if (strcmp(name, "accuracy") == 0) break;
    }
    if (!code && *at < names->rows) code = kl_plot_page_doubles(p, file, d, err);
    free(text);
    return code;
}

static int add_rows(struct kl_differ *differ, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *d = kl_store_file_find(file, "rows");
    double *rows = NULL;
    const int code = d ? kl_plot_page_doubles(&rows, file, d, err) : KL_OK;
    for (size_t i = 0; rows && i < d->rows; i++)
        kl_stats_differ_device(differ, rows[i] > 0 && rows[i] < 1e15 ? (size_t)rows[i] : 0);
    free(rows);
    return code;
}

int kl_plot_headline_of_tournament(char text[KL_HEADLINE], struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *d = kl_store_file_find(file, "log10_p_holm");
    struct kl_differ differ = { .permutations = kl_plot_headline_count(file, "permutations"),
                                .dependent =
                                    kl_store_file_has_attribute(file, "", "dependence_device") };
    char words[KL_DIFFER_TEXT];
    double *p = NULL, *held_out = NULL;
    size_t stride = 0, at = 0;
    int code = d ? kl_plot_page_doubles(&p, file, d, err) : KL_OK;
    if (!code && p) code = load_held_out(&held_out, &stride, &at, file, d->rows, err);
    kl_plot_headline_counted(text, "", kl_plot_headline_rows(file, "devices"), "device");
    if (!held_out) differ.permutations = 0; /* as far as an older file tells */
    if (!code && held_out) code = add_rows(&differ, file, err);
    if (!code && p) {
        for (size_t i = 0; i < d->rows; i++)
            kl_stats_differ_add(&differ, p[i], held_out ? held_out[i * stride + at] : NAN);
        kl_stats_differ_text(words, &differ);
        kl_plot_headline_add(text, ", %s", words);
    }
    free(p), free(held_out);
    return code;
}
