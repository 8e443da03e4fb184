/* SPDX-License-Identifier: MIT
   Two panels on device classifiers: of the chosen model, the confusion, and what it is worth for each
   device; means over its splits. */
#include <math.h>

#include "plot/qrng/bits_view.h"
#include "plot/qrng/report_view.h"

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
    cairo_rectangle(cr, x, y, wide, high);
    cairo_fill(cr);
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
    kl_plot_colour(cr, 0, 1);
    kl_plot_text_within(cr, axes->left + wide * ((double)d + 0.5), axes->top + axes->height + 10, 6.5,
                        KL_CENTRE, 0.95 * wide, name);
    if (left_too)
        kl_plot_text_within(cr, axes->left - 5, axes->top + high * ((double)d + 0.5) + 2.3, 6.5,
                            KL_RIGHT, 26, name);
}

void kl_plot_confusions(cairo_t *cr, const struct kl_report_view *v)
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
    cairo_rectangle(cr, x, y, 0.92 * wide, axes->top + axes->height - y);
    cairo_fill(cr);
    if (v->n_splits == 1 || v->n_devices > MOST_NUMBERED) return;
    kl_plot_colour(cr, 0, 0.8);
    cairo_set_line_width(cr, fmin(0.7, 0.3 * wide));
    cairo_move_to(cr, x + 0.46 * wide, kl_plot_axes_y(axes, least));
    cairo_line_to(cr, x + 0.46 * wide, kl_plot_axes_y(axes, most));
    cairo_stroke(cr);
}

void kl_plot_class_rates(cairo_t *cr, const struct kl_report_view *v)
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
