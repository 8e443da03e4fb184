/* SPDX-License-Identifier: MIT
   Loss and accuracy by epoch: the mean over replicas, with a band from the least to the most. Replicas
   that stopped early end the mean, which would jump to that of the others; the band goes on. */
#include "plot/plot.h"

#include <math.h>

int kl_plot_series_load(struct kl_series *s, struct kl_file *file, const char *name,
                        struct kl_error *err)
{
    const struct kl_dataset *set;
    int code = kl_store_file_load_named((void **)&s->values, &set, file, name, KL_TYPE_F64, 2, err);
    if (!code) {
        s->replicas = set->dims[0];
        s->epochs = set->dims[1];
    }
    return code;
}

static size_t last_epoch(const struct kl_series *s, size_t n, size_t replica)
{
    size_t last = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t e = 0; e < s[i].epochs && replica < s[i].replicas; e++)
            if (isfinite(s[i].values[replica * s[i].epochs + e]) && e + 1 > last) last = e + 1;
    return last;
}

void kl_plot_series_lengths(struct kl_series *s, size_t n)
{
    size_t shown = 0, common = s[0].epochs;
    for (size_t r = 0; r < s[0].replicas; r++) {
        const size_t last = last_epoch(s, n, r);
        shown = last > shown ? last : shown;
        common = last < common ? last : common;
    }
    for (size_t i = 0; i < n; i++) {
        s[i].shown = shown < s[i].epochs ? shown : s[i].epochs;
        s[i].common = common < s[i].epochs ? common : s[i].epochs;
    }
}

/* Of the replicas still training at epoch e; false: none. */
static bool at_epoch(const struct kl_series *s, size_t e, double *least, double *mean, double *most)
{
    size_t n = 0;
    double sum = 0;
    *least = INFINITY;
    *most = -INFINITY;
    for (size_t r = 0; r < s->replicas; r++) {
        double v = s->values[r * s->epochs + e];
        if (!isfinite(v)) continue;
        sum += v;
        n++;
        *least = fmin(*least, v);
        *most = fmax(*most, v);
    }
    *mean = sum / (double)n;
    return n > 0;
}

static void widen(double *low, double *high, const struct kl_series *s)
{
    double least, mean, most;
    for (size_t e = 0; e < s->shown; e++) {
        if (!at_epoch(s, e, &least, &mean, &most)) continue;
        *low = fmin(*low, least);
        *high = fmax(*high, most);
    }
}

static void draw_range(cairo_t *cr, const struct kl_axes *axes, const struct kl_series *s, int colour)
{
    double least, mean, most;
    for (size_t e = 0; e < s->shown; e++)
        if (at_epoch(s, e, &least, &mean, &most)) kl_plot_axes_to(cr, axes, (double)e + 1, most);
    for (size_t e = s->shown; e-- > 0;)
        if (at_epoch(s, e, &least, &mean, &most)) kl_plot_axes_to(cr, axes, (double)e + 1, least);
    cairo_close_path(cr);
    kl_plot_colour(cr, colour, 0.2);
    cairo_fill_preserve(cr);
    kl_plot_pen(cr, colour, s->shown == 1 ? 0.8 : 0.25,
                s->shown == 1 ? 0.9 : 0.5); /* a single epoch's range has no area */
    cairo_stroke(cr);
}

static void draw_mean(cairo_t *cr, const struct kl_axes *axes, const struct kl_series *s, int colour,
                      enum kl_mark mark)
{
    double least, mean, most;
    for (size_t e = 0; e < s->common; e++)
        if (at_epoch(s, e, &least, &mean, &most)) kl_plot_axes_to(cr, axes, (double)e + 1, mean);
    kl_plot_pen(cr, colour, 1, 1.2);
    kl_plot_dashed(cr, (size_t)colour - 1);
    cairo_stroke(cr);
    kl_plot_dashed(cr, 0);
    for (size_t e = 0; e < s->common && s->shown <= KL_SERIES_MARKED; e++)
        if (at_epoch(s, e, &least, &mean, &most))
            kl_plot_axes_mark(cr, axes, (double)e + 1, mean, 2, mark);
}

struct kl_axes kl_plot_series_panel(cairo_t *cr, struct kl_axes axes, const struct kl_series *train,
                                    const struct kl_series *val, const char *label, bool from_zero)
{
    axes.whole_x = true;
    axes.x0 = 0.5;
    axes.x1 = fmax((double)train->shown, 1) + 0.5;
    axes.y0 = INFINITY;
    axes.y1 = -INFINITY;
    widen(&axes.y0, &axes.y1, train);
    if (val) widen(&axes.y0, &axes.y1, val);
    if (axes.y0 > axes.y1) axes.y0 = 0, axes.y1 = 1; /* no finite value */
    from_zero = from_zero && axes.y0 >= 0;
    if (from_zero) axes.y0 = 0;
    if (axes.y0 == axes.y1) axes.y0 -= from_zero ? 0 : 0.05, axes.y1 += 0.05;
    const double margin = 0.05 * (axes.y1 - axes.y0);
    axes.y0 -= from_zero ? 0 : margin;
    axes.y1 += margin;
    if (axes.log_y) axes.y0 = floor(axes.y0), axes.y1 = ceil(axes.y1);
    draw_range(cr, &axes, train, 1);
    if (val) draw_range(cr, &axes, val, 2);
    draw_mean(cr, &axes, train, 1, KL_CIRCLE);
    if (val) draw_mean(cr, &axes, val, 2, KL_TRIANGLE);
    kl_plot_axes_draw(cr, &axes, "epoch", label);
    return axes;
}

void kl_plot_series_head(cairo_t *cr, double right, const char *text)
{
    if (kl_plot_sheet_of(cr)->narrow) kl_plot_black_lines(cr, 44, 0, 7, 195, text);
    else kl_plot_text(cr, right, 10, 7, KL_RIGHT, text);
}

double kl_plot_series_legend(cairo_t *cr, double x, int colour, enum kl_mark mark, bool marked,
                             const char *text)
{
    kl_plot_pen(cr, colour, 1, 1.2);
    kl_plot_dashed(cr, (size_t)colour - 1);
    kl_plot_line(cr, x, 7.5, x + 14, 7.5);
    kl_plot_dashed(cr, 0);
    if (marked) kl_plot_mark(cr, x + 7, 7.5, 2, mark);
    kl_plot_black(cr, x + 18, 10, 7, KL_LEFT, text);
    return x + 18 + kl_plot_text_width(cr, 7, text) + 14;
}
