/* SPDX-License-Identifier: MIT
   P(next bit | bit) inside rows: 2 x 2 each, first what independent fair bits would give. */
#include <math.h>
#include <stdlib.h>

#include "plot/qrng/bits_view.h"

enum { COLUMNS = 4, MOST = 31 };
static const double LEFT = 30, TOP = 24, SIDE = 92, ACROSS = 122, DOWN = 142, LOW = 0.35, HIGH = 0.65;

/* Blue below a half, orange above. */
static void shade(cairo_t *cr, double p)
{
    const double x = fmax(-1, fmin(1, (p - 0.5) / ((HIGH - LOW) / 2)));
    if (x >= 0) cairo_set_source_rgb(cr, 1 - 0.1 * x, 1 - 0.38 * x, 1 - x);
    else cairo_set_source_rgb(cr, 1 + x, 1 + 0.55 * x, 1 + 0.3 * x);
}

static void draw_matrix(cairo_t *cr, double x, double y, const char *title, const double p[4],
                        const double *errors)
{
    char text[32];
    const double half = SIDE / 2;
    for (int i = 0; i < 4; i++) {
        const double left = x + i % 2 * half, top = y + (double)(i / 2) * half;
        const bool there = isfinite(p[i]); /* this bit never came before another */
        shade(cr, there ? p[i] : 0.5);
        cairo_rectangle(cr, left, top, half, half);
        cairo_fill(cr);
        kl_plot_colour(cr, 0, 1);
        snprintf(text, sizeof text, "%.4f", p[i]);
        kl_plot_text(cr, left + half / 2, top + half / 2 + 2, 8, KL_CENTRE, there ? text : "-");
        if (!errors || !isfinite(errors[i])) continue;
        snprintf(text, sizeof text, "\xc2\xb1 %.4f", errors[i]);
        kl_plot_text(cr, left + half / 2, top + half / 2 + 11, 6.5, KL_CENTRE, text);
    }
    kl_plot_colour(cr, 0, 1);
    cairo_set_line_width(cr, 0.6);
    cairo_rectangle(cr, x, y, SIDE, SIDE);
    cairo_stroke(cr);
    for (int b = 0; b < 2; b++) {
        kl_plot_text(cr, x + (b + 0.5) * half, y + SIDE + 9, 7, KL_CENTRE, b ? "1" : "0");
        kl_plot_text(cr, x - 4, y + (b + 0.5) * half + 2.5, 7, KL_RIGHT, b ? "1" : "0");
    }
    kl_plot_text(cr, x + half, y + SIDE + 19, 7, KL_CENTRE, "next bit");
    kl_plot_text_upwards(cr, x - 14, y + half, 7, KL_CENTRE, SIDE, "bit");
    kl_plot_text_within(cr, x + half, y - 6, 7.5, KL_CENTRE, SIDE + 20, title);
}

static void draw_scale(cairo_t *cr, double x, double y)
{
    enum { STEPS = 60 };
    char text[16];
    for (int k = 0; k < STEPS; k++) {
        shade(cr, LOW + (HIGH - LOW) * (k + 0.5) / STEPS);
        cairo_rectangle(cr, x, y + SIDE * (1 - (k + 1.0) / STEPS), 7, SIDE / STEPS + 0.2);
        cairo_fill(cr);
    }
    kl_plot_colour(cr, 0, 1);
    cairo_set_line_width(cr, 0.6);
    cairo_rectangle(cr, x, y, 7, SIDE);
    cairo_stroke(cr);
    for (int k = 0; k <= 6; k++) {
        snprintf(text, sizeof text, "%.2f", LOW + (HIGH - LOW) * k / 6);
        kl_plot_text(cr, x + 10, y + SIDE * (1 - k / 6.0) + 2.2, 6, KL_LEFT, text);
    }
}

int kl_plot_transitions(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs,
                        struct kl_error *err)
{
    static const double fair[4] = { 0.5, 0.5, 0.5, 0.5 };
    struct kl_bits_view v;
    int code = kl_plot_bits_view_load(&v, inputs->file, err);
    const size_t n = code ? 0 : v.n_devices < MOST ? v.n_devices : MOST;
    for (size_t i = 0; i <= n && !code; i++) {
        char title[KL_NAME + 16] = "independent and fair", name[KL_NAME];
        if (i > 0) kl_plot_name(name, v.names, v.n_devices, v.name_size, i - 1);
        if (i > 0) snprintf(title, sizeof title, "device %s", name);
        draw_matrix(sheet->cr, LEFT + (double)(i % COLUMNS) * ACROSS, TOP + (double)(i / COLUMNS) * DOWN,
                    title, i ? v.conditional + 4 * (i - 1) : fair,
                    i ? v.conditional_se + 4 * (i - 1) : NULL);
    }
    if (!code && n < v.n_devices) {
        char text[64];
        snprintf(text, sizeof text, "the first %zu of %zu devices", n, v.n_devices);
        kl_plot_text(sheet->cr, LEFT, TOP + (double)(n / COLUMNS + 1) * DOWN - 12, 8, KL_LEFT, text);
    }
    if (!code) {
        const double columns = n + 1 < COLUMNS ? (double)n + 1 : COLUMNS;
        draw_scale(sheet->cr, LEFT + columns * ACROSS - 18, TOP);
    }
    kl_plot_bits_view_free(&v);
    return code;
}
