/* SPDX-License-Identifier: MIT
   Networks that tell devices, by epoch: loss, accuracy and learning rate over the splits, and the epoch
   judged best in each run. Runs on shuffled labels learn nothing and are left out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/plot.h"

enum { TRAIN_LOSS, JUDGE_LOSS, TRAIN_ACCURACY, JUDGE_ACCURACY, RATE, N_SERIES };
static const char *const names[N_SERIES] = { "history/train_loss", "history/judge_loss",
                                             "history/train_accuracy", "history/judge_accuracy",
                                             "history/learning_rate" };

struct learning {
    struct kl_series series[N_SERIES];
    int64_t *best, *epochs; /* [runs], best from 0 */
    size_t runs;
    bool on_test; /* the judge's rows are the test rows */
};

static int load_whole(int64_t **data, const struct learning *l, struct kl_file *file, const char *name,
                      struct kl_error *err)
{
    const struct kl_dataset *set;
    const int code = kl_store_file_expect(&set, file, name, KL_TYPE_I64, 1, err);
    if (!code && set->dims[0] < l->runs)
        return kl_fail(err, KL_EDATA, "%s: %s: found %zu runs, expected %zu", kl_store_file_path(file),
                       name, set->dims[0], l->runs);
    return code ? code : kl_store_file_load((void **)data, file, set, err);
}

/* Runs on shuffled labels stand last. */
static int load_histories(struct learning *l, struct kl_file *file, struct kl_error *err)
{
    double null = 0;
    int code = kl_store_file_number(&null, file, "", "null", err);
    for (int i = 0; i < N_SERIES && !code; i++) {
        struct kl_series *s = &l->series[i];
        code = kl_plot_series_load(s, file, names[i], err);
        if (!code &&
            (!(null >= 0 && null < (double)s->replicas) ||
             (i && (s->replicas - (size_t)null != l->runs || s->epochs != l->series[0].epochs))))
            code = kl_fail(err, KL_EDATA, "%s: %s: its shape does not fit the runs",
                           kl_store_file_path(file), names[i]);
        if (!code) l->runs = s->replicas -= (size_t)null;
    }
    for (size_t i = 0; !code && i < l->runs * l->series[RATE].epochs; i++)
        l->series[RATE].values[i] = log10(l->series[RATE].values[i]);
    return code;
}

/* Epochs are checked here, and trusted below. */
static int load(struct learning *l, struct kl_file *file, struct kl_error *err)
{
    char *protocol = NULL;
    int code = load_histories(l, file, err);
    if (!code) code = load_whole(&l->best, l, file, "best_epoch", err);
    if (!code) code = load_whole(&l->epochs, l, file, "epochs", err);
    if (!code) code = kl_store_file_text(&protocol, file, "", "protocol", err);
    l->on_test = protocol && strcmp(protocol, "reference") == 0;
    free(protocol);
    for (size_t r = 0; r < l->runs && !code; r++)
        if (l->best[r] < 0 || l->best[r] >= l->epochs[r] || (size_t)l->epochs[r] > l->series[0].epochs)
            code = kl_fail(err, KL_EDATA, "%s: run %zu: found epoch %lld of %lld, of at most %zu",
                           kl_store_file_path(file), r, (long long)l->best[r], (long long)l->epochs[r],
                           l->series[0].epochs);
    if (!code) kl_plot_series_lengths(l->series, N_SERIES);
    return code;
}

/* Mark the value of each run's network on the judge's rows at its best epoch. */
static void mark_best(cairo_t *cr, const struct kl_axes *axes, const struct learning *l, int series)
{
    const struct kl_series *s = &l->series[series];
    kl_plot_colour(cr, 0, l->runs > 8 ? 0.5 : 0.9);
    for (size_t r = 0; r < l->runs; r++) {
        const double value = s->values[r * s->epochs + (size_t)l->best[r]];
        if (isfinite(value)) kl_plot_axes_mark(cr, axes, (double)l->best[r] + 1, value, 1.8, KL_DIAMOND);
    }
}

