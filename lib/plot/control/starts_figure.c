/* SPDX-License-Identifier: MIT
   What each start of an optimisation ended at, the best first; those that were trapped above it are
   told. */
#include <math.h>
#include <stdlib.h>

#include "plot/control/pulse_view.h"
#include "store/store.h"

static const double LEFT = 50, TOP = 36, WIDTH = 250, HEIGHT = 130;
static const double LEAST = 1e-16; /* a loss below it is rounding */

/* A start at its end. */
struct ended {
    double loss;
    int32_t stop; /* as in starts/stop */
};
enum { REACHED = 1, ITERATIONS = 5, BEHIND = 7 };

static int rising(const void *a, const void *b)
{
    const double x = ((const struct ended *)a)->loss, y = ((const struct ended *)b)->loss;
    return (x > y) - (x < y);
}

/* Starts whose loss is a number, in order. */
static int load(struct ended **starts, size_t *n, size_t *all, struct kl_file *file,
                struct kl_error *err)
{
    const struct kl_dataset *set;
    double *losses = NULL;
    int32_t *stops = NULL;
    int code =
        kl_store_file_load_named((void **)&losses, &set, file, "starts/loss", KL_TYPE_F64, 1, err);
    *all = code ? 0 : set->dims[0], *n = 0;
    void *data = NULL;
    if (!code) code = kl_store_file_load_shape(&data, file, "starts/stop", KL_TYPE_I32, 1, all, err);
    stops = data;
    if (!code && !(*starts = malloc(*all * sizeof **starts))) code = kl_fail_memory(err, *all * 16);
    for (size_t i = 0; !code && i < *all; i++)
        if (isfinite(losses[i])) (*starts)[(*n)++] = (struct ended){ losses[i], stops[i] };
    free(losses), free(stops);
    if (code) return code;
    if (*n) qsort(*starts, *n, sizeof **starts, rising);
    return *n ? KL_OK
              : kl_fail(err, KL_EDATA, "%s: no start has a loss that is a number",
                        kl_store_file_path(file));
}

/* As `qcontrol optimize` counts: a hundredth above the best, and more than 1e-6, and not because it had
   what was asked for. */
static bool is_trapped(const struct ended *start, double best)
{
    return start->stop != REACHED && start->stop != BEHIND &&
           !(start->loss <= best + fmax(1e-6, 0.01 * best));
}

static void draw_marks(cairo_t *cr, const struct kl_axes *axes, const struct ended *starts, size_t n)
{
    const double radius = n > 200 ? 1 : n > 60 ? 1.5 : 2.2;
    for (size_t i = 0; i < n; i++) {
        const double loss = starts[i].loss;
        const bool trapped = is_trapped(&starts[i], starts[0].loss);
        kl_plot_colour(cr, trapped ? 2 : 1, starts[i].stop == BEHIND ? 0.3 : 1);
        kl_plot_axes_mark(cr, axes, (double)i + 1, axes->log_y ? log10(fmax(loss, LEAST)) : loss, radius,
                          trapped ? KL_TRIANGLE : KL_CIRCLE);
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

/* Explain the share of trapped starts. */
static const char *words_of(size_t trapped, size_t all)
{
    if (!trapped) return "";
    if (10 * trapped >= 9 * all)
        return "most: the pulse is too short for the gate, or the limits are too small";
    return "a local minimum is no fault where others end lower: the best is kept";
}

static void draw(cairo_t *cr, const struct ended *starts, size_t n, size_t all, const char *title)
{
    struct kl_axes axes = { LEFT, TOP, WIDTH, HEIGHT, 0.5, (double)n + 0.5, .whole_x = true };
    size_t trapped = all - n, cut = 0, behind = 0;
    char text[160];
    for (size_t i = 0; i < n; i++)
        trapped += is_trapped(&starts[i], starts[0].loss), cut += starts[i].stop == ITERATIONS,
            behind += starts[i].stop == BEHIND;
    set_range(&axes, starts[0].loss, starts[n - 1].loss);
    draw_marks(cr, &axes, starts, n);
    kl_plot_axes_draw(cr, &axes, "start, best first", "loss at its end");
    kl_plot_text_within(cr, LEFT, 10, 7, KL_LEFT, WIDTH, title);
    snprintf(text, sizeof text, "%zu of %zu start%s trapped: ended more than 1 %% above the best",
             trapped, all - behind, kl_s(all - behind));
    kl_plot_text(cr, LEFT, 20, 7, KL_LEFT, text);
    if (trapped) {
        kl_plot_colour(cr, 2, 1);
        kl_plot_mark(cr, LEFT + kl_plot_text_width(cr, 7, text) + 8, 17.5, 2.2, KL_TRIANGLE);
    }
    kl_plot_black(cr, LEFT, 29, 6.5, KL_LEFT, words_of(trapped, all - behind));
    if (!cut && !behind) return;
    if (behind)
        snprintf(text, sizeof text, "faint: %zu that were left behind early, where others were ahead",
                 behind);
    else snprintf(text, sizeof text, "%zu stopped at the limit of iterations, before their end", cut);
    kl_plot_text(cr, LEFT, TOP + HEIGHT + 34, 6.5, KL_LEFT, text);
}

int kl_plot_starts(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs, struct kl_error *err)
{
    struct kl_pulse_view v;
    struct ended *starts = NULL;
    size_t n = 0, all = 0;
    int code = kl_plot_pulse_view_load(&v, inputs->file, err);
    if (!code) code = load(&starts, &n, &all, inputs->file, err);
    if (!code) draw(sheet->cr, starts, n, all, v.title);
    free(starts);
    kl_plot_pulse_view_free(&v);
    return code;
}
