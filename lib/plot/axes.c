/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "plot/plot.h"

enum { TICK_SIZE = 7 };

double kl_axes_x(const struct kl_axes *a, double value)
{
    return a->left + (value - a->x0) / (a->x1 - a->x0) * a->width;
}

double kl_axes_y(const struct kl_axes *a, double value)
{
    return a->top + a->height - (value - a->y0) / (a->y1 - a->y0) * a->height;
}

/* 1, 2 or 5 times a power of ten, so that about five steps fill the range. */
static double round_step(double range)
{
    double raw = range / 5, power = pow(10, floor(log10(raw))), lead = raw / power;
    return power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
}

static void line(cairo_t *cr, double x0, double y0, double x1, double y1)
{
    cairo_move_to(cr, x0, y0);
    cairo_line_to(cr, x1, y1);
    cairo_stroke(cr);
}

static void tick_text(char text[32], double value, double step)
{
    int decimals = step >= 1 ? 0 : (int)ceil(-log10(step) - 1e-9);
    snprintf(text, 32, "%.*f", decimals, fabs(value) < step / 1000 ? 0.0 : value);
}

void kl_axes_draw_x(cairo_t *cr, const struct kl_axes *a, const char *label)
{
    char text[32];
    double step = round_step(a->x1 - a->x0), bottom = a->top + a->height;
    kl_colour(cr, 0, 1);
    cairo_set_line_width(cr, 0.6);
    cairo_rectangle(cr, a->left, a->top, a->width, a->height);
    cairo_stroke(cr);
    for (double k = ceil(a->x0 / step - 1e-9); k * step <= a->x1 + 1e-9 * step; k++) {
        double x = kl_axes_x(a, k * step);
        line(cr, x, bottom, x, bottom + 3);
        tick_text(text, k * step, step);
        kl_text(cr, x, bottom + 11, TICK_SIZE, KL_CENTRE, text);
    }
    kl_text(cr, a->left + a->width / 2, bottom + 23, 8, KL_CENTRE, label);
}

void kl_axes_draw(cairo_t *cr, const struct kl_axes *a, const char *x_label, const char *y_label)
{
    char text[32];
    double y_step = round_step(a->y1 - a->y0);
    kl_axes_draw_x(cr, a, x_label);
    for (double k = ceil(a->y0 / y_step - 1e-9); k * y_step <= a->y1 + 1e-9 * y_step; k++) {
        double y = kl_axes_y(a, k * y_step);
        line(cr, a->left - 3, y, a->left, y);
        tick_text(text, k * y_step, y_step);
        kl_text(cr, a->left - 5, y + 2.5, TICK_SIZE, KL_RIGHT, text);
    }
    cairo_save(cr);
    cairo_translate(cr, a->left - 29, a->top + a->height / 2);
    cairo_rotate(cr, -M_PI / 2);
    kl_text(cr, 0, 0, 8, KL_CENTRE, y_label);
    cairo_restore(cr);
}

void kl_legend(cairo_t *cr, double x, double y, int colour, const char *text)
{
    kl_colour(cr, colour, 1);
    cairo_set_line_width(cr, 1.2);
    line(cr, x, y - 2.5, x + 14, y - 2.5);
    kl_colour(cr, 0, 1);
    kl_text(cr, x + 18, y, 7, KL_LEFT, text);
}
