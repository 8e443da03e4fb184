/* SPDX-License-Identifier: MIT
   Classifiers of devices beside what any classifier could reach, in all and device by device. */
#include "plot/qrng/bits_view.h"

#include <math.h>

#include "plot/qrng/report_view.h"
#include "stats/stats.h"
#include "store/store.h"

/* Share of a true device's rows that are given to p, the mean over splits that have any. */
static double mean_share(const struct kl_report_view *v, size_t t, size_t p)
{
    const size_t c = v->n_devices;
    double sum = 0, n = 0;
    for (size_t s = 0; s < v->n_splits; s++) {
        const int64_t *row = v->confusion + (s * c + t) * c;
        double all = 0;
        for (size_t k = 0; k < c; k++) all += (double)row[k];
        if (all > 0) sum += (double)row[p] / all, n++;
    }
    return n > 0 ? sum / n : 0;
}

enum { MOST_NUMBERED = 10 };

/* Few devices have their shares written down, and shades from 0 to 1; of many the darkest is the most.
 */
static double darkest(const struct kl_report_view *v)
{
    double most = 0;
    for (size_t i = 0; i < v->n_devices * v->n_devices; i++)
        most = fmax(most, mean_share(v, i / v->n_devices, i % v->n_devices));
    return v->n_devices > MOST_NUMBERED && most > 0 ? most : 1;
}

static void draw_cell(cairo_t *cr, const struct kl_report_view *v, const struct kl_axes *axes, size_t t,
                      size_t p, double full)
{
    char text[16];
    const double share = mean_share(v, t, p), wide = axes->width / (double)v->n_devices,
                 high = axes->height / (double)v->n_devices, x = axes->left + wide * (double)p,
                 y = axes->top + high * (double)t, size = fmin(7, 0.32 * wide);
    cairo_set_source_rgb(cr, 1 - 0.9 * share / full, 1 - 0.55 * share / full, 1 - 0.3 * share / full);
    kl_plot_fill(cr, x, y, wide, high);
    if (v->n_devices > MOST_NUMBERED) return;
    if (share > 0.6) cairo_set_source_rgb(cr, 1, 1, 1);
    else kl_plot_colour(cr, 0, 1);
    snprintf(text, sizeof text, "%.1f", 100 * share);
    kl_plot_text(cr, x + wide / 2, y + high / 2 + 0.36 * size, size, KL_CENTRE, text);
}

/* Device d's name, below and, where it has a line of its own, at the left. */
static void name_device(cairo_t *cr, const struct kl_report_view *v, const struct kl_axes *axes,
                        size_t d, bool left_too)
{
    char name[KL_NAME];
    const double wide = axes->width / (double)v->n_devices, high = axes->height / (double)v->n_devices;
    if (v->n_devices > MOST_NUMBERED) return;
    kl_plot_name(name, v->names, v->n_devices, v->name_size, d);
    kl_plot_black_within(cr, axes->left + wide * ((double)d + 0.5), axes->top + axes->height + 10, 6.5,
                         KL_CENTRE, 0.95 * wide, name);
    if (left_too)
        kl_plot_text_within(cr, axes->left - 5, axes->top + high * ((double)d + 0.5) + 2.3, 6.5,
                            KL_RIGHT, 26, name);
}

static void confusions(cairo_t *cr, const struct kl_report_view *v)
{
    char title[100];
    const bool many = v->n_devices > MOST_NUMBERED;
    const double full = darkest(v);
    snprintf(title, sizeof title, "%s: %% of each device's rows, mean of %zu split%s", v->rows[0].name,
             v->n_splits, kl_s(v->n_splits));
    if (many)
        snprintf(title, sizeof title, "%s: share of each device's rows, darkest %.1f %%",
                 v->rows[0].name, 100 * full);
    struct kl_axes axes = kl_plot_view_panel(cr, 1, title);
    axes.x0 = 0.5, axes.x1 = (double)v->n_devices + 0.5;
    axes.whole_x = true;
    for (size_t t = 0; t < v->n_devices; t++)
        for (size_t p = 0; p < v->n_devices; p++) draw_cell(cr, v, &axes, t, p, full);
    for (size_t d = 0; d < v->n_devices; d++) name_device(cr, v, &axes, d, true);
    axes.no_x_numbers = !many;
    kl_plot_axes_draw_x(cr, &axes, "device found");
    kl_plot_text_upwards(cr, axes.left - (many ? 6 : 33), axes.top + axes.height / 2, 8, KL_CENTRE,
                         INFINITY, many ? "true device, first on top" : "true device");
}

