/* SPDX-License-Identifier: MIT
   Reliability diagram: accuracy against confidence, bin by bin, with the number of samples in each bin
   below. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/stats.h"
#include "plot/plot.h"
#include "store/store.h"

struct bin {
    double count, accuracy, confidence;
};

/* A bin of few samples says little: its 95 % interval shows how little. */
static void draw_accuracies(cairo_t *cr, const struct kl_axes *axes, const struct bin *bins, size_t n)
{
    const double dashes[2] = { 3, 2 };
    cairo_set_dash(cr, dashes, 2, 0);
    kl_plot_colour(cr, 0, 0.6);
    cairo_move_to(cr, kl_plot_axes_x(axes, 0), kl_plot_axes_y(axes, 0));
    cairo_line_to(cr, kl_plot_axes_x(axes, 1), kl_plot_axes_y(axes, 1));
    cairo_stroke(cr);
    cairo_set_dash(cr, NULL, 0, 0);
    kl_plot_colour(cr, 1, 1);
    cairo_set_line_width(cr, 0.9);
    for (size_t b = 0; b < n; b++) {
        if (bins[b].count <= 0) continue;
        const double x = kl_plot_axes_x(axes, bins[b].confidence);
        const struct kl_interval range =
            kl_stats_wilson(bins[b].accuracy, (size_t)bins[b].count, KL_Z95);
        cairo_move_to(cr, x, kl_plot_axes_y(axes, range.low));
        cairo_line_to(cr, x, kl_plot_axes_y(axes, range.high));
        cairo_stroke(cr);
        kl_plot_mark(cr, x, kl_plot_axes_y(axes, bins[b].accuracy), 2.2, KL_CIRCLE);
    }
}

/* Logarithmic: nearly all samples are in the last bin. */
static void draw_counts(cairo_t *cr, struct kl_axes *axes, const struct bin *bins, size_t n)
{
    double most = 10;
    for (size_t b = 0; b < n; b++) most = fmax(most, bins[b].count);
    axes->y0 = -0.3; /* a bin of one sample has a bar */
    axes->y1 = log10(most) + 0.15;
    kl_plot_colour(cr, 6, 1);
    for (size_t b = 0; b < n; b++) {
        if (bins[b].count <= 0) continue;
        const double left = kl_plot_axes_x(axes, (double)b / (double)n),
                     right = kl_plot_axes_x(axes, (double)(b + 1) / (double)n),
                     top = kl_plot_axes_y(axes, log10(bins[b].count));
        cairo_rectangle(cr, left + 0.6, top, right - left - 1.2, kl_plot_axes_y(axes, axes->y0) - top);
        cairo_fill(cr);
    }
}

static int draw(cairo_t *cr, const struct bin *bins, size_t n, const struct kl_file *file,
                const char *which, struct kl_error *err)
{
    char text[96];
    double total = 0, error = 0;
    struct kl_axes above = { .left = 44, .top = 26, .width = 195, .height = 160, .x1 = 1 };
    struct kl_axes below = above;
    for (size_t b = 0; b < n; b++) total += bins[b].count;
    for (size_t b = 0; b < n; b++)
        if (total > 0) error += bins[b].count / total * fabs(bins[b].accuracy - bins[b].confidence);
    above.y0 = -0.03, above.y1 = 1.03;
    above.no_x_numbers = true;
    above.label_out = below.label_out = 30;
    below.top = above.top + above.height + 8;
    below.height = 48;
    below.log_y = true;
    draw_accuracies(cr, &above, bins, n);
    draw_counts(cr, &below, bins, n);
    kl_plot_axes_draw(cr, &above, NULL, "accuracy (95 % interval)");
    kl_plot_axes_draw(cr, &below, "confidence", "samples");
    snprintf(text, sizeof text, "expected calibration error %.4f", error);
    kl_plot_text(cr, above.left, above.top - 7, 7, KL_LEFT, text);
    return kl_plot_report_head(cr, above.left, above.top - 10, file, total, which, err);
}

int kl_plot_calibration(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs,
                        struct kl_error *err)
{
    const struct kl_dataset *set;
    struct bin *bins = NULL;
    char which[KL_WHICH];
    int code = kl_store_file_expect(&set, inputs->file, "calibration", KL_TYPE_F64, 3, err);
    if (!code) code = kl_plot_which_replica(which, inputs, set->dims[0], err);
    if (!code) code = kl_store_file_load((void **)&bins, inputs->file, set, err);
    if (!code)
        code = draw(sheet->cr, bins + (size_t)inputs->replica * set->dims[1], set->dims[1], inputs->file,
                    which, err);
    free(bins);
    return code;
}
