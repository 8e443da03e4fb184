/* SPDX-License-Identifier: MIT
   Axes: ticks, their texts, the frame of a drawing; marks; many values in a row. */
#include "plot/plot.h"

#include <math.h>
#include <string.h>

static const double TICK_SIZE = 7, LABEL_SIZE = 8;

double kl_plot_axes_x(const struct kl_axes *a, double value)
{
    return a->left + (value - a->x0) / (a->x1 - a->x0) * a->width;
}

double kl_plot_axes_y(const struct kl_axes *a, double value)
{
    return a->top + a->height - (value - a->y0) / (a->y1 - a->y0) * a->height;
}

void kl_plot_axes_clip(cairo_t *cr, const struct kl_axes *a)
{
    cairo_save(cr);
    cairo_rectangle(cr, a->left, a->top, a->width, a->height);
    cairo_clip(cr);
}

void kl_plot_axes_to(cairo_t *cr, const struct kl_axes *a, double x, double y)
{
    cairo_line_to(cr, kl_plot_axes_x(a, x), kl_plot_axes_y(a, y));
}

void kl_plot_axes_line(cairo_t *cr, const struct kl_axes *a, double x0, double y0, double x1, double y1)
{
    kl_plot_line(cr, kl_plot_axes_x(a, x0), kl_plot_axes_y(a, y0), kl_plot_axes_x(a, x1),
                 kl_plot_axes_y(a, y1));
}

void kl_plot_axes_level(cairo_t *cr, const struct kl_axes *a, double y)
{
    kl_plot_line(cr, a->left, kl_plot_axes_y(a, y), a->left + a->width, kl_plot_axes_y(a, y));
}

void kl_plot_axes_upright(cairo_t *cr, const struct kl_axes *a, double x, double low, double high)
{
    kl_plot_line(cr, x, kl_plot_axes_y(a, low), x, kl_plot_axes_y(a, high));
}

void kl_plot_axes_across(cairo_t *cr, const struct kl_axes *a, double y, double low, double high)
{
    kl_plot_line(cr, kl_plot_axes_x(a, low), y, kl_plot_axes_x(a, high), y);
}

void kl_plot_axes_mark(cairo_t *cr, const struct kl_axes *a, double x, double y, double radius,
                       enum kl_mark mark)
{
    kl_plot_mark(cr, kl_plot_axes_x(a, x), kl_plot_axes_y(a, y), radius, mark);
}

struct kl_axes kl_plot_axes_panel(cairo_t *cr, struct kl_axes first, int i, double across, double down)
{
    const int columns = kl_plot_sheet_of(cr)->narrow ? 1 : 2;
    first.left += i % columns * across;
    first.top += i / columns * down; /* whole rows */
    return first;
}

void kl_plot_axes_title(cairo_t *cr, const struct kl_axes *a, const char *text)
{
    kl_plot_black(cr, a->left + a->width / 2, a->top - 6, 8, KL_CENTRE, text);
}

void kl_plot_axes_widen(struct kl_axes *a, double value)
{
    if (isfinite(value)) a->y0 = fmin(a->y0, value), a->y1 = fmax(a->y1, value);
}

/* 1, 2 or 5 times a power of ten, so that about so many steps fill the range. */
static double round_step(double range, double steps)
{
    double raw = range / steps, power = pow(10, floor(log10(raw))), lead = raw / power;
    return power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
}

void kl_plot_axes_power(char *to, size_t size, int power)
{
    static const char *const digits[] = { "\xe2\x81\xb0", "\xc2\xb9",     "\xc2\xb2",     "\xc2\xb3",
                                          "\xe2\x81\xb4", "\xe2\x81\xb5", "\xe2\x81\xb6", "\xe2\x81\xb7",
                                          "\xe2\x81\xb8", "\xe2\x81\xb9" };
    char plain[12];
    size_t used = 0;
    snprintf(plain, sizeof plain, "%d", power);
    for (const char *c = plain; *c && used + 4 < size; c++)
        used += (size_t)snprintf(to + used, size - used, "%s",
                                 *c == '-' ? "\xe2\x81\xbb" : digits[*c - '0']);
}

