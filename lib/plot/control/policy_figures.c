/* SPDX-License-Identifier: MIT
   Policies: how one was meta-learned, by epoch, and its loss on each test task beside what needs no
   policy. */

#include <math.h>
#include <stdlib.h>

#include "plot/plot.h"
#include "stats/stats.h"

/* ---- by epoch ----
   How a policy was meta-learned, by epoch: the loss of training tasks before and after adapting, and
   that of the validation tasks, which are always the same. */

enum { TRAIN, TRAIN_ADAPTED, BEFORE, AFTER, N_SERIES };
static const char *const names[N_SERIES] = { "history/train_loss", "history/adapted_loss",
                                             "history/val_pre", "history/val_post" };

static int load_epochs(struct kl_series series[N_SERIES], struct kl_file *file, struct kl_error *err)
{
    for (int i = 0; i < N_SERIES; i++) {
        const int code = kl_plot_series_load(&series[i], file, names[i], err);
        if (code) return code;
        if (series[i].replicas != series[0].replicas || series[i].epochs != series[0].epochs)
            return kl_fail(err, KL_EDATA, "%s: %s: its shape is not that of %s",
                           kl_store_file_path(file), names[i], names[0]);
    }
    kl_plot_series_lengths(series, N_SERIES);
    return KL_OK;
}

int kl_plot_policy(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs, struct kl_error *err)
{
    struct kl_series series[N_SERIES] = { 0 };
    const struct kl_axes first = { .left = 50, .top = 16, .width = 190, .height = 130 };
    cairo_t *cr = sheet->cr;
    const int code = load_epochs(series, inputs->file, err);
    if (!code) {
        const bool marked = series[0].shown <= KL_SERIES_MARKED;
        char text[80];
        const double x = kl_plot_series_legend(cr, 50, 1, KL_CIRCLE, marked, "before adapting");
        kl_plot_series_legend(cr, x, 2, KL_TRIANGLE, marked, "after adapting");
        snprintf(text, sizeof text, "mean and range of %zu policies", series[0].replicas);
        if (series[0].replicas > 1) kl_plot_series_head(cr, 488, text);
        kl_plot_series_panel(cr, first, &series[TRAIN], &series[TRAIN_ADAPTED],
                             "loss, tasks of training", false);
        kl_plot_series_panel(cr, kl_plot_axes_panel(cr, first, 1, 248, 176), &series[BEFORE],
                             &series[AFTER], "loss, validation tasks", false);
    }
    for (int i = 0; i < N_SERIES; i++) free(series[i].values);
    return code;
}

/* ---- by test task ----
   The loss of each test task under each way to get a pulse for it, as dots with their mean: adapting may
   help a few tasks much or all a little. */

static const double LEFT = 52, TOP = 18, HEIGHT = 170;
enum { WAYS = 6, ADAPTED = 1 };
static const struct {
    const char *dataset, *name, *below;
    int colour;
} ways[WAYS] = {
    { "losses/policy", "policy,", "not adapted", 6 },
    { "losses/policy", "policy,", NULL, 1 },
    { "losses/mean_network", "network", "on the mean", 5 },
    { "losses/steered_pulse", "fixed pulse,", "adapted", 4 },
    { "losses/fixed_pulse", "fixed pulse", NULL, 3 },
    { "losses/optimum", "each task's", "optimum", 0 },
};

struct tasks {
    double *losses[WAYS]; /* [n] */
    size_t n, steps;
    bool logarithmic;
    double low, high;
};

/* Column k of a dataset [n][columns], or the whole of [n]. */
static int load_column(struct tasks *t, int way, size_t k, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *set;
    double *all = NULL;
    const char *name = ways[way].dataset;
    const int rank = way <= ADAPTED ? 2 : 1;
    int code = kl_store_file_expect(&set, file, name, KL_TYPE_F64, rank, err);
    if (!code && ((way && set->dims[0] != t->n) || !set->dims[0] || (rank == 2 && set->dims[1] <= k)))
        code = kl_fail(err, KL_EDATA, "%s: %s: its shape does not fit the tasks and steps",
                       kl_store_file_path(file), name);
    if (!code) code = kl_store_file_load((void **)&all, file, set, err);
    if (!code && !(t->losses[way] = malloc(set->dims[0] * sizeof *all)))
        code = kl_fail_memory(err, set->dims[0] * sizeof *all);
    if (!code) t->n = set->dims[0];
    for (size_t i = 0; !code && i < t->n; i++)
        t->losses[way][i] = all[rank == 2 ? i * set->dims[1] + k : i];
    free(all);
    return code;
}

