/* SPDX-License-Identifier: MIT
   The controls of a pulse against time, a panel each, as steps; dashed what limits them; behind a filter
   or of splines also the generator's samples. */
#include <math.h>
#include <stdlib.h>

#include "plot/control/pulse_view.h"
#include "store/store.h"

static const double LEFT = 52, TOP = 20, WIDTH = 430;

/* n values of a control, each as long as the others, `stride` apart. */
static void draw_steps(cairo_t *cr, const struct kl_axes *axes, const double *values, size_t n,
                       size_t stride)
{
    for (size_t i = 0; i < n; i++) {
        const double y = kl_plot_axes_y(axes, values[i * stride]), wide = axes->width / (double)n;
        cairo_line_to(cr, axes->left + wide * (double)i, y);
        cairo_line_to(cr, axes->left + wide * (double)(i + 1), y);
    }
    cairo_stroke(cr);
}

static void draw_levels(cairo_t *cr, const struct kl_axes *axes, const double limits[2])
{
    static const double dashes[] = { 3, 2 };
    kl_plot_colour(cr, 0, 0.35);
    cairo_set_line_width(cr, 0.5);
    cairo_move_to(cr, axes->left, kl_plot_axes_y(axes, 0));
    cairo_rel_line_to(cr, axes->width, 0);
    cairo_stroke(cr);
    kl_plot_colour(cr, 0, 0.8);
    cairo_set_line_width(cr, 0.8);
    cairo_set_dash(cr, dashes, 2, 0);
    for (int i = 0; i < 2; i++) {
        if (fabs(limits[i]) > axes->y1) continue;
        cairo_move_to(cr, axes->left, kl_plot_axes_y(axes, limits[i]));
        cairo_rel_line_to(cr, axes->width, 0);
    }
    cairo_stroke(cr);
    cairo_set_dash(cr, NULL, 0, 0);
}

/* The limit, unless the control stays so far below it that its course would be lost. */
static double range_of(const struct kl_pulse_view *v, size_t k)
{
    double most = 0;
    for (size_t i = 0; i < v->segments; i++) most = fmax(most, fabs(v->u[i * v->controls + k]));
    for (size_t i = 0; i < v->n_samples; i++) most = fmax(most, fabs(v->samples[i * v->controls + k]));
    if (most == 0) return v->limits[k] > 0 ? v->limits[k] : 1;
    return most < 0.25 * v->limits[k] ? most : fmax(most, v->limits[k]);
}

static void draw_panel(cairo_t *cr, struct kl_axes axes, const struct kl_pulse_view *v, size_t k,
                       const char *x_label)
{
    char name[KL_NAME], label[KL_PULSE_LABEL], text[KL_PULSE_LABEL];
    const double range = range_of(v, k);
    axes.y1 = 1.12 * range, axes.y0 = -axes.y1;
    draw_levels(
        cr, &axes,
        (const double[]){ v->low ? v->low[k] : -v->limits[k], v->high ? v->high[k] : v->limits[k] });
    cairo_set_line_width(cr, 0.8);
    kl_plot_colour(cr, 4, 1);
    if (v->samples) draw_steps(cr, &axes, v->samples + k, v->n_samples, v->controls);
    cairo_set_line_width(cr, 1.2);
    kl_plot_colour(cr, 1, 1);
    draw_steps(cr, &axes, v->u + k, v->segments, v->controls);
    kl_plot_name(name, v->names, v->controls, v->name_size, k);
    kl_plot_pulse_frequency(label, name, v);
    kl_plot_axes_draw(cr, &axes, x_label, label);
    if (v->limits[k] <= axes.y1) return;
    snprintf(text, sizeof text, "limit %.4g", v->limits[k]);
    const double wide = kl_plot_text_width(cr, 6.5, text);
    cairo_set_source_rgba(cr, 1, 1, 1, 0.85);
    cairo_rectangle(cr, axes.left + axes.width - wide - 6, axes.top + 1, wide + 4, 9);
    cairo_fill(cr);
    kl_plot_colour(cr, 0, 1);
    kl_plot_text(cr, axes.left + axes.width - 4, axes.top + 8, 6.5, KL_RIGHT, text);
}

static double legend(cairo_t *cr, double x, int colour, double width, const char *text)
{
    kl_plot_colour(cr, colour, 1);
    cairo_set_line_width(cr, width);
    cairo_move_to(cr, x - 14, 7.5);
    cairo_rel_line_to(cr, 12, 0);
    cairo_stroke(cr);
    kl_plot_colour(cr, 0, 1);
    kl_plot_text(cr, x, 10, 7, KL_LEFT, text);
    return x + kl_plot_text_width(cr, 7, text) + 24;
}

static void draw(cairo_t *cr, const struct kl_pulse_view *v)
{
    char time[KL_PULSE_LABEL];
    const double high = v->controls <= 2 ? 90 : v->controls <= 4 ? 64 : 42, gap = 9;
    struct kl_axes axes = {
        .left = LEFT, .top = TOP, .width = WIDTH, .height = high, .x1 = v->duration, .label_out = 34
    };
    kl_plot_pulse_time(time, v);
    for (size_t k = 0; k < v->controls; k++) {
        const bool last = k + 1 == v->controls;
        axes.no_x_numbers = !last;
        draw_panel(cr, axes, v, k, last ? time : NULL);
        axes.top += high + gap;
    }
    kl_plot_colour(cr, 0, 1);
    kl_plot_text_within(cr, LEFT, 10, 7, KL_LEFT, v->samples ? WIDTH - 190 : WIDTH, v->title);
    if (!v->samples) return;
    const double x = legend(cr, LEFT + WIDTH - 160, 4, 0.8, "samples played");
    legend(cr, x, 1, 1.2, "at the qubit");
}

int kl_plot_pulse(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs, struct kl_error *err)
{
    struct kl_pulse_view v;
    const int code = kl_plot_pulse_view_load(&v, inputs->file, err);
    if (!code) draw(sheet->cr, &v);
    kl_plot_pulse_view_free(&v);
    return code;
}
