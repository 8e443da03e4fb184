/* SPDX-License-Identifier: MIT
   Heads seen from above, with values between their electrodes, and the scale of their colours. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/sequence/scalp.h"
#include "plot/sequence/windows_view.h"

enum { GRID = 64 };

static void outline(cairo_t *cr, double x, double y, double r)
{
    kl_plot_colour(cr, 0, 1);
    cairo_set_line_width(cr, 0.8);
    cairo_new_path(cr);
    cairo_arc(cr, x, y, r, 0, 2 * M_PI);
    cairo_stroke(cr);
    cairo_move_to(cr, x - 0.1 * r, y - 0.995 * r);
    cairo_line_to(cr, x, y - 1.12 * r);
    cairo_line_to(cr, x + 0.1 * r, y - 0.995 * r);
    cairo_stroke(cr);
    for (int side = -1; side <= 1; side += 2) {
        cairo_save(cr);
        cairo_translate(cr, x + side * 1.02 * r, y);
        cairo_scale(cr, 0.05 * r, 0.16 * r);
        cairo_arc(cr, 0, 0, 1, 0, 2 * M_PI);
        cairo_restore(cr);
        cairo_stroke(cr);
    }
}

void kl_plot_head_range(struct kl_head_range *range, const double *values, const double *positions,
                        size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (isfinite(values[i]) && isfinite(positions[2 * i]))
            range->low = fmin(range->low, values[i]), range->high = fmax(range->high, values[i]);
}

/* Its ends as they are drawn: of both signs as far to either side. */
static void ends(double *low, double *high, const struct kl_head_range *r)
{
    const double most = fmax(fabs(r->low), fabs(r->high));
    *low = r->both_signs ? -most : r->low, *high = r->both_signs ? most : r->high;
}

static struct kl_rgb colour(double value, const struct kl_head_range *r)
{
    double low, high;
    ends(&low, &high, r);
    if (r->both_signs) return kl_plot_diverging(value / fmax(high, 1e-300));
    return kl_plot_diverging(high > low ? (value - low) / (high - low) : 0);
}

int kl_plot_head_scale(cairo_t *cr, double x, double y, double height, const struct kl_head_range *range,
                       const char *unit, struct kl_error *err)
{
    char text[KL_TICK];
    struct kl_rgb colours[GRID];
    double low, high, widest = 0;
    ends(&low, &high, range);
    const double most = fmax(fabs(low), fabs(high));
    const struct kl_axes into = { .left = x, .top = y, .width = 7, .height = height };
    for (int k = 0; k < GRID; k++) colours[k] = colour(high - (high - low) * (k + 0.5) / GRID, range);
    const int code = kl_plot_field(cr, &into, colours, 1, GRID, false, err);
    kl_plot_colour(cr, 0, 1);
    cairo_set_line_width(cr, 0.5);
    cairo_rectangle(cr, x, y, 7, height);
    cairo_stroke(cr);
    for (int k = 0; k <= 4; k++) {
        const double value = low + (high - low) * k / 4, at = y + height * (1 - k / 4.0);
        cairo_move_to(cr, x + 7, at);
        cairo_line_to(cr, x + 9, at);
        cairo_stroke(cr);
        kl_plot_tick_text(text, value, fmax((high - low) / 40, 1e-12), fmax(most, 1e-12));
        kl_plot_text(cr, x + 11, at + 2, 6, KL_LEFT, text);
        widest = fmax(widest, kl_plot_text_width(cr, 6, text));
    }
    kl_plot_text_upwards(cr, x + 21 + widest, y + height / 2, 7, KL_CENTRE, 1.5 * height, unit);
    return code;
}

/* White where no electrode is near, and the map a guess: beyond a line around the area between them,
   half as far from it as electrodes of the 10-10 system are from each other. */