void kl_plot_tick_text(char text[KL_TICK], double value, double step, double most)
{
    const int finest = (int)floor(log10(step) + 1e-9), tens = (int)floor(log10(most) + 1e-9);
    const char *minus = value < 0 ? "\xe2\x88\x92" : ""; /* a true one */
    const bool scaled = most > 1e6 || most < 1e-4;
    char power[20];
    if (fabs(value) < step / 1000) value = 0, minus = "";
    if (scaled && value == 0) {
        snprintf(text, KL_TICK, "0");
        return;
    }
    const int decimals = scaled ? tens - finest : -finest;
    snprintf(text, KL_TICK, "%s%.*f", minus, decimals > 0 ? decimals : 0,
             fabs(scaled ? value / pow(10, tens) : value));
    kl_plot_axes_power(power, sizeof power, tens);
    const size_t used = strlen(text);
    if (scaled) snprintf(text + used, KL_TICK - used, "%s10%s", "\xc3\x97", power);
}

/* Ten to the power of a whole number, right-aligned at x; returns its width. */
static double power_text(cairo_t *cr, double x, double y, double power)
{
    const double small = 0.75 * TICK_SIZE;
    char text[KL_TICK];
    kl_plot_tick_text(text, power, 1, 1);
    const double width = kl_plot_text_width(cr, small, text);
    kl_plot_text(cr, x, y - 0.4 * TICK_SIZE, small, KL_RIGHT, text);
    kl_plot_text(cr, x - width, y, TICK_SIZE, KL_RIGHT, "10");
    return width + kl_plot_text_width(cr, TICK_SIZE, "10");
}

/* ---- axes of logarithms ---- */
enum { MOST_WITHIN = 16 };

/* At every so manyth decade stands its number; 0: no decade lies in the range. Where the wished step
   meets none of those that do, all have numbers. */
static double decade_step(double low, double high, double wished)
{
    bool any = false;
    for (double k = ceil(low - 1e-9); k <= high + 1e-9; k++) {
        any = true;
        if (fmod(fabs(k), wished) == 0) return wished;
    }
    return any ? 1 : 0;
}

/* Numbers for an axis of less than a decade, from 10^low to 10^high: about so many round ones. */
static size_t values_within(double values[MOST_WITHIN], double low, double high, double wished)
{
    const double from = pow(10, low), to = pow(10, high);
    if (!isfinite(to) || !(to > from)) return 0;
    for (double step = round_step(to - from, wished);; step /= 2) {
        size_t n = 0;
        for (double k = ceil(from / step - 1e-9); k * step <= to * (1 + 1e-12) && n < MOST_WITHIN; k++)
            values[n++] = k * step;
        if (n >= 2 || step < 1e-6 * (to - from)) return n;
    }
}

static double tick_step(const double *values, size_t n)
{
    return n > 1 ? values[1] - values[0] : values[0];
}

/* As draw_decades, below the frame. */
static void draw_x_decades(cairo_t *cr, const struct kl_axes *a)
{
    const double bottom = a->top + a->height, each = a->width / (a->x1 - a->x0),
                 step = decade_step(a->x0, a->x1, ceil(3.5 * TICK_SIZE / each));
    double values[MOST_WITHIN];
    const size_t n = step > 0 ? 0 : values_within(values, a->x0, a->x1, a->width < 110 ? 3 : 5);
    char text[KL_TICK];
    for (double k = ceil(a->x0 - 1e-9); k <= a->x1 + 1e-9; k++) {
        const double x = kl_plot_axes_x(a, k);
        kl_plot_line(cr, x, bottom, x, bottom + 3);
        if (step > 0 && fmod(fabs(k), step) == 0 && !a->no_x_numbers)
            power_text(cr, x + 9, bottom + 11, k);
    }
    for (double k = floor(a->x0); k <= a->x1 + 1e-9; k++)
        for (int m = 2; m < 10 && each > 12; m++) {
            const double at = k + log10(m);
            if (at < a->x0 || at >= a->x1) continue;
            kl_plot_line(cr, kl_plot_axes_x(a, at), bottom, kl_plot_axes_x(a, at), bottom + 1.5);
        }
    for (size_t i = 0; i < n; i++) {
        const double x = kl_plot_axes_x(a, log10(values[i]));
        kl_plot_line(cr, x, bottom, x, bottom + 3);
        kl_plot_tick_text(text, values[i], tick_step(values, n), values[n - 1]);
        if (!a->no_x_numbers) kl_plot_text(cr, x, bottom + 11, TICK_SIZE, KL_CENTRE, text);
    }
}

