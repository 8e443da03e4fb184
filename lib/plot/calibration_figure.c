/* SPDX-License-Identifier: MIT
   Reliability diagram: accuracy against confidence, bin by bin, with the share of samples in each bin
   below. */
#include <stdlib.h>
#include <string.h>

#include "plot/plot.h"
#include "store/store.h"

int kl_draw_calibration(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs,
                        struct kl_error *err)
{
    const struct kl_dataset *set;
    double *bins = NULL, total = 0, error = 0;
    char text[64];
    cairo_t *cr = sheet->cr;
    struct kl_axes axes = {
        .left = 44, .top = 14, .width = 185, .height = 185, .x0 = 0, .x1 = 1, .y0 = 0, .y1 = 1
    };
    int code = kl_file_expect(&set, inputs->file, "calibration", KL_TYPE_F64, 3, err);
    if (!code) code = kl_file_load((void **)&bins, inputs->file, set, err);
    if (code) return code;
    size_t n = set->dims[1];
    if ((size_t)inputs->replica >= set->dims[0]) {
        free(bins);
        return kl_fail(err, KL_EUSAGE, "--replica %lld: the report has %zu heads",
                       (long long)inputs->replica, set->dims[0]);
    }
    memmove(bins, bins + (size_t)inputs->replica * n * 3, n * 3 * sizeof *bins);
    for (size_t b = 0; b < n; b++) total += bins[3 * b];
    for (size_t b = 0; b < n; b++) {
        double low = (double)b / (double)n, high = (double)(b + 1) / (double)n, count = bins[3 * b];
        double accuracy = bins[3 * b + 1], confidence = bins[3 * b + 2];
        if (count == 0) continue;
        error += count / total * (accuracy > confidence ? accuracy - confidence : confidence - accuracy);
        kl_colour(cr, 6, 0.6);
        cairo_rectangle(cr, kl_axes_x(&axes, low), kl_axes_y(&axes, accuracy),
                        kl_axes_x(&axes, high) - kl_axes_x(&axes, low),
                        kl_axes_y(&axes, 0) - kl_axes_y(&axes, accuracy));
        cairo_fill(cr);
        kl_colour(cr, 1, 1);
        cairo_arc(cr, kl_axes_x(&axes, confidence), kl_axes_y(&axes, accuracy), 2, 0, 6.283185307179586);
        cairo_fill(cr);
        snprintf(text, sizeof text, "%.0f", count);
        kl_colour(cr, 0, 0.7);
        kl_text(cr, (kl_axes_x(&axes, low) + kl_axes_x(&axes, high)) / 2, kl_axes_y(&axes, 0) - 2, 3.6,
                KL_CENTRE, text);
    }
    double dashes[2] = { 3, 2 };
    cairo_set_dash(cr, dashes, 2, 0);
    kl_colour(cr, 0, 0.6);
    cairo_move_to(cr, kl_axes_x(&axes, 0), kl_axes_y(&axes, 0));
    cairo_line_to(cr, kl_axes_x(&axes, 1), kl_axes_y(&axes, 1));
    cairo_stroke(cr);
    cairo_set_dash(cr, NULL, 0, 0);
    kl_axes_draw(cr, &axes, "confidence", "accuracy");
    snprintf(text, sizeof text, "expected calibration error %.4f", error);
    kl_text(cr, axes.left + 6, axes.top + 12, 7, KL_LEFT, text);
    snprintf(text, sizeof text, "%.0f samples", total);
    kl_text(cr, axes.left + 6, axes.top + 22, 7, KL_LEFT, text);
    free(bins);
    return KL_OK;
}
