/* SPDX-License-Identifier: MIT
   Classifiers of devices on rows that they have not seen: accuracies with their intervals beside the
   commonest and the limit; of the chosen model, the means over its splits: confusion, what it is worth
   for each device, and whether its probabilities are right. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/stats.h"
#include "plot/qrng/bits_view.h"
#include "plot/qrng/report_view.h"
#include "store/store.h"

/* A dashed line, named at the height y on the side that has more room. */
static void draw_level(cairo_t *cr, const struct kl_axes *axes, double value, double y, const char *name)
{
    const double dashes[2] = { 3, 2 }, x = kl_plot_axes_x(axes, value);
    const bool leftwards = x > axes->left + axes->width / 2;
    if (!isfinite(value)) return;
    kl_plot_colour(cr, 0, 0.6);
    cairo_set_line_width(cr, 0.7);
    cairo_set_dash(cr, dashes, 2, 0);
    cairo_move_to(cr, x, axes->top);
    cairo_line_to(cr, x, axes->top + axes->height);
    cairo_stroke(cr);
    cairo_set_dash(cr, NULL, 0, 0);
    kl_plot_text(cr, leftwards ? x - 2 : x + 2, y, 6.5, leftwards ? KL_RIGHT : KL_LEFT, name);
}

/* A line of the first panel: splits as ticks, the mean, its interval. */
static void draw_row(cairo_t *cr, const struct kl_axes *axes, const struct kl_accuracies *row, double y)
{
    kl_plot_colour(cr, 0, 1);
    kl_plot_text_within(cr, axes->left - 5, y + 2.3, 6.5, KL_RIGHT, 40, row->name);
    kl_plot_colour(cr, 0, row->n > 30 ? 0.15 : 0.4);
    cairo_set_line_width(cr, 0.6);
    for (size_t i = 0; i < row->n; i++) {
        cairo_move_to(cr, kl_plot_axes_x(axes, row->values[i]), y - 3);
        cairo_line_to(cr, kl_plot_axes_x(axes, row->values[i]), y + 3);
    }
    cairo_stroke(cr);
    kl_plot_colour(cr, isfinite(row->low) ? 1 : 6, 1);
    cairo_set_line_width(cr, 1.4);
    if (isfinite(row->low) && isfinite(row->high)) {
        cairo_move_to(cr, kl_plot_axes_x(axes, row->low), y);
        cairo_line_to(cr, kl_plot_axes_x(axes, row->high), y);
        cairo_stroke(cr);
    }
    kl_plot_mark(cr, kl_plot_axes_x(axes, row->mean), y, 2.4, KL_CIRCLE);
}

/* What always naming the commonest device of the test rows scores, in the mean over splits. */
static double commonest(const struct kl_report_view *v)
{
    const size_t c = v->n_devices;
    double mean = 0;
    for (size_t s = 0; s < v->n_splits; s++) {
        double all = 0, most = 0;
        for (size_t k = 0; k < c; k++) {
            double rows = 0;
            for (size_t j = 0; j < c; j++) rows += (double)v->confusion[(s * c + k) * c + j];
            all += rows, most = fmax(most, rows);
        }
        mean += most / all / (double)v->n_splits;
    }
    return mean;
}

static void draw_accuracies(cairo_t *cr, const struct kl_report_view *v)
{
    const double guess = commonest(v);
    struct kl_axes axes = kl_plot_view_panel(cr, 0, "accuracy: splits, their mean, 95 % interval");
    axes.x0 = guess, axes.x1 = isfinite(v->limit) ? fmax(v->limit, guess) : guess;
    for (size_t r = 0; r < v->n_rows; r++) {
        const struct kl_accuracies *row = &v->rows[r];
        for (size_t i = 0; i < row->n; i++)
            axes.x0 = fmin(axes.x0, row->values[i]), axes.x1 = fmax(axes.x1, row->values[i]);
        axes.x0 = fmin(axes.x0, row->low), axes.x1 = fmax(axes.x1, row->high);
    }
    const double margin = fmax(0.06 * (axes.x1 - axes.x0), 0.005),
                 step = (axes.height - 16) / (double)v->n_rows;
    axes.x0 -= margin, axes.x1 += margin;
    draw_level(cr, &axes, guess, axes.top + 8, "commonest");
    draw_level(cr, &axes, v->limit, axes.top + axes.height - 4, "limit, if independent");
    for (size_t r = 0; r < v->n_rows; r++)
        draw_row(cr, &axes, &v->rows[r], axes.top + 8 + step * ((double)r + 0.5));
    kl_plot_axes_draw_x(cr, &axes, "share of rows whose device is found");
}

/* Splits share rows: a bin's interval is that of as many rows as it has in a split, on average. */
static void draw_bin(cairo_t *cr, const struct kl_report_view *v, const struct kl_axes *axes, size_t b)
{
    double rows = 0, right = 0, confidence = 0;
    for (size_t s = 0; s < v->n_splits; s++) {
        const double *bin = v->calibration + (s * v->n_bins + b) * 3;
        if (bin[0] > 0) rows += bin[0], right += bin[0] * bin[1], confidence += bin[0] * bin[2];
    }
    if (!(rows > 0)) return;
    const double a_split = fmax(1, round(rows / (double)v->n_splits)),
                 x = kl_plot_axes_x(axes, confidence / rows);
    const struct kl_interval range = kl_stats_wilson(right / rows, (size_t)a_split, KL_Z95);
    kl_plot_colour(cr, 1, 1);
    cairo_set_line_width(cr, 0.9);
    cairo_move_to(cr, x, kl_plot_axes_y(axes, range.low));
    cairo_line_to(cr, x, kl_plot_axes_y(axes, range.high));
    cairo_stroke(cr);
    kl_plot_mark(cr, x, kl_plot_axes_y(axes, right / rows), 2.2, KL_CIRCLE);
}

static void draw_calibration(cairo_t *cr, const struct kl_report_view *v)
{
    char title[80];
    const double dashes[2] = { 3, 2 };
    snprintf(title, sizeof title, "expected calibration error %.4f",
             kl_stats_mean(v->errors, v->n_splits));
    struct kl_axes axes = kl_plot_view_panel(cr, 3, title);
    axes.x0 = 0, axes.x1 = 1, axes.y0 = -0.03, axes.y1 = 1.03;
    cairo_set_dash(cr, dashes, 2, 0);
    kl_plot_colour(cr, 0, 0.6);
    cairo_move_to(cr, kl_plot_axes_x(&axes, 0), kl_plot_axes_y(&axes, 0));
    cairo_line_to(cr, kl_plot_axes_x(&axes, 1), kl_plot_axes_y(&axes, 1));
    cairo_stroke(cr);
    cairo_set_dash(cr, NULL, 0, 0);
    for (size_t b = 0; b < v->n_bins; b++) draw_bin(cr, v, &axes, b);
    kl_plot_axes_draw(cr, &axes, "confidence",
                      v->n_splits > 1 ? "accuracy (95 % of one split)" : "accuracy (95 % interval)");
}

int kl_plot_classifiers(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs,
                        struct kl_error *err)
{
    struct kl_report_view v;
    const int code = kl_plot_report_view_load(&v, inputs->file, err);
    if (!code) {
        draw_accuracies(sheet->cr, &v);
        kl_plot_confusions(sheet->cr, &v);
        kl_plot_class_rates(sheet->cr, &v);
        draw_calibration(sheet->cr, &v);
    }
    kl_plot_report_view_free(&v);
    return code;
}
