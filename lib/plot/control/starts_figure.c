/* SPDX-License-Identifier: MIT
   What each start of an optimisation ended at, the best first; those that were trapped above it are
   told. */
#include <math.h>
#include <stdlib.h>

#include "plot/control/pulse_view.h"
#include "store/store.h"

static const double LEFT = 50, TOP = 28, WIDTH = 250, HEIGHT = 130;
static const double LEAST = 1e-16; /* a loss below it is rounding */

static int rising(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Starts whose loss is a number, in order. */
static int load(double **losses, size_t *n, size_t *all, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *set;
    int code = kl_store_file_expect(&set, file, "starts/loss", KL_TYPE_F64, 1, err);
    if (!code) code = kl_store_file_load((void **)losses, file, set, err);
    if (code) return code;
    *all = set->dims[0], *n = 0;
    for (size_t i = 0; i < *all; i++)
        if (isfinite((*losses)[i])) (*losses)[(*n)++] = (*losses)[i];
    if (*n) qsort(*losses, *n, sizeof **losses, rising);
    return *n ? KL_OK
              : kl_fail(err, KL_EDATA, "%s: no start has a loss that is a number",
                        kl_store_file_path(file));
}

/* As `qcontrol optimize` counts: a hundredth above the best, and more than 1e-6. */
static bool is_trapped(double loss, double best)
{
    return !(loss <= best + fmax(1e-6, 0.01 * best));
}

static void draw_marks(cairo_t *cr, const struct kl_axes *axes, const double *losses, size_t n)
{
    const double radius = n > 200 ? 1 : n > 60 ? 1.5 : 2.2;
    for (size_t i = 0; i < n; i++) {
        const bool trapped = is_trapped(losses[i], losses[0]);
        kl_plot_colour(cr, trapped ? 2 : 1, 1);
        kl_plot_mark(cr, kl_plot_axes_x(axes, (double)i + 1),
                     kl_plot_axes_y(axes, axes->log_y ? log10(fmax(losses[i], LEAST)) : losses[i]),
                     radius, trapped ? KL_TRIANGLE : KL_CIRCLE);
    }
}

/* Losses within a factor of ten stand on an axis from 0, which shows how far apart they are; others on a
   logarithmic one that ends where they do, with two powers of ten at least. */
static void set_range(struct kl_axes *axes, double best, double worst)
{
    const double low = log10(fmax(best, LEAST)), high = log10(fmax(worst, LEAST));
    axes->log_y = high - low >= 1;
    if (!axes->log_y) {
        axes->y0 = fmin(0, 1.1 * best), axes->y1 = fmax(1.15 * worst, LEAST);
        return;
    }
    const double margin = 0.08 * (high - low);
    axes->y0 = low - margin, axes->y1 = high + margin;
    if (floor(axes->y1) - ceil(axes->y0) >= 1) return;
    const double below = ceil(axes->y0) - 1, above = floor(axes->y1) + 1;
    if (axes->y0 - below <= above - axes->y1) axes->y0 = below;
    else axes->y1 = above;
}

static void draw(cairo_t *cr, const double *losses, size_t n, size_t all, const char *title)
{
    struct kl_axes axes = { .left = LEFT,
                            .top = TOP,
                            .width = WIDTH,
                            .height = HEIGHT,
                            .x0 = 0.5,
                            .x1 = (double)n + 0.5,
                            .whole_x = true };
    size_t trapped = all - n;
    char text[160];
    for (size_t i = 0; i < n; i++) trapped += is_trapped(losses[i], losses[0]);
    set_range(&axes, losses[0], losses[n - 1]);
    draw_marks(cr, &axes, losses, n);
    kl_plot_axes_draw(cr, &axes, "start, best first", "loss at its end");
    kl_plot_text_within(cr, LEFT, 10, 7, KL_LEFT, WIDTH, title);
    snprintf(text, sizeof text, "%zu of %zu start%s trapped: more than 1 %% above the best", trapped,
             all, kl_s(all));
    kl_plot_text(cr, LEFT, 20, 7, KL_LEFT, text);
    if (!trapped) return;
    kl_plot_colour(cr, 2, 1);
    kl_plot_mark(cr, LEFT + kl_plot_text_width(cr, 7, text) + 8, 17.5, 2.2, KL_TRIANGLE);
}

int kl_plot_starts(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs, struct kl_error *err)
{
    struct kl_pulse_view v;
    double *losses = NULL;
    size_t n = 0, all = 0;
    int code = kl_plot_pulse_view_load(&v, inputs->file, err);
    if (!code) code = load(&losses, &n, &all, inputs->file, err);
    if (!code) draw(sheet->cr, losses, n, all, v.title);
    free(losses);
    kl_plot_pulse_view_free(&v);
    return code;
}