/* Is there room for the numbers at the first and the last tick, and so for those between them? */
static bool fits(cairo_t *cr, const struct kl_axes *a, double step)
{
    const double most = fmax(fabs(a->x0), fabs(a->x1)),
                 ends[2] = { ceil(a->x0 / step), floor(a->x1 / step) };
    double widest = 0;
    char text[KL_TICK];
    for (int i = 0; i < 2; i++) {
        kl_plot_tick_text(text, ends[i] * step, step, most);
        widest = fmax(widest, kl_plot_text_width(cr, TICK_SIZE, text));
    }
    return widest + 6 <= step / (a->x1 - a->x0) * a->width;
}

static void draw_x_ticks(cairo_t *cr, const struct kl_axes *a)
{
    char text[KL_TICK];
    if (a->log_x) {
        draw_x_decades(cr, a);
        return;
    }
    const double range = a->x1 - a->x0, bottom = a->top + a->height;
    double steps = a->width < 110 ? 3 : 5, step = round_step(range, steps);
    while (steps > 1 && !fits(cr, a, step)) step = round_step(range, steps /= 1.5);
    if (a->whole_x && step < 1) step = 1;
    double k = ceil(a->x0 / step - 1e-9);
    for (; k + 1 > k && k * step <= a->x1 + 1e-9 * step; k++) { /* rounding may leave no next one */
        double x = kl_plot_axes_x(a, k * step);
        kl_plot_line(cr, x, bottom, x, bottom + 3);
        kl_plot_tick_text(text, k * step, step, fmax(fabs(a->x0), fabs(a->x1)));
        if (!a->no_x_numbers) kl_plot_text(cr, x, bottom + 11, TICK_SIZE, KL_CENTRE, text);
    }
}

/* Decades, numbers at as many as leave room for them, with short ticks at 2 to 9 times where all have;
   ticks without a number where they do not touch; round numbers where no decade lies in the range.
   Returns the width of the widest number. */
static double draw_decades(cairo_t *cr, const struct kl_axes *a)
{
    const double each = a->height / (a->y1 - a->y0),
                 step = decade_step(a->y0, a->y1, ceil(1.8 * TICK_SIZE / each));
    double values[MOST_WITHIN], widest = 0;
    const size_t n = step > 0 ? 0 : values_within(values, a->y0, a->y1, a->height < 100 ? 2.5 : 5);
    char text[KL_TICK];
    for (double k = ceil(a->y0 - 1e-9); k <= a->y1 + 1e-9; k++) {
        const double y = kl_plot_axes_y(a, k);
        const bool numbered = step > 0 && fmod(fabs(k), step) == 0;
        if (numbered || each >= 3) kl_plot_line(cr, a->left - 3, y, a->left, y);
        if (numbered && !a->bare_y) widest = fmax(widest, power_text(cr, a->left - 5, y + 2.5, k));
    }
    for (double k = floor(a->y0); k <= a->y1 + 1e-9; k++)
        for (int m = 2; m < 10 && each > 12; m++) {
            const double at = k + log10(m);
            if (at < a->y0 || at >= a->y1) continue;
            kl_plot_line(cr, a->left - 1.5, kl_plot_axes_y(a, at), a->left, kl_plot_axes_y(a, at));
        }
    for (size_t i = 0; i < n; i++) {
        const double y = kl_plot_axes_y(a, log10(values[i]));
        kl_plot_line(cr, a->left - 3, y, a->left, y);
        kl_plot_tick_text(text, values[i], tick_step(values, n), values[n - 1]);
        if (a->bare_y) continue;
        kl_plot_text(cr, a->left - 5, y + 2.5, TICK_SIZE, KL_RIGHT, text);
        widest = fmax(widest, kl_plot_text_width(cr, TICK_SIZE, text));
    }
    return widest;
}

