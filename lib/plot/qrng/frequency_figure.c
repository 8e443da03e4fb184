/* SPDX-License-Identifier: MIT
   How often devices deliver ones: by position, in all, its variance, and how many a row has. */
#include <math.h>
#include <stdlib.h>

#include "plot/qrng/bits_view.h"

enum { BINS = 20 };

/* A line a device: of(rate) at each position, or of the mean rate of as many as one place stands for. */
static void draw_positions(cairo_t *cr, const struct kl_bits_view *v, int panel, const char *label,
                           const char *title, double (*of)(double rate))
{
    const size_t width = kl_plot_bin_width(v->n_bits), places = (v->n_bits + width - 1) / width;
    char text[96];
    snprintf(text, sizeof text, "%s, means of %zu", title, width);
    struct kl_axes axes = kl_plot_view_panel(cr, panel, width > 1 ? text : title);
    axes.x0 = 0.5, axes.x1 = (double)v->n_bits + 0.5, axes.whole_x = true; /* the first is 1 */
    for (int drawing = 0; drawing < 2; drawing++) { /* first how far the axis must reach */
        if (drawing) kl_plot_view_margin(&axes);
        cairo_set_line_width(cr, v->n_devices > KL_VIEW_NAMED ? 0.3 : 0.7);
        for (size_t d = 0; d < v->n_devices; d++) {
            kl_plot_view_colour(cr, v, d, v->n_devices > KL_VIEW_NAMED ? 0.5 : 0.9);
            for (size_t k = 0; k < places; k++) {
                double x;
                const double y =
                    of(kl_plot_bin_mean(&x, v->position + d * v->n_bits, v->n_bits, width, k));
                if (drawing) cairo_line_to(cr, kl_plot_axes_x(&axes, x + 1), kl_plot_axes_y(&axes, y));
                else kl_plot_view_widen(&axes, &y, 1);
            }
            if (drawing) cairo_stroke(cr);
        }
    }
    kl_plot_axes_draw(cr, &axes, "position in the row", label);
    kl_plot_view_legend(cr, v, &axes);
}

static double same(double rate)
{
    return rate;
}

static double variance(double rate)
{
    return rate * (1 - rate);
}

/* Marks with two standard errors, and the line of a fair coin. */
static void draw_rates(cairo_t *cr, const struct kl_bits_view *v)
{
    struct kl_axes axes = kl_plot_view_panel(cr, 1, "rate of ones, two standard errors");
    axes.x0 = 0.5, axes.x1 = (double)v->n_devices + 0.5, axes.no_x_numbers = axes.whole_x = true;
    const double fair = 0.5;
    kl_plot_view_widen(&axes, &fair, 1);
    for (size_t d = 0; d < v->n_devices; d++) {
        const double ends[] = { v->rate[d] - 2 * v->rate_se[d], v->rate[d] + 2 * v->rate_se[d] };
        kl_plot_view_widen(&axes, ends, 2);
    }
    kl_plot_view_margin(&axes);
    kl_plot_colour(cr, 0, 0.5);
    cairo_set_line_width(cr, 0.5);
    cairo_move_to(cr, axes.left, kl_plot_axes_y(&axes, fair));
    cairo_line_to(cr, axes.left + axes.width, kl_plot_axes_y(&axes, fair));
    cairo_stroke(cr);
    for (size_t d = 0; d < v->n_devices; d++) {
        const double x = kl_plot_axes_x(&axes, (double)d + 1), room = axes.width / (double)v->n_devices;
        kl_plot_view_colour(cr, v, d, 1);
        cairo_set_line_width(cr, fmin(1.2, 0.4 * room));
        cairo_move_to(cr, x, kl_plot_axes_y(&axes, v->rate[d] - 2 * v->rate_se[d]));
        cairo_line_to(cr, x, kl_plot_axes_y(&axes, v->rate[d] + 2 * v->rate_se[d]));
        cairo_stroke(cr);
        kl_plot_mark(cr, x, kl_plot_axes_y(&axes, v->rate[d]), fmin(3, 0.35 * room), KL_CIRCLE);
        kl_plot_view_name_place(cr, v, &axes, d);
    }
    kl_plot_axes_draw(cr, &axes,
                      v->n_devices > KL_VIEW_NAMED ? "devices, in the file's order" : "device",
                      "rate of 1");
}

