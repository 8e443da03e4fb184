/* SPDX-License-Identifier: MIT
   Synthetic devices: what a classifier finds of each against how far it is from the others. */
#include "plot/qrng/synthetic_view.h"

#include <math.h>

#include "store/store.h"

enum { MOST_CLASSES = 12 };

static void draw_fit(cairo_t *cr, const struct kl_axes *a, const struct kl_plot_synthetic *s)
{
    double mx = 0, my = 0, xx = 0, xy = 0;
    for (size_t i = 0; i < s->d; i++)
        mx += s->mean[i] / (double)s->d, my += s->accuracy[i] / (double)s->d;
    for (size_t i = 0; i < s->d; i++) {
        xx += (s->mean[i] - mx) * (s->mean[i] - mx);
        xy += (s->mean[i] - mx) * (s->accuracy[i] - my);
    }
    if (!(xx > 0)) return;
    kl_plot_colour(cr, 0, 0.6);
    cairo_set_line_width(cr, 0.8);
    cairo_move_to(cr, kl_plot_axes_x(a, a->x0), kl_plot_axes_y(a, my + xy / xx * (a->x0 - mx)));
    cairo_line_to(cr, kl_plot_axes_x(a, a->x1), kl_plot_axes_y(a, my + xy / xx * (a->x1 - mx)));
    cairo_stroke(cr);
}

/* Marks and colours of the classes, at the right of the frame. */
static void draw_classes(cairo_t *cr, const struct kl_axes *a, const struct kl_plot_synthetic *s)
{
    const double x = a->left + a->width + 8;
    char text[32];
    int classes = 0;
    for (size_t i = 0; i < s->d; i++)
        if (s->class[i] >= classes) classes = s->class[i] + 1;
    for (int k = 0; k < classes && k <= MOST_CLASSES; k++) {
        const double y = a->top + 6 + 10 * (double)k;
        snprintf(text, sizeof text, k < MOST_CLASSES ? "class %d" : "and on", k);
        kl_plot_colour(cr, k + 1, 0.9);
        if (k < MOST_CLASSES) kl_plot_mark(cr, x, y, 2.2, (enum kl_mark)(k % KL_N_MARKS));
        kl_plot_colour(cr, 0, 1);
        kl_plot_text(cr, x + 5, y + 2.3, 6.5, KL_LEFT, text);
    }
}

static bool all_equal(const double *values, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (values[i] != values[0]) return false;
    return true;
}

static void title_scatter(cairo_t *cr, const struct kl_axes *a, const struct kl_plot_synthetic *s,
                          double r)
{
    char text[64] = "devices by class";
    if (isfinite(r)) snprintf(text, sizeof text, "devices by class, r = %.3f", r);
    else if (all_equal(s->accuracy, s->d))
        snprintf(text, sizeof text, "devices by class; all accuracies are equal");
    else if (all_equal(s->mean, s->d))
        snprintf(text, sizeof text, "devices by class; all divergences are equal");
    kl_plot_synthetic_title(cr, a, text);
}

static double margin(double range)
{
    return range > 1e-9 ? 0.08 * range : 0.05;
}

int kl_plot_synthetic_scatter(cairo_t *cr, struct kl_axes a, const struct kl_plot_synthetic *s,
                              const struct kl_file *file, struct kl_error *err)
{
    double r = 0;
    a.x0 = a.y0 = INFINITY, a.x1 = a.y1 = -INFINITY;
    for (size_t i = 0; i < s->d; i++) {
        a.x0 = fmin(a.x0, s->mean[i]), a.x1 = fmax(a.x1, s->mean[i]);
        a.y0 = fmin(a.y0, s->accuracy[i]), a.y1 = fmax(a.y1, s->accuracy[i]);
    }
    const double dx = margin(a.x1 - a.x0), dy = margin(a.y1 - a.y0);
    a.x0 -= dx, a.x1 += dx, a.y0 -= dy, a.y1 += dy;
    cairo_save(cr);
    cairo_rectangle(cr, a.left, a.top, a.width, a.height);
    cairo_clip(cr);
    draw_fit(cr, &a, s);
    cairo_restore(cr);
    for (size_t i = 0; i < s->d; i++) {
        kl_plot_colour(cr, s->class[i] + 1, 0.9);
        kl_plot_mark(cr, kl_plot_axes_x(&a, s->mean[i]), kl_plot_axes_y(&a, s->accuracy[i]), 2.2,
                     (enum kl_mark)(s->class[i] % KL_N_MARKS));
    }
    kl_plot_axes_draw(cr, &a, "mean smoothed divergence to the others, nats", "held-out accuracy");
    int code = kl_store_file_number(&r, file, "smoothed/divergence", "pearson", err);
    draw_classes(cr, &a, s);
    title_scatter(cr, &a, s, r);
    return code;
}
