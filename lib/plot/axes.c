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

/* Ten to the power of a whole number, right-aligned at x. */
static void power_text(cairo_t *cr, double x, double y, double size, double power)
{
    cairo_text_extents_t extents;
    char text[16];
    snprintf(text, sizeof text, "%s%.0f", power < 0 ? "\u2212" : "", fabs(power));
    cairo_set_font_size(cr, 0.75 * size);
    cairo_text_extents(cr, text, &extents);
    kl_text(cr, x, y - 0.4 * size, 0.75 * size, KL_RIGHT, text);
    kl_text(cr, x - extents.x_advance, y, size, KL_RIGHT, "10");
}

/* Decades, as many as leave room for their numbers, with short ticks at 2 to 9 times where all have. */
static void draw_decades(cairo_t *cr, const struct kl_axes *a, double size)
{
    const double each = a->height / (a->y1 - a->y0), step = ceil(1.8 * size / each);
    for (double k = ceil(a->y0 - 1e-9); k <= a->y1 + 1e-9; k++) {
        const double y = kl_axes_y(a, k);
        line(cr, a->left - 3, y, a->left, y);
        if (fmod(fabs(k), step) == 0 && !a->bare_y) power_text(cr, a->left - 5, y + 2.5, size, k);
        for (int m = 2; m < 10 && each > 12 && k + log10(m) < a->y1; m++)
            line(cr, a->left - 1.5, kl_axes_y(a, k + log10(m)), a->left, kl_axes_y(a, k + log10(m)));
    }
}

void kl_axes_draw_x(cairo_t *cr, const struct kl_axes *a, const char *label)
{
    char text[32];
    double step = round_step(a->x1 - a->x0), bottom = a->top + a->height;
    if (a->whole_x && step < 1) step = 1;
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
    if (a->log_y) draw_decades(cr, a, TICK_SIZE);
    for (double k = ceil(a->y0 / y_step - 1e-9); !a->log_y && k * y_step <= a->y1 + 1e-9 * y_step; k++) {
        double y = kl_axes_y(a, k * y_step);
        line(cr, a->left - 3, y, a->left, y);
        tick_text(text, k * y_step, y_step);
        if (!a->bare_y) kl_text(cr, a->left - 5, y + 2.5, TICK_SIZE, KL_RIGHT, text);
    }
    if (a->bare_y) return;
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