/* Counts of device d in bins of `width` numbers of ones from `first` on, as shares of its rows. */
static void fill_bins(double bins[BINS], const struct kl_bits_view *v, size_t d, size_t first,
                      size_t width)
{
    for (int k = 0; k < BINS; k++) bins[k] = 0;
    for (size_t c = 0; c <= v->n_bits; c++) {
        if (c < first) continue;
        const size_t k = (c - first) / width;
        if (k < BINS) bins[k] += (double)v->ones[d * (v->n_bits + 1) + c] / (double)v->rows[d];
    }
}

/* Bins so wide that 20 of them hold what occurs: 30, 32, ..., 70 for the study's rows of 100. */
static void choose_bins(size_t *first, size_t *width, const struct kl_bits_view *v)
{
    size_t least = v->n_bits, most = 0;
    for (size_t d = 0; d < v->n_devices; d++) {
        int64_t below = 0;
        for (size_t c = 0; c <= v->n_bits; c++) {
            below += v->ones[d * (v->n_bits + 1) + c];
            if (below * 1000 > v->rows[d] && c < least) least = c;
            if (below * 1000 < v->rows[d] * 999 && c + 1 > most) most = c + 1;
        }
    }
    if (most < least) most = least;
    *width = (most - least) / BINS + 1;
    *first = least - (BINS * *width - (most - least + 1)) / 2;
    if (*first > least) *first = 0;
    *first -= *first % *width;
}

/* Bins hold all but a thousandth of each device's rows at either end. */
static bool is_outside(const struct kl_bits_view *v, const struct kl_axes *axes, size_t ones)
{
    (void)v;
    return (double)ones < axes->x0 || (double)ones >= axes->x1;
}

static void draw_histogram(cairo_t *cr, const struct kl_bits_view *v)
{
    struct kl_axes axes = kl_plot_view_panel(cr, 3, "ones in a row");
    double bins[BINS];
    size_t first, width;
    choose_bins(&first, &width, v);
    axes.x0 = (double)first, axes.x1 = (double)(first + BINS * width), axes.y0 = 0;
    for (size_t d = 0; d < v->n_devices; d++) {
        fill_bins(bins, v, d, first, width);
        kl_plot_view_widen(&axes, bins, BINS);
    }
    axes.y1 = axes.y1 > 0 ? 1.06 * axes.y1 : 1;
    cairo_set_line_width(cr, v->n_devices > KL_VIEW_NAMED ? 0.3 : 0.9);
    for (size_t d = 0; d < v->n_devices; d++) {
        fill_bins(bins, v, d, first, width);
        kl_plot_view_colour(cr, v, d, v->n_devices > KL_VIEW_NAMED ? 0.5 : 0.9);
        cairo_move_to(cr, axes.left, kl_plot_axes_y(&axes, 0));
        for (int k = 0; k < BINS; k++) {
            cairo_line_to(cr, kl_plot_axes_x(&axes, axes.x0 + k * (double)width),
                          kl_plot_axes_y(&axes, bins[k]));
            cairo_line_to(cr, kl_plot_axes_x(&axes, axes.x0 + (k + 1) * (double)width),
                          kl_plot_axes_y(&axes, bins[k]));
        }
        cairo_stroke(cr);
    }
    kl_plot_axes_draw(cr, &axes, "ones in a row", "share of rows");
    kl_plot_view_say_rows(cr, v, &axes, is_outside, "lie outside");
    kl_plot_view_legend(cr, v, &axes);
}

int kl_plot_frequency(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs,
                      struct kl_error *err)
{
    struct kl_bits_view v;
    int code = kl_plot_bits_view_load(&v, inputs->file, err);
    if (!code) {
        draw_positions(sheet->cr, &v, 0, "rate of 1", "rate of ones by position", same);
        draw_rates(sheet->cr, &v);
        draw_positions(sheet->cr, &v, 2, "variance", "variance by position", variance);
        draw_histogram(sheet->cr, &v);
    }
    kl_plot_bits_view_free(&v);
    return code;
}
