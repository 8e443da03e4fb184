/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "plot/plot.h"
#include "store/store.h"

static void class_name(char text[24], const char *names, size_t size, size_t k)
{
    snprintf(text, 24, "%.*s", (int)(size < 14 ? size : 14), names + k * size);
}

static void draw_cell(cairo_t *cr, double x, double y, double side, int64_t count, double share)
{
    char text[24];
    cairo_set_source_rgb(cr, 1 - 0.9 * share, 1 - 0.55 * share, 1 - 0.3 * share);
    cairo_rectangle(cr, x, y, side, side);
    cairo_fill(cr);
    if (!count) return;
    if (share > 0.6) cairo_set_source_rgb(cr, 1, 1, 1);
    else kl_colour(cr, 0, 1);
    snprintf(text, sizeof text, "%lld", (long long)count);
    kl_text(cr, x + side / 2, y + side / 2 + 2.2, side > 14 ? 6 : 4, KL_CENTRE, text);
}

int kl_draw_confusion(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs,
                      struct kl_error *err)
{
    const struct kl_dataset *set, *names_set;
    int64_t *counts = NULL;
    char *names = NULL, text[24];
    int code = kl_file_expect(&set, inputs->file, "confusion", KL_TYPE_I64, 3, err);
    if (!code) code = kl_file_expect(&names_set, inputs->file, "class_names", KL_TYPE_STRING, 1, err);
    if (!code) code = kl_file_load((void **)&counts, inputs->file, set, err);
    if (!code) code = kl_file_load((void **)&names, inputs->file, names_set, err);
    if (code) goto out;
    size_t c = set->dims[1], longest = 1;
    if ((size_t)inputs->replica >= set->dims[0]) {
        code = kl_fail(err, KL_EUSAGE, "--replica %lld: the report has %zu heads",
                       (long long)inputs->replica, set->dims[0]);
        goto out;
    }
    memmove(counts, counts + (size_t)inputs->replica * c * c, c * c * sizeof *counts);
    double left = 62, top = 14, side = 190.0 / (double)c;
    for (size_t t = 0; t < c; t++) {
        int64_t total = 0;
        for (size_t p = 0; p < c; p++) total += counts[t * c + p];
        for (size_t p = 0; p < c; p++)
            draw_cell(sheet->cr, left + (double)p * side, top + (double)t * side, side,
                      counts[t * c + p], total ? (double)counts[t * c + p] / (double)total : 0);
    }
    kl_colour(sheet->cr, 0, 1);
    cairo_rectangle(sheet->cr, left, top, 190, 190);
    cairo_stroke(sheet->cr);
    for (size_t k = 0; k < c && k < names_set->dims[0]; k++) {
        class_name(text, names, names_set->item_size, k);
        if (strlen(text) > longest) longest = strlen(text);
        kl_text(sheet->cr, left - 4, top + ((double)k + 0.5) * side + 2.2, 6, KL_RIGHT, text);
        cairo_save(sheet->cr);
        cairo_translate(sheet->cr, left + ((double)k + 0.5) * side + 2.2, top + 194);
        cairo_rotate(sheet->cr, -1.5707963267948966);
        kl_text(sheet->cr, 0, 0, 6, KL_RIGHT, text);
        cairo_restore(sheet->cr);
    }
    kl_text(sheet->cr, left + 95, top + 206 + 3.6 * (double)longest, 8, KL_CENTRE, "predicted class");
    cairo_save(sheet->cr);
    cairo_translate(sheet->cr, left - 9 - 3.6 * (double)longest, top + 95);
    cairo_rotate(sheet->cr, -1.5707963267948966);
    kl_text(sheet->cr, 0, 0, 8, KL_CENTRE, "true class");
    cairo_restore(sheet->cr);
out:
    free(counts);
    free(names);
    return code;
}