/* A rate of a device: the mean over splits as a bar, the least and the most as a line. */
static void draw_rate(cairo_t *cr, const struct kl_report_view *v, const struct kl_axes *axes, size_t d,
                      size_t k)
{
    static const int colours[KL_REPORT_RATES] = { 6, 1, 3 };
    const double place = axes->width / (double)v->n_devices, wide = 0.27 * place,
                 x = axes->left + place * ((double)d + 0.095) + wide * (double)k;
    double sum = 0, least = INFINITY, most = -INFINITY;
    for (size_t s = 0; s < v->n_splits; s++) {
        const double value = v->per_class[(s * v->n_devices + d) * KL_REPORT_RATES + k];
        sum += value, least = fmin(least, value), most = fmax(most, value);
    }
    const double y = kl_plot_axes_y(axes, sum / (double)v->n_splits);
    kl_plot_colour(cr, colours[k], 0.85);
    kl_plot_fill(cr, x, y, 0.92 * wide, axes->top + axes->height - y);
    if (v->n_splits == 1 || v->n_devices > MOST_NUMBERED) return;
    kl_plot_pen(cr, 0, 0.8, fmin(0.7, 0.3 * wide));
    kl_plot_axes_upright(cr, axes, x + 0.46 * wide, least, most);
}

/* The second and the third panel (classifiers_figure.c). */
static void class_rates(cairo_t *cr, const struct kl_report_view *v)
{
    const bool many = v->n_devices > MOST_NUMBERED;
    const char *title = v->n_splits > 1 && !many
                            ? "left to right: precision, recall, F1; line: range of splits"
                            : "left to right: precision, recall, F1";
    struct kl_axes axes = kl_plot_view_panel(cr, 2, title);
    axes.y0 = 0, axes.y1 = 1, axes.x0 = 0.5, axes.x1 = (double)v->n_devices + 0.5;
    axes.whole_x = true, axes.no_x_numbers = !many;
    for (size_t d = 0; d < v->n_devices; d++) {
        for (size_t k = 0; k < KL_REPORT_RATES; k++) draw_rate(cr, v, &axes, d, k);
        name_device(cr, v, &axes, d, false);
    }
    kl_plot_axes_draw(cr, &axes, "device", "rate");
}

/* ---- classifiers figure ----
   Classifiers of devices on rows that they have not seen: accuracies with their intervals beside the
   commonest and the limit; of the chosen model, the means over its splits: confusion, what it is worth
   for each device, and whether its probabilities are right. */

/* A dashed line, named at the height y on the side that has more room. */
static void draw_level(cairo_t *cr, const struct kl_axes *axes, double value, double y, const char *name)
{
    const double x = kl_plot_axes_x(axes, value);
    const bool leftwards = x > axes->left + axes->width / 2;
    if (!isfinite(value)) return;
    kl_plot_pen(cr, 0, 0.6, 0.7);
    kl_plot_dashed(cr, 1);
    kl_plot_line(cr, x, axes->top, x, axes->top + axes->height);
    kl_plot_dashed(cr, 0);
    kl_plot_text(cr, leftwards ? x - 2 : x + 2, y, 6.5, leftwards ? KL_RIGHT : KL_LEFT, name);
}

/* A line of the first panel: splits as ticks, the mean, its interval. */
static void draw_row(cairo_t *cr, const struct kl_axes *axes, const struct kl_accuracies *row, double y)
{
    kl_plot_black_within(cr, axes->left - 5, y + 2.3, 6.5, KL_RIGHT, 40, row->name);
    kl_plot_pen(cr, 0, row->n > 30 ? 0.15 : 0.4, 0.6);
    for (size_t i = 0; i < row->n; i++) {
        cairo_move_to(cr, kl_plot_axes_x(axes, row->values[i]), y - 3);
        cairo_line_to(cr, kl_plot_axes_x(axes, row->values[i]), y + 3);
    }
    cairo_stroke(cr);
    kl_plot_pen(cr, isfinite(row->low) ? 1 : 6, 1, 1.4);
    if (isfinite(row->low) && isfinite(row->high)) {
        kl_plot_axes_across(cr, axes, y, row->low, row->high);
    }
    kl_plot_mark(cr, kl_plot_axes_x(axes, row->mean), y, 2.4, KL_CIRCLE);
}

/* The accuracy of always naming the commonest device of the test rows, in the mean over splits. */
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
    kl_plot_pen(cr, 1, 1, 0.9);
    kl_plot_axes_upright(cr, axes, x, range.low, range.high);
    kl_plot_mark(cr, x, kl_plot_axes_y(axes, right / rows), 2.2, KL_CIRCLE);
}

static void draw_calibration(cairo_t *cr, const struct kl_report_view *v)
{
    char title[80];
    snprintf(title, sizeof title, "expected calibration error %.4f",
             kl_stats_mean(v->errors, v->n_splits));
    struct kl_axes axes = kl_plot_view_panel(cr, 3, title);
    axes.x0 = 0, axes.x1 = 1, axes.y0 = -0.03, axes.y1 = 1.03;
    kl_plot_dashed(cr, 1);
    kl_plot_colour(cr, 0, 0.6);
    kl_plot_axes_line(cr, &axes, 0, 0, 1, 1);
    kl_plot_dashed(cr, 0);
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
        confusions(sheet->cr, &v);
        class_rates(sheet->cr, &v);
        draw_calibration(sheet->cr, &v);
    }
    kl_plot_report_view_free(&v);
    return code;
}