/* Returns the width of the widest number. */
static double draw_y_ticks(cairo_t *cr, const struct kl_axes *a)
{
    char text[KL_TICK];
    const double range = a->y1 - a->y0;
    double widest = 0, steps = a->height < 100 ? 2.5 : 5, step = round_step(range, steps);
    for (; steps < 20 && floor(a->y1 / step + 1e-9) - ceil(a->y0 / step - 1e-9) < 1; steps *= 1.5)
        step = round_step(range, steps); /* one tick tells no scale */
    double k = ceil(a->y0 / step - 1e-9);
    for (; k + 1 > k && k * step <= a->y1 + 1e-9 * step; k++) {
        double y = kl_plot_axes_y(a, k * step);
        kl_plot_line(cr, a->left - 3, y, a->left, y);
        kl_plot_tick_text(text, k * step, step, fmax(fabs(a->y0), fabs(a->y1)));
        if (a->bare_y) continue;
        kl_plot_text(cr, a->left - 5, y + 2.5, TICK_SIZE, KL_RIGHT, text);
        widest = fmax(widest, kl_plot_text_width(cr, TICK_SIZE, text));
    }
    return widest;
}

void kl_plot_axes_draw_x(cairo_t *cr, const struct kl_axes *a, const char *label)
{
    kl_plot_pen(cr, 0, 1, 0.6);
    kl_plot_frame(cr, a->left, a->top, a->width, a->height);
    draw_x_ticks(cr, a);
    if (label)
        kl_plot_text(cr, a->left + a->width / 2, a->top + a->height + 23, LABEL_SIZE, KL_CENTRE, label);
}

void kl_plot_axes_draw(cairo_t *cr, const struct kl_axes *a, const char *x_label, const char *y_label)
{
    kl_plot_axes_draw_x(cr, a, x_label);
    const double widest = a->log_y ? draw_decades(cr, a) : draw_y_ticks(cr, a);
    if (a->bare_y) return;
    const double out = a->label_out > 0 ? a->label_out : widest + 11;
    kl_plot_text_upwards(cr, a->left - out, a->top + a->height / 2, LABEL_SIZE, KL_CENTRE, INFINITY,
                         y_label);
}

void kl_plot_mark(cairo_t *cr, double x, double y, double radius, enum kl_mark mark)
{
    const double r = radius;
    switch (mark) {
    case KL_CIRCLE: cairo_arc(cr, x, y, r, 0, 2 * M_PI); break;
    case KL_SQUARE: cairo_rectangle(cr, x - 0.9 * r, y - 0.9 * r, 1.8 * r, 1.8 * r); break;
    case KL_TRIANGLE:
        cairo_move_to(cr, x, y - 1.2 * r);
        cairo_line_to(cr, x + 1.15 * r, y + 0.85 * r);
        cairo_line_to(cr, x - 1.15 * r, y + 0.85 * r);
        cairo_close_path(cr);
        break;
    default:
        cairo_move_to(cr, x, y - 1.35 * r);
        cairo_line_to(cr, x + 1.35 * r, y);
        cairo_line_to(cr, x, y + 1.35 * r);
        cairo_line_to(cr, x - 1.35 * r, y);
        cairo_close_path(cr);
    }
    cairo_fill(cr);
}

/* ---- many values in a row, drawn as means: a figure has no more than a thousand places across ---- */
enum { PLACES = 1000 };

size_t kl_plot_bin_width(size_t n)
{
    return n / (PLACES + 1) + 1;
}

double kl_plot_bin_mean(double *middle, const double *values, size_t n, size_t width, size_t k)
{
    const size_t from = k * width, to = from + width < n ? from + width : n;
    double sum = 0;
    for (size_t j = from; j < to; j++) sum += values[j];
    *middle = 0.5 * (double)(from + to - 1);
    return sum / (double)(to - from);
}