static void mask(cairo_t *cr, double x, double y, double radius, const struct kl_scalp *s)
{
    const double apart = 0.15 * radius;
    cairo_new_path(cr);
    cairo_rectangle(cr, x - radius, y - radius, 2 * radius, 2 * radius);
    cairo_new_sub_path(cr);
    for (size_t k = 0; k < s->n_hull; k++) {
        const double *before = s->hull + 2 * ((k + s->n_hull - 1) % s->n_hull), *at = s->hull + 2 * k,
                     *next = s->hull + 2 * ((k + 1) % s->n_hull);
        /* Outwards of the lines that meet here; on the sheet y runs down. */
        const double from = atan2(at[0] - before[0], at[1] - before[1]),
                     to = atan2(next[0] - at[0], next[1] - at[1]);
        cairo_arc_negative(cr, x + at[0] * radius, y - at[1] * radius, apart, from,
                           s->n_hull > 1 ? to : from - 2 * M_PI);
    }
    cairo_close_path(cr);
    cairo_set_fill_rule(cr, CAIRO_FILL_RULE_EVEN_ODD);
    cairo_set_source_rgb(cr, 1, 1, 1);
    cairo_fill(cr);
    cairo_set_fill_rule(cr, CAIRO_FILL_RULE_WINDING);
}

/* Colours of the disc, from the top. */
static int paint(cairo_t *cr, const struct kl_axes *into, const struct kl_scalp *scalp,
                 const struct kl_head_range *range, struct kl_error *err)
{
    struct kl_rgb *colours = calloc((size_t)GRID * GRID, sizeof *colours);
    if (!colours) return kl_fail_memory(err, (size_t)GRID * GRID * sizeof *colours);
    for (int k = 0; k < GRID; k++)
        for (int i = 0; i < GRID; i++) {
            const double x = (i + 0.5) * 2 / GRID - 1, y = 1 - (k + 0.5) * 2 / GRID;
            if (hypot(x, y) < 1.1) colours[k * GRID + i] = colour(kl_plot_scalp_at(scalp, x, y), range);
        }
    const int code = kl_plot_field(cr, into, colours, GRID, GRID, true, err);
    free(colours);
    return code;
}

/* Up to two lines, the last at y. */
static void draw_label(cairo_t *cr, double x, double y, double room, const char *label)
{
    char first[KL_TEXT];
    const char *second = strchr(label, '\n');
    snprintf(first, sizeof first, "%.*s", (int)(second ? second - label : (ptrdiff_t)strlen(label)),
             label);
    kl_plot_text_within(cr, x, second ? y - 9 : y, 7, KL_CENTRE, room, first);
    if (second) kl_plot_text_within(cr, x, y, 7, KL_CENTRE, room, second + 1);
}

int kl_plot_head(cairo_t *cr, double x, double y, double radius, const double *values,
                 const double *positions, size_t n, const struct kl_head_range *range, const char *label,
                 struct kl_error *err)
{
    const struct kl_axes into = {
        .left = x - radius, .top = y - radius, .width = 2 * radius, .height = 2 * radius
    };
    struct kl_scalp scalp;
    int code = kl_plot_scalp_fit(&scalp, values, positions, n, err);
    cairo_save(cr);
    cairo_arc(cr, x, y, radius, 0, 2 * M_PI);
    cairo_clip(cr);
    if (!code) code = paint(cr, &into, &scalp, range, err);
    if (!code) mask(cr, x, y, radius, &scalp);
    cairo_restore(cr);
    kl_plot_scalp_free(&scalp);
    kl_plot_colour(cr, 0, 0.8);
    for (size_t i = 0; i < n; i++)
        if (isfinite(positions[2 * i]) && isfinite(values[i]))
            kl_plot_mark(cr, x + positions[2 * i] * radius, y - positions[2 * i + 1] * radius, 1,
                         KL_CIRCLE);
    outline(cr, x, y, radius);
    draw_label(cr, x, y - 1.12 * radius - 6, 2.8 * radius, label);
    return code;
}
