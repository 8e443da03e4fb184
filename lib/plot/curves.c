/* SPDX-License-Identifier: MIT
   Loss and accuracy by epoch: the mean over replicas, with a band from the least to the most. */
#include <math.h>
#include <stdlib.h>

#include "plot/plot.h"
#include "store/store.h"

struct series {
    double *values; /* (replicas, epochs); NaN: not trained */
    size_t replicas, epochs;
};

static int load(struct series *s, struct kl_file *file, const char *name, struct kl_error *err)
{
    const struct kl_dataset *set;
    int code = kl_file_expect(&set, file, name, KL_TYPE_F64, 2, err);
    if (!code) code = kl_file_load((void **)&s->values, file, set, err);
    if (!code) {
        s->replicas = set->dims[0];
        s->epochs = set->dims[1];
    }
    return code;
}

/* Of the replicas still training at epoch e; false: none. */
static bool at_epoch(const struct series *s, size_t e, double *least, double *mean, double *most)
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

static void widen(double *low, double *high, const struct series *s)
{
    double least, mean, most;
    for (size_t e = 0; e < s->epochs; e++) {
        if (!at_epoch(s, e, &least, &mean, &most)) continue;
        *low = fmin(*low, least);
        *high = fmax(*high, most);
    }
}

static void draw_series(cairo_t *cr, const struct kl_axes *axes, const struct series *s, int colour)
{
    double least, mean, most;
    size_t last = s->epochs;
    while (last > 0 && !at_epoch(s, last - 1, &least, &mean, &most)) last--;
    for (size_t e = 0; e < last; e++)
        if (at_epoch(s, e, &least, &mean, &most))
            cairo_line_to(cr, kl_axes_x(axes, (double)e + 1), kl_axes_y(axes, most));
    for (size_t e = last; e-- > 0;)
        if (at_epoch(s, e, &least, &mean, &most))
            cairo_line_to(cr, kl_axes_x(axes, (double)e + 1), kl_axes_y(axes, least));
    cairo_close_path(cr);
    kl_colour(cr, colour, 0.2);
    cairo_fill(cr);
    for (size_t e = 0; e < last; e++)
        if (at_epoch(s, e, &least, &mean, &most))
            cairo_line_to(cr, kl_axes_x(axes, (double)e + 1), kl_axes_y(axes, mean));
    kl_colour(cr, colour, 1);
    cairo_set_line_width(cr, 1.2);
    cairo_stroke(cr);
}

static void draw_panel(cairo_t *cr, double left, const struct series *train, const struct series *val,
                       const char *label, bool legend_below)
{
    struct kl_axes axes = { .left = left,
                            .top = 14,
                            .width = 175,
                            .height = 135,
                            .x0 = 1,
                            .x1 = (double)train->epochs,
                            .y0 = INFINITY,
                            .y1 = -INFINITY };
    widen(&axes.y0, &axes.y1, train);
    widen(&axes.y0, &axes.y1, val);
    if (!(axes.y0 < axes.y1)) axes.y0 -= 0.5, axes.y1 = axes.y0 + 1;
    double margin = 0.05 * (axes.y1 - axes.y0);
    axes.y0 -= margin;
    axes.y1 += margin;
    if (axes.x1 <= axes.x0) axes.x0 = 0, axes.x1 = 2;
    draw_series(cr, &axes, train, 1);
    draw_series(cr, &axes, val, 2);
    kl_axes_draw(cr, &axes, "epoch", label);
    double y = legend_below ? axes.top + axes.height - 22 : axes.top + 12;
    kl_legend(cr, axes.left + axes.width - 70, y, 1, "training");
    kl_legend(cr, axes.left + axes.width - 70, y + 11, 2, "validation");
}

int kl_draw_curves(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs, struct kl_error *err)
{
    static const char *const names[4] = { "history/train_loss", "history/val_loss",
                                          "history/train_accuracy", "history/val_accuracy" };
    struct series s[4] = { { 0 } };
    int code = KL_OK;
    for (int i = 0; !code && i < 4; i++) code = load(&s[i], inputs->file, names[i], err);
    if (!code) {
        char text[64];
        draw_panel(sheet->cr, 44, &s[0], &s[1], "cross-entropy (nats)", false);
        draw_panel(sheet->cr, 272, &s[2], &s[3], "accuracy", true);
        snprintf(text, sizeof text, "mean and range of %zu heads", s[0].replicas);
        if (s[0].replicas > 1) kl_text(sheet->cr, sheet->width - 13, 9, 7, KL_RIGHT, text);
    }
    for (int i = 0; i < 4; i++) free(s[i].values);
    return code;
}