/* Over more than a decade and a half the axis is logarithmic. */
static void find_range(struct tasks *t)
{
    static const double ROUNDING = 1e-12;
    double least = INFINITY, most = -INFINITY;
    for (int w = 0; w < WAYS; w++)
        for (size_t i = 0; i < t->n; i++)
            if (isfinite(t->losses[w][i]))
                least = fmin(least, t->losses[w][i]), most = fmax(most, t->losses[w][i]);
    t->logarithmic = most > 30 * fmax(least, ROUNDING);
    for (int w = 0; w < WAYS && t->logarithmic; w++)
        for (size_t i = 0; i < t->n; i++) t->losses[w][i] = log10(fmax(t->losses[w][i], ROUNDING));
    t->low = t->logarithmic ? floor(log10(fmax(least, ROUNDING))) : least;
    t->high = t->logarithmic ? ceil(log10(most)) : most;
    if (!(t->low <= t->high)) t->low = 0, t->high = 1; /* no number */
    const double margin =
        t->high > t->low ? 0.04 * (t->high - t->low) : fmax(0.05 * fabs(t->high), 1e-9);
    t->low -= margin, t->high += margin;
}

static int load(struct tasks *t, struct kl_file *file, struct kl_error *err)
{
    double steps = 0;
    int code = kl_store_file_number(&steps, file, "", "inner_steps", err);
    if (!code && !(steps >= 0 && steps < 1e6))
        code = kl_fail(err, KL_EDATA, "%s: attribute inner_steps: found %g", kl_store_file_path(file),
                       steps);
    if (!code) t->steps = (size_t)steps;
    for (int w = 0; w < WAYS && !code; w++)
        code = load_column(t, w, w == ADAPTED ? t->steps : 0, file, err);
    if (!code) find_range(t);
    return code;
}

/* Dots lie side by side in a fixed order, so that equal losses do not hide each other. */
static void draw_way(cairo_t *cr, const struct kl_axes *axes, const struct tasks *t, int w)
{
    const double room = axes->width / WAYS, middle = axes->left + room * (w + 0.5);
    const double mean = kl_stats_mean(t->losses[w], t->n);
    for (size_t i = 0; i < t->n; i++) {
        const double aside = fmod((double)i * 0.6180339887498949, 1) - 0.5; /* evenly, in any number */
        if (!isfinite(t->losses[w][i])) continue;
        kl_plot_colour(cr, ways[w].colour, 0.6);
        kl_plot_mark(cr, middle + 0.5 * room * aside, kl_plot_axes_y(axes, t->losses[w][i]), 1.7,
                     KL_CIRCLE);
    }
    kl_plot_pen(cr, 2, 1, 1.4);
    if (!isfinite(mean)) return;
    kl_plot_rule(cr, middle - 0.34 * room, kl_plot_axes_y(axes, mean), 0.68 * room, 0);
}

/* Below its dots: what a way is, in two lines, or upright in one. */
static void label_way(cairo_t *cr, const struct tasks *t, int w, double x, bool upright)
{
    char steps[40], text[80];
    snprintf(steps, sizeof steps, "%zu step%s", t->steps, kl_s(t->steps));
    const char *below = w == ADAPTED ? steps : ways[w].below;
    snprintf(text, sizeof text, "%s %s", ways[w].name, below ? below : "");
    kl_plot_colour(cr, 0, 1);
    if (upright) {
        kl_plot_text_upwards(cr, x + 2.5, TOP + HEIGHT + 5, 7, KL_RIGHT, INFINITY, text);
        return;
    }
    kl_plot_text(cr, x, TOP + HEIGHT + 12, 7, KL_CENTRE, ways[w].name);
    if (below) kl_plot_text(cr, x, TOP + HEIGHT + 21, 7, KL_CENTRE, below);
}

static void draw(cairo_t *cr, const struct tasks *t)
{
    const bool narrow = kl_plot_sheet_of(cr)->narrow;
    const double width = narrow ? 190 : 400;
    const struct kl_axes axes = { LEFT,
                                  TOP,
                                  width,
                                  HEIGHT,
                                  0,
                                  WAYS,
                                  t->low,
                                  t->high,
                                  .no_x_numbers = true,
                                  .whole_x = true,
                                  .log_y = t->logarithmic };
    char text[80];
    for (int w = 0; w < WAYS; w++) {
        draw_way(cr, &axes, t, w);
        label_way(cr, t, w, LEFT + width / WAYS * (w + 0.5), narrow);
    }
    kl_plot_axes_draw(cr, &axes, NULL, "loss of a task");
    snprintf(text, sizeof text, "%zu tasks; bar: the %s", t->n,
             t->logarithmic ? "geometric mean" : "mean");
    kl_plot_text(cr, LEFT, 10, 7, KL_LEFT, text);
}

int kl_plot_tasks(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs, struct kl_error *err)
{
    struct tasks t = { 0 };
    const int code = load(&t, inputs->file, err);
    if (!code) draw(sheet->cr, &t);
    for (int w = 0; w < WAYS; w++) free(t.losses[w]);
    return code;
}