/* How long each run trained, and where it was best, one below the other. */
static void draw_runs(cairo_t *cr, struct kl_axes axes, const struct learning *l)
{
    char label[60];
    axes.whole_x = true, axes.x0 = 0.5, axes.x1 = (double)l->series[0].shown + 0.5;
    axes.y0 = (double)l->runs + 0.5, axes.y1 = 0.5;
    const double step = axes.height / (double)l->runs;
    for (size_t r = 0; r < l->runs; r++) {
        const double y = kl_plot_axes_y(&axes, (double)r + 1);
        kl_plot_pen(cr, 6, 1, fmin(0.8 * step, 3));
        kl_plot_line(cr, axes.left, y, kl_plot_axes_x(&axes, (double)l->epochs[r]), y);
        kl_plot_colour(cr, 0, 0.9);
        kl_plot_mark(cr, kl_plot_axes_x(&axes, (double)l->best[r] + 1), y,
                     fmax(0.5, fmin(0.5 * step, 1.8)), KL_DIAMOND);
    }
    kl_plot_axes_draw_x(cr, &axes, "epoch");
    snprintf(label, sizeof label, l->runs > 1 ? "%zu runs, first on top" : "the run", l->runs);
    kl_plot_text_upwards(cr, axes.left - 6, axes.top + axes.height / 2, 8, KL_CENTRE, axes.height,
                         label);
}

static void draw_head(cairo_t *cr, const struct learning *l)
{
    const struct kl_series *s = &l->series[TRAIN_LOSS];
    const bool marked = s->shown <= KL_SERIES_MARKED;
    char text[160];
    double x = kl_plot_series_legend(cr, 44, 1, KL_CIRCLE, marked, "training");
    x = kl_plot_series_legend(cr, x, 2, KL_TRIANGLE, marked, l->on_test ? "test rows" : "validation");
    kl_plot_colour(cr, 0, 0.9);
    kl_plot_mark(cr, x, 7.5, 1.8, KL_DIAMOND);
    kl_plot_text(cr, x + 6, 10, 7, KL_LEFT, "best epoch");
    if (l->runs == 1) return;
    snprintf(text, sizeof text, "mean and range of %zu runs", l->runs);
    if (s->common < s->shown)
        snprintf(text, sizeof text, "mean of %zu runs, to epoch %zu where the first stops; range of all",
                 l->runs, s->common);
    kl_plot_series_head(cr, 483, text);
}

static const double ACROSS = 244, DOWN = 184;

static void draw(cairo_t *cr, const struct learning *l)
{
    const struct kl_series *s = l->series;
    const struct kl_axes first = { .left = 44, .top = 16, .width = 195, .height = 140 };
    draw_head(cr, l);
    struct kl_axes axes = kl_plot_series_panel(cr, first, &s[TRAIN_LOSS], &s[JUDGE_LOSS],
                                               "loss (training: with penalties)", false);
    mark_best(cr, &axes, l, JUDGE_LOSS);
    axes = kl_plot_series_panel(cr, kl_plot_axes_panel(cr, first, 1, ACROSS, DOWN), &s[TRAIN_ACCURACY],
                                &s[JUDGE_ACCURACY], "accuracy", false);
    mark_best(cr, &axes, l, JUDGE_ACCURACY);
    struct kl_axes low = first;
    low.height = 90;
    draw_runs(cr, kl_plot_axes_panel(cr, low, 3, ACROSS, DOWN), l);
    low.log_y = true;
    kl_plot_series_panel(cr, kl_plot_axes_panel(cr, low, 2, ACROSS, DOWN), &s[RATE], NULL,
                         "learning rate", false);
}

int kl_plot_learning(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs, struct kl_error *err)
{
    struct learning l = { .runs = 0 };
    const int code = load(&l, inputs->file, err);
    if (!code) draw(sheet->cr, &l);
    for (int i = 0; i < N_SERIES; i++) free(l.series[i].values);
    free(l.best), free(l.epochs);
    return code;
}
